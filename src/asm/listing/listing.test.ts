import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { codeChunk, corpusFiles } from '../../../test/support/corpus.ts'
import type { DebugInfo } from '../../dxbc/index.ts'
import { FILE, INSTRUCTIONS } from '../../isa/index.ts'
import { decodeProgram, encodeProgram, type Program } from '../../program/index.ts'
import { debugNotes, type ListingOptions, printCode, printListing } from './index.ts'

const PS_5_0 = 0x00000050
const PS_5_1 = 0x00000051

const chunkOf = (version: number, body: readonly number[]): Uint8Array =>
  new Uint8Array(new Uint32Array([version, body.length + 2, ...body]).buffer)

const programOf = (version: number, ...body: number[]): Program => decodeProgram(chunkOf(version, body)).value!

function linesOf(options: ListingOptions, version: number, ...body: number[]): string[] {
  const lines = printCode(programOf(version, ...body), options).split('\n')
  expect(lines.pop()).toBe('')
  return lines.slice(1)
}

const opcode = (mnemonic: string): number => INSTRUCTIONS.find((r) => r.mnemonic === mnemonic)!.opcode
const token = (mnemonic: string, dwords: number, bits = 0): number => (opcode(mnemonic) | (dwords << 24) | bits) >>> 0

const R0 = [0x001000f2, 0]
const literal = (bits: number): number[] => [0x4001, bits]

describe('printCode', () => {
  it('begins with the profile, also of stages and models that do not exist', () => {
    expect(printCode(programOf(PS_5_0))).toBe('ps_5_0\n')
    expect(printCode(programOf(0x00050041))).toBe('cs_4_1\n')
    expect(printCode(programOf(0xfff00050))).toBe('stage65520_5_0\n')
  })

  it('prints tokens that it does not understand as comments that keep every dword', () => {
    const unknown = Array.from({ length: 10 }, (_, i) => (i === 0 ? 0x0a0007ff : i))
    expect(linesOf({}, PS_5_0, ...unknown)).toEqual([
      '// unknown tokens: 0x0a0007ff 0x00000001 0x00000002 0x00000003 0x00000004 0x00000005 0x00000006 0x00000007',
      '//                 0x00000008 0x00000009',
    ])
  })

  it('puts offsets, then numbers, in front', () => {
    const nop = token('nop', 1)
    const temps = token('dcl_temps', 2)
    expect(linesOf({ numbers: true, offsets: true }, PS_5_0, temps, 7, nop, nop)).toEqual([
      '0x00000008:       dcl_temps 7',
      '0x00000010:    0: nop ',
      '0x00000014:    1: nop ',
    ])
  })

  it('indents blocks, and stays at the margin where ends have no beginning', () => {
    const endif = token('endif', 1)
    const loop = token('loop', 1)
    const ret = token('ret', 1)
    expect(linesOf({}, PS_5_0, endif, loop, ret, token('endloop', 1), ret)).toEqual([
      'endif ',
      'loop ',
      '  ret ',
      'endloop ',
      'ret ',
    ])
  })

  it('grows with the program, not with the square of its depth', () => {
    const depth = 20_000
    const text = printCode(programOf(PS_5_0, ...new Array<number>(depth).fill(token('loop', 1))))
    expect(text.length).toBeLessThan(depth * 300)
  })

  it('writes the saturate and precise bits of every instruction that is no declaration', () => {
    const SATURATED_PRECISE = (1 << 13) | (5 << 19)
    for (const row of INSTRUCTIONS) {
      if (row.operands.length > 0 || row.traits.kind === 'declaration' || row.traits.kind === 'custom-data') continue
      const [line] = linesOf({}, PS_5_0, token(row.mnemonic, 1, SATURATED_PRECISE))
      expect(line).toMatch(new RegExp(`^${row.mnemonic}_sat(_ugroup)? \\[precise\\(xz\\)\\]`))
    }
  })

  it('prints no more functions than a table says it has, and no more than it has', () => {
    const table = (count: number, ...bodies: number[]): string[] =>
      linesOf({}, PS_5_0, token('dcl_function_table', 3 + bodies.length), 2, count, ...bodies)
    expect(table(2, 5, 6)).toEqual(['dcl_function_table ft2 = {fb5, fb6}'])
    expect(table(1, 5, 6)).toEqual(['dcl_function_table ft2 = {fb5}'])
    expect(table(9, 5)).toEqual(['dcl_function_table ft2 = {fb5}'])
  })

  it('prints bindings of SM5.1 as ranges, and what is no range as it is', () => {
    const sampler = (...indices: number[]): string[] =>
      linesOf(
        {},
        PS_5_1,
        token('dcl_sampler', 3 + indices.length),
        0x106000 | ((indices.length << 20) & 0x300000),
        ...indices,
        4,
      )
    expect(sampler(1, 2, 3)).toEqual(['dcl_sampler S1[2:3], mode_default, space=4'])
    expect(sampler(1, 2, 0xffffffff)).toEqual(['dcl_sampler S1[2:*], mode_default, space=4'])
    expect(sampler(1)).toEqual(['dcl_sampler S1, mode_default, space=4'])
  })

  it('follows the options for floats', () => {
    const add = (bits: number): number[] => [token('add', 7), ...R0, ...literal(bits), ...literal(0)]
    const line = (options: ListingOptions, bits: number): string => linesOf(options, PS_5_0, ...add(bits))[0]!
    expect(line({ floatTies: 'even' }, 0x3c000000)).toBe('add r0.xyzw, l(0.007812), l(0.000000)')
    expect(line({ floatTies: 'away' }, 0x3c000000)).toBe('add r0.xyzw, l(0.007813), l(0.000000)')
    expect(line({ negativeNan: 'by-payload' }, 0xffc00001)).toBe('add r0.xyzw, l(-1.#QNAN0), l(0.000000)')
    expect(line({ floatDigits: '17' }, 0x7f7fffff)).toBe(
      'add r0.xyzw, l(340282346638528860000000000000000000000.000000), l(0.000000)',
    )
    expect(line({ hexLiterals: true }, 0x7f7fffff)).toBe('add r0.xyzw, l(0x7f7fffff), l(0x00000000)')
  })

  it('has a line for every statement of whatever the tokens are, and never throws', () => {
    const dword = fc.oneof(
      fc.nat(0xffffffff),
      fc
        .constantFrom(...INSTRUCTIONS)
        .chain((row) => fc.integer({ min: 1, max: 12 }).map((n) => token(row.mnemonic, n))),
      fc.constantFrom(0x001000f2, 0x00100e46, 0x4001, 0x4e46, 0x208e46, 0x3010a, 0x35, 0x2035, 0x1835),
      fc.nat(16),
    )
    const version = fc.constantFrom(PS_5_0, PS_5_1, 0x00050050, 0x00010040, 0x00030050)
    fc.assert(
      fc.property(version, fc.array(dword, { maxLength: 60 }), fc.boolean(), (v, body, all) => {
        const program = programOf(v, ...body)
        const options: ListingOptions = all ? { numbers: true, offsets: true, colors: 'html' } : {}
        const lines = printCode(program, options).split('\n')
        expect(lines.length).toBeGreaterThan(program.statements.length)
        expect(encodeProgram(program)).toEqual(chunkOf(v, body))
      }),
      { numRuns: 1500 },
    )
  })
})

