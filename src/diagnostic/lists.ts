/** Lists that may be as long as the input: no spread into a call, which ends in a RangeError from about 100,000 items on. */

/** Appends items to a list, one after the other. */
export function appendAll<T>(list: { push(item: T): unknown }, items: Iterable<T>): void {
  for (const item of items) list.push(item)
}

/** The largest of `least` and the values. */
export function largest(least: number, values: Iterable<number>): number {
  let most = least
  for (const v of values) if (!(v <= most)) most = v
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
