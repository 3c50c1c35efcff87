import { floatOf, signOperand, type Value } from '../ir/index.ts'

/**
 * What is known of the size of a float, in powers of two. Zeros, infinities and NaN are exempt from all three: no flush
 * changes them, and what arithmetic makes of them is no denormal either.
 */
export interface Magnitude {
  /** At least 2^least in size. */
  readonly least: number
  /** A multiple of 2^grain. Sums and differences are multiples of what both operands are multiples of. */
  readonly grain: number
  /** At most 2^most in size. */
  readonly most: number
}

/** The smallest normal float32 is 2^-126, the smallest denormal 2^-149, and no finite one reaches 2^128. */
export const LEAST_NORMAL = -126
const LEAST = -149
const MOST = 128
const FRACTION_BITS = 23

export const UNKNOWN: Magnitude = { least: LEAST, grain: LEAST, most: MOST }
/** What is assumed of a merge before its inputs are known. */
export const EXEMPT: Magnitude = { least: MOST, grain: MOST, most: LEAST }

/** Each bound follows from another: a float of size 2^n is a multiple of 2^(n - 23), a multiple of 2^n at least that. */
function magnitude(least: number, grain: number, most: number): Magnitude {
  const g = Math.min(MOST, Math.max(grain, least - FRACTION_BITS, LEAST))
  return { least: Math.min(MOST, Math.max(least, g)), grain: g, most: Math.max(LEAST, Math.min(most, MOST)) }
}

export function meetMagnitudes(a: Magnitude, b: Magnitude): Magnitude {
  return magnitude(Math.min(a.least, b.least), Math.min(a.grain, b.grain), Math.max(a.most, b.most))
}

export const sameMagnitude = (a: Magnitude, b: Magnitude): boolean =>
  a.least === b.least && a.grain === b.grain && a.most === b.most

/** What is known more of a value that is at least 2^least in size. */
export const atLeast = (m: Magnitude, least: number): Magnitude => magnitude(Math.max(m.least, least), m.grain, m.most)

function ofConstant(bits: number): Magnitude {
  const size = Math.abs(floatOf(bits))
  if (size === 0 || !Number.isFinite(size)) return EXEMPT
  let exponent = ((bits >>> 23) & 0xff) - 127
  if (exponent === -127) exponent = Math.floor(Math.log2(size))
  let grain = exponent
  while (size % 2 ** grain !== 0) grain--
  return magnitude(exponent, grain, exponent + 1)
}

const INTEGER = (most: number): Magnitude => magnitude(0, 0, most)

/** A constant that a maximum cannot fall below, or a minimum not rise above. */
function bound(v: Value, isMax: boolean, result: Magnitude): Magnitude {
  for (const a of v.args) {
    if (a.op !== 'constant') continue
    const c = floatOf(a.imm)
    if (isMax ? c > 0 : c < 0) return atLeast(result, ofConstant(a.imm).least)
  }
  return result
}

/** The size of a value from those of its operands; merges and results are the caller's. */
export function magnitudeOf(v: Value, of: (v: Value) => Magnitude): Magnitude {
  const arg = (i: number): Magnitude => of(v.args[i]!)
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
      return INTEGER(Math.max(arg(0).most, 0) + 1)
    case 'flushDenormal':
      return atLeast(arg(0), LEAST_NORMAL)
    case 'f32Mul': {
      const [a, b] = [arg(0), arg(1)]
      return magnitude(a.least + b.least, a.grain + b.grain, a.most + b.most)
    }
    case 'f32Add':
    case 'f32Sub': {
      const [a, b] = [arg(0), arg(1)]
      return magnitude(LEAST, Math.min(a.grain, b.grain), Math.max(a.most, b.most) + 1)
    }
    case 'f32Div':
      return magnitude(arg(0).least - arg(1).most, LEAST, arg(0).most - arg(1).least)
    case 'f32Sqrt':
      return magnitude(Math.floor(arg(0).least / 2), LEAST, Math.ceil(arg(0).most / 2))
    case 'f32Max':
    case 'f32PseudoMax':
      return bound(v, true, meetMagnitudes(arg(0), arg(1)))
    case 'f32Min':
    case 'f32PseudoMin':
      return bound(v, false, meetMagnitudes(arg(0), arg(1)))
    case 'select':
      return meetMagnitudes(arg(1), arg(2))
    case 'and':
    case 'or':
    case 'xor': {
      const signed = signOperand(v)
      return signed === undefined ? UNKNOWN : of(signed)
    }
    default:
      return UNKNOWN
  }
}
