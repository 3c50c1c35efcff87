/** Numbers in operands, declarations and literals. */
import type { LiteralStyle } from '../../isa/index.ts'
import { hexText } from '../text/numbers.ts'
import { bitsOfFloat, dwordsOfDouble, isSharedDoubleText, isSharedFloatText, nearestFloat } from './decimal.ts'
import { likelyNumber } from './likely-float.ts'
import { CODE, isDigitCode, isWordCode, type Source } from './source.ts'

const LOWER_X = 0x78
const UPPER_X = 0x58
const LOWER_E = 0x65
const UPPER_E = 0x45
const LOWER_F = 0x66
const UPPER_F = 0x46
const LOWER_L = 0x6c
const UPPER_L = 0x4c
const MAX_DWORD = 0xffffffff
const MIN_SIGNED = -0x80000000
/** Below this many digits a decimal's digits are exact in a double, and so is a division by a power of ten up to 10^22. */
const EXACT_DIGITS = 15
const POWERS_OF_TEN: readonly number[] = Array.from({ length: EXACT_DIGITS + 1 }, (_, i) => 10 ** i)
/** What `%f` prints behind the point. */
const PRINTED_DECIMALS = 6

const isHexPrefix = (s: Source): boolean => {
  const x = s.peekAt(1)
  return s.peek() === CODE.zero && (x === LOWER_X || x === UPPER_X)
}

function hexDigit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const lower = code | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/** The digits behind `0x`; at most 32 bits. */
function readHex(s: Source, start: number): number {
  s.position += 2
  const digitsStart = s.position
  let value = 0
  for (let digit = hexDigit(s.peek()); digit >= 0; digit = hexDigit(s.peek())) {
    value = value * 16 + digit
    s.position++
    if (value > MAX_DWORD) return failNumber(s, start, 'a number of at most 32 bits')
  }
  if (s.position === digitsStart || isWordCode(s.peek())) return failNumber(s, start, 'hexadecimal digits')
  return value
}

function failNumber(s: Source, start: number, expected: string): never {
  let end = s.position
  while (end < s.lineEnd && end - start < 60 && isWordCode(s.text.charCodeAt(end))) end++
  const found = start < end ? `found '${s.text.slice(start, Math.min(end, start + 40))}'` : `found ${s.found()}`
  return s.fail('asm-number-range', `expected ${expected}, ${found}`, start, Math.max(end, start + 1))
}

/** A number of at most 32 bits, decimal or hexadecimal. `what` says in an error what it is for. */
export function readUnsigned(s: Source, what: string): number {
  s.skipBlanks()
  const start = s.position
  if (isHexPrefix(s)) return readHex(s, start)
  let value = 0
  for (let code = s.peek(); isDigitCode(code); code = s.peek()) {
    value = value * 10 + (code - CODE.zero)
    s.position++
    if (value > MAX_DWORD) return failNumber(s, start, `${what} of at most 32 bits`)
  }
  if (s.position === start) return s.failExpected(what)
  return value
}

/** As `readUnsigned`, with a sign; negative numbers come as their two's complement. */
export function readSigned(s: Source, what: string): number {
  s.skipBlanks()
  const start = s.position
  if (!s.accept(CODE.minus)) return readUnsigned(s, what)
  const magnitude = readUnsigned(s, what)
  if (magnitude > -MIN_SIGNED) return failNumber(s, start, `${what} not below ${MIN_SIGNED}`)
  return -magnitude >>> 0
}

/** What a literal is read as, beside its text. */
export interface LiteralContext {
  readonly style: LiteralStyle
  /** Six decimals are what they say, not the `%f` of something near (the lossless dialect). */
  readonly exact: boolean
  /** Literals that are known to stand in the shader, by the text that `%f` gives them. */
  readonly known?: KnownLiterals
}

/** The floats of a shader by their six-decimal texts; undefined where several of its floats print alike. */
export type KnownLiterals = ReadonlyMap<string, number | undefined>

/** A decimal as scanned: `value` is the double nearest to its magnitude. */
interface Decimal {
  readonly start: number
  readonly end: number
  readonly value: number
  readonly negative: boolean
  /** Digits behind the point; -1 where there is no point. */
  readonly decimals: number
  readonly hasExponent: boolean
  readonly suffix: number
}

function skipDigits(s: Source): void {
  while (isDigitCode(s.peek())) s.position++
}

