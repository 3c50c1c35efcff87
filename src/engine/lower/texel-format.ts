import type { Format, FormatComponent } from '../../isa/formats/index.ts'
import type { Builder } from './builder.ts'
import type { Value } from './value.ts'

/**
 * Conversions between stored components and register words as values, equal to the machine's codecs bit for bit
 * (machine/format; functional specification 3.2.3 and 19.1.3).
 */

const FLOAT_ONE = 0x3f800000

/**
 * 1 / (2^n - 1) as two floats: the product of a code with the first is exact, and the sum of both products is the
 * correctly rounded quotient for every code (the test beside this file tries them all).
 */
export const UNORM_RECIPROCALS: Readonly<Record<number, readonly [number, number]>> = {
  8: [0x3b808100, 0xb37efeff],
  10: [0x3a802000, 0x30802008],
  16: [0x37800000, 0x2f800080],
}

function decodeUnorm(o: Builder, code: Value, bitCount: number): Value {
  const number = o.u32ToF32(code)
  const parts = UNORM_RECIPROCALS[bitCount]
  if (parts === undefined) return o.f32Div(number, o.constant(floatBits(2 ** bitCount - 1)))
  return o.f32Add(o.f32Mul(number, o.constant(parts[0])), o.f32Mul(number, o.constant(parts[1])))
}

const FLOATS = new Float32Array(1)
const WORDS = new Uint32Array(FLOATS.buffer)
const floatBits = (n: number): number => {
  FLOATS[0] = n
  return WORDS[0]!
}

function signExtend(o: Builder, code: Value, bitCount: number): Value {
  const count = o.constant(32 - bitCount)
  return o.shiftRightArithmetic(o.shiftLeft(code, count), count)
}

function decodeSnorm(o: Builder, code: Value, bitCount: number): Value {
  const scale = 2 ** (bitCount - 1) - 1
  const number = o.i32ToF32(signExtend(o, code, bitCount))
  const quotient = o.f32Div(number, o.constant(floatBits(scale)))
  // The lowest code is below -1 and counts as -1.
  return o.select(o.f32Less(quotient, o.constant(0xbf800000)), o.constant(0xbf800000), quotient)
}

/** A float of 5 exponent bits: its bits at the place of float32's fraction, times 2^112; infinities and NaNs keep their bits. */
function decodeSmallFloat(o: Builder, magnitude: Value, fractionBits: number): Value {
  const shifted = o.shiftLeft(magnitude, o.constant(23 - fractionBits))
  const finite = o.f32Mul(shifted, o.constant(0x77800000))
  const special = o.i32Add(shifted, o.constant(0x70000000))
  return o.select(o.u32Less(shifted, o.constant(0x0f800000)), finite, special)
}

function decodeComponent(o: Builder, word: Value, c: FormatComponent): Value {
  const shifted = o.shiftRightLogical(word, o.constant(c.bitOffset & 31))
  const code = c.bitCount === 32 ? shifted : o.and(shifted, o.constant(2 ** c.bitCount - 1))
  switch (c.encoding) {
    case 'unorm':
      return decodeUnorm(o, code, c.bitCount)
    case 'snorm':
      return decodeSnorm(o, code, c.bitCount)
    case 'sint':
      return c.bitCount === 32 ? code : signExtend(o, code, c.bitCount)
    case 'float':
      if (c.bitCount === 32) return code
      if (c.bitCount < 16) return decodeSmallFloat(o, code, c.bitCount - 5)
      return o.or(
        decodeSmallFloat(o, o.and(code, o.constant(0x7fff)), 10),
        o.shiftLeft(o.and(code, o.constant(0x8000)), o.constant(16)),
      )
    default:
      return code
  }
}

const DECODED: ReadonlySet<string> = new Set(['unorm', 'snorm', 'sint', 'uint', 'float'])

const typed = (format: Format): readonly FormatComponent[] => format.components.filter((c) => c.encoding !== 'typeless')

/** Formats that have code: whole dwords an element, components of plain encodings inside one dword each. */
export function canDecode(format: Format): boolean {
  const whole = format.layout === 'linear' && [4, 8, 12, 16].includes(format.blockByteLength)
  const components = typed(format)
  return (
    whole &&
    components.length > 0 &&
    components.every((c) => 'rgba'.includes(c.name) && DECODED.has(c.encoding)) &&
    components.every((c) => c.encoding !== 'unorm' || c.bitCount <= 16)
  )
}

/** Dwords of an element that the wanted components stand in, in order. */
export function dwordsOf(format: Format, wanted: readonly boolean[]): number[] {
  const found = typed(format).filter((c) => wanted['rgba'.indexOf(c.name)])
  return [...new Set(found.map((c) => c.bitOffset >>> 5))].sort((a, b) => a - b)
}

