import { flushBits } from './fold.ts'
import { OPS } from './ops.ts'
import type { Op, Value } from './value.ts'

/** What holds of the bits of a value whatever the thread, from its operation and operands; for the builder and analyses. */

/** What is known of a value whatever the thread. */
export interface Facts {
  /** All ones or 0. */
  readonly mask: boolean
  /** No float32 denormal, so that a flush changes nothing. */
  readonly flushed: boolean
  /** No NaN, taken as a float32. */
  readonly number: boolean
  /** Bits that may be set. */
  readonly maybe: number
}

export const NO_FACTS: Facts = { mask: false, flushed: false, number: false, maybe: 0xffffffff }
/** The identity of `meet`: what is assumed of a loop's merge before its inputs are known. */
export const ALL_FACTS: Facts = { mask: true, flushed: true, number: true, maybe: 0 }
const MASK: Facts = { ...NO_FACTS, mask: true, flushed: true }
const FLUSHED: Facts = { ...NO_FACTS, flushed: true }

export function meetFacts(a: Facts, b: Facts): Facts {
  return {
    mask: a.mask && b.mask,
    flushed: a.flushed && b.flushed,
    number: a.number && b.number,
    maybe: (a.maybe | b.maybe) >>> 0,
  }
}

/** What is known where both are. */
export function joinFacts(a: Facts, b: Facts): Facts {
  return {
    mask: a.mask || b.mask,
    flushed: a.flushed || b.flushed,
    number: a.number || b.number,
    maybe: (a.maybe & b.maybe) >>> 0,
  }
}

export function sameFacts(a: Facts, b: Facts): boolean {
  return a.mask === b.mask && a.flushed === b.flushed && a.number === b.number && a.maybe === b.maybe
}

const bits = (maybe: number): Facts => ({
  mask: false,
  // No exponent bit and no fraction bit, or an exponent bit that may be set: only the first is sure.
  flushed: (maybe & 0x7fffffff) === 0,
  number: false,
  maybe: maybe >>> 0,
})

/** All bits up to the highest that may be set. */
function below(maybe: number): number {
  return maybe === 0 ? 0 : 0xffffffff >>> Math.clz32(maybe)
}

const lowZeros = (maybe: number): number => (maybe === 0 ? 32 : 31 - Math.clz32(maybe & -maybe))

function sum(a: Facts, b: Facts): Facts {
  if (a.maybe === 0) return b
  if (b.maybe === 0) return a
  if ((a.maybe & b.maybe) === 0) return bits(a.maybe | b.maybe)
  const top = Math.max(32 - Math.clz32(a.maybe), 32 - Math.clz32(b.maybe)) + 1
  const low = Math.min(lowZeros(a.maybe), lowZeros(b.maybe))
  const reach = top >= 32 ? 0xffffffff : 2 ** top - 1
  return bits((reach >>> low) << low)
}

function product(a: Facts, b: Facts): Facts {
  if (a.maybe === 0 || b.maybe === 0) return bits(0)
  const top = 64 - Math.clz32(a.maybe) - Math.clz32(b.maybe)
  const low = lowZeros(a.maybe) + lowZeros(b.maybe)
  const reach = top >= 32 ? 0xffffffff : 2 ** top - 1
  return bits(low >= 32 ? 0 : (reach >>> low) << low)
}

/** 22.10: `and` and `or` of equal floats inside max and min are one of them. */
function isEqualPair(condition: Value, chosen: Value): boolean {
  if (condition.op !== 'f32Equal' || (chosen.op !== 'and' && chosen.op !== 'or')) return false
  const [a, b] = condition.args
  const [x, y] = chosen.args
  return (x === a && y === b) || (x === b && y === a)
}

function selectFacts(v: Value, of: (v: Value) => Facts): Facts {
  const condition = v.args[0]!
  const a = v.args[1]!
  const b = v.args[2]!
  if (!isEqualPair(condition, a)) return meetFacts(of(a), of(b))
  const chosen = meetFacts(of(a.args[0]!), of(a.args[1]!))
  return meetFacts(chosen, of(b))
}

const ABSOLUTE = 0x7fffffff

function andFacts(v: Value, a: Facts, b: Facts): Facts {
  const x = v.args[0]!
  const y = v.args[1]!
  const maybe = (a.maybe & b.maybe) >>> 0
  const mask = a.mask && b.mask
  // The sign alone may go: of bits that only may be set, some of the fraction's could be clear.
  const flushed =
    mask ||
    (maybe & ABSOLUTE) === 0 ||
    (a.mask && b.flushed) ||
    (b.mask && a.flushed) ||
    (a.flushed && constantOf(y) === ABSOLUTE) ||
    (b.flushed && constantOf(x) === ABSOLUTE)
  return { mask, flushed, number: false, maybe }
}

