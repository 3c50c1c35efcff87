import { GROUP } from '../lower/uniformity.ts'
import type { IfPhi, Item, Label, Region, Value } from '../lower/value.ts'
import { valuesMade, valuesRead } from '../lower/walk.ts'
import { F32, F64, I32, type Target, V128 } from './assembler.ts'
import { type Emitter, type Mask, STOPPED } from './emitter.ts'
import { OP, SIMD } from './opcodes.ts'
import { type GroupPlan, isPure } from './plan.ts'
import { emitCondition } from './scalar-ops.ts'
import { WaveCode } from './wave.ts'
import type { Waves } from './waves.ts'

type Pair = readonly [phi: Value, value: Value]

/** The code of a group with barriers: a list of parts between barriers, each a loop over the waves. */
export class GroupCode {
  readonly e: Emitter
  readonly plan: GroupPlan
  readonly waves: Waves
  readonly #frames = new Map<Label, Target>()
  #part = 0
  #nextPart = 0

  constructor(e: Emitter, plan: GroupPlan, waves: Waves) {
    this.e = e
    this.plan = plan
    this.waves = waves
  }

  emit(root: Region): void {
    this.waves.loop(() => {
      this.waves.clearPrivate()
      if (this.plan.maskSlot !== undefined) this.#storeMask(this.waves.initialMask())
    })
    this.waves.refuel()
    this.#region(root)
  }

