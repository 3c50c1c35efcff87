import { OPS, type Value } from '../ir/index.ts'

/** Operations that look at other lanes than their own, or know which lane theirs is. */
const MOVES: ReadonlySet<Value['op']> = new Set(['quadSwizzle', 'unpackQuads', 'quadSigns', 'anyLane'])

/**
 * Whether a value is made of words of quads that are packed, and of nothing else but what is uniform; `isPacked` of its operands, undefined of
 * uniform ones. `merged` is what a merge of an if is chosen from that the whole wave takes.
 */
export function packsQuads(
  v: Value,
  isPacked: (a: Value) => boolean | undefined,
  merged: readonly Value[] | undefined,
): boolean {
  if (v.op === 'packQuads') return true
  if (v.op === 'phi') return merged?.every((a) => isPacked(a) === true) ?? false
  if (v.op === 'result' || MOVES.has(v.op)) return false
  if (OPS[v.op].variesBy !== 'operands' || v.args.length === 0) return false
  return v.args.every((a) => isPacked(a) !== false)
}
