import { describe, expect, test } from 'vitest'
import { passesSelfTest } from '../apps/cli/self-test.ts'
import { valueOrThrow } from '../src/diagnostic/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../src/engine/wasm/index.ts'
import { resolveBindings } from '../src/machine/index.ts'
import { compareOn } from './support/differential.ts'
import { failedChecks, KERNEL_NAMES, prepareKernel, readKernel } from './support/kernel.ts'
import { optionsOf, randomProgram } from './support/random-program.ts'

/**
 * Code made for hosts that pack pairs of vectors means the same on those that do not. `HEDDLE_TUNE=1` has no part in this:
 * scripts/differential.ts --pairs runs the same where a host does pack them.
 */
const reference = createReferenceEngine({})
const engines = ([2, 4] as const).map((width) => createWasmEngineWith({ width, threads: 1, pairs: true }))

describe('code for pairs of vectors', () => {
  test('random programs leave what they leave on the reference engine', async () => {
    const found: string[] = []
    for (let seed = 20_000; seed < 20_080; seed++) {
      const p = randomProgram(seed, optionsOf(seed))
      const verdict = await compareOn({ reference, engine: engines[seed % 2]!, load: {} }, p, seed)
      if (verdict.kind === 'differs') found.push(`seed ${seed}: ${verdict.text}`)
    }
    expect(found).toEqual([])
  }, 60_000)

  test.each(KERNEL_NAMES)('%s gives what it must', async (name) => {
    const kernel = readKernel(name)
    for (const engine of engines) {
      const run = prepareKernel(kernel)
      const loaded = valueOrThrow(engine.load(kernel.program))
      const bindings = valueOrThrow(resolveBindings(run.bindings))
      const result = await engine.dispatch(loaded, bindings, kernel.dispatch)
      expect(result.stopped).toBeUndefined()
      expect(failedChecks(kernel, run)).toEqual([])
    }
  })

  test('passes the test that tuning begins with', async () => expect(await passesSelfTest()).toBe(true))
})
