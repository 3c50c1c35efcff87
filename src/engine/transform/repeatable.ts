import type { Item, Label } from '../ir/index.ts'

const NO_LABELS: ReadonlySet<Label> = new Set()

/** Whether an item may be run twice: nothing outside sees that it ran, and its flow ends at its own end. */
export function isRepeatable(item: Item, inside: ReadonlySet<Label> = NO_LABELS): boolean {
  switch (item.kind) {
    case 'value':
    case 'load':
    case 'private-load':
    case 'report':
      return true
    case 'if':
      return areRepeatable(item.taken.items, inside) && areRepeatable(item.otherwise.items, inside)
    case 'block':
    case 'loop': {
      return areRepeatable(item.body.items, new Set([...inside, item.label]))
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

function areRepeatable(items: readonly Item[], inside: ReadonlySet<Label>): boolean {
  for (let n = 0; n < items.length; n++) if (!isRepeatable(items[n]!, inside)) return false
  return true
}
