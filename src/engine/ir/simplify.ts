import type { ValueOps } from '../../isa/index.ts'
import { MAX_CONSTANTS } from './bindings.ts'
import { constantOf, type Facts } from './facts.ts'
import type { Op, Value } from './value.ts'

/**
 * Identities that hold bit for bit. Float identities are few: x + 0, x * 1 and the like are not among them, since they
 * change the sign of zero or a signaling pattern.
 */

const SIGN = 0x80000000
const INFINITY = 0x7f800000

/** What rules make and examine values with: the builder. */
interface ValueMaker extends ValueOps<Value> {
  make(op: Op, args: readonly Value[], imm?: number): Value
  facts(v: Value): Facts
}

type Rule = (o: ValueMaker, args: readonly Value[]) => Value | undefined

/** A constant operand of a commutative operation and the other one. */
function split(args: readonly Value[]): readonly [Value, number] | undefined {
  const a = args[0]!
  const b = args[1]!
  const right = constantOf(b)
  if (right !== undefined) return [a, right]
  const left = constantOf(a)
  return left === undefined ? undefined : [b, left]
}

const isPowerOfTwo = (n: number): boolean => n !== 0 && (n & (n - 1)) === 0
const log2 = (n: number): number => 31 - Math.clz32(n)

function add(o: ValueMaker, args: readonly Value[]): Value | undefined {
  const parts = split(args)
  if (parts === undefined) return undefined
  const [x, c] = parts
  if (c === 0) return x
  const inner = x.op === 'i32Add' ? split(x.args) : undefined
  return inner === undefined ? undefined : o.i32Add(inner[0], o.constant(inner[1] + c))
}

function multiply(o: ValueMaker, args: readonly Value[]): Value | undefined {
  const parts = split(args)
  if (parts === undefined) return undefined
  const [x, c] = parts
  if (c === 0) return o.constant(0)
  if (c === 1) return x
  return isPowerOfTwo(c) ? o.shiftLeft(x, o.constant(log2(c))) : undefined
}

function and(o: ValueMaker, args: readonly Value[]): Value | undefined {
  if (args[0] === args[1]) return args[0]
  const parts = split(args)
  if (parts === undefined) return undefined
  const [x, c] = parts
  if ((o.facts(x).maybe & ~c) >>> 0 === 0) return x
  if ((o.facts(x).maybe & c) >>> 0 === 0) return o.constant(0)
  const inner = x.op === 'and' ? split(x.args) : undefined
  return inner === undefined ? undefined : o.and(inner[0], o.constant(inner[1] & c))
}

function or(_o: ValueMaker, args: readonly Value[]): Value | undefined {
  if (args[0] === args[1]) return args[0]
  const parts = split(args)
  return parts !== undefined && parts[1] === 0 ? parts[0] : undefined
}

function xor(o: ValueMaker, args: readonly Value[]): Value | undefined {
  if (args[0] === args[1]) return o.constant(0)
  const parts = split(args)
  if (parts === undefined) return undefined
  const [x, c] = parts
  if (c === 0) return x
  const inner = x.op === 'xor' ? split(x.args) : undefined
  return inner === undefined ? undefined : o.xor(inner[0], o.constant(inner[1] ^ c))
}

function shift(_o: ValueMaker, args: readonly Value[]): Value | undefined {
  const count = constantOf(args[1]!)
  return count !== undefined && (count & 31) === 0 ? args[0] : undefined
}

function unsignedDivide(o: ValueMaker, args: readonly Value[]): Value | undefined {
  const divisor = constantOf(args[1]!)
  if (divisor === undefined || !isPowerOfTwo(divisor)) return undefined
  return o.shiftRightLogical(args[0]!, o.constant(log2(divisor)))
}

function unsignedRemainder(o: ValueMaker, args: readonly Value[]): Value | undefined {
  const divisor = constantOf(args[1]!)
  if (divisor === undefined || !isPowerOfTwo(divisor)) return undefined
  return o.and(args[0]!, o.constant(divisor - 1))
}

function integerEqual(o: ValueMaker, args: readonly Value[]): Value | undefined {
  if (args[0] === args[1]) return o.constant(0xffffffff)
  const parts = split(args)
  if (parts === undefined) return undefined
  const [x, c] = parts
  if (!o.facts(x).mask) return undefined
  if (c === 0) return o.not(x)
  return c === 0xffffffff ? x : o.constant(0)
}

