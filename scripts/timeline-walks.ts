/**
 * Random walks over time lines: steps, jumps, runs to conditions, steps by lines, questions about memory and findings, in both
 * directions, and changes, held against runs that were written down moment by moment.
 *
 *     npm run timeline-walks -- [steps] [seed] [cases] [random|kernel|fault|draws]
 *     npm run timeline-walks -- [steps] [seed] every [kernel|fault|scene|shader] [part of a name] [schedules]
 *
 * Each case of a seed is one random program, one kernel, one kernel with a fault and one frame of draws, under the schedule of its
 * number; 810 cases are each of the 18 kernels under each of the 45 schedules. With `every`, each kernel, the same with a fault,
 * each draw of the scenes and each shader of the corpus with debug data is walked over, each under another schedule, and under as
 * many as are given (1). HEDDLE_WALKS=each prints a line for each walk. Each failure prints the command that replays it.
 */

import { choiceVariable, numberArgument } from '../bench/variables.mjs'
import { scheduleOfCase } from '../test/support/snapshots.ts'
import { walkDraws } from '../test/support/time-line/draw-walk.ts'
import { KERNEL_NAMES, walkFault, walkKernel, walkRandom } from '../test/support/time-line/walk.ts'
import { walkedPrograms } from '../test/support/time-line/walked-runs.ts'

const [stepText, seedText, cases = '1', only, ...rest] = process.argv.slice(2)
const steps = numberArgument('the number of steps', stepText, 200, { least: 1 })
const first = numberArgument('the seed', seedText, Math.floor(Math.random() * 2 ** 30))
const isEach = choiceVariable('HEDDLE_WALKS', ['each']) === 'each'
/** Schedules by number: five wave widths, three orders, three counts of groups in flight. */
const SCHEDULES = 45
const processorSeconds = (): number => process.cpuUsage().user / 1e6 + process.cpuUsage().system / 1e6
const stages = new Set<string>()
const schedules = new Set<string>()
let [walks, failed] = [0, 0]

async function report(
  what: string,
  seed: number,
  replay: string,
  walk: () => Promise<string | undefined>,
): Promise<void> {
  walks++
  const { waveWidth, order } = scheduleOfCase(seed)
  schedules.add(`${waveWidth} ${typeof order === 'object' ? 'seeded' : order}`)
  const before = processorSeconds()
  const verdict = await walk().catch((e: unknown) => `threw ${e instanceof Error ? e.stack : String(e)}`)
  if (process.stdout.isTTY || isEach) {
    console.log(`${what} of seed ${seed}: ${(processorSeconds() - before).toFixed(1)} s`)
  }
  if (verdict === undefined) return
  failed++
  console.log(`${what} of seed ${seed}: ${verdict}`)
  console.log(`  replay: npm run timeline-walks -- ${steps} ${seed} ${replay}`)
}

const optionsOf = (seed: number): Parameters<typeof walkKernel>[2] => ({ steps, isLong: seed % 4 === 3 })

/** Everything that has a name, each under schedules of its own. */
async function walkEvery(): Promise<void> {
  const [word = '', count = '1'] = rest
  const named = walkedPrograms(only).filter(({ name }) => name.includes(word))
  const exact = named.filter(({ name }) => name === word)
  const all = exact.length > 0 ? exact : named
  console.log(`${all.length} programs under ${count} schedules each, ${steps} steps, from seed ${first}`)
  for (let round = 0; round < Number(count); round++) {
    for (const [i, { kind, name, walk }] of all.entries()) {
      // Programs and schedules have common divisors: each round of schedules begins at another program.
      const seed = first + ((i + round) % SCHEDULES) + Math.floor(i / SCHEDULES) * SCHEDULES
      await report(`the ${kind} ${name}`, seed, `every ${kind} "${name}"`, () => walk(seed, optionsOf(seed), stages))
    }
    console.log(`${round + 1} rounds, ${failed} of ${walks} walks failed, ${processorSeconds().toFixed(0)} s`)
  }
}

/** One of each kind for each seed. */
async function walkCases(): Promise<void> {
  console.log(`${cases} cases of ${steps} steps from seed ${first}`)
  for (let seed = first; seed < first + Number(cases); seed++) {
    const name = KERNEL_NAMES[((seed % SCHEDULES) + Math.floor(seed / SCHEDULES)) % KERNEL_NAMES.length]!
    const options = optionsOf(seed)
    const kinds: readonly (readonly [kind: string, what: string, walk: () => Promise<string | undefined>])[] = [
      ['random', 'the random program', () => walkRandom(seed, options)],
      ['kernel', `the kernel ${name}`, () => walkKernel(name, seed, options)],
      ['fault', `the kernel ${name} with a fault`, () => walkFault(name, seed, options)],
      ['draws', 'the frame', () => walkDraws(seed, steps, stages)],
    ]
    for (const [kind, what, walk] of kinds) {
      if (only === undefined || only === kind) await report(what, seed, `1 ${kind}`, walk)
    }
    if ((seed - first + 1) % 10 === 0) {
      console.log(`${seed - first + 1} cases, ${failed} of ${walks} walks failed, ${processorSeconds().toFixed(0)} s`)
    }
  }
}

await (cases === 'every' ? walkEvery() : walkCases())
console.log(`stages of draws: ${[...stages].sort().join(', ') || 'none'}`)
console.log(`wave widths and orders: ${[...schedules].sort().join(', ')}`)
console.log(
  `${walks} walks of ${steps} steps, ${failed} failed, ${processorSeconds().toFixed(0)} s of processor time (seed ${first})`,
)
process.exitCode = failed > 0 ? 1 : 0
