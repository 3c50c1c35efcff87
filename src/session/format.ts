import { f32OfBits } from '../machine/index.ts'
import type { ScalarType } from '../source/index.ts'

/** How the words of a value are shown: a format that was asked for behind a comma, or that of the value's type. */
export const FORMATS = ['x', 'i', 'u', 'f', 'b', 'c'] as const

/** `x` hexadecimal, `i` and `u` integers, `f` float, `b` binary, `c` a color. */
export type WordFormat = (typeof FORMATS)[number]

/** The shortest decimal that is this float again. */
export function floatText(bits: number): string {
  const value = f32OfBits(bits >>> 0)
  if (!Number.isFinite(value)) return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf'
  if (Object.is(value, -0)) return '-0'
  for (let digits = 1; digits < 9; digits++) {
    const text = value.toPrecision(digits)
    if (Math.fround(Number(text)) === value) return `${Number(text)}`
  }
  return `${Number(value.toPrecision(9))}`
}

export const hexText = (bits: number): string => `0x${(bits >>> 0).toString(16).padStart(8, '0')}`

/** Exponents of floats that people use; other words are shown as integers where no type is known. */
const isLikelyFloat = (bits: number): boolean => {
  const exponent = (bits >>> 23) & 0xff
  return exponent > 64 && exponent < 192
}

/** A word whose type nobody knows: a float where it looks like one. */
export function guessText(bits: number): string {
  if (isLikelyFloat(bits)) return floatText(bits)
  const signed = bits | 0
  return signed > -65536 && signed < 2 ** 24 ? `${signed}` : hexText(bits)
}

function byType(bits: number, scalar: ScalarType | undefined): string {
  switch (scalar) {
    case undefined:
      return guessText(bits)
    case 'bool':
      return bits === 0 ? 'false' : 'true'
    case 'int':
    case 'min16int':
    case 'min12int':
      return `${bits | 0}`
    case 'uint':
    case 'min16uint':
      return `${bits >>> 0}`
    default:
      return floatText(bits)
  }
}

/** A word as text; undefined bits are not available at the place that is looked at. */
export function wordText(bits: number | undefined, scalar: ScalarType | undefined, format?: WordFormat): string {
  if (bits === undefined) return NOT_AVAILABLE
  switch (format) {
    case 'x':
      return hexText(bits)
    case 'i':
      return `${bits | 0}`
    case 'u':
      return `${bits >>> 0}`
    case 'b':
      return `0b${(bits >>> 0).toString(2).padStart(32, '0')}`
    case 'f':
    case 'c':
      return floatText(bits)
    case undefined:
      return byType(bits, scalar)
  }
}

/** What stands for a value that is nowhere at this statement. */
export const NOT_AVAILABLE = 'not available here'

const DOUBLE = new DataView(new ArrayBuffer(8))

/** A double from its two words. */
export function doubleText(low: number | undefined, high: number | undefined): string {
  if (low === undefined || high === undefined) return NOT_AVAILABLE
  DOUBLE.setUint32(0, low >>> 0, true)
  DOUBLE.setUint32(4, high >>> 0, true)
  return `${DOUBLE.getFloat64(0, true)}`
}

/** A color of three or four floats from 0 to 1, as `#rrggbb` or `#rrggbbaa`. */
export function colorText(words: readonly (number | undefined)[]): string | undefined {
  if (words.length < 3 || words.length > 4 || words.includes(undefined)) return undefined
  const bytes = words.map((w) => Math.round(255 * Math.min(1, Math.max(0, f32OfBits(w! >>> 0) || 0))))
  return `#${bytes.map((b) => b.toString(16).padStart(2, '0')).join('')}`
}

const FLOAT = new DataView(new ArrayBuffer(4))

/** The bits that a text stands for in a word of a type; undefined where it is no number. */
export function bitsOfText(text: string, scalar: ScalarType | undefined): number | undefined {
  const word = text.trim().toLowerCase()
  if (/^0x[0-9a-f]{1,8}$/.test(word)) return Number(word) >>> 0
  if (scalar === 'bool' || word === 'true' || word === 'false') {
    return word === 'true' ? 0xffffffff : word === 'false' || word === '0' ? 0 : Number(word) ? 0xffffffff : undefined
  }
  const value = /^[-+]?inf$/.test(word)
    ? (word.startsWith('-') ? -1 : 1) / 0
    : word === 'nan'
      ? Number.NaN
      : Number(word)
  if (word === '' || (Number.isNaN(value) && word !== 'nan')) return undefined
  const isInteger = scalar === undefined ? /^[-+]?\d+$/.test(word) : /int/.test(scalar)
  if (isInteger) return Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 32 ? value >>> 0 : undefined
  FLOAT.setFloat32(0, value)
  return FLOAT.getUint32(0)
}
