/**
 * Random shaders of the graphics stages and whole draws in compiled code against the reference engine (`npm run differential -- --draws`).
 */
import { withFallback } from '../src/engine/fallback.ts'
import type { Engine, LoadOptions } from '../src/engine/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { shrink } from '../test/support/differential.ts'
import { compareStage, type StageVerdict } from '../test/support/differential-stages.ts'
import { compareDraw, randomDraw } from '../test/support/random-draws.ts'
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
  readonly engineOf: (width: 1 | 2 | 4) => Engine
  readonly renewEngines: () => void
  readonly replay: (seed: number) => string
  readonly shrink: boolean
  readonly text: boolean
}

const REFERENCE = createReferenceEngine({})

/** Each engine over the reference engine, made once. */
const FALLBACKS = new WeakMap<Engine, Engine>()

/** What fails stays what it was while a shader shrinks. */
const kindOf = (text: string): string => text.replace(/[[:].*/s, '')

function verdictOf(run: DrawRun, p: RandomProgram, seed: number): StageVerdict {
  const width = run.widthOf(seed)
  try {
    return compareStage(REFERENCE, run.engineOf(width), p.program, seed, { ...stageSetupOf(p, width), load: run.load })
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

/** Runs a whole draw; answers 1 where it differs. */
function runWhole(run: DrawRun, seed: number, count: (what: string) => void, hand: (why: string) => void): number {
  const width = run.widthOf(seed)
  const d = randomDraw(seed)
  const compiled = run.engineOf(width)
  const engine = FALLBACKS.get(compiled) ?? withFallback(compiled, REFERENCE)
  FALLBACKS.set(compiled, engine)
  const { verdict, handed } = compareDraw(REFERENCE, engine, d, seed, LANES[width])
  count(`draws, random shaders: ${Object.keys(d.programs).join(', ') || 'none'}: ${verdict.kind}`)
  for (const why of handed) hand(why)
  if (verdict.kind === 'cannot-run') hand(verdict.text.slice(0, 200))
  if (verdict.kind !== 'differs') return 0
  console.log(`seed ${seed}, draw, ${width} vectors per word: ${verdict.text.slice(0, 900)}`)
  console.log(`  replay: ${run.replay(seed)}`)
  if (run.text) console.log(JSON.stringify(d.scene, undefined, 1).replaceAll('\\n', '\n'))
  return 1
}

/** Runs the seeds; answers how many differ. Every third is a whole draw. */
export async function runDraws(run: DrawRun): Promise<number> {
  const counts = new Map<string, number>()
  const refusals = new Map<string, number>()
  const add = (map: Map<string, number>, key: string): void => {
    map.set(key, (map.get(key) ?? 0) + 1)
  }
  let differ = 0
  for (let seed = run.first; seed < run.first + run.count; seed++) {
    if (seed % 64 === 63) run.renewEngines()
    if (seed % 3 === 0) {
      differ += runWhole(
        run,
        seed,
        (what) => add(counts, what),
        (why) => add(refusals, why),
      )
      continue
    }
    const options = stageOptionsOf(seed)
    const p = randomStageProgram(seed, options)
    const verdict = verdictOf(run, p, seed)
    add(counts, `${options.stage} shaders ${verdict.kind}`)
    if (verdict.kind === 'not-compiled' || verdict.kind === 'cannot-run') add(refusals, verdict.text.slice(0, 200))
    if (verdict.kind === 'differs') {
      differ++
      await report(run, p, options.stage, seed, verdict.text)
    }
    const done = seed - run.first + 1
    if (done % 500 === 0) console.log(`${done} of ${run.count} run, ${differ} differ`)
  }
  for (const [what, n] of [...counts].sort()) console.log(`${n} ${what}`)
  for (const [why, n] of refusals) console.log(`not run by compiled code, ${n}: ${why}`)
  return differ
}
