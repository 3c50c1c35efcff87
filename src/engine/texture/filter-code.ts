import { type Builder, bitsOf, type IfMerge, type Value } from '../ir/index.ts'

/**
 * The arithmetic of filters as values, equal to machine/sampling/arithmetic bit for bit: every operation there rounds to
 * float32 and flushes denormals, whatever the program does with its own.
 *
 * Nearly all blends need none of that. Let a plain lerp be a + (b - a) * t without flushes, and a weight a multiple of
 * 2^-12 below 1. Where the result of two levels of plain lerps is finite and at least 2^-30, it is what the machine gives:
 * - Some tap that has weight is then at least 2^-31. What a flush changes is below 2^-126, and what differs of a square's
 *   edge only if both its texels are below 2^-80; either is less than half a unit in the last place of what it is added to.
 * - Differences of numbers of that size are multiples of 2^-86, products with weights of 2^-98: no denormal comes up.
 * - A weight of 0 adds a zero to a number that is not zero; an infinity or NaN among the taps, or a difference that
 *   overflows, leaves no finite result.
 * Four texels of +0 blend to +0. Everything else is done again with care.
 */

type Lerp = (a: Value, b: Value, t: Value) => Value

/** The blend of numbers that meet no denormals, infinities or -0. */
export function plainLerp(o: Builder): Lerp {
  return (a, b, t) => o.f32Add(a, o.f32Mul(o.f32Sub(b, a), t))
}

/** Operations that flush what goes in and what comes out. */
function flushing(o: Builder): {
  readonly flush: (x: Value) => Value
  readonly add: (a: Value, b: Value) => Value
  readonly mul: (a: Value, b: Value) => Value
} {
  const flush = (x: Value): Value => (o.facts(x).flushed ? x : o.make('flushDenormal', [x]))
  return { flush, add: (a, b) => flush(o.f32Add(a, b)), mul: (a, b) => flush(o.f32Mul(a, b)) }
}

function isFiniteFloat(o: Builder, x: Value): Value {
  return o.f32LessEqual(o.and(x, o.constant(0x7fffffff)), o.constant(0x7f7fffff))
}

/** The blend of any numbers: t = 0 gives `a` untouched, differences that are not finite are avoided. */
export function fullLerp(o: Builder): Lerp {
  const { flush, add, mul } = flushing(o)
  return (a, b, t) => {
    const from = flush(a)
    const to = flush(b)
    const difference = flush(o.f32Sub(to, from))
    const near = add(from, mul(difference, t))
    const far = add(mul(from, o.f32Sub(o.constant(0x3f800000), t)), mul(to, t))
    const blended = o.select(isFiniteFloat(o, difference), near, far)
    return o.select(o.f32Equal(t, o.constant(0)), a, blended)
  }
}

const THREE = bitsOf(3)
const CANONICAL_NAN = 0x7fc00000

/** The mean of three, exact for equal ones. */
export function meanOf3(o: Builder, a: Value, b: Value, c: Value): Value {
  const { flush, add } = flushing(o)
  const [x, y, z] = [flush(a), flush(b), flush(c)]
  const third = (v: Value): Value => flush(o.f32Div(v, o.constant(THREE)))
  const sum = add(flush(o.f32Sub(y, x)), flush(o.f32Sub(z, x)))
  const thirds = add(add(third(x), third(y)), third(z))
  return o.select(isFiniteFloat(o, sum), add(x, third(sum)), thirds)
}

/** The mean of `count` numbers, of that of those before the last and of the last; `moderate` ones meet no denormals. */
export function runningMean(o: Builder, mean: Value, value: Value, count: Value, moderate: boolean): Value {
  if (moderate) return o.f32Add(mean, o.f32Div(o.f32Sub(value, mean), count))
  const { flush, add, mul } = flushing(o)
  const [m, v] = [flush(mean), flush(value)]
  const difference = flush(o.f32Sub(v, m))
  const near = add(m, flush(o.f32Div(difference, count)))
  const before = flush(o.f32Div(mul(m, o.f32Sub(count, o.constant(0x3f800000))), count))
  const far = add(before, flush(o.f32Div(v, count)))
  return o.select(isFiniteFloat(o, difference), near, far)
}

/** The taps of one component: 1, 2, 4 or 8, first in u, then in v, then in w. */
export type Taps = readonly Value[]
/** Weights of the second texel in u, v, w, as many as there are axes. */
export type Weights = readonly Value[]

/** Blends in u first, then in v, then in w. */
export function blend(lerp: Lerp, taps: Taps, weights: Weights): Value {
  let values = taps
  for (const t of weights) {
    values = Array.from({ length: values.length / 2 }, (_, i) => lerp(values[2 * i]!, values[2 * i + 1]!, t))
  }
  return values[0]!
}

