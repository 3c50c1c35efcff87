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
    if (item.kind === 'value') continue
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
export function someItem(items: readonly Item[], holds: (item: Item) => boolean): boolean {
  for (let n = 0; n < items.length; n++) {
    const item = items[n]!
    if (holds(item)) return true
    if (item.kind === 'value') continue
    const regions = regionsIn(item)
    for (let r = 0; r < regions.length; r++) if (someItem(regions[r]!.items, holds)) return true
  }
  return false
}

/** A test of items that are no values with its results kept, since it is made at every level around an item: items do not change once they are complete. */
function cachedForItems(holds: (item: Item) => boolean): (item: Item) => boolean {
  const results = new WeakMap<Item, boolean>()
  const test = (item: Item): boolean => {
    if (item.kind === 'value') return false
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

function addValues(values: readonly Value[], all: Value[]): void {
  for (let n = 0; n < values.length; n++) all.push(values[n]!)
}

function readsOf({ items }: Region, all: Value[]): void {
  for (let n = 0; n < items.length; n++) addRead(items[n]!, all)
}

function addRead(item: Item, all: Value[]): void {
  switch (item.kind) {
    case 'value':
      addValues(item.value.args, all)
      return
    case 'if':
      all.push(item.condition)
      readsOf(item.taken, all)
      readsOf(item.otherwise, all)
      for (const p of item.phis) all.push(p.taken, p.otherwise)
      return
    case 'block':
      readsOf(item.body, all)
      for (const v of item.fallthroughArgs ?? []) all.push(v)
      return
    case 'loop':
      for (const h of item.headerPhis) all.push(h.init, h.next)
      readsOf(item.body, all)
      return
    case 'break':
      for (const v of item.args) all.push(v)
      return
    case 'barrier':
      return
    default:
      addValues(operandsOf(item), all)
  }
}

/** Values that an item reads, with everything inside it. */
export function valuesRead(item: Item): readonly Value[] {
  const all: Value[] = []
  addRead(item, all)
  return all
}

function madeIn({ items }: Region, all: Value[]): void {
  for (let n = 0; n < items.length; n++) addMade(items[n]!, all)
}

function addMade(item: Item, all: Value[]): void {
  switch (item.kind) {
    case 'value':
      all.push(item.value)
      return
    case 'if':
      madeIn(item.taken, all)
      madeIn(item.otherwise, all)
      for (const p of item.phis) all.push(p.value)
      return
    case 'block':
      madeIn(item.body, all)
      for (const v of item.label.phis) all.push(v)
      return
    case 'loop':
      for (const h of item.headerPhis) all.push(h.value)
      madeIn(item.body, all)
      for (const v of item.label.phis) all.push(v)
      return
    default:
      addValues(resultsOf(item), all)
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
