import { type FactFinder, isPureRegion, isRemovable } from '../analysis/index.ts'
import {
  type AccessAddress,
  Builder,
  type Check,
  type EffectItem,
  type ExpandTexel,
  type FilterTaps,
  type IfMerge,
  type Item,
  type Label,
  type LoopPhi,
  type Region,
  resultsOf,
  someItem,
  type TexelValues,
  type Value,
} from '../ir/index.ts'

/** Builds a program anew with what an analysis found of it: one round of `optimize` and `specialize`. */

/** What a dispatch fixes of a program that is finished otherwise. */
export interface DispatchFacts {
  /** Strides of bound structured views that differ from what was declared, by binding. */
  readonly strides?: ReadonlyMap<number, number> | undefined
  /** Makes code of texel operations; without it they stay as they are. */
  readonly expand?: ExpandTexel | undefined
}

/** Texel operations that may be out of bounds. */
const ACCESSES: ReadonlySet<string> = new Set(['load', 'store', 'atomic'])

/** Ifs of at most this many pure operations become selects. */
const MAX_SELECTED = 8

type If = Extract<Item, { kind: 'if' }>

const isPureIf = ({ taken, otherwise }: If): boolean => isPureRegion(taken) && isPureRegion(otherwise)

/** Whether the sides of a pure if have so few operations that it becomes a select. */
function isShortIf({ taken, otherwise }: If, isLive = (_: Value): boolean => true): boolean {
  const cost = ({ items }: Region): number =>
    items.filter((i) => i.kind === 'value' && i.value.op !== 'constant' && isLive(i.value)).length
  return cost(taken) + cost(otherwise) <= MAX_SELECTED
}

/** Whether a program that a round has built has an if that another round would leave out, choose a side of, or make a select. */
export const hasNeedlessIf = ({ items }: Region): boolean =>
  someItem(items, (item) => {
    if (item.kind !== 'if') return false
    if (item.condition.op === 'constant') return true
    return isPureIf(item) && (item.phis.length === 0 || isShortIf(item))
  })

export class Rebuilder {
  readonly to: Builder
  readonly #expand: ExpandTexel | undefined
  readonly #strides: ReadonlyMap<number, number> | undefined
  readonly #resolve: (v: Value) => Value
  readonly #live: ReadonlySet<Value>
  readonly #facts: FactFinder
  /** By the number of the old value. */
  readonly #values: (Value | undefined)[] = []
  readonly #labels = new Map<Label, Label>()
  /** Labels of the new program that something leaves to. */
  readonly #reached = new Set<Label>()
  /** A branch of the old program is none of the new one. */
  hasChangedFlow = false

  constructor(
    from: Builder,
    resolve: (v: Value) => Value,
    live: ReadonlySet<Value>,
    facts: FactFinder,
    { expand, strides }: DispatchFacts,
  ) {
    this.to = new Builder(from.options)
    this.#expand = expand
    this.#strides = strides
    this.#resolve = resolve
    this.#live = live
    this.#facts = facts
  }

