/**
 * Numbers and formats by exact arithmetic: what tests of the output merger compare with. Written from the functional
 * specification (3.1, 3.2, 19.1) with BigInt and searches, and without any code of the project but the names of formats.
 */
import type { Format, FormatComponent } from '../../src/isa/formats/index.ts'

const VIEW = new DataView(new ArrayBuffer(8))

export function wordOf(value: number): number {
  VIEW.setFloat32(0, value)
  return VIEW.getInt32(0)
}
export function floatOf(word: number): number {
  VIEW.setInt32(0, word)
  return VIEW.getFloat32(0)
}

/** A finite double as `m * 2^e`. */
export interface Dyadic {
  readonly m: bigint
  readonly e: number
}
export function dyadic(value: number): Dyadic {
  VIEW.setFloat64(0, value)
  const high = VIEW.getUint32(0)
  const exponent = (high >>> 20) & 0x7ff
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(VIEW.getUint32(4))
  const m = exponent === 0 ? fraction : fraction | (1n << 52n)
  return { m: high >>> 31 === 1 ? -m : m, e: Math.max(exponent, 1) - 1075 }
}

/** `numerator / denominator` towards negative infinity. */
function floorDivide(numerator: bigint, denominator: bigint): bigint {
  const q = numerator / denominator
  return numerator % denominator !== 0n && numerator < 0n ? q - 1n : q
}

/** floor(value * scale + 1/2) of a finite number, exactly. */
export function roundHalfUp(value: number, scale: number): number {
  const { m, e } = dyadic(value)
  const numerator = 2n * m * BigInt(scale)
  return Number(
    e >= 0
      ? floorDivide((numerator << BigInt(e)) + 1n, 2n)
      : floorDivide(numerator + (1n << BigInt(-e)), 1n << BigInt(1 - e)),
  )
}

function bitLength(n: bigint): number {
  const digits = n.toString(16)
  return 4 * digits.length - Math.clz32(Number.parseInt(digits[0]!, 16)) + 28
}

/** A dyadic number as float32, to nearest even, denormals flushed to zero of the sign; `m` is not 0. */
function toFloat32({ m, e }: Dyadic): number {
  const negative = m < 0n
  let magnitude = negative ? -m : m
  let exponent = e
  const excess = Math.max(bitLength(magnitude) - 24, -149 - e)
  if (excess > 0) {
    const cut = 1n << BigInt(excess)
    const rest = magnitude % cut
    magnitude /= cut
    exponent += excess
    if (2n * rest > cut || (2n * rest === cut && magnitude % 2n === 1n)) magnitude += 1n
  }
  const value = Number(magnitude) * 2 ** exponent
  const rounded = value < 2 ** -126 ? 0 : value >= 2 ** 128 ? Infinity : value
  return negative ? -rounded : rounded
}

const flushed = (v: number): number => (v !== 0 && Math.abs(v) < 2 ** -126 ? (v < 0 ? -0 : 0) : v)

/** float32 product and sum under the rules of 3.1: one rounding, denormals are zeros on the way in and out. */
export function exactMul(x: number, y: number): number {
  const [a, b] = [flushed(x), flushed(y)]
  if (!Number.isFinite(a) || !Number.isFinite(b) || a === 0 || b === 0) return a * b
  const [p, q] = [dyadic(a), dyadic(b)]
  return toFloat32({ m: p.m * q.m, e: p.e + q.e })
}
export function exactAdd(x: number, y: number): number {
  const [a, b] = [flushed(x), flushed(y)]
  if (!Number.isFinite(a) || !Number.isFinite(b) || a === 0 || b === 0) return a + b
  const [p, q] = [dyadic(a), dyadic(b)]
  const e = Math.min(p.e, q.e)
  const m = (p.m << BigInt(p.e - e)) + (q.m << BigInt(q.e - e))
  return m === 0n ? 0 : toFloat32({ m, e })
}
/** minimumNumber and maximumNumber: a number wins over NaN, zeros are ordered by sign. */
export function exactMin(x: number, y: number): number {
  const [a, b] = [flushed(x), flushed(y)]
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? b : a
  if (a === b) return Object.is(a, -0) ? a : b
  return a < b ? a : b
}
export function exactMax(x: number, y: number): number {
  const [a, b] = [flushed(x), flushed(y)]
  if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) ? b : a
  if (a === b) return Object.is(a, -0) ? b : a
  return a > b ? a : b
}

/** Value of a small float with 5 bits of exponent: 3.1.5 and 3.1.6 spelled out. */
export function smallFloatValue(code: number, fractionBits: number): number {
  const exponent = (code >>> fractionBits) & 31
  const fraction = (code & (2 ** fractionBits - 1)) / 2 ** fractionBits
  if (exponent === 31) return fraction === 0 ? Infinity : NaN
  return exponent === 0 ? 2 ** -14 * fraction : 2 ** (exponent - 15) * (1 + fraction)
}

