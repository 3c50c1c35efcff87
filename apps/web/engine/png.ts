/** PNG files in a page: all color types and depths, the interlaced too (PNG specification, second edition). */
import { unzlibSync, zlibSync } from 'fflate'
import type { HostFailure, Image } from '../../../src/job/index.ts'

const SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]
const MAX_EXTENT = 16384
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
/** First column and row, and steps, of the passes of an interlaced image (8.2), and of the only pass of others. */
const PASSES = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const
const ONE_PASS = [[0, 0, 1, 1]] as const

interface Header {
  readonly width: number
  readonly height: number
  readonly bits: number
  readonly colorType: number
  readonly isInterlaced: boolean
}

interface Chunks {
  readonly data: Uint8Array
  readonly palette: Uint8Array | undefined
  readonly transparency: Uint8Array | undefined
}

function headerOf(bytes: Uint8Array): Header | string {
  if (bytes.length < 33 || SIGNATURE.some((b, i) => bytes[i] !== b)) return 'it is no PNG file'
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  const [width, height, bits, colorType] = [view.getUint32(16), view.getUint32(20), bytes[24]!, bytes[25]!]
  if (Math.max(width, height) > MAX_EXTENT)
    return `it has ${width} x ${height} pixels; a texture has at most ${MAX_EXTENT} a side`
  const isKnown = DEPTHS[colorType]?.includes(bits) === true && bytes[28]! <= 1
  if (width === 0 || height === 0 || !isKnown) return 'it cannot be decoded: its header makes no sense'
  return { width, height, bits, colorType, isInterlaced: bytes[28] === 1 }
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

function chunksOf(bytes: Uint8Array): Chunks {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const data: Uint8Array[] = []
  const others = new Map<string, Uint8Array>()
  for (let at = SIGNATURE.length; at + 12 <= bytes.length; ) {
    const end = at + 8 + view.getUint32(at)
    const name = String.fromCharCode(...bytes.subarray(at + 4, at + 8))
    const content = bytes.subarray(at + 8, end)
    if (name === 'IDAT') data.push(content)
    else others.set(name, content)
    at = end + 4
  }
  return { data: joined(data), palette: others.get('PLTE'), transparency: others.get('tRNS') }
}

function paeth(a: number, b: number, c: number): number {
  const p = a + b - c
  const [pa, pb, pc] = [Math.abs(p - a), Math.abs(p - b), Math.abs(p - c)]
  return pa <= pb && pa <= pc ? a : pb <= pc ? b : c
}

/** Undoes the filter of a row (9.2), in place; `above` is the row before, or zeros. */
function unfilter(type: number, row: Uint8Array, above: Uint8Array, step: number): boolean {
  if (type > 4) return false
  for (let i = 0; i < row.length; i++) {
    const [a, b, c] = [row[i - step] ?? 0, above[i]!, i < step ? 0 : above[i - step]!]
    const add = type === 0 ? 0 : type === 1 ? a : type === 2 ? b : type === 3 ? (a + b) >> 1 : paeth(a, b, c)
    row[i] = (row[i]! + add) & 0xff
  }
  return true
}

/** Sample `i` of a row. */
function sampleAt(row: Uint8Array, i: number, bits: number): number {
  if (bits === 8) return row[i]!
  if (bits === 16) return (row[2 * i]! << 8) | row[2 * i + 1]!
  const at = i * bits
  return (row[at >> 3]! >> (8 - bits - (at & 7))) & ((1 << bits) - 1)
}

/** The color of a pixel as RGBA in the range of the output. */
function pixelReader(h: Header, { palette, transparency }: Chunks): (row: Uint8Array, x: number) => readonly number[] {
  const { bits, colorType } = h
  const greatest = bits === 16 ? 0xffff : 0xff
  const scale = bits < 8 ? 255 / ((1 << bits) - 1) : 1
  const key =
    transparency &&
    Array.from({ length: transparency.length >> 1 }, (_, i) => (transparency[2 * i]! << 8) | transparency[2 * i + 1]!)
  return (row, x) => {
    const s = (i: number): number => sampleAt(row, x * SAMPLES[colorType]! + i, bits)
    switch (colorType) {
      case 0: {
        const gray = s(0)
        return [gray * scale, gray * scale, gray * scale, key?.[0] === gray ? 0 : greatest]
      }
      case 2: {
        const rgb = [s(0), s(1), s(2)]
        const isKey = key !== undefined && rgb.every((v, i) => v === key[i])
        return [...rgb, isKey ? 0 : greatest]
      }
      case 3: {
        const at = s(0)
        return [
          palette?.[3 * at] ?? 0,
          palette?.[3 * at + 1] ?? 0,
          palette?.[3 * at + 2] ?? 0,
          transparency?.[at] ?? 255,
        ]
      }
      case 4:
        return [s(0), s(0), s(0), s(1)]
      default:
        return [s(0), s(1), s(2), s(3)]
    }
  }
}

interface Pass {
  readonly x: number
  readonly y: number
  readonly stepX: number
  readonly stepY: number
  readonly columns: number
  readonly rows: number
  readonly rowBytes: number
}

function passesOf(h: Header): readonly Pass[] {
  const all = h.isInterlaced ? PASSES : ONE_PASS
  return all.flatMap(([x, y, stepX, stepY]) => {
    const [columns, rows] = [Math.ceil((h.width - x) / stepX), Math.ceil((h.height - y) / stepY)]
    if (columns <= 0 || rows <= 0) return []
    return { x, y, stepX, stepY, columns, rows, rowBytes: Math.ceil((columns * SAMPLES[h.colorType]! * h.bits) / 8) }
  })
}

/** A PNG file's pixels, or why there are none. */
export function decodePng(bytes: Uint8Array): Image | HostFailure {
  const header = headerOf(bytes)
  if (typeof header === 'string') return { reason: header }
  const { width, height, bits } = header
  const chunks = chunksOf(bytes)
  const passes = passesOf(header)
  const wanted = passes.reduce((sum, p) => sum + p.rows * (1 + p.rowBytes), 0)
  let raw: Uint8Array
  try {
    // One byte more than it should be, so that longer data are noticed and never kept.
    raw = unzlibSync(chunks.data, { out: new Uint8Array(wanted + 1) })
  } catch (e) {
    return { reason: `it cannot be decoded: its data do not inflate (${e instanceof Error ? e.message : e})` }
  }
  if (raw.length !== wanted) {
    return { reason: `it cannot be decoded: its data have ${raw.length} bytes, its header asks for ${wanted}` }
  }
  const pixels = bits === 16 ? new Uint16Array(width * height * 4) : new Uint8Array(width * height * 4)
  const read = pixelReader(header, chunks)
  const step = Math.max(1, (SAMPLES[header.colorType]! * bits) >> 3)
  let at = 0
  for (const p of passes) {
    let above: Uint8Array = new Uint8Array(p.rowBytes)
    for (let r = 0; r < p.rows; r++) {
      const row = raw.subarray(at + 1, at + 1 + p.rowBytes)
      if (!unfilter(raw[at]!, row, above, step))
        return { reason: 'it cannot be decoded: a row has no filter that exists' }
      const base = (p.y + r * p.stepY) * width + p.x
      for (let c = 0; c < p.columns; c++) pixels.set(read(row, c), (base + c * p.stepX) * 4)
      above = row
      at += 1 + p.rowBytes
    }
  }
  return { width, height, pixels }
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let k = 0; k < 8; k++) c = (c & 1) !== 0 ? 0xedb88320 ^ (c >>> 1) : c >>> 1
  return c
})