function orFacts(v: Value, a: Facts, b: Facts): Facts {
  const maybe = (a.maybe | b.maybe) >>> 0
  const mask = a.mask && b.mask
  // Only the sign; and more bits of an exponent that is none of a denormal make no denormal.
  const changed = v.op === 'or' ? 0x7fffff : 0x7fffffff
  const flushed = mask || (a.flushed && (b.maybe & changed) === 0) || (b.flushed && (a.maybe & changed) === 0)
  return { mask, flushed, number: false, maybe }
}

/** The number in a constant; undefined for other values. */
export function constantOf(v: Value): number | undefined {
  return v.op === 'constant' ? v.imm : undefined
}

const EXPONENT = 0x7f800000

/** A constant that is finite and not zero. */
const isFiniteFactor = (v: Value): boolean => {
  const magnitude = (constantOf(v) ?? 0) & 0x7fffffff
  return magnitude !== 0 && magnitude < EXPONENT
}

/** Factors of at least 2^23 make the least denormal, 2^-149, a normal number. */
const isLargeFactor = (v: Value): boolean => isFiniteFactor(v) && (v.imm & 0x7fffffff) >= 0x4b000000

/** Factors of at least 1 leave what is no denormal as large as it is. */
const isGrowingFactor = (v: Value): boolean => isFiniteFactor(v) && (v.imm & 0x7fffffff) >= 0x3f800000

const productFacts = (v: Value, of: (v: Value) => Facts): Facts => {
  const a = v.args[0]!
  const b = v.args[1]!
  if (a.op !== 'constant' && b.op !== 'constant') return NO_FACTS
  const grows = (isGrowingFactor(a) && of(b).flushed) || (isGrowingFactor(b) && of(a).flushed)
  return grows || isLargeFactor(a) || isLargeFactor(b) ? FLUSHED : NO_FACTS
}

/**
 * Terms of at least 2^-102 make every sum a multiple of 2^-126 (`sumGranularity` of analysis/magnitude.ts), and so no denormal; infinities
 * and NaN are none either.
 */
const isLargeTerm = (v: Value): boolean => v.op === 'constant' && (v.imm & 0x7fffffff) >= (127 - 102) << 23

type NumberRule = (v: Value, of: (v: Value) => Facts) => boolean

const isFirstNumber: NumberRule = (v, of) => of(v.args[0]!).number
/** A number wins over NaN; of the others NaN makes the comparison fail, which gives the first operand. */
const isEitherNumber: NumberRule = (v, of) => of(v.args[0]!).number || of(v.args[1]!).number
const isSignedNumber: NumberRule = (v, of) => {
  const signed = signOperand(v)
  return signed !== undefined && of(signed).number
}

/** Operations that may be known not to be NaN from their operands. */
const NUMBER_RULES: { readonly [K in Op]?: NumberRule } = {
  constant: (v) => (v.imm & 0x7fffffff) <= EXPONENT,
  i32ToF32: () => true,
  u32ToF32: () => true,
  f32Max: isEitherNumber,
  f32Min: isEitherNumber,
  f32PseudoMax: isFirstNumber,
  f32PseudoMin: isFirstNumber,
  flushDenormal: isFirstNumber,
  f32RoundNearestEven: isFirstNumber,
  f32Floor: isFirstNumber,
  f32Ceil: isFirstNumber,
  f32Trunc: isFirstNumber,
  select: (v, of) => of(v.args[1]!).number && of(v.args[2]!).number,
  f32Mul: (v, of) =>
    (isFiniteFactor(v.args[1]!) && of(v.args[0]!).number) || (isFiniteFactor(v.args[0]!) && of(v.args[1]!).number),
  u32Min: (v) => v.args.some((a) => (constantOf(a) ?? 0xffffffff) <= EXPONENT),
  and: isSignedNumber,
  or: isSignedNumber,
  xor: isSignedNumber,
}

/** Whether a value is never NaN, from the bits that it may have or from its operands. */
function isNumber(v: Value, maybe: number, of: (v: Value) => Facts): boolean {
  if ((maybe & EXPONENT) >>> 0 !== EXPONENT || (maybe & 0x7fffff) === 0) return true
  const rule = NUMBER_RULES[v.op]
  return rule?.(v, of) ?? false
}

/** A sign change or the absolute value: an `and`, `or` or `xor` with the sign bit. */
export function signOperand(v: Value): Value | undefined {
  if (v.op !== 'and' && v.op !== 'or' && v.op !== 'xor') return undefined
  const a = v.args[0]!
  const b = v.args[1]!
  const sign = v.op === 'and' ? 0x7fffffff : 0x80000000
  if (b.op === 'constant' && b.imm === sign) return a
  return a.op === 'constant' && a.imm === sign ? b : undefined
}

