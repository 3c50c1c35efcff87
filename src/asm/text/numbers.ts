/**
 * How the listing writes numbers: `%f` of floats and doubles, small integers in decimal and the rest in hexadecimal,
 * or everything in hexadecimal. Parsing of the same forms is in `parse/`.
 */
import type { LiteralStyle } from '../../isa/index.ts'

/** What differs between the C runtimes that fxc's disassembler has run with; the corpus shows the first of each. */
export interface FloatText {
  /** Digits of values beyond 2^53: all of them, or 17 significant ones and then zeros (older Windows runtimes). */
  readonly digits: 'exact' | '17'
  /** Where a value lies exactly between two texts of six decimals. */
  readonly ties: 'away' | 'even'
  /**
   * NaN with the sign bit: always `-1.#IND00`, or (`by-payload`) so only the one that the processor itself makes, with
   * the quiet bit alone, and `-1.#QNAN0` for the others.
   */
  readonly negativeNan: 'indefinite' | 'by-payload'
}

export const DEFAULT_FLOAT_TEXT: FloatText = { digits: 'exact', ties: 'away', negativeNan: 'indefinite' }

const INFINITY = '1.#INF00'
const NEGATIVE_INFINITY = '-1.#INF00'
const QUIET_NAN = '1.#QNAN0'
const NEGATIVE_QUIET_NAN = '-1.#QNAN0'
const INDEFINITE_NAN = '-1.#IND00'

const DECIMALS = 1_000_000
/** Integers below this have at most 17 digits. */
const SEVENTEEN_DIGITS = 1e17

const SCRATCH_BITS = new Uint32Array(2)
const SCRATCH_FLOAT = new Float32Array(SCRATCH_BITS.buffer)
const SCRATCH_DOUBLE = new Float64Array(SCRATCH_BITS.buffer)

/** The float with these bits. */
export function floatOfBits(bits: number): number {
  SCRATCH_BITS[0] = bits
  return SCRATCH_FLOAT[0]!
}

/** The double with these low and high dwords. */
export function doubleOfBits(low: number, high: number): number {
  SCRATCH_BITS[0] = low
  SCRATCH_BITS[1] = high
  return SCRATCH_DOUBLE[0]!
}

function integralText(magnitude: number, text: FloatText): string {
  if (magnitude <= Number.MAX_SAFE_INTEGER) return `${magnitude}.000000`
  if (text.digits === 'exact' || magnitude < SEVENTEEN_DIGITS) return `${BigInt(magnitude)}.000000`
  const [digits, exponent] = magnitude.toExponential(16).split('e')
  return `${digits!.replace('.', '').padEnd(Number(exponent) + 1, '0')}.000000`
}

/** `millionths` of one, 0 to 2^53, as a number with six decimals. */
function millionthsText(millionths: number): string {
  const whole = Math.floor(millionths / DECIMALS)
  const rest = millionths - whole * DECIMALS
  return `${whole}.${String(rest + DECIMALS).slice(1)}`
}

/** The integer nearest to a scaled value that is exact; halves go up (away from zero), or to even. */
function nearest(scaled: number, text: FloatText): number {
  const up = Math.floor(scaled + 0.5)
  return text.ties === 'even' && up - scaled === 0.5 && up % 2 !== 0 ? up - 1 : up
}

function nanText(negative: boolean, isIndefinite: boolean, text: FloatText): string {
  if (!negative) return QUIET_NAN
  return text.negativeNan === 'indefinite' || isIndefinite ? INDEFINITE_NAN : NEGATIVE_QUIET_NAN
}

/** `%f` of the float with these bits. */
export function floatText(bits: number, text: FloatText): string {
  const negative = bits >>> 31 !== 0
  if ((bits & 0x7f800000) === 0x7f800000) {
    if ((bits & 0x7fffff) === 0) return negative ? NEGATIVE_INFINITY : INFINITY
    return nanText(negative, bits >>> 0 === 0xffc00000, text)
  }
  const magnitude = floatOfBits(bits & 0x7fffffff)
  // A float has 24 bits and a million 14 (its other factors are powers of two): the product is exact in a double.
  const magnitudeText =
    magnitude < 0x1000000 ? millionthsText(nearest(magnitude * DECIMALS, text)) : integralText(magnitude, text)
  return negative ? `-${magnitudeText}` : magnitudeText
}

/** Whether a double below 2^53 lies exactly between two texts of six decimals: then 2^7 times it (as 5^6 is odd) is odd. */
function isTie(magnitude: number): boolean {
  const scaled = magnitude * 128
  return Number.isInteger(scaled) && scaled % 2 !== 0
}