/** The four register words of an element, from its dwords; missing components are 0, 0, 0, 1. */
export function decodeElement(
  o: Builder,
  format: Format,
  dword: (n: number) => Value,
  wanted: readonly boolean[],
): (Value | undefined)[] {
  const components = typed(format)
  const isInteger = components[0]!.encoding === 'uint' || components[0]!.encoding === 'sint'
  return [0, 1, 2, 3].map((i) => {
    if (!wanted[i]) return undefined
    const c = components.find((x) => x.name === 'rgba'[i])
    if (c !== undefined) return decodeComponent(o, dword(c.bitOffset >>> 5), c)
    return o.constant(i < 3 ? 0 : isInteger ? 1 : FLOAT_ONE)
  })
}

/** To nearest with halves away from zero, of a magnitude: the half is compared, not added in float32. */
function roundHalfUp(o: Builder, magnitude: Value): Value {
  const whole = o.f32ToU32(magnitude)
  const rest = o.f32Sub(magnitude, o.u32ToF32(whole))
  return o.i32Sub(whole, o.f32LessEqual(o.constant(0x3f000000), rest))
}

function encodeUnorm(o: Builder, word: Value, bitCount: number): Value {
  const zero = o.constant(0)
  const one = o.constant(FLOAT_ONE)
  const above = o.make('f32PseudoMax', [zero, word])
  const clamped = o.make('f32PseudoMin', [one, above])
  return roundHalfUp(o, o.f32Mul(clamped, o.constant(floatBits(2 ** bitCount - 1))))
}

function encodeSnorm(o: Builder, word: Value, bitCount: number): Value {
  const one = o.constant(FLOAT_ONE)
  const magnitude = o.and(word, o.constant(0x7fffffff))
  // min(1, NaN) is 1 here; the last select makes it 0.
  const clamped = o.make('f32PseudoMin', [one, magnitude])
  const code = roundHalfUp(o, o.f32Mul(clamped, o.constant(floatBits(2 ** (bitCount - 1) - 1))))
  const negative = o.i32Less(word, o.constant(0))
  const signed = o.select(negative, o.i32Sub(o.constant(0), code), code)
  return o.and(o.select(o.f32Equal(word, word), signed, o.constant(0)), o.constant(2 ** bitCount - 1))
}

/** float32 to float16 towards zero, NaN payloads kept from the top (machine/format/float-bits). */
function encodeHalf(o: Builder, word: Value): Value {
  const magnitude = o.and(word, o.constant(0x7fffffff))
  const normal = o.shiftRightLogical(o.i32Sub(magnitude, o.constant(0x38000000)), o.constant(13))
  const denormal = o.f32ToI32(o.f32Mul(magnitude, o.constant(0x4b800000)))
  const inRange = o.select(o.i32Less(magnitude, o.constant(0x38800000)), denormal, normal)
  const finite = o.select(o.i32Less(magnitude, o.constant(0x47800000)), inRange, o.constant(0x7bff))
  const infinity = o.constant(0x7f800000)
  const payload = o.and(o.shiftRightLogical(magnitude, o.constant(13)), o.constant(0x3ff))
  const nan = o.or(payload, o.constant(0x7e00))
  const special = o.select(o.i32Less(infinity, magnitude), nan, o.constant(0x7c00))
  const number = o.select(o.i32Less(magnitude, infinity), finite, special)
  return o.or(number, o.and(o.shiftRightLogical(word, o.constant(16)), o.constant(0x8000)))
}

function encodeComponent(o: Builder, word: Value, c: FormatComponent): Value {
  const max = 2 ** c.bitCount - 1
  switch (c.encoding) {
    case 'unorm':
      return encodeUnorm(o, word, c.bitCount)
    case 'snorm':
      return encodeSnorm(o, word, c.bitCount)
    case 'uint':
      return c.bitCount === 32 ? word : o.make('u32Min', [word, o.constant(max)])
    case 'sint': {
      if (c.bitCount === 32) return word
      const least = o.make('i32Max', [word, o.constant(-(2 ** (c.bitCount - 1)))])
      return o.and(o.make('i32Min', [least, o.constant(2 ** (c.bitCount - 1) - 1)]), o.constant(max))
    }
    default:
      return c.bitCount === 32 ? word : encodeHalf(o, word)
  }
}

/** Formats that code can write: as canDecode, without floats of 10 and 11 bits. */
export function canEncode(format: Format): boolean {
  return canDecode(format) && typed(format).every((c) => c.encoding !== 'float' || c.bitCount >= 16)
}

/** The dwords of an element from four register words. */
export function encodeElement(o: Builder, format: Format, words: readonly Value[]): Value[] {
  const dwords = Array.from({ length: format.blockByteLength / 4 }, () => o.constant(0))
  for (const c of typed(format)) {
    const code = encodeComponent(o, words['rgba'.indexOf(c.name)]!, c)
    const at = c.bitOffset >>> 5
    dwords[at] = o.or(dwords[at]!, o.shiftLeft(code, o.constant(c.bitOffset & 31)))
  }
  return dwords
}