function skipExponent(s: Source): boolean {
  const code = s.peek()
  if (code !== LOWER_E && code !== UPPER_E) return false
  const sign = s.peekAt(1)
  const signed = sign === CODE.plus || sign === CODE.minus
  if (!isDigitCode(s.peekAt(signed ? 2 : 1))) return false
  s.position += signed ? 2 : 1
  skipDigits(s)
  return true
}

function skipSuffix(s: Source): number {
  const code = s.peek()
  const known = code === LOWER_F || code === UPPER_F || code === LOWER_L || code === UPPER_L
  if (!known) return 0
  s.position++
  return code | 0x20
}

/** Digits with their point taken out, as a double: exact, as there are at most EXACT_DIGITS of them. */
function digitsValue(text: string, start: number, end: number): number {
  let value = 0
  for (let at = start; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code !== CODE.dot) value = value * 10 + (code - CODE.zero)
  }
  return value
}

function scanDecimal(s: Source, negative: boolean): Decimal {
  const start = s.position
  skipDigits(s)
  const wholeEnd = s.position
  const hasPoint = s.peek() === CODE.dot
  if (hasPoint) s.position++
  const fractionStart = s.position
  skipDigits(s)
  const decimals = hasPoint ? s.position - fractionStart : -1
  const digits = wholeEnd - start + Math.max(decimals, 0)
  if (digits === 0) return failNumber(s, start, 'a number')
  const digitsEnd = s.position
  const hasExponent = skipExponent(s)
  const end = s.position
  const short = digits <= EXACT_DIGITS && !hasExponent
  const value = short
    ? digitsValue(s.text, start, digitsEnd) / POWERS_OF_TEN[Math.max(decimals, 0)]!
    : Number(s.text.slice(start, end))
  const suffix = skipSuffix(s)
  if (isWordCode(s.peek())) return failNumber(s, start, 'a number')
  return { start, end, value, negative, decimals, hasExponent, suffix }
}

/** NaN and infinity as C runtimes print them: bits of the magnitude, and whether payload bits may have been lost. */
const SPECIAL_WORDS: ReadonlyMap<string, { readonly bits: number; readonly lossy: boolean }> = new Map([
  ['inf', { bits: 0x7f800000, lossy: false }],
  ['infinity', { bits: 0x7f800000, lossy: false }],
  ['nan', { bits: 0x7fc00000, lossy: true }],
  ['qnan', { bits: 0x7fc00000, lossy: true }],
  ['snan', { bits: 0x7fa00000, lossy: true }],
  ['ind', { bits: 0x7fc00000, lossy: true }],
])

const SPECIAL_PREFIX = '1.#'

/** `1.#INF00`, `1.#QNAN0`, `1.#IND00`, `inf`, `nan(ind)`...; undefined where no such word stands here. */
function readSpecial(s: Source): { readonly bits: number; readonly lossy: boolean } | undefined {
  const marked = s.text.startsWith(SPECIAL_PREFIX, s.position)
  const code = s.peek() | 0x20
  if (!marked && code !== 0x69 && code !== 0x6e) return undefined
  const start = s.position
  if (marked) s.position += SPECIAL_PREFIX.length
  const word = s.word().toLowerCase()
  const special = SPECIAL_WORDS.get(marked ? word.replace(/0+l?$/, '') : word)
  if (special === undefined) return failNumber(s, start, 'a number')
  if (s.peek() === CODE.open) {
    const close = s.find(')')
    if (close < 0) return failNumber(s, start, 'a number')
    s.position = close + 1
  }
  return special
}

const HOW_TO_KEEP_BITS =
  'assemble over the shader that was listed (--base), or list it with hexadecimal literals or in the dialect lossless'

function warnLossy(s: Source, start: number, bits: string, likely: boolean): void {
  const text = s.text.slice(start, Math.min(s.position, start + 60))
  if (likely) {
    s.report('asm-literal-inexact', `'${text}' is rounded: bits were lost, ${bits} is taken`, start, s.position, [
      HOW_TO_KEEP_BITS,
    ])
  } else s.report('asm-literal-ambiguous', `'${text}' stands for several floats; ${bits} is taken`, start, s.position)
}

/** Whether a text of six decimals shows that digits were cut off: it uses the last two, or it prints what is not zero. */
function isLikelyRounded(millionths: number, style: LiteralStyle): boolean {
  return millionths % 100 !== 0 || (millionths === 0 && style === 'auto')
}

