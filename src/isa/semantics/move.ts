import type { Semantics } from '../row.ts'
import { selectPair } from './double.ts'
import { type Pair, type ValueOps, wordsOf } from './value-ops.ts'

/** Moves (functional specification 22.9, 22.16): bits stay as they are, denormals and NaN payloads too. */

export function mov<V>(_o: ValueOps<V>, a: V): V {
  return a
}

export function movc<V>(o: ValueOps<V>, condition: V, a: V, b: V): V {
  return o.select(condition, a, b)
}

export const swapc: Semantics = (o, s) => {
  const [condition, a, b] = [s[0]!, s[1]!, s[2]!]
  return [o.select(condition, b, a), o.select(condition, a, b)]
}

export function dmov<V>(_o: ValueOps<V>, a: Pair<V>): Pair<V> {
  return a
}

/** Words of one pair: the condition, two of src1, two of src2. */
export const dmovc: Semantics = (o, s) => wordsOf(selectPair(o, s[0]!, [s[1]!, s[2]!], [s[3]!, s[4]!]))
