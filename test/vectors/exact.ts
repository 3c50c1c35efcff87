/**
 * Correct rounding by exact rationals: the oracle for arithmetic that must be right in the last bit. It shares nothing
 * with the engines.
 */
export interface Format {
  /** Bits of the significand with the hidden one. */
  readonly precision: bigint
  /** Exponent of the smallest normal number. */
  readonly minExponent: number
}

export const FLOAT32: Format = { precision: 24n, minExponent: -126 }
export const FLOAT64: Format = { precision: 53n, minExponent: -1022 }

/** numerator / denominator, denominator > 0. */
export interface Rational {
  readonly numerator: bigint
  readonly denominator: bigint
}

const power = (n: number): bigint => 1n << BigInt(n)
const totalBits = (f: Format): bigint => (f === FLOAT32 ? 32n : 64n)

/** The value of finite bits. */
export function exactValue(bits: bigint, format: Format): Rational {
  const hidden = 1n << (format.precision - 1n)
  const sign = bits >> (totalBits(format) - 1n)
  const fraction = bits & (hidden - 1n)
  const biased = Number((bits & ~(1n << (totalBits(format) - 1n))) >> (format.precision - 1n))
  const magnitude = biased === 0 ? fraction : fraction | hidden
  const exponent = Math.max(biased, 1) - 1 + format.minExponent - Number(format.precision - 1n)
  const signed = sign === 1n ? -magnitude : magnitude
  return exponent < 0
    ? { numerator: signed, denominator: power(-exponent) }
    : { numerator: signed * power(exponent), denominator: 1n }
}

const length = (n: bigint): number => n.toString(2).length

/** The bits nearest to a value that is not 0, ties to even; INF beyond the range. */
export function round({ numerator, denominator }: Rational, format: Format): bigint {
  const negative = numerator < 0n
  const n = negative ? -numerator : numerator
  const scale = (e: number): [bigint, bigint] => (e < 0 ? [n * power(-e), denominator] : [n, denominator * power(e)])
  let exponent = length(n) - length(denominator)
  const [top, bottom] = scale(exponent)
  if (top < bottom) exponent -= 1
  const clamped = Math.max(exponent, format.minExponent)
  const [a, b] = scale(clamped - Number(format.precision - 1n))
  const rest = (a % b) * 2n
  let kept = a / b
  if (rest > b || (rest === b && (kept & 1n) === 1n)) kept += 1n
  const hidden = 1n << (format.precision - 1n)
  const infinity = (1n << (totalBits(format) - 1n)) - hidden
  // A carry out of the significand moves the exponent on by itself.
  const magnitude = kept < hidden ? kept : (BigInt(clamped - format.minExponent) + 1n) * hidden + (kept - hidden)
  const bounded = magnitude > infinity ? infinity : magnitude
  return negative ? bounded | (1n << (totalBits(format) - 1n)) : bounded
}

export const sum = (a: Rational, b: Rational): Rational => ({
  numerator: a.numerator * b.denominator + b.numerator * a.denominator,
  denominator: a.denominator * b.denominator,
})

export const product = (a: Rational, b: Rational): Rational => ({
  numerator: a.numerator * b.numerator,
  denominator: a.denominator * b.denominator,
})

/** b is not 0. */
export function quotient(a: Rational, b: Rational): Rational {
  const sign = b.numerator < 0n ? -1n : 1n
  return { numerator: a.numerator * b.denominator * sign, denominator: a.denominator * b.numerator * sign }
}

/** The greatest integer whose square is at most n. */
function integerRoot(n: bigint): bigint {
  let root = 1n << BigInt(Math.ceil(length(n) / 2))
  for (;;) {
    const next = (root + n / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/**
 * A value that rounds as the root of a positive a does: 64 bits of it below the last one kept, and one more bit where it
 * is not exact.
 */
export function squareRoot(a: Rational): Rational {
  const scaled = (a.numerator << 600n) / a.denominator
  const root = integerRoot(scaled)
  const exact = root * root === scaled && (a.numerator << 600n) % a.denominator === 0n
  return { numerator: root * 2n + (exact ? 0n : 1n), denominator: 1n << 301n }
}

/** A deterministic stream of 32-bit words (xorshift32). */
export function words(seed: number): () => number {
  let state = seed | 0
  return () => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return state >>> 0
  }
}
