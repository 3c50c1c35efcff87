/** PNG files for the host of run descriptions. The decoder passes over damage, so that the data are judged before it sees them. */
import { inflateSync } from 'node:zlib'
import { PNG } from 'pngjs'
import type { HostFailure, Image } from '../../job/index.ts'

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/** The largest texture is 16384 a side, so no larger image can be used. */
const MAX_EXTENT = 16384
/** Samples of a pixel by color type; other types there are none. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** First column and row, and steps, of the seven passes of an interlaced image (PNG specification, 8.2). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

interface Header {
  readonly width: number
  readonly height: number
  /** Bytes that the data must inflate to: for each row its filter type and its pixels. */
  readonly byteLength: number
}

function rowsLength(width: number, height: number, bitsPerPixel: number): number {
  return width === 0 ? 0 : height * (1 + Math.ceil((width * bitsPerPixel) / 8))
}

/** What the header states; a sentence where that is no image that a texture could hold. */
function readHeader(bytes: Uint8Array): Header | string {
  if (bytes.length < 33 || SIGNATURE.some((b, i) => bytes[i] !== b)) return 'it is no PNG file'
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  if (Math.max(width, height) > MAX_EXTENT) {
    return `it has ${width} x ${height} pixels; a texture has at most ${MAX_EXTENT} a side`
  }
  const samples = SAMPLES[bytes[25]!]
  if (width === 0 || height === 0 || samples === undefined) return 'it cannot be decoded: its header makes no sense'
  const bits = samples * bytes[24]!
  const byteLength =
    bytes[28] === 0
      ? rowsLength(width, height, bits)
      : PASSES.reduce((sum, [x, y, dx, dy]) => {
          const [columns, rows] = [Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)]
          return sum + rowsLength(Math.max(0, columns), Math.max(0, rows), bits)
        }, 0)
  return { width, height, byteLength }
}

/** The compressed data of all IDAT chunks. */
function imageData(bytes: Uint8Array): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const parts: Uint8Array[] = []
  for (let at = SIGNATURE.length; at + 12 <= bytes.length; ) {
    const end = at + 8 + view.getUint32(at)
    if (view.getUint32(at + 4) === 0x49444154) parts.push(bytes.subarray(at + 8, end))
    at = end + 4
  }
  return Buffer.concat(parts)
}

/** Why the data are not those of the image that the header states; undefined where they are. */
function damage(bytes: Uint8Array, header: Header): string | undefined {
  try {
    const inflated = inflateSync(imageData(bytes), { maxOutputLength: header.byteLength + 1 })
    if (inflated.length === header.byteLength) return undefined
    return `its data have ${inflated.length} bytes, its header asks for ${header.byteLength}`
  } catch (e) {
    return `its data do not inflate (${(e as Error).message})`
  }
}

/** Bits of a component, from the header. */
const bitsOf = (bytes: Uint8Array): number => bytes[24]!

/** Pixels of 16 bits: the decoder leaves them as words when it is asked not to scale. */
function wordsOf(bytes: Uint8Array): Uint16Array {
  const { data } = PNG.sync.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), { skipRescale: true })
  return Uint16Array.from(data)
}

/** A PNG file's pixels, or why there are none. */
export function decodePng(bytes: Uint8Array): Image | HostFailure {
  const header = readHeader(bytes)
  if (typeof header === 'string') return { reason: header }
  const wrong = damage(bytes, header)
  if (wrong !== undefined) return { reason: `it cannot be decoded: ${wrong}` }
  try {
    if (bitsOf(bytes) === 16) return { width: header.width, height: header.height, pixels: wordsOf(bytes) }
    const { width, height, data } = PNG.sync.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    return { width, height, pixels: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) }
  } catch (e) {
    return { reason: `it cannot be decoded: ${(e as Error).message}` }
  }
}

/** A PNG file of an image, of 16 bits where its pixels have them. */
export function encodePng({ width, height, pixels }: Image): Uint8Array {
  const png = new PNG({ width, height })
  if (pixels.BYTES_PER_ELEMENT === 1) {
    png.data.set(pixels)
    return new Uint8Array(PNG.sync.write(png))
  }
  png.data = Buffer.from(pixels.buffer, pixels.byteOffset, pixels.byteLength)
  return new Uint8Array(PNG.sync.write(png, { bitDepth: 16, colorType: 6, inputColorType: 6, inputHasAlpha: true }))
}