function crcOf(bytes: Uint8Array): number {
  let c = 0xffffffff
  for (const b of bytes) c = CRC_TABLE[(c ^ b) & 0xff]! ^ (c >>> 8)
  return (c ^ 0xffffffff) >>> 0
}

function chunk(name: string, content: Uint8Array): Uint8Array {
  const out = new Uint8Array(content.length + 12)
  const view = new DataView(out.buffer)
  view.setUint32(0, content.length)
  for (let i = 0; i < 4; i++) out[4 + i] = name.charCodeAt(i)
  out.set(content, 8)
  view.setUint32(8 + content.length, crcOf(out.subarray(4, 8 + content.length)))
  return out
}

/** A PNG file of an image, of 16 bits where its pixels have them. */
export function encodePng({ width, height, pixels }: Image): Uint8Array {
  const bytesPerPixel = 4 * pixels.BYTES_PER_ELEMENT
  const rowBytes = width * bytesPerPixel
  const raw = new Uint8Array(height * (1 + rowBytes))
  const view = new DataView(raw.buffer)
  for (let y = 0; y < height; y++) {
    for (let i = 0; i < width * 4; i++) {
      const value = pixels[y * width * 4 + i]!
      const at = y * (1 + rowBytes) + 1 + i * pixels.BYTES_PER_ELEMENT
      if (pixels.BYTES_PER_ELEMENT === 1) raw[at] = value
      else view.setUint16(at, value)
    }
  }
  const header = new Uint8Array(13)
  const headerView = new DataView(header.buffer)
  headerView.setUint32(0, width)
  headerView.setUint32(4, height)
  header.set([8 * pixels.BYTES_PER_ELEMENT, 6, 0, 0, 0], 8)
  return joined([
    Uint8Array.from(SIGNATURE),
    chunk('IHDR', header),
    chunk('IDAT', zlibSync(raw)),
    chunk('IEND', new Uint8Array()),
  ])
}
