import type { ValueOps } from '../../isa/index.ts'

/**
 * Whether 1/w, and so w, is a finite number that is not 0 at all pixels of quads that a small triangle touches, from that at vertex 0 and its
 * changes with 1/256 pixel: to take half of it away they need more than 256 pixels, and no such triangle has half as many. NaN is not.
 */
const LEAST = { number: 2 ** -100, bits: 0x0d800000 }
const MOST = { number: 2 ** 100, bits: 0x71800000 }
/** 256 pixels in 1/256 pixel. */
const WIDEST = { number: 2 ** 16, bits: 0x47800000 }

/** With numbers. */
export const isModerateW = (q0: number, right: number, down: number): boolean =>
  q0 > LEAST.number && q0 < MOST.number && (Math.abs(right) + Math.abs(down)) * WIDEST.number < q0

/** With words. */
export function isModerateWWord<V>(o: ValueOps<V>, q0: V, right: V, down: V): V {
  const size = (word: V): V => o.and(word, o.constant(0x7fffffff))
  const change = o.f32Mul(o.f32Add(size(right), size(down)), o.constant(WIDEST.bits))
  const isBetween = o.and(o.f32Less(o.constant(LEAST.bits), q0), o.f32Less(q0, o.constant(MOST.bits)))
  return o.and(isBetween, o.f32Less(change, q0))
}
