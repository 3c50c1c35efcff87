import { type Item, operandsOf, type Region, resultsOf, type Value } from '../ir/index.ts'

/** How many values are alive at once; the engine chooses the width of waves by it. */

/** From its definition to its last use, in steps of the program. */
interface Range {
  first: number
  last: number
}

/**
 * How many values are alive at once, at most: what decides how many registers a value may take. Values are counted that
 * `counts` says; one that a loop reads from outside is alive to the loop's end.
 */
class Pressure {
  readonly #ranges = new Map<Value, Range>()
  readonly #counts: (v: Value) => boolean
  readonly #loopEnds: { readonly first: number; readonly values: Set<Value> }[] = []
  #step = 0

  constructor(counts: (v: Value) => boolean) {
    this.#counts = counts
  }

  #define(v: Value): void {
    if (this.#counts(v)) this.#ranges.set(v, { first: this.#step, last: this.#step })
  }

  #use(v: Value): void {
    const range = this.#ranges.get(v)
    if (range === undefined) return
    range.last = this.#step
    for (const loop of this.#loopEnds) if (range.first < loop.first) loop.values.add(v)
  }

  region(region: Region): void {
    for (const item of region.items) this.#item(item)
  }

  #item(item: Item): void {
    this.#step++
    switch (item.kind) {
      case 'value':
        for (const a of item.value.args) this.#use(a)
        this.#define(item.value)
        return
      case 'if':
        this.#use(item.condition)
        this.region(item.taken)
        for (const p of item.phis) this.#use(p.taken)
        this.region(item.otherwise)
        for (const p of item.phis) this.#use(p.otherwise)
        this.#step++
        for (const p of item.phis) this.#define(p.value)
        return
      case 'block':
        this.region(item.body)
        for (const v of item.fallthroughArgs ?? []) this.#use(v)
        for (const p of item.label.phis) this.#define(p)
        return
      case 'loop':
        this.#loop(item)
        return
      case 'break':
        for (const v of item.args) this.#use(v)
        return
      case 'barrier':
        return
      default:
        for (const v of operandsOf(item)) this.#use(v)
        for (const v of resultsOf(item)) this.#define(v)
    }
  }

  #loop(item: Extract<Item, { kind: 'loop' }>): void {
    for (const h of item.headerPhis) this.#use(h.init)
    for (const h of item.headerPhis) this.#define(h.value)
    // Values merged at the end are kept from the first iteration on.
    for (const p of item.label.phis) this.#define(p)
    const loop = { first: this.#step + 1, values: new Set<Value>() }
    this.#loopEnds.push(loop)
    this.region(item.body)
    for (const h of item.headerPhis) this.#use(h.next)
    this.#loopEnds.pop()
    this.#step++
    for (const v of [...loop.values, ...item.headerPhis.map((h) => h.value), ...item.label.phis]) {
      const range = this.#ranges.get(v)
      if (range !== undefined) range.last = Math.max(range.last, this.#step)
    }
  }

  most(): number {
    const changes = new Int32Array(this.#step + 2)
    for (const { first, last } of this.#ranges.values()) {
      if (last === first) continue
      changes[first]!++
      changes[last]!--
    }
    let [alive, most] = [0, 0]
    for (const change of changes) {
      alive += change
      most = Math.max(most, alive)
    }
    return most
  }
}

/** The most values of a kind that are alive at once in a program. */
export function pressureOf(root: Region, counts: (v: Value) => boolean): number {
  const pressure = new Pressure(counts)
  pressure.region(root)
  return pressure.most()
}
