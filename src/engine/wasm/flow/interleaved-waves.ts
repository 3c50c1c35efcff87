import { type Item, type Value, valuesMade, valuesRead } from '../../ir/index.ts'
import { runPartsAtOnce } from '../../next-task.ts'
import type { Emitter } from '../emit/emitter.ts'
import { pushAllActive, pushAnyActive } from '../emit/mask.ts'
import { emitCondition } from '../emit/scalar-ops.ts'
import { pushMask } from '../emit/vector-ops.ts'
import { I32, type Target, V128 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { reportBarrier } from '../report/records.ts'
import type { PhiInput } from './barrier-segments.ts'
import { Frames } from './frames.ts'
import { type Block, type Exit, exitReads, type InterleavingPlan } from './interleaved-waves-plan.ts'
import { WaveCode } from './wave.ts'
import type { Waves } from './waves.ts'

/** Emits a group whose waves reach barriers apart; `run/kernel.ts` calls it for plans of `interleaved-waves-plan.ts`. */

type Barrier = Extract<Item, { kind: 'barrier' }>

/** The place of a wave that has ended. */
const ENDED = -1

/**
 * The code of a group whose waves are interleaved: in each round every wave that has not ended runs on from its place to its next
 * barrier, whichever that is and however many of its lanes come there. When all have, the next round begins. That is
 * what the reference engine does; where waves did not come together it is reported (22.17.7).
 */
export class InterleavedWaves {
  readonly e: Emitter
  readonly plan: InterleavingPlan
  readonly waves: Waves
  readonly #frames: Frames
  /** Locals: active lanes, number of the block to run, statement of the first barrier at which a wave waits. */
  readonly #mask: readonly number[]
  readonly #place: number
  readonly #first: number
  /** Locals: how many waves wait; whether one has ended, waits elsewhere or has come with some of its lanes. */
  readonly #waiting: number
  readonly #apart: number
  /** Of the block being emitted: its number, the jump table and where the next wave begins. */
  #number = 0
  #again: Target = { depth: 0 }
  #next: Target = { depth: 0 }

  constructor(e: Emitter, plan: InterleavingPlan, waves: Waves) {
    this.e = e
    this.plan = plan
    this.waves = waves
    this.#frames = new Frames(e, plan.values, waves)
    this.#mask = Array.from({ length: e.width }, () => e.f.local(V128))
    this.#place = e.f.local(I32)
    this.#first = e.f.local(I32)
    this.#waiting = e.f.local(I32)
    this.#apart = e.f.local(I32)
  }

  emit(): void {
    const { f } = this.e
    this.waves.loop(() => this.#start())
    f.loop((round) => {
      f.i32(0).set(this.#waiting).i32(0).set(this.#apart)
      this.waves.loop((next) => this.#wave(next))
      f.get(this.#waiting)
      f.if(() => {
        f.get(this.#apart)
        f.if(() => this.#report())
        f.br(round)
      })
    })
  }

  #loadWord(slot: number): void {
    this.e.f.get(this.waves.frame).memory(OP.i32Load, 2, slot)
  }
  #storeWord(slot: number, push: () => void): void {
    this.e.f.get(this.waves.frame)
    push()
    this.e.f.memory(OP.i32Store, 2, slot)
  }

  #start(): void {
    const { e, waves } = this
    const { slots } = this.plan
    waves.clearPrivate()
    waves.resetBudget()
    const mask = waves.initialMask()
    this.#mask.forEach((local, i) => {
      if (mask === 'full') e.pushConstant(0xffffffff)
      else e.f.get(mask[i]!)
      e.f.set(local)
    })
    this.#save()
    this.#storeWord(slots.place, () => void e.f.i32(0))
  }

  /** What a wave has beside its values goes to its frame. */
  #save(): void {
    const { slots } = this.plan
    this.#frames.storeVectors(this.#mask, slots.mask)
    this.#storeWord(slots.budget, () => void this.e.f.get(this.waves.budget))
  }

  /** One wave in one round: jumps to its place, and from block to block until it waits or ends. */
  #wave(next: Target): void {
    const { e, waves } = this
    const { f } = e
    const { slots, blocks } = this.plan
    this.#next = next
    this.#loadWord(slots.place)
    f.tee(this.#place).i32(ENDED).op(OP.i32Eq)
    f.if(() => f.i32(1).set(this.#apart).br(next))
    waves.findPrivate()
    this.#frames.loadVectors(this.#mask, slots.mask)
    this.#loadWord(slots.budget)
    f.set(waves.budget)
    e.setLook(waves.budget)
    f.loop((again) => {
      this.#again = again
      const targets: Target[] = []
      const open = (n: number): void => {
        if (n < 0) {
          f.get(this.#place).brTable(targets)
          return
        }
        f.block((start) => {
          targets[n] = start
          open(n - 1)
        })
        this.#number = n
        e.scope(() => this.#block(blocks[n]!))
      }
      open(blocks.length - 1)
    })
  }

  #jump(to: Block): void {
    this.e.f.i32(to.number).set(this.#place).br(this.#again)
  }
  /** Goes on with a block; the one that follows in the code is reached by itself. */
  #go(to: Block): void {
    if (to.number !== this.#number + 1) this.#jump(to)
  }
  #jumpIfIdle(to: Block): void {
    pushAnyActive(this.e, this.#mask)
    this.e.f.op(OP.i32Eqz)
    this.e.f.if(() => this.#jump(to))
  }

  #block(block: Block): void {
    const { e } = this
    if (block.restore !== undefined) this.#frames.loadVectors(this.#mask, block.restore)
    if (block.idle !== undefined) this.#jumpIfIdle(block.idle)
    const made = new Set<Value>()
    const read = new Set<Value>(exitReads(block.exit))
    for (const item of block.items) {
      for (const v of valuesMade(item)) made.add(v)
      for (const v of valuesRead(item)) read.add(v)
    }
    const outside = [...read].filter((v) => !made.has(v)).sort((a, b) => a.id - b.id)
    const loaded = this.#frames.load(block.number, outside)
    e.f.block((end) =>
      runPartsAtOnce(new WaveCode(e, this.#mask, this.waves.budget, end).items(block.region, block.items)),
    )
    this.#frames.store(made)
    this.#exit(block.exit)
    this.#frames.forget(loaded)
    this.#frames.forget(made)
    e.opaque.clear()
  }

  #exit(exit: Exit): void {
    switch (exit.kind) {
      case 'go':
        this.#go(exit.to)
        return
      case 'end':
        this.#end()
        return
      case 'barrier':
        this.#wait(exit.item, exit.to)
        return
      case 'choose':
        emitCondition(this.e, exit.condition)
        this.e.f.op(OP.i32Eqz)
        this.e.f.if(() => this.#jump(exit.otherwise))
        this.#go(exit.taken)
        return
      case 'divide':
        this.#divide(exit)
        return
      case 'swap':
        this.#merge(exit.pairs)
        this.#frames.storeVectors(this.#mask, exit.joined)
        this.#frames.loadVectors(this.#mask, exit.other)
        this.#jumpIfIdle(exit.otherwiseEnd)
        this.#go(exit.otherwise)
        return
      case 'join':
        this.#merge(exit.pairs)
        if (exit.joined !== undefined) this.#orSlot(exit.joined)
        this.#go(exit.to)
        return
      case 'enter':
        this.#frames.merge(exit.pairs)
        this.#clear(exit.left)
        this.#go(exit.to)
        return
      case 'leave':
        this.#leave(exit)
        return
      case 'loop-end':
        this.#jumpIfIdle(exit.done)
        this.#frames.merge(exit.pairs)
        this.#chargeIteration(exit.loop)
        this.#jump(exit.again)
        return
      default:
        exit satisfies never
    }
  }

  /** Merges of the active lanes; without any nothing is merged, for a merge of the whole wave has one word for all. */
  #merge(pairs: readonly PhiInput[]): void {
    if (pairs.length === 0) return
    pushAnyActive(this.e, this.#mask)
    this.e.f.if(() => this.e.scope(() => this.#frames.merge(pairs, this.#mask)))
  }

  #divide({ condition, other, taken, takenEnd }: Extract<Exit, { kind: 'divide' }>): void {
    const { e } = this
    const { f } = e
    this.#mask.forEach((local, i) => {
      const holds = f.temp(V128)
      pushMask(e, condition, i)
      f.set(holds)
      f.get(this.waves.frame).get(local).get(holds).simd(SIMD.andnot)
      f.simdMemory(SIMD.store, 4, other + i * 16)
      f.get(local).get(holds).simd(SIMD.and).set(local)
      f.release(V128, holds)
    })
    this.#jumpIfIdle(takenEnd)
    this.#go(taken)
  }

  #leave({ pairs, left, to }: Extract<Exit, { kind: 'leave' }>): void {
    this.#merge(pairs)
    this.#orSlot(left)
    this.#frames.storeVectors(this.#mask, left)
    for (const local of this.#mask) {
      this.e.pushConstant(0)
      this.e.f.set(local)
    }
    this.#go(to)
  }

  /** Adds the lanes of a slot to the active ones. */
  #orSlot(slot: number): void {
    const { f } = this.e
    this.#mask.forEach((local, i) => {
      f.get(local)
        .get(this.waves.frame)
        .simdMemory(SIMD.load, 4, slot + i * 16)
        .simd(SIMD.or)
        .set(local)
    })
  }

  #clear(slot: number): void {
    const { e } = this
    this.#mask.forEach((_, i) => {
      e.f.get(this.waves.frame)
      e.pushConstant(0)
      e.f.simdMemory(SIMD.store, 4, slot + i * 16)
    })
  }

  #chargeIteration({ cost, statement }: Extract<Item, { kind: 'loop' }>): void {
    this.e.chargeIteration(this.waves.budget, cost, statement)
  }

  #end(): void {
    this.#storeWord(this.plan.slots.place, () => void this.e.f.i32(ENDED))
    this.e.f.i32(1).set(this.#apart).br(this.#next)
  }

  #wait(barrier: Barrier, to: Block): void {
    const { e, waves } = this
    const { f } = e
    const { slots } = this.plan
    this.#save()
    this.#storeWord(slots.place, () => void f.i32(to.number))
    this.#storeWord(slots.statement, () => void f.i32(barrier.statement))
    f.get(this.#waiting)
    f.if(
      () => f.get(this.#first).i32(barrier.statement).op(OP.i32Ne).get(this.#apart).op(OP.i32Or).set(this.#apart),
      () => f.i32(barrier.statement).set(this.#first),
    )
    f.i32(1).set(this.#waiting)
    if (waves.threadCount % e.uniformity.lanes === 0) pushAllActive(e, this.#mask)
    else {
      this.#pushActiveCount()
      waves.pushLaneCount()
      f.op(OP.i32Eq)
    }
    f.op(OP.i32Eqz).get(this.#apart).op(OP.i32Or).set(this.#apart)
    f.br(this.#next)
  }

  #pushActiveCount(): void {
    this.#mask.forEach((local, i) => {
      this.e.f.get(local).simd(SIMD.i32Bitmask).op(OP.i32Popcnt)
      if (i > 0) this.e.f.op(OP.i32Add)
    })
  }

  /** Reports each wave that is not at the first wave's barrier with all of its lanes. */
  #report(): void {
    const { e, waves } = this
    const { f } = e
    const { slots } = this.plan
    const [arrived, lanes] = [f.local(I32), f.local(I32)]
    waves.loop((next) => {
      this.#frames.loadVectors(this.#mask, slots.mask)
      this.#pushActiveCount()
      f.i32(0)
      this.#loadWord(slots.place)
      f.i32(ENDED).op(OP.i32Ne)
      this.#loadWord(slots.statement)
      f.get(this.#first).op(OP.i32Eq).op(OP.i32And).op(OP.select).set(arrived)
      waves.pushLaneCount()
      f.tee(lanes).get(arrived).op(OP.i32Eq).brIf(next)
      for (const barrier of this.#barriers()) {
        f.get(this.#first).i32(barrier.statement).op(OP.i32Eq)
        f.if(() => reportBarrier(e, barrier, arrived, lanes))
      }
    })
  }

  /** One barrier for each statement that is one. */
  #barriers(): Barrier[] {
    const found = new Map<number, Barrier>()
    for (const { exit } of this.plan.blocks) {
      if (exit.kind === 'barrier' && !found.has(exit.item.statement)) found.set(exit.item.statement, exit.item)
    }
    return [...found.values()]
  }
}
