import { describe, expect, it } from 'vitest'
import { type DispatchResult, type Engine, matchBindings } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/run/engine.ts'
import type { Program } from '../../src/program/index.ts'
import { type Kernel, prepareKernel, readKernel } from '../support/kernel.ts'
import { mutantsOf } from './mutate.ts'

/** Kernels with one fault each on both engines: they find the same at the same statements. */

const QUICK = ['copy', 'saxpy', 'reduce', 'scan', 'histogram', 'oit', 'rawcopy', 'xxhash'] as const
const MAX_INSTRUCTIONS = 10_000
const LANES = 16

function run(engine: Engine, kernel: Kernel, program: Program, options: object): DispatchResult | undefined {
  const loaded = engine.load(program).value
  if (loaded === undefined) return undefined
  const bindings = matchBindings(loaded.declarations, prepareKernel(kernel).bindings).value!
  const all = { maxInstructionsPerThread: MAX_INSTRUCTIONS, ...options }
  return engine.dispatch(loaded, bindings, kernel.dispatch, all) as DispatchResult
}

const placesOf = (result: DispatchResult): string[] =>
  result.diagnostics.map((d) => `${d.code} ${d.severity} ${d.place?.kind === 'statement' ? d.place.index : ''}`).sort()

const REFERENCE = createReferenceEngine({})
const WASM = createWasmEngineWith({ width: 4, threads: 1 })
const SCHEDULE = { schedule: { waveWidth: LANES, order: 'forward', groupsInFlight: 1 } } as const

describe('kernels with one fault each', () => {
  it.each(QUICK)('%s: both engines find the same', (name) => {
    const kernel = readKernel(name)
    const differing: string[] = []
    let compared = 0
    for (const mutant of mutantsOf(name, kernel.program).filter((_, i) => i % 2 === 0)) {
      const want = run(REFERENCE, kernel, mutant.program, SCHEDULE)
      const got = run(WASM, kernel, mutant.program, {})
      if (want === undefined || got === undefined) continue
      // Loops without end are stopped at other turns: code counts less than every instruction.
      if (want.stopped !== undefined || got.stopped !== undefined) continue
      compared++
      const same =
        JSON.stringify(placesOf(want)) === JSON.stringify(placesOf(got)) && want.undefinedCount === got.undefinedCount
      if (!same) {
        const told = (r: DispatchResult) => `${placesOf(r).join(', ')}; ${r.undefinedCount} undefined`
        differing.push(`${mutant.kind} at ${mutant.statement}: ${told(got)}, not ${told(want)}`)
      }
    }
    expect(differing).toEqual([])
    expect(compared).toBeGreaterThan(0)
  })
})
