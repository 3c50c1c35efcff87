/** Random shaders of single stages on both engines, a fixed set of seeds; `npm run differential -- --stages` goes through others. */
import { describe, expect, it } from 'vitest'
import type { LoadOptions } from '../src/engine/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { createWasmEngineWith, type WasmEngineOptions } from '../src/engine/wasm/run/engine.ts'
import { compareStage, type StageVerdict } from './support/differential-stages.ts'
import { GRAPHICS_STAGES, randomStageProgram, stageOptionsOf, stageSetupOf } from './support/random-stage-program.ts'

const REFERENCE = createReferenceEngine({})
/** Why shaders run on the reference engine. */
const REASONS = [
  /^a derivative in flow that pixels of a quad take apart$/,
  /^eval_\w+ is not compiled$/,
  /^compiled, the program would have more than/,
]
const COUNT = 90

interface Case {
  readonly seed: number
  readonly stage: string
  readonly verdict: StageVerdict
}

function run(width: 1 | 2 | 4, first: number, settings: WasmEngineOptions, load: LoadOptions): Case[] {
  const engine = createWasmEngineWith({ threads: 1, width, shortRuns: width === 2, ...settings })
  const cases = Array.from({ length: COUNT }, (_, n): Case => {
    const seed = first + n
    const options = stageOptionsOf(seed)
    const p = randomStageProgram(seed, options)
    const verdict = compareStage(REFERENCE, engine, p.program, seed, { ...stageSetupOf(p, width), load })
    return { seed, stage: options.stage, verdict }
  })
  engine.dispose?.()
  return cases
}

describe.each([
  [1, 100, {}, {}],
  [2, 200, { assertions: true }, {}],
  [4, 300, {}, { denormals: 'keep' }],
  // Baseline code, whatever the width of what would take its place.
  [1, 400, { baselineMs: Number.POSITIVE_INFINITY }, {}],
] as const)('random shaders of draws, %i vectors a word, seeds from %i', (width, first, settings, load) => {
  const cases = run(width, first, settings, load)

  it('leave what they leave on the reference engine, or there is a reason not to compile them', () => {
    const others = cases.filter(
      ({ verdict: v }) => v.kind !== 'equal' && !(v.kind === 'not-compiled' && REASONS.some((r) => r.test(v.text))),
    )
    expect(others).toEqual([])
  })

  it('are of all stages', () => {
    for (const stage of GRAPHICS_STAGES) {
      expect(cases.filter((c) => c.stage === stage && c.verdict.kind === 'equal').length).toBeGreaterThan(COUNT / 10)
    }
  })
})
