import {
  boundedExtreme,
  boundedProduct,
  boundedSum,
  exactly,
  type FloatBounds,
  negated,
  roundingOf,
  UNBOUNDED,
  type ValueOps,
} from '../../isa/index.ts'
import type { BlendFactor, TargetBlend } from '../state.ts'
import { equationOf, staysInRange } from './blend-words.ts'
import type { FormatField } from './element.ts'
import { floatBits } from './fast-codes.ts'

/**
 * Blending into UNORM as sums of float32 in units of a code, which are near what `blendWords` leaves: as words, and with bounds of how
 * near ([decision](../../../docs/decisions/approximate-codes.md)). Both are one description over the operations of `Sums`.
 */

/** Operations of float32, each rounded once. Where numbers are known to lie `within` bounds, that is said. */
export interface Sums<T> {
  number(value: number): T
  add(a: T, b: T, within?: readonly [number, number]): T
  subtract(a: T, b: T): T
  multiply(a: T, b: T): T
  extreme(a: T, b: T, isMax: boolean): T
}

export const wordSums = <V>(o: ValueOps<V>): Sums<V> => ({
  number: (value) => o.constant(floatBits(value)),
  add: (a, b) => o.f32Add(a, b),
  subtract: (a, b) => o.f32Sub(a, b),
  multiply: (a, b) => o.f32Mul(a, b),
  extreme: (a, b, isMax) => (isMax ? o.select(o.f32Less(a, b), b, a) : o.select(o.f32Less(b, a), b, a)),
})

const boundedSums: Sums<FloatBounds> = {
  number: exactly,
  add: (a, b, within) => boundedSum(a, b, 1, within),
  subtract: (a, b) => boundedSum(a, negated(b), 1),
  multiply: (a, b) => boundedProduct(a, b, 1),
  extreme: boundedExtreme,
}

/** What is blended, between 0 and 1; `scaled` is a component of the source times a number. */
export interface SumInputs<T> {
  source(c: number): T
  source1(c: number): T
  scaled(c: number, by: number): T
  blendFactor(c: number): T
  /** What the target has, by component, between 0 and 1. */
  destination(c: number): T
}

const greatestOf = ({ bitCount }: FormatField): number => 2 ** bitCount - 1

const inverseOf = (f: BlendFactor): BlendFactor | undefined =>
  f.startsWith('INV_') ? (f.slice(4) as BlendFactor) : undefined

function factorOf<T>(s: Sums<T>, factor: BlendFactor, c: number, x: SumInputs<T>): T {
  const inner = inverseOf(factor)
  if (inner !== undefined) return s.subtract(s.number(1), factorOf(s, inner, c, x))
  switch (factor) {
    case 'ZERO':
      return s.number(0)
    case 'SRC_COLOR':
      return x.source(c)
    case 'SRC_ALPHA':
      return x.source(3)
    case 'DEST_COLOR':
      return x.destination(c)
    case 'DEST_ALPHA':
      return x.destination(3)
    case 'SRC_ALPHA_SAT': {
      const rest = (): T => s.subtract(s.number(1), x.destination(3))
      return c === 3 ? s.number(1) : s.extreme(rest(), x.source(3), false)
    }
    case 'BLEND_FACTOR':
      return x.blendFactor(c)
    case 'SRC1_COLOR':
      return x.source1(c)
    case 'SRC1_ALPHA':
      return x.source1(3)
    default:
      return s.number(1)
  }
}

/** Numbers that a factor makes smaller: those that are 0 or stay as they are need no product. */
function part<T>(s: Sums<T>, number: () => T, factor: BlendFactor, c: number, x: SumInputs<T>): T {
  if (factor === 'ZERO') return s.number(0)
  return factor === 'ONE' ? number() : s.multiply(number(), factorOf(s, factor, c, x))
}

function clamped<T>(s: Sums<T>, sum: T, greatest: number): T {
  return s.extreme(s.number(greatest), s.extreme(s.number(0), sum, true), false)
}

/** Source and destination between 0 and `greatest` times their factors, as `blendWords` has them: products and sums are rounded each. */
function combined<T>(
  s: Sums<T>,
  blend: TargetBlend,
  c: number,
  [own, there, greatest]: readonly [T, T, number],
  x: SumInputs<T>,
): T {
  const [op, sf, df] = equationOf(blend, c)
  if (op === 'MIN' || op === 'MAX') return s.extreme(own, there, op === 'MAX')
  const [a, b] = [part(s, () => own, sf, c, x), part(s, () => there, df, c, x)]
  if (op === 'ADD') return s.add(a, b, staysInRange(blend, c) ? [0, greatest] : undefined)
  return op === 'SUBTRACT' ? s.subtract(a, b) : s.subtract(b, a)
}

