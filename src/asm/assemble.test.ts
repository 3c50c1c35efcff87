import { describe, expect, it } from 'vitest'
import { codeChunk, corpusFiles } from '../../test/support/corpus.ts'
import {
  decodeResourceDefinition,
  decodeStatistics,
  findChunk,
  findCodeChunk,
  isSignatureFourcc,
  type ReflectedBinding,
  readDxbcOrThrow,
  STAT_FIELDS,
} from '../dxbc/index.ts'
import { decodeProgram } from '../program/index.ts'
import { assemble, assembleOrThrow, countStatistics, disassemble, parseProgram } from './index.ts'

const FILES = corpusFiles()
const MADE = FILES.filter((f) => !f.synthetic)
const file = (name: string): (typeof FILES)[number] => FILES.find((f) => f.name === name)!
/** Shaders of the older compiler, which counted otherwise, have a creator of version 9. */
const isOldCompiler = (listing: string): boolean => listing.includes('HLSL Shader Compiler 9.')

describe('assemble over a base', () => {
  it('gives the base, byte for byte, where the listing kept every bit', () => {
    let equal = 0
    for (const { name, bytes, listing } of MADE) {
      const { value, diagnostics } = assemble(listing, { base: bytes })
      expect(value, name).toBeDefined()
      if (Buffer.compare(codeChunk(value!), codeChunk(bytes)) !== 0) {
        expect(
          diagnostics.some((d) => d.code.startsWith('asm-literal-')),
          name,
        ).toBe(true)
        continue
      }
      expect(Buffer.compare(value!, bytes), name).toBe(0)
      equal++
    }
    expect(equal).toBeGreaterThanOrEqual(396)
  })

  it('finds literals that lost bits in the base, unless this is turned off', () => {
    let recovered = 0
    for (const { name, bytes, listing } of MADE) {
      const { value, diagnostics } = assemble(listing, { base: bytes })
      if (Buffer.compare(value!, bytes) === 0) recovered++
      else expect(diagnostics.length, name).toBeGreaterThan(0)
    }
    // In the others two literals of the shader print alike, or a double lost bits.
    expect(recovered).toBeGreaterThanOrEqual(440)
    const { bytes, listing } = file('ps/builtin')
    const edited = listing.replace('ret \n', 'mul r0.x, r0.x, l(0.123457)\nret \n')
    const warned = assemble(edited, { base: bytes }).diagnostics
    expect(warned.map((d) => [d.code, d.message.slice(0, 10)])).toContainEqual(['asm-literal-inexact', "'0.123457'"])
  })

  it('changes the code, its statistics and the signature, and nothing else', () => {
    const { bytes, listing } = file('ps/sample_2d')
    const edited = listing.replace('ret \n', 'mov r0.x, r0.y\nmul r0.x, r0.x, r0.x\nif_nz r0.x\nret \nendif \nret \n')
    const before = readDxbcOrThrow(bytes)
    const after = readDxbcOrThrow(assembleOrThrow(edited, { base: bytes }))
    expect(after.checksum.kind).toBe('computed')
    expect(after.chunks.map((c) => c.fourcc)).toEqual(before.chunks.map((c) => c.fourcc))
    after.chunks.forEach((chunk, i) => {
      const isCounted = chunk.fourcc === 'STAT' || chunk === findCodeChunk(after)
      if (!isCounted) expect(chunk.data, chunk.fourcc).toEqual(before.chunks[i]!.data)
    })
    const counts = (c: typeof before): Record<string, number> =>
      decodeStatistics(findChunk(c, 'STAT')!.data).value!.counts
    const [old, now] = [counts(before), counts(after)]
    const changed = STAT_FIELDS.filter((f) => old[f] !== now[f]).map((f) => [f, now[f]! - old[f]!])
    expect(Object.fromEntries(changed)).toEqual({
      instructions: 5,
      floatInstructions: 1,
      staticFlowControl: 1,
      dynamicFlowControl: 1,
      movInstructions: 1,
    })
  })

  it('keeps the signature of a shader for the debug layer while its code is the same', () => {
    const { bytes, listing } = file('cs/shader_message')
    expect(readDxbcOrThrow(bytes).checksum.kind).toBe('stored')
    expect(assembleOrThrow(listing, { base: bytes })).toEqual(bytes)
  })

  it('renames the code chunk for another shader model', () => {
    const { bytes } = file('vs/basic')
    const container = readDxbcOrThrow(assembleOrThrow('vs_4_0\nret', { base: bytes }))
    expect(findCodeChunk(container)!.fourcc).toBe('SHDR')
    const back = readDxbcOrThrow(assembleOrThrow('vs_5_0\nret', { base: file('vs/clipplanes.sm40').bytes }))
    expect(findCodeChunk(back)!.fourcc).toBe('SHEX')
  })

  it('knows 4.x graphics shaders with structured buffers by their flag: the newer chunk and a feature bit', () => {
    const head = 'ps_4_0\ndcl_globalFlags refactoringAllowed | enableRawAndStructuredBuffers\n'
    const body = 'dcl_resource_structured t0, 16\ndcl_output o0.xyzw\nld_structured o0.xyzw, l(0), l(0), t0.xyzw\nret'
    const made = readDxbcOrThrow(assembleOrThrow(`${head}${body}`))
    expect(findCodeChunk(made)!.fourcc).toBe('SHEX')
    expect([...findChunk(made, 'SFI0')!.data]).toEqual([2, 0, 0, 0, 0, 0, 0, 0])
    const compute = readDxbcOrThrow(assembleOrThrow('cs_4_0\ndcl_globalFlags enableRawAndStructuredBuffers\nret'))
    expect(findChunk(compute, 'SFI0')).toBeUndefined()
  })

  it('knows doubles by their flag, of which older compilers print no note', () => {
    const made = readDxbcOrThrow(assembleOrThrow('cs_5_0\ndcl_globalFlags enableDoublePrecisionFloatOps\nret'))
    expect([...findChunk(made, 'SFI0')!.data]).toEqual([1, 0, 0, 0, 0, 0, 0, 0])
  })

  it('reads the bindings of older compilers, whose slots have no letter', () => {
    const rule = (...widths: number[]): string => `// ${widths.map((w) => '-'.repeat(w)).join(' ')}`
    const table = [
      '//\n// Resource Bindings:\n//',
      '// Name                                 Type  Format         Dim Slot Elements',
      rule(30, 10, 7, 11, 4, 8),
      '// texels                            texture   uint          2d    3        2',
      '// numbers                           cbuffer      NA          NA    1        1',
      '//\n//\ncs_5_0\nret',
    ]
    const text = `//\n// Generated by some compiler\n${table.join('\n')}`
    const { value, diagnostics } = assemble(text)
    expect(diagnostics.filter((d) => d.message.includes('bindings'))).toEqual([])
    const { bindings } = decodeResourceDefinition(findChunk(readDxbcOrThrow(value!), 'RDEF')!.data).value!
    expect(bindings.map((b) => [b.name, b.kind, b.bindPoint, b.bindCount])).toEqual([
      ['texels', 2, 3, 2],
      ['numbers', 0, 1, 1],
    ])
  })

  it('says when the base is none', () => {
    const { value, diagnostics } = assemble('vs_4_0\nret', { base: new Uint8Array(10) })
    expect(value).toBeUndefined()
    expect(diagnostics.map((d) => d.code)).toEqual(['asm-base'])
    expect(() => assembleOrThrow('vs_4_0\nrett')).toThrow("'rett' is not an instruction")
  })
})

