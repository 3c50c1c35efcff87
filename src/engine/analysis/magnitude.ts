import { floatOf, signOperand, type Value } from '../ir/index.ts'

/**
 * What is known of the size of a float, in powers of two. Zeros, infinities and NaN are exempt from all three: no flush
 * changes them, and what arithmetic makes of them is no denormal either.
 */
export interface Magnitude {
  /** At least 2^minExponent in size. */
  readonly minExponent: number
  /** A multiple of 2^granularityExponent. Sums and differences are multiples of what both operands are multiples of. */
  readonly granularityExponent: number
  /** At most 2^maxExponent in size. */
  readonly maxExponent: number
}

/** The smallest normal float32 is 2^-126, the smallest denormal 2^-149, and no finite one reaches 2^128. */
export const MIN_NORMAL_EXPONENT = -126
const MIN_EXPONENT = -149
const MAX_EXPONENT = 128
/** A float of size 2^n is a multiple of 2^(n - FRACTION_BITS). */
export const FRACTION_BITS = 23

export const UNKNOWN_MAGNITUDE: Magnitude = {
  minExponent: MIN_EXPONENT,
  granularityExponent: MIN_EXPONENT,
  maxExponent: MAX_EXPONENT,
}
/** What is assumed of a merge before its inputs are known. */
export const EXEMPT_MAGNITUDE: Magnitude = {
  minExponent: MAX_EXPONENT,
  granularityExponent: MAX_EXPONENT,
  maxExponent: MIN_EXPONENT,
}

/** Each bound follows from another: a float of size 2^n is a multiple of 2^(n - 23), a multiple of 2^n at least that. */
function magnitude(minExponent: number, granularityExponent: number, maxExponent: number): Magnitude {
  const g = Math.min(MAX_EXPONENT, Math.max(granularityExponent, minExponent - FRACTION_BITS, MIN_EXPONENT))
  return {
    minExponent: Math.min(MAX_EXPONENT, Math.max(minExponent, g)),
    granularityExponent: g,
    maxExponent: Math.max(MIN_EXPONENT, Math.min(maxExponent, MAX_EXPONENT)),
  }
}

export function meetMagnitudes(a: Magnitude, b: Magnitude): Magnitude {
  return magnitude(
    Math.min(a.minExponent, b.minExponent),
    Math.min(a.granularityExponent, b.granularityExponent),
    Math.max(a.maxExponent, b.maxExponent),
  )
}

export const sameMagnitude = (a: Magnitude, b: Magnitude): boolean =>
  a.minExponent === b.minExponent && a.granularityExponent === b.granularityExponent && a.maxExponent === b.maxExponent

/** What is known more of a value that is at least 2^minExponent in size. */
export const withMinExponent = (m: Magnitude, minExponent: number): Magnitude =>
  magnitude(Math.max(m.minExponent, minExponent), m.granularityExponent, m.maxExponent)

const isFiniteSize = (bits: number): boolean => floatOf(bits) !== 0 && Number.isFinite(floatOf(bits))

function ofConstant(bits: number): Magnitude {
  if (!isFiniteSize(bits)) return EXEMPT_MAGNITUDE
  const biased = (bits >>> 23) & 0xff
  // The size is `digits` times 2^last; of denormals there is no leading 1.
  const digits = (bits & 0x7fffff) | (biased === 0 ? 0 : 0x800000)
  const last = Math.max(biased, 1) - 127 - FRACTION_BITS
  const highest = (word: number): number => 31 - Math.clz32(word)
  const exponent = last + highest(digits)
  return magnitude(exponent, last + highest(digits & -digits), exponent + 1)
}

const INTEGER = (maxExponent: number): Magnitude => magnitude(0, 0, maxExponent)

/** A constant that a maximum cannot fall below, or a minimum not rise above. */
function bound(v: Value, isMax: boolean, result: Magnitude): Magnitude {
  for (let i = 0; i < v.args.length; i++) {
    const a = v.args[i]!
    if (a.op !== 'constant') continue
    const c = floatOf(a.imm)
    if (isMax ? c > 0 : c < 0) return withMinExponent(result, ofConstant(a.imm).minExponent)
  }
  return result
}

/**
 * What sums with a constant other than 0 are multiples of, whatever the other term is: with a constant of at least 2^n a term of at
 * least 2^(n-1) is a multiple of 2^(n-24), as the constant is, and with a smaller one the sum is at least 2^(n-1) itself.
 */
function sumGranularity(args: readonly Value[], of: (v: Value) => Magnitude): number {
  let most = MIN_EXPONENT
  for (let i = 0; i < args.length; i++) {
    const v = args[i]!
    if (v.op === 'constant' && isFiniteSize(v.imm)) most = Math.max(most, of(v).minExponent)
  }
  return most - FRACTION_BITS - 1
}

const productMagnitude = (a: Magnitude, b: Magnitude): Magnitude =>
  magnitude(a.minExponent + b.minExponent, a.granularityExponent + b.granularityExponent, a.maxExponent + b.maxExponent)

/** `least`: what the sum is a multiple of in any case. */
const sumMagnitude = (a: Magnitude, b: Magnitude, least: number): Magnitude =>
  magnitude(
    MIN_EXPONENT,
    Math.max(Math.min(a.granularityExponent, b.granularityExponent), least),
    Math.max(a.maxExponent, b.maxExponent) + 1,
  )

/** The size of a value from those of its operands; merges and results are the caller's. */
export function magnitudeOf(v: Value, of: (v: Value) => Magnitude): Magnitude {
  switch (v.op) {
    case 'constant':
      return ofConstant(v.imm)
    case 'i32ToF32':
    case 'u32ToF32':
      return INTEGER(32)
    case 'f32Floor':
    case 'f32Ceil':
    case 'f32Trunc':
    case 'f32RoundNearestEven':
      return INTEGER(Math.max(of(v.args[0]!).maxExponent, 0) + 1)
    case 'flushDenormal':
      return withMinExponent(of(v.args[0]!), MIN_NORMAL_EXPONENT)
    case 'f32Mul':
      return productMagnitude(of(v.args[0]!), of(v.args[1]!))
    case 'f32Add':
    case 'f32Sub':
      return sumMagnitude(of(v.args[0]!), of(v.args[1]!), sumGranularity(v.args, of))
    case 'f32Div':
      return magnitude(
        of(v.args[0]!).minExponent - of(v.args[1]!).maxExponent,
        MIN_EXPONENT,
        of(v.args[0]!).maxExponent - of(v.args[1]!).minExponent,
      )
    case 'f32Sqrt':
      return magnitude(
        Math.floor(of(v.args[0]!).minExponent / 2),
        MIN_EXPONENT,
        Math.ceil(of(v.args[0]!).maxExponent / 2),
      )
    case 'f32Max':
    case 'f32PseudoMax':
      return bound(v, true, meetMagnitudes(of(v.args[0]!), of(v.args[1]!)))
    case 'f32Min':
    case 'f32PseudoMin':
      return bound(v, false, meetMagnitudes(of(v.args[0]!), of(v.args[1]!)))
    case 'select':
      return meetMagnitudes(of(v.args[1]!), of(v.args[2]!))
    case 'and':
    case 'or':
    case 'xor': {
      const signed = signOperand(v)
      return signed === undefined ? UNKNOWN_MAGNITUDE : of(signed)
    }
    default:
      return UNKNOWN_MAGNITUDE
  }
}
