import {
  collectInputs,
  EXEMPT_MAGNITUDE,
  type Magnitude,
  type MergeInputs,
  MIN_NORMAL_EXPONENT,
  magnitudeOf,
  meetMagnitudes,
  sameMagnitude,
  UNKNOWN_MAGNITUDE,
  withMinExponent,
} from '../analysis/index.ts'
import { type Item, resultsOf, signOperand, type Value } from '../ir/index.ts'

/**
 * What is known of the sizes of values in a range of code where checks hold and flushes are left out, for the plan of those
 * (denormal-speculation.ts). A check that is added changes what is known of few values, so only what depends on changes is worked out again.
 */

export interface RangeSurroundings {
  readonly isVarying: (v: Value) => boolean
  /** The value is known to be no denormal. */
  readonly isFlushed: (v: Value) => boolean
}

/** Rounds after which a merge that still changes is taken for unknown. */
const MAX_ROUNDS = 4

type Lists = (Value[] | undefined)[]

function addTo(lists: Lists, v: Value, user: Value): void {
  const known = lists[v.id]
  if (known === undefined) lists[v.id] = [user]
  else known.push(user)
}

export class RangeMagnitudes {
  readonly #surroundings: RangeSurroundings
  /** Values of the range in the order of the code; and the place of each, by its number. */
  readonly #values: Value[] = []
  readonly #places: (number | undefined)[] = []
  /** Inputs of merges, and merges at heads of loops. */
  readonly #inputs: MergeInputs = new Map()
  readonly #heads: Value[] = []
  /** By the number of a value, the operations and the merges that read it. */
  readonly #users: Lists = []
  readonly #merges: Lists = []
  readonly #outside: (Magnitude | undefined)[] = []
  readonly #checks = new Map<Value, number>()
  readonly #kept = new Set<Value>()
  /** What is known by place: now, and behind the first round, where the merges of loops knew what comes before them alone. */
  #known: (Magnitude | undefined)[] = []
  #first: (Magnitude | undefined)[] = []
  /** By place, 1 where a value is to be worked out in this round or the next; and what the next first round is to begin with. */
  #waiting = new Uint8Array(0)
  #waitingFirst = new Uint8Array(0)