describe('assemble alone', () => {
  it('makes the signatures and feature flags of every shader from the header comments', () => {
    for (const { name, bytes, listing } of MADE) {
      const made = readDxbcOrThrow(assembleOrThrow(listing))
      const original = readDxbcOrThrow(bytes)
      const isSaid = (fourcc: string): boolean => isSignatureFourcc(fourcc) || fourcc === 'SFI0'
      for (const chunk of original.chunks.filter((c) => isSaid(c.fourcc))) {
        expect(findChunk(made, chunk.fourcc)?.data, `${name} ${chunk.fourcc}`).toEqual(chunk.data)
      }
      expect(findCodeChunk(made)!.fourcc, name).toBe(findCodeChunk(original)!.fourcc)
    }
  })

  it('makes the bindings from the header comments', () => {
    const bindings = (bytes: Uint8Array): unknown => {
      const chunk = findChunk(readDxbcOrThrow(bytes), 'RDEF')
      return chunk === undefined ? undefined : decodeResourceDefinition(chunk.data).value!.bindings.map(shown)
    }
    // Whether the programmer chose the register, the lowest flag, is not in the table.
    const shown = (b: ReflectedBinding): ReflectedBinding => ({ ...b, flags: b.flags & ~1 })
    for (const { name, bytes, listing } of MADE) {
      expect(bindings(assembleOrThrow(listing)), name).toEqual(bindings(bytes))
    }
  })

  it('reads the same where an editor removed the blanks at the ends of lines', () => {
    let cut = 0
    for (const { name, listing } of MADE) {
      const trimmed = listing.replace(/[ \t]+$/gm, '')
      if (/^\/\/ .* float$/m.test(trimmed)) cut++
      expect(assembleOrThrow(trimmed), name).toEqual(assembleOrThrow(listing))
    }
    expect(cut).toBeGreaterThan(0)
  })

  it('lists again as it was', () => {
    for (const name of ['ps/depth_cases', 'gs/multi_stream', 'hs/tri', 'ds/quad', 'ps/minprec_ps', 'cs/uav_slots']) {
      const { listing } = file(name)
      const text = disassemble(assembleOrThrow(listing))
      const from = (t: string): string => t.slice(t.search(/\/\/ (Patch Constant|Input) signature:/))
      expect(from(text), name).toBe(from(listing))
    }
  })

  it('says what is missing and what cannot be read', () => {
    const bare = assemble('vs_4_0\nret')
    expect(bare.value).toBeDefined()
    expect(bare.diagnostics.map((d) => [d.code, d.severity])).toEqual([['asm-header', 'warning']])
    const damaged = file('vs/basic').listing.replace(/float {3}xyz /, 'floot   xyz ')
    expect(assemble(damaged).diagnostics.map((d) => d.message)).toContain('this is no row of the Input signature')
  })

  it('strips what the runtime does not need', () => {
    const { bytes, listing } = file('vs/basic')
    const fourccs = (b: Uint8Array): string[] => readDxbcOrThrow(b).chunks.map((c) => c.fourcc)
    expect(fourccs(assembleOrThrow(listing, { base: bytes, strip: true }))).toEqual(['ISGN', 'OSGN', 'SHEX'])
    const lossless = disassemble(bytes, { dialect: 'lossless' })
    expect(fourccs(assembleOrThrow(lossless, { strip: true }))).toEqual(['ISGN', 'OSGN', 'SHEX'])
  })
})

