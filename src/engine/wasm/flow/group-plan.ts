import { GROUP, type Uniformity } from '../../analysis/index.ts'
import {
  escapesOf,
  hasBarrier,
  hasLoop,
  type Item,
  type Label,
  type Region,
  valuesMade,
  valuesRead,
} from '../../ir/index.ts'
import type { Scratch } from '../run/scratch.ts'
import { type PhiInput, SegmentValues } from './barrier-segments.ts'

/** Cuts a program at barriers that all threads of a group meet together; `group.ts` emits the plan. */

/** Labels of the blocks and loops of a region that hold barriers. */
export function barrierLabels(region: Region, found = new Set<Label>()): ReadonlySet<Label> {
  for (const item of region.items) {
    if (!hasBarrier(item)) continue
    if (item.kind === 'block' || item.kind === 'loop') {
      found.add(item.label)
      barrierLabels(item.body, found)
    } else if (item.kind === 'if') {
      barrierLabels(item.taken, found)
      barrierLabels(item.otherwise, found)
    }
  }
  return found
}

const leavesOne = (item: Item, labels: ReadonlySet<Label>): boolean => [...escapesOf(item)].some((l) => labels.has(l))

/** Whether all threads of a group are known to meet each barrier together. */
export function meetsTogether(region: Region, uniformity: Uniformity, labels: ReadonlySet<Label>): boolean {
  return region.items.every((item) => {
    switch (item.kind) {
      case 'if':
        if (!hasBarrier(item) && !leavesOne(item, labels)) return true
        return (
          uniformity.level(item.condition) <= GROUP &&
          meetsTogether(item.taken, uniformity, labels) &&
          meetsTogether(item.otherwise, uniformity, labels)
        )
      case 'block':
      case 'loop':
        if (!hasBarrier(item)) return !leavesOne(item, labels)
        return !uniformity.isDivergent(item.label) && meetsTogether(item.body, uniformity, labels)
      default:
        return true
    }
  })
}

/**
 * How a program whose threads meet each barrier together is cut into parts, each a loop over the waves of the group. The
 * flow around the parts is the group's own; so are values that are the same for all of its threads.
 */
export class GroupPlan {
  readonly kind = 'group'
  readonly values: SegmentValues
  /** Frame slot of what a wave's loops may still execute; absent where no part has loops. */
  budgetSlot: number | undefined
  /** Labels of constructs with barriers. */
  readonly #labels: ReadonlySet<Label>
  #parts = 0

  constructor(root: Region, labels: ReadonlySet<Label>, uniformity: Uniformity, scratch: Scratch) {
    this.values = new SegmentValues(uniformity, scratch, true)
    this.#labels = labels
    this.#region(root)
    this.values.finish()
  }

  /** Items that are the group's own flow: barriers, and what holds or leaves constructs with barriers. */
  isGroupItem(item: Item): boolean {
    return hasBarrier(item) || leavesOne(item, this.#labels)
  }

  #region(region: Region): void {
    const { values } = this
    let part = this.#parts++
    for (const item of region.items) {
      if (!this.isGroupItem(item)) {
        if (item.kind === 'value' && values.makeAvailable(item.value)) continue
        for (const v of valuesRead(item)) values.reads(v, part)
        for (const v of valuesMade(item)) values.makes(v, part)
        if (hasLoop(item)) this.budgetSlot ??= values.wordSlot()
        continue
      }
      this.#groupItem(item)
      if (item.kind === 'break') return
      part = this.#parts++
    }
  }

  #merge(pairs: readonly PhiInput[]): void {
    const part = this.#parts++
    for (const [phi, value] of pairs) {
      this.values.reads(value, part)
      if (this.values.isKept(phi)) this.values.available.add(phi)
      else this.values.slotOf(phi)
    }
  }

  #groupItem(item: Item): void {
    switch (item.kind) {
      case 'if':
        this.values.reads(item.condition, -1)
        this.#region(item.taken)
        this.#merge(item.phis.map((p) => [p.value, p.taken]))
        this.#region(item.otherwise)
        this.#merge(item.phis.map((p) => [p.value, p.otherwise]))
        return
      case 'block':
        this.#region(item.body)
        if (item.fallthroughArgs !== undefined)
          this.#merge(item.label.phis.map((p, i) => [p, item.fallthroughArgs![i]!]))
        return
      case 'loop':
        this.#merge(item.headerPhis.map((h) => [h.value, h.init]))
        this.#region(item.body)
        this.#merge(item.headerPhis.map((h) => [h.value, h.next]))
        return
      case 'break':
        this.#merge(item.label.phis.map((p, i) => [p, item.args[i]!]))
        return
      default:
        return
    }
  }
}
