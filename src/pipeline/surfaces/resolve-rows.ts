import type { ElementKernels } from '../../engine/index.ts'
import { type Format, findFormat } from '../../isa/formats/index.ts'
import { decodeTable, type Storage } from '../../machine/index.ts'
import { componentCode, createElement, type FormatField, fieldsOf } from '../merge/index.ts'
import { PIXELS_AT_ONCE, resolveCode, SAMPLES } from './resolve-program.ts'
import type { RowRunner } from './row-runner.ts'

/**
 * Means of the samples of a row of pixels, component by component. UNORM and SNORM are averaged exactly, halves away from zero;
 * sRGB in linear space and floats as an average in a shader, each sum rounded to float32.
 */

/** Elements of 1, 2 or 4 bytes; wider ones are several. */
type Elements = Uint8Array | Uint16Array | Uint32Array

/** Resolves a row: the first element of the samples, the first that is written, and pixels. */
type RowResolver = (from: number, to: number, width: number) => void

interface Row {
  readonly source: Elements
  readonly target: Elements
  /** Elements of a sample. */
  readonly size: number
  readonly sampleCount: number
}

const QUIET_NAN = 0x7fc00000

const maskOf = (bitCount: number): number => (bitCount === 32 ? -1 : (1 << bitCount) - 1)

/** Fixed-point components: sums of at most 16 codes of 16 bits. */
function integerResolver({ source, target, size, sampleCount }: Row, field: FormatField): RowResolver {
  const { word, shift, bitCount } = field
  const isSigned = field.source.encoding === 'snorm'
  const mask = maskOf(bitCount)
  const kept = ~(mask << shift)
  const [up, down] = [32 - shift - bitCount, 32 - bitCount]
  const least = -(2 ** (bitCount - 1)) + 1
  // Sample counts are powers of two.
  const half = sampleCount >> 1
  const power = 31 - Math.clz32(sampleCount)
  return (from, to, width) => {
    let at = from + word
    for (let x = 0; x < width; x++) {
      let sum = 0
      for (let sample = 0; sample < sampleCount; sample++) {
        const bits = source[at]!
        at += size
        if (isSigned) sum += Math.max(least, (bits << up) >> down)
        else sum += (bits >>> shift) & mask
      }
      const mean = sum < 0 ? -((half - sum) >> power) : (sum + half) >> power
      const place = to + x * size + word
      target[place] = (target[place]! & kept) | ((mean & mask) << shift)
    }
  }
}

/** Components that are averaged as numbers. */
function floatResolver({ source, target, size, sampleCount }: Row, field: FormatField): RowResolver {
  const { word, shift, bitCount } = field
  const { encoding } = field.source
  const mask = maskOf(bitCount)
  const kept = ~(mask << shift)
  const values =
    bitCount === 32
      ? new Float32Array(source.buffer, source.byteOffset, source.length)
      : new Float32Array(decodeTable(encoding, bitCount).buffer)
  const element = createElement()
  const { floats, bits } = element
  const code = componentCode(field.source)
  return (from, to, width) => {
    let at = from + word
    for (let x = 0; x < width; x++) {
      let sum = 0
      for (let sample = 0; sample < sampleCount; sample++) {
        const value = values[bitCount === 32 ? at : (source[at]! >>> shift) & mask]!
        sum = Math.fround(sum + value)
        at += size
      }
      if (!Number.isNaN(sum)) floats[0] = sum / sampleCount
      else bits[0] = QUIET_NAN
      const place = to + x * size + word
      target[place] = (target[place]! & kept) | (code(element, 0) << shift)
    }
  }
}

/** Four components of 8 bits: two sums in a word, which do not meet. */
const PAIR = 0xff00ff

function bytesResolver({ source, target, sampleCount }: Row): RowResolver {
  const half = (sampleCount >> 1) * 0x10001
  const power = 31 - Math.clz32(sampleCount)
  return (from, to, width) => {
    let at = from
    for (let x = 0; x < width; x++) {
      let even = half
      let odd = half
      for (let sample = 0; sample < sampleCount; sample++) {
        const bits = source[at++]!
        even += bits & PAIR
        odd += (bits >>> 8) & PAIR
      }
      target[to + x] = ((even >>> power) & PAIR) | (((odd >>> power) & PAIR) << 8)
    }
  }
}

