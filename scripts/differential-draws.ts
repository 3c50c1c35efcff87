/**
 * Random shaders of the graphics stages and random frames in compiled code against the reference engine
 * (`npm run differential -- --stages` and `--draws`).
 */

import { withFallback } from '../src/engine/fallback.ts'
import { type Engine, type LoadOptions, nextTask } from '../src/engine/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { shrink } from '../test/support/differential.ts'
import { compareStage, type StageVerdict } from '../test/support/differential-stages.ts'
import { compareFastScene, randomFastScene } from '../test/support/fast-scenes.ts'
import {
  addFeatures,
  addOutcomes,
  addPaths,
  compareFastFrame,
  compareFrame,
  type DrawOutcome,
  type FeatureCounts,
  FRAMES_OF_POOL,
  type FrameComparison,
  type PathCounts,
  printFeatures,
  printFrame,
  printPaths,
  type RandomFrame,
  randomFrame,
  shrinkFrame,
  takePaths,
  watchPaths,
} from '../test/support/frames/index.ts'
import { Random } from '../test/support/random/random.ts'
import type { RandomProgram } from '../test/support/random-program.ts'
import {
  type GraphicsStage,
  LANES,
  randomStageProgram,
  stageOptionsOf,
  stageSetupOf,
} from '../test/support/random-stage-program.ts'

export interface DrawRun {
  readonly count: number
  readonly first: number
  readonly load: LoadOptions
  readonly widthOf: (seed: number) => 1 | 2 | 4
  readonly engineOf: (width: 1 | 2 | 4, alwaysDecodes: boolean) => Engine
  readonly renewEngines: () => void
  readonly replay: (seed: number) => string
  readonly shrink: boolean
  readonly text: boolean
  /** Frames with the precision `fast`, also against `exact` ones. */
  readonly fast: boolean
  /** Say in the end what the frames were made of. */
  readonly coverage: boolean
}

/** Half of them sample decoded copies of textures wherever that can be: engines themselves do it where it pays. */
const alwaysDecodes = (seed: number): boolean => seed % 2 === 0

const REFERENCE = createReferenceEngine({})

