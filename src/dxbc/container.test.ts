import { describe, expect, it } from 'vitest'
import {
  type DxbcContainer,
  FNV_BASIS,
  findChunk,
  fnv1Hash64,
  hexDigest,
  makeDxbc,
  readDxbc,
  readDxbcOrThrow,
  replaceChunk,
  storedChecksum,
  stripChunks,
  writeDxbc,
} from './index.ts'

const ascii = (text: string) => new TextEncoder().encode(text)
const bytesOf = (...values: number[]) => Uint8Array.from(values)

/** A container put together by hand, unsigned: chunk starts as given, `size` bytes, filler 0xcc where nothing stands. */
function handMade(
  size: number,
  stated: number,
  starts: number[],
  parts: [start: number, fourcc: string, data: Uint8Array][],
) {
  const bytes = new Uint8Array(size).fill(0xcc)
  const view = new DataView(bytes.buffer)
  bytes.set(ascii('DXBC'))
  bytes.fill(7, 4, 20)
  view.setUint32(20, 1, true)
  view.setUint32(24, stated, true)
  view.setUint32(28, starts.length, true)
  starts.forEach((start, i) => {
    view.setUint32(32 + i * 4, start, true)
  })
  for (const [start, fourcc, data] of parts) {
    bytes.set(ascii(fourcc), start)
    view.setUint32(start + 4, data.length, true)
    bytes.set(data, start + 8)
  }
  return bytes
}

describe('containers that no compiler writes', () => {
  it('keep gaps, storage order, a tail and trailing bytes', () => {
    const bytes = handMade(
      90,
      84,
      [64, 44, 64 + 10],
      [
        [44, 'AAAA', bytesOf(1, 2, 3, 4)],
        [64, 'BBBB', bytesOf(5, 6)],
        [74, 'AAAA', bytesOf()],
      ],
    )
    const container = readDxbcOrThrow(bytes)
    expect(container.chunks.map((c) => c.fourcc)).toEqual(['BBBB', 'AAAA', 'AAAA'])
    expect(container.storageOrder).toEqual([1, 0, 2])
    expect(container.chunks[0]?.gapBefore).toEqual(new Uint8Array(8).fill(0xcc))
    expect(container.tail).toEqual(bytesOf(0xcc, 0xcc))
    expect(container.trailing).toEqual(new Uint8Array(6).fill(0xcc))
    expect(container.checksum).toEqual({ kind: 'stored', bytes: new Uint8Array(16).fill(7) })
    expect(writeDxbc(container)).toEqual(bytes)
  })

  const chunkless = handMade(32, 32, [], [])
  it.each([
    ['dxbc-magic', bytesOf()],
    ['dxbc-magic', ascii('DXBL and more, enough for a header')],
    ['dxbc-truncated', chunkless.slice(0, 31)],
    ['dxbc-truncated', handMade(32, 33, [], [])],
    ['dxbc-size', handMade(40, 31, [], [])],
    ['dxbc-chunk-count', handMade(35, 35, [], []).map((b, i) => (i === 28 ? 1 : b))],
    ['dxbc-chunk-range', handMade(44, 44, [35], [])],
    ['dxbc-chunk-range', handMade(44, 44, [37], [])],
    ['dxbc-chunk-range', handMade(50, 50, [36], [[36, 'AAAA', new Uint8Array(5)]]).map((b, i) => (i === 40 ? 7 : b))],
    ['dxbc-chunk-overlap', handMade(60, 60, [40, 40], [[40, 'AAAA', bytesOf()]])],
    [
      'dxbc-chunk-overlap',
      handMade(
        60,
        60,
        [40, 50],
        [
          [40, 'AAAA', new Uint8Array(3)],
          [50, 'BBBB', bytesOf()],
        ],
      ),
    ],
  ])('are refused with %s', (code, bytes) => {
    const { value, diagnostics } = readDxbc(bytes)
    expect(value).toBeUndefined()
    expect(diagnostics.map((d) => d.code)).toEqual([code])
    expect(diagnostics[0]?.place).toBeDefined()
  })

  it('may hold no part at all', () => {
    expect(writeDxbc(readDxbcOrThrow(chunkless))).toEqual(chunkless)
  })

  it('may have another version, which is a warning', () => {
    const bytes = handMade(32, 32, [], [])
    bytes[20] = 2
    const { value, diagnostics } = readDxbc(bytes)
    expect(diagnostics.map((d) => d.code)).toEqual(['dxbc-version'])
    expect(writeDxbc(value!)).toEqual(bytes)
  })
})

