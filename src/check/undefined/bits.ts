import type { Pair, ValueOps } from '../../isa/index.ts'

/**
 * Words of which some bits are undefined, and the meaning of instructions over them: the same semantics that engines
 * run, interpreted so that each result says which of its bits depend on undefined ones. Bit operations, shifts,
 * selections, integer sums and comparisons are followed bit by bit (`x ^ x`, `x & 0` and `x * 0` of integers are
 * defined); a float operation with any undefined bit in an operand is undefined in all bits, for a NaN may be there.
 */
export interface Bits {
  /** The bits that are defined; undefined ones are whatever the engine happened to have. */
  readonly value: number
  /** Undefined bits. */
  readonly undefinedBits: number
  /** False where the value itself was not worked out (floats); it is defined all the same. */
  readonly isKnown: boolean
}

const known = (value: number, undefinedBits = 0): Bits => ({ value: value | 0, undefinedBits, isKnown: true })
const UNKNOWN: Bits = { value: 0, undefinedBits: 0, isKnown: false }
const UNDEFINED: Bits = { value: 0, undefinedBits: -1, isKnown: true }

export const definedBits = known
export const undefinedWord = (value: number, undefinedBits: number): Bits => known(value, undefinedBits)

const anyUndefined = (a: Bits, b: Bits): boolean => (a.undefinedBits | b.undefinedBits) !== 0
const allKnown = (a: Bits, b: Bits): boolean => a.isKnown && b.isKnown

/** A result that is wholly defined or wholly undefined, by the undefined bits of all that it is worked out from. */
const whole = (undefinedBits: number): Bits => (undefinedBits !== 0 ? UNDEFINED : UNKNOWN)
const wholePair = (undefinedBits: number): Pair<Bits> => [whole(undefinedBits), whole(undefinedBits)]

/** Bits that may be 1, and bits that are surely 1. A value that was not worked out may be anything. */
const mayBeSet = (a: Bits): number => (a.isKnown ? a.value | a.undefinedBits : -1)
const surelySet = (a: Bits): number => (a.isKnown ? a.value & ~a.undefinedBits : 0)

/** The lowest set bit and all above it. */
const upwards = (bits: number): number => bits | -bits

/** Sums and differences: a carry runs upwards from the lowest undefined bit. */
function sum(a: Bits, b: Bits, value: number): Bits {
  const undefinedBits = upwards(a.undefinedBits | b.undefinedBits)
  return { value: value | 0, undefinedBits, isKnown: allKnown(a, b) }
}

function product(a: Bits, b: Bits): Bits {
  const zero = (w: Bits): boolean => w.isKnown && w.undefinedBits === 0 && w.value === 0
  if (zero(a) || zero(b)) return known(0)
  if (!anyUndefined(a, b)) return { value: Math.imul(a.value, b.value), undefinedBits: 0, isKnown: allKnown(a, b) }
  const lowest = (bits: number): number => (bits === 0 ? 32 : 31 - Math.clz32(bits & -bits))
  const from = Math.min(lowest(a.undefinedBits) + lowest(mayBeSet(b)), lowest(b.undefinedBits) + lowest(mayBeSet(a)))
  const undefinedBits = from > 31 ? 0 : -1 << from
  return { value: Math.imul(a.value, b.value), undefinedBits, isKnown: allKnown(a, b) }
}

function and(a: Bits, b: Bits): Bits {
  const undefinedBits = (a.undefinedBits & mayBeSet(b)) | (b.undefinedBits & mayBeSet(a))
  return { value: a.value & b.value, undefinedBits, isKnown: allKnown(a, b) }
}

function or(a: Bits, b: Bits): Bits {
  const undefinedBits = (a.undefinedBits & ~surelySet(b)) | (b.undefinedBits & ~surelySet(a))
  return { value: a.value | b.value, undefinedBits, isKnown: allKnown(a, b) }
}

function select(condition: Bits, a: Bits, b: Bits): Bits {
  if (surelySet(condition) !== 0) return a
  if (condition.isKnown && mayBeSet(condition) === 0) return b
  const differ = allKnown(a, b) ? a.value ^ b.value : -1
  // Not worked out, yet defined: either word may be the result, each as defined as it is.
  const open = condition.undefinedBits === 0 ? 0 : differ
  return { value: a.value, undefinedBits: a.undefinedBits | b.undefinedBits | open, isKnown: false }
}

const TRUE = known(-1)
const FALSE = known(0)

function equal(a: Bits, b: Bits): Bits {
  if (a === b) return TRUE
  if (!allKnown(a, b)) return binary(a, b)
  const defined = ~(a.undefinedBits | b.undefinedBits)
  if (((a.value ^ b.value) & defined) !== 0) return FALSE
  return anyUndefined(a, b) ? UNDEFINED : TRUE
}