/** What fails stays what it was while a shader shrinks. */
const kindOf = (text: string): string => text.replace(/[[:].*/s, '')

function verdictOf(run: DrawRun, p: RandomProgram, seed: number): StageVerdict {
  const width = run.widthOf(seed)
  try {
    return compareStage(REFERENCE, run.engineOf(width, alwaysDecodes(seed)), p.program, seed, {
      ...stageSetupOf(p, width),
      load: run.load,
    })
  } catch (e) {
    return { kind: 'differs', text: `threw ${String(e)}` }
  }
}

async function report(run: DrawRun, p: RandomProgram, stage: GraphicsStage, seed: number, text: string): Promise<void> {
  console.log(`seed ${seed}, ${stage} shader, ${run.widthOf(seed)} vectors per word: ${text.slice(0, 900)}`)
  console.log(`  replay: ${run.replay(seed)}`)
  let shown = p
  if (run.shrink) {
    shown = await shrink(p, (candidate) => {
      const verdict = verdictOf(run, candidate, seed)
      return verdict.kind === 'differs' && kindOf(verdict.text) === kindOf(text)
    })
    const verdict = verdictOf(run, shown, seed)
    if ('text' in verdict) console.log(`  shrunk: ${verdict.text.slice(0, 900)}`)
  }
  if (run.text || run.shrink) console.log(shown.text)
}

/** What a run of many seeds counts. */
class Counts {
  readonly #counts = new Map<string, number>()
  readonly #handed = new Map<string, number>()
  differ = 0

  count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1)
  }
  /** Work that compiled code left to the reference engine. */
  handed(why: string): void {
    const short = why.slice(0, 200)
    this.#handed.set(short, (this.#handed.get(short) ?? 0) + 1)
  }
  print(): void {
    for (const [what, n] of [...this.#counts].sort()) console.log(`${n} ${what}`)
    for (const [why, n] of this.#handed) console.log(`not run by compiled code, ${n}: ${why}`)
  }
}

/** Runs all seeds with engines that are renewed now and then. */
async function runSeeds(run: DrawRun, runOne: (seed: number) => Promise<void>, counts: Counts): Promise<void> {
  for (let seed = run.first; seed < run.first + run.count; seed++) {
    if (seed % FRAMES_OF_POOL === 0) {
      run.renewEngines()
      // Workers that were ended go, and their memories with them, when the host gets to it.
      await nextTask()
    }
    await runOne(seed)
    const done = seed - run.first + 1
    if (done % 500 === 0) {
      const seconds = Math.round(process.cpuUsage().user / 1e6)
      console.log(`${done} of ${run.count} run, ${counts.differ} differ, ${seconds} s of the processor`)
    }
  }
  counts.print()
}

/** Random shaders of single stages; answers how many differ. */
export async function runStages(run: DrawRun): Promise<number> {
  const counts = new Counts()
  const runOne = async (seed: number): Promise<void> => {
    const options = stageOptionsOf(seed)
    const p = randomStageProgram(seed, options)
    const verdict = verdictOf(run, p, seed)
    counts.count(`${options.stage} shaders ${verdict.kind}`)
    if (verdict.kind === 'not-compiled' || verdict.kind === 'cannot-run') counts.handed(verdict.text)
    if (verdict.kind !== 'differs') return
    counts.differ++
    await report(run, p, options.stage, seed, verdict.text)
  }
  await runSeeds(run, runOne, counts)
  return counts.differ
}

function compareOn(run: DrawRun, frame: RandomFrame, seed: number): FrameComparison {
  const width = run.widthOf(seed)
  const compare = run.fast ? compareFastFrame : compareFrame
  return compare(frame, REFERENCE, run.engineOf(width, alwaysDecodes(seed)), LANES[width])
}

async function reportFrame(run: DrawRun, frame: RandomFrame, seed: number, text: string): Promise<void> {
  console.log(`seed ${seed}, frame, ${run.widthOf(seed)} vectors per word: ${text.slice(0, 900)}`)
  console.log(`  replay: ${run.replay(seed)}`)
  let shown = frame
  if (run.shrink) {
    const isSame = (other: RandomFrame): boolean => {
      const { verdict } = compareOn(run, other, seed)
      return verdict.kind === 'differs' && partOf(verdict.text) === partOf(text)
    }
    shown = await shrinkFrame(frame, isSame)
    const { verdict } = compareOn(run, shown, seed)
    if ('text' in verdict) console.log(`  shrunk: ${verdict.text.slice(0, 900)}`)
  }
  if (run.text || run.shrink) console.log(printFrame(shown))
}

/** What fails stays what it was while a frame shrinks: a draw's number may change, and where a word is. */
const partOf = (text: string): string => text.replace(/^draw \d+, /, '').replace(/[[:].*/s, '')

/** Colors of a random scene with the precision `fast` against those of `exact`. */
function compareColors(run: DrawRun, seed: number, counts: Counts): void {
  const engine = withFallback(run.engineOf(run.widthOf(seed), alwaysDecodes(seed)), REFERENCE)
  const { text, pixels } = compareFastScene(randomFastScene(new Random(seed)), engine)
  counts.count(pixels > 0 ? 'scenes with colors' : 'scenes without')
  if (text === undefined) return
  counts.differ++
  console.log(`seed ${seed}, colors of fast: ${text}\n  replay: ${run.replay(seed)}`)
}

/** Random frames; answers how many differ. */
export async function runFrames(run: DrawRun): Promise<number> {
  const counts = new Counts()
  const features: FeatureCounts = new Map()
  const paths: PathCounts = new Map()
  const runOne = async (seed: number): Promise<void> => {
    const frame = randomFrame(seed)
    if (run.coverage) addFeatures(features, frame)
    watchPaths(run.engineOf(run.widthOf(seed), alwaysDecodes(seed)))
    const { verdict, handed } = compareOn(run, frame, seed)
    addPaths(paths, takePaths())
    counts.count(`frames ${verdict.kind}`)
    for (const why of handed) counts.handed(why)
    if (verdict.kind === 'equal') {
      countDraws(counts, verdict.run.draws)
      if (run.coverage) addOutcomes(features, verdict.run.draws)
    }
    if (verdict.kind === 'cannot-run') counts.handed(verdict.text)
    if (run.fast) compareColors(run, seed, counts)
    if (verdict.kind !== 'differs') return
    counts.differ++
    await reportFrame(run, frame, seed, verdict.text)
  }
  await runSeeds(run, runOne, counts)
  console.log(printPaths(paths))
  if (run.coverage) console.log(printFeatures(features))
  return counts.differ
}

function countDraws(counts: Counts, draws: readonly DrawOutcome[]): void {
  for (const d of draws) {
    const isRefused = 'refused' in d || d.stopped === 'refused'
    counts.count(`draws ${isRefused ? 'refused' : d.samplesPassed > 0 ? 'with samples that pass' : 'without'}`)
  }
}
