import { collectInputs, FactFinder, Liveness, type MergeInputs } from '../analysis/index.ts'
import { type Lowered, passed, type Value } from '../ir/index.ts'
import { delayFilters } from './delay-filters.ts'
import { type DispatchFacts, Rebuilder } from './rebuild.ts'

/** The two passes over whole programs, for a program alone and for what a dispatch binds; engines call them. */

/** Merges that are always one value that is visible where they stand. */
function findTrivial(inputs: MergeInputs): Map<Value, Value> {
  const replaced = new Map<Value, Value>()
  const resolve = (v: Value): Value => {
    let x = v
    for (let next = replaced.get(x); next !== undefined; next = replaced.get(x)) x = next
    return x
  }
  for (let changed = true; changed; ) {
    changed = false
    for (const [phi, values] of inputs) {
      if (replaced.has(phi)) continue
      let single: Value | undefined
      const isTrivial = values.every((v) => {
        const x = resolve(v)
        if (x === phi || x === single) return true
        if (single !== undefined) return false
        single = x
        return true
      })
      // A value of a loop's inside differs by thread after threads left in different iterations: it keeps its merge.
      if (!isTrivial || single === undefined || single.region.depth > phi.region.depth) continue
      replaced.set(phi, single)
      changed = true
    }
  }
  for (const phi of [...replaced.keys()]) replaced.set(phi, resolve(phi))
  return replaced
}

/** A program after a round, and whether another round may find more. */
interface Round {
  readonly made: Lowered
  readonly mayGoOn: boolean
}

/** One round: merges of one value resolved, dead values dropped, the rest built anew with what is known of it. */
function round(lowered: Lowered, facts: DispatchFacts = {}): Round {
  const inputs: MergeInputs = new Map()
  collectInputs(lowered.root, inputs)
  const replaced = findTrivial(inputs)
  const resolve = (v: Value): Value => replaced.get(v) ?? v
  const liveness = new Liveness(inputs, resolve)
  liveness.prepare(lowered.root)
  liveness.roots(lowered.root)
  const found = new FactFinder(lowered.builder, inputs, resolve, liveness.live)
  found.run(lowered.root)
  const rebuilder = new Rebuilder(lowered.builder, resolve, liveness.live, found, facts)
  rebuilder.items(lowered.root)
  const made = passed({ ...lowered, builder: rebuilder.to, root: rebuilder.to.root }, 'a round of rebuilding')
  return { made, mayGoOn: replaced.size > 0 || rebuilder.hasChangedFlow }
}

/** Rounds until nothing is expected to change any more. */
const MAX_ROUNDS = 4

/**
 * The program with nothing superfluous. Merges that one round resolves let the next find equal and invariant values, and
 * what moved out of an if may leave so little that it becomes a select: rounds go on while the code gets shorter. Where a round has
 * resolved no merge and taken no branch away, as in three programs of four, the next would make the same once more.
 */
export function optimize(lowered: Lowered): Lowered {
  let made = lowered
  for (let n = 0; n < MAX_ROUNDS; n++) {
    const before = made.builder.valueCount
    const next = round(made)
    made = next.made
    if (!next.mayGoOn || made.builder.valueCount === before) break
  }
  return made
}

/** The program for the views of a dispatch: with their strides, and with texel operations expanded for their formats. */
export function specialize(lowered: Lowered, facts: DispatchFacts): Lowered {
  const { made } = round(round(lowered, facts).made)
  if (facts.expand !== undefined) delayFilters(made.root)
  return passed(made, 'filters delayed')
}
