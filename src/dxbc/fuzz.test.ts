import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amount } from '../../test/support/amount.ts'
import { corpusFiles } from '../../test/support/corpus.ts'
import { decodeChunk, decodeResourceDefinition, encodeChunk, readDxbc, readDxbcOrThrow, writeDxbc } from './index.ts'

const FILES = corpusFiles()

/** xorshift32: the same damage in every run. */
function randomSource(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

/** One to four changes: a flipped bit, a dword that lies, a cut, or a dword copied from elsewhere. */
function damage(bytes: Uint8Array, random: (below: number) => number): Uint8Array {
  let out = bytes.slice()
  for (let changes = 1 + random(4); changes > 0; changes--) {
    if (out.length < 8) return out
    const view = new DataView(out.buffer)
    const at = random(out.length >> 2) * 4
    if (at + 4 > out.length) continue
    const kind = random(8)
    if (kind === 0) out = out.slice(0, random(out.length))
    else if (kind < 3) out[random(out.length)]! ^= 1 << random(8)
    else if (kind < 5) view.setUint32(at, [0xffffffff, 0x7fffffff, 0x10000, out.length, at, 0][random(6)]!, true)
    else if (kind < 7) view.setUint32(at, random(out.length), true)
    else view.setUint32(at, view.getUint32(random(out.length >> 2) * 4, true), true)
  }
  return out
}

describe('damaged input', () => {
  it('gives diagnostics or a container that is written back, never an exception', () => {
    const random = randomSource(0x1234567)
    let read = 0
    for (let i = 0; i < amount(1500, 6000); i++) {
      const bytes = damage(FILES[random(FILES.length)]!.bytes, random)
      const { value, diagnostics } = readDxbc(bytes)
      if (value === undefined) expect(diagnostics.length).toBeGreaterThan(0)
      else if (Buffer.compare(writeDxbc(value), bytes) !== 0) throw new Error(`run ${i} is not written back`)
      else read++
    }
    expect(read).toBeGreaterThan(100)
  })

  it('in a part is decoded, or carried with a warning; its bytes survive either way', () => {
    const random = randomSource(0x89abcdef | 0)
    const counts = { model: 0, raw: 0 }
    for (let i = 0; i < amount(2000, 8000); i++) {
      const { chunks } = readDxbcOrThrow(FILES[random(FILES.length)]!.bytes)
      const decodable = chunks.filter((c) => !['SHEX', 'SHDR', 'SPDB', 'SDBG'].includes(c.fourcc))
      const chunk = decodable[random(decodable.length)]!
      const data = damage(chunk.data, random)
      const { value, diagnostics } = decodeChunk({ fourcc: chunk.fourcc, data })
      counts[value.kind === 'raw' ? 'raw' : 'model']++
      expect(diagnostics.length).toBe(value.kind === 'raw' ? 1 : 0)
      if (Buffer.compare(encodeChunk(value), data) !== 0) throw new Error(`run ${i} lost bytes of ${chunk.fourcc}`)
    }
    expect(counts.model).toBeGreaterThan(amount(250, 1000))
    expect(counts.raw).toBeGreaterThan(amount(250, 1000))
  })

  it('of any bytes does not throw', () => {
    const fourccs = ['RDEF', 'ISGN', 'OSG1', 'OSG5', 'STAT', 'SFI0', 'IFCE', 'RTS0', 'ILDN', 'what']
    fc.assert(
      fc.property(fc.constantFrom(...fourccs), fc.uint8Array({ maxLength: 200 }), (fourcc, data) => {
        const { value } = decodeChunk({ fourcc, data })
        return Buffer.compare(encodeChunk(value), data) === 0
      }),
      { seed: 7, numRuns: amount(500, 2000) },
    )
  })
})

/** An RDEF (4.0 form) built dword by dword. */
function rdef4(dwords: number[]): Uint8Array {
  return new Uint8Array(Uint32Array.from(dwords).buffer)
}

describe('hostile reflection', () => {
  const HEADER = 28
  /** Header, then one buffer with one variable whose type is at `typeAt`; the creator is the zero byte at 4. */
  const oneVariable = (typeAt: number, rest: number[]) =>
    rdef4([
      ...[1, HEADER, 0, HEADER, 0xfffe0400, 0, 4],
      ...[4, 1, HEADER + 24, 16, 0, 0],
      ...[4, 0, 16, 0, typeAt, 0],
      ...rest,
    ])
  const TYPE_AT = HEADER + 48

  it('with a type that contains itself is refused', () => {
    const structure = [5, 0, 1 << 16, TYPE_AT + 16]
    const { value, diagnostics } = decodeResourceDefinition(oneVariable(TYPE_AT, [...structure, 4, TYPE_AT, 0]))
    expect(value).toBeUndefined()
    expect(diagnostics[0]?.message).toContain('contains itself')
  })

  it('with types nested a thousand deep is refused', () => {
    const rest: number[] = []
    for (let i = 0; i < 1000; i++) {
      const at = TYPE_AT + i * 28
      rest.push(5, 0, 1 << 16, at + 16, 4, at + 28, 0)
    }
    const { value, diagnostics } = decodeResourceDefinition(oneVariable(TYPE_AT, rest))
    expect(value).toBeUndefined()
    expect(diagnostics[0]?.message).toContain('nested too deeply')
  })

  it('with ten thousand buffers that share ten thousand variables ends soon', () => {
    const count = 10_000
    const buffers = Array.from({ length: count }, () => [4, count, HEADER + count * 24, 16, 0, 0]).flat()
    const typeAt = HEADER + count * 48
    const variables = Array.from({ length: count }, () => [4, 0, 16, 0, typeAt, 0]).flat()
    const data = rdef4([count, HEADER, 0, HEADER, 0xfffe0400, 0, 4, ...buffers, ...variables, 1, 0x10001, 0, 0])
    const started = performance.now()
    const { value, diagnostics } = decodeResourceDefinition(data)
    expect(performance.now() - started).toBeLessThan(2000)
    expect(value).toBeUndefined()
    expect(diagnostics[0]?.message).toContain('too often')
  })
})