describe('signing', () => {
  // The payload sizes around 56 bytes decide whether the last block is shared with both counts.
  it.each([0, 1, 7, 8, 9, 35, 43, 44, 45, 63, 64, 100])(
    'gives a container of %d data bytes a checksum that verifies',
    (length) => {
      const container: DxbcContainer = {
        checksum: { kind: 'computed' },
        version: 1,
        chunks: [{ fourcc: 'PRIV', data: new Uint8Array(length).fill(3) }],
      }
      const bytes = writeDxbc(container)
      expect(readDxbcOrThrow(bytes)).toEqual(container)
      bytes[4]! ^= 1
      expect(readDxbcOrThrow(bytes).checksum.kind).toBe('stored')
    },
  )

  it('covers the stated size and no byte after it', () => {
    const bytes = writeDxbc({ ...makeDxbc([{ fourcc: 'PRIV', data: bytesOf(1) }]), trailing: bytesOf(9, 9) })
    expect(bytes.length).toBe(32 + 4 + 8 + 4 + 2)
    expect(readDxbcOrThrow(bytes).checksum.kind).toBe('computed')
    bytes[bytes.length - 1] = 0
    expect(readDxbcOrThrow(bytes).checksum.kind).toBe('computed')
  })

  it('shows a digest in byte order', () => {
    expect(hexDigest(storedChecksum(handMade(32, 32, [], [])))).toBe('07'.repeat(16))
  })
})

describe('editing', () => {
  const container: DxbcContainer = {
    checksum: { kind: 'stored', bytes: new Uint8Array(16) },
    version: 1,
    chunks: ['AAAA', 'BBBB', 'CCCC'].map((fourcc, i) => ({ fourcc, data: bytesOf(i, i, i, i) })),
    storageOrder: [2, 0, 1],
  }

  it('replaces a part in its place and signs anew', () => {
    const edited = replaceChunk(container, 'BBBB', bytesOf(9))
    expect(edited.chunks[1]).toEqual({ fourcc: 'BBBB', data: bytesOf(9) })
    expect(edited.checksum).toEqual({ kind: 'computed' })
    expect(readDxbcOrThrow(writeDxbc(edited))).toEqual(edited)
  })

  it('adds a part that was not there, stored last', () => {
    const edited = replaceChunk(container, 'DDDD', bytesOf())
    expect(edited.storageOrder).toEqual([2, 0, 1, 3])
    expect(readDxbcOrThrow(writeDxbc(edited))).toEqual(edited)
  })

  it('takes parts away and keeps the order of the rest', () => {
    const edited = stripChunks(container, ['AAAA', 'none'])
    expect(edited.chunks.map((c) => c.fourcc)).toEqual(['BBBB', 'CCCC'])
    expect(edited.storageOrder).toEqual([1, 0])
    expect(readDxbcOrThrow(writeDxbc(edited))).toEqual(edited)
    expect(stripChunks(container, ['none'])).toBe(container)
  })

  it('finds the first of several names', () => {
    expect(findChunk(container, 'CCCC', 'BBBB')?.fourcc).toBe('BBBB')
    expect(findChunk(container, 'XXXX')).toBeUndefined()
  })
})

describe('FNV-1 64', () => {
  // Published test vectors of FNV-1 (64 bits): "", "a", "foobar".
  it.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63bd4c8601b7be'],
    ['foobar', '340d8765a4dda9c2'],
  ])('of %j with the standard basis', (text, hash) => {
    expect(fnv1Hash64(ascii(text), FNV_BASIS)).toBe(hash)
  })

  it('with start value 0 agrees with arithmetic on big integers', () => {
    const bytes = Uint8Array.from({ length: 300 }, (_, i) => (i * 37 + 11) & 255)
    let hash = 0n
    for (const b of bytes) hash = ((hash * 0x100000001b3n) & 0xffffffffffffffffn) ^ BigInt(b)
    expect(fnv1Hash64(bytes)).toBe(hash.toString(16).padStart(16, '0'))
    expect(fnv1Hash64(bytesOf())).toBe('0000000000000000')
  })
})
