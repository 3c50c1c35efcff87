import type { Pair, ValueOps } from './value-ops.ts'

/** Integer arithmetic and comparisons (functional specification 22.6, 22.12): 32 bits, wrapping. */

export function iadd<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.i32Add(a, b)
}

/** The low 32 bits of a product and sum do not depend on signedness: imad and umad are one. */
export function imad<V>(o: ValueOps<V>, a: V, b: V, c: V): V {
  return o.i32Add(o.i32Mul(a, b), c)
}

export function imax<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.select(o.i32Less(a, b), b, a)
}

export function imin<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.select(o.i32Less(a, b), a, b)
}

export function umax<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.select(o.u32Less(a, b), b, a)
}

export function umin<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.select(o.u32Less(a, b), a, b)
}

/** High word first, in operand order (22.12.6). */
export function imul<V>(o: ValueOps<V>, a: V, b: V): Pair<V> {
  return [o.i32MulHigh(a, b), o.i32Mul(a, b)]
}

export function umul<V>(o: ValueOps<V>, a: V, b: V): Pair<V> {
  return [o.u32MulHigh(a, b), o.i32Mul(a, b)]
}

export function ineg<V>(o: ValueOps<V>, a: V): V {
  return o.i32Sub(o.constant(0), a)
}

/** Quotient and remainder; 22.12.9 requires all ones for division by zero, as `u32Div` and `u32Rem` give. */
export function udiv<V>(o: ValueOps<V>, a: V, b: V): Pair<V> {
  return [o.u32Div(a, b), o.u32Rem(a, b)]
}

/** A wrapped sum is less than either addend. */
export function uaddc<V>(o: ValueOps<V>, a: V, b: V): Pair<V> {
  const sum = o.i32Add(a, b)
  return [sum, o.and(o.u32Less(sum, a), o.constant(1))]
}

export function usubb<V>(o: ValueOps<V>, a: V, b: V): Pair<V> {
  return [o.i32Sub(a, b), o.and(o.u32Less(a, b), o.constant(1))]
}

export function ieq<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.i32Equal(a, b)
}

export function ine<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.not(o.i32Equal(a, b))
}

export function ilt<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.i32Less(a, b)
}

export function ige<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.not(o.i32Less(a, b))
}

export function ult<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.u32Less(a, b)
}

export function uge<V>(o: ValueOps<V>, a: V, b: V): V {
  return o.not(o.u32Less(a, b))
}

/**
 * Sum of absolute differences of the four bytes of `reference` and `source`, of those bytes that are not 0 in
 * `reference`, added to `sum`. An overflow saturates, as 22.12.15 recommends; once it has, later bytes cannot undo it,
 * so one test at the end says the same as one per byte.
 */
export function msad<V>(o: ValueOps<V>, reference: V, source: V, sum: V): V {
  const zero = o.constant(0)
  const byte = o.constant(0xff)
  let total = zero
  for (let shift = 0; shift < 32; shift += 8) {
    const r = o.and(o.shiftRightLogical(reference, o.constant(shift)), byte)
    const s = o.and(o.shiftRightLogical(source, o.constant(shift)), byte)
    const difference = o.select(o.i32Less(r, s), o.i32Sub(s, r), o.i32Sub(r, s))
    total = o.i32Add(total, o.select(r, difference, zero))
  }
  const result = o.i32Add(sum, total)
  return o.or(result, o.u32Less(result, sum))
}