/** A number that is neither denormal nor zero nor NaN: flushing what it is compared with changes no comparison. */
function isNormal(bits: number): boolean {
  const magnitude = bits & ~SIGN
  return magnitude >= 0x00800000 && magnitude <= INFINITY
}

/** Comparisons with a normal constant need no flush of the other side. */
function floatCompare(op: Op): Rule {
  return (o, args) => {
    const [a, b] = args as readonly [Value, Value]
    const ca = constantOf(a)
    const cb = constantOf(b)
    if (a.op === 'flushDenormal' && cb !== undefined && isNormal(cb)) return o.make(op, [a.args[0]!, b])
    if (b.op === 'flushDenormal' && ca !== undefined && isNormal(ca)) return o.make(op, [a, b.args[0]!])
    return undefined
  }
}

/** A constant other than 0 that has a bit which the other side cannot have: only the bits of such floats make them equal. */
function floatEqual(o: ValueMaker, args: readonly Value[]): Value | undefined {
  const parts = split(args)
  if (parts === undefined) return undefined
  const [x, c] = parts
  return (c & ~SIGN) !== 0 && (c & ~o.facts(x).maybe) !== 0 ? o.constant(0) : undefined
}

/** `select(c <= x, a, select(x < c, b, d))` of a number: where the first does not hold the second does. */
function ofNumber(o: ValueMaker, args: readonly Value[]): Value | undefined {
  const [condition, a, other] = args as readonly [Value, Value, Value]
  if (condition.op !== 'f32LessEqual' || other.op !== 'select' || other.args[0]!.op !== 'f32Less') return undefined
  const [c, x] = condition.args as readonly [Value, Value]
  const [less, least] = other.args[0]!.args as readonly [Value, Value]
  const isOpposite = less === x && least === c
  return isOpposite && o.facts(x).number && o.facts(c).number ? o.select(condition, a, other.args[1]!) : undefined
}

/** `compared` is `used`, or `used` is its flush and `other` a constant that no flush can reach (floatCompare dropped it). */
function isSame(compared: Value, used: Value, other: Value): boolean {
  if (compared === used) return true
  const c = constantOf(other)
  return c !== undefined && isNormal(c) && used.op === 'flushDenormal' && used.args[0] === compared
}

/** `select(a < b, b, a)` and its mirror image. */
function ordering(o: ValueMaker, less: Op, max: Op, min: Op, args: readonly Value[]): Value | undefined {
  const condition = args[0]!
  if (condition.op !== less) return undefined
  const x = args[1]!
  const y = args[2]!
  const [p, q] = condition.args as readonly [Value, Value]
  if (isSame(q, x, y) && isSame(p, y, x)) return o.make(max, [y, x])
  return isSame(p, x, y) && isSame(q, y, x) ? o.make(min, [y, x]) : undefined
}

/** max of semantics/float: `select(x == y, x & y, select(x < y, y, select(x == x, x, y)))`; min with `|` and `y < x`. */
function floatExtreme(o: ValueMaker, args: readonly Value[]): Value | undefined {
  const condition = args[0]!
  const chosen = args[1]!
  const rest = args[2]!
  if (condition.op !== 'f32Equal' || (chosen.op !== 'and' && chosen.op !== 'or')) return undefined
  const isMax = chosen.op === 'and'
  const operands = isMax ? maxOperands(rest) : minOperands(rest)
  if (operands === undefined) return undefined
  const [x, y] = operands
  if (!isPair(condition, x, y) || !isPair(chosen, x, y)) return undefined
  // A constant is no NaN, so the order of the operands is free: it goes last.
  const ordered = constantOf(x) === undefined ? [x, y] : [y, x]
  return o.make(isMax ? 'f32Max' : 'f32Min', ordered)
}

/** x and y of `select(x < y, y, select(x == x, x, y))`; where x is a constant the inner select is gone. */
function maxOperands(rest: Value): readonly [Value, Value] | undefined {
  if (rest.op === 'f32PseudoMax' && constantOf(rest.args[0]!) !== undefined) return [rest.args[0]!, rest.args[1]!]
  if (rest.op !== 'select' || rest.args[0]!.op !== 'f32Less') return undefined
  const [p, q] = rest.args[0]!.args as readonly [Value, Value]
  return comparedOperands(p, q, rest)
}

