import type { Item, Label } from '../ir/index.ts'

/** Whether an item may be run twice: nothing outside sees that it ran, and its flow ends at its own end. */
export function isRepeatable(item: Item, inside: ReadonlySet<Label> = new Set()): boolean {
  switch (item.kind) {
    case 'value':
    case 'load':
    case 'private-load':
    case 'report':
      return true
    case 'if':
      return [...item.taken.items, ...item.otherwise.items].every((i) => isRepeatable(i, inside))
    case 'block':
    case 'loop': {
      const within = new Set([...inside, item.label])
      return item.body.items.every((i) => isRepeatable(i, within))
    }
    case 'break':
      return inside.has(item.label)
    case 'store':
    case 'atomic':
    case 'counter':
    case 'private-store':
    case 'texel':
    case 'filter':
    case 'stop':
    case 'barrier':
      return false
    default:
      return item satisfies never
  }
}