function readFloat(s: Source, start: number, d: Decimal, context: LiteralContext): number {
  const value = nearestFloat(d.value, () => s.text.slice(d.start, d.end))
  if (value === Number.POSITIVE_INFINITY) return failNumber(s, start, 'a number within the range of a float')
  const bits = bitsOfFloat(value) + (d.negative ? 0x80000000 : 0)
  const printed = d.decimals === PRINTED_DECIMALS && !d.hasExponent && d.suffix === 0
  if (printed && !context.exact && context.style !== 'integer' && value < 16) {
    const millionths = Math.round(d.value * 1e6)
    const zero = millionths === 0 && d.negative
    if (zero || isSharedFloatText(value, millionths)) {
      const known = context.known?.get(s.text.slice(start, s.position))
      if (known !== undefined) return known
      const isRounded = isLikelyRounded(millionths, context.style)
      const likely = isRounded ? likelyNumber(millionths) : undefined
      const taken = likely === undefined ? bits : bitsOfFloat(d.negative ? -likely : likely)
      warnLossy(s, start, hexText(taken), zero || isRounded)
      return taken
    }
  }
  return bits
}

function readInteger(s: Source, start: number, d: Decimal, context: LiteralContext): number {
  const value = d.negative ? -d.value : d.value
  if (value > MAX_DWORD || value < MIN_SIGNED) return failNumber(s, start, 'an integer of at most 32 bits')
  const bits = value >>> 0
  if (context.style === 'float' && bits !== 0 && !context.exact) {
    s.report(
      'asm-integer-literal',
      `'${value}' is the bit pattern ${hexText(bits)} here, not the number ${value}.0`,
      start,
      s.position,
      [`write '${value}.0' for the number`],
      { fixes: [{ kind: 'replace', texts: [`${value}.0`] }] },
    )
  }
  return bits
}

/** One component of a 32-bit literal: its bits. A point or exponent makes a float, else it is an integer or hexadecimal. */
export function readLiteralDword(s: Source, context: LiteralContext): number {
  s.skipBlanks()
  const start = s.position
  const negative = s.peek() === CODE.minus
  if (negative) s.position++
  else if (isHexPrefix(s)) return readHex(s, start)
  const special = readSpecial(s)
  if (special !== undefined) {
    const bits = special.bits + (negative ? 0x80000000 : 0)
    if (special.lossy && !context.exact) warnLossy(s, start, hexText(bits), true)
    return bits
  }
  const d = scanDecimal(s, negative)
  if (d.suffix === LOWER_L) return failNumber(s, start, 'a 32-bit number')
  if (d.decimals < 0 && !d.hasExponent && d.suffix === 0) return readInteger(s, start, d, context)
  return readFloat(s, start, d, context)
}

/** The low and high dword of the double whose upper dword is that of `bits` as a float: infinity and NaN. */
function specialDouble(bits: number, negative: boolean): readonly [number, number] {
  const high = bits === 0x7f800000 ? 0x7ff00000 : bits === 0x7fa00000 ? 0x7ff40000 : 0x7ff80000
  return [0, high + (negative ? 0x80000000 : 0)]
}

function readDouble(s: Source, exact: boolean): readonly [number, number] {
  const start = s.position
  const negative = s.peek() === CODE.minus
  if (negative) s.position++
  const special = readSpecial(s)
  if (special !== undefined) {
    skipSuffix(s)
    const [low, high] = specialDouble(special.bits, negative)
    if (special.lossy && !exact) warnLossy(s, start, `${hexText(high)}${hexText(low).slice(2)}`, true)
    return [low, high]
  }
  const d = scanDecimal(s, negative)
  if (d.value === Number.POSITIVE_INFINITY) return failNumber(s, start, 'a number within the range of a double')
  const [low, magnitudeHigh] = dwordsOfDouble(d.value)
  const high = magnitudeHigh + (negative ? 0x80000000 : 0)
  const printed = d.decimals === PRINTED_DECIMALS && !d.hasExponent
  if (printed && !exact && isSharedDoubleText(d.value, s.text.slice(d.start, d.end))) {
    const millionths = Math.round(d.value * 1e6)
    const likely = isLikelyRounded(millionths, 'float') || (millionths === 0 && negative)
    warnLossy(s, start, `${hexText(high)}${hexText(low).slice(2)}`, likely)
  }
  return [low, high]
}

/** One element of a 64-bit literal: a double (two dwords, low first) or one dword in hexadecimal. */
export function readDoubleDwords(s: Source, exact: boolean, out: number[]): void {
  s.skipBlanks()
  if (isHexPrefix(s)) {
    out.push(readHex(s, s.position))
    return
  }
  const [low, high] = readDouble(s, exact)
  out.push(low, high)
}