/** The same of `select(y < x, y, select(x == x, x, y))`. */
function minOperands(rest: Value): readonly [Value, Value] | undefined {
  if (rest.op === 'f32PseudoMin' && constantOf(rest.args[0]!) !== undefined) return [rest.args[0]!, rest.args[1]!]
  if (rest.op !== 'select' || rest.args[0]!.op !== 'f32Less') return undefined
  const [q, p] = rest.args[0]!.args as readonly [Value, Value]
  return comparedOperands(p, q, rest)
}

function comparedOperands(p: Value, q: Value, rest: Value): readonly [Value, Value] | undefined {
  const y = rest.args[1]!
  const number = rest.args[2]!
  if (number.op !== 'select' || number.args[2] !== y) return undefined
  const [same, x] = number.args as readonly [Value, Value, Value]
  if (same.op !== 'f32Equal' || same.args[0] !== x || same.args[1] !== x) return undefined
  return isSame(p, x, y) && isSame(q, y, x) ? [x, y] : undefined
}

function isPair(v: Value, x: Value, y: Value): boolean {
  const [a, b] = v.args as readonly [Value, Value]
  return (isSame(a, x, y) && isSame(b, y, x)) || (isSame(a, y, x) && isSame(b, x, y))
}

/** A bound above every denormal, or one below, decides without a flush of the other side. */
function bounded(op: Op, isBeyond: (c: number) => boolean): Rule {
  return (o, args) => {
    const [a, b] = args as readonly [Value, Value]
    const ca = constantOf(a)
    const cb = constantOf(b)
    if (b.op === 'flushDenormal' && ca !== undefined && isNormal(ca) && isBeyond(ca)) return o.make(op, [a, b.args[0]!])
    if (a.op === 'flushDenormal' && cb !== undefined && isNormal(cb) && isBeyond(cb)) return o.make(op, [a.args[0]!, b])
    return undefined
  }
}
const isPositive = (c: number): boolean => c < SIGN
const isNegative = (c: number): boolean => c >= SIGN

/** Whether a value is `min(max(v, zero), one)` already. */
function isClamped(v: Value, zero: Value, one: Value): boolean {
  const [bound, inner] = v.args
  return v.op === 'f32PseudoMin' && bound === one && inner!.op === 'f32PseudoMax' && inner!.args[0] === zero
}

/**
 * `select(0 < v, min(v, 1), 0)` of saturate is `min(max(v, 0), 1)`, for NaN too: it is not above 0. The upper bound must be
 * above 0 itself, or the minimum with it would not leave the 0.
 */
function saturation(o: ValueMaker, args: readonly Value[]): Value | undefined {
  const condition = args[0]!
  const x = args[1]!
  const y = args[2]!
  if (condition.op !== 'f32Less' || x.op !== 'f32PseudoMin' || constantOf(y) !== 0) return undefined
  const [zero, v] = condition.args as readonly [Value, Value]
  const [one, inner] = x.args as readonly [Value, Value]
  const bound = constantOf(one) ?? 0
  if (zero !== y || inner !== v || bound === 0 || bound > INFINITY) return undefined
  if (isClamped(v, zero, one)) return v
  return o.make('f32PseudoMin', [one, o.make('f32PseudoMax', [zero, v])])
}

function select(o: ValueMaker, args: readonly Value[]): Value | undefined {
  const condition = args[0]!
  const a = args[1]!
  const b = args[2]!
  const c = constantOf(condition)
  if (c !== undefined) return c !== 0 ? a : b
  if (a === b) return a
  if (condition.op === 'not' && o.facts(condition.args[0]!).mask) return o.select(condition.args[0]!, b, a)
  if (o.facts(condition).mask) {
    if (constantOf(a) === 0xffffffff && constantOf(b) === 0) return condition
    if (constantOf(a) === 0 && constantOf(b) === 0xffffffff) return o.not(condition)
  }
  return (
    floatExtreme(o, args) ??
    ordering(o, 'f32Less', 'f32PseudoMax', 'f32PseudoMin', args) ??
    ordering(o, 'i32Less', 'i32Max', 'i32Min', args) ??
    ordering(o, 'u32Less', 'u32Max', 'u32Min', args) ??
    saturation(o, args) ??
    ofNumber(o, args)
  )
}

