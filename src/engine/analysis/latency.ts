import { type Item, type Op, operandsOf, type Region, resultsOf, type Value } from '../ir/index.ts'

/** How much of code waits for its own results; the engine chooses the width of waves by it. */

/** What operations cost a machine; each backend has its own. */
export interface Costs {
  /** Cycles until a result can be used. */
  readonly latency: Readonly<Record<Op, number>>
  /** Machine operations of a value; 1 where absent. */
  readonly operations: { readonly [K in Op]?: number }
  /** Of items with results: cycles, and operations for each word. */
  readonly load: { readonly latency: number; readonly operations: number }
}

/** The longest chain of operations that wait for each other, and all operations. */
class Chain {
  longest = 0
  operations = 0
  /** By the number of the value. */
  readonly #ready: (number | undefined)[] = []
  readonly #counts: (v: Value) => boolean
  readonly #costs: Costs

  constructor(counts: (v: Value) => boolean, costs: Costs) {
    this.#counts = counts
    this.#costs = costs
  }

  #latest(values: readonly Value[]): number {
    let latest = 0
    for (let n = 0; n < values.length; n++) latest = Math.max(latest, this.#ready[values[n]!.id] ?? 0)
    return latest
  }

  #value(v: Value): void {
    if (v.op === 'constant' || !this.#counts(v)) return
    this.operations += this.#costs.operations[v.op] ?? 1
    const ready = this.#latest(v.args) + this.#costs.latency[v.op]
    this.#ready[v.id] = ready
    this.longest = Math.max(this.longest, ready)
  }

  region(region: Region): void {
    const { items } = region
    for (let n = 0; n < items.length; n++) this.#item(items[n]!)
  }

  #item(item: Item): void {
    switch (item.kind) {
      case 'value':
        this.#value(item.value)
        return
      case 'if':
        this.region(item.taken)
        this.region(item.otherwise)
        for (const p of item.phis) this.#ready[p.value.id] = this.#latest([p.taken, p.otherwise])
        return
      case 'block':
      case 'loop':
        this.region(item.body)
        return
      case 'break':
      case 'barrier':
        return
      default: {
        const { latency, operations } = this.#costs.load
        const ready = this.#latest(operandsOf(item)) + latency
        for (const r of resultsOf(item)) this.#ready[r.id] = ready
        this.operations += operations * resultsOf(item).length
      }
    }
  }
}

/**
 * Cycles of the longest chain in one pass through the code, for each of its operations: near 1 the machine mostly waits,
 * and more lanes at once give it something to do; at 0.3 it is busy as it is.
 */
export function criticalPathShare(root: Region, counts: (v: Value) => boolean, costs: Costs): number {
  const chain = new Chain(counts, costs)
  chain.region(root)
  return chain.operations === 0 ? 0 : chain.longest / chain.operations
}