describe('countStatistics', () => {
  it('counts as fxc 10.1 counts', () => {
    let equal = 0
    let all = 0
    for (const { bytes, listing } of MADE) {
      const chunk = findChunk(readDxbcOrThrow(bytes), 'STAT')
      if (chunk === undefined || isOldCompiler(listing)) continue
      const { counts, dwordCount } = decodeStatistics(chunk.data).value!
      const counted = countStatistics(decodeProgram(codeChunk(bytes)).value!)
      all++
      if (STAT_FIELDS.slice(0, dwordCount).every((f) => counted[f] === counts[f])) equal++
    }
    // The others count moves of doubles, a mask or hull shader declarations that are gone from the code.
    expect([equal, all]).toEqual([439, 455])
  })

  it('distinguishes conversions, moves and arithmetic', () => {
    const count = (text: string): Readonly<Record<string, number>> => {
      const counts = countStatistics(parseProgram(`ps_5_0\n${text}`, { exact: true }).value!)
      return Object.fromEntries(Object.entries(counts).filter(([k, n]) => n > 0 && k !== 'instructions'))
    }
    expect(count('mov r0.x, r1.x')).toEqual({ movInstructions: 1 })
    expect(count('mov r0.x, -r1.x')).toEqual({ floatInstructions: 1 })
    expect(count('mov_sat r0.x, -r1.x')).toEqual({ movInstructions: 1 })
    expect(count('round_z r0.x, r1.x')).toEqual({ floatInstructions: 1, conversionInstructions: 1 })
    expect(count('ine r0.x, l(0), r1.x')).toEqual({ conversionInstructions: 1 })
    expect(count('ine r0.x, r1.x, l(0)')).toEqual({ intInstructions: 1 })
    expect(count('udiv r0.x, r1.x, r2.x, r3.x')).toEqual({})
    expect(count('udiv r0.x, null, r2.x, r3.x')).toEqual({ uintInstructions: 1 })
    expect(count('mov r0.x, x0[r1.x].x')).toEqual({ arrayInstructions: 1 })
    expect(count('if_nz cb0[0].x\nendif')).toEqual({ staticFlowControl: 1 })
    expect(count('sample_l r0.xyzw, v0.xyxx, t0.xyzw, s0, l(0.0)')).toEqual({ textureLoadInstructions: 1 })
  })
})

describe('signatures in the comments of a text over a base', () => {
  it('are those of the base for every listing of the corpus, without a word', () => {
    for (const { name, bytes, listing, synthetic } of corpusFiles()) {
      if (synthetic) continue
      const found = assemble(listing, { base: bytes }).diagnostics.filter((d) => d.code === 'asm-base-signature')
      expect([name, found]).toEqual([name, []])
    }
  })

  it('are reported where they have rows that the base does not have', () => {
    const { bytes, listing } = corpusFiles().find((f) => f.name === 'vs/basic')!
    const row = /^\/\/ (\w+) +0 .*\n/m.exec(listing.slice(listing.indexOf('// Input signature:')))![0]
    const added = row.replace(/^\/\/ \w+ /, (name) => `// ADDED${' '.repeat(name.length - 8)}`)
    const { value, diagnostics } = assemble(listing.replace(row, row + added), { base: bytes })
    expect(value).toEqual(bytes)
    expect(diagnostics.map((d) => d.code)).toEqual(['asm-base-signature'])
    expect(diagnostics[0]!.message).toContain('ADDED0 in register')
  })
})
