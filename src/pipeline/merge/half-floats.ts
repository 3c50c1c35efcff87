import type { ValueOps } from '../../isa/index.ts'
import type { FormatField } from './element.ts'

/**
 * Floats of 16 bits of which all numbers of a quad are finite and have no sign, in a third of the operations that others take: most
 * colors are.
 */

/** A float of 16 bits at the bits of a float32 is this much too small. */
const UP = 0x77800000
const DOWN = 0x07800000
/** 2^16, as float32: what is less is cut to a float of 16 bits. */
const TOO_LARGE = 0x47800000
/** The bits that a float of 16 bits keeps of a float32 without a sign, and the most that there are of them in what is less. */
const KEPT = 0x7fffe000
const MOST = 0x477fe000
const INFINITY = 0x7f800000

/** What chooses between operations for the four pixels of a quad. */
export interface QuadChoice<V> {
  choose(condition: V, taken: () => readonly V[], otherwise: () => readonly V[]): readonly V[]
  signs(word: V): V
}

/** Whether elements are floats of 16 bits in whole words. */
export const areHalves = (fields: readonly FormatField[]): boolean =>
  fields.length > 0 && fields.every((f) => f.bitCount === 16 && f.source.encoding === 'float')

/** The float of a half that has no sign and is finite. */
export function positiveHalf<V>(o: ValueOps<V>, { word, shift }: FormatField, element: readonly V[]): V {
  const moved =
    shift === 0 ? o.shiftLeft(element[word]!, o.constant(13)) : o.shiftRightLogical(element[word]!, o.constant(3))
  return o.f32Mul(o.and(moved, o.constant(0x0fffe000)), o.constant(UP))
}

/** Negative where a half of the words has a sign or is not finite. */
function otherHalves<V>(o: ValueOps<V>, element: readonly V[]): V {
  // One more in the exponent makes a sign of that of infinity and NaN; a carry beyond it comes of a sign alone.
  const found = element.map((word) => o.or(word, o.i32Add(word, o.constant(0x04000400)))).reduce((a, b) => o.or(a, b))
  return o.or(found, o.shiftLeft(found, o.constant(16)))
}

/**
 * The words with components replaced by colors: where what was stored and all colors are without signs and below 2^16 by few operations,
 * else as `otherwise` has them. The colors are right in the first case alone.
 */
export function encodeHalves<V>(
  o: ValueOps<V>,
  fields: readonly FormatField[],
  colors: readonly V[],
  element: readonly V[],
  { choose, signs }: QuadChoice<V>,
  otherwise: () => readonly V[],
): readonly V[] {
  // A minimum that takes infinity for NaN is a number: nothing makes the one NaN of it before its bits are looked at.
  const known = colors.map((color) => o.select(o.f32Less(color, o.constant(INFINITY)), color, o.constant(INFINITY)))
  // A sign and infinity are larger as whole numbers than what a float of 16 bits is cut to.
  const largest = fields.map((f): V => known[f.component]!).reduce((a, b) => o.select(o.u32Less(a, b), b, a))
  const isOther = o.or(otherHalves(o, element), o.not(o.u32Less(largest, o.constant(TOO_LARGE))))
  const encoded = (): readonly V[] =>
    element.map((word, n) => {
      let [kept, result] = [0xffffffff, o.constant(0)]
      for (const { word: of, shift, component } of fields) {
        if (of !== n) continue
        // No more than there is here: so the product is known to be a number.
        const bits = o.and(known[component]!, o.constant(KEPT))
        const bounded = o.select(o.u32Less(o.constant(MOST), bits), o.constant(MOST), bits)
        const small = o.f32Mul(bounded, o.constant(DOWN))
        const code = o.shiftRightLogical(small, o.constant(13))
        result = o.or(result, shift === 0 ? code : o.shiftLeft(code, o.constant(16)))
        kept = (kept & ~(0xffff << shift)) >>> 0
      }
      return o.or(result, o.and(word, o.constant(kept)))
    })
  return choose(o.i32Equal(signs(isOther), o.constant(0)), encoded, otherwise)
}
