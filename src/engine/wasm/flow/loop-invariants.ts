import { type Item, type Value, valuesMade, valuesRead } from '../../ir/index.ts'
import type { Emitter } from '../emit/emitter.ts'
import type { Mask } from '../emit/kernel-layout.ts'

/**
 * Vectors that a loop reads and does not change. V8 computes a pure operation where it is used, even inside of a loop, and takes it out again
 * only where every way out of the loop comes behind it: not where a loop is left at its top or what uses the value stands in an `if`. A
 * merge stays where it is, so in front of the loop such vectors are merged with zeros that a branch always passes by, which V8 does not know.
 */

/** How many vectors were kept in front of loops in this process. */
export const invariantCounts = { vectors: 0 }

/** Merges are where they are already, and inputs are loads, which V8 does not move into loops. */
const isFixed = (v: Value): boolean => v.op === 'phi' || v.op === 'input'

/** Locals of the vectors that a value has: of lanes, or of a scalar that is there as a vector. */
function localsOf(e: Emitter, v: Value): readonly number[] {
  if (e.isVarying(v)) return isFixed(v) ? [] : (e.vectors.find(v) ?? [])
  const splat = e.knownSplat(v)
  return splat === undefined ? [] : [splat]
}

/** Keeps what a loop reads of the code before it in front of it; answers the locals that are kept so, with those of the loops around it. */
export function keepInvariants(
  e: Emitter,
  loop: Extract<Item, { kind: 'loop' }>,
  mask: Mask,
  kept: ReadonlySet<number>,
): ReadonlySet<number> {
  // Programs of quads test the conditions of their loops at the end; where pairs are packed a merge of each vector costs more than it saves.
  if (loop.cost === 0 || e.settings.pairs) return kept
  const made = new Set(valuesMade(loop))
  const locals = new Set<number>(mask === 'full' ? [] : mask)
  for (const v of new Set(valuesRead(loop))) {
    if (!made.has(v)) for (const local of localsOf(e, v)) locals.add(local)
  }
  const added = [...locals].filter((local) => !kept.has(local))
  if (added.length === 0) return kept
  invariantCounts.vectors += added.length
  e.f.block((end) => {
    e.f.get(e.scratch).brIf(end)
    for (const local of added) {
      e.pushConstant(0)
      e.f.set(local)
    }
  })
  return new Set([...kept, ...added])
}
