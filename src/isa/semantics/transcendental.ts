import type { Semantics } from '../row.ts'
import type { ValueOps } from './value-ops.ts'

/**
 * exp, log and sincos (functional specification 22.10.6, 22.10.8, 22.10.20), composed from correctly rounded float32
 * operations and bit operations, so that every engine gives the same bits. No multiply-add is used: an engine that fuses
 * `f32Mad` must not change them. They are free of branches, for engines of many lanes.
 *
 * The operations inside do not flush. Denormal sources count as zeros and denormal results do not occur, also where an
 * engine keeps denormals in arithmetic.
 *
 * The polynomials are minimax fits of the stated interval, their coefficients rounded to float32 one by one with the
 * rest refitted.
 */

const ABSOLUTE = 0x7fffffff
const SIGN = 0x80000000
const INFINITY = 0x7f800000
const NAN = 0x7fc00000
const ONE = 0x3f800000
const TWO = 0x40000000
const HALF = 0x3f000000
const SMALLEST_NORMAL = 0x00800000
/** 1.5 * 2^23: adding it leaves the nearest integer in the low bits of the sum, for magnitudes below 2^22. */
const TO_INTEGER = 0x4b400000

/** c[0] + x * (c[1] + x * (...)). */
function polynomial<V>(o: ValueOps<V>, x: V, coefficients: readonly number[]): V {
  let i = coefficients.length - 1
  let sum = o.constant(coefficients[i]!)
  while (i-- > 0) sum = o.f32Add(o.f32Mul(sum, x), o.constant(coefficients[i]!))
  return sum
}

/** (2^f - 1) / f on [-1/2, 1/2]; 2^f is then within 2^-28 before rounding. */
const EXP2 = [0x3f317218, 0x3e75fdee, 0x3d6357be, 0x3c1d96f0, 0x3aaf8417, 0x3920b5ab]
const EXP2_OVERFLOWS = 0x43000000 // 128
const EXP2_UNDERFLOWS = 0xc2fc0000 // -126

/**
 * 2^x; exact for integers. Nearest integer n and fraction f; 2^f from a polynomial, 2^n added to its exponent. Results
 * below the smallest normal float are 0.
 */
export function exp<V>(o: ValueOps<V>, x: V): V {
  const shifted = o.f32Add(x, o.constant(TO_INTEGER))
  const f = o.f32Sub(x, o.f32Sub(shifted, o.constant(TO_INTEGER)))
  const power = o.f32Add(o.f32Mul(polynomial(o, f, EXP2), f), o.constant(ONE))
  const scaled = o.i32Add(power, o.shiftLeft(shifted, o.constant(23)))
  // x + INF is INF for what overflows and NaN for NaN.
  const overflow = o.f32Add(x, o.constant(INFINITY))
  const bounded = o.select(o.f32Less(x, o.constant(EXP2_OVERFLOWS)), scaled, overflow)
  return o.select(o.f32Less(x, o.constant(EXP2_UNDERFLOWS)), o.constant(0), bounded)
}

/** 2 / ln 2 * atanh(s) / s in s * s, for s = f / (2 + f), 1 + f in [sqrt 1/2, sqrt 2]: within 2^-26, relatively. */
const LOG2 = [0x4038aa3b, 0x3f7639f4, 0x3f131941, 0x3ef5bee5]
/** sqrt(1/2): mantissas are taken from here to twice it, so that logarithms near 1 do not cancel. */
const LOG2_FIRST = 0x3f3504f3

/**
 * log2(x); exact for powers of two. Its relative error stays below 2^-21 near 1 too, where an absolute one would do.
 * Zeros and denormals give -INF, other negative numbers NaN.
 */