/** What a component is in units of a code, of which `code` is there, as few operations. */
export function approximateSum<T>(
  s: Sums<T>,
  blend: TargetBlend | undefined,
  field: FormatField,
  x: SumInputs<T>,
  code: () => T,
): T {
  const { component: c } = field
  const greatest = greatestOf(field)
  if (blend === undefined) return x.scaled(c, greatest)
  const [op, sf, df] = equationOf(blend, c)
  const range = [0, greatest] as const
  /** From one number to another, by a part of their difference. */
  const between = (from: T, to: T, by: T): T => s.add(from, s.multiply(by, s.subtract(to, from)), range)
  if (op === 'ADD') {
    const isRest = df === 'INV_SRC_COLOR' || (c === 3 && df === 'INV_SRC_ALPHA')
    if (sf === 'ONE' && isRest) return between(code(), s.number(greatest), x.source(c))
    if (inverseOf(df) === sf) return between(code(), x.scaled(c, greatest), factorOf(s, sf, c, x))
    if (inverseOf(sf) === df) return between(x.scaled(c, greatest), code(), factorOf(s, df, c, x))
  }
  const isUnused = op === 'ADD' && sf === 'ZERO'
  const own = isUnused ? s.number(0) : x.scaled(c, greatest)
  const sum = combined(s, blend, c, [own, code(), greatest], x)
  return staysInRange(blend, c) ? sum : clamped(s, sum, greatest)
}

/** Bounds of the source, of which a component may be more or less than the target has: it is clamped then. */
export interface SourceBounds {
  source(c: number): FloatBounds
  source1(c: number): FloatBounds
  /** Of a component times a number, where that is no product of the component; it is not clamped then. */
  scaled?(c: number, by: number): FloatBounds | undefined
}

/** What colors may be less than 0 or greater than 1 without a clamp: it counts as an error. */
const NEARLY = 2 ** -20

/** Whether a color is clamped; and the bounds of the clamped one, which is what there is to meet. */
export function clampOf({ least, greatest, error }: FloatBounds): {
  readonly isClamped: boolean
  readonly bounds: FloatBounds
} {
  const outside = Math.max(0, -least, greatest - 1)
  const isClamped = !(outside <= NEARLY)
  const inner = { least: Math.min(1, Math.max(0, least)), greatest: Math.max(0, Math.min(1, greatest)) }
  return { isClamped, bounds: { ...inner, error: isClamped ? error : error + outside } }
}

const BETWEEN: FloatBounds = { least: 0, greatest: 1, error: 0 }
const withoutError = (b: FloatBounds): FloatBounds => (b.error < Infinity ? { ...b, error: 0 } : UNBOUNDED)

/**
 * How far, in units of a code, the sum of a component may be from the product of the greatest code with what `blendWords` leaves: each
 * is near the same sum of real numbers, of what the shader left and of the code that is there.
 */
export function sumError(
  blend: TargetBlend | undefined,
  field: FormatField,
  sources: SourceBounds,
  fieldOf: (c: number) => FormatField | undefined,
): number {
  const { component: c } = field
  const greatest = greatestOf(field)
  const scaled = (b: FloatBounds, by: number): FloatBounds => boundedProduct(b, exactly(by), 1)
  const near =
    (f: (c: number) => FloatBounds) =>
    (n: number): FloatBounds =>
      clampOf(f(n)).bounds
  const missing = (n: number): FloatBounds => exactly(n === 3 ? 1 : 0)
  const approximate: SumInputs<FloatBounds> = {
    source: near(sources.source),
    source1: near(sources.source1),
    scaled: (n, by) => sources.scaled?.(n, by) ?? scaled(near(sources.source)(n), by),
    blendFactor: () => BETWEEN,
    // A product of a code with the rounded reciprocal of the greatest, which may be above 1.
    destination: (n) => (fieldOf(n) === undefined ? missing(n) : { ...BETWEEN, error: 4 * roundingOf(1) }),
  }
  const code = (): FloatBounds => ({ least: 0, greatest, error: 0 })
  const ofSum = approximateSum(boundedSums, blend, field, approximate, code)
  if (blend === undefined) return ofSum.error
  const exact: SumInputs<FloatBounds> = {
    source: (n) => withoutError(approximate.source(n)),
    source1: (n) => withoutError(approximate.source1(n)),
    scaled: () => UNBOUNDED,
    blendFactor: approximate.blendFactor,
    destination: (n) => (fieldOf(n) === undefined ? missing(n) : { ...BETWEEN, error: roundingOf(1) }),
  }
  const own = equationOf(blend, c)[1] === 'ZERO' && equationOf(blend, c)[0] === 'ADD' ? exactly(0) : exact.source(c)
  const ofBlend = combined(boundedSums, blend, c, [own, exact.destination(c), 1], exact)
  return ofSum.error + greatest * ofBlend.error
}
