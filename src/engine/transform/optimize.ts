import { collectInputs, FactFinder, Liveness, type MergeInputs } from '../analysis/index.ts'
import { type Lowered, passed, type Value } from '../ir/index.ts'
import { delayFilters } from './delay-filters.ts'
import { type DispatchFacts, hasNeedlessIf, Rebuilder } from './rebuild.ts'

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

/** The merges of a program, and those that are always one value. */
interface Merges {
  readonly inputs: MergeInputs
  readonly replaced: ReadonlyMap<Value, Value>
}

function mergesOf({ root }: Lowered): Merges {
  const inputs: MergeInputs = new Map()
  collectInputs(root, inputs)
  return { inputs, replaced: findTrivial(inputs) }
}

/** One round: merges of one value resolved, dead values dropped, the rest built anew with what is known of it. */
function* round(lowered: Lowered, { inputs, replaced }: Merges, facts: DispatchFacts): Generator<void, Lowered> {
  const resolve = (v: Value): Value => replaced.get(v) ?? v
  const liveness = new Liveness(inputs, resolve)
  liveness.prepare(lowered.root)
  liveness.roots(lowered.root)
  yield
  const found = new FactFinder(lowered.builder, inputs, resolve, liveness.live)
  found.run(lowered.root)
  yield
  const rebuilder = new Rebuilder(lowered.builder, resolve, liveness.live, found, facts)
  rebuilder.items(lowered.root)
  return passed({ ...lowered, builder: rebuilder.to, root: rebuilder.to.root }, 'a round of rebuilding')
}

/** Rounds until nothing is expected to change any more. */
const MAX_ROUNDS = 4

/**
 * Rounds go on while the last has left something for another: merges of one value, which may make others equal, or branches that became so
 * short that they are selects. In most programs it has left neither, and one more round would take a tenth of all that compiling one takes.
 */
function* rounds(lowered: Lowered, facts: DispatchFacts): Generator<void, Lowered> {
  let merges = mergesOf(lowered)
  yield
  let made = yield* round(lowered, merges, facts)
  for (let n = 1; n < MAX_ROUNDS; n++) {
    yield
    merges = mergesOf(made)
    if (merges.replaced.size === 0 && !hasNeedlessIf(made.root)) break
    made = yield* round(made, merges, {})
  }
  return made
}

/** The program with nothing superfluous, a pass at a time: those of a long program take tens of milliseconds in a new process. */
export const optimize = (lowered: Lowered): Generator<void, Lowered> => rounds(lowered, {})

/** The program for the views of a dispatch: with their strides, and with texel operations expanded for their formats. */
export function* specialize(lowered: Lowered, facts: DispatchFacts): Generator<void, Lowered> {
  const made = yield* rounds(lowered, facts)
  if (facts.expand !== undefined) delayFilters(made.root)
  return passed(made, 'filters delayed')
}
