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
import { partRunEnd } from './part-runs.ts'
import { emitCheck, emitSpeculatedRange, findSpeculatedRanges, type SpeculatedRange } from './speculation.ts'
import { unrollFactor } from './unrolling.ts'
import { emitVectorRun, findVectorRuns } from './vector-runs.ts'

/** Control flow of one wave: scalar branches where the wave agrees, masks where its lanes differ. */

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
  readonly #frames = new Map<Label, Frame>()
  readonly #enclosures: Enclosure[] = []
  /** Where to go when no lane is left, innermost last. */
  readonly #noActiveLaneTargets: Target[] = []

  constructor(e: Emitter, mask: Mask, budget: number, end: Target) {
    this.e = e
    this.mask = mask
    this.budget = budget
    this.#noActiveLaneTargets.push(end)
  }

  /** Emits the items of a region, of which the ranges to run without flushes may be `known`; answers whether its flow ends in it. */
  items(
    region: Region,
    items: readonly Item[] = region.items,
    known?: ReturnType<typeof findSpeculatedRanges>,
  ): boolean {
    const ranges = this.#isInSpeculatedRange ? undefined : (known ?? findSpeculatedRanges(this.e, items))
    const vectorRuns = findVectorRuns(this.e, items, this.mask, this.#loops > 0)
    for (let n = 0; n < items.length; n++) {
      const range = ranges?.get(n)
      if (range !== undefined) {
        this.#speculatedRange(region, items.slice(n, range.end), range)
        n = range.end - 1
        continue
      }
      const run = vectorRuns.get(n)
      if (run !== undefined && this.mask !== 'full') {
        this.e.active = this.mask
        emitVectorRun(this.e, run, this.mask)
        n = run.end - 1
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
          if (this.#if(item)) return true
          for (const p of item.phis) this.#merged(p.value)
          break
        case 'block':
          this.#block(item)
          for (const p of item.label.phis) this.#merged(p)
          break
        case 'loop':
          this.#loop(item)
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

  #isInSpeculatedRange = false
  /** Loops around the code being emitted, and the locals that stand in front of them. */
  #loops = 0
  #kept: ReadonlySet<number> = new Set()

  /** A range without effects, first without flushes. */
  #speculatedRange(region: Region, items: readonly Item[], { plan }: SpeculatedRange): void {
    this.#isInSpeculatedRange = true
    emitSpeculatedRange(this.e, items, { plan, budget: this.budget, plain: () => void this.items(region, items) })
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

  /** Sets a merge to a value, for the lanes of `mask` only where it is given. */
  #setPhi(phi: Value, value: Value, mask: Mask | undefined): void {
    const { e } = this
    if (!e.isVarying(phi)) {
      this.#pushScalar(phi, value)
      e.f.set(e.scalarLocal(phi))
      return
    }
    e.vectorLocals(phi).forEach((local, i) => {
      e.vector(value, i)
      if (mask !== undefined && mask !== 'full') e.f.get(local).get(mask[i]!).simd(SIMD.bitselect)
      else if (this.#hasOtherUses(value)) ownVector(e)
      e.f.set(local)
    })
  }

  /** Something else than the merge may read the value after it. */
  #hasOtherUses(value: Value): boolean {
    return value.op === 'constant' || !this.e.isVarying(value) || this.e.uses.of(value).length !== 1
  }

  #pushScalar(phi: Value, value: Value): void {
    const { e } = this
    if (e.scalarTypeIs(phi, 0x7d)) e.scalarF(value)
    else e.scalarI(value)
  }

  #if(item: Extract<Item, { kind: 'if' }>): boolean {
    return this.e.uniformity.level(item.condition) === VARYING ? this.#varyingIf(item) : this.#uniformIf(item)
  }

  #uniformIf(item: Extract<Item, { kind: 'if' }>): boolean {
    const { e } = this
    const stops = this.#stopsLanes(item)
    if (stops) this.#writableMask()
    const ended: boolean[] = []
    const arm = (region: Region, pick: (p: IfMerge) => Value) => (): void =>
      e.scope(() => {
        const end = this.items(region)
        ended.push(end)
        if (!end) for (const p of item.phis) this.#setPhi(p.value, pick(p), undefined)
      })
    emitCondition(e, item.condition)
    const hasElse = item.otherwise.items.length > 0 || item.phis.length > 0
    e.f.if(
      arm(item.taken, (p) => p.taken),
      hasElse ? arm(item.otherwise, (p) => p.otherwise) : undefined,
    )
    for (const p of item.phis) e.splatEarly(p.value)
    if (ended[0] === true && ended[1] === true) return true
    return false
  }

  /** Whether breaks in an item take lanes out of the mask here (branches of the whole wave do not come back). */
  #stopsLanes(item: Item): boolean {
    return [...escapesOf(item)].some((l) => this.e.uniformity.isDivergent(l))
  }

  #varyingIf(item: Extract<Item, { kind: 'if' }>): boolean {
    const { e } = this
    const { f } = e
    const stops = escapesOf(item).size > 0
    const outer = stops ? this.#writableMask() : this.mask
    const hasThen = item.taken.items.length > 0
    const hasElse = item.otherwise.items.length > 0
    if (!hasElse && outer !== 'full' && item.taken.items.at(-1)?.kind === 'break') {
      this.#earlyExitIf(item, outer)
      return false
    }
    const thenMask = this.#maskWhere(outer, item.condition, false)
    const elseMask = hasElse || stops ? this.#maskWhere(outer, item.condition, true) : undefined
    if (!hasElse) for (const p of item.phis) this.#setPhi(p.value, p.otherwise, undefined)
    const thenEnded = hasThen && this.#arm(item.taken, thenMask, item.phis, (p) => p.taken, !hasElse)
    // Without code on either side the merge is all there is; with an else its code blends over this.
    if (!hasThen) for (const p of item.phis) this.#setPhi(p.value, p.taken, hasElse ? undefined : thenMask)
    const elseEnded = hasElse && this.#arm(item.otherwise, elseMask!, item.phis, (p) => p.otherwise, true)
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
  #earlyExitIf(item: Extract<Item, { kind: 'if' }>, outer: readonly number[]): void {
    const { e } = this
    const leaving = this.#maskWhere(outer, item.condition, false)
    e.f.block((end) => {
      pushAnyActive(e, leaving)
      e.f.op(OP.i32Eqz).brIf(end)
      outer.forEach((cell, i) => {
        e.f.get(cell).get(leaving[i]!).simd(SIMD.andnot).set(cell)
      })
      e.f.block((armEnd) => {
        this.mask = leaving
        this.#noActiveLaneTargets.push(armEnd)
        this.#enclosures.push({ kind: 'arm' })
        e.scope(() => this.items(item.taken))
        this.#enclosures.pop()
        this.#noActiveLaneTargets.pop()
      })
      this.mask = outer
      this.#leaveIfIdle()
    })
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
  #arm(
    region: Region,
    mask: readonly number[],
    phis: readonly IfMerge[],
    pick: (p: IfMerge) => Value,
    blend: boolean,
  ): boolean {
    const { e } = this
    let ended = false
    const outer = this.mask
    e.f.block((end) => {
      pushAnyActive(e, mask)
      e.f.op(OP.i32Eqz).brIf(end)
      this.mask = mask
      this.#noActiveLaneTargets.push(end)
      this.#enclosures.push({ kind: 'arm' })
      e.scope(() => {
        ended = this.items(region)
        if (!ended) for (const p of phis) this.#setPhi(p.value, pick(p), blend ? mask : undefined)
      })
      this.#enclosures.pop()
      this.#noActiveLaneTargets.pop()
    })
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
      this.#setPhi(phi, args[i]!, blend)
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
  #labeled(item: Extract<Item, { kind: 'block' | 'loop' }>, emit: (end: Target) => void): void {
    const { e } = this
    // A jump out that the whole wave takes leaves no lane waiting: the mask stays what it is, on every path to here.
    const leavesFurther = this.#stopsLanes(item)
    const changes = e.uniformity.isDivergent(item.label) || leavesFurther
    const outer = leavesFurther ? this.#writableMask() : this.mask
    const out = leavesFurther ? this.#zeros() : undefined
    if (changes) this.mask = this.#copyMask()
    e.f.block((end) => {
      this.#frames.set(item.label, { label: item.label, out, end })
      this.#enclosures.push({ kind: 'label', label: item.label })
      this.#noActiveLaneTargets.push(end)
      emit(end)
      this.#noActiveLaneTargets.pop()
      this.#enclosures.pop()
    })
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

  #block(item: Extract<Item, { kind: 'block' }>): void {
    const { e } = this
    this.#labeled(item, () => {
      e.scope(() => {
        const ended = this.items(item.body)
        if (!ended && item.fallthroughArgs !== undefined) this.#arrive(item.label, item.fallthroughArgs)
      })
    })
  }

  #loop(item: Extract<Item, { kind: 'loop' }>): void {
    const { e } = this
    this.parallelSet(item.headerPhis.map((h) => [h.value, h.init]))
    const kept = this.#kept
    this.#kept = keepInvariants(e, item, this.mask, kept)
    this.#loops++
    this.#labeled(item, () => {
      e.f.loop((again) => {
        const count = unrollFactor(item)
        for (let n = 0; n < count; n++) {
          if (n > 0) e.again(valuesMade(item))
          if (this.#iteration(item)) return
        }
        this.#chargeIteration(item.cost * count, item.statement)
        e.f.br(again)
      })
    })
    this.#loops--
    this.#kept = kept
  }

  /** One n of a loop's body; answers whether its flow ends in it. */
  #iteration(item: Extract<Item, { kind: 'loop' }>): boolean {
    let ended = false
    this.e.scope(() => {
      for (const h of item.headerPhis) {
        this.e.splatEarly(h.value)
        this.#merged(h.value)
      }
      ended = this.items(item.body)
      if (!ended) this.parallelSet(item.headerPhis.map((h) => [h.value, h.next]))
    })
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

  /** Merges set from values that may be other merges of the list: all are read before any is written. */
  parallelSet(pairs: readonly (readonly [Value, Value])[]): void {
    const { e } = this
    const needed = pairs.filter(([phi, value]) => phi !== value)
    const stores: number[] = []
    for (const [phi, value] of needed) {
      if (e.isVarying(phi)) {
        e.vectorLocals(phi).forEach((local, i) => {
          e.vector(value, i)
          if (this.#hasOtherUses(value)) ownVector(e)
          stores.push(local)
        })
      } else {
        this.#pushScalar(phi, value)
        stores.push(e.scalarLocal(phi))
      }
    }
    for (let i = stores.length - 1; i >= 0; i--) e.f.set(stores[i]!)
  }
}
