/** Random primitives against exact coverage: `npm run coverage -- [cases of each kind] [seed]`. */

import { numberArgument } from '../bench/variables.mjs'
import { COVERAGE_CASES, SAMPLE_COUNTS } from '../test/support/coverage-cases.ts'
import { Random } from '../test/support/random/random.ts'

const cases = numberArgument('the count', process.argv[2], 10_000, { least: 1 })
const seed = numberArgument('the seed', process.argv[3], Date.now() % 1_000_000_007)
console.log(`seed ${seed}: ${cases} cases of each kind, at all sample counts in turn`)

let wrong = 0
for (const [name, run] of Object.entries(COVERAGE_CASES)) {
  const random = new Random(seed)
  for (let i = 0; i < cases; i++) {
    const found = run(random, SAMPLE_COUNTS[i % SAMPLE_COUNTS.length]!)
    if (found === undefined) continue
    wrong++
    if (wrong <= 20) console.log(`case ${i}: ${found}`)
  }
  console.log(`${name}: ${cases} done`)
}
console.log(`${wrong} wrong`)
process.exitCode = wrong === 0 ? 0 : 1
