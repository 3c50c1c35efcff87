import { deflateSync } from 'node:zlib'
import fc from 'fast-check'
import { PNG } from 'pngjs'
import { describe, expect, it } from 'vitest'
import { type Image, isFailure } from '../../job/index.ts'
import { decodePng, encodePng } from './index.ts'

/** Bytes that look random, the same in every run. */
const bytesOf = (count: number, seed: number): Uint8Array => {
  let x = seed
  return Uint8Array.from({ length: count }, () => (x = (Math.imul(x, 1664525) + 1013904223) >>> 0) >>> 24)
}

/** CRC-32 of the PNG specification, annex D. */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let k = 0; k < 8; k++) crc = (crc & 1) === 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}

function chunk(name: string, content: Uint8Array): Uint8Array {
  const named = Buffer.concat([Buffer.from(name), content])
  const [head, tail] = [Buffer.alloc(4), Buffer.alloc(4)]
  head.writeUInt32BE(content.length)
  tail.writeUInt32BE(crc32(named))
  return Buffer.concat([head, named, tail])
}

interface Parts {
  readonly width: number
  readonly height: number
  readonly depth: number
  readonly colorType: number
  readonly isInterlaced?: boolean
  /** Chunks between the header and the data. */
  readonly others?: readonly Uint8Array[]
  /** What the data inflate to, or the compressed data. */
  readonly rows?: Uint8Array
  readonly data?: Uint8Array
}

function fileOf(p: Parts): Uint8Array {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(p.width)
  header.writeUInt32BE(p.height, 4)
  header.set([p.depth, p.colorType, 0, 0, p.isInterlaced === true ? 1 : 0], 8)
  const data = p.data ?? deflateSync(p.rows ?? new Uint8Array(0))
  return new Uint8Array(
    Buffer.concat([
      Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a),
      chunk('IHDR', header),
      ...(p.others ?? []),
      chunk('IDAT', data),
      chunk('IEND', new Uint8Array(0)),
    ]),
  )
}

const PIXELS = Uint8Array.from({ length: 24 }, (_, i) => (i * 37 + 11) % 256)
const FILE = encodePng({ width: 3, height: 2, pixels: PIXELS })
/** A file of 3 x 2 pixels of RGBA, with other data. */
const withData = (data: Uint8Array): Uint8Array => fileOf({ width: 3, height: 2, depth: 8, colorType: 6, data })

function reasonOf(bytes: Uint8Array): string {
  const image = decodePng(bytes)
  return isFailure(image) ? image.reason : 'an image'
}

function pixelsOf(bytes: Uint8Array): Image['pixels'] {
  const image = decodePng(bytes)
  if (isFailure(image)) throw new Error(image.reason)
  return image.pixels
}

