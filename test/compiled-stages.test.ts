/** Shaders of draws in compiled code: every one of the corpus leaves what it leaves on the reference engine, findings too. */
import { describe, expect, it } from 'vitest'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../src/engine/wasm/index.ts'
import { drawShaders } from './support/corpus-programs.ts'
import { compareStage, type StageVerdict } from './support/differential-stages.ts'

const REFERENCE = createReferenceEngine({})
const SHADERS = drawShaders().filter(({ name }) => !name.startsWith('synthetic/'))

/** Why shaders of the corpus run on the reference engine. */
const REASONS = [/^a derivative in flow that pixels of a quad take apart$/, /^eval_\w+ is not compiled$/]

describe.each([1, 2, 4] as const)('compiled shaders of draws, %i vectors a word', (width) => {
  const engine = createWasmEngineWith({ threads: 1, width })
  const verdicts = SHADERS.map(({ name, program }): readonly [string, StageVerdict] => [
    name,
    compareStage(REFERENCE, engine, program, width),
  ])
  const of = (kind: StageVerdict['kind']) => verdicts.filter(([, v]) => v.kind === kind)

  it('leave what they leave on the reference engine', () => {
    expect(of('differs')).toEqual([])
    expect(of('equal').length).toBeGreaterThan(SHADERS.length * 0.9)
  })

  it('are those of all stages that have no reason not to be', () => {
    expect(of('cannot-run')).toEqual([])
    const others = of('not-compiled').filter(([, v]) => !REASONS.some((r) => 'text' in v && r.test(v.text)))
    expect(others).toEqual([])
  })
})
