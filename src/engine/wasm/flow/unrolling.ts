import type { Item } from '../../ir/index.ts'

/**
 * Unroll factor of a loop, for the control flow of waves. V8 keeps an interrupt check and register moves at the end of every
 * iteration; small bodies do not amortize them (mandelbrot: 44 ms, 30 ms unrolled 4 times, 28 ms 8 times). Large ones lose in
 * the instruction cache and in compile time (raymarch: 26 ms, 33 ms unrolled).
 */
type Loop = Extract<Item, { kind: 'loop' }>

/** Approximate number of operations of all copies of a loop's body together. */
const OPERATIONS = 160
const MAX_UNROLL = 8
const TGSM_LOAD = 4
/** With what stands behind its checks: code that rarely runs, and has to be compiled all the same. */
const VIEW_LOAD = 16

/** Operations of an item: about one an operation, Infinity for what holds a loop. */
function operationsOf(item: Item): number {
  const all = (items: readonly Item[]): number => items.reduce((sum, i) => sum + operationsOf(i), 0)
  switch (item.kind) {
    case 'value':
      return item.value.op === 'constant' ? 0 : 1
    case 'if':
      return all(item.taken.items) + all(item.otherwise.items) + item.phis.length + 2
    case 'block':
      return all(item.body.items)
    case 'loop':
      return Number.POSITIVE_INFINITY
    case 'break':
      return item.args.length
    case 'texel':
      return Number.POSITIVE_INFINITY
    case 'load':
      return item.address.space.kind === 'tgsm' ? TGSM_LOAD : VIEW_LOAD
    default:
      return VIEW_LOAD
  }
}

export function unrollFactor(item: Loop): number {
  const operations = item.body.items.reduce((sum, i) => sum + operationsOf(i), 0)
  return Math.max(1, Math.min(MAX_UNROLL, Math.floor(OPERATIONS / Math.max(operations, 1))))
}