/** The operand whose sign a value flips. */
function negated(v: Value): Value | undefined {
  return v.op === 'xor' && constantOf(v.args[1]!) === SIGN ? v.args[0] : undefined
}

/** The product that a value is but for its sign, behind a flush or not: x * (-y) is -(x * y), bit for bit but for the payload of a NaN. */
function negatedProduct(o: ValueMaker, v: Value): Value | undefined {
  if (v.op === 'flushDenormal') {
    const inner = negatedProduct(o, v.args[0]!)
    return inner && o.make('flushDenormal', [inner])
  }
  if (v.op !== 'f32Mul') return undefined
  const [x, y] = v.args as readonly [Value, Value]
  const [second, first] = [negated(y), negated(x)]
  if (second !== undefined) return o.f32Mul(x, second)
  return first === undefined ? undefined : o.f32Mul(first, y)
}

/** a + (-b) is a - b, bit for bit but for the payload of a NaN, which is made canonical before its bits are read. */
function floatAdd(o: ValueMaker, args: readonly Value[]): Value | undefined {
  const a = args[0]!
  const b = args[1]!
  const second = negated(b) ?? negatedProduct(o, b)
  if (second !== undefined) return o.f32Sub(a, second)
  const first = negated(a) ?? negatedProduct(o, a)
  return first === undefined ? undefined : o.f32Sub(b, first)
}

function floatSubtract(o: ValueMaker, args: readonly Value[]): Value | undefined {
  const second = negated(args[1]!) ?? negatedProduct(o, args[1]!)
  return second === undefined ? undefined : o.f32Add(args[0]!, second)
}

const RULES: { readonly [K in Op]?: Rule } = {
  select,
  i32Add: add,
  i32Sub: (o, [a, b]) => {
    if (a === b) return o.constant(0)
    const c = constantOf(b!)
    return c === undefined ? undefined : o.i32Add(a!, o.constant(-c))
  },
  i32Mul: multiply,
  f32Add: floatAdd,
  f32Sub: floatSubtract,
  and,
  or,
  xor,
  not: (_o, [a]) => (a!.op === 'not' ? a!.args[0] : undefined),
  shiftLeft: shift,
  shiftRightLogical: shift,
  shiftRightArithmetic: shift,
  u32Div: unsignedDivide,
  u32Rem: unsignedRemainder,
  i32Equal: integerEqual,
  i32Less: (o, [a, b]) => (a === b ? o.constant(0) : undefined),
  u32Less: (o, [a, b]) => {
    if (a === b || constantOf(b!) === 0) return o.constant(0)
    // Bits that are known to be 0 bound a number: indices that are masked need no check.
    const { maybe } = o.facts(a!)
    const largest = maybe === 0 ? 0 : 0xffffffff >>> Math.clz32(maybe)
    return largest < (constantOf(b!) ?? 0) ? o.constant(0xffffffff) : undefined
  },
  f32Less: floatCompare('f32Less'),
  f32LessEqual: floatCompare('f32LessEqual'),
  f32Equal: (o, args) => floatEqual(o, args) ?? floatCompare('f32Equal')(o, args),
  // A computed number that turned out to be a constant past every constant buffer.
  constantBuffer: (o, [index]) => ((constantOf(index!) ?? 0) >= MAX_CONSTANTS ? o.constant(0) : undefined),
  f32Max: bounded('f32Max', isPositive),
  f32PseudoMax: bounded('f32PseudoMax', isPositive),
  f32Min: bounded('f32Min', isNegative),
  f32PseudoMin: bounded('f32PseudoMin', isNegative),
  f64Low: (_o, [a]) => (a!.op === 'f64Pack' ? a!.args[0] : undefined),
  f64High: (_o, [a]) => (a!.op === 'f64Pack' ? a!.args[1] : undefined),
}

/** A value equal to an operation, made of fewer or cheaper ones; undefined where there is none. */
export function simplify(o: ValueMaker, op: Op, args: readonly Value[]): Value | undefined {
  return RULES[op]?.(o, args)
}
