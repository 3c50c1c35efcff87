/** What bounds.ts mutates must be noticed by: programs of addresses at the edges of each kind of memory, and random ones. */
import { edgePrograms } from '../../test/support/isolation/edges.ts'
import { IsolationBench } from '../../test/support/isolation/isolate.ts'
import { MEMORY_KINDS } from '../../test/support/isolation/program.ts'
import { type Check, runChecks } from './checks.ts'

const ROUNDS = 45
const WIDTHS = [1, 2, 4] as const
const benches = WIDTHS.map((width) => new IsolationBench({ width }))

const edges = edgePrograms().map(({ name, program }): Check => ({ name, run: () => benches[0]!.run(program) }))
// Round by round through all kinds: most faults show early.
const rounds = Array.from({ length: ROUNDS }, (_, round) =>
  MEMORY_KINDS.map((kind, n): Check => {
    const bench = benches[round % WIDTHS.length]!
    return { name: `${kind}, round ${round}`, run: () => bench.trial(round * 100 + n, [kind]) }
  }),
)
await runChecks([...edges, ...rounds.flat()])
