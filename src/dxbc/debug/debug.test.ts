import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CORPUS_FOLDER, corpusFiles } from '../../../test/support/corpus.ts'
import { FILE } from '../../isa/index.ts'
import { findChunk, readDxbcOrThrow } from '../index.ts'
import { inlineRows } from './annotations.ts'
import { decodeDebugData } from './sdbg.ts'
import { decodeProgramDatabase } from './spdb.ts'
import { pathAt, pathToArray, type TypeTable } from './types.ts'

const FILES = corpusFiles()

function chunkOf(name: string, fourcc: string): Uint8Array {
  const file = FILES.find((f) => f.name === name)!
  return findChunk(readDxbcOrThrow(file.bytes), fourcc)!.data
}

/** The source that a shader of the corpus was compiled from. */
const hlsl = (name: string): string => readFileSync(join(CORPUS_FOLDER, `${name}.hlsl`), 'utf8')

describe('decodeProgramDatabase', () => {
  it('reads lines, files and where variables live', () => {
    const { value, diagnostics } = decodeProgramDatabase(chunkOf('vs/basic.zi', 'SPDB'))
    expect(diagnostics).toEqual([])
    expect(value!.lines[0]).toEqual({ position: 0xa8, file: 'S:\\vs\\basic.hlsl', line: 35 })
    expect(value!.lines.at(-1)).toEqual({ position: 0x370, file: 'S:\\vs\\basic.hlsl', line: 42 })
    expect(value!.entry).toBe(0xa8)
    expect(value!.locations.find((l) => l.name === 'v.uv.y')).toEqual({
      position: 0xa8,
      atEntry: true,
      name: 'v.uv.y',
      overrunsType: false,
      registerFile: FILE.input,
      indices: [2],
      component: 1,
    })
    expect(value!.locations.filter((l) => !l.atEntry).map((l) => l.name)).toEqual(['w.x', 'w.y', 'w.z'])
  })

  it('reads the text of the source files and the names of shared memory', () => {
    const { value } = decodeProgramDatabase(chunkOf('cs/real_light_cull.zi', 'SPDB'))
    expect(value!.sources).toEqual([{ file: 'S:\\cs\\real_light_cull.hlsl', text: hlsl('cs/real_light_cull') }])
    // groupshared uint zMin, zMax, cnt, list[128]; groupshared float4 planes[4]: g0 to g4 of the listing, by their sizes.
    expect(value!.groupshared!.map((v) => `g${v.register} ${v.name}`)).toEqual([
      'g0 zMin',
      'g1 zMax',
      'g2 cnt',
      'g3 list',
      'g4 planes',
    ])
  })

  it('reads every program database of the corpus', () => {
    const found = FILES.flatMap((f) => findChunk(readDxbcOrThrow(f.bytes), 'SPDB') ?? [])
    expect(found.length).toBeGreaterThanOrEqual(16)
    for (const chunk of found) {
      const { value, diagnostics } = decodeProgramDatabase(chunk.data)
      expect(diagnostics).toEqual([])
      expect(value!.lines.length).toBeGreaterThan(0)
    }
  })

  it('says so when it is no program database', () => {
    expect(decodeProgramDatabase(new Uint8Array(0)).diagnostics).toHaveLength(1)
    expect(decodeProgramDatabase(new Uint8Array(512)).value).toBeUndefined()
  })
})

describe('decodeDebugData', () => {
  it('reads the text of the source files', () => {
    const { value } = decodeDebugData(chunkOf('cs/real_light_cull.v9', 'SDBG'))
    expect(value!.sources).toEqual([{ file: 'S:\\cs\\real_light_cull.hlsl', text: hlsl('cs/real_light_cull') }])
  })

  it('reads lines and values', () => {
    const { value, diagnostics } = decodeDebugData(chunkOf('vs/basic.v9zi', 'SDBG'))
    expect(diagnostics).toEqual([])
    expect(value!.lines[4]).toEqual({ position: 4, file: 'S:\\vs\\basic.hlsl', line: 36 })
    expect(value!.values[0]).toEqual({
      position: 3,
      variable: 'w',
      scalars: [0, 1, 2].map((offset) => ({ offset, isNanPossible: true, isInfinityPossible: true })),
    })
  })

  it('says so when it is too short', () => {
    expect(decodeDebugData(new Uint8Array(20)).value).toBeUndefined()
    expect(decodeDebugData(new Uint8Array(200)).value).toBeUndefined()
  })
})

