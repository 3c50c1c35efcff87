/** Values as text, in their own type or in the format that an expression requests. */
import { sourceTypeText } from '../type.ts'
import { arithmeticType, type ComputedValue, type ExpressionValue, wordCount } from './computed.ts'
import type { ValueFormat } from './tree.ts'

const SCRATCH = new DataView(new ArrayBuffer(8))

function floatOf(word: number): number {
  SCRATCH.setInt32(0, word, true)
  return SCRATCH.getFloat32(0, true)
}

function doubleOf(low: number, high: number): number {
  SCRATCH.setInt32(0, low, true)
  SCRATCH.setInt32(4, high, true)
  return SCRATCH.getFloat64(0, true)
}

const MAX_FLOAT_DIGITS = 9

function numberText(value: number): string {
  if (Number.isNaN(value)) return 'NaN'
  if (!Number.isFinite(value)) return value < 0 ? '-Inf' : 'Inf'
  return Object.is(value, -0)
    ? '-0.0'
    : Number.isInteger(value) && Math.abs(value) < 1e21
      ? value.toFixed(1)
      : `${value}`
}

/** The fewest digits that give the same float again. */
function floatText(word: number): string {
  const value = floatOf(word)
  for (let digits = 1; digits < MAX_FLOAT_DIGITS; digits++) {
    const short = Number(value.toPrecision(digits))
    if (Math.fround(short) === value) return numberText(short)
  }
  return numberText(Number(value.toPrecision(MAX_FLOAT_DIGITS)))
}

const HALF_FRACTION_BITS = 10
const HALF_BIAS = 15

function halfText(bits: number): string {
  const sign = (bits & 0x8000) === 0 ? 1 : -1
  const exponent = (bits >> HALF_FRACTION_BITS) & 0x1f
  const fraction = (bits & 0x3ff) / 2 ** HALF_FRACTION_BITS
  if (exponent === 0x1f) return numberText(fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN)
  const value = exponent === 0 ? fraction * 2 ** (1 - HALF_BIAS) : (1 + fraction) * 2 ** (exponent - HALF_BIAS)
  return numberText(sign * value)
}

const padded = (word: number, radix: number, digits: number): string =>
  (word >>> 0).toString(radix).padStart(digits, '0')

/** One word in a format; the bits are taken as they are, whatever the type. */
function formatted(word: number, format: Exclude<ValueFormat, 'c'>): string {
  switch (format) {
    case 'x':
      return `0x${padded(word, 16, 8)}`
    case 'd':
      return `${word | 0}`
    case 'u':
      return `${word >>> 0}`
    case 'f':
      return floatText(word)
    case 'b':
      return `0b${padded(word, 2, 32)}`
    case 'o':
      return `0o${padded(word, 8, 11)}`
    case 'h':
      return `${halfText(word & 0xffff)} ${halfText(word >>> 16)}`
  }
}

function typed(v: ComputedValue, words: readonly number[]): string {
  if (v.scalar === 'bool') return words[0] === 0 ? 'false' : 'true'
  switch (arithmeticType(v.scalar)) {
    case 'float':
      return floatText(words[0]!)
    case 'double':
      return numberText(doubleOf(words[0]!, words[1]!))
    case 'int':
      return `${words[0]! | 0}`
    case 'uint':
      return `${words[0]! >>> 0}`
  }
}

/** A color of floats from 0 to 1, as HTML writes it. */
function colorText(v: ComputedValue): string | undefined {
  if (arithmeticType(v.scalar) !== 'float' || v.rows !== 1 || v.columns < 3) return undefined
  if (v.words.some((w) => w === undefined)) return undefined
  const parts = v.words.map((w) => Math.round(Math.min(1, Math.max(0, floatOf(w!) || 0)) * 255))
  return `#${parts.map((p) => p.toString(16).padStart(2, '0')).join('')}`
}

/** What stands for a word that is not available. */
export const NOT_AVAILABLE = 'not available'

function componentTexts(v: ComputedValue, format: Exclude<ValueFormat, 'c'> | undefined): readonly string[] {
  const size = wordCount(v.scalar)
  return Array.from({ length: v.rows * v.columns }, (_, i) => {
    const words = v.words.slice(i * size, (i + 1) * size)
    if (words.some((w) => w === undefined)) return NOT_AVAILABLE
    const known = words as readonly number[]
    return format === undefined
      ? typed(v, known)
      : known
          .map((w) => formatted(w, format))
          .reverse()
          .join(' ')
  })
}

/** `1.5`, `(1.0, 2.0)`, rows of a matrix one after the other; structures and arrays by their type. */
export function valueText(value: ExpressionValue, format?: ValueFormat): string {
  if (value.kind === 'tree') return sourceTypeText(value.value.type)
  if (format === 'c') return colorText(value) ?? valueText(value)
  const texts = componentTexts(value, format)
  if (texts.length === 1) return texts[0]!
  const row = (r: number): string => `(${texts.slice(r * value.columns, (r + 1) * value.columns).join(', ')})`
  return value.rows === 1 ? row(0) : `(${Array.from({ length: value.rows }, (_, r) => row(r)).join(', ')})`
}