  #get(v: Value): Value {
    const x = this.#values[this.#resolve(v).id]
    // Arguments of merges that are unused are not built.
    return x ?? this.to.constant(0)
  }

  #put(old: Value, value: Value): void {
    this.#values[old.id] = value
    const facts = this.#facts.found(old)
    if (facts !== undefined) this.to.addFacts(value, facts)
  }

  #isWanted = (v: Value): boolean => this.#live.has(v) && this.#resolve(v) === v

  #value(v: Value): void {
    if (!this.#live.has(v)) return
    this.to.statement = v.statement
    const args: Value[] = []
    for (let i = 0; i < v.args.length; i++) args.push(this.#get(v.args[i]!))
    // Where denormals are kept the flushes that there are belong to filters, which always flush.
    const isFlushed = v.op === 'flushDenormal' && this.to.facts(args[0]!).flushed
    const made = isFlushed ? args[0]! : this.to.make(v.op, args, v.imm)
    this.#put(v, made)
  }

  /** The stride of the view that is bound, for accesses by structure. */
  #strideOf({ space, index, stride }: AccessAddress): number {
    const bound = space.kind === 'buffer' && index !== undefined ? this.#strides?.get(space.binding) : undefined
    return bound ?? stride
  }

  #address(a: AccessAddress): AccessAddress {
    const stride = this.#strideOf(a)
    const made = { ...a, stride, index: a.index && this.#get(a.index), offset: this.#get(a.offset) }
    if (a.valid === undefined) return made
    return { ...made, valid: this.#get(a.valid), ...(a.checks && { checks: a.checks.map((c) => this.#check(c)) }) }
  }

  #check(c: Check): Check {
    const made = { ...c, bad: this.#get(c.bad), address: this.#get(c.address), limit: this.#get(c.limit) }
    if (c.texel === undefined) return made
    const named = Object.entries(c.texel).map(([name, v]) => [name, v && this.#get(v)])
    return { ...made, texel: Object.fromEntries(named) as TexelValues }
  }

  #results(results: readonly Value[]): Value[] {
    return results.map((r, i) => {
      const made = this.to.result(i)
      this.#put(r, made)
      return made
    })
  }

  #effect(item: EffectItem): void {
    if (isRemovable(item) && !resultsOf(item).some((r) => this.#live.has(r))) return
    switch (item.kind) {
      case 'load': {
        const kept = item.results.map((r, i) => [r, i] as const).filter(([r]) => this.#live.has(r))
        const components = kept.map(([, i]) => item.components[i]!)
        const address = this.#address(item.address)
        this.to.push({ ...item, address, components, results: this.#results(kept.map(([r]) => r)) })
        return
      }
      case 'store':
        this.to.push({
          ...item,
          address: this.#address(item.address),
          values: item.values.map((v) => this.#get(v)),
        })
        return
      case 'atomic': {
        const results = item.results.some((r) => this.#live.has(r)) ? this.#results(item.results) : []
        this.to.push({
          ...item,
          address: this.#address(item.address),
          value: this.#get(item.value),
          compare: item.compare && this.#get(item.compare),
          results,
        })
        return
      }
      case 'counter':
        this.to.push({ ...item, results: this.#results(item.results) })
        return
      case 'private-load':
        this.to.push({ ...item, index: this.#get(item.index), results: this.#results(item.results) })
        return
      case 'private-store':
        this.to.push({ ...item, index: this.#get(item.index), value: this.#get(item.value) })
        return
      case 'texel':
        this.#texel(item)
        return
      case 'filter': {
        const rebuilt = ({ taps, u, v }: FilterTaps): FilterTaps => ({
          taps: taps.map((t) => this.#get(t)),
          u: this.#get(u),
          v: this.#get(v),
        })
        const far = item.far && { ...rebuilt(item.far), fraction: this.#get(item.far.fraction) }
        this.to.push({ ...item, ...rebuilt(item), far, results: this.#results(item.results) })
        return
      }
      case 'stop':
        this.to.push(item)
        return
      case 'report': {
        const check = this.#check(item.check)
        if (check.bad.op !== 'constant' || check.bad.imm !== 0) this.to.push({ ...item, check })
        return
      }
      default:
        item satisfies never
        return
    }
  }

  #texel(item: Extract<EffectItem, { kind: 'texel' }>): void {
    const args = item.args.map((v) => this.#get(v))
    const wanted = item.results.map((r) => this.#live.has(r))
    const expanded = this.#expand?.(this.to, { ...item, args }, wanted)
    if (expanded === undefined) {
      // Samples and queries of what is bound find nothing wrong.
      if (this.#expand !== undefined && !wanted.includes(true) && !ACCESSES.has(item.request.operation)) return
      const results = wanted.includes(true) ? this.#results(item.results) : []
      this.to.push({ ...item, args, results })
      return
    }
    item.results.forEach((r, i) => {
      const value = expanded[i]
      if (value !== undefined) this.#put(r, value)
    })
  }

  /** Rebuilds the items of a region into the current one; answers whether its flow ends in it. */
  items(region: Region): boolean {
    const list = region.items
    for (let n = 0; n < list.length; n++) {
      const item = list[n]!
      switch (item.kind) {
        case 'value':
          this.#value(item.value)
          break
        case 'if':
          if (this.#if(item)) return true
          break
        case 'block':
          if (this.#block(item)) return true
          break
        case 'loop':
          if (this.#loop(item)) return true
          break
        case 'break': {
          const label = this.#labels.get(item.label)!
          const args = item.args.filter((_, i) => this.#isWanted(item.label.phis[i]!)).map((v) => this.#get(v))
          this.to.push({ kind: 'break', label, args })
          this.#reached.add(label)
          return true
        }
        case 'barrier':
          this.to.push(item)
          break
        default:
          this.#effect(item)
      }
    }
    return false
  }

  #if(item: If): boolean {
    const phis = item.phis.filter((p) => this.#isWanted(p.value))
    const isPure = isPureIf(item)
    if (phis.length === 0 && isPure) return false
    const condition = this.#get(item.condition)
    if (condition.op === 'constant') return this.#chosen(condition.imm !== 0, item, phis)
    if (isPure && isShortIf(item, (v) => this.#live.has(v))) {
      this.items(item.taken)
      this.items(item.otherwise)
      for (const p of phis) {
        this.#put(p.value, this.to.select(condition, this.#get(p.taken), this.#get(p.otherwise)))
      }
      return false
    }
    return this.#branch(item, condition, phis)
  }

  #chosen(holds: boolean, item: If, phis: readonly IfMerge[]): boolean {
    if (this.items(holds ? item.taken : item.otherwise)) return true
    for (const p of phis) this.#put(p.value, this.#get(holds ? p.taken : p.otherwise))
    return false
  }

  #branch(item: If, condition: Value, phis: readonly IfMerge[]): boolean {
    let ended = false
    const side = (region: Region, pick: (p: IfMerge) => Value): { region: Region; values: Value[] } => {
      let values: Value[] = []
      const made = this.to.inside(false, () => {
        ended = this.items(region)
        values = phis.map((p) => this.#get(pick(p)))
      })
      return { region: made, values }
    }
    const taken = side(item.taken, (p) => p.taken)
    if (ended) {
      // As translate has it: what follows is the other side alone, so it needs no region of its own and no merges.
      this.to.push({ kind: 'if', condition, taken: taken.region, otherwise: this.to.inside(false, () => {}), phis: [] })
      return this.#chosen(false, item, phis)
    }
    const otherwise = side(item.otherwise, (p) => p.otherwise)
    const made: IfMerge[] = phis.map((p, i) => {
      const value = this.to.phi()
      this.#put(p.value, value)
      return { value, taken: taken.values[i]!, otherwise: otherwise.values[i]! }
    })
    this.to.push({ kind: 'if', condition, taken: taken.region, otherwise: otherwise.region, phis: made })
    return false
  }

  #newLabel(old: Label): Label {
    const label: Label = { id: old.id, loop: old.loop, wholeQuads: old.wholeQuads, phis: [] }
    this.#labels.set(old, label)
    return label
  }

  #labelPhis(old: Label, made: Label): void {
    for (const p of old.phis) {
      if (!this.#isWanted(p)) continue
      const value = this.to.phi()
      this.#put(p, value)
      made.phis.push(value)
    }
  }

  /** Answers, as for loops, whether nothing goes on behind it: a condition that became constant may have cut all ways. */
  #block(item: Extract<Item, { kind: 'block' }>): boolean {
    const label = this.#newLabel(item.label)
    let fallthroughArgs: readonly Value[] | undefined
    let falls = false
    const body = this.to.inside(false, () => {
      falls = !this.items(item.body)
      if (!falls || item.fallthroughArgs === undefined) return
      fallthroughArgs = item.fallthroughArgs
        .filter((_, i) => this.#isWanted(item.label.phis[i]!))
        .map((v) => this.#get(v))
    })
    const ended = !falls && !this.#reached.has(label)
    if (!ended) this.#labelPhis(item.label, label)
    this.to.push({ kind: 'block', label, body, fallthroughArgs })
    return ended
  }

  #loop(item: Extract<Item, { kind: 'loop' }>): boolean {
    const label = this.#newLabel(item.label)
    const wanted = item.headerPhis.filter((h) => this.#isWanted(h.value))
    const inits = wanted.map((h) => this.#get(h.init))
    const headerPhis: LoopPhi[] = []
    const body = this.to.inside(true, () => {
      const values = wanted.map((h) => {
        const value = this.to.phi()
        this.#put(h.value, value)
        return value
      })
      const ended = this.items(item.body)
      wanted.forEach((h, i) => {
        headerPhis.push({ value: values[i]!, init: inits[i]!, next: ended ? values[i]! : this.#get(h.next) })
      })
    })
    const ended = !this.#reached.has(label)
    if (!ended) this.#labelPhis(item.label, label)
    this.to.push({ kind: 'loop', label, headerPhis, body, cost: item.cost, statement: item.statement })
    return ended
  }
}
