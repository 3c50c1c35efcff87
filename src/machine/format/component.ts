import type { ComponentEncoding, FormatComponent } from '../../isa/formats/index.ts'
import {
  bitsOfF32,
  bitsToFloat10,
  bitsToFloat11,
  bitsToFloat16,
  f32OfBits,
  float10ToBits,
  float11ToBits,
  float16ToBits,
} from './float-bits.ts'
import {
  floatToSnorm,
  floatToSrgb8,
  floatToUnorm,
  floatToXrBias,
  SRGB8_TO_FLOAT,
  snormToFloat,
  unormToFloat,
  xrBiasToFloat,
} from './normalized.ts'

/** Turns the code of one component into the 32 bits that a register gets. */
export type CodeToBits = (code: number) => number
/** Turns the 32 bits of a register component into the code that is stored, `bitCount` bits wide. */
export type BitsToCode = (bits: number) => number

function signExtend(code: number, bitCount: number): number {
  return (code << (32 - bitCount)) >> (32 - bitCount)
}

function floatDecoder(bitCount: number): CodeToBits {
  switch (bitCount) {
    case 32:
      return (code) => code
    case 16:
      return float16ToBits
    case 11:
      return float11ToBits
    default:
      return float10ToBits
  }
}

/** The conversion of one component on its way to a register (functional spec 3.2.3 and 19.1.3.2). */
export function componentDecoder(encoding: ComponentEncoding, n: number): CodeToBits {
  switch (encoding) {
    case 'unorm':
      return (code) => bitsOfF32(unormToFloat(code, n))
    case 'snorm':
      return (code) => bitsOfF32(snormToFloat(signExtend(code, n), n))
    case 'unorm-srgb':
      return (code) => bitsOfF32(SRGB8_TO_FLOAT[code]!)
    case 'xr-bias':
      return (code) => bitsOfF32(xrBiasToFloat(code))
    case 'float':
      return floatDecoder(n)
    case 'sint':
      return (code) => signExtend(code, n) >>> 0
    case 'uint':
    case 'sharedexp':
    case 'typeless':
      return (code) => code
  }
}

function floatEncoder(bitCount: number): BitsToCode {
  switch (bitCount) {
    case 32:
      return (bits) => bits
    case 16:
      return bitsToFloat16
    case 11:
      return bitsToFloat11
    default:
      return bitsToFloat10
  }
}

/** The conversion of one component on its way to memory. Integers are clamped to the target's range (3.2.3.13). */
export function componentEncoder(encoding: ComponentEncoding, n: number): BitsToCode {
  const mask = n === 32 ? 0xffffffff : 2 ** n - 1
  switch (encoding) {
    case 'unorm':
      return (bits) => floatToUnorm(f32OfBits(bits), n)
    case 'snorm':
      return (bits) => (floatToSnorm(f32OfBits(bits), n) & mask) >>> 0
    case 'unorm-srgb':
      return (bits) => floatToSrgb8(f32OfBits(bits))
    case 'xr-bias':
      return (bits) => floatToXrBias(f32OfBits(bits))
    case 'float':
      return floatEncoder(n)
    case 'sint': {
      const max = 2 ** (n - 1) - 1
      return (bits) => (Math.max(-max - 1, Math.min(max, bits | 0)) & mask) >>> 0
    }
    case 'uint':
      return (bits) => Math.min(bits >>> 0, mask)
    case 'sharedexp':
    case 'typeless':
      return () => 0
  }
}

const TABLES = new Map<string, Uint32Array>()

/** Register bits of every code of a component of at most 16 bits; tables are made once and shared. */
export function decodeTable(encoding: ComponentEncoding, bitCount: number): Uint32Array {
  const key = `${encoding}${bitCount}`
  const known = TABLES.get(key)
  if (known !== undefined) return known
  const decode = componentDecoder(encoding, bitCount)
  const table = Uint32Array.from({ length: 1 << bitCount }, (_, code) => decode(code))
  TABLES.set(key, table)
  return table
}

/** What a missing A component reads as: 1 in the interpretation of the format (19.1.3.3). */
export function oneBits(components: readonly FormatComponent[]): number {
  const first = components.find((c) => c.encoding !== 'typeless')
  return first?.encoding === 'uint' || first?.encoding === 'sint' ? 1 : 0x3f800000
}

/**
 * What component 0 to 3 of a texel reads as out of bounds: 0 where the format has it, and otherwise what a missing
 * component reads as everywhere, 0 or a 1 in A (5.8.5, 19.1.3.3, 22.4.6).
 */
export function outsideBits({ components }: { readonly components: readonly FormatComponent[] }, n: number): number {
  if (n !== 3) return 0
  return components.some((c) => c.name === 'a' && c.encoding !== 'typeless') ? 0 : oneBits(components)
}
