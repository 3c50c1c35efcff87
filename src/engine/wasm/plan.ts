import { Unsupported } from '../lower/operand.ts'
import type { Lowered } from '../lower/translate.ts'
import { GROUP, type Uniformity, VARYING } from '../lower/uniformity.ts'
import type { Item, Label, Region, Value } from '../lower/value.ts'
import { hasBarrier, valuesMade, valuesRead } from '../lower/walk.ts'
import type { Scratch } from './scratch.ts'
import { itemEscapes } from './wave.ts'

/** A pure value that needs at most this many operations is computed again in each part of a group's code. */
const MAX_RECOMPUTED = 8

type Pair = readonly [phi: Value, value: Value]

export const isPure = (v: Value): boolean => v.op !== 'phi' && v.op !== 'result'

/**
 * How a program's code is cut into parts around barriers, each a loop over the waves of the group: which values the
 * group has once, which live from part to part in the frames of waves, which are computed again.
 */
export class GroupPlan {
  readonly uniformity: Uniformity
  readonly hasBarriers: boolean
  /** Values that are computed outside of the loops over waves. */
  readonly available = new Set<Value>()
  /** Frame slots of values that live from one part of the group's code to another, in bytes. */
  readonly slots = new Map<Value, number>()
  /** Frame slot of the lanes that have not ended; absent where none ends before the group. */
  maskSlot: number | undefined
  /** Labels of constructs with barriers. */
  readonly groupLabels = new Set<Label>()
  /** Part of the code in which a value was made; parts are numbered as they are planned. */
  readonly madeIn = new Map<Value, number>()
  /** Values that are read where they could not be emitted again. */
  readonly mustHold = new Set<Value>()
  readonly #scratch: Scratch
  readonly #width: number
  #parts = 0
  readonly #costs = new Map<Value, number>()

  constructor(lowered: Lowered, uniformity: Uniformity, scratch: Scratch) {
    const { root } = lowered
    this.uniformity = uniformity
    this.#scratch = scratch
    this.#width = uniformity.lanes / 4
    this.hasBarriers = root.items.some(hasBarrier)
    if (this.hasBarriers) this.#plan(root)
    else for (const item of root.items) if (item.kind === 'value') this.#isAvailable(item.value)
  }

  /** Marks a pure value that depends on the dispatch or group alone; it is computed before the loops over waves. */
  #isAvailable(v: Value): boolean {
    const is = this.uniformity.level(v) <= GROUP && v.args.every((a) => a.op === 'constant' || this.available.has(a))
    if (is) this.available.add(v)
    return is
  }

  /** Items that are the group's own flow: barriers, and what holds or leaves constructs with barriers. */
  isGroupItem(item: Item): boolean {
    if (hasBarrier(item)) return true
    if (item.kind === 'break') return this.groupLabels.has(item.label)
    if (item.kind !== 'if' || this.uniformity.level(item.condition) > GROUP) return false
    return [...itemEscapes(item, new Set())].some((l) => this.groupLabels.has(l))
  }

  #findGroupLabels(region: Region): void {
    for (const item of region.items) {
      if (!hasBarrier(item)) continue
      if (item.kind === 'block' || item.kind === 'loop') {
        this.groupLabels.add(item.label)
        this.#findGroupLabels(item.body)
      } else if (item.kind === 'if') {
        this.#findGroupLabels(item.taken)
        this.#findGroupLabels(item.otherwise)
      }
    }
  }

  /** First pass: which part makes each value, which values cross, and whether lanes leave for good. */
  #plan(root: Region): void {
    this.#findGroupLabels(root)
    const uses: [Value, number][] = []
    this.#planRegion(root, uses)
    for (const [v, part] of uses) this.#planUse(v, part)
  }

  #planRegion(region: Region, uses: [Value, number][]): void {
    let part = this.#parts++
    for (const item of region.items) {
      if (!this.isGroupItem(item)) {
        if (item.kind === 'value' && this.#isAvailable(item.value)) continue
        for (const v of valuesRead(item)) uses.push([v, part])
        for (const v of valuesMade(item)) this.madeIn.set(v, part)
        this.#checkEscapes(item)
        continue
      }
      this.#planGroupItem(item, uses)
      if (item.kind === 'break') return
      part = this.#parts++
    }
  }

  /** Lanes that leave a construct with barriers one by one wait for nobody; loops would have to count them. */
  #checkEscapes(item: Item): void {
    for (const label of itemEscapes(item, new Set())) {
      if (!this.groupLabels.has(label)) continue
      if (label.loop || label.phis.length > 0)
        throw new Unsupported('threads leave a loop around a barrier one by one', 0)
      this.maskSlot ??= this.#scratch.slot(this.#width * 16)
    }
  }

  #planGroupItem(item: Item, uses: [Value, number][]): void {
    const merge = (pairs: readonly Pair[]): void => {
      const part = this.#parts++
      for (const [phi, value] of pairs) {
        uses.push([value, part])
        if (this.uniformity.level(phi) <= GROUP) this.available.add(phi)
        else this.#slotOf(phi)
      }
    }
    switch (item.kind) {
      case 'if':
        if (this.uniformity.level(item.condition) > GROUP) {
          throw new Unsupported('a barrier stands in flow that is not uniform over the group', 0)
        }
        uses.push([item.condition, -1])
        this.#planRegion(item.taken, uses)
        merge(item.phis.map((p) => [p.value, p.taken]))
        this.#planRegion(item.otherwise, uses)
        merge(item.phis.map((p) => [p.value, p.otherwise]))
        return
      case 'block':
        this.#planRegion(item.body, uses)
        if (item.fall !== undefined) merge(item.label.phis.map((p, i) => [p, item.fall![i]!]))
        return
      case 'loop':
        if (this.uniformity.isDivergent(item.label)) {
          throw new Unsupported('a barrier stands in a loop that is not uniform over the group', 0)
        }
        merge(item.heads.map((h) => [h.value, h.init]))
        this.#planRegion(item.body, uses)
        merge(item.heads.map((h) => [h.value, h.next]))
        return
      case 'break':
        merge(item.label.phis.map((p, i) => [p, item.args[i]!]))
        return
      default:
        return
    }
  }

  #slotOf(v: Value): number {
    let slot = this.slots.get(v)
    if (slot === undefined) {
      const words = this.uniformity.level(v) < VARYING ? 1 : (v.double ? 2 : 1) * this.#width
      slot = this.#scratch.slot(words * 16)
      this.slots.set(v, slot)
    }
    return slot
  }

  #planUse(v: Value, part: number): void {
    if (v.op === 'constant' || this.available.has(v) || this.slots.has(v)) return
    const made = this.madeIn.get(v)
    if (made === part || made === undefined) return
    this.mustHold.add(v)
    if (this.uniformity.level(v) <= GROUP) return
    if (this.#cost(v) <= MAX_RECOMPUTED) for (const a of v.args) this.#planUse(a, part)
    else this.#slotOf(v)
  }

  /** Operations to compute a value from what every part has; Infinity where it cannot be. */
  #cost(v: Value): number {
    if (v.op === 'constant' || this.available.has(v)) return 0
    if (!isPure(v) || v.double) return Number.POSITIVE_INFINITY
    let cost = this.#costs.get(v)
    if (cost === undefined) {
      this.#costs.set(v, Number.POSITIVE_INFINITY)
      cost = v.args.reduce((sum, a) => sum + this.#cost(a), 1)
      this.#costs.set(v, cost)
    }
    return cost
  }
}
