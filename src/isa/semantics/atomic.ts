import type { AtomicOperation } from '../row.ts'
import { imax, imin, umax, umin } from './integer.ts'
import type { ValueOps } from './value-ops.ts'

/**
 * The word that an atomic leaves in memory (functional specification 22.17.8 to 22.17.28). `compare` is the first value
 * of cmp-exch, `value` the second; other operations do not read `compare`. What the shader gets back is the word that
 * was in memory before.
 */
export function atomicResult<V>(
  o: ValueOps<V>,
  operation: AtomicOperation,
  memory: V,
  value: V,
  compare: V = o.constant(0),
): V {
  switch (operation) {
    case 'and':
      return o.and(memory, value)
    case 'or':
      return o.or(memory, value)
    case 'xor':
      return o.xor(memory, value)
    case 'iadd':
      return o.i32Add(memory, value)
    case 'imax':
      return imax(o, memory, value)
    case 'imin':
      return imin(o, memory, value)
    case 'umax':
      return umax(o, memory, value)
    case 'umin':
      return umin(o, memory, value)
    case 'exch':
      return value
    case 'cmp-exch':
      return o.select(o.i32Equal(memory, compare), value, memory)
    default:
      return operation satisfies never
  }
}
