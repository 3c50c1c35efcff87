/** Lists that may be as long as the input, without a spread into a call, which ends in a RangeError from about 100,000 items on. */

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
