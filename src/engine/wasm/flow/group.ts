import {
  hasLoop,
  type IfMerge,
  type Item,
  type Label,
  type Region,
  type Value,
  valuesMade,
  valuesRead,
} from '../../ir/index.ts'
import { runPartsAtOnce } from '../../next-task.ts'
import type { Emitter } from '../emit/emitter.ts'
import { emitCondition } from '../emit/scalar-ops.ts'
import { I32, type Target } from '../encode/assembler.ts'
import type { PhiInput } from './barrier-segments.ts'
import { Frames } from './frames.ts'
import type { GroupPlan } from './group-plan.ts'
import { setTogether } from './merges.ts'
import { WaveCode } from './wave.ts'
import type { Waves } from './waves.ts'

/** Emits a group whose threads meet each barrier together; `run/kernel.ts` calls it for plans of `group-plan.ts`. */

/** The code of a group whose threads meet each barrier together: parts between barriers, each a loop over the waves. */
export class GroupCode {
  readonly e: Emitter
  readonly plan: GroupPlan
  readonly waves: Waves
  readonly #frames: Frames
  readonly #ends = new Map<Label, Target>()
  /** Local: what the group's loops may still execute. Loops inside of parts count for each wave. */
  readonly #budget: number
  #part = 0
  #nextPart = 0

  constructor(e: Emitter, plan: GroupPlan, waves: Waves) {
    this.e = e
    this.plan = plan
    this.waves = waves
    this.#frames = new Frames(e, plan.values, waves)
    this.#budget = e.f.local(I32)
  }

  emit(root: Region): void {
    const { waves, plan } = this
    waves.resetBudget()
    this.e.f.get(waves.budget).set(this.#budget)
    this.e.setLook(this.#budget)
    waves.loop(() => {
      waves.clearPrivate()
      if (plan.budgetSlot !== undefined) this.#frames.storeWord(plan.budgetSlot, waves.budget)
    })
    this.#region(root)
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
        if (item.kind === 'value' && this.plan.values.available.has(item.value)) this.e.define(item.value, region)
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
        const arm = (region: Region, pick: (p: IfMerge) => Value) => (): void =>
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
          this.#ends.set(item.label, end)
          e.scope(() => {
            const ended = this.#region(item.body)
            if (item.fallthroughArgs !== undefined)
              this.#merge(
                ended,
                item.label.phis.map((p, i) => [p, item.fallthroughArgs![i]!]),
              )
          })
        })
        for (const p of item.label.phis) this.#splat(p)
        return false
      case 'loop':
        this.#merge(
          false,
          item.headerPhis.map((h) => [h.value, h.init]),
        )
        e.f.block((end) => {
          this.#ends.set(item.label, end)
          e.f.loop((again) => {
            e.scope(() => {
              for (const h of item.headerPhis) this.#splat(h.value)
              const ended = this.#region(item.body)
              this.#merge(
                ended,
                item.headerPhis.map((h) => [h.value, h.next]),
              )
              this.#chargeIteration(item)
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
        e.f.br(this.#ends.get(item.label)!)
        return true
      default:
        return false
    }
  }

  /** The vector form of a merge of the group's level; those of waves are loaded by the parts that read them. */
  #splat(v: Value): void {
    if (this.plan.values.isKept(v)) this.e.splatEarly(v)
  }

  #chargeIteration({ cost, statement }: Extract<Item, { kind: 'loop' }>): void {
    this.e.chargeIteration(this.#budget, cost, statement)
  }

  /** Merges at the group's level: scalars in locals, values of waves in their slots. Takes its part's number even unreached. */
  #merge(unreached: boolean, pairs: readonly PhiInput[]): void {
    this.#part = this.#nextPart++
    if (unreached) return
    const { e } = this
    const scalars = pairs.filter(([phi]) => this.plan.values.isKept(phi))
    const waves = pairs.filter(([phi, value]) => phi !== value && !this.plan.values.isKept(phi))
    if (waves.length > 0) {
      this.waves.loop(() => {
        const loaded = this.#frames.load(
          this.#part,
          waves.map(([, value]) => value),
        )
        this.#frames.merge(waves)
        this.#frames.forget(loaded)
      })
      e.opaque.clear()
    }
    setTogether(e, scalars)
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
    const budgetSlot = items.some(hasLoop) ? this.plan.budgetSlot : undefined
    this.waves.loop(() => {
      this.waves.findPrivate()
      const mask = this.waves.initialMask()
      if (budgetSlot !== undefined) {
        this.#frames.loadWord(budgetSlot, this.waves.budget)
        e.setLook(this.waves.budget)
      }
      const loaded = this.#frames.load(this.#part, outside)
      e.f.block((end) => runPartsAtOnce(new WaveCode(e, mask, this.waves.budget, end).items(region, items)))
      this.#frames.store(made)
      if (budgetSlot !== undefined) this.#frames.storeWord(budgetSlot, this.waves.budget)
      this.#frames.forget(loaded)
    })
    e.opaque.clear()
    this.#frames.forget(made)
  }
}