/** The same of four samples, which are alike in most pixels. */
function fourBytesResolver({ source, target }: Row): RowResolver {
  const samples = new Int32Array(source.buffer, source.byteOffset, source.length)
  return (from, to, width) => {
    for (let x = 0, at = from; x < width; x++, at += 4) {
      const a = samples[at]!
      const b = samples[at + 1]!
      const c = samples[at + 2]!
      const d = samples[at + 3]!
      if (((a ^ b) | (a ^ c) | (a ^ d)) === 0) {
        target[to + x] = a
        continue
      }
      const even = (a & PAIR) + (b & PAIR) + (c & PAIR) + (d & PAIR) + 0x20002
      const odd = ((a >>> 8) & PAIR) + ((b >>> 8) & PAIR) + ((c >>> 8) & PAIR) + ((d >>> 8) & PAIR) + 0x20002
      target[to + x] = ((even >>> 2) & PAIR) | (((odd >>> 2) & PAIR) << 8)
    }
  }
}

const isFixedPoint = ({ source: { encoding } }: FormatField): boolean => encoding === 'unorm' || encoding === 'snorm'

/** The elements that a storage is resolved as. */
function elementsOf({ blockByteLength }: Format, { bytes, halves, words }: Storage): Elements {
  return blockByteLength === 1 ? bytes : blockByteLength === 2 ? halves : words
}

/** Four components of 8 bits. */
const areBytes = (fields: readonly FormatField[]): boolean =>
  fields.length === 4 && fields.every((f) => f.source.encoding === 'unorm' && f.bitCount === 8)

/** Resolves a row of pixels from one byte to another. */
function rowResolver(format: Format, from: Storage, to: Storage, sampleCount: number): RowResolver {
  const unit = Math.min(format.blockByteLength, 4)
  const size = format.blockByteLength / unit
  const row: Row = { source: elementsOf(format, from), target: elementsOf(format, to), size, sampleCount }
  const fields = fieldsOf(format)
  const parts = areBytes(fields)
    ? [sampleCount === 4 ? fourBytesResolver(row) : bytesResolver(row)]
    : fields.map((field) => (isFixedPoint(field) ? integerResolver(row, field) : floatResolver(row, field)))
  return (source, target, width) => {
    for (const resolve of parts) resolve(source / unit, target / unit, width)
  }
}

/** Pixels of one subresource that are resolved into another. */
export interface ResolveTask {
  readonly kind: 'resolve'
  readonly format: string
  readonly sampleCount: number
  readonly width: number
  readonly from: RowPlaces
  readonly to: RowPlaces
}

interface RowPlaces {
  readonly byteOffset: number
  readonly rowPitch: number
}

export function resolveRows(
  { format: name, sampleCount, width, from, to }: ResolveTask,
  storages: readonly Storage[],
  kernels: ElementKernels | undefined,
): RowRunner {
  const [a, b] = storages as readonly [Storage, Storage]
  const format = findFormat(name)!
  const resolveRow = rowResolver(format, a, b, sampleCount)
  const whole = width - (width % PIXELS_AT_ONCE)
  const hasCode = sampleCount === SAMPLES && areBytes(fieldsOf(format)) && whole > 0
  const rowsOf = (s: Storage, { byteOffset, rowPitch }: RowPlaces, y: number): RowPlaces => ({
    byteOffset: s.byteOffset + byteOffset + y * rowPitch,
    rowPitch,
  })
  return (first, end) => {
    const code = hasCode ? resolveCode(kernels, storages, width * (end - first)) : undefined
    const done = code?.(rowsOf(a, from, first), rowsOf(b, to, first), end - first, whole) === true ? whole : 0
    if (done === width) return
    const [source, target] = [from.byteOffset + done * SAMPLES * 4, to.byteOffset + done * 4]
    for (let y = first; y < end; y++) {
      resolveRow(source + y * from.rowPitch, target + y * to.rowPitch, width - done)
    }
  }
}
