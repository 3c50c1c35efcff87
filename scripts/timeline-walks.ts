/**
 * Random walks over time lines: steps, jumps, runs to conditions, steps by lines, questions about memory and findings, in both
 * directions, and changes, held against runs that were written down moment by moment.
 *
 *     npm run timeline-walks -- [steps] [seed] [cases] [random|kernel|fault|draws]
 *
 * HEDDLE_WALKS=each prints a line for each walk. Each case of a seed is one random program, one kernel, one kernel with a fault and one frame of draws, under the schedule of its number. Each failure
 * prints the command that replays it.
 */
import { walkDraws } from '../test/support/time-line/draw-walk.ts'
import { KERNEL_NAMES, walkFault, walkKernel, walkRandom } from '../test/support/time-line/walk.ts'

const steps = Number(process.argv[2] ?? 200)
const first = Number(process.argv[3] ?? Math.floor(Math.random() * 2 ** 30))
const cases = Number(process.argv[4] ?? 1)
const only = process.argv[5]
const processorSeconds = (): number => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6
const stages = new Set<string>()
let [walks, failed] = [0, 0]

async function report(
  kind: string,
  what: string,
  seed: number,
  walk: () => Promise<string | undefined>,
): Promise<void> {
  if (only !== undefined && only !== kind) return
  walks++
  const before = processorSeconds()
  const verdict = await walk()
  if (process.stdout.isTTY || process.env.HEDDLE_WALKS === 'each') {
    console.log(`${what} of seed ${seed}: ${(processorSeconds() - before).toFixed(1)} s`)
  }
  if (verdict === undefined) return
  failed++
  console.log(`${what} of seed ${seed}: ${verdict}`)
  console.log(`  replay: npm run timeline-walks -- ${steps} ${seed} 1 ${kind}`)
}

console.log(`${cases} cases of ${steps} steps from seed ${first}`)
for (let seed = first; seed < first + cases; seed++) {
  // Numbers of schedules and kernels have common divisors: each round of schedules begins at another kernel.
  const name = KERNEL_NAMES[(seed + Math.floor(seed / 45)) % KERNEL_NAMES.length]!
  const options = { steps, isLong: seed % 4 === 3 }
  await report('random', 'the random program', seed, () => walkRandom(seed, options))
  await report('kernel', `the kernel ${name}`, seed, () => walkKernel(name, seed, options))
  await report('fault', `the kernel ${name} with a fault`, seed, () => walkFault(name, seed, options))
  await report('draws', 'the frame', seed, () => walkDraws(seed, steps, stages))
  if ((seed - first + 1) % 10 === 0) {
    console.log(`${seed - first + 1} cases, ${failed} of ${walks} walks failed, ${processorSeconds().toFixed(0)} s`)
  }
}
console.log(
  `stages of draws: ${[...stages].sort().join(', ') || 'none'}\n${walks} walks of ${steps} steps, ${failed} failed, ${processorSeconds().toFixed(0)} s of processor time (seed ${first})`,
)
process.exitCode = failed > 0 ? 1 : 0
