import { atomicOperation } from '../../../isa/index.ts'
import type { Item, Lowered, Region } from '../../ir/index.ts'

/** Whether results depend on the order of groups, and whether groups may run twice, for `run/pipeline.ts`. */

function itemDependsOnOrder(item: Item): boolean {
  switch (item.kind) {
    case 'counter':
      return true
    case 'atomic':
      return (
        item.address.space.kind === 'buffer' &&
        (item.results.length > 0 || !atomicOperation(item.operation).commutative)
      )
    case 'texel': {
      const { atomic } = item.request
      return atomic !== undefined && (item.results.length > 0 || !atomicOperation(atomic).commutative)
    }
    case 'if':
      return regionDependsOnOrder(item.taken) || regionDependsOnOrder(item.otherwise)
    case 'block':
    case 'loop':
      return regionDependsOnOrder(item.body)
    case 'value':
    case 'load':
    case 'store':
    case 'private-load':
    case 'private-store':
    case 'filter':
    case 'stop':
    case 'report':
    case 'break':
    case 'barrier':
      return false
    default:
      return item satisfies never
  }
}

const regionDependsOnOrder = (region: Region): boolean => region.items.some(itemDependsOnOrder)

/** Whether an item leaves something else where it runs a second time. */
function changesAgain(item: Item): boolean {
  switch (item.kind) {
    case 'counter':
      return true
    case 'atomic':
      return item.address.space.kind === 'buffer'
    case 'load':
      return item.address.space.kind === 'buffer' && item.address.space.writable
    case 'texel':
      return item.request.writable && (item.request.operation === 'load' || item.request.operation === 'atomic')
    case 'if':
      return [...item.taken.items, ...item.otherwise.items].some(changesAgain)
    case 'block':
    case 'loop':
      return item.body.items.some(changesAgain)
    case 'value':
    case 'store':
    case 'private-load':
    case 'private-store':
    case 'filter':
    case 'stop':
    case 'report':
    case 'break':
    case 'barrier':
      return false
    default:
      return item satisfies never
  }
}

/**
 * Whether groups that ran in part leave the same when they run again: they write UAVs and read none. That an SRV shows
 * memory of a UAV is another question, which the bindings answer.
 */
export function isRepeatable(lowered: Lowered): boolean {
  return !lowered.root.items.some(changesAgain)
}

/**
 * Whether the order in which groups run may show in what a program without races leaves: it tests what an atomic on a UAV
 * returned, uses a hidden counter, or looks at what other groups wrote (globallycoherent).
 */
export function dependsOnGroupOrder(lowered: Lowered): boolean {
  return lowered.declarations.uavs.some((u) => u.globallyCoherent) || regionDependsOnOrder(lowered.root)
}
