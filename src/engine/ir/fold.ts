import type { Op, RecognizedOp, WordOp } from './value.ts'

/**
 * Exact folding of operations on constants. Floats go through typed arrays; JavaScript's doubles hold the sum, product,
 * quotient and square root of two float32 with enough bits that rounding twice is rounding once (2 * 24 + 2 <= 53).
 */
const WORDS = new Uint32Array(2)
const FLOATS = new Float32Array(WORDS.buffer)

const CANONICAL_NAN = 0x7fc00000

export function floatOf(bits: number): number {
  WORDS[0] = bits
  return FLOATS[0]!
}

export function bitsOf(value: number): number {
  if (Number.isNaN(value)) return CANONICAL_NAN
  FLOATS[0] = value
  return WORDS[0]!
}

const mask = (b: boolean): number => (b ? 0xffffffff : 0)

export function flushBits(bits: number): number {
  return (bits & 0x7f800000) === 0 ? (bits & 0x80000000) >>> 0 : bits
}

function roundEven(x: number): number {
  const floor = Math.floor(x)
  const diff = x - floor
  const rounded = diff < 0.5 ? floor : diff > 0.5 ? floor + 1 : floor % 2 === 0 ? floor : floor + 1
  return rounded === 0 && (x < 0 || Object.is(x, -0)) ? -0 : rounded
}

function toInt(x: number, min: number, max: number): number {
  if (Number.isNaN(x)) return 0
  return (x <= min ? min : x >= max ? max : Math.trunc(x)) >>> 0
}

function high(a: bigint, b: bigint): number {
  return Number(((a * b) >> 32n) & 0xffffffffn)
}

function countBits(x: number): number {
  let n = 0
  for (let v = x >>> 0; v !== 0; v &= v - 1) n++
  return n
}

type Fold = (a: number, b: number, c: number) => number

const f2 =
  (f: (a: number, b: number) => number): Fold =>
  (a, b) =>
    bitsOf(Math.fround(f(floatOf(a), floatOf(b))))
const f1 =
  (f: (a: number) => number): Fold =>
  (a) =>
    bitsOf(Math.fround(f(floatOf(a))))

/** Every operation on words; undefined where patterns of constants are folded before they are recognized. */
const FOLDS: Readonly<Record<WordOp | RecognizedOp, Fold | undefined>> = {
  f32Max: undefined,
  f32Min: undefined,
  select: (c, a, b) => (c !== 0 ? a : b),
  flushDenormal: (a) => flushBits(a),
  f32Add: f2((a, b) => a + b),
  f32Sub: f2((a, b) => a - b),
  f32Mul: f2((a, b) => a * b),
  f32Div: f2((a, b) => a / b),
  f32Sqrt: f1(Math.sqrt),
  f32Mad: (a, b, c) => bitsOf(Math.fround(Math.fround(floatOf(a) * floatOf(b)) + floatOf(c))),
  f32RoundNearestEven: f1(roundEven),
  f32Floor: f1(Math.floor),
  f32Ceil: f1(Math.ceil),
  f32Trunc: f1(Math.trunc),
  f32Equal: (a, b) => mask(floatOf(a) === floatOf(b)),
  f32Less: (a, b) => mask(floatOf(a) < floatOf(b)),
  f32LessEqual: (a, b) => mask(floatOf(a) <= floatOf(b)),
  i32Add: (a, b) => (a + b) >>> 0,
  i32Sub: (a, b) => (a - b) >>> 0,
  i32Mul: (a, b) => Math.imul(a, b) >>> 0,
  i32MulHigh: (a, b) => high(BigInt(a | 0), BigInt(b | 0)),
  u32MulHigh: (a, b) => high(BigInt(a), BigInt(b)),
  u32Div: (a, b) => (b === 0 ? 0xffffffff : Math.floor(a / b) >>> 0),
  u32Rem: (a, b) => (b === 0 ? 0xffffffff : (a % b) >>> 0),
  i32Equal: (a, b) => mask(a === b),
  i32Less: (a, b) => mask((a | 0) < (b | 0)),
  u32Less: (a, b) => mask(a < b),
  and: (a, b) => (a & b) >>> 0,
  or: (a, b) => (a | b) >>> 0,
  xor: (a, b) => (a ^ b) >>> 0,
  not: (a) => ~a >>> 0,
  shiftLeft: (a, n) => (a << (n & 31)) >>> 0,
  shiftRightLogical: (a, n) => a >>> (n & 31),
  shiftRightArithmetic: (a, n) => (a >> (n & 31)) >>> 0,
  countBits: (a) => countBits(a),
  countLeadingZeros: (a) => Math.clz32(a),
  countTrailingZeros: (a) => (a === 0 ? 32 : 31 - Math.clz32(a & -a)),
  f32ToI32: (a) => toInt(floatOf(a), -0x80000000, 0x7fffffff),
  f32ToU32: (a) => toInt(floatOf(a), 0, 0xffffffff),
  i32ToF32: (a) => bitsOf(Math.fround(a | 0)),
  u32ToF32: (a) => bitsOf(Math.fround(a)),
  f32PseudoMax: (a, b) => (floatOf(a) < floatOf(b) ? b : a),
  f32PseudoMin: (a, b) => (floatOf(b) < floatOf(a) ? b : a),
  i32Max: (a, b) => ((a | 0) < (b | 0) ? b : a),
  i32Min: (a, b) => ((a | 0) < (b | 0) ? a : b),
  u32Max: (a, b) => Math.max(a, b),
  u32Min: (a, b) => Math.min(a, b),
}

/** The result of a word operation on constant words, or undefined where it is not folded. */
export function foldConstants(op: Op, args: readonly number[]): number | undefined {
  const fold = op in FOLDS ? FOLDS[op as keyof typeof FOLDS] : undefined
  return fold === undefined ? undefined : fold(args[0] ?? 0, args[1] ?? 0, args[2] ?? 0) >>> 0
}