describe('debugNotes', () => {
  it('stop where names of files would make the listing grow without end', () => {
    const count = 2000
    const program = programOf(PS_5_0, ...new Array<number>(count).fill(token('nop', 1)))
    const files = ['a', 'b'].map((c) => c.repeat(1 << 20))
    const lines = Array.from({ length: count }, (_, position) => ({ position, file: files[position & 1]!, line: 1 }))
    const notes = debugNotes(program, { positions: 'instructions', lines, locations: [], values: [] })
    const text = printCode(program, {}, notes)
    expect(text.length).toBeGreaterThan(4 << 20)
    expect(text.length).toBeLessThan(10 << 20)
    expect(text.split('\n').filter((l) => l === 'nop ')).toHaveLength(count)
  })
})

describe('printListing', () => {
  it('closes every tag that it opens', () => {
    const text = printListing(
      { header: '//\n', program: programOf(PS_5_0, token('ret', 1)), slotCount: 1 },
      { colors: 'html' },
    )
    expect(text.match(/<font/g)).toHaveLength(text.match(/<\/font>/g)!.length)
    expect(text.endsWith('// Approximately 1 instruction slots used\n</font></pre>')).toBe(true)
  })

  it('changes with the runtime only where a listing has such values', () => {
    const runtime: ListingOptions = { floatTies: 'even', floatDigits: '17', negativeNan: 'by-payload' }
    const differs = (name: string): boolean => {
      const program = decodeProgram(codeChunk(corpusFiles().find((f) => f.name === name)!.bytes)).value!
      return printCode(program) !== printCode(program, runtime)
    }
    expect(['synthetic/literals', 'cs/imm_ties', 'vs/basic'].map(differs)).toEqual([true, true, false])
  })
})

describe('debugNotes', () => {
  const shortOpcodes = (...mnemonics: string[]): number[] => mnemonics.map((m) => token(m, 1))
  const notesOf = (program: Program, info: Partial<DebugInfo>): readonly (string | undefined)[] => {
    const notes = debugNotes(program, { positions: 'instructions', lines: [], locations: [], values: [], ...info })
    return program.statements.map((_, i) => notes.behind.get(i))
  }
  const location = { atEntry: false, overrunsType: false, registerFile: FILE.temp, indices: [0] }

  it('names whole arrays and registers without components as they are', () => {
    const program = programOf(PS_5_0, ...shortOpcodes('nop', 'ret'))
    const arr = { ...location, position: 1, name: 'arr', registerFile: FILE['indexable-temp'], indices: [1] }
    const prim = { ...location, position: 2, name: 'prim', registerFile: FILE['input-primitive-id'], indices: [] }
    expect(notesOf(program, { locations: [arr, prim] })).toEqual(['  // x1 <- arr', '  // vPrim <- prim'])
  })

  it('says at else where variables were before the if', () => {
    const program = programOf(PS_5_0, ...shortOpcodes('else', 'endif'))
    const locations = [1, 2].map((position) => ({ ...location, position, name: 'c', component: 3 }))
    expect(notesOf(program, { locations })).toEqual(['  // Prior locations: r0.w <- c', '  // r0.w <- c'])
  })

  it('prints bounds that are equal as one value, and the register that chooses an element', () => {
    const program = programOf(PS_5_0, ...shortOpcodes('nop', 'nop', 'ret'))
    const scalar = { offset: 0, isNanPossible: false, isInfinityPossible: false }
    const values: DebugInfo['values'] = [
      { position: 0, variable: 'i', scalars: [{ ...scalar, range: { type: 'uint', least: 0, most: 0 } }] },
      { position: 1, variable: 'j', scalars: [{ ...scalar, range: { type: 'int', least: 0, most: 7 } }] },
      { position: 2, variable: 'arr', index: { register: 1, component: 1 }, scalars: [scalar] },
    ]
    expect(notesOf(program, { values })).toEqual(['  // i<0: 0u>', '  // j<0:[0,7]>', '  // arr[r1.y]<0>'])
  })
})
