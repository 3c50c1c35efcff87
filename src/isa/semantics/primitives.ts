import type { Pair, ValueOps } from './value-ops.ts'

/**
 * One row for each primitive operation of `ValueOps`: the types of its operands and result, and what holds of it as
 * arithmetic. Interpreters that work on whole programs (the recorder of the reference engine, the compiler's intermediate
 * language) read these rows. An operation without a row does not compile, nor one whose operands do not fit its signature.
 */

/** What an operation takes a word as. `word` is bits of any meaning, `mask` all ones or 0; `f64` is two words. */
type WordType = 'word' | 'f32' | 'i32' | 'u32' | 'mask'
export type OperandType = WordType | 'f64'

/**
 * Whether consumers see more of an operand than its number, where several patterns stand for one number (NaN, zero):
 * never, as far as the result's own consumers do, always, or depending on the other operands.
 */
export type Observation = 'never' | 'as-result' | 'always' | 'by-operands'

export interface OperationRow {
  readonly operands: readonly OperandType[]
  readonly result: OperandType
  /** The compiler may exchange the two operands to find equal values; for doubles nothing is gained. */
  readonly commutative: boolean
  /** The result, a float32, may be a NaN with another payload than 0x7fc00000. */
  readonly makesNan: boolean
  /** The bits of a NaN among the operands. */
  readonly nanBits: Observation
  /** The sign of a zero among the operands. */
  readonly zeroSign: Observation
  /** Whether the result, taken as a float32, may be denormal: never, only if an operand is, or always. */
  readonly denormal: 'never' | 'as-operands' | 'possible'
}

export type Primitive = keyof ValueOps<never>

type Word = 'one word'
type Parameters<K extends Primitive> = ValueOps<Word>[K] extends (...args: infer A extends unknown[]) => unknown
  ? A
  : never
type TypeOf<T> = T extends Pair<Word> ? 'f64' : WordType
type TypesOf<T> = { readonly [I in keyof T]: TypeOf<T[I]> }
/** The constant's bits are no operand. */
type OperandsOf<K extends Primitive> = K extends 'constant' ? readonly [] : TypesOf<Parameters<K>>

/** The primitive operations whose result is a double, and those that take doubles and give a word. */
export type DoubleResult = {
  [K in Primitive]: ReturnType<ValueOps<Word>[K]> extends Pair<Word> ? K : never
}[Primitive]
export type DoubleToWord = Exclude<
  { [K in Primitive]: Parameters<K>[0] extends Pair<Word> ? K : never }[Primitive],
  DoubleResult
>

type PrimitiveRows = {
  readonly [K in Primitive]: OperationRow & {
    readonly operands: OperandsOf<K>
    readonly result: K extends DoubleResult ? 'f64' : WordType
  }
}

/** What most operations on bits and integers are. */
export const BITS = {
  commutative: false,
  makesNan: false,
  nanBits: 'always',
  zeroSign: 'always',
  denormal: 'possible',
} as const

const u32x1 = { ...BITS, operands: ['u32'], result: 'u32' } as const
const u32x2 = { ...BITS, operands: ['u32', 'u32'], result: 'u32' } as const
const i32x2 = { ...BITS, operands: ['i32', 'i32'], result: 'i32' } as const
const bits2 = { ...BITS, operands: ['word', 'word'], result: 'word', commutative: true } as const
const shift = { ...BITS, operands: ['word', 'u32'], result: 'word' } as const

/** Float32 operands are numbers: any NaN is as good as another. */
const FLOAT = { commutative: false, makesNan: true, nanBits: 'never', denormal: 'possible' } as const
const f32x1 = { ...FLOAT, operands: ['f32'], result: 'f32', zeroSign: 'as-result' } as const
const f32x2 = { ...FLOAT, operands: ['f32', 'f32'], result: 'f32', zeroSign: 'as-result' } as const
/** To an integral value, which is 0 or at least 1. */
const rounding = { ...f32x1, denormal: 'never' } as const
const comparison = { commutative: false, makesNan: false, denormal: 'never', result: 'mask' } as const
const f32Comparison = { ...comparison, operands: ['f32', 'f32'], nanBits: 'never', zeroSign: 'never' } as const
const wordComparison = { ...comparison, nanBits: 'always', zeroSign: 'always' } as const
const f32ToInteger = { ...BITS, operands: ['f32'], nanBits: 'never', zeroSign: 'never' } as const
const integerToF32 = { ...BITS, result: 'f32', denormal: 'never' } as const