/** Less-than over the ranges that the undefined bits leave open; `flip` turns signed into unsigned order. */
function less(a: Bits, b: Bits, flip: number): Bits {
  if (!allKnown(a, b)) return binary(a, b)
  const least = (w: Bits): number => ((w.value ^ flip) & ~w.undefinedBits) >>> 0
  const most = (w: Bits): number => ((w.value ^ flip) | w.undefinedBits) >>> 0
  if (most(a) < least(b)) return TRUE
  if (least(a) >= most(b)) return FALSE
  return UNDEFINED
}

type Shift = (value: number, count: number) => number

function shift(f: Shift, arithmetic: boolean): (a: Bits, count: Bits) => Bits {
  return (a, count) => {
    if ((count.undefinedBits & 31) !== 0) return a.isKnown && mayBeSet(a) === 0 ? known(0) : UNDEFINED
    if (!count.isKnown) return unary(a)
    const n = count.value & 31
    const undefinedBits = arithmetic ? a.undefinedBits >> n : f(a.undefinedBits, n)
    return { value: f(a.value, n), undefinedBits, isKnown: a.isKnown }
  }
}

const unary = (a: Bits): Bits => whole(a.undefinedBits)
const binary = (a: Bits, b: Bits): Bits => whole(a.undefinedBits | b.undefinedBits)
const ofPair = (a: Pair<Bits>): number => a[0].undefinedBits | a[1].undefinedBits
const pairs = (a: Pair<Bits>, b: Pair<Bits>): Pair<Bits> => wholePair(ofPair(a) | ofPair(b))
const pairsToWord = (a: Pair<Bits>, b: Pair<Bits>): Bits => whole(ofPair(a) | ofPair(b))
const fromPair = (a: Pair<Bits>): Bits => whole(ofPair(a))
const toPair = (a: Bits): Pair<Bits> => wholePair(a.undefinedBits)

/** A float stays as it is unless it is a denormal; an undefined bit makes the whole undefined, as in every float operation. */
function flush(a: Bits): Bits {
  if (a.undefinedBits !== 0) return UNDEFINED
  const isDenormal = (a.value & 0x7f800000) === 0 && (a.value & 0x007fffff) !== 0
  return isDenormal ? known(a.value & 0x80000000) : a
}

export const UNDEFINED_BITS_OPS: ValueOps<Bits> = {
  constant: (bits) => known(bits),
  select,
  flushDenormal: flush,
  f32Add: binary,
  f32Sub: binary,
  f32Mul: binary,
  f32Div: binary,
  f32Sqrt: unary,
  f32Mad: (a, b, c) => whole(a.undefinedBits | b.undefinedBits | c.undefinedBits),
  f32RoundNearestEven: unary,
  f32Floor: unary,
  f32Ceil: unary,
  f32Trunc: unary,
  f32Equal: binary,
  f32Less: binary,
  f32LessEqual: binary,
  i32Add: (a, b) => sum(a, b, a.value + b.value),
  i32Sub: (a, b) => (a === b ? known(0) : sum(a, b, a.value - b.value)),
  i32Mul: product,
  i32MulHigh: binary,
  u32MulHigh: binary,
  u32Div: binary,
  u32Rem: binary,
  i32Equal: equal,
  i32Less: (a, b) => (a === b ? FALSE : less(a, b, 0x80000000)),
  u32Less: (a, b) => (a === b ? FALSE : less(a, b, 0)),
  and,
  or,
  xor: (a, b) =>
    a === b
      ? known(0)
      : { value: a.value ^ b.value, undefinedBits: a.undefinedBits | b.undefinedBits, isKnown: allKnown(a, b) },
  not: (a) => ({ value: ~a.value, undefinedBits: a.undefinedBits, isKnown: a.isKnown }),
  shiftLeft: shift((v, n) => v << n, false),
  shiftRightLogical: shift((v, n) => v >>> n, false),
  shiftRightArithmetic: shift((v, n) => v >> n, true),
  countBits: unary,
  countLeadingZeros: unary,
  countTrailingZeros: unary,
  f32ToI32: unary,
  f32ToU32: unary,
  i32ToF32: unary,
  u32ToF32: unary,
  f64Add: pairs,
  f64Mul: pairs,
  f64Div: pairs,
  f64Fma: (a, b, c) => wholePair(ofPair(a) | ofPair(b) | ofPair(c)),
  f64Equal: pairsToWord,
  f64Less: pairsToWord,
  f64LessEqual: pairsToWord,
  f64ToF32: fromPair,
  f32ToF64: toPair,
  f64ToI32: fromPair,
  f64ToU32: fromPair,
  i32ToF64: toPair,
  u32ToF64: toPair,
}
