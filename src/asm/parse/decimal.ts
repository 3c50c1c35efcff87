/**
 * Decimal text to floats, and what a text of six decimals (`%f`) says about the float that was printed.
 *
 * Several floats print alike as long as they lie closer together than 10^-6: always below 8 (neighbors at most 2^-21
 * apart), never from 16 on (2^-19 apart), in between only near the middle between two of them.
 */

const SCRATCH_FLOAT = new Float32Array(1)
const SCRATCH_BITS = new Uint32Array(SCRATCH_FLOAT.buffer)
const SCRATCH_DOUBLE = new Float64Array(1)
const SCRATCH_WORDS = new Uint32Array(SCRATCH_DOUBLE.buffer)

/** Digits beyond this many cannot move a rounding except by being there at all. */
const MAX_DIGITS = 1200

/** The bits of a float. */
export function bitsOfFloat(value: number): number {
  SCRATCH_FLOAT[0] = value
  return SCRATCH_BITS[0]!
}

/** The low and high dword of a double. */
export function dwordsOfDouble(value: number): readonly [number, number] {
  SCRATCH_DOUBLE[0] = value
  return [SCRATCH_WORDS[0]!, SCRATCH_WORDS[1]!]
}

/** Whether a positive double lies exactly between two neighboring floats: rounding it once more could go the wrong way. */
function isMidpoint(value: number): boolean {
  const near = Math.fround(value)
  if (near === value || near === Number.POSITIVE_INFINITY) return false
  const bits = bitsOfFloat(near)
  SCRATCH_BITS[0] = near > value ? bits - 1 : bits + 1
  const other = SCRATCH_FLOAT[0]!
  return value - Math.min(near, other) === Math.max(near, other) - value
}

/** A positive double as `mantissa * 2^exponent`. */
function splitDouble(value: number): readonly [bigint, number] {
  const [low, high] = dwordsOfDouble(value)
  const biased = (high >>> 20) & 0x7ff
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(low)
  return biased === 0 ? [fraction, -1074] : [fraction | (1n << 52n), biased - 1075]
}

/** -1, 0 or 1 as a decimal text without sign is less than, equal to or more than a positive double. */
function compareDecimal(text: string, value: number): number {
  const [digitsText, exponentText] = text.toLowerCase().split('e')
  const [whole, fraction] = `${digitsText}.`.split('.')
  let digits = `${whole}${fraction}`
  let exponent = Number(exponentText ?? 0) - fraction!.length
  if (digits.length > MAX_DIGITS) {
    exponent += digits.length - MAX_DIGITS - 1
    digits = `${digits.slice(0, MAX_DIGITS)}1`
  }
  let left = BigInt(digits)
  let [right, power] = splitDouble(value)
  if (exponent >= 0) left *= 10n ** BigInt(exponent)
  else right *= 10n ** BigInt(-exponent)
  if (power >= 0) right <<= BigInt(power)
  else left <<= BigInt(-power)
  return left < right ? -1 : left > right ? 1 : 0
}

/**
 * The float nearest to a positive decimal, ties to even. `value` is the double nearest to it, `text` the decimal itself,
 * looked at only where the double lies exactly between two floats.
 */
export function nearestFloat(value: number, text: () => string): number {
  const near = Math.fround(value)
  if (near === value || !isMidpoint(value)) return near
  const side = compareDecimal(text(), value)
  if (side === 0) return near
  const bits = bitsOfFloat(near)
  if (side > 0 === near > value) return near
  SCRATCH_BITS[0] = near > value ? bits - 1 : bits + 1
  return SCRATCH_FLOAT[0]!
}

const MILLION = 1_000_000
const BITS_20 = 0x100000

/**
 * Whether other floats than `value` print as the same six decimals. `millionths` is the text's number times 10^6 and
 * `value` the float nearest to it, both positive.
 */
export function isSharedFloatText(value: number, millionths: number): boolean {
  if (value < 8) return true
  if (value >= 16) return false
  // Floats from 8 to 16 are multiples of 2^-20 with 24 bits; both products are exact.
  const steps = value * BITS_20
  const away = Math.abs(steps * MILLION - millionths * BITS_20)
  // The next float prints alike if it is at most half a millionth from the text. Just below 8 floats lie twice as close.
  return steps === 8 * BITS_20 || MILLION - away <= BITS_20 / 2
}

const DOUBLE_LIMIT_SHARED = 2 ** 32
const DOUBLE_LIMIT_ALONE = 2 ** 33

/** As `isSharedFloatText` for doubles: the same distances are reached at 2^32 and 2^33. */
export function isSharedDoubleText(value: number, text: string): boolean {
  if (value <= DOUBLE_LIMIT_SHARED) return true
  if (value >= DOUBLE_LIMIT_ALONE) return false
  const [mantissa, exponent] = splitDouble(value)
  const steps = mantissa >> BigInt(-20 - exponent)
  const difference = steps * 1_000_000n - BigInt(text.replace('.', '')) * 0x100000n
  const away = difference < 0n ? -difference : difference
  return 1_000_000n - away <= 0x80000n
}
