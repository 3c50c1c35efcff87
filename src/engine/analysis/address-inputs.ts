import { appendAll } from '../../diagnostic/index.ts'
import { itemsBelow, OPS, operandsOf, type Region, type Value } from '../ir/index.ts'
import { collectInputs, type MergeInputs } from './merge-inputs.ts'

/**
 * Values that the addresses of accesses and the branches of whole waves depend on. Lanes that do not run have words too, and accesses are made
 * for them: what is known of an address is known of the words that the program gives them. So code may leave out other values
 * where no lane runs, but not these. What an arm is chosen by is not among them: lanes that do not run take none.
 */
export function findAddressInputs(root: Region): ReadonlySet<Value> {
  const inputs: MergeInputs = new Map()
  collectInputs(root, inputs)
  const stack: Value[] = []
  for (const item of itemsBelow(root.items)) {
    if (item.kind === 'value') {
      if (OPS[item.value.op].isOfWave) stack.push(item.value)
    } else if (item.kind === 'store') {
      // Only lanes that run store.
      appendAll(stack, operandsOf({ ...item, values: [] }))
    } else if (
      item.kind !== 'if' &&
      item.kind !== 'block' &&
      item.kind !== 'loop' &&
      item.kind !== 'break' &&
      item.kind !== 'barrier'
    ) {
      appendAll(stack, operandsOf(item))
    }
  }
  const found = new Set<Value>()
  for (let v = stack.pop(); v !== undefined; v = stack.pop()) {
    if (found.has(v)) continue
    found.add(v)
    appendAll(stack, v.args)
    appendAll(stack, inputs.get(v) ?? [])
  }
  return found
}
