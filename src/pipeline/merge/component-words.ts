import { unormToFloat, type ValueOps } from '../../isa/index.ts'
import { SRGB8_LEAST_BITS } from '../../machine/index.ts'
import type { Precision } from '../state.ts'
import type { FormatField } from './element.ts'
import { snormCodeWord, unormCodeWord } from './element-words.ts'
import { fastCodeWord, fastUnormWord } from './fast-codes.ts'

/**
 * Components of render targets to float32 words and back as operations on words (functional specification 3.2): the definition for
 * compilers, of what `element.ts` does with numbers.
 */

/** Looks words up in the tables of sRGB (`machine/format`): by the code, and by the upper half of the bits of the linear value. */
export interface SrgbTables<V> {
  linearOf(code: V): V
  stepOf(upper: V): V
}

/** The low bits of a component. */
const greatestOf = (bitCount: number): number => (bitCount === 32 ? 0xffffffff : 2 ** bitCount - 1)

/** Bits of a float's fraction in components of 16 bits and less, which have 5 of exponent; those below 16 have no sign. */
const fractionBits = (bitCount: number): number => (bitCount === 16 ? 10 : bitCount - 5)

const EXPONENT = 0x7f800000

/** Moves bits of a word from one place to another, up or down. */
const moved = <V>(o: ValueOps<V>, word: V, from: number, to: number): V =>
  to >= from ? o.shiftLeft(word, o.constant(to - from)) : o.shiftRightLogical(word, o.constant(from - to))

/**
 * A small float that begins at bit `shift` of a word. The product with 2^112 rebiases normal and denormal numbers alike, and makes
 * of infinity and NaN 2^16 with their fraction.
 */
function decodeFloat<V>(o: ValueOps<V>, word: V, shift: number, bitCount: number): V {
  const bits = fractionBits(bitCount)
  const magnitude = o.and(moved(o, word, shift, 23 - bits), o.constant(((32 << bits) - 1) << (23 - bits)))
  const finite = o.f32Mul(magnitude, o.constant(0x77800000))
  const special = o.and(o.i32Less(o.constant(0x0f7fffff), magnitude), o.constant(EXPONENT))
  const value = o.or(finite, special)
  return bitCount === 16 ? o.or(value, o.and(moved(o, word, shift + 15, 31), o.constant(0x80000000))) : value
}

/** The bits of a component of an element that has fewer than 32. */
export const fieldCode = <V>(o: ValueOps<V>, { word, shift, bitCount }: FormatField, element: readonly V[]): V =>
  o.and(o.shiftRightLogical(element[word]!, o.constant(shift)), o.constant(greatestOf(bitCount)))

/** The component of an element as a float32 word (functional specification 3.2.3): a quotient is rounded once. */
export function decodeField<V>(
  o: ValueOps<V>,
  field: FormatField,
  element: readonly V[],
  tables: SrgbTables<V>,
  precision: Precision,
): V {
  const { word, shift, bitCount, source } = field
  if (bitCount === 32) return element[word]!
  const greatest = greatestOf(bitCount)
  if (source.encoding === 'snorm') {
    const code = o.shiftRightArithmetic(
      o.shiftLeft(element[word]!, o.constant(32 - shift - bitCount)),
      o.constant(32 - bitCount),
    )
    const value = o.f32Div(o.i32ToF32(code), o.i32ToF32(o.constant((greatest - 1) / 2)))
    return o.select(o.f32Less(value, o.constant(0xbf800000)), o.constant(0xbf800000), value)
  }
  // A NaN stays one, and blending makes of every NaN the quiet one.
  if (source.encoding === 'float') return decodeFloat(o, element[word]!, shift, bitCount)
  const code = fieldCode(o, field, element)
  if (source.encoding === 'unorm-srgb') return tables.linearOf(code)
  return precision === 'fast' && bitCount <= 16 ? fastUnormWord(o, code, bitCount) : unormToFloat(o, code, bitCount)
}