/** Twice the bits (so without the sign) of 2^-30, and from there to infinity. */
const LEAST = 0x61000000
const REACH = 0xff000000 - LEAST

/** A number that is REACH or more where the quick blend of a square may differ from the one with flushes. */
function uncertaintyOf(o: Builder, result: Value, square: Taps): Value {
  const size = o.i32Sub(o.i32Add(result, result), o.constant(LEAST))
  const anyBit = square.reduce((a, b) => o.or(a, b))
  return o.and(size, o.not(o.i32Equal(anyBit, o.constant(0))))
}

/** Blends of all components without flushes, and where they may differ from those with. */
function quickBlends(o: Builder, all: readonly Taps[], weights: Weights): { results: Value[]; uncertain: Value } {
  const lerp = plainLerp(o)
  let most = o.constant(0)
  let infinite = o.constant(0)
  const results = all.map((taps) => {
    const squares = taps.length === 8 ? [taps.slice(0, 4), taps.slice(4)] : [taps]
    const blended = squares.map((s) => blend(lerp, s, weights.slice(0, 2)))
    blended.forEach((r, i) => {
      most = o.make('u32Max', [most, uncertaintyOf(o, r, squares[i]!)])
    })
    if (blended.length === 1) return blended[0]!
    // Both squares are 0 or of moderate size: only an overflow is left that could make a difference.
    const result = lerp(blended[0]!, blended[1]!, weights[2]!)
    infinite = o.make('u32Max', [infinite, o.i32Add(result, result)])
    return result
  })
  const finite = o.u32Less(infinite, o.constant(0xff000000))
  return { results, uncertain: o.not(o.and(o.u32Less(most, o.constant(REACH)), finite)) }
}

/** The values of `make` where `condition` holds, for the whole wave, and those of `makeOtherwise` where not; each runs alone. */
export function chooseValues(
  o: Builder,
  condition: Value,
  make: () => readonly Value[],
  makeOtherwise: () => readonly Value[],
): Value[] {
  let [made, others]: (readonly Value[])[] = [[], []]
  const taken = o.inside(false, () => {
    made = make()
  })
  const otherwise = o.inside(false, () => {
    others = makeOtherwise()
  })
  const phis: IfMerge[] = made!.map((v, i) => ({ value: o.phi(), taken: v, otherwise: others![i]! }))
  o.push({ kind: 'if', condition, taken, otherwise, phis })
  return phis.map((p) => p.value)
}

/** The values of `make` where `condition` holds, in place of those that are there already. */
export const insteadWhere = (
  o: Builder,
  condition: Value,
  usual: readonly Value[],
  make: () => readonly Value[],
): Value[] => chooseValues(o, condition, make, () => usual)

/**
 * Quick results, or where they are uncertain exact ones. Certain ones are no denormals: only exact ones need to be
 * flushed where the program flushes them.
 */
export function exactWhere(o: Builder, uncertain: Value, quick: readonly Value[], make: () => Value[]): Value[] {
  const { flush } = flushing(o)
  const both = insteadWhere(o, uncertain, [...quick, ...quick], () => {
    const made = make()
    return [...made, ...made.map(flush)]
  })
  const results = both.slice(0, quick.length)
  results.forEach((r, i) => void o.addFlushed(r, both[quick.length + i]!))
  return results
}

/** Blends the taps of all components; `moderate` ones need no flushes. */
export function blendAll(o: Builder, all: readonly Taps[], weights: Weights, moderate: boolean): Value[] {
  if (moderate) {
    return all.map((taps) => {
      const blended = blend(plainLerp(o), taps, weights)
      o.addFacts(blended, { flushed: true })
      return blended
    })
  }
  const exactBlends = (): Value[] => all.map((taps) => blend(fullLerp(o), taps, weights))
  const { results, uncertain } = quickBlends(o, all, weights)
  return exactWhere(o, uncertain, results, exactBlends)
}

/** The least or greatest of the taps that have weight, by component (5.9.4.5.6). */
export function reduceAll(o: Builder, all: readonly Taps[], weights: Weights, least: boolean): Value[] {
  const counts = weights.map((w) => o.not(o.f32Equal(w, o.constant(0))))
  return all.map((taps) =>
    taps.reduce((value, tap, n) => {
      const counted = counts.filter((_, axis) => (n >> axis) & 1).reduce((a, b) => o.and(a, b))
      return o.select(counted, extreme(o, value, tap, least), value)
    }),
  )
}

/** Minimum or maximum that prefers a number to NaN; of two NaNs it is the one NaN. */
export function extreme(o: Builder, a: Value, b: Value, least: boolean): Value {
  const either = o.make(least ? 'f32Min' : 'f32Max', [a, b])
  return o.select(o.f32Equal(either, either), either, o.constant(CANONICAL_NAN))
}