  #storeMask(mask: Mask): void {
    const { e } = this
    for (let i = 0; i < e.width; i++) {
      e.f.get(this.waves.frame)
      if (mask === 'full') e.pushConstant(0xffffffff)
      else e.f.get(mask[i]!)
      e.f.simdMemory(SIMD.store, 4, this.plan.maskSlot! + i * 16)
    }
  }

  #loadMask(): Mask {
    const { e } = this
    if (this.plan.maskSlot === undefined) return this.waves.initialMask()
    return Array.from({ length: e.width }, (_, i) => {
      const local = e.f.local(V128)
      e.f
        .get(this.waves.frame)
        .simdMemory(SIMD.load, 4, this.plan.maskSlot! + i * 16)
        .set(local)
      return local
    })
  }

  #region(region: Region): boolean {
    this.#part = this.#nextPart++
    let pending: Item[] = []
    const flush = (): void => {
      if (pending.length > 0) this.#wavePart(region, pending)
      pending = []
    }
    for (const item of region.items) {
      if (!this.plan.isGroupItem(item)) {
        if (item.kind === 'value' && this.plan.available.has(item.value)) this.e.define(item.value, region)
        else pending.push(item)
        continue
      }
      flush()
      if (this.#item(item)) return true
      this.#part = this.#nextPart++
    }
    flush()
    return false
  }

  #item(item: Item): boolean {
    const { e } = this
    switch (item.kind) {
      case 'if': {
        emitCondition(e, item.condition)
        const arm = (region: Region, pick: (p: IfPhi) => Value) => (): void =>
          e.scope(() => {
            const ended = this.#region(region)
            this.#merge(
              ended,
              item.phis.map((p) => [p.value, pick(p)]),
            )
          })
        e.f.if(
          arm(item.taken, (p) => p.taken),
          arm(item.otherwise, (p) => p.otherwise),
        )
        for (const p of item.phis) this.#splat(p.value)
        return false
      }
      case 'block':
        e.f.block((end) => {
          this.#frames.set(item.label, end)
          e.scope(() => {
            const ended = this.#region(item.body)
            if (item.fall !== undefined)
              this.#merge(
                ended,
                item.label.phis.map((p, i) => [p, item.fall![i]!]),
              )
          })
        })
        for (const p of item.label.phis) this.#splat(p)
        return false
      case 'loop':
        this.#merge(
          false,
          item.heads.map((h) => [h.value, h.init]),
        )
        e.f.block((end) => {
          this.#frames.set(item.label, end)
          e.f.loop((again) => {
            e.scope(() => {
              for (const h of item.heads) this.#splat(h.value)
              const ended = this.#region(item.body)
              this.#merge(
                ended,
                item.heads.map((h) => [h.value, h.next]),
              )
              this.#burn(item)
              e.f.br(again)
            })
          })
        })
        for (const p of item.label.phis) this.#splat(p)
        return false
      case 'break':
        this.#merge(
          false,
          item.label.phis.map((p, i) => [p, item.args[i]!]),
        )
        e.f.br(this.#frames.get(item.label)!)
        return true
      default:
        return false
    }
  }

  /** The vector form of a merge of the group's level; those of waves are loaded by the parts that read them. */
  #splat(v: Value): void {
    if (this.plan.uniformity.level(v) <= GROUP) this.e.splatEarly(v)
  }

  #burn({ cost, statement }: Extract<Item, { kind: 'loop' }>): void {
    const { f } = this.e
    f.get(this.waves.fuel).i32(cost).op(OP.i32Sub).tee(this.waves.fuel).i32(0).op(OP.i32LtS)
    f.if(() => this.e.leave(STOPPED.budget, statement))
  }

  /** Merges at the group's level: scalars in locals, values of waves in their slots. Takes its part's number even unreached. */
  #merge(unreached: boolean, pairs: readonly Pair[]): void {
    this.#part = this.#nextPart++
    if (unreached) return
    const { e } = this
    const scalars = pairs.filter(([phi]) => this.plan.uniformity.level(phi) <= GROUP)
    const waves = pairs.filter(([phi, value]) => phi !== value && this.plan.uniformity.level(phi) > GROUP)
    if (waves.length > 0) {
      this.waves.loop(() => {
        this.#reload(waves.map(([, value]) => value))
        const stores: (() => void)[] = []
        for (const [phi, value] of waves) stores.push(...this.#stageStore(phi, value))
        for (const store of stores) store()
        for (const [, value] of waves) this.#forgetPart(value)
      })
      e.opaque.clear()
    }
    const wave = new WaveCode(e, 'full', this.waves.fuel, { depth: 0 }, new Set())
    wave.parallelSet(scalars)
  }

  /** Reads a value into temporary locals; what it answers stores them to the merge's slot. */
  #stageStore(phi: Value, value: Value): (() => void)[] {
    const { e } = this
    const { f } = e
    const slot = this.plan.slots.get(phi)!
    if (!e.isVarying(phi)) {
      const local = f.local(I32)
      e.scalarI(value)
      f.set(local)
      return [() => void f.get(this.waves.frame).get(local).memory(OP.i32Store, 2, slot)]
    }
    return Array.from({ length: e.width }, (_, i) => {
      const local = f.local(V128)
      e.vector(value, i)
      f.set(local)
      return () =>
        void f
          .get(this.waves.frame)
          .get(local)
          .simdMemory(SIMD.store, 4, slot + i * 16)
    })
  }

  /** Makes values of other parts available in this one: loaded from their slots, or computed again. */
  #reload(values: Iterable<Value>): Value[] {
    const brought: Value[] = []
    for (const v of values) this.#bring(v, brought)
    return brought
  }

  #bring(v: Value, brought: Value[]): void {
    const { e } = this
    if (
      v.op === 'constant' ||
      this.plan.available.has(v) ||
      this.plan.madeIn.get(v) === this.#part ||
      brought.includes(v)
    )
      return
    const slot = this.plan.slots.get(v)
    if (slot !== undefined) {
      this.#loadSlot(v, slot)
      e.opaque.add(v)
      brought.push(v)
      return
    }
    if (this.plan.uniformity.level(v) <= GROUP || !isPure(v)) return
    for (const a of v.args) this.#bring(a, brought)
    e.forget(v)
    e.compute(v)
    brought.push(v)
  }

  #loadSlot(v: Value, slot: number): void {
    const { e } = this
    const { f } = e
    if (!e.isVarying(v)) {
      f.get(this.waves.frame).memory(
        e.scalarType(v) === F64 ? OP.f64Load : e.scalarType(v) === F32 ? OP.f32Load : OP.i32Load,
        2,
        slot,
      )
      f.set(e.scalarLocal(v))
      e.splatEarly(v)
      return
    }
    e.vectorLocals(v).forEach(
      (local, i) =>
        void f
          .get(this.waves.frame)
          .simdMemory(SIMD.load, 4, slot + i * 16)
          .set(local),
    )
  }

  #storeSlot(v: Value, slot: number): void {
    const { e } = this
    const { f } = e
    f.get(this.waves.frame)
    if (!e.isVarying(v)) {
      const type = e.scalarType(v)
      f.get(e.scalarLocal(v))
      f.memory(type === F64 ? OP.f64Store : type === F32 ? OP.f32Store : OP.i32Store, 2, slot)
      return
    }
    f.op(OP.drop)
    e.vectorLocals(v).forEach(
      (local, i) =>
        void f
          .get(this.waves.frame)
          .get(local)
          .simdMemory(SIMD.store, 4, slot + i * 16),
    )
  }

  /** Values that were brought into a part are gone after it: the next wave or part has others. */
  #forgetPart(v: Value): void {
    if (!isPure(v) || v.op === 'constant' || this.plan.available.has(v) || this.plan.slots.has(v)) return
    if (this.plan.uniformity.level(v) > GROUP) this.e.forget(v)
  }

  /** Items between two barriers, for every wave of the group. */
  #wavePart(region: Region, items: readonly Item[]): void {
    const { e } = this
    const made = new Set<Value>()
    const read = new Set<Value>()
    for (const item of items) {
      for (const v of valuesMade(item)) made.add(v)
      for (const v of valuesRead(item)) read.add(v)
    }
    const outside = [...read].filter((v) => !made.has(v)).sort((a, b) => a.id - b.id)
    this.waves.loop((next) => {
      this.waves.findPrivate()
      const mask = this.#loadMask()
      if (mask !== 'full' && this.plan.maskSlot !== undefined) {
        mask.forEach((m, i) => {
          e.f.get(m)
          if (i > 0) e.f.simd(SIMD.or)
        })
        e.f.simd(SIMD.anyTrue).op(OP.i32Eqz).brIf(next)
      }
      const brought = this.#reload(outside)
      let wave: WaveCode | undefined
      e.f.block((end) => {
        wave = new WaveCode(e, mask, this.waves.fuel, end, this.plan.groupLabels)
        wave.items(region, items)
      })
      for (const v of made) {
        const slot = this.plan.slots.get(v)
        if (slot !== undefined) this.#storeSlot(v, slot)
      }
      if (this.plan.maskSlot !== undefined && wave!.mask !== 'full') this.#storeMask(wave!.mask)
      for (const v of brought) this.#forgetPart(v)
    })
    e.opaque.clear()
    for (const v of made) this.#forgetPart(v)
  }
}
