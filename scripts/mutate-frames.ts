/**
 * Mutations of valid frames: `npm run mutate-frames [-- COUNT [SEED]]` (1000 and a fresh seed). Each must be refused with places
 * or run within its budget of time; anything else is printed with what makes it again.
 */
import { writeFileSync } from 'node:fs'
import { numberArgument } from '../bench/variables.mjs'
import { failedMutants } from '../test/support/frame-mutations.ts'

const count = numberArgument('the count', process.argv[2], 1000, { least: 1 })
const seed = numberArgument('the seed', process.argv[3], Date.now() % 1_000_000_007)
process.stdout.write(`${count} mutants, seed ${seed}\n`)
const start = performance.now()
const failures = await failedMutants(seed, count, (done) => {
  if (done % 200 === 0) process.stdout.write(`${done} done, ${((performance.now() - start) / 1000).toFixed(0)} s\n`)
})
for (const { base, index, problem } of failures) process.stdout.write(`${base}, mutant ${index}: ${problem}\n`)
if (failures.length > 0) {
  const file = `frame-mutants-${seed}.json`
  writeFileSync(file, JSON.stringify(failures, null, 1))
  process.stdout.write(`the descriptions are in ${file}\n`)
}
process.stdout.write(`${count - failures.length} of ${count} answered as they should\n`)
process.exitCode = failures.length > 0 ? 1 : 0
