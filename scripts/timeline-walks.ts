/**
 * Random walks over time lines: steps, jumps, runs to conditions, in both directions, and changes, held against runs that were
 * written down moment by moment.
 *
 *     npm run timeline-walks -- [steps] [seed] [cases]
 *
 * Each case of a seed is one random program and one kernel, under the schedule of its number. Each failure prints the
 * command that replays it.
 */
import { KERNEL_NAMES, walkKernel, walkRandom } from '../test/support/time-line-walks.ts'

const steps = Number(process.argv[2] ?? 200)
const first = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 30))
const cases = Number(process.argv[4] ?? 1)
let failed = 0

function report(what: string, seed: number, verdict: string | undefined): void {
  if (verdict === undefined) return
  failed++
  console.log(`${what} of seed ${seed}: ${verdict}`)
  console.log(`  replay: npm run timeline-walks -- ${steps} ${seed}`)
}

console.log(`${cases} cases of ${steps} steps from seed ${first}`)
const begin = performance.now()
for (let seed = first; seed < first + cases; seed++) {
  report('the random program', seed, await walkRandom(seed, steps))
  const name = KERNEL_NAMES[seed % KERNEL_NAMES.length]!
  report(`the kernel ${name}`, seed, await walkKernel(name, seed, steps))
}
console.log(`${cases} cases, ${failed} failed, ${Math.round((performance.now() - begin) / 1000)} s`)
process.exitCode = failed > 0 ? 1 : 0
