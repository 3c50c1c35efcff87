import { FRACTION_BITS, MIN_NORMAL_EXPONENT } from '../analysis/index.ts'
import {
  hasLoop,
  type Item,
  regionsIn,
  resultsOf,
  signOperand,
  someItem,
  type Value,
  valuesMade,
  valuesRead,
} from '../ir/index.ts'
import { RangeMagnitudes, type RangeSurroundings } from './range-magnitudes.ts'
import { isRepeatable } from './repeatable.ts'

/**
 * Plans which denormal flushes of a side-effect-free range of code can be left out, if a few values are checked not to be tiny. Such a range runs
 * without them; had one of the values checked been tiny (and not zero), all of it is run again, exactly. While the checks
 * hold no value that a left out flush saw is denormal, by induction over the order of the code: so every value is the
 * exact one. What the checks imply is worked out from bounds on sizes (magnitude.ts): the product of two values of at
 * least 2^-51 is at least 2^-102 and so a multiple of 2^-125, and sums of such multiples are never denormal.
 */
export interface Speculation {
  /** Flushes that are left out. */
  readonly elided: ReadonlySet<Value>
  /** Values that must not be tiny, and the exponent of the least size. */
  readonly checks: ReadonlyMap<Value, number>
}

/** Factors of at least this size give products of at least PRODUCT. */
export const FACTOR = -51
/** Multiples of the last bit of such a value are no denormals. */
export const PRODUCT = -102
/** Sums of values of at least this size are multiples of 2^FACTOR, and so at least that. */
export const TERM = FACTOR + FRACTION_BITS
/** Squares of values of at least this size are at least 2^-148; those of smaller ones may be 0. */
const SQUARED = -74

/** What flushes and checks cost a machine, in its operations, and when a plan pays; each backend has its own. */
export interface SpeculationCosts {
  readonly flush: number
  /** A check of a value of lanes; of a scalar it is one operation. */
  readonly check: number
  /** The test at the end of the code without flushes. */
  readonly test: number
  /** How often the body of a loop is assumed to run. */
  readonly iterations: number
  /** What is saved must be this many times what checks cost: attempts may fail. */
  readonly minRatio: number
  /** Flushes in a range of code: fewer save less than the test takes, more cost registers and planning. */
  readonly minFlushes: number
  readonly maxFlushes: number
  /** The same where no loop holds another, so that nothing shorter inside is worth an attempt of its own. */
  readonly maxFlushesOfInnermost: number
}

/** Passes over the flushes; each can use what the last one found about loops. */
const MAX_PASSES = 3
export interface Surroundings extends RangeSurroundings {
  readonly costs: SpeculationCosts
}

type Checks = ReadonlyMap<Value, number>

/** Values whose squares are looked for, and those that were found, by their roots. */
interface Squares {
  readonly roots: ReadonlySet<Value>
  readonly squares: Map<Value, Value>
}

class Planner {
  readonly #surroundings: Surroundings
  readonly #costs: SpeculationCosts
  readonly #items: readonly Item[]
  readonly #known: RangeMagnitudes
  /** By the number of a value of the range, how often it is computed. */
  readonly #weights: (number | undefined)[] = []
  readonly #flushes: Value[] = []
  /**
   * Flushes behind the last loop. They are computed once, like those of other straight code: a check there saves next to nothing, and where
   * it fails all loops before it run again (raymarch, the draw: a power of 48 fell below 2^-51 in a third of the waves).
   */
  readonly #behindLoops = new Set<Value>()
  /** By factor, the number of products that need it not to be tiny. */
  readonly #products = new Map<Value, number>()

  constructor(items: readonly Item[], surroundings: Surroundings) {
    this.#items = items
    this.#surroundings = surroundings
    this.#costs = surroundings.costs
    this.#known = new RangeMagnitudes(items, surroundings)
    this.#list(items, 1, false)
  }

