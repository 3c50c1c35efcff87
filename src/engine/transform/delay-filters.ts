import { appendAll } from '../../diagnostic/index.ts'
import { isRemovable } from '../analysis/index.ts'
import { type Item, type Region, someItem, type Value, valuesMade, valuesRead } from '../ir/index.ts'

/**
 * Filters of textures behind what does not need them: the levels of detail of all samples of a shader are then found one after the
 * other, and processors work on several of these long chains at once. With a filter of some hundred instructions between two of them
 * a processor waits for each.
 */

const isOfMips = (item: Item): boolean => item.kind === 'load' && item.address.space.kind === 'mip-table'
const hasFilter = (item: Item): boolean => someItem([item], (i) => i.kind === 'filter')

/** Whether an item has no other effect than its values. */
function isPure(item: Item): boolean {
  if (item.kind === 'value') return true
  if (item.kind === 'if') return [...item.taken.items, ...item.otherwise.items].every(isPure)
  return item.kind !== 'block' && item.kind !== 'loop' && isRemovable(item)
}

/** Filters, the words of mips that they begin with, and branches with such inside. */
const isOfFilter = (item: Item): boolean => hasFilter(item) || someItem([item], isOfMips)

/** The items of a region in the order that they have afterwards. */
function delayed(items: readonly Item[]): Item[] {
  const order: Item[] = []
  let later: Item[] = []
  const made = new Set<Value>()
  for (const item of items) {
    if (!isPure(item)) {
      appendAll(order, later)
      order.push(item)
      later = []
      made.clear()
    } else if (isOfFilter(item) || valuesRead(item).some((v) => made.has(v))) {
      later.push(item)
      for (const v of valuesMade(item)) made.add(v)
    } else order.push(item)
  }
  return [...order, ...later]
}

/** Delays the filters of a region, and of those inside it, where there is more than one. */
export function delayFilters(region: Region): void {
  const { items } = region
  for (const item of items) {
    if (item.kind === 'if') for (const inside of [item.taken, item.otherwise]) delayFilters(inside)
    else if (item.kind === 'block' || item.kind === 'loop') delayFilters(item.body)
  }
  if (items.filter(hasFilter).length > 1) items.splice(0, items.length, ...delayed(items))
}
