import { V128 } from '../encode/assembler.ts'
import type { Emitter } from './emitter.ts'

/** Four vectors of four lanes' consecutive dwords become vectors by component; only those wanted are pushed and set. */
export function transposeInto(e: Emitter, rows: readonly number[], wanted: readonly (number | undefined)[]): void {
  const { f } = e
  const [a, b, c, d] = rows as [number, number, number, number]
  const pair = (x: 0 | 2): [number, number] => {
    const [p, q] = [f.temp(V128), f.temp(V128)]
    f.get(a)
      .get(b)
      .shuffle(x, x + 4, x + 1, x + 5)
      .set(p)
    f.get(c)
      .get(d)
      .shuffle(x, x + 4, x + 1, x + 5)
      .set(q)
    return [p, q]
  }
  for (const half of [0, 2] as const) {
    const [first, second] = [wanted[half], wanted[half + 1]]
    if (first === undefined && second === undefined) continue
    const [p, q] = pair(half)
    if (first !== undefined) f.get(p).get(q).shuffle(0, 1, 4, 5).set(first)
    if (second !== undefined) f.get(p).get(q).shuffle(2, 3, 6, 7).set(second)
    f.release(V128, p, q)
  }
}
