import { type Item, type Op, operandsOf, type Region, resultsOf, type Value } from '../ir/value.ts'

/** Cycles until a result can be used, about, of what takes more than one (Zen 4 and its kind). */
const LATENCY: { readonly [K in Op]?: number } = {
  f32Add: 3,
  f32Sub: 3,
  f32Mul: 3,
  f32Div: 11,
  f32Sqrt: 14,
  i32Mul: 3,
  flushDenormal: 3,
  f32ToI32: 4,
  i32ToF32: 4,
  u32ToF32: 6,
}
const LOAD_LATENCY = 6
/** Operations of a load for each word: lanes are gathered and transposed. */
const LOAD_OPERATIONS = 4
const FLUSH_OPERATIONS = 3

/** The longest chain of operations that wait for each other, and all operations. */
class Chain {
  longest = 0
  operations = 0
  readonly #ready = new Map<Value, number>()
  readonly #counts: (v: Value) => boolean

  constructor(counts: (v: Value) => boolean) {
    this.#counts = counts
  }

  #latest(values: readonly Value[]): number {
    return values.reduce((t, v) => Math.max(t, this.#ready.get(v) ?? 0), 0)
  }

  #value(v: Value): void {
    if (v.op === 'constant' || !this.#counts(v)) return
    this.operations += v.op === 'flushDenormal' ? FLUSH_OPERATIONS : 1
    const ready = this.#latest(v.args) + (LATENCY[v.op] ?? 1)
    this.#ready.set(v, ready)
    this.longest = Math.max(this.longest, ready)
  }

  region(region: Region): void {
    for (const item of region.items) this.#item(item)
  }

  #item(item: Item): void {
    switch (item.kind) {
      case 'value':
        this.#value(item.value)
        return
      case 'if':
        this.region(item.taken)
        this.region(item.otherwise)
        for (const p of item.phis) this.#ready.set(p.value, this.#latest([p.taken, p.otherwise]))
        return
      case 'block':
      case 'loop':
        this.region(item.body)
        return
      case 'break':
      case 'barrier':
        return
      default: {
        const ready = this.#latest(operandsOf(item)) + LOAD_LATENCY
        for (const r of resultsOf(item)) this.#ready.set(r, ready)
        this.operations += LOAD_OPERATIONS * resultsOf(item).length
      }
    }
  }
}

/**
 * Cycles of the longest chain in one pass through the code, for each of its operations: near 1 the machine mostly waits,
 * and more lanes at once give it something to do; at 0.3 it is busy as it is.
 */
export function chainShare(root: Region, counts: (v: Value) => boolean): number {
  const chain = new Chain(counts)
  chain.region(root)
  return chain.operations === 0 ? 0 : chain.longest / chain.operations
}