  constructor(items: readonly Item[], surroundings: RangeSurroundings) {
    this.#surroundings = surroundings
    collectInputs({ items }, this.#inputs)
    this.#list(items)
    for (const [merge, inputs] of this.#inputs) for (const v of inputs) addTo(this.#merges, v, merge)
    this.#waiting = new Uint8Array(this.#values.length).fill(1)
    this.#waitingFirst = new Uint8Array(this.#values.length).fill(1)
  }

  #list(items: readonly Item[]): void {
    for (let n = 0; n < items.length; n++) {
      const item = items[n]!
      switch (item.kind) {
        case 'value': {
          const { value } = item
          this.#add(value)
          for (let i = 0; i < value.args.length; i++) addTo(this.#users, value.args[i]!, value)
          break
        }
        case 'if':
          this.#list(item.taken.items)
          this.#list(item.otherwise.items)
          for (const p of item.phis) this.#add(p.value)
          break
        case 'block':
          this.#list(item.body.items)
          for (const p of item.label.phis) this.#add(p)
          break
        case 'loop':
          for (const h of item.headerPhis) {
            this.#add(h.value)
            this.#heads.push(h.value)
          }
          this.#list(item.body.items)
          for (const p of item.label.phis) this.#add(p)
          break
        default:
          for (const r of resultsOf(item)) this.#add(r)
      }
    }
  }

  #add(v: Value): void {
    this.#places[v.id] = this.#values.length
    this.#values.push(v)
  }

  isInside(v: Value): boolean {
    return this.#places[v.id] !== undefined
  }

  /** The inputs of a merge of the range. */
  inputsOf(v: Value): readonly Value[] | undefined {
    return v.op === 'phi' ? this.#inputs.get(v) : undefined
  }

  /** Values that must not be tiny, and the exponent of the least size. */
  get checks(): ReadonlyMap<Value, number> {
    return this.#checks
  }

  /** A flush is not left out. */
  keep(flush: Value): void {
    this.#kept.add(flush)
    this.#waitingFirst[this.#places[flush.id]!] = 1
  }

  isKept(flush: Value): boolean {
    return this.#kept.has(flush)
  }

  isElided(flush: Value): boolean {
    return this.#surroundings.isVarying(flush) && !this.#kept.has(flush)
  }

  /** The value behind sign changes and flushes that are left out: as large. */
  source(v: Value): Value {
    let x = v
    for (;;) {
      const behind = x.op === 'flushDenormal' && this.isInside(x) && this.isElided(x) ? x.args[0] : signOperand(x)
      if (behind === undefined) return x
      x = behind
    }
  }

  /** Sets a check, or takes it away. */
  setCheck(v: Value, minExponent: number | undefined): void {
    if (minExponent === undefined) this.#checks.delete(v)
    else this.#checks.set(v, minExponent)
    const place = this.#places[v.id]
    if (place !== undefined) this.#waitingFirst[place] = 1
    else this.#mark(v, this.#waitingFirst)
  }

  /** In place of all checks that there are. */
  replaceChecks(checks: ReadonlyMap<Value, number>): void {
    for (const v of [...this.#checks.keys()]) this.setCheck(v, undefined)
    for (const [v, minExponent] of checks) this.setCheck(v, minExponent)
  }

  /** What is known of a value where all checks hold. */
  readonly of = (v: Value): Magnitude => {
    const place = this.#places[v.id]
    if (place === undefined) return this.#checked(v, this.#ofOutside(v))
    return this.#known[place] ?? EXEMPT_MAGNITUDE
  }

  readonly #ofOutside = (v: Value): Magnitude => {
    const known = this.#outside[v.id]
    if (known !== undefined) return known
    // Against depth without end: a value counts as unknown while it is being computed.
    this.#outside[v.id] = UNKNOWN_MAGNITUDE
    let made = magnitudeOf(v, this.#ofOutside)
    if (this.#surroundings.isFlushed(v)) made = withMinExponent(made, MIN_NORMAL_EXPONENT)
    this.#outside[v.id] = made
    return made
  }

  #checked(v: Value, m: Magnitude): Magnitude {
    const minExponent = this.#checks.get(v)
    return minExponent === undefined ? m : withMinExponent(m, minExponent)
  }

  /** What follows for a value from what is known of its operands; of inputs of merges those before place `end` count. */
  work(v: Value, round = 0, end = Number.POSITIVE_INFINITY): Magnitude {
    const place = this.#places[v.id]
    if (place === undefined) return this.#checked(v, this.#ofOutside(v))
    let made: Magnitude
    const inputs = this.inputsOf(v)
    if (inputs !== undefined) {
      made = EXEMPT_MAGNITUDE
      for (let i = 0; i < inputs.length; i++) {
        if ((this.#places[inputs[i]!.id] ?? -1) < end) made = meetMagnitudes(made, this.of(inputs[i]!))
      }
      const before = this.#known[place]
      if (round >= MAX_ROUNDS && before !== undefined && !sameMagnitude(before, this.#checked(v, made)))
        made = UNKNOWN_MAGNITUDE
    } else if (v.op === 'flushDenormal' && this.isElided(v)) made = this.of(v.args[0]!)
    else made = magnitudeOf(v, this.of)
    // What holds of the exact values holds of these where the checks do: they are the same.
    if (v.op !== 'flushDenormal' && this.#surroundings.isFlushed(v)) made = withMinExponent(made, MIN_NORMAL_EXPONENT)
    return this.#checked(v, made)
  }

  /** Everything that reads a value is to be worked out. */
  #mark(v: Value, waiting: Uint8Array): void {
    const users = this.#users[v.id]
    if (users !== undefined) for (let n = 0; n < users.length; n++) waiting[this.#places[users[n]!.id]!] = 1
    const merges = this.#merges[v.id]
    if (merges !== undefined) for (let n = 0; n < merges.length; n++) waiting[this.#places[merges[n]!.id]!] = 1
  }

  /** Works out, in the order of the code, what waits for it: values before it are settled then, but for heads of loops. */
  #pass(round: number): void {
    const waiting = this.#waiting
    for (let place = 0; place < waiting.length; place++) {
      const v = this.#values[place]!
      // Merges that still change are given up from a round on.
      if (waiting[place] === 0 && (round < MAX_ROUNDS || v.op !== 'phi')) continue
      waiting[place] = 0
      const made = this.work(v, round, round === 0 ? place : undefined)
      const before = this.#known[place]
      if (before !== undefined && sameMagnitude(before, made)) continue
      this.#known[place] = made
      this.#mark(v, waiting)
    }
  }

  /** Works out what is known of every value. */
  settle(): void {
    this.#known = this.#first
    this.#waiting = this.#waitingFirst
    this.#pass(0)
    this.#first = this.#known.slice()
    for (const v of this.#heads) this.#waiting[this.#places[v.id]!] = 1
    for (let round = 0; this.#heads.some((v) => !sameMagnitude(this.of(v), this.work(v, round))); ) this.#pass(++round)
    this.#waitingFirst = this.#waiting.fill(0)
  }

  /** Takes note of what a new check says, and of what follows for later values; merges of loops wait for `settle`. */
  improve(first: Value): void {
    const stack = [first]
    for (let v = stack.pop(); v !== undefined; v = stack.pop()) {
      const place = this.#places[v.id]
      if (place !== undefined) {
        const made = this.work(v)
        const before = this.#known[place]
        if (v !== first && before !== undefined && sameMagnitude(before, made)) continue
        this.#known[place] = made
      }
      const users = this.#users[v.id]
      if (users !== undefined) for (let n = 0; n < users.length; n++) stack.push(users[n]!)
    }
  }
}
