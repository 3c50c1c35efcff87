import { type Uniformity, VARYING } from '../../analysis/index.ts'
import {
  CodeTooLarge,
  escapesOf,
  hasBarrier,
  type Item,
  type Label,
  type Region,
  type Value,
  valuesMade,
  valuesRead,
} from '../../ir/index.ts'
import type { Scratch } from '../run/scratch.ts'
import { type PhiInput, SegmentValues } from './barrier-segments.ts'

/**
 * How a program is cut whose threads may not meet a barrier together: that is not known before it runs, or they do not.
 * Each wave then has a place of its own in the code, and runs from there to its next barrier in each round
 * (alternate.ts). The flow around barriers becomes blocks with jumps; masks of lanes that wait elsewhere are in the frame.
 */

/** How a block is left. `pairs` are merges set for the lanes that are active there. */
export type Exit =
  | { readonly kind: 'go'; readonly to: Block }
  | { readonly kind: 'end' }
  | { readonly kind: 'barrier'; readonly item: Extract<Item, { kind: 'barrier' }>; readonly to: Block }
  /** A branch of the whole wave. */
  | { readonly kind: 'choose'; readonly condition: Value; readonly taken: Block; readonly otherwise: Block }
  /** A branch of lanes: those that do not take it wait in the slot `other`. Without any that do, it is over at once. */
  | {
      readonly kind: 'divide'
      readonly condition: Value
      readonly other: number
      readonly taken: Block
      readonly takenEnd: Block
    }
  /** The end of the first side: its lanes wait in `joined` while those in `other` run, if there are any. */
  | {
      readonly kind: 'swap'
      readonly pairs: readonly PhiInput[]
      readonly joined: number
      readonly other: number
      readonly otherwise: Block
      readonly otherwiseEnd: Block
    }
  /** The end of an arm: the lanes in `joined`, if any wait there, go on together with those that are active. */
  | {
      readonly kind: 'join'
      readonly pairs: readonly PhiInput[]
      readonly joined: number | undefined
      readonly to: Block
    }
  /** Into a block or loop: none has left it. */
  | { readonly kind: 'enter'; readonly pairs: readonly PhiInput[]; readonly left: number; readonly to: Block }
  /** All active lanes leave a block or loop: they wait for its end in `left`. */
  | { readonly kind: 'leave'; readonly pairs: readonly PhiInput[]; readonly left: number; readonly to: Block }
  /** The end of an iteration: the next one, if lanes are active. */
  | {
      readonly kind: 'loop-end'
      readonly pairs: readonly PhiInput[]
      readonly loop: Extract<Item, { kind: 'loop' }>
      readonly again: Block
      readonly done: Block
    }

export interface Block {
  /** Place in the list, and number of the part. */
  number: number
  readonly region: Region
  readonly items: Item[]
  /** Slot of the mask to go on with. */
  readonly restore: number | undefined
  /** Where to go if no lane is active: the end of what encloses the block. */
  readonly idle: Block | undefined
  exit: Exit
}

/** Their code nests, so that a jump reaches each of them. */
const MAX_BLOCKS = 1024

export class InterleavingPlan {
  readonly kind = 'interleaved'
  readonly values: SegmentValues
  /** In the order in which they stand in the code: values are made before they are read. */
  readonly blocks: Block[] = []
  /** Frame slots of what a wave has while others run. */
  readonly slots: { readonly mask: number; readonly place: number; readonly statement: number; readonly budget: number }
  readonly #labels: ReadonlySet<Label>
  /** Frame slots of the lanes that left a construct, by its label. */
  readonly #left = new Map<Label, number>()
  readonly #uniformity: Uniformity

  constructor(root: Region, labels: ReadonlySet<Label>, uniformity: Uniformity, scratch: Scratch) {
    this.values = new SegmentValues(uniformity, scratch, false)
    this.#uniformity = uniformity
    this.#labels = labels
    this.values.makeRootAvailable(root)
    const word = (): number => this.values.wordSlot()
    this.slots = { mask: this.values.maskSlot(), place: word(), statement: word(), budget: word() }
    const end = this.#block(root)
    this.#region(root, this.#place(this.#block(root)), end)
    this.#place(end)
    if (this.blocks.length > MAX_BLOCKS) {
      const exit = this.blocks.findLast((b) => b.exit.kind === 'barrier')?.exit
      const statement = exit?.kind === 'barrier' ? exit.item.statement : 0
      throw new CodeTooLarge(`${MAX_BLOCKS} blocks around barriers`, statement)
    }
    for (const block of this.blocks) this.#note(block)
    this.values.finish()
  }

