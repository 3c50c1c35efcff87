/** Random frames on both engines, a fixed set of seeds; `npm run differential -- --draws` goes through others. */
import { describe, expect, it } from 'vitest'
import { type BatchExecution, type Engine, isOfBatches } from '../src/engine/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../src/engine/wasm/index.ts'
import { sharedCounts } from '../src/pipeline/index.ts'
import {
  addFeatures,
  addOutcomes,
  compareFastFrame,
  compareFrame,
  FAST_FRAME_SEEDS,
  FEATURES,
  type FeatureCounts,
  FRAME_SEEDS,
  OUTCOMES,
  PATHS,
  type RandomFrame,
  randomFrame,
  shrinkFrame,
  takePaths,
  watchPaths,
} from './support/frames/index.ts'
import { LANES } from './support/random-stage-program.ts'
import { BRIEF_MS, createSharingEngine } from './support/sharing.ts'
import { workerModule } from './support/worker-module.ts'

const REFERENCE = createReferenceEngine({})
/** Why stages run on the reference engine. */
const REASONS = [
  /: a derivative in flow that pixels of a quad take apart$/,
  /: eval_\w+ is not compiled$/,
  /: compiled, the program would have more than/,
]

const framesOf = (first: number, count: number): RandomFrame[] =>
  Array.from({ length: count }, (_, n) => randomFrame(first + n))

describe('random frames', () => {
  const WIDTHS = [1, 2, 4] as const
  /** Optimized code alone, or from the second batch of a shader on. */
  const BASELINE_MS = { 1: 0, 2: BRIEF_MS, 4: 0 } as const
  const paths = new Set<string>()

  it.each(WIDTHS)('leave what they leave on the reference engine, %i vectors a word', (width) => {
    const compiled = createWasmEngineWith({
      ...{ threads: 1, width, alwaysDecodes: width === 2, shortRuns: width !== 1 },
      baselineMs: BASELINE_MS[width],
    })
    watchPaths(compiled)
    const outcomes: FeatureCounts = new Map()
    const handed: string[] = []
    for (const seed of FRAME_SEEDS.filter((s) => s % 3 === WIDTHS.indexOf(width))) {
      const compared = compareFrame(randomFrame(seed), REFERENCE, compiled, LANES[width])
      expect({ seed, ...compared.verdict, run: undefined }).toEqual({ seed, kind: 'equal', run: undefined })
      if (compared.verdict.kind === 'equal') addOutcomes(outcomes, compared.verdict.run.draws)
      handed.push(...compared.handed)
    }
    compiled.dispose?.()
    expect(handed.filter((why) => !REASONS.some((r) => r.test(why)))).toEqual([])
    expect(OUTCOMES.filter((o) => !outcomes.has(o))).toEqual([])
    for (const path of takePaths()) paths.add(path)
  })

  it('leave what they leave on the reference engine with the precision fast', () => {
    const compiled = createWasmEngineWith({
      threads: 1,
      width: 1,
      alwaysDecodes: true,
      baselineMs: Number.POSITIVE_INFINITY,
    })
    watchPaths(compiled)
    for (const seed of FAST_FRAME_SEEDS) {
      const { verdict } = compareFastFrame(randomFrame(seed), REFERENCE, compiled, LANES[1])
      expect({ seed, ...verdict, run: undefined }).toEqual({ seed, kind: 'equal', run: undefined })
    }
    compiled.dispose?.()
    for (const path of takePaths()) paths.add(path)
  })

  it('have gone all ways through compiled code', () => {
    // Several threads alone list triangles for shares of rows (test/engine/band-draws.test.ts).
    const ways = PATHS.filter((path) => !/shares/.test(path))
    expect(ways.filter((path) => !paths.has(path))).toEqual([])
  })

  it.each([0, 1])(
    'leave what they leave on the reference engine with two threads, of which both take part, half %i',
    async (half) => {
      const compiled = createSharingEngine({ threads: 2, width: 1, workerModule: await workerModule() })
      const before = { ...sharedCounts }
      const seeds = FRAME_SEEDS.slice((half * FRAME_SEEDS.length) / 2, ((half + 1) * FRAME_SEEDS.length) / 2)
      for (const seed of seeds) {
        const compared = compareFrame(randomFrame(seed), REFERENCE, compiled, LANES[1])
        expect({ seed, ...compared.verdict, run: undefined }).toEqual({ seed, kind: 'equal', run: undefined })
      }
      compiled.dispose?.()
      expect(sharedCounts.draws - before.draws).toBeGreaterThan(seeds.length / 8)
      expect(sharedCounts.tilesOfWorkers - before.tilesOfWorkers).toBeGreaterThan(0)
    },
  )

  it('are made of everything that draws have', () => {
    const counts: FeatureCounts = new Map()
    for (const frame of framesOf(0, 1536)) addFeatures(counts, frame)
    expect(FEATURES.filter((f) => !counts.has(f))).toEqual([])
    const known = new Set(FEATURES)
    expect([...counts.keys()].filter((f) => !known.has(f))).toEqual([])
  })

  it('depend on their seed alone', () => {
    const backwards = Array.from({ length: 8 }, (_, n) => randomFrame(67 - n))
    const [first, second] = [framesOf(60, 8), backwards.reverse()]
    expect(second).toEqual(first)
    expect(randomFrame(61)).not.toEqual(randomFrame(62))
  })
})

/** The reference engine with a wrong bit in each word that pixel shaders put out. */
function faultyEngine(): Engine {
  const begin: Engine['begin'] = (shader, ...rest) => {
    const begun = REFERENCE.begin(shader, ...rest)
    const execution = begun.value
    if (execution === undefined || shader.declarations.stage.kind !== 'pixel' || !isOfBatches(execution)) return begun
    return { ...begun, value: withFault(execution) }
  }
  return { ...REFERENCE, begin }
}

function withFault(execution: BatchExecution): BatchExecution {
  let outputs = new Int32Array(0)
  return new Proxy(execution, {
    get(target, name) {
      const member = Reflect.get(target, name, target) as unknown
      if (typeof member !== 'function') return member
      return (...args: unknown[]) => {
        if (name === 'start') outputs = (args[0] as { outputs: Int32Array<ArrayBuffer> }).outputs
        const result: unknown = Reflect.apply(member, target, args)
        if (name === 'run') for (let i = 0; i < outputs.length; i++) outputs[i]! ^= 0x00400000
        return result
      }
    },
  })
}

describe('the comparison of frames', () => {
  it('finds a wrong word of pixel shaders', () => {
    const kinds = framesOf(1000, 32).map((f) => compareFrame(f, REFERENCE, faultyEngine(), 8).verdict.kind)
    expect(kinds.filter((kind) => kind === 'differs').length).toBeGreaterThan(3)
  })

  it('makes a frame small, and what is looked for stays', async () => {
    const isLookedFor = (f: RandomFrame): boolean =>
      f.commands.some((c) => c.kind === 'draw' && f.pipelines[c.pipeline]!.shaders.pixel?.text.includes('discard'))
    const frame = framesOf(0, 200).find((f) => isLookedFor(f) && f.commands.length > 3)!
    const small = await shrinkFrame(frame, isLookedFor)
    expect(small.commands).toHaveLength(1)
    expect(isLookedFor(small)).toBe(true)
    const [draw] = small.commands
    const { pixel } = small.pipelines[draw!.kind === 'draw' ? draw!.pipeline : 0]!.shaders
    // The discard, the return, and what is declared or kept for others.
    expect(pixel!.text.split('\n').filter((line) => !/^([dp][cs][_l]|mov r7|ret|discard)|^$/.test(line))).toEqual([])
  })
})
