import type { Item, Region } from '../lower/value.ts'
import { FILTER_SLOTS } from './filter.ts'
import { callSlots } from './texel.ts'

/** Questions about items with everything inside them. */

/** Multiply-adds that round once are the host's. */
export function usesFused(region: Region, relaxed: boolean): boolean {
  return region.items.some((item) => {
    if (item.kind === 'value') return item.value.op === 'f64Fma' || (item.value.op === 'f32Mad' && !relaxed)
    if (item.kind === 'if') return usesFused(item.taken, relaxed) || usesFused(item.otherwise, relaxed)
    return (item.kind === 'block' || item.kind === 'loop') && usesFused(item.body, relaxed)
  })
}

/** Words that the largest call to the host passes, or the largest filter. */
export function largestCall(region: Region): number {
  let most = 0
  for (const item of region.items) {
    if (item.kind === 'texel') most = Math.max(most, callSlots(item))
    else if (item.kind === 'filter') most = Math.max(most, FILTER_SLOTS)
    else if (item.kind === 'if') most = Math.max(most, largestCall(item.taken), largestCall(item.otherwise))
    else if (item.kind === 'block' || item.kind === 'loop') most = Math.max(most, largestCall(item.body))
  }
  return most
}

/** Ways in which an item may be found wrong, at most. */
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
    case 'if':
      return countSites(item.taken) + countSites(item.otherwise)
    case 'block':
    case 'loop':
      return countSites(item.body)
    default:
      return 0
  }
}

export function countSites(region: Region): number {
  return region.items.reduce((sum, item) => sum + sitesOf(item), 0)
}
