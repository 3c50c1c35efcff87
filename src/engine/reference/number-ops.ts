import type { Pair, ValueOps } from '../../isa/index.ts'
import { fusedMultiplyAdd, fusedMultiplyAddFloat, LOW_WORD } from './fma.ts'

/**
 * `ValueOps` over plain numbers: a word is a signed 32-bit integer (what `| 0` gives), on the way in and on the way out,
 * so that engines can keep registers in an Int32Array and V8 keeps words unboxed. Show one unsigned with `>>> 0`.
 *
 * Float32 arithmetic is done in doubles and rounded to float32 on the store to `floats`. That second rounding is
 * harmless for sums, products, quotients and roots, denormal results too: a double has more than twice the bits.
 */

const SIGN = -0x80000000
const FLOAT_NAN = 0x7fc00000
const DOUBLE_NAN: Pair<number> = [0, 0x7ff80000]
const HIGH_WORD = 1 - LOW_WORD

const words = new Int32Array(4)
const floats = new Float32Array(words.buffer)

const doubleWords = new Int32Array(6)
const doubles = new Float64Array(doubleWords.buffer)

function floatOf(word: number): number {
  words[0] = word
  return floats[0]!
}

/** The bits of a number rounded to float32; NaN is canonical. */
function bitsOf(value: number): number {
  if (Number.isNaN(value)) return FLOAT_NAN
  floats[3] = value
  return words[3]!
}

function doubleOf(pair: Pair<number>): number {
  doubleWords[LOW_WORD] = pair[0]
  doubleWords[HIGH_WORD] = pair[1]
  return doubles[0]!
}

function pairOf(value: number): Pair<number> {
  if (Number.isNaN(value)) return DOUBLE_NAN
  doubles[1] = value
  return [doubleWords[2 + LOW_WORD]!, doubleWords[2 + HIGH_WORD]!]
}

const mask = (truth: boolean): number => (truth ? -1 : 0)

function toI32(value: number): number {
  if (Number.isNaN(value)) return 0
  if (value >= 2147483647) return 0x7fffffff
  return value <= -2147483648 ? SIGN : value | 0
}

function toU32(value: number): number {
  // Also NaN.
  if (!(value > 0)) return 0
  return value >= 4294967295 ? -1 : (value >>> 0) | 0
}

/** The float32 unit is 1 from here on. */
const INTEGRAL_FROM = 8388608
/** 1.5 * 2^52: adding it rounds a small double to an integer, ties to even. */
const ROUNDER = 6755399441055744

function roundNearestEven(word: number): number {
  const x = floatOf(word)
  if (!(Math.abs(x) < INTEGRAL_FROM)) return bitsOf(x)
  return bitsOf(x + ROUNDER - ROUNDER) | (word & SIGN)
}

/** High 32 bits of an unsigned product, by 16-bit halves. */
function mulHighUnsigned(a: number, b: number): number {
  const aLow = a & 0xffff
  const aHigh = a >>> 16
  const bLow = b & 0xffff
  const bHigh = b >>> 16
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16)
  const carry = aLow * bHigh + (middle & 0xffff)
  return (aHigh * bHigh + Math.floor(middle / 0x10000) + Math.floor(carry / 0x10000)) | 0
}

/** A factor with its sign bit set is 2^32 less as a signed number. */
function mulHighSigned(a: number, b: number): number {
  return (mulHighUnsigned(a, b) - ((a >> 31) & b) - ((b >> 31) & a)) | 0
}

function countBits(a: number): number {
  let v = a - ((a >>> 1) & 0x55555555)
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333)
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24
}

export interface NumberOpsOptions {
  /** What `flushDenormal` does; Direct3D flushes. */
  readonly denormals: 'flush' | 'keep'
  /** `f32Mad` rounds once instead of twice. */
  readonly fma?: boolean
}