const FINITE: Readonly<Record<number, number[]>> = Object.fromEntries(
  [5, 6, 10].map((bits) => [bits, Array.from({ length: 31 << bits }, (_, code) => smallFloatValue(code, bits))]),
)

/** The largest code whose value is not above `magnitude`: towards zero, the largest finite one at the end. */
function smallFloatCode(magnitude: number, fractionBits: number): number {
  if (magnitude === Infinity) return 31 << fractionBits
  const values = FINITE[fractionBits]!
  let low = 0
  let high = values.length
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (values[middle]! <= magnitude) low = middle
    else high = middle
  }
  return low
}

export const srgbOf = (linear: number): number =>
  linear <= 0.0031308 ? linear * 12.92 : 1.055 * linear ** (1 / 2.4) - 0.055
const linearOf = (srgb: number): number => (srgb <= 0.04045 ? srgb / 12.92 : ((srgb + 0.055) / 1.055) ** 2.4)

/** What a register gets of a code: float32 numbers, or integers. */
export function componentValue({ encoding, bitCount: n }: FormatComponent, code: number): number {
  const signed = code >= 2 ** (n - 1) ? code - 2 ** n : code
  switch (encoding) {
    case 'unorm':
      return Math.fround(code / (2 ** n - 1))
    case 'snorm':
      return Math.fround(Math.max(-1, signed / (2 ** (n - 1) - 1)))
    case 'unorm-srgb':
      return Math.fround(linearOf(code / 255))
    case 'float':
      if (n === 32) return floatOf(code)
      return n === 16 && code >= 0x8000
        ? -smallFloatValue(code & 0x7fff, 10)
        : smallFloatValue(code, n === 10 ? 5 : n === 11 ? 6 : 10)
    case 'sint':
      return signed
    default:
      return code
  }
}

/** Codes that a float32 number (a word, for integers) may become; more than one only next to a tie of the sRGB curve. */
export function acceptedCodes(component: FormatComponent, word: number): number[] {
  const { encoding, bitCount: n } = component
  const value = floatOf(word)
  const limited = Number.isNaN(value) ? 0 : Math.min(1, value)
  switch (encoding) {
    case 'unorm':
      return [roundHalfUp(Math.max(0, limited), 2 ** n - 1)]
    case 'snorm': {
      const magnitude = roundHalfUp(Math.min(1, Math.abs(limited)), 2 ** (n - 1) - 1)
      return [limited < 0 && magnitude > 0 ? 2 ** n - magnitude : magnitude]
    }
    case 'unorm-srgb': {
      const scaled = 255 * srgbOf(Math.max(0, limited))
      return [...new Set([Math.floor(scaled + 0.5 - 1e-9), Math.floor(scaled + 0.5 + 1e-9)])]
    }
    case 'float': {
      if (n === 32) return [word >>> 0]
      const fraction = n === 10 ? 5 : n === 11 ? 6 : 10
      if (n < 16) return value > 0 ? [smallFloatCode(value, fraction)] : [0]
      const sign = word < 0 ? 0x8000 : 0
      return [sign | smallFloatCode(Math.abs(value), fraction)]
    }
    case 'uint':
      return [Math.min(word >>> 0, 2 ** n - 1)]
    case 'sint': {
      const clamped = Math.max(-(2 ** (n - 1)), Math.min(2 ** (n - 1) - 1, word | 0))
      return [clamped < 0 ? clamped + 2 ** n : clamped]
    }
    default:
      return [0]
  }
}

/** Whether a stored code is a NaN of a float component. */
export function isNaNCode({ encoding, bitCount: n }: FormatComponent, code: number): boolean {
  if (encoding !== 'float') return false
  if (n === 32) return Number.isNaN(floatOf(code))
  const fraction = n === 10 ? 5 : n === 11 ? 6 : 10
  return ((code >>> fraction) & 31) === 31 && (code & (2 ** fraction - 1)) !== 0
}

/** Bits `offset` to `offset + count` of an element, as a number up to 2^32. */
export function bitsOfElement(bytes: Uint8Array, at: number, offset: number, count: number): number {
  let value = 0
  for (let bit = offset; bit < offset + count; ) {
    const taken = Math.min(8 - (bit % 8), offset + count - bit)
    const part = ((bytes[at + (bit >> 3)] ?? 0) >> (bit % 8)) % 2 ** taken
    value += part * 2 ** (bit - offset)
    bit += taken
  }
  return value
}

/** The component of a register (0 to 3) that a format holds, or undefined. */
export function componentOf(format: Format, c: number): FormatComponent | undefined {
  return format.components.find((x) => x.name === 'rgba'[c] && x.encoding !== 'typeless')
}
