/**
 * Compares blending with exact arithmetic on random states, colors and contents of every format that can be blended into.
 *
 *     npm run blending -- [states of each format] [first seed]
 *
 * Each difference prints the state and its colors; the seed replays the run.
 */

import { numberArgument } from '../bench/variables.mjs'
import { differences } from '../test/support/differences.ts'
import { BLENDABLE, checkWrite, randomState } from '../test/support/exact-blend.ts'
import { randomFrom, targetOf } from '../test/support/random-targets.ts'

const count = numberArgument('the count', process.argv[2], 10_000, { least: 1 })
const first = numberArgument('the seed', process.argv[3], 1 + Math.floor(Math.random() * 2 ** 30))
console.log(`${count} states of each of ${BLENDABLE.length} formats from seed ${first}`)
let failed = 0
for (const format of BLENDABLE) {
  const view = targetOf(format)
  const random = randomFrom(first + format.number)
  const { check, list } = differences()
  for (let i = 0; i < count; i++) checkWrite(view, randomState(random), random, check)
  for (const text of list) console.log(text)
  failed += list.length > 0 ? 1 : 0
}
console.log(failed === 0 ? 'no difference' : `${failed} formats differ; replay: npm run blending -- ${count} ${first}`)
process.exitCode = failed === 0 ? 0 : 1