/**
 * A float32 as a small float, toward zero (3.2.2). The fraction is cut first, so that the product with 2^-112 is exact; it makes
 * denormals of what is below 2^-14. A NaN keeps the top of its payload, and its quiet bit is set. Without a sign, negative
 * numbers are 0.
 */
function floatCodeWord<V>(o: ValueOps<V>, value: V, bitCount: number): V {
  const bits = fractionBits(bitCount)
  const [down, infinity] = [23 - bits, 31 << bits]
  const cut = o.and(value, o.constant((0x7fffffff >>> down) << down))
  const largest = o.constant(0x47800000 - (1 << down))
  const limited = o.select(o.u32Less(cut, largest), cut, largest)
  const finite = o.shiftRightLogical(o.f32Mul(limited, o.constant(0x07800000)), o.constant(down))
  const isSpecial = o.i32Less(o.constant(EXPONENT - 1), o.and(value, o.constant(0x7fffffff)))
  const isNan = o.not(o.f32Equal(value, value))
  const payload = o.and(o.shiftRightLogical(value, o.constant(down)), o.constant(2 ** bits - 1))
  const special = o.or(o.or(payload, o.constant(infinity)), o.and(isNan, o.constant(1 << (bits - 1))))
  const code = o.select(isSpecial, special, finite)
  if (bitCount === 16) return o.or(code, o.and(o.shiftRightLogical(value, o.constant(16)), o.constant(0x8000)))
  return o.select(o.i32Less(value, o.constant(0)), o.and(code, isNan), code)
}

/** A float32 as 8-bit sRGB: what the table has for the upper half of its bits, and the lower half, which carries from a code to the next. */
function srgbCodeWord<V>(o: ValueOps<V>, value: V, tables: SrgbTables<V>): V {
  const [least, one] = [o.constant(SRGB8_LEAST_BITS), o.constant(0x3f800000)]
  // NaN becomes the least.
  const raised = o.select(o.f32Less(least, value), value, least)
  const clamped = o.select(o.f32Less(raised, one), raised, one)
  const half = o.constant(16)
  const step = tables.stepOf(o.shiftRightLogical(clamped, half))
  return o.shiftRightLogical(o.i32Add(step, o.and(clamped, o.constant(0xffff))), half)
}

/** An integer clamped to the range of the component. */
function integerCodeWord<V>(o: ValueOps<V>, value: V, bitCount: number, isSigned: boolean): V {
  const greatest = o.constant(isSigned ? 2 ** (bitCount - 1) - 1 : greatestOf(bitCount))
  if (!isSigned) return o.select(o.u32Less(greatest, value), greatest, value)
  const least = o.constant(-(2 ** (bitCount - 1)) >>> 0)
  const low = o.select(o.i32Less(value, least), least, value)
  return o.and(o.select(o.i32Less(greatest, low), greatest, low), o.constant(greatestOf(bitCount)))
}

/** The code of a component that a color gets; `isInRange` where a normalized one lies between 0 and 1, or hardly above. */
export function codeWord<V>(
  o: ValueOps<V>,
  field: FormatField,
  color: V,
  tables: SrgbTables<V>,
  { precision, isInRange }: { readonly precision: Precision; readonly isInRange: boolean },
): V {
  const { bitCount, source } = field
  if (bitCount === 32) return color
  const fast = precision === 'fast' ? fastCodeWord(o, field, color, isInRange) : undefined
  if (fast !== undefined) return fast
  switch (source.encoding) {
    case 'float':
      return floatCodeWord(o, color, bitCount)
    case 'unorm-srgb':
      return srgbCodeWord(o, color, tables)
    case 'snorm':
      return o.and(snormCodeWord(o, color, bitCount), o.constant(greatestOf(bitCount)))
    case 'uint':
    case 'sint':
      return integerCodeWord(o, color, bitCount, source.encoding === 'sint')
    default:
      return unormCodeWord(o, color, bitCount, isInRange)
  }
}
