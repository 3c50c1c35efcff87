import { type Item, type Label, operandsOf, type Region, resultsOf, type Value } from './value.ts'

/** Questions about items with everything inside them. */

const NO_REGIONS: readonly Region[] = []

/** Regions that stand directly in an item. */
export function regionsIn(item: Item): readonly Region[] {
  switch (item.kind) {
    case 'if':
      return [item.taken, item.otherwise]
    case 'block':
    case 'loop':
      return [item.body]
    case 'value':
    case 'load':
    case 'store':
    case 'atomic':
    case 'counter':
    case 'private-load':
    case 'private-store':
    case 'texel':
    case 'filter':
    case 'stop':
    case 'report':
    case 'break':
    case 'barrier':
      return NO_REGIONS
    default:
      return item satisfies never
  }
}

function addItems(items: readonly Item[], all: Item[]): void {
  for (let n = 0; n < items.length; n++) {
    const item = items[n]!
    all.push(item)
    const regions = regionsIn(item)
    for (let r = 0; r < regions.length; r++) addItems(regions[r]!.items, all)
  }
}

/** Items with all inside them, in the order of the code. Generators inside one another would take a step a level for each. */
export function itemsBelow(items: readonly Item[]): readonly Item[] {
  const all: Item[] = []
  addItems(items, all)
  return all
}

/** Whether something holds of an item, or of one inside. */
export const someItem = (items: readonly Item[], holds: (item: Item) => boolean): boolean =>
  items.some((item) => holds(item) || regionsIn(item).some((region) => someItem(region.items, holds)))

/** A test of items with its results kept, since it is made at every level around an item: items do not change once they are complete. */
function cachedForItems(holds: (item: Item) => boolean): (item: Item) => boolean {
  const results = new WeakMap<Item, boolean>()
  const test = (item: Item): boolean => {
    const regions = regionsIn(item)
    if (regions.length === 0) return holds(item)
    let result = results.get(item)
    if (result === undefined) {
      result = holds(item) || regions.some((region) => region.items.some(test))
      results.set(item, result)
    }
    return result
  }
  return test
}

export const hasBarrier = cachedForItems((item) => item.kind === 'barrier')
export const hasLoop = cachedForItems((item) => item.kind === 'loop')

function addRead(item: Item, all: Value[]): void {
  switch (item.kind) {
    case 'value':
      for (const v of item.value.args) all.push(v)
      return
    case 'if':
      all.push(item.condition)
      for (const region of regionsIn(item)) for (const i of region.items) addRead(i, all)
      for (const p of item.phis) all.push(p.taken, p.otherwise)
      return
    case 'block':
      for (const i of item.body.items) addRead(i, all)
      for (const v of item.fallthroughArgs ?? []) all.push(v)
      return
    case 'loop':
      for (const h of item.headerPhis) all.push(h.init, h.next)
      for (const i of item.body.items) addRead(i, all)
      return
    case 'break':
      for (const v of item.args) all.push(v)
      return
    case 'barrier':
      return
    default:
      for (const v of operandsOf(item)) all.push(v)
  }
}

/** Values that an item reads, with everything inside it. */
export function valuesRead(item: Item): readonly Value[] {
  const all: Value[] = []
  addRead(item, all)
  return all
}

function addMade(item: Item, all: Value[]): void {
  switch (item.kind) {
    case 'value':
      all.push(item.value)
      return
    case 'if':
      for (const region of regionsIn(item)) for (const i of region.items) addMade(i, all)
      for (const p of item.phis) all.push(p.value)
      return
    case 'block':
      for (const i of item.body.items) addMade(i, all)
      for (const v of item.label.phis) all.push(v)
      return
    case 'loop':
      for (const h of item.headerPhis) all.push(h.value)
      for (const i of item.body.items) addMade(i, all)
      for (const v of item.label.phis) all.push(v)
      return
    default:
      for (const v of resultsOf(item)) all.push(v)
  }
}

/** Values that an item makes, with everything inside it. */
export function valuesMade(item: Item): readonly Value[] {
  const all: Value[] = []
  addMade(item, all)
  return all
}

const NO_LABELS: ReadonlySet<Label> = new Set()
const escapes = new WeakMap<Item, ReadonlySet<Label>>()

function escapesOfAll(regions: readonly Region[]): ReadonlySet<Label> {
  let found: Set<Label> | undefined
  for (const { items } of regions) {
    for (let n = 0; n < items.length; n++) {
      const labels = escapesOf(items[n]!)
      if (labels.size === 0) continue
      found ??= new Set()
      for (const label of labels) found.add(label)
    }
  }
  return found ?? NO_LABELS
}

/** Labels outside of an item that breaks inside go to. Items do not change once they are complete, so each is looked at once. */
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