  #weigh(values: readonly Value[], weight: number): void {
    for (let n = 0; n < values.length; n++) this.#weights[values[n]!.id] = weight
  }

  /** `isFollowed`: a loop comes behind the items. */
  #list(items: readonly Item[], weight: number, isFollowed: boolean): void {
    const lastLoop = isFollowed ? items.length : items.findLastIndex(hasLoop)
    for (let n = 0; n < items.length; n++) {
      const item = items[n]!
      const hasLoopBehind = n < lastLoop
      switch (item.kind) {
        case 'value':
          this.#value(item.value, weight, hasLoopBehind)
          break
        case 'if':
          this.#list(item.taken.items, weight, hasLoopBehind)
          this.#list(item.otherwise.items, weight, hasLoopBehind)
          for (const p of item.phis) this.#weights[p.value.id] = weight
          break
        case 'block':
          this.#list(item.body.items, weight, hasLoopBehind)
          this.#weigh(item.label.phis, weight)
          break
        case 'loop':
          for (const h of item.headerPhis) this.#weights[h.value.id] = weight * this.#costs.iterations
          this.#list(item.body.items, weight * this.#costs.iterations, true)
          this.#weigh(item.label.phis, weight)
          break
        default:
          this.#weigh(resultsOf(item), weight)
      }
    }
  }

  #value(v: Value, weight: number, hasLoopBehind: boolean): void {
    this.#weights[v.id] = weight
    if (v.op === 'flushDenormal' && this.#surroundings.isVarying(v)) {
      this.#flushes.push(v)
      if (!hasLoopBehind) this.#behindLoops.add(v)
    }
    if (v.op !== 'f32Mul' || !hasLoopBehind) return
    this.#factor(v.args[0]!)
    if (v.args[1] !== v.args[0]) this.#factor(v.args[1]!)
  }

  #factor(v: Value): void {
    const factor = this.#known.source(v)
    this.#products.set(factor, (this.#products.get(factor) ?? 0) + 1)
  }

  #cost(v: Value): number {
    const weight = this.#weights[v.id] ?? 1
    return (this.#surroundings.isVarying(v) ? this.#costs.check : 1) * weight
  }

  #costOf(checks: Checks): number {
    let sum = 0
    for (const v of checks.keys()) {
      // A factor of several products is checked once for all of them.
      const shared = checks.get(v) === FACTOR ? Math.max(1, this.#products.get(v) ?? 1) : 1
      if (!this.#known.checks.has(v)) sum += this.#cost(v) / shared
    }
    return sum
  }

  #cheaper(a: Checks, b: Checks): Checks {
    return this.#costOf(a) <= this.#costOf(b) ? a : b
  }

  /** Checks after which a product is at least PRODUCT in size: of its factors that may be tiny, or of itself. */
  #forProduct(v: Value): Checks {
    const itself = new Map([[v, PRODUCT]])
    // A constant is as small as it is.
    if (v.args.some((a) => a.op === 'constant' && this.#known.of(a).minExponent < FACTOR)) return itself
    const tiny = v.args.filter((a) => this.#known.of(a).minExponent < FACTOR).map((a) => this.#known.source(a))
    if (tiny.length === 0) return itself
    return this.#cheaper(new Map(tiny.flatMap((a) => [...this.#forFactor(a)])), itself)
  }

  /** Checks after which a value is at least FACTOR in size: of the terms of a sum, or of itself. */
  #forFactor(v: Value): Checks {
    const itself = new Map([[v, FACTOR]])
    const terms = new Map<Value, number>()
    return this.#findTerms(v, terms, new Set()) ? this.#cheaper(terms, itself) : itself
  }

  /**
   * Finds checks after which a sum is a multiple of 2^FACTOR: of its terms, where those are scalars or computed once, so that their checks
   * cost little. False where others are among them, and products: those are often smaller than TERM.
   */
  #findTerms(v: Value, terms: Map<Value, number>, seen: Set<Value>): boolean {
    if (seen.has(v) || this.#known.of(v).granularityExponent >= FACTOR) return true
    seen.add(v)
    const all = (values: readonly Value[]): boolean => values.every((x) => this.#findTerms(x, terms, seen))
    const signed = signOperand(v)
    if (signed !== undefined) return all([signed])
    const isInside = this.#known.isInside(v)
    if (isInside && (v.op === 'f32Add' || v.op === 'f32Sub')) return all(v.args)
    if (isInside && v.op === 'flushDenormal' && this.#known.isElided(v)) return all(v.args)
    const isCheap = !this.#surroundings.isVarying(v) || (this.#weights[v.id] ?? 1) === 1
    if (!isCheap || v.op === 'constant' || v.op === 'f32Mul') return false
    terms.set(v, TERM)
    return true
  }

  /**
   * A value of which nothing is known: what its products need, where there are any. Of scalars more is asked, which costs no more: sums of
   * them are multiples of more then, and need no checks of their own.
   */
  #forRaw(v: Value): Checks {
    const target = this.#known.source(v)
    const isFactor = this.#products.has(target) || !this.#surroundings.isVarying(target)
    return new Map([[target, isFactor ? FACTOR : PRODUCT]])
  }

  /** Checks after which a value is no denormal. */
  #forNormal(v: Value): Checks {
    if (this.#known.of(v).minExponent >= MIN_NORMAL_EXPONENT) return new Map()
    if (v.op === 'f32Mul') return this.#forProduct(v)
    if (v.op === 'f32Add' || v.op === 'f32Sub') {
      return this.#cheaper(this.#forGrain(v, new Set()), new Map([[v, PRODUCT]]))
    }
    return this.#forRaw(v)
  }

  /** Checks after which a value is a multiple of 2^-126, so that sums of it are no denormals. */
  #forGrain(v: Value, seen: Set<Value>): Checks {
    if (seen.has(v) || this.#known.of(v).granularityExponent >= MIN_NORMAL_EXPONENT) return new Map()
    seen.add(v)
    const all = (values: readonly Value[]): Checks => new Map(values.flatMap((x) => [...this.#forGrain(x, seen)]))
    const signed = signOperand(v)
    if (signed !== undefined) return all([signed])
    const inputs = this.#known.inputsOf(v)
    if (inputs !== undefined) return all(inputs)
    if (!this.#known.isInside(v)) return this.#forRaw(v)
    switch (v.op) {
      case 'flushDenormal':
        return this.#known.isElided(v) ? all(v.args) : this.#forRaw(v)
      case 'f32Add':
      case 'f32Sub':
      case 'f32Max':
      case 'f32Min':
      case 'f32PseudoMax':
      case 'f32PseudoMin':
        return all(v.args)
      case 'select':
        return all(v.args.slice(1))
      case 'f32Mul':
        return this.#forProduct(v)
      default:
        return this.#forRaw(v)
    }
  }

  *plan(): Generator<void, Speculation | undefined> {
    for (let round = 0; round < MAX_PASSES; round++) {
      this.#known.settle()
      yield
      if (!this.#pass()) break
      yield
    }
    this.#prune()
    yield
    return this.#result()
  }

  /** What a flush reads is no denormal where all checks hold. */
  readonly #isProven = (flush: Value): boolean => this.#known.of(flush.args[0]!).minExponent >= MIN_NORMAL_EXPONENT

  /** Decides on each flush that nothing proves needless so far; answers whether that changed what is known. */
  #pass(): boolean {
    let changed = false
    for (const flush of this.#flushes) {
      if (this.#known.isKept(flush) || this.#isProven(flush)) continue
      const checks = this.#forNormal(flush.args[0]!)
      const added = [...checks].filter(
        ([v, minExponent]) => (this.#known.checks.get(v) ?? MIN_NORMAL_EXPONENT) < minExponent,
      )
      if (added.length === 0) continue
      changed = true
      if (!this.#behindLoops.has(flush) && this.#costOf(checks) < this.#costs.flush * this.#weights[flush.id]!) {
        for (const [v, minExponent] of added) {
          this.#known.setCheck(v, minExponent)
          this.#known.improve(v)
        }
      } else this.#known.keep(flush)
    }
    return changed
  }

  /** Drops checks of what others imply by now: later ones may be stronger. */
  #prune(): void {
    const all = new Map(this.#known.checks)
    const before = this.#flushes.filter(this.#isProven)
    for (const [v, minExponent] of all) {
      this.#known.setCheck(v, undefined)
      const { granularityExponent, minExponent: known } = this.#known.work(v)
      if (minExponent === PRODUCT ? granularityExponent < MIN_NORMAL_EXPONENT : known < minExponent)
        this.#known.setCheck(v, minExponent)
    }
    this.#known.settle()
    if (before.every(this.#isProven)) return
    this.#known.replaceChecks(all)
    this.#known.settle()
  }

  #result(): Speculation | undefined {
    const elided = new Set<Value>()
    let saved = 0
    for (const flush of this.#flushes) {
      // A check for one value may not have been enough for another, or a flush was kept that it needed.
      if (this.#known.isKept(flush) || !this.#isProven(flush)) continue
      elided.add(flush)
      saved += this.#costs.flush * this.#weights[flush.id]!
    }
    let spent = this.#costs.test
    for (const v of this.#known.checks.keys()) spent += this.#cost(v)
    return saved < this.#costs.minRatio * spent ? undefined : { elided, checks: this.#standIns() }
  }

  /** The checks, with squares instead of their roots where those are as good: a square needs no absolute value. */
  #standIns(): Checks {
    const all = [...this.#known.checks]
    const roots = new Set<Value>()
    for (const [v, minExponent] of all) if (minExponent === FACTOR && this.#hasSquare(v)) roots.add(v)
    const squares = new Map<Value, Value>()
    if (roots.size > 0) this.#findSquares(this.#items, [], { roots, squares })
    const checks = new Map<Value, number>()
    for (const [v, minExponent] of all) {
      const square = squares.get(v)
      const [target, exponent] = square === undefined ? [v, minExponent] : [square, PRODUCT]
      checks.set(target, Math.max(exponent, checks.get(target) ?? exponent))
    }
    return checks
  }

  /** Whether the square of a value that is not 0 is not 0 either, so that a check, which lets zeros pass, sees it. */
  #hasSquare(v: Value): boolean {
    const minExponent = this.#known.checks.get(v)!
    this.#known.setCheck(v, undefined)
    const isSeen = this.#known.work(v).minExponent >= SQUARED
    this.#known.setCheck(v, minExponent)
    return isSeen
  }

  /**
   * Squares of roots that are computed whenever something else was made of the root: 2^-51 squared is 2^-102, so a check of one
   * is a check of the other, unless the flow leaves between the two after the root was read.
   */
  #findSquares(items: readonly Item[], heads: readonly Value[], found: Squares): void {
    const { roots } = found
    const open = new Set(heads.filter((v) => roots.has(v)))
    const used = new Set<Value>()
    for (let n = 0; n < items.length; n++) {
      const item = items[n]!
      if (item.kind === 'value') {
        this.#noteUses(item.value, open, used, found)
        if (roots.has(item.value)) open.add(item.value)
        continue
      }
      if (open.size > 0 && !isRepeatable(item)) {
        const read = new Set(valuesRead(item).map((v) => this.#known.source(v)))
        for (const v of open) if (used.has(v) || read.has(v)) open.delete(v)
      }
      if (item.kind === 'if') {
        this.#findSquares(item.taken.items, [], found)
        this.#findSquares(item.otherwise.items, [], found)
      } else if (item.kind === 'block') this.#findSquares(item.body.items, [], found)
      else if (item.kind === 'loop') {
        const values = item.headerPhis.map((h) => h.value)
        this.#findSquares(item.body.items, values, found)
      } else for (const v of valuesMade(item)) if (roots.has(v)) open.add(v)
    }
  }

  #noteUses(v: Value, open: Set<Value>, used: Set<Value>, { roots, squares }: Squares): void {
    // Another name of a value is no use of it yet.
    if (this.#known.source(v) !== v) return
    for (let i = 0; i < v.args.length; i++) {
      const source = this.#known.source(v.args[i]!)
      if (roots.has(source)) used.add(source)
    }
    const root = v.op === 'f32Mul' && v.args[0] === v.args[1] ? this.#known.source(v.args[0]!) : undefined
    if (root === undefined || !open.has(root) || squares.has(root)) return
    squares.set(root, v)
  }
}

/** Whether an item is a loop that holds another. */
const isNest = (item: Item): boolean => item.kind === 'loop' && item.body.items.some(hasLoop)

function countFlushes(items: readonly Item[]): number {
  let count = 0
  for (let n = 0; n < items.length; n++) {
    const item = items[n]!
    if (item.kind === 'value') {
      if (item.value.op === 'flushDenormal') count++
      continue
    }
    for (const region of regionsIn(item)) count += countFlushes(region.items)
  }
  return count
}

/**
 * What to check and what to leave out in a range of repeatable items; undefined where too little is saved, as in all code
 * without loops: there checks and flushes wait for the same units, and failed attempts cost more than they save (blackscholes). In
 * loops flushes lengthen the chain of operations from iteration to iteration, and checks do not. It takes long, and is done in parts.
 */
export function* planSpeculation(
  items: readonly Item[],
  surroundings: Surroundings,
): Generator<void, Speculation | undefined> {
  if (!items.some(hasLoop)) return undefined
  const flushes = countFlushes(items)
  const { minFlushes, maxFlushes, maxFlushesOfInnermost } = surroundings.costs
  const most = someItem(items, isNest) ? maxFlushes : maxFlushesOfInnermost
  if (flushes < minFlushes || flushes > most) return undefined
  const planner = new Planner(items, surroundings)
  yield
  return yield* planner.plan()
}