/** Facts of a value from those of its operands; merges and results are the caller's. */
export function factsOf(v: Value, of: (v: Value) => Facts): Facts {
  const facts = bitFacts(v, of)
  const number = isNumber(v, facts.maybe, of)
  if (facts.number === number) return facts
  return { mask: facts.mask, flushed: facts.flushed, number, maybe: facts.maybe }
}

type FactRule = (v: Value, of: (v: Value) => Facts) => Facts

/** What the row of an operation says. */
function rowFacts(v: Value, of: (v: Value) => Facts): Facts {
  const { result, denormal } = OPS[v.op]
  if (result === 'mask') return MASK
  if (denormal === 'never') return FLUSHED
  if (denormal !== 'as-operands') return NO_FACTS
  for (let i = 0; i < v.args.length; i++) if (!of(v.args[i]!).flushed) return NO_FACTS
  return FLUSHED
}

const SIGN = 0x80000000

/** A constant that is no NaN and has no sign. */
const isUnsigned = (v: Value): boolean => (constantOf(v) ?? SIGN) <= EXPONENT

/** What is not above such a constant, NaN and -0 too, is replaced by it: no sign is left. */
const atLeastFacts: FactRule = (v, of) => {
  const facts = rowFacts(v, of)
  return isUnsigned(v.args[0]!) ? { ...facts, maybe: ABSOLUTE } : facts
}

/** Of floats without a sign the order is that of their bits: none is beyond the bound, which takes the place of NaN. */
const atMostFacts: FactRule = (v, of) => {
  const facts = rowFacts(v, of)
  const bound = v.args[0]!
  const hasSign = (of(v.args[1]!).maybe & SIGN) !== 0
  return isUnsigned(bound) && !hasSign ? { ...facts, maybe: below(bound.imm) } : facts
}

const firstOf = (v: Value, of: (v: Value) => Facts): Facts => of(v.args[0]!)
const secondOf = (v: Value, of: (v: Value) => Facts): Facts => of(v.args[1]!)

const sumFacts: FactRule = (v) => {
  for (let i = 0; i < v.args.length; i++) if (isLargeTerm(v.args[i]!)) return FLUSHED
  return NO_FACTS
}

/** Operations whose bits follow from those of their operands; of the others the facts stand in their rows. */
const RULES: { readonly [K in Op]?: FactRule } = {
  constant: (v) => ({
    mask: v.imm === 0 || v.imm === 0xffffffff,
    flushed: flushBits(v.imm) === v.imm,
    number: false,
    maybe: v.imm,
  }),
  select: selectFacts,
  and: (v, of) => andFacts(v, firstOf(v, of), secondOf(v, of)),
  or: (v, of) => orFacts(v, firstOf(v, of), secondOf(v, of)),
  xor: (v, of) => orFacts(v, firstOf(v, of), secondOf(v, of)),
  not: (v, of) => (firstOf(v, of).mask ? MASK : NO_FACTS),
  f32PseudoMax: atLeastFacts,
  f32PseudoMin: atMostFacts,
  flushDenormal: (v, of) => ({ ...FLUSHED, maybe: firstOf(v, of).maybe }),
  f32Mul: productFacts,
  f32Add: sumFacts,
  f32Sub: sumFacts,
  i32Add: (v, of) => sum(firstOf(v, of), secondOf(v, of)),
  i32Mul: (v, of) => product(firstOf(v, of), secondOf(v, of)),
  u32Min: (v, of) => bits(Math.min(below(firstOf(v, of).maybe), below(secondOf(v, of).maybe))),
  u32Max: (v, of) => bits(below(firstOf(v, of).maybe | secondOf(v, of).maybe)),
  u32Rem: (v) => {
    const divisor = constantOf(v.args[1]!)
    return divisor === undefined || divisor === 0 ? NO_FACTS : bits(below(divisor - 1))
  },
  shiftLeft: (v, of) => {
    const count = constantOf(v.args[1]!)
    return count === undefined ? NO_FACTS : bits(firstOf(v, of).maybe << (count & 31))
  },
  shiftRightLogical: (v, of) => {
    const count = constantOf(v.args[1]!)
    const { maybe } = firstOf(v, of)
    return bits(count === undefined ? below(maybe) : maybe >>> (count & 31))
  },
  // The sign in all bits.
  shiftRightArithmetic: (v) => (((constantOf(v.args[1]!) ?? 0) & 31) === 31 ? MASK : NO_FACTS),
  countBits: () => bits(63),
  countLeadingZeros: () => bits(63),
  countTrailingZeros: () => bits(63),
  groupId: () => bits(65535),
  quadSwizzle: (v, of) => firstOf(v, of),
  packQuads: (v, of) => firstOf(v, of),
  unpackQuads: (v, of) => firstOf(v, of),
  quadSigns: () => bits(15),
}

function bitFacts(v: Value, of: (v: Value) => Facts): Facts {
  return (RULES[v.op] ?? rowFacts)(v, of)
}
