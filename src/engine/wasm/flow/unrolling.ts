import type { Item } from '../../ir/index.ts'

/**
 * How many turns of a loop are emitted one after the other. The machine's compilers keep a check for interrupts and moves
 * between registers at the end of every turn, which small bodies do not outweigh (mandelbrot: 44 ms with one turn, 30 with
 * four, 28 with eight); large ones lose in the instruction cache and in the time of the compiler (raymarch: 26 and 33 ms).
 */
type Loop = Extract<Item, { kind: 'loop' }>

/** Operations that the emitted turns of a loop have together, about. */
const OPERATIONS = 160
const MOST_TURNS = 8
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

export function turnsOf(item: Loop): number {
  const operations = item.body.items.reduce((sum, i) => sum + operationsOf(i), 0)
  return Math.max(1, Math.min(MOST_TURNS, Math.floor(OPERATIONS / Math.max(operations, 1))))
}
