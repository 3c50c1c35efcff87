import { type Item, itemsBelow, type Region, someItem } from '../../ir/index.ts'
import { FILTER_SLOTS } from '../emit/filters/filter.ts'
import { callSlots } from '../emit/texel.ts'

/** Questions about items with everything inside them. */

/** Multiply-adds that round once are the host's. */
export const usesFused = (region: Region, relaxed: boolean): boolean =>
  someItem(region.items, (item) => {
    const op = item.kind === 'value' ? item.value.op : undefined
    return op === 'f64Fma' || (op === 'f32Mad' && !relaxed)
  })

/** Words that the largest call to the host passes, or the largest filter. */
export function largestCall(region: Region): number {
  let most = 0
  const items = itemsBelow(region.items)
  for (let n = 0; n < items.length; n++) {
    const item = items[n]!
    if (item.kind === 'texel') most = Math.max(most, callSlots(item))
    else if (item.kind === 'filter') most = Math.max(most, FILTER_SLOTS)
  }
  return most
}

/** Ways in which an item may itself be found wrong, at most. */
function sitesOf(item: Item): number {
  switch (item.kind) {
    case 'load':
    case 'store':
    case 'atomic':
      // Alignment, offset in the structure, bounds; or checks.
      return 3 + (item.address.checks?.length ?? 0)
    case 'counter':
    case 'report':
    case 'barrier':
      return 1
    case 'value':
    case 'private-load':
    case 'private-store':
    case 'texel':
    case 'filter':
    case 'stop':
    case 'if':
    case 'block':
    case 'loop':
    case 'break':
      return 0
    default:
      return item satisfies never
  }
}

export function countSites(region: Region): number {
  let sum = 0
  const items = itemsBelow(region.items)
  for (let n = 0; n < items.length; n++) sum += sitesOf(items[n]!)
  return sum
}
