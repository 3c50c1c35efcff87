/** Numbers whose text reads back to the same bits: the shortest decimal that does, or hexadecimal. */
import { bitsOfFloat } from '../parse/decimal.ts'
import { doubleOfBits, floatOfBits, hexText, integerText, SMALL_INTEGER } from '../text/numbers.ts'

const withPoint = (text: string): string => (/[.e]/.test(text) ? text : `${text}.0`)

/** A finite float in the fewest digits that no other float is nearer to. */
function shortestFloat(bits: number): string {
  const value = floatOfBits(bits)
  for (let digits = 6; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits))
    if (bitsOfFloat(shorter) === bits >>> 0) return String(shorter)
  }
  return String(Number(value.toPrecision(9)))
}

/** A float: a decimal, hexadecimal for what has none that people read (NaN, infinity, denormals). */
export function exactFloatText(bits: number): string {
  const exponent = bits & 0x7f800000
  if (bits >>> 0 === 0x80000000) return '-0.0'
  if (exponent === 0x7f800000 || (exponent === 0 && bits !== 0)) return hexText(bits)
  return withPoint(shortestFloat(bits))
}

/** A dword of unknown type: a small integer, hexadecimal where it makes no good float, else a float. */
export function exactAutoText(bits: number): string {
  const signed = bits | 0
  return signed >= -SMALL_INTEGER && signed <= SMALL_INTEGER ? integerText(bits) : exactFloatText(bits)
}

/** A double, with the suffix of doubles; the two dwords in hexadecimal where it has no good decimal. */
export function exactDoubleText(low: number, high: number): string {
  const exponent = high & 0x7ff00000
  const isZero = low === 0 && (high & 0x7fffffff) === 0
  if (exponent === 0x7ff00000 || (exponent === 0 && !isZero)) return `${hexText(low)}, ${hexText(high)}`
  const value = doubleOfBits(low, high)
  return `${withPoint(Object.is(value, -0) ? '-0' : String(value))}l`
}
