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
  /** By the number of the value. */
  readonly #ranges: (Range | undefined)[] = []
  readonly #counts: (v: Value) => boolean
  readonly #loopEnds: { readonly first: number; readonly values: Set<Value> }[] = []
  #step = 0

  constructor(counts: (v: Value) => boolean) {
    this.#counts = counts
  }

  #define(v: Value): void {
    if (this.#counts(v)) this.#ranges[v.id] = { first: this.#step, last: this.#step }
  }

  #use(v: Value): void {
    const range = this.#ranges[v.id]
    if (range === undefined) return
    range.last = this.#step
    const loops = this.#loopEnds
    for (let n = 0; n < loops.length; n++) if (range.first < loops[n]!.first) loops[n]!.values.add(v)
  }

  #useAll(values: readonly Value[]): void {
    for (let n = 0; n < values.length; n++) this.#use(values[n]!)
  }

  region(region: Region): void {
    const { items } = region
    for (let n = 0; n < items.length; n++) this.#item(items[n]!)
  }

  #item(item: Item): void {
    this.#step++
    switch (item.kind) {
      case 'value':
        this.#useAll(item.value.args)
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
        this.#useAll(item.fallthroughArgs ?? [])
        for (const p of item.label.phis) this.#define(p)
        return
      case 'loop':
        this.#loop(item)
        return
      case 'break':
        this.#useAll(item.args)
        return
      case 'barrier':
        return
      default:
        this.#useAll(operandsOf(item))
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
      const range = this.#ranges[v.id]
      if (range !== undefined) range.last = Math.max(range.last, this.#step)
    }
  }

  most(): number {
    const changes = new Int32Array(this.#step + 2)
    for (let id = 0; id < this.#ranges.length; id++) {
      const range = this.#ranges[id]
      if (range === undefined || range.last === range.first) continue
      changes[range.first]!++
      changes[range.last]!--
    }
    let alive = 0
    let most = 0
    for (let step = 0; step < changes.length; step++) {
      alive += changes[step]!
      if (alive > most) most = alive
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
