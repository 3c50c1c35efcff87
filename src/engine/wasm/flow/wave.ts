import { VARYING } from '../../analysis/index.ts'
import {
  escapesOf,
  type IfMerge,
  type Item,
  type Label,
  type Region,
  resultsOf,
  type Value,
  valuesMade,
} from '../../ir/index.ts'
import { assertLanes, assertScalar } from '../emit/assertions.ts'
import { emitEffect } from '../emit/effects.ts'
import type { Emitter } from '../emit/emitter.ts'
import { beginPlainFilter } from '../emit/filters/filter.ts'
import type { Mask } from '../emit/kernel-layout.ts'
import { pushAnyActive } from '../emit/mask.ts'
import { emitCondition } from '../emit/scalar-ops.ts'
import { pushMask } from '../emit/vector-ops.ts'
import { ownVector } from '../emit/vector-pairing.ts'
import { type Target, V128 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { keepInvariants } from './loop-invariants.ts'
import { setPhi, setTogether } from './merges.ts'
import { partRunEnd } from './part-runs.ts'
import { emitCheck, emitSpeculatedRange, findSpeculatedRanges, type SpeculatedRange } from './speculation.ts'
import { unrollFactor } from './unrolling.ts'
import { emitVectorRun, findVectorRuns } from './vector-runs.ts'

/** Control flow of one wave: scalar branches where the wave agrees, masks where its lanes differ. */

/** Items that are emitted in one part: some take a tenth of a millisecond in a new process. */
const ITEMS_OF_A_PART = 32

/** What encloses the code being emitted. */
type Enclosure = { readonly kind: 'arm' } | { readonly kind: 'label'; readonly label: Label }

interface Frame {
  readonly label: Label
  /** Lanes that jumped to this label, if a later mask depends on it. */
  readonly out: readonly number[] | undefined
  readonly end: Target
}

export class WaveCode {
  readonly e: Emitter
  /** Active lanes. Locals are a cell: code that stops lanes writes to them. */
  mask: Mask
  /** Local that counts down what loops may still execute. */
  readonly budget: number
  /** Items emitted so far. */
  #count = 0
  readonly #frames = new Map<Label, Frame>()
  readonly #enclosures: Enclosure[] = []
  /** Where to go when no lane is left, innermost last. */
  readonly #noActiveLaneTargets: Target[] = []
  #isInSpeculatedRange = false
  /** Loops around the code being emitted, and the locals that stand in front of them. */
  #loops = 0
  #kept: ReadonlySet<number> = new Set()

  constructor(e: Emitter, mask: Mask, budget: number, end: Target) {
    this.e = e
    this.mask = mask
    this.budget = budget
    this.#noActiveLaneTargets.push(end)
  }

  /** Emits the items of a region, in parts, of which the ranges to run without flushes may be `known`; answers whether its flow ends in it. */
  *items(
    region: Region,
    items: readonly Item[] = region.items,
    known?: ReadonlyMap<number, SpeculatedRange>,
  ): Generator<void, boolean> {
    const ranges = this.#isInSpeculatedRange ? undefined : (known ?? (yield* findSpeculatedRanges(this.e, items)))
    const vectorRuns = findVectorRuns(this.e, items, this.mask, this.#loops > 0)
    for (let n = 0; n < items.length; n++) {
      if (++this.#count % ITEMS_OF_A_PART === 0) yield
      const range = ranges?.get(n)
      if (range !== undefined) {
        yield* this.#speculatedRange(region, items.slice(n, range.end), range)
        n = range.end - 1
        continue
      }
      const run = vectorRuns.get(n)
      if (run !== undefined && this.mask !== 'full') {
        this.e.active = this.mask
        emitVectorRun(this.e, run, this.mask)
        n = run.end - 1
        yield
        continue
      }
      const item = items[n]!
      const end = partRunEnd(this.e, items, n)
      if (end !== undefined) {
        this.#byParts(region, items.slice(n, end))
        n = end - 1
        continue
      }
      switch (item.kind) {
        case 'value':
          this.e.active = this.mask
          this.e.define(item.value, region)
          emitCheck(this.e, item.value)
          if (this.e.hasVector(item.value)) this.#assert(item.value)
          break
        case 'if':
          if (yield* this.#if(item)) return true
          for (const p of item.phis) this.#merged(p.value)
          break
        case 'block':
          yield* this.#block(item)
          for (const p of item.label.phis) this.#merged(p)
          break
        case 'loop':
          yield* this.#loop(item)
          for (const p of item.label.phis) this.#merged(p)
          break
        case 'break':
          this.#break(item.label, item.args)
          return true
        case 'barrier':
          break
        default:
          emitEffect(this.e, item, this.mask)
          for (const r of resultsOf(item)) this.#merged(r)
      }
    }
    return false
  }

  /** Items for one vector of the wave after the other. */
  #byParts(region: Region, items: readonly Item[]): void {
    const values = items.flatMap((item) => (item.kind === 'value' ? [item.value] : []))
    this.e.byParts(values, (part) => {
      let finish = (): void => {}
      for (const item of items) {
        this.e.active = this.mask
        if (item.kind === 'value') this.e.define(item.value, region)
        else if (item.kind === 'load') emitEffect(this.e, item, this.mask)
        else if (item.kind === 'filter') finish = beginPlainFilter(this.e, item, part)
      }
      return finish
    })
  }

  #assert(v: Value): void {
    this.e.active = this.mask
    if (this.e.isVarying(v)) assertLanes(this.e, v)
    else assertScalar(this.e, v)
  }

  /** What is looked at of a merge or a result once it is there. */
  #merged(v: Value): void {
    emitCheck(this.e, v)
    this.#assert(v)
  }

  /** A range without effects, first without flushes. */
  *#speculatedRange(region: Region, items: readonly Item[], { plan }: SpeculatedRange): Generator<void, void> {
    this.#isInSpeculatedRange = true
    yield* emitSpeculatedRange(this.e, items, { plan, budget: this.budget, plain: () => this.items(region, items) })
    this.#isInSpeculatedRange = false
  }

  /** Locals that hold the mask and may be changed. */
  #writableMask(): readonly number[] {
    if (this.mask !== 'full') return this.mask
    this.mask = this.#copyMask()
    return this.mask
  }

  /** New locals with what `push` pushes for each vector. */
  #newMask(push: (i: number) => void): readonly number[] {
    const { e } = this
    return Array.from({ length: e.width }, (_, i) => {
      const local = e.f.local(V128)
      push(i)
      ownVector(e)
      e.f.set(local)
      return local
    })
  }

  #copyMask(): readonly number[] {
    const { e, mask } = this
    return this.#newMask((i) => void (mask === 'full' ? e.pushConstant(0xffffffff) : e.f.get(mask[i]!)))
  }

  #zeros(): readonly number[] {
    return this.#newMask(() => this.e.pushConstant(0))
  }

  /** Leaves for the innermost place where lanes may wait, if none is active here. */
  #leaveIfIdle(): void {
    if (this.mask === 'full') return
    pushAnyActive(this.e, this.mask)
    this.e.f.op(OP.i32Eqz).brIf(this.#noActiveLaneTargets[this.#noActiveLaneTargets.length - 1]!)
  }

  #if(item: Extract<Item, { kind: 'if' }>): Generator<void, boolean> {
    return this.e.uniformity.level(item.condition) === VARYING ? this.#varyingIf(item) : this.#uniformIf(item)
  }

  *#uniformIf(item: Extract<Item, { kind: 'if' }>): Generator<void, boolean> {
    const { e } = this
    const stops = this.#stopsLanes(item)
    if (stops) this.#writableMask()
    emitCondition(e, item.condition)
    const hasElse = item.otherwise.items.length > 0 || item.phis.length > 0
    e.f.begin('if')
    const takenEnds = yield* this.#uniformArm(item.taken, item.phis, (p) => p.taken)
    let otherwiseEnds = false
    if (hasElse) {
      e.f.else()
      otherwiseEnds = yield* this.#uniformArm(item.otherwise, item.phis, (p) => p.otherwise)
    }
    e.f.end()
    for (const p of item.phis) e.splatEarly(p.value)
    return takenEnds && otherwiseEnds
  }

  *#uniformArm(region: Region, phis: readonly IfMerge[], pick: (p: IfMerge) => Value): Generator<void, boolean> {
    this.e.beginScope()
    const ended = yield* this.items(region)
    if (!ended) for (const p of phis) setPhi(this.e, p.value, pick(p), undefined)
    this.e.endScope()
    return ended
  }

  /** Whether breaks in an item take lanes out of the mask here (branches of the whole wave do not come back). */
  #stopsLanes(item: Item): boolean {
    return [...escapesOf(item)].some((l) => this.e.uniformity.isDivergent(l))
  }

  *#varyingIf(item: Extract<Item, { kind: 'if' }>): Generator<void, boolean> {
    const { e } = this
    const { f } = e
    const stops = escapesOf(item).size > 0
    const outer = stops ? this.#writableMask() : this.mask
    const hasThen = item.taken.items.length > 0
    const hasElse = item.otherwise.items.length > 0
    if (!hasElse && outer !== 'full' && item.taken.items.at(-1)?.kind === 'break') {
      yield* this.#earlyExitIf(item, outer)
      return false
    }
    const thenMask = this.#maskWhere(outer, item.condition, false)
    const elseMask = hasElse || stops ? this.#maskWhere(outer, item.condition, true) : undefined
    if (!hasElse) for (const p of item.phis) setPhi(this.e, p.value, p.otherwise, undefined)
    const thenEnded = hasThen && (yield* this.#arm(item.taken, thenMask, item.phis, (p) => p.taken, !hasElse))
    // Without code on either side the merge is all there is; with an else its code blends over this.
    if (!hasThen) for (const p of item.phis) setPhi(this.e, p.value, p.taken, hasElse ? undefined : thenMask)
    const elseEnded = hasElse && (yield* this.#arm(item.otherwise, elseMask!, item.phis, (p) => p.otherwise, true))
    this.mask = outer
    if (!stops || outer === 'full') return false
    const left = [...(thenEnded ? [] : [thenMask]), ...(elseEnded || elseMask === undefined ? [] : [elseMask])]
    outer.forEach((cell, i) => {
      if (left.length === 0) e.pushConstant(0)
      left.forEach((m, n) => {
        f.get(m[i]!)
        if (n > 0) f.simd(SIMD.or)
      })
      if (left.length < 2) ownVector(e)
      f.set(cell)
    })
    this.#leaveIfIdle()
    return left.length === 0
  }

  /** An if whose lanes all leave: while none does, it costs a test. */
  *#earlyExitIf(item: Extract<Item, { kind: 'if' }>, outer: readonly number[]): Generator<void, void> {
    const { e } = this
    const leaving = this.#maskWhere(outer, item.condition, false)
    const end = e.f.begin('block')
    pushAnyActive(e, leaving)
    e.f.op(OP.i32Eqz).brIf(end)
    outer.forEach((cell, i) => {
      e.f.get(cell).get(leaving[i]!).simd(SIMD.andnot).set(cell)
    })
    this.#beginArm(leaving, e.f.begin('block'))
    yield* this.items(item.taken)
    this.#endArm()
    e.f.end()
    this.mask = outer
    this.#leaveIfIdle()
    e.f.end()
  }

  /** What is emitted up to `#endArm` runs for the lanes of a mask; where none is left, it goes on at `end`. */
  #beginArm(mask: readonly number[], end: Target): void {
    this.mask = mask
    this.#noActiveLaneTargets.push(end)
    this.#enclosures.push({ kind: 'arm' })
    this.e.beginScope()
  }

  #endArm(): void {
    this.e.endScope()
    this.#enclosures.pop()
    this.#noActiveLaneTargets.pop()
  }

  /** The lanes of a mask where a condition holds, or where it does not. */
  #maskWhere(mask: Mask, condition: Value, complement: boolean): readonly number[] {
    const { e } = this
    return Array.from({ length: e.width }, (_, i) => {
      const local = e.f.local(V128)
      if (mask !== 'full') e.f.get(mask[i]!)
      pushMask(e, condition, i)
      if (mask !== 'full') e.f.simd(complement ? SIMD.andnot : SIMD.and)
      else if (complement) e.f.simd(SIMD.not)
      e.f.set(local)
      return local
    })
  }

  /** One side of an if of lanes; skipped when none takes it. */
  *#arm(
    region: Region,
    mask: readonly number[],
    phis: readonly IfMerge[],
    pick: (p: IfMerge) => Value,
    blend: boolean,
  ): Generator<void, boolean> {
    const { e } = this
    const outer = this.mask
    const end = e.f.begin('block')
    pushAnyActive(e, mask)
    e.f.op(OP.i32Eqz).brIf(end)
    this.#beginArm(mask, end)
    const ended = yield* this.items(region)
    if (!ended) for (const p of phis) setPhi(this.e, p.value, pick(p), blend ? mask : undefined)
    this.#endArm()
    e.f.end()
    this.mask = outer
    return ended
  }

  /** Every lane that is alive inside the label is active here, so that a branch may take them all. */
  #takesAll(label: Label): boolean {
    for (let i = this.#enclosures.length - 1; i >= 0; i--) {
      const x = this.#enclosures[i]!
      if (x.kind === 'arm') return false
      if (x.label === label) return true
      if (this.e.uniformity.isDivergent(x.label)) return false
    }
    return true
  }

  /** Takes the active lanes to the end of a label: what is merged there, and that they came. */
  #arrive(label: Label, args: readonly Value[]): void {
    const { e } = this
    const blend = e.uniformity.isDivergent(label) ? this.mask : undefined
    label.phis.forEach((phi, i) => {
      setPhi(this.e, phi, args[i]!, blend)
    })
    this.#frames.get(label)?.out?.forEach((local, i) => {
      e.f.get(local)
      if (this.mask === 'full') e.pushConstant(0xffffffff)
      else e.f.get(this.mask[i]!)
      e.f.simd(SIMD.or).set(local)
    })
  }

  #break(label: Label, args: readonly Value[]): void {
    const { e } = this
    const frame = this.#frames.get(label)
    this.#arrive(label, args)
    if (frame !== undefined && this.#takesAll(label)) {
      e.f.br(frame.end)
      return
    }
    for (const cell of this.#writableMask()) {
      e.pushConstant(0)
      ownVector(e)
      e.f.set(cell)
    }
    e.f.br(this.#noActiveLaneTargets[this.#noActiveLaneTargets.length - 1]!)
  }

  /** Runs a body whose label is known, with a mask cell of its own where lanes may leave it. */
  *#labeled(item: Extract<Item, { kind: 'block' | 'loop' }>, emit: () => Generator<void, void>): Generator<void, void> {
    const { e } = this
    // A jump out that the whole wave takes leaves no lane waiting: the mask stays what it is, on every path to here.
    const leavesFurther = this.#stopsLanes(item)
    const changes = e.uniformity.isDivergent(item.label) || leavesFurther
    const outer = leavesFurther ? this.#writableMask() : this.mask
    const out = leavesFurther ? this.#zeros() : undefined
    if (changes) this.mask = this.#copyMask()
    const end = e.f.begin('block')
    this.#frames.set(item.label, { label: item.label, out, end })
    this.#enclosures.push({ kind: 'label', label: item.label })
    this.#noActiveLaneTargets.push(end)
    yield* emit()
    this.#noActiveLaneTargets.pop()
    this.#enclosures.pop()
    e.f.end()
    this.#frames.delete(item.label)
    this.mask = outer
    for (const phi of item.label.phis) e.splatEarly(phi)
    if (out === undefined || outer === 'full') return
    outer.forEach((cell, i) => {
      e.f.get(out[i]!)
      ownVector(e)
      e.f.set(cell)
    })
    this.#leaveIfIdle()
  }

  #block(item: Extract<Item, { kind: 'block' }>): Generator<void, void> {
    return this.#labeled(item, () => this.#blockBody(item))
  }

  *#blockBody({ body, label, fallthroughArgs }: Extract<Item, { kind: 'block' }>): Generator<void, void> {
    this.e.beginScope()
    const ended = yield* this.items(body)
    if (!ended && fallthroughArgs !== undefined) this.#arrive(label, fallthroughArgs)
    this.e.endScope()
  }

  *#loop(item: Extract<Item, { kind: 'loop' }>): Generator<void, void> {
    const { e } = this
    setTogether(
      this.e,
      item.headerPhis.map((h) => [h.value, h.init]),
    )
    const kept = this.#kept
    this.#kept = keepInvariants(e, item, this.mask, kept)
    this.#loops++
    yield* this.#labeled(item, () => this.#loopBody(item))
    this.#loops--
    this.#kept = kept
  }

  *#loopBody(item: Extract<Item, { kind: 'loop' }>): Generator<void, void> {
    const { e } = this
    const again = e.f.begin('loop')
    const count = unrollFactor(item)
    let ended = false
    for (let n = 0; n < count && !ended; n++) {
      if (n > 0) e.again(valuesMade(item))
      ended = yield* this.#iteration(item)
    }
    if (!ended) {
      this.#chargeIteration(item.cost * count, item.statement)
      e.f.br(again)
    }
    e.f.end()
  }

  /** One iteration of a loop's body; answers whether its flow ends in it. */
  *#iteration(item: Extract<Item, { kind: 'loop' }>): Generator<void, boolean> {
    this.e.beginScope()
    for (const h of item.headerPhis) {
      this.e.splatEarly(h.value)
      this.#merged(h.value)
    }
    const ended = yield* this.items(item.body)
    if (!ended)
      setTogether(
        this.e,
        item.headerPhis.map((h) => [h.value, h.next]),
      )
    this.e.endScope()
    return ended
  }

  #chargeIteration(cost: number, statement: number): void {
    // Loops of programs of quads end by themselves.
    if (cost === 0) return
    const { f, fastPath } = this.e
    if (fastPath === undefined) {
      this.e.chargeIteration(this.budget, cost, statement)
      return
    }
    f.get(this.budget).i32(cost).op(OP.i32Sub).tee(this.budget).i32(0).op(OP.i32LtS)
    f.if(() => void f.br(fastPath.endless))
  }
}
