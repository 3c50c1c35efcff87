import { type Item, isAlwaysValid, type Op } from '../../ir/index.ts'
import type { Emitter } from '../emit/emitter.ts'
import { isQuadSite } from '../emit/load.ts'

/**
 * Runs of items that end in a filter of rows and are emitted for one vector of the wave after the other: words of mips, positions and
 * addresses of a vector, then its texels. All vectors at once would have the words of all mips loaded first, since hosts keep
 * loads and stores in their order, and spilled.
 */

/** Operations whose result for one vector needs others, or none. */
const OF_ALL_VECTORS: ReadonlySet<Op> = new Set<Op>(['packQuads', 'anyLane'])

function isOfOnePart(e: Emitter, item: Item): boolean {
  if (item.kind === 'value') return !OF_ALL_VECTORS.has(item.value.op) && !item.value.double
  return item.kind === 'load' && isAlwaysValid(item.address) && isQuadSite(e, item.address)
}

/** The number behind the last item of a run that begins with item `first`; undefined where none does. */
export function partRunEnd(e: Emitter, items: readonly Item[], first: number): number | undefined {
  if (items[first]!.kind !== 'load' || e.settings.pairs || e.assertions !== undefined || e.fastPath !== undefined) {
    return undefined
  }
  for (let n = first; n < items.length; n++) {
    const item = items[n]!
    if (item.kind === 'filter' && item.results.length === 4) return n + 1
    if (!isOfOnePart(e, item)) return undefined
  }
  return undefined
}
