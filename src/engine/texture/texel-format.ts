import type { Format, FormatComponent } from '../../isa/formats/index.ts'
import { unormToFloat } from '../../isa/index.ts'
import type { Builder, Value } from '../ir/index.ts'

/**
 * Conversions between stored components and register words as values, equal to the machine's codecs bit for bit
 * (machine/format; functional specification 3.2.3 and 19.1.3).
 */

const FLOAT_ONE = 0x3f800000

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

/** The float of an 8-bit sRGB code, of which four times the number is given: its entry's byte offset in a table. */
type FromSrgb = (entry: Value) => Value

/** XR_BIAS: 10 bits where 0x180 is 0 and 510 steps make 1. */
function decodeXrBias(o: Builder, code: Value): Value {
  return o.f32Div(o.i32ToF32(o.i32Sub(code, o.constant(0x180))), o.constant(floatBits(510)))
}

function decodeComponent(o: Builder, word: Value, c: FormatComponent, fromSrgb: FromSrgb): Value {
  const shifted = o.shiftRightLogical(word, o.constant(c.bitOffset & 31))
  const code = c.bitCount === 32 ? shifted : o.and(shifted, o.constant(2 ** c.bitCount - 1))
  switch (c.encoding) {
    case 'unorm':
      return unormToFloat(o, code, c.bitCount)
    case 'snorm':
      return decodeSnorm(o, code, c.bitCount)
    case 'unorm-srgb': {
      const at = c.bitOffset & 31
      const moved = at < 2 ? o.shiftLeft(word, o.constant(2 - at)) : o.shiftRightLogical(word, o.constant(at - 2))
      return fromSrgb(o.and(moved, o.constant(255 << 2)))
    }
    case 'xr-bias':
      return decodeXrBias(o, code)
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

const typed = (format: Format): readonly FormatComponent[] => format.components.filter((c) => c.encoding !== 'typeless')

/** Formats whose elements code can read: every one that is no block. */
const canDecode = (format: Format): boolean => format.layout === 'linear' && format.result !== 'none'

const isShared = (format: Format): boolean => typed(format).some((c) => c.encoding === 'sharedexp')

/** Dwords of an element that the wanted components stand in, in order. */
export function dwordsOf(format: Format, wanted: readonly boolean[]): number[] {
  const found = typed(format).filter((c) => wanted['rgba'.indexOf(c.name)])
  // Every component needs the exponent, in the one dword that there is.
  return [...new Set(found.map((c) => c.bitOffset >>> 5))].sort((a, b) => a - b)
}

/** One component of R9G9B9E5: nine bits with no hidden one, times 2^(e - 24) (19.3.2.1). Exact. */
function decodeShared(o: Builder, word: Value, c: FormatComponent): Value {
  const mantissa = o.and(o.shiftRightLogical(word, o.constant(c.bitOffset)), o.constant(511))
  const exponent = o.i32Add(o.shiftRightLogical(word, o.constant(27)), o.constant(127 - 24))
  return o.f32Mul(o.i32ToF32(mantissa), o.shiftLeft(exponent, o.constant(23)))
}

/** The four register words of an element, from its dwords; missing components are 0, 0, 0, 1. */
export function decodeElement(
  o: Builder,
  format: Format,
  dword: (n: number) => Value,
  wanted: readonly boolean[],
  fromSrgb: FromSrgb,
): (Value | undefined)[] {
  const components = typed(format)
  const isInteger = components[0]!.encoding === 'uint' || components[0]!.encoding === 'sint'
  return [0, 1, 2, 3].map((i) => {
    if (!wanted[i]) return undefined
    const c = components.find((x) => x.name === 'rgba'[i])
    if (c === undefined) return o.constant(i < 3 ? 0 : isInteger ? 1 : FLOAT_ONE)
    const word = dword(c.bitOffset >>> 5)
    const number = isShared(format) ? decodeShared(o, word, c) : decodeComponent(o, word, c, fromSrgb)
    // Numbers of fewer bits are no denormals of 32.
    if (c.bitCount < 32 && format.result === 'float') o.addFacts(number, { flushed: true })
    return number
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

/**
 * The magnitude of a float32 as a float of 5 exponent bits, towards zero, NaN payloads kept from the top
 * (machine/format/float-bits).
 */
function shrinkFloat(o: Builder, magnitude: Value, fractionBits: number): Value {
  const lost = o.constant(23 - fractionBits)
  const infinityCode = 31 << fractionBits
  const normal = o.shiftRightLogical(o.i32Sub(magnitude, o.constant(0x38000000)), lost)
  const denormal = o.f32ToI32(o.f32Mul(magnitude, o.constant(floatBits(2 ** (14 + fractionBits)))))
  const inRange = o.select(o.i32Less(magnitude, o.constant(0x38800000)), denormal, normal)
  const finite = o.select(o.i32Less(magnitude, o.constant(0x47800000)), inRange, o.constant(infinityCode - 1))
  const infinity = o.constant(0x7f800000)
  const payload = o.and(o.shiftRightLogical(magnitude, lost), o.constant(2 ** fractionBits - 1))
  const nan = o.or(payload, o.constant(infinityCode | (1 << (fractionBits - 1))))
  const special = o.select(o.i32Less(infinity, magnitude), nan, o.constant(infinityCode))
  return o.select(o.i32Less(magnitude, infinity), finite, special)
}

function encodeHalf(o: Builder, word: Value): Value {
  const number = shrinkFloat(o, o.and(word, o.constant(0x7fffffff)), 10)
  return o.or(number, o.and(o.shiftRightLogical(word, o.constant(16)), o.constant(0x8000)))
}

/** Floats without a sign: negative numbers, -0 and -infinity included, become 0 (3.1.6). */
function encodeUnsignedFloat(o: Builder, word: Value, fractionBits: number): Value {
  const magnitude = o.and(word, o.constant(0x7fffffff))
  const isNan = o.i32Less(o.constant(0x7f800000), magnitude)
  const isNegative = o.and(o.i32Less(word, o.constant(0)), o.not(isNan))
  return o.and(shrinkFloat(o, magnitude, fractionBits), o.not(isNegative))
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
      if (c.bitCount < 16) return encodeUnsignedFloat(o, word, c.bitCount - 5)
      return c.bitCount === 32 ? word : encodeHalf(o, word)
  }
}

const ENCODED: ReadonlySet<string> = new Set(['unorm', 'snorm', 'sint', 'uint', 'float'])

/** Formats that code can write: those of plain encodings. */
export function canEncode(format: Format): boolean {
  return canDecode(format) && typed(format).every((c) => 'rgba'.includes(c.name) && ENCODED.has(c.encoding))
}

/** A number in the precision and range of a component, as it would be stored (22.4.19); floats of 32, 11 and 10 bits stay. */
export function quantize(o: Builder, word: Value, c: FormatComponent): Value {
  const keeps = c.encoding === 'float' && c.bitCount !== 16
  if (keeps || (c.encoding !== 'unorm' && c.encoding !== 'snorm' && c.encoding !== 'float')) return word
  const code = encodeComponent(o, word, c)
  return decodeComponent(o, code, { ...c, bitOffset: 0 }, (x) => x)
}

/** The dwords of an element from four register words. */
export function encodeElement(o: Builder, format: Format, words: readonly Value[]): Value[] {
  const dwords = Array.from({ length: Math.ceil(format.blockByteLength / 4) }, () => o.constant(0))
  for (const c of typed(format)) {
    const code = encodeComponent(o, words['rgba'.indexOf(c.name)]!, c)
    const at = c.bitOffset >>> 5
    dwords[at] = o.or(dwords[at]!, o.shiftLeft(code, o.constant(c.bitOffset & 31)))
  }
  return dwords
}