  #block(region: Region, idle?: Block, restore?: number): Block {
    return { number: -1, region, items: [], restore, idle, exit: { kind: 'end' } }
  }

  #place(block: Block): Block {
    block.number = this.blocks.length
    this.blocks.push(block)
    return block
  }

  /** Barriers, and what holds them or leaves what holds them, or leaves a construct that is divided for that. */
  #isDivided(item: Item): boolean {
    return hasBarrier(item) || [...escapesOf(item)].some((l) => this.#labels.has(l) || this.#left.has(l))
  }

  /** Lays out a region from a block on; its flow, with or without lanes, ends in `end`. */
  #region(region: Region, start: Block, end: Block): void {
    let block = start
    for (const item of region.items) {
      if (!this.#isDivided(item)) {
        if (item.kind !== 'value' || !this.values.available.has(item.value)) block.items.push(item)
        continue
      }
      const next = this.#divided(item, block, end)
      if (next === undefined) return
      block = next
    }
    block.exit = { kind: 'go', to: end }
  }

  /** Lays out an item after a block; answers the block that follows. */
  #divided(item: Item, block: Block, end: Block): Block | undefined {
    switch (item.kind) {
      case 'barrier': {
        const next = this.#block(block.region)
        block.exit = { kind: 'barrier', item, to: next }
        return this.#place(next)
      }
      case 'if':
        return this.#if(item, block, end)
      case 'block':
        return this.#construct(item, block, end)
      case 'loop':
        return this.#construct(item, block, end)
      case 'break': {
        const pairs = item.label.phis.map((p, i): PhiInput => [p, item.args[i]!])
        block.exit = { kind: 'leave', pairs, left: this.#left.get(item.label)!, to: end }
        return undefined
      }
      default:
        return block
    }
  }

  #if(item: Extract<Item, { kind: 'if' }>, block: Block, end: Block): Block {
    const { condition, phis } = item
    const taken = this.#block(item.taken)
    const takenEnd = this.#block(item.taken)
    const otherwise = this.#block(item.otherwise)
    const otherwiseEnd = this.#block(item.otherwise)
    const next = this.#block(block.region, end)
    const takenPairs = phis.map((p): PhiInput => [p.value, p.taken])
    let joined: number | undefined
    if (this.#uniformity.level(condition) < VARYING) {
      block.exit = { kind: 'choose', condition, taken, otherwise }
      takenEnd.exit = { kind: 'join', pairs: takenPairs, joined, to: next }
    } else {
      const other = this.values.maskSlot()
      joined = this.values.maskSlot()
      block.exit = { kind: 'divide', condition, other, taken, takenEnd }
      takenEnd.exit = { kind: 'swap', pairs: takenPairs, joined, other, otherwise, otherwiseEnd }
    }
    otherwiseEnd.exit = { kind: 'join', pairs: phis.map((p) => [p.value, p.otherwise]), joined, to: next }
    this.#region(item.taken, this.#place(taken), takenEnd)
    this.#place(takenEnd)
    this.#region(item.otherwise, this.#place(otherwise), otherwiseEnd)
    this.#place(otherwiseEnd)
    return this.#place(next)
  }

  #construct(item: Extract<Item, { kind: 'block' | 'loop' }>, block: Block, end: Block): Block {
    const { label } = item
    const left = this.values.maskSlot()
    this.#left.set(label, left)
    const body = this.#block(item.body)
    const bodyEnd = this.#block(item.body)
    const next = this.#block(block.region, end, left)
    if (item.kind === 'loop') {
      const pairs = item.headerPhis.map((h): PhiInput => [h.value, h.init])
      block.exit = { kind: 'enter', pairs, left, to: body }
      const nextValues = item.headerPhis.map((h): PhiInput => [h.value, h.next])
      bodyEnd.exit = { kind: 'loop-end', pairs: nextValues, loop: item, again: body, done: next }
    } else {
      block.exit = { kind: 'enter', pairs: [], left, to: body }
      const { fallthroughArgs } = item
      const pairs = fallthroughArgs === undefined ? [] : label.phis.map((p, i): PhiInput => [p, fallthroughArgs[i]!])
      bodyEnd.exit = { kind: 'leave', pairs, left, to: next }
    }
    this.#region(item.body, this.#place(body), bodyEnd)
    this.#place(bodyEnd)
    return this.#place(next)
  }

  /** What a block reads and makes. */
  #note(block: Block): void {
    const { values } = this
    for (const item of block.items) {
      for (const v of valuesRead(item)) values.reads(v, block.number)
      for (const v of valuesMade(item)) values.makes(v, block.number)
    }
    for (const v of exitReads(block.exit)) values.reads(v, block.number)
    if ('pairs' in block.exit) for (const [phi] of block.exit.pairs) values.slotOf(phi)
  }
}

/** Values that are read where a block is left. */
export function exitReads(exit: Exit): readonly Value[] {
  if ('condition' in exit) return [exit.condition]
  return 'pairs' in exit ? exit.pairs.map(([, value]) => value) : []
}
