import { appendAll } from '../../diagnostic/index.ts'
import type { Region, Value } from '../ir/index.ts'

/** The inputs of merges, gathered from the items that own them; analyses that go through loops begin with this. */

/** Inputs of every merge. */
export type MergeInputs = Map<Value, Value[]>

export function collectInputs(region: Pick<Region, 'items'>, inputs: MergeInputs): void {
  const add = (phi: Value, ...values: Value[]): void => {
    const known = inputs.get(phi)
    if (known === undefined) inputs.set(phi, values)
    else appendAll(known, values)
  }
  const { items } = region
  for (let n = 0; n < items.length; n++) {
    const item = items[n]!
    if (item.kind === 'value') continue
    if (item.kind === 'if') {
      for (const p of item.phis) add(p.value, p.taken, p.otherwise)
      collectInputs(item.taken, inputs)
      collectInputs(item.otherwise, inputs)
    } else if (item.kind === 'block') {
      collectInputs(item.body, inputs)
      item.fallthroughArgs?.forEach((v, i) => void add(item.label.phis[i]!, v))
    } else if (item.kind === 'loop') {
      for (const h of item.headerPhis) add(h.value, h.init, h.next)
      collectInputs(item.body, inputs)
    } else if (item.kind === 'break') {
      item.args.forEach((v, i) => void add(item.label.phis[i]!, v))
    }
  }
}
