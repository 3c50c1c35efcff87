import { type Item, type Label, operandsOf, type Region, resultsOf, type Value } from './value.ts'

/** Questions about items with everything inside them. */

/** Whether an item holds a barrier. */
export function hasBarrier(item: Item): boolean {
  switch (item.kind) {
    case 'barrier':
      return true
    case 'if':
      return item.taken.items.some(hasBarrier) || item.otherwise.items.some(hasBarrier)
    case 'block':
    case 'loop':
      return item.body.items.some(hasBarrier)
    default:
      return false
  }
}

/** Whether an item is or holds a loop. */
export function hasLoop(item: Item): boolean {
  switch (item.kind) {
    case 'loop':
      return true
    case 'if':
      return item.taken.items.some(hasLoop) || item.otherwise.items.some(hasLoop)
    case 'block':
      return item.body.items.some(hasLoop)
    default:
      return false
  }
}

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
      yield* item.fall ?? []
      return
    case 'loop':
      for (const h of item.heads) yield* [h.init, h.next]
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
      for (const h of item.heads) yield h.value
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
    const all = escapesOfAll(item.kind === 'if' ? [item.taken, item.otherwise] : [item.body])
    known = item.kind === 'if' || !all.has(item.label) ? all : new Set([...all].filter((l) => l !== item.label))
    escapes.set(item, known)
  }
  return known
}
