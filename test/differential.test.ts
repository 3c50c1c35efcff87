import { describe, expect, test } from 'vitest'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../src/engine/wasm/index.ts'
import { resolveBindings } from '../src/machine/index.ts'
import { difference, runOn } from './support/differential.ts'
import { failedChecks, KERNEL_NAMES, outcomeOf, prepareKernel, readKernel } from './support/kernel.ts'
import { type RandomOptions, randomProgram, VALUE_ROWS } from './support/random-program.ts'

const WIDTHS = [1, 2, 4] as const
const reference = createReferenceEngine({})

/** Seeds whose program differs between the engines; a seed alone replays its program. */
async function differing(
  first: number,
  count: number,
  optionsOf: (seed: number) => RandomOptions,
  keep = false,
): Promise<string[]> {
  const engines = WIDTHS.map((width) => createWasmEngineWith({ width }))
  const found: string[] = []
  for (let seed = first; seed < first + count; seed++) {
    const p = randomProgram(seed, optionsOf(seed))
    const options = keep ? ({ denormals: 'keep' } as const) : {}
    const want = await runOn(reference, p, seed, options)
    const got = await runOn(engines[seed % 3]!, p, seed, options)
    const d = difference(want, got)
    if (d !== undefined) found.push(`seed ${seed}, ${WIDTHS[seed % 3]} vectors: ${d.slice(0, 200)}`)
  }
  return found
}

describe('the WebAssembly engine against the reference, word for word', () => {
  test('every value instruction on special operands', async () => {
    const rows = (seed: number): RandomOptions => ({
      statements: 6,
      rows: [VALUE_ROWS[seed % VALUE_ROWS.length]!],
      flow: false,
      memory: false,
      barriers: false,
    })
    expect(await differing(1, VALUE_ROWS.length * 2, rows)).toEqual([])
  })

  test('random programs with flow, memory and barriers', async () => {
    const all = (seed: number): RandomOptions => ({
      statements: 40,
      flow: true,
      memory: true,
      barriers: seed % 2 === 0,
    })
    expect(await differing(1000, 60, all)).toEqual([])
  }, 60_000)

  test('random programs that keep denormals', async () => {
    const values = (): RandomOptions => ({ statements: 25, flow: true, memory: false, barriers: false })
    expect(await differing(5000, 30, values, true)).toEqual([])
  }, 60_000)
})

describe('kernels on the WebAssembly engine', () => {
  test.each(KERNEL_NAMES)(
    '%s gives what it must, and what the reference gives',
    async (name) => {
      const kernel = readKernel(name)
      const want = prepareKernel(kernel)
      await reference.dispatch(
        reference.load(kernel.program).value!,
        resolveBindings(want.bindings).value!,
        kernel.dispatch,
      )
      for (const width of WIDTHS) {
        const engine = createWasmEngineWith({ width })
        const run = prepareKernel(kernel)
        const loaded = engine.load(kernel.program)
        expect(loaded.diagnostics).toEqual([])
        await engine.dispatch(loaded.value!, resolveBindings(run.bindings).value!, kernel.dispatch)
        expect(failedChecks(kernel, run)).toEqual([])
        expect(outcomeOf(kernel, run)).toEqual(outcomeOf(kernel, want))
      }
    },
    30_000,
  )
})
