import { GROUP, type Uniformity, VARYING } from '../../analysis/index.ts'
import type { Region, Value } from '../../ir/index.ts'
import type { Scratch } from '../run/scratch.ts'

/** Which values pass from one segment of code between barriers to the next, and where they are kept; plans use it. */

/** A pure value that needs at most this many operations is computed again in each part of the code. */
const MAX_RECOMPUTED = 8

export type PhiInput = readonly [phi: Value, value: Value]

export const isPure = (v: Value): boolean => v.op !== 'phi' && v.op !== 'result'

/**
 * Values of code that is cut into parts, which waves run one at a time: which are there for all waves, which live from
 * part to part in the frames of waves, which are computed again. Plans say what parts read and make, then call `finish`.
 */
export class SegmentValues {
  readonly uniformity: Uniformity
  /** Values that are computed outside of the loops over waves. */
  readonly available = new Set<Value>()
  /** Frame slots of values that live from one part to another, in bytes. */
  readonly slots = new Map<Value, number>()
  /** Part in which a value is made. */
  readonly madeIn = new Map<Value, number>()
  /** Values that are read where they could not be emitted again. */
  readonly mustHold = new Set<Value>()
  readonly #reads: [Value, number][] = []
  readonly #costs = new Map<Value, number>()
  readonly #scratch: Scratch
  readonly #width: number
  /** The group's values are in locals wherever they are made: all waves are at the same place. */
  readonly #keepsGroup: boolean

  constructor(uniformity: Uniformity, scratch: Scratch, keepsGroup: boolean) {
    this.uniformity = uniformity
    this.#scratch = scratch
    this.#width = uniformity.lanes / 4
    this.#keepsGroup = keepsGroup
  }

  /** Marks a pure value that depends on the dispatch or group alone; it is computed before the loops over waves. */
  makeAvailable(v: Value): boolean {
    if (this.uniformity.level(v) > GROUP) return false
    for (let i = 0; i < v.args.length; i++) {
      if (v.args[i]!.op !== 'constant' && !this.available.has(v.args[i]!)) return false
    }
    this.available.add(v)
    return true
  }

  /** Marks all such values of the outermost region. */
  makeRootAvailable(root: Region): void {
    const { items } = root
    for (let n = 0; n < items.length; n++) {
      const item = items[n]!
      if (item.kind === 'value') this.makeAvailable(item.value)
    }
  }

  /** The value has one place for all waves, which is no frame. */
  isKept(v: Value): boolean {
    return this.#keepsGroup && this.uniformity.level(v) <= GROUP
  }

  reads(v: Value, part: number): void {
    this.#reads.push([v, part])
  }
  makes(v: Value, part: number): void {
    this.madeIn.set(v, part)
  }

  /** Room for a mask in the frame of each wave. */
  maskSlot(): number {
    return this.#scratch.slot(this.#width * 16)
  }
  /** Room for a word of each wave. */
  wordSlot(): number {
    return this.#scratch.slot(16)
  }

  slotOf(v: Value): number {
    let slot = this.slots.get(v)
    if (slot === undefined) {
      const words = this.uniformity.level(v) < VARYING ? 1 : (v.double ? 2 : 1) * this.#width
      slot = this.#scratch.slot(words * 16)
      this.slots.set(v, slot)
    }
    return slot
  }

  /** Once all reads are known: values that cross parts get slots, or are marked to be computed again. */
  finish(): void {
    for (const [v, part] of this.#reads) this.#read(v, part)
  }

  #read(v: Value, part: number): void {
    if (v.op === 'constant' || this.available.has(v) || this.slots.has(v)) return
    const made = this.madeIn.get(v)
    if (made === part || made === undefined) return
    this.mustHold.add(v)
    if (this.isKept(v)) return
    if (this.#cost(v) <= MAX_RECOMPUTED) for (const a of v.args) this.#read(a, part)
    else this.slotOf(v)
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
