import type { ValueOps } from './value-ops.ts'

/** Conversions between 32-bit types and to and from 16-bit floats (functional specification 22.13, 3.2.2). */

/** Towards zero, clamped, NaN to 0: what `f32ToI32` does. Denormals go to 0 either way. */
export function ftoi<V>(o: ValueOps<V>, a: V): V {
  return o.f32ToI32(a)
}

export function ftou<V>(o: ValueOps<V>, a: V): V {
  return o.f32ToU32(a)
}

export function itof<V>(o: ValueOps<V>, a: V): V {
  return o.i32ToF32(a)
}

export function utof<V>(o: ValueOps<V>, a: V): V {
  return o.u32ToF32(a)
}

/**
 * 22.13.2 leaves the rounding to the rules of 3.2.2: from a float to a narrower float it is towards zero, so values
 * beyond the range become 65504 and not INF, INF stays INF, and values below 2^-24 become zero of their sign. Every NaN
 * becomes 0x7e00.
 */
export function f32tof16<V>(o: ValueOps<V>, a: V): V {
  const magnitude = o.and(a, o.constant(0x7fffffff))
  const infinity = o.constant(0x7f800000)
  // Exponents from 2^-14: rebias by 112 and drop 13 bits of the fraction.
  const normal = o.shiftRightLogical(o.i32Sub(magnitude, o.constant(0x38000000)), o.constant(13))
  // Below: a whole number of 2^-24, the unit of float16 denormals.
  const denormal = o.f32ToI32(o.f32Mul(magnitude, o.constant(0x4b800000)))
  const inRange = o.select(o.i32Less(magnitude, o.constant(0x38800000)), denormal, normal)
  const finite = o.select(o.i32Less(magnitude, o.constant(0x47800000)), inRange, o.constant(0x7bff))
  const number = o.select(o.i32Equal(magnitude, infinity), o.constant(0x7c00), finite)
  const sign = o.and(o.shiftRightLogical(a, o.constant(16)), o.constant(0x8000))
  return o.select(o.i32Less(infinity, magnitude), o.constant(0x7e00), o.or(number, sign))
}

/** Exact; float16 denormals become normal floats, as 3.2.2 requires. The upper half of the source is not read. */
export function f16tof32<V>(o: ValueOps<V>, a: V): V {
  const exponentAndFraction = o.shiftLeft(o.and(a, o.constant(0x7fff)), o.constant(13))
  // A product with 2^112 rebiases normal and denormal numbers alike.
  const finite = o.f32Mul(exponentAndFraction, o.constant(0x77800000))
  const first = o.constant(0x0f800000)
  const special = o.select(o.i32Equal(exponentAndFraction, first), o.constant(0x7f800000), finite)
  const sign = o.shiftLeft(o.and(a, o.constant(0x8000)), o.constant(16))
  return o.select(o.i32Less(first, exponentAndFraction), o.constant(0x7fc00000), o.or(special, sign))
}
