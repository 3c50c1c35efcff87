/**
 * Snapshots taken at random statements, restored and run on from, held against runs without a stop.
 *
 *     npm run snapshots -- [cases] [first seed]
 *
 * Every case is one random program, one kernel and one batch of a stage of a draw, each under the schedule of its number (all orders, wave widths and
 * numbers of groups in flight) with four snapshots. Each failure prints the command that replays it.
 */

import { numberArgument } from '../bench/variables.mjs'
import { batchSnapshots, STAGE_NAMES } from '../test/support/batch-snapshots.ts'
import { KERNEL_NAMES, kernelSnapshots, randomSnapshots } from '../test/support/snapshot-cases.ts'

const count = numberArgument('the count', process.argv[2], 200, { least: 1 })
const first = numberArgument('the seed', process.argv[3], Math.floor(Math.random() * 2 ** 30))
const SNAPSHOTS = 4
let failed = 0

function report(what: string, seed: number, verdict: string | undefined): void {
  if (verdict === undefined) return
  failed++
  console.log(`${what} of seed ${seed}: ${verdict}`)
  console.log(`  replay: npm run snapshots -- 1 ${seed}`)
}

console.log(`${count} cases from seed ${first}`)
const begin = performance.now()
for (let seed = first; seed < first + count; seed++) {
  report('the random program', seed, randomSnapshots(seed, SNAPSHOTS))
  const name = KERNEL_NAMES[seed % KERNEL_NAMES.length]!
  report(`the kernel ${name}`, seed, kernelSnapshots(name, seed, SNAPSHOTS))
  const stage = STAGE_NAMES[seed % STAGE_NAMES.length]!
  report(`the stage ${stage}`, seed, batchSnapshots(stage, seed, SNAPSHOTS))
}
console.log(`${count} cases, ${failed} failed, ${Math.round((performance.now() - begin) / 1000)} s`)
process.exitCode = failed > 0 ? 1 : 0
