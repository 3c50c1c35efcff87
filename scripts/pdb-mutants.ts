/**
 * Mutations of debug data: `npm run pdb-mutants [-- COUNT [SEED]]` (1000 and a fresh seed). Each must give a map of the
 * source and diagnostics, without an exception and within two seconds of the processor; anything else is printed.
 */

import { numberArgument } from '../bench/variables.mjs'
import { failedDebugMutants } from '../test/support/debug-mutations.ts'

const count = numberArgument('the count', process.argv[2], 1000, { least: 1 })
const seed = numberArgument('the seed', process.argv[3], Date.now() % 1_000_000_007)
process.stdout.write(`${count} mutants, seed ${seed}\n`)
const start = performance.now()
const failures = failedDebugMutants(seed, count, true, (done) => {
  if (done % 1000 !== 0) return
  const memory = Math.round(process.memoryUsage().rss / 2 ** 20)
  process.stdout.write(`${done} done, ${((performance.now() - start) / 1000).toFixed(0)} s, ${memory} MiB\n`)
})
for (const { name, index, problem } of failures) process.stdout.write(`${name}, mutant ${index}: ${problem}\n`)
process.stdout.write(`${count - failures.length} of ${count} answered as they should\n`)
process.exitCode = failures.length > 0 ? 1 : 0
