import type { FormatComponent } from '../../isa/formats/index.ts'
import { saturateFloat, type ValueOps } from '../../isa/index.ts'
import type { ComponentCode, FormatField } from './element.ts'

/**
 * Conversions of the precision `fast`, in float32 and within the 0.6 units of the last place of a code that functional specification
 * 3.2.3 allows: each as an operation on words, for compilers, and with numbers.
 */

/** A float32 of this size has no bits behind the point: those of what was added to it are its lowest. */
const WHOLE = 0x4b000000
/** As WHOLE, for negative numbers too. */
const SIGNED_WHOLE = 0x4b400000
const ONE = 0x3f800000
const MINUS_ONE = 0xbf800000

const { fround } = Math
const words = new Uint32Array(1)
const floats = new Float32Array(words.buffer)
/** Bits of a float32. */
export const floatBits = (value: number): number => {
  floats[0] = value
  return words[0]!
}
const floatOf = (bits: number): number => {
  words[0] = bits
  return floats[0]!
}

const greatestOf = ({ encoding, bitCount }: FormatComponent): number =>
  encoding === 'snorm' ? 2 ** (bitCount - 1) - 1 : 2 ** bitCount - 1

/** Whether a component of a format has a conversion here: to look sRGB codes up takes less time than a curve. */
const isFast = ({ encoding, bitCount }: FormatComponent): boolean =>
  (encoding === 'unorm' || encoding === 'snorm') && bitCount <= 16

/** The sum with 2^23, of which the lowest bits are the code that is nearest to a number between 0 and 2^16. */
export const wholeWord = <V>(o: ValueOps<V>, number: V): V => o.f32Add(number, o.constant(WHOLE))

/** The sum of which the lowest bits are the whole number that is nearest to one between -2^16 and 2^16. */
export const changeWord = <V>(o: ValueOps<V>, number: V): V => o.f32Add(number, o.constant(SIGNED_WHOLE))

/** The same with a number: itself, without what is above it. */
export const nearestWhole = (number: number): number => fround(number + floatOf(SIGNED_WHOLE)) - floatOf(SIGNED_WHOLE)

/** What such a sum has above its lowest bits. */
export const aboveWhole = (isChange: boolean): number => (isChange ? SIGNED_WHOLE : WHOLE)

/** A word whose lowest bits are the code that a color gets; undefined where there is no conversion of less work, or of other bits above. */
export function fastWholeWord<V>(
  o: ValueOps<V>,
  { source, bitCount }: FormatField,
  color: V,
  isInRange = false,
): V | undefined {
  if (!isFast(source) || source.encoding === 'snorm') return undefined
  const clamped = isInRange ? color : saturateFloat(o, color)
  return wholeWord(o, o.f32Mul(clamped, o.constant(floatBits(2 ** bitCount - 1))))
}

/** The code of a component that a color gets; undefined where there is no conversion of less work. */
export function fastCodeWord<V>(o: ValueOps<V>, field: FormatField, color: V, isInRange = false): V | undefined {
  const { source, bitCount } = field
  if (!isFast(source)) return undefined
  const mask = o.constant(2 ** bitCount - 1)
  if (source.encoding === 'snorm') {
    const greatest = o.constant(floatBits(greatestOf(source)))
    const number = o.select(o.f32Equal(color, color), color, o.constant(0))
    const high = o.select(o.f32Less(number, o.constant(ONE)), number, o.constant(ONE))
    const clamped = o.select(o.f32Less(high, o.constant(MINUS_ONE)), o.constant(MINUS_ONE), high)
    return o.and(o.f32Add(o.f32Mul(clamped, greatest), o.constant(SIGNED_WHOLE)), mask)
  }
  return o.and(fastWholeWord(o, field, color, isInRange)!, mask)
}

/** The same with numbers. */
export function fastComponentCode(component: FormatComponent): ComponentCode | undefined {
  if (!isFast(component)) return undefined
  const greatest = greatestOf(component)
  const mask = 2 ** component.bitCount - 1
  if (component.encoding === 'snorm') {
    const whole = floatOf(SIGNED_WHOLE)
    return (from, c) => {
      const clamped = Math.max(-1, Math.min(1, from.floats[c]!))
      return Number.isNaN(clamped) ? 0 : floatBits(fround(clamped * greatest) + whole) & mask
    }
  }
  const whole = floatOf(WHOLE)
  return (from, c) => {
    const value = from.floats[c]!
    return floatBits(fround((value > 0 ? Math.min(value, 1) : 0) * greatest) + whole) & mask
  }
}

/** The code of a component whose color is a sum of blending in units of a code. */
export function codeOfSum({ bitCount }: FormatComponent): ComponentCode {
  const [mask, whole] = [2 ** bitCount - 1, floatOf(WHOLE)]
  return (from, c) => floatBits(from.floats[c]! + whole) & mask
}

/** A UNORM code of 16 bits at most as float32, by a product with the rounded reciprocal of the greatest. */
export const fastUnormWord = <V>(o: ValueOps<V>, code: V, bitCount: number): V =>
  o.f32Mul(o.i32ToF32(code), o.constant(floatBits(1 / (2 ** bitCount - 1))))

/** The same with numbers, of the exact value of a code. */
export function fastUnorm(value: number, bitCount: number): number {
  const greatest = 2 ** bitCount - 1
  return fround(Math.round(value * greatest) * fround(1 / greatest))
}
