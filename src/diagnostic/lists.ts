/** Lists that may be as long as the input: no spread into a call, which ends in a RangeError from about 100,000 items on. */

/** Appends items to a list, one after the other. Arrays are gone through by index, in which code that is not optimized yet makes no garbage. */
export function appendAll<T>(list: { push(item: T): unknown }, items: Iterable<T> | readonly T[]): void {
  if (Array.isArray(items)) {
    const all: readonly T[] = items
    for (let n = 0; n < all.length; n++) list.push(all[n]!)
  } else {
    for (const item of items) list.push(item)
  }
}

/** The largest of `least` and the values. */
export function largest(least: number, values: Iterable<number> | readonly number[]): number {
  let most = least
  if (Array.isArray(values)) {
    const all: readonly number[] = values
    for (let n = 0; n < all.length; n++) if (!(all[n]! <= most)) most = all[n]!
  } else {
    for (const v of values) if (!(v <= most)) most = v
  }
  return most
}

/** How many of the items of a list come first for which `isBefore` holds: it holds for none behind one for which it does not. */
export function countLeading<T>(list: readonly T[], isBefore: (item: T) => boolean): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isBefore(list[middle]!)) low = middle + 1
    else high = middle
  }
  return low
}
