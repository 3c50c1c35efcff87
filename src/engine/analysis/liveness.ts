import { appendAll } from '../../diagnostic/index.ts'
import {
  type EffectItem,
  type Item,
  isAlwaysValid,
  operandsOf,
  type Region,
  resultsOf,
  type Value,
} from '../ir/index.ts'
import type { MergeInputs } from './merge-inputs.ts'

/** Which values something observable depends on; `optimize` drops the others. */

export const isPureRegion = (region: Region): boolean => region.items.every((i) => i.kind === 'value')

/** Values that something observable depends on. */
export class Liveness {
  readonly live = new Set<Value>()
  readonly #inputs: MergeInputs
  readonly #resolve: (v: Value) => Value
  readonly #conditions = new Map<Value, Value>()
  readonly #effects = new Map<Value, EffectItem>()

  constructor(inputs: MergeInputs, resolve: (v: Value) => Value) {
    this.#inputs = inputs
    this.#resolve = resolve
  }

  mark(value: Value): void {
    const stack = [value]
    for (let v = stack.pop(); v !== undefined; v = stack.pop()) {
      const x = this.#resolve(v)
      if (this.live.has(x)) continue
      this.live.add(x)
      for (let i = 0; i < x.args.length; i++) stack.push(x.args[i]!)
      if (x.op === 'phi' || x.op === 'result') this.#addInputs(x, stack)
    }
  }

  /** What a merge or a result brings with it. */
  #addInputs(x: Value, stack: Value[]): void {
    const inputs = this.#inputs.get(x)
    if (inputs !== undefined) appendAll(stack, inputs)
    const condition = this.#conditions.get(x)
    if (condition !== undefined) stack.push(condition)
    const effect = this.#effects.get(x)
    if (effect !== undefined) appendAll(stack, operandsOf(effect))
  }

  /** Makes known what a merge or result brings with it. */
  prepare(region: Region): void {
    const { items } = region
    for (let n = 0; n < items.length; n++) {
      const item = items[n]!
      if (item.kind === 'value') continue
      const results = resultsOf(item)
      for (let r = 0; r < results.length; r++) this.#effects.set(results[r]!, item as EffectItem)
      if (item.kind === 'if') {
        for (const p of item.phis) this.#conditions.set(p.value, item.condition)
        this.prepare(item.taken)
        this.prepare(item.otherwise)
      } else if (item.kind === 'block' || item.kind === 'loop') this.prepare(item.body)
    }
  }

  roots(region: Region): void {
    const { items } = region
    for (let n = 0; n < items.length; n++) {
      const item = items[n]!
      if (item.kind === 'value' || isRemovable(item)) continue
      if (item.kind === 'if') {
        if (!isPureRegion(item.taken) || !isPureRegion(item.otherwise)) this.mark(item.condition)
        this.roots(item.taken)
        this.roots(item.otherwise)
      } else if (item.kind === 'block' || item.kind === 'loop') this.roots(item.body)
      else if (item.kind !== 'break' && item.kind !== 'barrier') {
        const operands = operandsOf(item)
        for (let i = 0; i < operands.length; i++) this.mark(operands[i]!)
      }
    }
  }
}

/** An effect that is only its results. Other loads may be out of bounds, which is reported even when the result is unused. */
export function isRemovable(item: Item): boolean {
  if (item.kind === 'load') return isAlwaysValid(item.address)
  return item.kind === 'private-load' || item.kind === 'filter'
}
