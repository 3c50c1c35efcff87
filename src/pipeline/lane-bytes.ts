import type { QuadMemory } from '../engine/index.ts'
import type { ValueOps } from '../isa/index.ts'

/** Bytes of a quad's pixel in a column of words by pixel. */
export function laneBytesOf<V>(o: ValueOps<V>, m: QuadMemory<V>, quad = m.quad): V {
  const inQuad = o.i32Add(o.shiftLeft(m.row, o.constant(3)), o.shiftLeft(m.column, o.constant(2)))
  return o.i32Add(o.shiftLeft(quad, o.constant(4)), inQuad)
}