describe('inlineRows', () => {
  it('runs the annotations of an inlined function', () => {
    // Line +1 at 0x154; line +1 at 0x20 further; 4 bytes and one line at once; a length; then rows of expressions.
    const annotations = [0x06, 2, 0x03, 0x81, 0x54, 0x06, 2, 0x03, 0x20, 0x0b, 0x24, 0x04, 0x50, 0x08, 0, 0x01, 5]
    expect(inlineRows(annotations, 0x58)).toMatchObject([
      { start: 0x1ac, end: 0x1cc, lineDelta: 1 },
      { start: 0x1cc, end: 0x1d0, lineDelta: 2 },
      { start: 0x1d0, end: 0x220, lineDelta: 3 },
    ])
  })

  it('ends with whatever bytes', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(255), { maxLength: 64 }), (bytes) => {
        expect(inlineRows(bytes, 0).length).toBeLessThanOrEqual(bytes.length)
      }),
    )
  })
})

describe('damaged debug data', () => {
  const samples = [
    { decode: decodeProgramDatabase, data: chunkOf('ps/include_zi', 'SPDB') },
    { decode: decodeProgramDatabase, data: chunkOf('hs/sm51_joins.zi', 'SPDB') },
    { decode: decodeDebugData, data: chunkOf('ps/include_zi.v9', 'SDBG') },
  ]
  const dword = fc.oneof(fc.nat(0xffffffff), fc.constantFrom(0, 1, 0xffff, 0xffffffff, 0x80000000, 0x7fffffff))

  it('gives a value or a finding, never an exception', () => {
    const edits = fc.array(fc.tuple(fc.nat(0xffff), dword), { minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(fc.constantFrom(...samples), edits, fc.option(fc.nat(0xffff)), (sample, changes, cut) => {
        const bytes = sample.data.slice()
        const view = new DataView(bytes.buffer)
        for (const [at, value] of changes) view.setUint32(at % (bytes.length - 4), value, true)
        const { value, diagnostics } = sample.decode(cut === null ? bytes : bytes.subarray(0, cut % bytes.length))
        expect(value !== undefined || diagnostics.length > 0).toBe(true)
      }),
      { numRuns: 800 },
    )
  })
})

describe('paths of scalars', () => {
  const FIRST = 0x1000
  const FLOAT = 0x40
  const table: TypeTable = {
    first: FIRST,
    types: [
      { kind: 'minimum-precision', builtIn: 544 },
      { kind: 'vector', element: FIRST, count: 4, byteLength: 16 },
      { kind: 'array', element: FLOAT, stride: 16, byteLength: 52 },
      {
        kind: 'fields',
        members: [
          { name: 'half4', type: FIRST + 1, byteOffset: 0 },
          { name: 'weights', type: FIRST + 2, byteOffset: 16 },
        ],
      },
      { kind: 'structure', name: 'S', fields: FIRST + 3, byteLength: 68 },
    ],
  }

  it('end in what fxc prints for minimum precision, which it does not know', () => {
    expect(pathAt(table, FIRST, 0).text).toBe('<unknown HLSL built-in 544 offset 0>')
    expect(pathAt(table, FIRST + 4, 8).text).toBe('.half4.z<unknown HLSL built-in 544 offset 0>')
  })

  it('end before the elements of an array that lies in x#', () => {
    expect(pathToArray(table, FIRST + 2, 0)).toEqual({ text: '', overruns: false })
    expect(pathToArray(table, FIRST + 4, 16)).toEqual({ text: '.weights', overruns: false })
    expect(pathAt(table, FIRST + 4, 32).text).toBe('.weights[1]')
  })
})

describe('outputs of SDBG instructions', () => {
  /** Where the first instruction's record stands, and in it the number of its first output's register. */
  const outputRegisterAt = (chunk: Uint8Array, instruction: number): number => {
    const view = new DataView(chunk.buffer, chunk.byteOffset)
    return view.getUint32(0, true) + view.getUint32(4 * 8, true) + 396 * instruction + 12 + 4
  }

  it('give nothing to a destination null, and name the register that chooses an element', () => {
    const chunk = chunkOf('vs/basic.v9zi', 'SDBG').slice()
    const view = new DataView(chunk.buffer)
    const { position } = decodeDebugData(chunk).value!.values[0]!
    const at = outputRegisterAt(chunk, position)
    view.setUint32(at - 4 + 172, 5, true)
    view.setUint32(at - 4 + 176, 2, true)
    expect(decodeDebugData(chunk).value!.values[0]!.index).toEqual({ register: 5, component: 2 })
    view.setUint32(at, 0xffffffff, true)
    expect(decodeDebugData(chunk).value!.values.some((v) => v.position === position)).toBe(false)
  })
})
