import { type Item, regionsIn, type Value, valuesMade } from '../../ir/index.ts'
import { isRepeatable, planSpeculation, type Speculation } from '../../transform/index.ts'
import { assertAttempt } from '../emit/assertions.ts'
import type { Emitter } from '../emit/emitter.ts'
import { I32, V128 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { SPECULATION_COSTS } from './costs.ts'

/**
 * Ranges that run without flushes first and again with them where that may have changed a bit (transform/denormal-speculation.ts). A
 * check folds a value's bits into a vector of minima: zeros become the largest number of all, tiny values the smallest.
 */

/** Added to the bits of a size: 0 becomes the largest signed number, and the order of the others stays as it is. */
const ZERO_LAST = 0x7fffffff
const sizeBits = (exponent: number): number => (exponent + 127) << 23

/**
 * Each failure adds FAILURE_WEIGHT to a score and each success subtracts 1. Above MAX_FAILURE_SCORE the exact code runs at
 * once, which subtracts 1 too: where every attempt fails one in five is made, so that little is lost; below one failure in
 * five all are made.
 */
const FAILURE_WEIGHT = 5
const MAX_FAILURE_SCORE = 12
/** Never tried again: loops that take too many iterations without flushes. */
const NEVER = 0x40000000
/** Instructions of a wave that an attempt may take. */
const ATTEMPT_BUDGET = 1 << 22

export interface SpeculatedRange {
  readonly end: number
  readonly plan: Speculation
}

/** A range that is run without its flushes has no code for findings either, which costs loops registers. */
const NOTHING_ELIDED: Speculation = { elided: new Set(), checks: new Map() }

/** Items of a range up to which it is emitted twice for that alone. */
const MAX_LOADING = 64

/** Whether loops in a short range load what may be out of bounds. */
function loadsInLoops(items: readonly Item[]): boolean {
  let [count, isLoading] = [0, false]
  const walk = (list: readonly Item[], inLoop: boolean): void => {
    for (let n = 0; n < list.length; n++) {
      const item = list[n]!
      count++
      if (item.kind === 'value') continue
      if (item.kind === 'load') isLoading ||= inLoop && item.address.space.kind === 'buffer'
      for (const region of regionsIn(item)) walk(region.items, inLoop || item.kind === 'loop')
    }
  }
  walk(items, false)
  return isLoading && count <= MAX_LOADING
}

/** Finds the ranges of a list of items that are worth running without flushes, in parts, since planning takes long: by where they begin. */
export function* findSpeculatedRanges(
  e: Emitter,
  items: readonly Item[],
): Generator<void, ReadonlyMap<number, SpeculatedRange>> {
  const found = new Map<number, SpeculatedRange>()
  if (!e.settings.speculates) return found
  const surroundings = {
    isVarying: (v: Value) => e.isVarying(v),
    isFlushed: (v: Value) => e.facts(v).flushed,
    costs: SPECULATION_COSTS,
  }
  for (let first = 0; first < items.length; first++) {
    let end = first
    while (end < items.length && isRepeatable(items[end]!)) end++
    if (end > first) {
      const run = items.slice(first, end)
      const plan = (yield* planSpeculation(run, surroundings)) ?? (loadsInLoops(run) ? NOTHING_ELIDED : undefined)
      if (plan !== undefined) found.set(first, { end, plan })
    }
    first = end
  }
  return found
}

/** Of NaN the sign does not matter: whatever it is, its bits are far from those of tiny values. */
const isNeverNegative = (v: Value): boolean =>
  v.op === 'f32Sqrt' ||
  (v.op === 'f32Mul' && v.args[0] === v.args[1]) ||
  (v.op === 'f32Add' && v.args.every(isNeverNegative)) ||
  (v.op === 'flushDenormal' && isNeverNegative(v.args[0]!)) ||
  (v.op === 'and' && v.args[1]?.imm === ZERO_LAST)

/** Folds a value into the minima where it is one of those to check. */
export function emitCheck(e: Emitter, v: Value): void {
  const attempt = e.fastPath
  const least = attempt?.checks.get(v)
  if (attempt === undefined || least === undefined) return
  const { f } = e
  const minimum = attempt.minima.get(least)!
  for (const i of e.isVarying(v) ? e.parts : [0]) {
    f.get(minimum)
    e.vector(v, i)
    if (!isNeverNegative(v)) {
      e.pushConstant(ZERO_LAST)
      f.simd(SIMD.and)
    }
    e.pushConstant(ZERO_LAST)
    f.simd(SIMD.i32Add).simd(SIMD.i32MinS).set(minimum)
  }
}

/** Pushes whether any value was tiny. */
function pushFailed(e: Emitter, minima: ReadonlyMap<number, number>): void {
  let n = 0
  for (const [least, minimum] of minima) {
    e.f.get(minimum)
    e.pushConstant((sizeBits(least) + ZERO_LAST) >>> 0)
    e.f.simd(SIMD.i32LtS)
    if (n++ > 0) e.f.simd(SIMD.or)
  }
  e.f.simd(SIMD.anyTrue)
}

/** What a range needs to run an attempt: a budget of its own, so that what it takes can be given back. */
class RangeBudget {
  readonly #e: Emitter
  readonly #budget: number
  readonly #before: number
  readonly #limited: number

  constructor(e: Emitter, budget: number) {
    this.#e = e
    this.#budget = budget
    this.#before = e.f.local(I32)
    this.#limited = e.f.local(I32)
  }

  limit(): void {
    const { f } = this.#e
    f.get(this.#budget).tee(this.#before).i32(ATTEMPT_BUDGET)
    f.get(this.#before).i32(ATTEMPT_BUDGET).op(OP.i32LtS).op(OP.select).tee(this.#limited).set(this.#budget)
  }
  /** What is left of all after an attempt that counts. */
  commit(): void {
    const { f } = this.#e
    f.get(this.#before).get(this.#limited).op(OP.i32Sub).get(this.#budget).op(OP.i32Add).set(this.#budget)
  }
  restore(): void {
    this.#e.f.get(this.#before).set(this.#budget)
  }
}

/** The first statement that leaves a flush out. */
const statementOf = ({ elided }: Speculation): number => elided.values().next().value?.statement ?? 0

/** Emits a range, in parts: `plain` emits its items, as the emitter's attempt says. */
export function* emitSpeculatedRange(
  e: Emitter,
  items: readonly Item[],
  { plan, budget, plain }: { plan: Speculation; budget: number; plain: () => Generator<void, unknown> },
): Generator<void, void> {
  const { f } = e
  const values = items.flatMap(valuesMade)
  const made = new Set(values)
  e.hold([...plan.checks.keys()].filter((v) => made.has(v)))
  const failureScore = f.local(I32)
  const attemptBudget = new RangeBudget(e, budget)
  const minima = new Map([...new Set(plan.checks.values())].map((level) => [level, f.local(V128)]))
  const broken = e.assertions === undefined ? undefined : f.local(V128)
  const done = f.begin('block')
  const exact = f.begin('block')
  f.get(failureScore).i32(MAX_FAILURE_SCORE).op(OP.i32GtS).brIf(exact)
  if (broken !== undefined) {
    e.pushConstant(0)
    f.set(broken)
  }
  for (const minimum of minima.values()) {
    e.pushConstant(ZERO_LAST)
    f.set(minimum)
  }
  attemptBudget.limit()
  const endless = f.begin('block')
  const failed = f.begin('block')
  e.fastPath = { ...plan, minima, broken, failed, endless }
  e.beginScope()
  for (const v of plan.checks.keys()) if (!made.has(v)) emitCheck(e, v)
  yield* plain()
  e.endScope()
  e.fastPath = undefined
  if (minima.size > 0) {
    pushFailed(e, minima)
    f.brIf(failed)
  }
  if (broken !== undefined) assertAttempt(e, broken, statementOf(plan))
  attemptBudget.commit()
  f.get(failureScore).get(failureScore).i32(0).op(OP.i32GtS).op(OP.i32Sub).set(failureScore)
  f.br(done)
  f.end()
  f.get(failureScore).i32(FAILURE_WEIGHT).op(OP.i32Add).set(failureScore)
  attemptBudget.restore()
  f.br(exact)
  f.end()
  f.i32(NEVER).set(failureScore)
  attemptBudget.restore()
  f.end()
  f.get(failureScore).i32(1).op(OP.i32Sub).set(failureScore)
  e.again(values)
  e.beginScope()
  yield* plain()
  e.endScope()
  f.end()
}
