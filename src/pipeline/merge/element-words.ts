import { saturateFloat, type ValueOps } from '../../isa/index.ts'

/**
 * Conversions to normalized formats as operations on words (functional specification 3.2.3, 17.11): the definition for
 * compilers, of what `element.ts` and `depth-stencil.ts` do with numbers. In double precision, since the sum with a half is
 * off by one in float32 for a quarter of all 24-bit codes, and 1.0 becomes 2^24.
 */

/** |value| * greatest + 0.5 without its fraction, exact; NaN and negative numbers give 0. */
function scaled<V>(o: ValueOps<V>, value: V, greatest: number): V {
  const product = o.f64Mul(o.f32ToF64(value), o.u32ToF64(o.constant(greatest)))
  const code = o.f64ToU32(o.f64Add(product, o.f32ToF64(o.constant(0x3f000000))))
  const limit = o.constant(greatest)
  return o.select(o.u32Less(limit, code), limit, code)
}

/** High word of 2^52: a double of this size has no bits behind the point. */
const WHOLE = 0x43300000

/**
 * The code of a float32 between 0 and 1, of an odd greatest code. Where that is above 1, rounding to nearest even is rounding halves
 * up: the one half there is, of 0.5, lies below an even code.
 */
function unormCodeOf<V>(o: ValueOps<V>, value: V, greatest: number, isInRange = false): V {
  if (greatest === 1) return scaled(o, value, greatest)
  const product = o.f64Mul(o.f32ToF64(isInRange ? value : saturateFloat(o, value)), o.i32ToF64(o.constant(greatest)))
  return o.f64Add(product, [o.constant(0), o.constant(WHOLE)])[0]
}

/** A float32 as an n-bit UNORM code, n up to 24; `isInRange` where it lies between 0 and 1 + 2^-22. */
export function unormCodeWord<V>(o: ValueOps<V>, value: V, bitCount: number, isInRange = false): V {
  return unormCodeOf(o, value, 2 ** bitCount - 1, isInRange)
}

/** A float32 as an n-bit SNORM code, sign-extended, halves away from zero, n up to 24; never the lowest code. */
export function snormCodeWord<V>(o: ValueOps<V>, value: V, bitCount: number): V {
  const magnitude = unormCodeOf(o, o.and(value, o.constant(0x7fffffff)), 2 ** (bitCount - 1) - 1)
  const negative = o.f32Less(value, o.constant(0))
  return o.select(negative, o.i32Sub(o.constant(0), magnitude), magnitude)
}
