/** The test program of bounds-mutants.ts: programs of addresses of each kind of memory, up to the first that shows a fault. */
import { edgePrograms } from '../test/support/isolation/edges.ts'
import { IsolationBench } from '../test/support/isolation/isolate.ts'
import { MEMORY_KINDS } from '../test/support/isolation/program.ts'

const ROUNDS = 45
const WIDTHS = [1, 2, 4] as const
const benches = WIDTHS.map((width) => new IsolationBench({ width }))
/** Ends the process where something is wrong. */
function judge(what: string, wrong: string | undefined): void {
  if (wrong === undefined) return
  console.log(`${what}: ${wrong}`)
  process.exit(1)
}

for (const { name, program } of edgePrograms())
  judge(name, await benches[0]!.run(program).catch((e: unknown) => String(e)))
// Round by round through all kinds: most faults show early.
for (let round = 0; round < ROUNDS; round++) {
  for (const [n, kind] of MEMORY_KINDS.entries()) {
    const bench = benches[round % WIDTHS.length]!
    judge(`${kind}, round ${round}`, await bench.trial(round * 100 + n, [kind]).catch((e: unknown) => String(e)))
  }
}
process.exit(0)
