/** Words as texts and back, of types that are known and of registers, which have none. */
import { f32OfBits } from '../machine/index.ts'
import { type ComputedValue, type ScalarType, valueText } from '../source/index.ts'

const word = (scalar: ScalarType, bits: number): ComputedValue => ({
  kind: 'computed',
  scalar,
  rows: 1,
  columns: 1,
  words: [bits],
})

export const hexText = (bits: number): string => valueText(word('uint', bits), 'x')

/** Floats that people use; other words are shown as integers where no type is known. */
const isLikelyFloat = (bits: number): boolean => {
  // An infinity, or the NaN that instructions make.
  const magnitude = bits & 0x7fffffff
  if (magnitude === 0x7f800000 || magnitude === 0x7fc00000) return true
  const size = Math.abs(f32OfBits(bits >>> 0))
  return size >= 1e-5 && size < 1e7
}

/** A word that is a float, however small. */
export const floatText = (bits: number): string => valueText(word('float', bits))

/** A word of unknown type: a float where it looks like one. */
export function guessText(bits: number): string {
  if (isLikelyFloat(bits)) return valueText(word('float', bits))
  const signed = bits | 0
  return signed > -65536 && signed < 2 ** 24 ? `${signed}` : hexText(bits)
}

const FLOAT = new DataView(new ArrayBuffer(4))

function floatBits(text: string): number | undefined {
  const special = /^([-+]?)(inf|nan)$/i.exec(text)
  const value =
    special === null ? Number(text) : special[2]!.toLowerCase() === 'nan' ? Number.NaN : Number(`${special[1]}Infinity`)
  if (special === null && Number.isNaN(value)) return undefined
  FLOAT.setFloat32(0, value)
  return FLOAT.getUint32(0)
}

/** The bits that a text stands for in a word of a type; without a type, whole numbers are integers. */
export function bitsOfText(text: string, scalar: ScalarType | undefined): number | undefined {
  const given = text.trim()
  if (/^0x[0-9a-f]{1,8}$/i.test(given)) return Number(given) >>> 0
  if (given === 'true' || given === 'false') return given === 'true' ? 0xffffffff : 0
  const isInteger = scalar === undefined ? /^[-+]?\d+$/.test(given) : /int|bool/.test(scalar)
  if (!isInteger) return given === '' ? undefined : floatBits(given)
  const value = Number(given)
  return given !== '' && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 32 ? value >>> 0 : undefined
}
