/**
 * Compares the tessellator with its model on random patches: points and primitives as sets.
 *
 *     npm run tessellator -- [patches] [first seed]
 *
 * Each difference prints the patch and the command that replays it.
 */

import { numberArgument } from '../bench/variables.mjs'
import { differenceOn, randomPatch } from '../test/support/tessellator-patches.ts'

const count = numberArgument('the count', process.argv[2], 10_000, { least: 1 })
const first = numberArgument('the seed', process.argv[3], Math.floor(Math.random() * 2 ** 30))
let failed = 0
console.log(`${count} patches from seed ${first}`)
for (let seed = first; seed < first + count; seed++) {
  const patch = randomPatch(seed)
  const difference = differenceOn(patch)
  if (difference === undefined) continue
  failed++
  console.log(`${patch.domain}, ${patch.partitioning}, factors ${patch.factors.join(', ')}: ${difference}`)
  console.log(`  replay: npm run tessellator -- 1 ${seed}`)
}
console.log(`${count} patches, ${failed} differ`)
process.exitCode = failed === 0 ? 0 : 1
