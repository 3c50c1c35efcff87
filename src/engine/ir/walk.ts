import { type Item, type Label, operandsOf, type Region, resultsOf, type Value } from './value.ts'

/** Questions about items with everything inside them. */

/** Regions that stand directly in an item. */
export function regionsIn(item: Item): readonly Region[] {
  switch (item.kind) {
    case 'if':
      return [item.taken, item.otherwise]
    case 'block':
    case 'loop':
      return [item.body]
    default:
      return []
  }
}

/** Items with all inside them, in the order of the code. */
export function* itemsBelow(items: readonly Item[]): Iterable<Item> {
  for (const item of items) {
    yield item
    for (const region of regionsIn(item)) yield* itemsBelow(region.items)
  }
}

/** Whether something holds of an item, or of one inside. */
export const someItem = (items: readonly Item[], holds: (item: Item) => boolean): boolean =>
  items.some((item) => holds(item) || regionsIn(item).some((region) => someItem(region.items, holds)))

export const hasBarrier = (item: Item): boolean => someItem([item], (i) => i.kind === 'barrier')
export const hasLoop = (item: Item): boolean => someItem([item], (i) => i.kind === 'loop')

/** Values that an item reads, with everything inside it. */
export function* valuesRead(item: Item): Iterable<Value> {
  switch (item.kind) {
    case 'value':
      yield* item.value.args
      return
    case 'if':
      yield item.condition
      for (const i of [...item.taken.items, ...item.otherwise.items]) yield* valuesRead(i)
      for (const p of item.phis) yield* [p.taken, p.otherwise]
      return
    case 'block':
      for (const i of item.body.items) yield* valuesRead(i)
      yield* item.fallthroughArgs ?? []
      return
    case 'loop':
      for (const h of item.headerPhis) yield* [h.init, h.next]
      for (const i of item.body.items) yield* valuesRead(i)
      return
    case 'break':
      yield* item.args
      return
    case 'barrier':
      return
    default:
      yield* operandsOf(item)
  }
}

/** Values that an item makes, with everything inside it. */
export function* valuesMade(item: Item): Iterable<Value> {
  switch (item.kind) {
    case 'value':
      yield item.value
      return
    case 'if':
      for (const i of [...item.taken.items, ...item.otherwise.items]) yield* valuesMade(i)
      for (const p of item.phis) yield p.value
      return
    case 'block':
      for (const i of item.body.items) yield* valuesMade(i)
      yield* item.label.phis
      return
    case 'loop':
      for (const h of item.headerPhis) yield h.value
      for (const i of item.body.items) yield* valuesMade(i)
      yield* item.label.phis
      return
    default:
      yield* resultsOf(item)
  }
}

const NO_LABELS: ReadonlySet<Label> = new Set()
const escapes = new WeakMap<Item, ReadonlySet<Label>>()

function escapesOfAll(regions: readonly Region[]): ReadonlySet<Label> {
  let found: Set<Label> | undefined
  for (const region of regions) {
    for (const item of region.items) {
      for (const label of escapesOf(item)) {
        found ??= new Set()
        found.add(label)
      }
    }
  }
  return found ?? NO_LABELS
}

/** Labels outside of an item that breaks inside go to. Items do not change once they are complete, so each is asked once. */
export function escapesOf(item: Item): ReadonlySet<Label> {
  if (item.kind === 'break') return new Set([item.label])
  if (item.kind !== 'if' && item.kind !== 'block' && item.kind !== 'loop') return NO_LABELS
  let known = escapes.get(item)
  if (known === undefined) {
    const all = escapesOfAll(regionsIn(item))
    known = item.kind === 'if' || !all.has(item.label) ? all : new Set([...all].filter((l) => l !== item.label))
    escapes.set(item, known)
  }
  return known
}
