import type { Item, Value } from '../ir/index.ts'

/** The inputs of merges, gathered from the items that own them; analyses that go through loops begin with this. */

/** Inputs of every merge. */
export type MergeInputs = Map<Value, Value[]>

export function collectInputs(region: { readonly items: readonly Item[] }, inputs: MergeInputs): void {
  const add = (phi: Value, value: Value): void => {
    const known = inputs.get(phi)
    if (known === undefined) inputs.set(phi, [value])
    else known.push(value)
  }
  const { items } = region
  for (let n = 0; n < items.length; n++) {
    const item = items[n]!
    if (item.kind === 'value') continue
    if (item.kind === 'if') {
      for (const p of item.phis) {
        add(p.value, p.taken)
        add(p.value, p.otherwise)
      }
      collectInputs(item.taken, inputs)
      collectInputs(item.otherwise, inputs)
    } else if (item.kind === 'block') {
      collectInputs(item.body, inputs)
      item.fallthroughArgs?.forEach((v, i) => void add(item.label.phis[i]!, v))
    } else if (item.kind === 'loop') {
      for (const h of item.headerPhis) {
        add(h.value, h.init)
        add(h.value, h.next)
      }
      collectInputs(item.body, inputs)
    } else if (item.kind === 'break') {
      item.args.forEach((v, i) => void add(item.label.phis[i]!, v))
    }
  }
}