function finiteDoubleText(magnitude: number, text: FloatText): string {
  if (magnitude >= 2 ** 53) return integralText(magnitude, text)
  // toFixed is exact and takes the larger of two equally near texts, which is away from zero for a magnitude.
  const fixed = magnitude.toFixed(6)
  if (text.ties === 'away' || !isTie(magnitude)) return fixed
  const last = fixed.charCodeAt(fixed.length - 1) - 48
  // A tie ends in ...5 exactly, so its rounded last digit is not 0 and one less needs no borrow.
  return last % 2 === 0 ? fixed : fixed.slice(0, -1) + (last - 1)
}

/** `%f` of the double with these low and high dwords. */
export function doubleText(low: number, high: number, text: FloatText): string {
  const negative = high >>> 31 !== 0
  if ((high & 0x7ff00000) === 0x7ff00000) {
    if ((high & 0xfffff) === 0 && low === 0) return negative ? NEGATIVE_INFINITY : INFINITY
    return nanText(negative, high >>> 0 === 0xfff80000 && low === 0, text)
  }
  const magnitudeText = finiteDoubleText(doubleOfBits(low, high & 0x7fffffff), text)
  return negative ? `-${magnitudeText}` : magnitudeText
}

const GENERAL_DIGITS = 6

/** `%g` as the runtimes of the time had it: six significant digits, exponents of three digits. */
export function generalText(value: number): string {
  if (Number.isNaN(value)) return '1.#QNAN'
  if (!Number.isFinite(value)) return value < 0 ? '-1.#INF' : '1.#INF'
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  if (value === 0) return `${sign}0`
  const [digits, exponentText] = Math.abs(value)
    .toExponential(GENERAL_DIGITS - 1)
    .split('e')
  const exponent = Number(exponentText)
  const trimmed = (text: string): string => (text.includes('.') ? text.replace(/\.?0+$/, '') : text)
  if (exponent < -4 || exponent >= GENERAL_DIGITS) {
    const power = String(Math.abs(exponent)).padStart(3, '0')
    return `${sign}${trimmed(digits!)}e${exponent < 0 ? '-' : '+'}${power}`
  }
  return sign + trimmed(Math.abs(value).toFixed(GENERAL_DIGITS - 1 - exponent))
}

const HEX_BYTE: readonly string[] = Array.from({ length: 256 }, (_, i) => i.toString(16).padStart(2, '0'))

/** `0x` and eight digits. */
export function hexText(bits: number): string {
  return `0x${HEX_BYTE[bits >>> 24]}${HEX_BYTE[(bits >>> 16) & 255]}${HEX_BYTE[(bits >>> 8) & 255]}${HEX_BYTE[bits & 255]}`
}

/** Integers are decimal from -SMALL_INTEGER to SMALL_INTEGER. */
export const SMALL_INTEGER = 10_000

/** A dword as a small signed integer, else in hexadecimal. */
export function integerText(bits: number): string {
  const signed = bits | 0
  return signed >= -SMALL_INTEGER && signed <= SMALL_INTEGER ? String(signed) : hexText(bits)
}

/** A dword of unknown type: a small signed integer; a denormal, infinity or NaN in hexadecimal; else `%f`. */
export function autoText(bits: number, text: FloatText): string {
  const signed = bits | 0
  if (signed >= -SMALL_INTEGER && signed <= SMALL_INTEGER) return String(signed)
  const exponent = bits & 0x7f800000
  if (exponent === 0x7f800000 || (exponent === 0 && bits >>> 0 !== 0x80000000)) return hexText(bits)
  return floatText(bits, text)
}

/** What stands between the components of a 32-bit literal, by style. */
export const LITERAL_SEPARATOR: Readonly<Record<LiteralStyle, string>> = { float: ', ', auto: ',', integer: ', ' }

export type DwordText = (bits: number) => string

const CACHE_SIZE = 1024

/** A function of dwords that remembers what it answered last for each of CACHE_SIZE slots: shaders repeat their literals. */
function cached(print: DwordText): DwordText {
  const keys = new Uint32Array(CACHE_SIZE)
  const texts: string[] = new Array(CACHE_SIZE).fill(print(0))
  return (bits) => {
    const dword = bits >>> 0
    const slot = (dword ^ (dword >>> 11) ^ (dword >>> 21)) & (CACHE_SIZE - 1)
    if (keys[slot] === dword) return texts[slot]!
    const text = print(dword)
    keys[slot] = dword
    texts[slot] = text
    return text
  }
}

/** How each literal style writes one dword. */
export function literalTexts(text: FloatText, hexLiterals: boolean): Readonly<Record<LiteralStyle, DwordText>> {
  if (hexLiterals) return { float: hexText, auto: hexText, integer: hexText }
  return {
    float: cached((bits) => floatText(bits, text)),
    auto: cached((bits) => autoText(bits, text)),
    integer: cached(integerText),
  }
}
