import type { Semantics } from '../row.ts'
import type { ValueOps } from './value-ops.ts'

/**
 * Float32 arithmetic and comparisons (functional specification 22.6, 22.10) under the rules of 3.1.3: denormals of
 * inputs and outputs become zeros of the same sign. The flushes stand at the boundary of every instruction, on each
 * source and on each result that can be denormal, so that a compiler may drop those whose operand is known flushed.
 */

const ONE = 0x3f800000
/** The largest float below 1. */
const BELOW_ONE = 0x3f7fffff

export function add<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.flushDenormal(o.f32Add(o.flushDenormal(a), o.flushDenormal(b)))
}

export function mul<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.flushDenormal(o.f32Mul(o.flushDenormal(a), o.flushDenormal(b)))
}

/** The direct form of 22.10.2: one correctly rounded division, not a product with a reciprocal. */
export function div<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.flushDenormal(o.f32Div(o.flushDenormal(a), o.flushDenormal(b)))
}

/** The product inside keeps its denormals: 3.1.3.2 lets fused operations keep more than the float32 range. */
export function mad<V>(o: ValueOps<V>, a: V, b: V, c: V): V {
  return o.flushDenormal(o.f32Mad(o.flushDenormal(a), o.flushDenormal(b), o.flushDenormal(c)))
}

/**
 * Dot product of n components, from x on, each product added to the sum before it (3.1.3.2 allows any order; this is
 * the order in which 22.10.3 to 22.10.5 write it).
 */
export function dot(n: 2 | 3 | 4): Semantics {
  return (o, s) => {
    let sum = o.f32Mul(o.flushDenormal(s[0]!), o.flushDenormal(s[n]!))
    for (let i = 1; i < n; i++) sum = o.f32Mad(o.flushDenormal(s[i]!), o.flushDenormal(s[n + i]!), sum)
    return [o.flushDenormal(sum)]
  }
}

/**
 * IEEE 754-2019 maximumNumber, which 3.1.3.1 requires for NaN and 3.1.3.2 recommends for zeros: a number wins over NaN, +0
 * over -0. Equal operands differ at most in the sign of zero, so the `and` of their bits is the larger.
 */
export function max<V>(o: ValueOps<V>, a: V, b: V): V {
  const x = o.flushDenormal(a)
  const y = o.flushDenormal(b)
  const unequal = o.select(o.f32Less(x, y), y, o.select(o.f32Equal(x, x), x, y))
  return o.select(o.f32Equal(x, y), o.and(x, y), unequal)
}

/** IEEE 754-2019 minimumNumber: a number wins over NaN, -0 over +0. */
export function min<V>(o: ValueOps<V>, a: V, b: V): V {
  const x = o.flushDenormal(a)
  const y = o.flushDenormal(b)
  const unequal = o.select(o.f32Less(y, x), y, o.select(o.f32Equal(x, x), x, y))
  return o.select(o.f32Equal(x, y), o.or(x, y), unequal)
}

/**
 * src0 - floor(src0). Just below zero the difference rounds to 1, which 22.10.7 excludes: the largest float below 1
 * takes its place.
 */
export function frc<V>(o: ValueOps<V>, a: V): V {
  const x = o.flushDenormal(a)
  const fraction = o.f32Sub(x, o.f32Floor(x))
  const most = o.constant(BELOW_ONE)
  return o.select(o.f32Less(most, fraction), most, fraction)
}

export function roundNearestEven<V>(o: ValueOps<V>, a: V): V {
  return o.f32RoundNearestEven(o.flushDenormal(a))
}

export function roundNegativeInfinity<V>(o: ValueOps<V>, a: V): V {
  return o.f32Floor(o.flushDenormal(a))
}

export function roundPositiveInfinity<V>(o: ValueOps<V>, a: V): V {
  return o.f32Ceil(o.flushDenormal(a))
}

export function roundZero<V>(o: ValueOps<V>, a: V): V {
  return o.f32Trunc(o.flushDenormal(a))
}

export function rcp<V>(o: ValueOps<V>, a: V): V {
  return o.flushDenormal(o.f32Div(o.constant(ONE), o.flushDenormal(a)))
}

/** No result is denormal: the root of the smallest normal float is far from it. */
export function sqrt<V>(o: ValueOps<V>, a: V): V {
  return o.f32Sqrt(o.flushDenormal(a))
}

/** 22.10.19 allows a relative error of 2^-21; two correct roundings stay below 2^-23. */
export function rsq<V>(o: ValueOps<V>, a: V): V {
  return o.f32Div(o.constant(ONE), o.f32Sqrt(o.flushDenormal(a)))
}

export function eq<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.f32Equal(o.flushDenormal(a), o.flushDenormal(b))
}

/** The complement of eq, so true with NaN (3.1.3.1). */
export function ne<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.not(o.f32Equal(o.flushDenormal(a), o.flushDenormal(b)))
}

export function lt<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.f32Less(o.flushDenormal(a), o.flushDenormal(b))
}

/** Not the complement of lt: both are false with NaN. */
export function ge<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.f32LessEqual(o.flushDenormal(b), o.flushDenormal(a))
}