const FLOAT_OPS = {
  f32Add: (a: number, b: number) => bitsOf(floatOf(a) + floatOf(b)),
  f32Sub: (a: number, b: number) => bitsOf(floatOf(a) - floatOf(b)),
  f32Mul: (a: number, b: number) => bitsOf(floatOf(a) * floatOf(b)),
  f32Div: (a: number, b: number) => bitsOf(floatOf(a) / floatOf(b)),
  f32Sqrt: (a: number) => bitsOf(Math.sqrt(floatOf(a))),
  f32RoundNearestEven: roundNearestEven,
  f32Floor: (a: number) => bitsOf(Math.floor(floatOf(a))),
  f32Ceil: (a: number) => bitsOf(Math.ceil(floatOf(a))),
  f32Trunc: (a: number) => bitsOf(Math.trunc(floatOf(a))),
  f32Equal: (a: number, b: number) => mask(floatOf(a) === floatOf(b)),
  f32Less: (a: number, b: number) => mask(floatOf(a) < floatOf(b)),
  f32LessEqual: (a: number, b: number) => mask(floatOf(a) <= floatOf(b)),
  f32ToI32: (a: number) => toI32(floatOf(a)),
  f32ToU32: (a: number) => toU32(floatOf(a)),
  i32ToF32: (a: number) => bitsOf(a),
  u32ToF32: (a: number) => bitsOf(a >>> 0),
}

const INTEGER_OPS = {
  constant: (bits: number) => bits | 0,
  select: (condition: number, a: number, b: number) => (condition !== 0 ? a : b),
  i32Add: (a: number, b: number) => (a + b) | 0,
  i32Sub: (a: number, b: number) => (a - b) | 0,
  i32Mul: Math.imul,
  i32MulHigh: mulHighSigned,
  u32MulHigh: mulHighUnsigned,
  u32Div: (a: number, b: number) => (b === 0 ? -1 : ((a >>> 0) / (b >>> 0)) | 0),
  u32Rem: (a: number, b: number) => (b === 0 ? -1 : ((a >>> 0) % (b >>> 0)) | 0),
  i32Equal: (a: number, b: number) => mask(a === b),
  i32Less: (a: number, b: number) => mask(a < b),
  u32Less: (a: number, b: number) => mask(a >>> 0 < b >>> 0),
  and: (a: number, b: number) => a & b,
  or: (a: number, b: number) => a | b,
  xor: (a: number, b: number) => a ^ b,
  not: (a: number) => ~a,
  shiftLeft: (a: number, count: number) => a << count,
  shiftRightLogical: (a: number, count: number) => (a >>> count) | 0,
  shiftRightArithmetic: (a: number, count: number) => a >> count,
  countBits,
  countLeadingZeros: (a: number) => Math.clz32(a),
  countTrailingZeros: (a: number) => (a === 0 ? 32 : 31 - Math.clz32(a & -a)),
}

const DOUBLE_OPS = {
  f64Add: (a: Pair<number>, b: Pair<number>) => pairOf(doubleOf(a) + doubleOf(b)),
  f64Mul: (a: Pair<number>, b: Pair<number>) => pairOf(doubleOf(a) * doubleOf(b)),
  f64Div: (a: Pair<number>, b: Pair<number>) => pairOf(doubleOf(a) / doubleOf(b)),
  f64Fma: (a: Pair<number>, b: Pair<number>, c: Pair<number>) =>
    pairOf(fusedMultiplyAdd(doubleOf(a), doubleOf(b), doubleOf(c))),
  f64Equal: (a: Pair<number>, b: Pair<number>) => mask(doubleOf(a) === doubleOf(b)),
  f64Less: (a: Pair<number>, b: Pair<number>) => mask(doubleOf(a) < doubleOf(b)),
  f64LessEqual: (a: Pair<number>, b: Pair<number>) => mask(doubleOf(a) <= doubleOf(b)),
  f64ToF32: (a: Pair<number>) => bitsOf(doubleOf(a)),
  f32ToF64: (a: number) => pairOf(floatOf(a)),
  f64ToI32: (a: Pair<number>) => toI32(doubleOf(a)),
  f64ToU32: (a: Pair<number>) => toU32(doubleOf(a)),
  i32ToF64: (a: number) => pairOf(a),
  u32ToF64: (a: number) => pairOf(a >>> 0),
}

/**
 * The operations of the reference engine, exact in every one: the judge of other engines. Words are signed 32-bit
 * numbers (see above). Arithmetic keeps denormals; flushing is `flushDenormal` alone.
 */
export function numberOps({ denormals, fma = false }: NumberOpsOptions): ValueOps<number> {
  return {
    ...INTEGER_OPS,
    ...FLOAT_OPS,
    ...DOUBLE_OPS,
    flushDenormal: denormals === 'keep' ? (a) => a : (a) => ((a & 0x7f800000) === 0 ? a & SIGN : a),
    f32Mad: fma
      ? (a, b, c) => bitsOf(fusedMultiplyAddFloat(floatOf(a), floatOf(b), floatOf(c)))
      : (a, b, c) => bitsOf(Math.fround(floatOf(a) * floatOf(b)) + floatOf(c)),
  }
}
