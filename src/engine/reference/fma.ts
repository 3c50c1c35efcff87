/**
 * Fused multiply-add with one rounding, to nearest even, for doubles and floats held in JavaScript numbers.
 *
 * Rounding to odd (the inexact result gets its last bit set) before the final rounding keeps the final rounding right:
 * S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums", IEEE Transactions on Computers 57 (2008).
 */

const double = new Float64Array(1)
const doubleWords = new Int32Array(double.buffer)
/** Index of the low word of a double in `doubleWords`. */
export const LOW_WORD = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 0 : 1
const HIGH_WORD = 1 - LOW_WORD

/** `sum` + `error`, where `sum` is their nearest double, rounded to odd instead. */
function roundToOdd(sum: number, error: number): number {
  if (error === 0) return sum
  double[0] = sum
  const low = doubleWords[LOW_WORD]!
  if ((low & 1) !== 0) return sum
  if (error > 0 === sum > 0) {
    doubleWords[LOW_WORD] = low | 1
  } else {
    if (low === 0) doubleWords[HIGH_WORD] = doubleWords[HIGH_WORD]! - 1
    doubleWords[LOW_WORD] = low - 1
  }
  return double[0]!
}

/** What the double a + b lacks of the exact sum; exact unless the sum overflows. */
function sumError(a: number, b: number, sum: number): number {
  const part = sum - a
  return a - (sum - part) + (b - part)
}

/**
 * a * b + c of three float32 values, rounded once to float32 (which may be denormal). The product is exact in doubles.
 */
export function fusedMultiplyAddFloat(a: number, b: number, c: number): number {
  const product = a * b
  const sum = product + c
  if (!Number.isFinite(sum)) return Math.fround(sum)
  return Math.fround(roundToOdd(sum, sumError(product, c, sum)))
}

/** 2^27 + 1 splits a double into halves whose products are exact (Veltkamp). */
const SPLIT = 134217729

/** What the double a * b lacks of the exact product (Dekker); exact far from overflow and underflow. */
function productError(a: number, b: number, product: number): number {
  const aScaled = SPLIT * a
  const aHigh = aScaled - (aScaled - a)
  const aLow = a - aHigh
  const bScaled = SPLIT * b
  const bHigh = bScaled - (bScaled - b)
  const bLow = b - bHigh
  return aLow * bLow - (product - aHigh * bHigh - aLow * bHigh - aHigh * bLow)
}

/** Magnitudes between which no step of the fast way overflows or loses bits below the smallest double. */
const FACTOR_MIN = 2 ** -450
const FACTOR_MAX = 2 ** 450
const ADDEND_MIN = 2 ** -900
const ADDEND_MAX = 2 ** 900

const within = (x: number, min: number, max: number): boolean => x >= min && x <= max

/** a * b + c of doubles, rounded once. */
export function fusedMultiplyAdd(a: number, b: number, c: number): number {
  if (!Number.isFinite(a) || !Number.isFinite(b) || a === 0 || b === 0) return a * b + c
  if (!Number.isFinite(c)) return c
  const product = a * b
  if (c === 0) return product
  const fast =
    within(Math.abs(a), FACTOR_MIN, FACTOR_MAX) &&
    within(Math.abs(b), FACTOR_MIN, FACTOR_MAX) &&
    within(Math.abs(c), ADDEND_MIN, ADDEND_MAX)
  if (!fast) return multiplyAddExactly(a, b, c)
  const low = productError(a, b, product)
  const high = c + low
  const highError = sumError(c, low, high)
  const sum = product + high
  const error = sumError(product, high, sum)
  const tail = highError + error
  return sum + roundToOdd(tail, sumError(highError, error, tail))
}

interface Exact {
  /** Signed. */
  readonly significand: bigint
  readonly exponent: number
}

/** A finite double as significand * 2^exponent. */
function decompose(x: number): Exact {
  double[0] = x
  const high = doubleWords[HIGH_WORD]!
  const biased = (high >>> 20) & 0x7ff
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(doubleWords[LOW_WORD]! >>> 0)
  const magnitude = biased === 0 ? fraction : fraction | (1n << 52n)
  return { significand: high < 0 ? -magnitude : magnitude, exponent: Math.max(biased, 1) - 1075 }
}

/** 2^n, n in [-1074, 1023], by its bits. */
function powerOfTwo(n: number): number {
  doubleWords[LOW_WORD] = n < -1022 && n + 1074 < 32 ? 1 << (n + 1074) : 0
  doubleWords[HIGH_WORD] = n >= -1022 ? (n + 1023) << 20 : n + 1074 < 32 ? 0 : 1 << (n + 1074 - 32)
  return double[0]!
}

/** The nearest double, ties to even, of a value that is not 0. */
function roundExact({ significand, exponent }: Exact): number {
  const negative = significand < 0n
  const magnitude = negative ? -significand : significand
  const top = magnitude.toString(2).length - 1 + exponent
  if (top > 1023) return negative ? -Infinity : Infinity
  const unit = Math.max(top - 52, -1074)
  const drop = BigInt(unit - exponent)
  let kept = drop > 0n ? magnitude >> drop : magnitude << -drop
  if (drop > 0n) {
    const rest = magnitude - (kept << drop)
    const half = 1n << (drop - 1n)
    if (rest > half || (rest === half && (kept & 1n) === 1n)) kept += 1n
  }
  const result = Number(kept) * powerOfTwo(unit)
  return negative ? -result : result
}

/** The slow way, for every finite factor and addend that is not 0. An exact sum of 0 is +0 when rounding to nearest. */
function multiplyAddExactly(a: number, b: number, c: number): number {
  const x = decompose(a)
  const y = decompose(b)
  const z = decompose(c)
  const exponent = Math.min(x.exponent + y.exponent, z.exponent)
  const product = (x.significand * y.significand) << BigInt(x.exponent + y.exponent - exponent)
  const significand = product + (z.significand << BigInt(z.exponent - exponent))
  return significand === 0n ? 0 : roundExact({ significand, exponent })
}