const f64x2 = { ...BITS, operands: ['f64', 'f64'], result: 'f64' } as const
const f64Comparison = { ...wordComparison, operands: ['f64', 'f64'] } as const
const toF64 = { ...BITS, result: 'f64' } as const

export const PRIMITIVES = {
  constant: { ...BITS, operands: [], result: 'word' },
  // The condition is a test of bits, in which a -0 is set.
  select: {
    ...BITS,
    operands: ['word', 'word', 'word'],
    result: 'word',
    nanBits: 'by-operands',
    zeroSign: 'by-operands',
    denormal: 'as-operands',
  },
  flushDenormal: {
    ...BITS,
    operands: ['word'],
    result: 'word',
    nanBits: 'as-result',
    zeroSign: 'as-result',
    denormal: 'never',
  },

  f32Add: { ...f32x2, commutative: true },
  f32Sub: f32x2,
  f32Mul: { ...f32x2, commutative: true },
  // The sign of a zero decides between the infinities.
  f32Div: { ...f32x2, zeroSign: 'always' },
  f32Sqrt: { ...f32x1, zeroSign: 'always', denormal: 'never' },
  f32Mad: { ...FLOAT, operands: ['f32', 'f32', 'f32'], result: 'f32', zeroSign: 'as-result' },
  f32RoundNearestEven: rounding,
  f32Floor: rounding,
  f32Ceil: rounding,
  f32Trunc: rounding,
  f32Equal: { ...f32Comparison, commutative: true },
  f32Less: f32Comparison,
  f32LessEqual: f32Comparison,

  i32Add: { ...i32x2, commutative: true },
  i32Sub: i32x2,
  i32Mul: { ...i32x2, commutative: true },
  i32MulHigh: { ...i32x2, commutative: true },
  u32MulHigh: { ...u32x2, commutative: true },
  u32Div: u32x2,
  u32Rem: u32x2,
  i32Equal: { ...wordComparison, operands: ['word', 'word'], commutative: true },
  i32Less: { ...wordComparison, operands: ['i32', 'i32'] },
  u32Less: { ...wordComparison, operands: ['u32', 'u32'] },

  // With the sign bit or its complement these change or clear the sign of a float, and no other bits.
  and: { ...bits2, nanBits: 'by-operands', zeroSign: 'by-operands' },
  or: { ...bits2, nanBits: 'by-operands', zeroSign: 'by-operands' },
  xor: { ...bits2, nanBits: 'by-operands', zeroSign: 'by-operands' },
  not: { ...BITS, operands: ['word'], result: 'word' },
  shiftLeft: shift,
  shiftRightLogical: shift,
  shiftRightArithmetic: shift,
  countBits: u32x1,
  countLeadingZeros: u32x1,
  countTrailingZeros: u32x1,

  f32ToI32: { ...f32ToInteger, result: 'i32' },
  f32ToU32: { ...f32ToInteger, result: 'u32' },
  i32ToF32: { ...integerToF32, operands: ['i32'] },
  u32ToF32: { ...integerToF32, operands: ['u32'] },

  f64Add: f64x2,
  f64Mul: f64x2,
  f64Div: f64x2,
  f64Fma: { ...BITS, operands: ['f64', 'f64', 'f64'], result: 'f64' },
  f64Equal: f64Comparison,
  f64Less: f64Comparison,
  f64LessEqual: f64Comparison,
  f64ToF32: { ...BITS, operands: ['f64'], result: 'f32', makesNan: true },
  f32ToF64: { ...toF64, operands: ['f32'], nanBits: 'never' },
  f64ToI32: { ...BITS, operands: ['f64'], result: 'i32' },
  f64ToU32: { ...BITS, operands: ['f64'], result: 'u32' },
  i32ToF64: { ...toF64, operands: ['i32'] },
  u32ToF64: { ...toF64, operands: ['u32'] },
} as const satisfies PrimitiveRows
