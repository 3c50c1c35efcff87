/** What is wrong with a PNG file, before its pixels are decoded (PNG specification, third edition). */
import { Unzlib } from 'fflate'
import { latin1 } from '../../dxbc/index.ts'

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
/** Signature and header chunk. */
const LEAST_BYTES = 33
/** The largest texture is 16384 a side, so no larger image can be used. */
const MAX_EXTENT = 16384
/** Length, name and checksum of a chunk. */
const CHUNK_BYTES = 12

export const COLOR_TYPE = { gray: 0, color: 2, palette: 3, grayAlpha: 4, colorAlpha: 6 } as const

/** Samples of a pixel by color type. */
const SAMPLES: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }
/** Bits of a sample that a color type may have. */
const DEPTHS: Readonly<Record<number, readonly number[]>> = {
  0: [1, 2, 4, 8, 16],
  2: [8, 16],
  3: [1, 2, 4, 8],
  4: [8, 16],
  6: [8, 16],
}
/** First column and row, and steps, of the seven passes of an interlaced image (8.1). */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const

export interface Header {
  readonly width: number
  readonly height: number
  /** Bits of a sample. */
  readonly depth: number
  readonly colorType: number
  /** Bytes that the data must inflate to: for each row its filter type and its pixels. */
  readonly byteLength: number
}

function rowsLength(width: number, height: number, bitsPerPixel: number): number {
  return width === 0 ? 0 : height * (1 + Math.ceil((width * bitsPerPixel) / 8))
}

function interlacedLength(width: number, height: number, bitsPerPixel: number): number {
  return PASSES.reduce((sum, [x, y, dx, dy]) => {
    const [columns, rows] = [Math.ceil((width - x) / dx), Math.ceil((height - y) / dy)]
    return sum + rowsLength(Math.max(0, columns), Math.max(0, rows), bitsPerPixel)
  }, 0)
}

/** What the header states; a sentence where that is no image that a texture could hold. */
export function readHeader(bytes: Uint8Array): Header | string {
  if (bytes.length < LEAST_BYTES || SIGNATURE.some((b, i) => bytes[i] !== b)) return 'it is no PNG file'
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const [width, height] = [view.getUint32(16), view.getUint32(20)]
  const [depth, colorType, interlace] = [bytes[24]!, bytes[25]!, bytes[28]!]
  if (Math.max(width, height) > MAX_EXTENT) {
    return `it has ${width} x ${height} pixels; a texture has at most ${MAX_EXTENT} a side`
  }
  const isKnown = DEPTHS[colorType]?.includes(depth) === true && interlace <= 1
  if (width === 0 || height === 0 || !isKnown) return 'it cannot be decoded: its header makes no sense'
  if (interlace === 1 && depth < 8) {
    return `it is interlaced with ${depth} bits a sample, which is not read: save it without interlacing or with 8 bits`
  }
  const bits = SAMPLES[colorType]! * depth
  const byteLength = (interlace === 0 ? rowsLength : interlacedLength)(width, height, bits)
  return { width, height, depth, colorType, byteLength }
}

const NEEDED: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])

/** A PNG file as the chunks that pixels are made from; others, such as texts and color profiles, are left out. */
interface NeededChunks {
  readonly file: Uint8Array
  /** The contents of the IDAT chunks. */
  readonly data: readonly Uint8Array[]
}

/** The chunks that pixels are made from; a sentence where the file is cut short. */
export function neededChunks(bytes: Uint8Array): NeededChunks | string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const kept = [bytes.subarray(0, SIGNATURE.length)]
  const data: Uint8Array[] = []
  for (let at = SIGNATURE.length; at + CHUNK_BYTES <= bytes.length; ) {
    const end = at + CHUNK_BYTES + view.getUint32(at)
    if (end > bytes.length) return `it ends at byte ${bytes.length}, inside the chunk that begins at byte ${at}`
    const name = latin1(bytes.subarray(at + 4, at + 8))
    if (NEEDED.has(name)) kept.push(bytes.subarray(at, end))
    if (name === 'IDAT') data.push(bytes.subarray(at + 8, end - 4))
    if (name === 'IEND') return { file: joined(kept), data }
    at = end
  }
  return 'it ends without an IEND chunk'
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, p) => sum + p.length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** Compressed bytes that are inflated at a time: they become at most a thousand times as many. */
const PART = 4096

/** Why the data are not those of the image that the header states; undefined where they are. */
export function dataFault({ data }: NeededChunks, { byteLength }: Header): string | undefined {
  let found = 0
  const inflate = new Unzlib((part) => {
    found += part.length
  })
  try {
    for (const chunk of data) {
      for (let at = 0; at < chunk.length && found <= byteLength; at += PART) inflate.push(chunk.slice(at, at + PART))
    }
    if (found <= byteLength) inflate.push(new Uint8Array(0), true)
  } catch (e) {
    return `its data do not inflate (${(e as Error).message})`
  }
  if (found > byteLength) return `its data have more than the ${byteLength} bytes that its header requires`
  return found < byteLength ? `its data have ${found} bytes, its header requires ${byteLength}` : undefined
}
