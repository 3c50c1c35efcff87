import type { Pair, ValueOps } from '../../isa/index.ts'

/** Numbers as constants of programs. */

export const floatWord = <V>(o: ValueOps<V>, value: number): V =>
  o.constant(new Uint32Array(new Float32Array([value]).buffer)[0]!)

export function doubleWords<V>(o: ValueOps<V>, value: number): Pair<V> {
  const [low, high] = new Uint32Array(new Float64Array([value]).buffer)
  return [o.constant(low!), o.constant(high!)]
}