export function log<V>(o: ValueOps<V>, x: V): V {
  const offset = o.i32Sub(x, o.constant(LOG2_FIRST))
  const exponent = o.i32ToF32(o.shiftRightArithmetic(offset, o.constant(23)))
  const mantissa = o.i32Add(o.and(offset, o.constant(0x007fffff)), o.constant(LOG2_FIRST))
  const f = o.f32Sub(mantissa, o.constant(ONE))
  const s = o.f32Div(f, o.f32Add(f, o.constant(TWO)))
  const fraction = o.f32Mul(s, polynomial(o, o.f32Mul(s, s), LOG2))
  const finite = o.f32Add(exponent, fraction)
  const infinity = o.constant(INFINITY)
  const positive = o.select(o.f32Equal(x, infinity), infinity, finite)
  const magnitude = o.and(x, o.constant(ABSOLUTE))
  const small = o.f32Less(magnitude, o.constant(SMALLEST_NORMAL))
  const other = o.select(small, o.constant((INFINITY | SIGN) >>> 0), o.constant(NAN))
  return o.select(o.f32LessEqual(o.constant(SMALLEST_NORMAL), x), positive, other)
}

/** (sin r - r) / r^3 in r * r on [-pi/4, pi/4]: sin r within 2^-27, relatively. */
const SIN = [0xbe2aaaa3, 0x3c0883ba, 0xb94ca8fb]
/** (cos r - 1 + r^2 / 2) / r^4 in r * r: cos r within 2^-32, relatively. */
const COS = [0x3d2aaaa5, 0xbab60614, 0x37ccf406]
const TWO_OVER_PI = 0x3f22f983
/**
 * pi/2 in four parts. Products of the first two with a quadrant number are exact up to 2^20 quadrants, of the third up
 * to 2^13; the last has what is left of pi/2 to 2^-49.
 */
const HALF_PI = [0x3fc00000, 0x3d900000, 0x39fda000, 0x33a22169]
/** 2^22: from here on floats are at least 1/2 apart and quadrant numbers outgrow the rounding trick. */
const SINCOS_LIMIT = 0x4a800000

/**
 * Sine and cosine of radians. Absolute error below 2^-23 up to 12000 and below 2^-15 up to 10^6; Direct3D requires 0.0008
 * up to 100 pi. From 2^22 on, where Direct3D requires only a value in [-1, 1], the angle counts as 0. INF gives NaN.
 */
export const sincos: Semantics = (o, source) => {
  const x = o.flushDenormal(source[0]!)
  const sign = o.constant(SIGN)
  const magnitude = o.and(x, o.constant(ABSOLUTE))
  // Times 0: finite numbers give 0, INF and NaN give NaN.
  const beyond = o.f32Mul(magnitude, o.constant(0))
  const angle = o.select(o.f32Less(magnitude, o.constant(SINCOS_LIMIT)), magnitude, beyond)
  const shifted = o.f32Add(o.f32Mul(angle, o.constant(TWO_OVER_PI)), o.constant(TO_INTEGER))
  const quadrants = o.f32Sub(shifted, o.constant(TO_INTEGER))
  let r = angle
  for (const part of HALF_PI) r = o.f32Sub(r, o.f32Mul(quadrants, o.constant(part)))
  const z = o.f32Mul(r, r)
  const sine = o.f32Add(r, o.f32Mul(o.f32Mul(r, z), polynomial(o, z, SIN)))
  const tail = o.f32Sub(o.f32Mul(o.f32Mul(z, z), polynomial(o, z, COS)), o.f32Mul(z, o.constant(HALF)))
  const cosine = o.f32Add(tail, o.constant(ONE))
  const odd = o.and(shifted, o.constant(1))
  const toSign = o.constant(30)
  // Bit 1 of the quadrant is the sign of the sine, bit 1 of its successor that of the cosine.
  const sineSign = o.and(o.xor(o.shiftLeft(shifted, toSign), x), sign)
  const cosineSign = o.and(o.shiftLeft(o.i32Add(shifted, o.constant(1)), toSign), sign)
  // Products with +1 or -1, not a flip of the sign bit: NaN stays the one NaN of arithmetic.
  const one = o.constant(ONE)
  return [
    o.f32Mul(o.select(odd, cosine, sine), o.or(sineSign, one)),
    o.f32Mul(o.select(odd, sine, cosine), o.or(cosineSign, one)),
  ]
}
