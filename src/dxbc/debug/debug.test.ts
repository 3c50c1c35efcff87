import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { corpusFiles } from '../../../test/support/corpus.ts'
import { FILE } from '../../isa/index.ts'
import { findChunk, readDxbcOrThrow } from '../index.ts'
import { inlineRows } from './annotations.ts'
import { decodeDebugData } from './sdbg.ts'
import { decodeProgramDatabase } from './spdb.ts'

const FILES = corpusFiles()

function chunkOf(name: string, fourcc: string): Uint8Array {
  const file = FILES.find((f) => f.name === name)!
  return findChunk(readDxbcOrThrow(file.bytes), fourcc)!.data
}

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
    expect(inlineRows(annotations, 0x58)).toEqual([
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