describe('PNG files', () => {
  it.each([8, 16])('of %i bits come back as they were written, and others read the same', (bits) => {
    const count = 7 * 3 * 4
    const pixels = bits === 8 ? bytesOf(count, 5) : Uint16Array.from(bytesOf(count, 5), (b, i) => b * 256 + i)
    const file = encodePng({ width: 7, height: 3, pixels })
    expect(decodePng(file)).toEqual({ width: 7, height: 3, pixels })
    expect([...PNG.sync.read(Buffer.from(file), { skipRescale: true }).data]).toEqual([...pixels])
  })

  it.each([0, 2, 4, 6] as const)(
    'of color type %i are read as another decoder reads them, with every filter',
    (type) => {
      const png = new PNG({ width: 9, height: 5 })
      png.data.set(bytesOf(9 * 5 * 4, 3))
      for (const filterType of [0, 1, 2, 3, 4]) {
        const file = PNG.sync.write(png, { colorType: type, inputHasAlpha: true, filterType })
        expect([...pixelsOf(file)]).toEqual([...PNG.sync.read(file).data])
      }
    },
  )

  it('of few bits a sample are gray or of a palette', () => {
    // Samples 3, 0, 1 of two bits in the first row, 2, 2, 3 in the second; each row begins with its filter.
    const rows = Uint8Array.of(0, 0b11_00_01_00, 0, 0b10_10_11_00)
    const size = { width: 3, height: 2, depth: 2, rows }
    const gray = [255, 0, 85, 170, 170, 255].flatMap((v) => [v, v, v, 255])
    expect([...pixelsOf(fileOf({ ...size, colorType: 0 }))]).toEqual(gray)
    const palette = chunk('PLTE', Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12))
    const alpha = chunk('tRNS', Uint8Array.of(50, 60))
    // The fourth color has no alpha of its own.
    const colors = ['1 2 3 50', '4 5 6 60', '7 8 9 255', '10 11 12 255'].map((c) => c.split(' ').map(Number))
    const file = fileOf({ ...size, colorType: 3, others: [palette, alpha] })
    expect([...pixelsOf(file)]).toEqual([3, 0, 1, 2, 2, 3].flatMap((i) => colors[i]!))
  })

  it('have a color that is transparent where they name one', () => {
    const gray = { width: 2, height: 1, depth: 16, colorType: 0, rows: Uint8Array.of(0, 1, 2, 3, 4) }
    const key = chunk('tRNS', Uint8Array.of(3, 4))
    expect([...pixelsOf(fileOf({ ...gray, others: [key] }))]).toEqual([258, 258, 258, 65535, 772, 772, 772, 0])
    const color = { width: 3, height: 1, depth: 8, colorType: 2, rows: Uint8Array.of(0, 1, 2, 3, 1, 2, 4, 2, 2, 4) }
    const colorKey = chunk('tRNS', Uint8Array.of(0, 1, 0, 2, 0, 4))
    expect([...pixelsOf(fileOf({ ...color, others: [colorKey] }))]).toEqual([1, 2, 3, 255, 1, 2, 4, 0, 2, 2, 4, 255])
  })

  it('may be interlaced with 8 or 16 bits a sample', () => {
    // Of 2 x 2 pixels pass 1 has the first, pass 6 the second, pass 7 the lower two; the other passes are empty.
    const rows = Uint8Array.of(0, 10, 0, 20, 0, 30, 40)
    const gray = { width: 2, height: 2, colorType: 0, isInterlaced: true }
    const expected = [10, 20, 30, 40].flatMap((v) => [v, v, v, 255])
    expect([...pixelsOf(fileOf({ ...gray, depth: 8, rows }))]).toEqual(expected)
    const words = Uint8Array.of(0, 1, 10, 0, 1, 20, 0, 1, 30, 1, 40)
    expect(pixelsOf(fileOf({ ...gray, depth: 16, rows: words }))[4]).toBe(256 + 20)
    expect(reasonOf(fileOf({ ...gray, depth: 4, rows }))).toMatch(/interlaced with 4 bits a sample/)
  })

  it('that are damaged, or claim to be huge, are refused', () => {
    expect(reasonOf(Uint8Array.of(1, 2, 3))).toMatch(/no PNG/)
    expect(reasonOf(FILE.subarray(0, 10))).toMatch(/no PNG/)
    expect(reasonOf(FILE.subarray(0, 40))).toMatch(/cannot be decoded: it ends without an IEND/)
    expect(reasonOf(FILE.subarray(0, 50))).toMatch(/it ends at byte 50, inside the chunk that begins at byte 33/)
    // Two rows of a filter byte and three pixels of four bytes.
    const rows = new Uint8Array(2 * (1 + 3 * 4))
    expect(reasonOf(withData(deflateSync(rows)))).toBe('an image')
    expect(reasonOf(withData(Uint8Array.of(1, 2, 3, 4, 5, 6, 7)))).toMatch(/do not inflate/)
    expect(reasonOf(withData(deflateSync(rows).subarray(0, 6)))).toMatch(/do not inflate/)
    expect(reasonOf(withData(deflateSync(rows.subarray(1))))).toMatch(/have 25 bytes, its header requires 26/)
    expect(reasonOf(withData(deflateSync(new Uint8Array(1 << 20))))).toMatch(/have more than the 26 bytes/)
    const huge = FILE.slice()
    new DataView(huge.buffer).setUint32(16, 0x7fffffff)
    expect(reasonOf(huge)).toMatch(/at most 16384/)
    const odd = fileOf({ width: 1, height: 1, depth: 3, colorType: 0, rows: Uint8Array.of(0, 0) })
    expect(reasonOf(odd)).toMatch(/header makes no sense/)
  })

  it('are read whatever stands in chunks that pixels need not', () => {
    const profile = chunk('iCCP', Buffer.concat([Buffer.from('name\0\0'), deflateSync(new Uint8Array(1 << 22))]))
    const text = chunk('tEXt', Uint8Array.of(0, 0))
    const rows = Uint8Array.of(0, 1, 2, 3, 4)
    const file = fileOf({ width: 1, height: 1, depth: 8, colorType: 6, others: [profile, text], rows })
    expect([...pixelsOf(file)]).toEqual([1, 2, 3, 4])
  })

  it('are an image or a reason, whatever byte is changed, and a reason where they are cut', () => {
    const at = fc.nat(FILE.length - 1)
    fc.assert(
      fc.property(at, fc.nat(255), (position, value) => {
        const damaged = FILE.slice()
        damaged[position] = value
        expect(reasonOf(damaged)).not.toBe('')
        expect(reasonOf(FILE.subarray(0, position))).not.toBe('an image')
      }),
    )
  })
})
