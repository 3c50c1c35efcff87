import { deflateSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { isFailure } from '../../job/index.ts'
import { decodePng, encodePng } from './png.ts'

const PIXELS = Uint8Array.from({ length: 24 }, (_, i) => (i * 37 + 11) % 256)
const FILE = encodePng({ width: 3, height: 2, pixels: PIXELS })

function reasonOf(bytes: Uint8Array): string {
  const image = decodePng(bytes)
  return isFailure(image) ? image.reason : 'an image'
}

/** The file with other compressed data in its one IDAT chunk, its checksum made right. */
function withData(data: Uint8Array): Uint8Array {
  const view = new DataView(FILE.buffer, FILE.byteOffset, FILE.byteLength)
  const at = FILE.findIndex((_, i) => i + 8 < FILE.length && view.getUint32(i + 4) === 0x49444154)
  const chunk = Buffer.concat([Buffer.from('IDAT'), data])
  const [head, tail] = [Buffer.alloc(4), Buffer.alloc(4)]
  head.writeUInt32BE(data.length)
  tail.writeUInt32BE(crc32(chunk))
  return new Uint8Array(
    Buffer.concat([FILE.subarray(0, at), head, chunk, tail, FILE.subarray(at + 12 + view.getUint32(at))]),
  )
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

describe('PNG files', () => {
  it('come back as they were written', () => {
    expect(decodePng(FILE)).toEqual({ width: 3, height: 2, pixels: PIXELS })
  })

  it('that are damaged, or claim to be huge, are refused', () => {
    expect(reasonOf(FILE.subarray(0, 10))).toMatch(/no PNG/)
    expect(reasonOf(FILE.subarray(0, 40))).toMatch(/cannot be decoded/)
    // Two rows of a filter byte and three pixels of four bytes.
    const rows = new Uint8Array(2 * (1 + 3 * 4))
    expect(reasonOf(withData(deflateSync(rows)))).toBe('an image')
    expect(reasonOf(withData(Uint8Array.of(1, 2, 3, 4, 5, 6, 7)))).toMatch(/do not inflate/)
    expect(reasonOf(withData(deflateSync(rows).subarray(0, 6)))).toMatch(/do not inflate/)
    expect(reasonOf(withData(deflateSync(rows.subarray(1))))).toMatch(/have 25 bytes, its header asks for 26/)
    expect(reasonOf(withData(deflateSync(new Uint8Array(1 << 20))))).toMatch(/do not inflate/)
    const huge = FILE.slice()
    new DataView(huge.buffer).setUint32(16, 0x7fffffff)
    expect(reasonOf(huge)).toMatch(/at most 16384/)
  })
})
