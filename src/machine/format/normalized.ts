import { bitsOfF32, f32OfBits } from './float-bits.ts'

const fround = Math.fround

/** UNORM to float32: `c / (2^n - 1)`, correctly rounded (functional spec 3.2.3.2, 3.2.3.5). n up to 24. */
export function unormToFloat(code: number, bitCount: number): number {
  // Both are exact as float32, and a double quotient rounded to float32 is the correctly rounded float32 quotient.
  return fround(code / (2 ** bitCount - 1))
}

/** SNORM code, sign-extended, to float32: the two lowest codes are both -1 (3.2.3.3). */
export function snormToFloat(code: number, bitCount: number): number {
  const scale = 2 ** (bitCount - 1) - 1
  return code < -scale ? -1 : fround(code / scale)
}

/**
 * Float32 to UNORM: clamp, scale (rounded to float32), then to nearest with halves up; NaN is 0 (3.2.3.6). The half is added
 * exactly: in float32 the number just below a half would be rounded to the next code.
 */
export function floatToUnorm(value: number, bitCount: number): number {
  const clamped = value > 0 ? Math.min(value, 1) : 0
  return Math.floor(fround(clamped * (2 ** bitCount - 1)) + 0.5)
}

/** Float32 to SNORM, as floatToUnorm with the half away from zero; never the lowest code (3.2.3.4). */
export function floatToSnorm(value: number, bitCount: number): number {
  if (Number.isNaN(value)) return 0
  const clamped = Math.max(-1, Math.min(value, 1))
  const scaled = fround(clamped * (2 ** (bitCount - 1) - 1))
  return Math.trunc(scaled >= 0 ? scaled + 0.5 : scaled - 0.5)
}

/** The ideal sRGB to linear curve (3.2.3.7), on 0 to 1. */
function linearOfSrgb(c: number): number {
  return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4
}

/** Linear float32 of each 8-bit sRGB code. */
export const SRGB8_TO_FLOAT: Float32Array = Float32Array.from({ length: 256 }, (_, code) => linearOfSrgb(code / 255))

/** The least float32 that is not below a positive number. */
function roundedUp(value: number): number {
  const nearest = fround(value)
  return nearest >= value ? nearest : f32OfBits(bitsOfF32(nearest) + 1)
}

/**
 * The least linear float32 of each 8-bit sRGB code: the first behind the place where the ideal curve (3.2.3.8) crosses a
 * half. A search in this table is the ideal conversion without a power function, the same on every host.
 */
const SRGB8_FROM: Float32Array = Float32Array.from({ length: 256 }, (_, code) =>
  code === 0 ? 0 : roundedUp(linearOfSrgb((code - 0.5) / 255)),
)

/** The codes of numbers from 0 to 1 that rise, in one pass over the table: every process that loads the library waits for it. */
function codesOf(count: number, numberOf: (i: number) => number): Uint8Array {
  let code = 0
  return Uint8Array.from({ length: count }, (_, i) => {
    const number = numberOf(i)
    while (code < 255 && number >= SRGB8_FROM[code + 1]!) code++
    return code
  })
}

/** Codes from which the search for a linear value starts: that of the next smaller multiple of 1 / 4096. */
const SRGB8_START = codesOf(4097, (i) => i / 4096)

/** Float32 numbers from here to 1 are of all codes but the first, which takes those below too. */
export const SRGB8_LEAST_BITS = 0x39000000
const ONE_BITS = 0x3f800000

/**
 * By the upper half of a float32's bits, from that of SRGB8_LEAST_BITS on: the code of the least number with it in the upper half of a
 * word, and below what carries into it once the lower half of the bits reaches the next code. No two codes begin in one of these
 * intervals, since they are a 128th of a power of two.
 */
function srgb8Steps(): Uint32Array {
  const count = ((ONE_BITS - SRGB8_LEAST_BITS) >>> 16) + 1
  const firstOf = (i: number): number => SRGB8_LEAST_BITS + i * 0x10000
  return Uint32Array.from(
    codesOf(count, (i) => f32OfBits(firstOf(i))),
    (code, i) => {
      const first = firstOf(i)
      const next = code < 255 ? bitsOfF32(SRGB8_FROM[code + 1]!) - first : 0x10000
      return code * 0x10000 + (next < 0x10000 ? 0x10000 - next : 0)
    },
  )
}

/** The same tables as words, for code that converts: the linear float32 of each code, and codes by the bits of linear numbers. */
export const SRGB8_TABLES: { readonly linear: Uint32Array; readonly steps: Uint32Array } = {
  linear: new Uint32Array(SRGB8_TO_FLOAT.buffer),
  steps: srgb8Steps(),
}

/** Float32 to 8-bit sRGB; NaN is 0, beyond 0 to 1 is clamped (3.2.3.8). */
export function floatToSrgb8(value: number): number {
  if (!(value > 0)) return 0
  if (value >= 1) return 255
  let code = SRGB8_START[(value * 4096) | 0]!
  while (value >= SRGB8_FROM[code + 1]!) code++
  return code
}

/** XR_BIAS: 10 bits where 0x180 is 0.0 and 510 steps make 1.0 (DXGI's extended range, -0.7529 to 1.2529). */
export function xrBiasToFloat(code: number): number {
  return fround((code - 0x180) / 510)
}
/** Float32 to XR_BIAS, clamped to its range; NaN is 0.0. */
export function floatToXrBias(value: number): number {
  const v = Number.isNaN(value) ? 0 : value
  const scaled = fround(fround(v * 510) + 384.5)
  return scaled < 0 ? 0 : scaled >= 1023 ? 1023 : Math.trunc(scaled)
}

/** One component of R9G9B9E5: nine bits with no hidden one, times 2^(e-15-9) (19.3.2.1). Exact. */
export function sharedExponentToFloat(mantissa: number, exponent: number): number {
  return mantissa * 2 ** (exponent - 24)
}

const SHARED_MAX = 65408

/** Clamp of FLOAT to RGBE: no negative numbers, no infinities, NaN is 0 (19.3.2.2). */
function clampShared(value: number): number {
  return value > 0 ? Math.min(value, SHARED_MAX) : 0
}

function roundEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor
}

/** Three float32 as R9G9B9E5, the largest component's exponent shared, mantissas to nearest even (19.3.2.2). */
export function floatsToSharedExponent(r: number, g: number, b: number): number {
  const [cr, cg, cb] = [clampShared(r), clampShared(g), clampShared(b)]
  const max = Math.max(cr, cg, cb)
  if (max === 0) return 0
  // exponent of 0.1xxx * 2^e form: one above that of 1.xxx * 2^e.
  let exponent = Math.max(-16, Math.floor(Math.log2(max))) + 1
  if (roundEven(max / 2 ** (exponent - 9)) > 511) exponent++
  const scale = 2 ** (exponent - 9)
  const code = (v: number): number => Math.min(511, roundEven(v / scale))
  return (code(cr) | (code(cg) << 9) | (code(cb) << 18) | ((exponent + 15) << 27)) >>> 0
}
