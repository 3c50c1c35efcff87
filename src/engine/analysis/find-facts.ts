import {
  ALL_FACTS,
  type Builder,
  type Facts,
  factsOf,
  hasLoop,
  joinFacts,
  meetFacts,
  NO_FACTS,
  type Region,
  sameFacts,
  type Value,
} from '../ir/index.ts'
import type { MergeInputs } from './merge-inputs.ts'

/** Facts of values through the merges of loops, to a fixpoint; `optimize` builds code anew with them. */

/** Rounds after which bits that a merge gains are taken for all bits. */
const MAX_FACT_ROUNDS = 2

/** Facts with the best assumptions about loops that hold. */
export class FactFinder {
  /** By the number of the value. */
  readonly #facts: (Facts | undefined)[] = []
  readonly #old: Builder
  readonly #inputs: MergeInputs
  readonly #resolve: (v: Value) => Value
  readonly #live: ReadonlySet<Value>
  /** The round in which what is known of a value changed last. */
  readonly #changedIn: (number | undefined)[] = []
  /** What was found of a value is what the builder knew when it made others of it. */
  readonly #isAsMade: (boolean | undefined)[] = []
  #round = 0
  #changed = false

  constructor(old: Builder, inputs: MergeInputs, resolve: (v: Value) => Value, live: ReadonlySet<Value>) {
    this.#old = old
    this.#inputs = inputs
    this.#resolve = resolve
    this.#live = live
  }

  /** The best is assumed of what was not looked at yet: only values around a loop are looked up before they were visited. */
  of(v: Value): Facts {
    const x = this.#resolve(v)
    return this.#facts[x.id] ?? (x.op === 'result' ? NO_FACTS : ALL_FACTS)
  }

  /** What was found of a value; undefined where it is not live. */
  found(v: Value): Facts | undefined {
    return this.#facts[v.id]
  }

  #set(v: Value, facts: Facts): void {
    const before = this.#facts[v.id]
    if (before !== undefined && sameFacts(before, facts)) return
    this.#facts[v.id] = facts
    this.#changedIn[v.id] = this.#round
    this.#changed = true
  }

  /** Nothing that a value depends on changed since it was looked at last. */
  #isSettled(v: Value): boolean {
    // Choices look behind their operands (selectFacts).
    if (this.#round === 0 || v.op === 'select') return false
    for (let i = 0; i < v.args.length; i++) {
      if ((this.#changedIn[this.#resolve(v.args[i]!).id] ?? -1) >= this.#round - 1) return false
    }
    return true
  }

  readonly #factsOf = (v: Value): Facts => this.of(v)

  #value(v: Value): void {
    if (!this.#live.has(v) || this.#isSettled(v)) return
    const found = this.#old.facts(v)
    if (this.#wouldFindTheSame(v)) {
      this.#set(v, found)
      this.#isAsMade[v.id] = !this.#old.grewLate(v)
      return
    }
    const own = factsOf(v, this.#factsOf)
    this.#setMade(v, found === NO_FACTS || sameFacts(own, found) ? own : joinFacts(own, found))
  }

  #setMade(v: Value, facts: Facts): void {
    this.#set(v, facts)
    this.#isAsMade[v.id] = !this.#old.grewLate(v) && sameFacts(facts, this.#old.facts(v))
  }

  /** What is known of the operands is what the builder knew, so that it found the same. */
  #wouldFindTheSame(v: Value): boolean {
    // Choices look behind their operands (selectFacts), and the builder knows the thread's number.
    if (v.op === 'select' || v.op === 'threadInGroup') return false
    for (let i = 0; i < v.args.length; i++) {
      const a = v.args[i]!
      if (this.#isAsMade[a.id] !== true || this.#resolve(a) !== a) return false
    }
    return true
  }

  #phi(v: Value): void {
    if (!this.#live.has(v) || this.#resolve(v) !== v) return
    const inputs = this.#inputs.get(v) ?? []
    let made = ALL_FACTS
    for (let i = 0; i < inputs.length; i++) made = meetFacts(made, this.of(inputs[i]!))
    const before = this.#facts[v.id]
    // A counter would gain a bit in every round.
    const grows = this.#round >= MAX_FACT_ROUNDS && before !== undefined && before.maybe !== made.maybe
    this.#setMade(v, grows ? { ...made, maybe: 0xffffffff } : made)
  }

  #region(region: Region): void {
    const { items } = region
    for (let n = 0; n < items.length; n++) {
      const item = items[n]!
      if (item.kind === 'value') this.#value(item.value)
      else if (item.kind === 'if') {
        this.#region(item.taken)
        this.#region(item.otherwise)
        for (const p of item.phis) this.#phi(p.value)
      } else if (item.kind === 'block') {
        this.#region(item.body)
        for (const p of item.label.phis) this.#phi(p)
      } else if (item.kind === 'loop') {
        for (const h of item.headerPhis) this.#phi(h.value)
        this.#region(item.body)
        for (const h of item.headerPhis) this.#phi(h.value)
        for (const p of item.label.phis) this.#phi(p)
      }
    }
  }

  /** Runs to a fixpoint; every step only weakens facts, of which there are few, so it ends. Without loops nothing is looked up before it is found. */
  run(root: Region): void {
    const isRepeated = root.items.some(hasLoop)
    do {
      this.#changed = false
      this.#region(root)
      this.#round++
    } while (isRepeated && this.#changed)
  }
}
