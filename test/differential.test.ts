import { describe, expect, test } from 'vitest'
import type { Engine } from '../src/engine/index.ts'
import { createReferenceEngine } from '../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../src/engine/wasm/index.ts'
import { INSTRUCTIONS, type InstructionRow, rowOfOpcode } from '../src/isa/index.ts'
import { resolveBindings } from '../src/machine/index.ts'
import { computeShaders } from './support/corpus-programs.ts'
import { compareOn, isRacy } from './support/differential.ts'
import { compareShader } from './support/differential-corpus.ts'
import { FIXED_SEEDS, type SeededProgram } from './support/fixed-seeds.ts'
import { failedChecks, KERNEL_NAMES, outcomeOf, prepareKernel, readKernel } from './support/kernel.ts'
import { optionsOf, randomProgram, VALUE_ROWS } from './support/random-program.ts'
import { countSharedDispatches, createSharingEngine } from './support/sharing.ts'

const WIDTHS = [1, 2, 4] as const
const reference = createReferenceEngine({})

/** Seeds whose program differs between the engines; a seed alone replays its program. */
async function differing(
  seeds: readonly SeededProgram[],
  make = (width: 1 | 2 | 4): Engine => createWasmEngineWith({ width, shortRuns: width === 2 }),
): Promise<string[]> {
  const engines = WIDTHS.map(make)
  const found: string[] = []
  for (const { seed, options, load } of seeds) {
    const p = randomProgram(seed, options)
    const verdict = await compareOn({ reference, engine: engines[seed % 3]!, load }, p, seed)
    if (verdict.kind === 'differs') found.push(`seed ${seed}, ${WIDTHS[seed % 3]} vectors: ${verdict.text}`)
  }
  for (const engine of engines) engine.dispose?.()
  return found
}

const everySixth = (seeds: readonly SeededProgram[]): SeededProgram[] => seeds.filter((_, n) => n % 6 === 0)

describe('the WebAssembly engine against the reference, word for word', () => {
  test.each(FIXED_SEEDS)('$name', async ({ seeds }) => expect(await differing(seeds)).toEqual([]), 60_000)
  // Every sixth: code with assertions is several times as long.
  test.each(FIXED_SEEDS)(
    '$name, with what the compiler takes for granted asserted',
    async ({ seeds }) => {
      const asserting = (width: 1 | 2 | 4): Engine => createWasmEngineWith({ width, assertions: true })
      expect(await differing(everySixth(seeds), asserting)).toEqual([])
    },
    60_000,
  )

  test('on two threads of the host, which share dispatches of several groups', async () => {
    const shared = countSharedDispatches()
    const seeds = everySixth(FIXED_SEEDS.flatMap((x) => x.seeds))
    expect(await differing(seeds, (width) => createSharingEngine({ width, threads: 2 }))).toEqual([])
    expect(shared()).toBeGreaterThan(seeds.length / 10)
  }, 60_000)
})

describe('the compute shaders of the corpus', () => {
  test('leave the same on both engines, where they end soon', async () => {
    const found: string[] = []
    let equal = 0
    for (const [n, { name, program }] of computeShaders().entries()) {
      const width = WIDTHS[n % 3]!
      const engine = createWasmEngineWith({ width })
      const lanes = ({ 1: 4, 2: 8, 4: 16 } as const)[width]
      const verdict = await compareShader({ reference, engine, lanes, maxInstructions: 2000 }, program)
      if (verdict.kind === 'equal' || verdict.kind === 'equal-in-order') equal++
      else if (verdict.kind !== 'too-long' && verdict.kind !== 'cannot-run') found.push(`${name}: ${verdict.kind}`)
    }
    expect(found).toEqual([])
    expect(equal).toBeGreaterThanOrEqual(180)
  }, 120_000)
})

describe('the generator', () => {
  const SAMPLE = Array.from({ length: 1000 }, (_, i) => randomProgram(1 + i, optionsOf(1 + i)))

  /** Instructions that no program has, with the reason. */
  const LEFT_OUT: Readonly<Record<string, string>> = {
    sample: 'needs derivatives',
    sample_b: 'needs derivatives',
    sample_c: 'needs derivatives',
    sample_cl_s: 'needs derivatives',
    sample_b_cl_s: 'needs derivatives',
    sample_c_cl_s: 'needs derivatives',
  }

  test('makes every instruction that a compute shader can run', () => {
    const made = new Set<string>()
    for (const { program } of SAMPLE) {
      for (const s of program.statements) if (s.kind === 'instruction') made.add(rowOfOpcode(s.opcode)!.mnemonic)
    }
    // The value instructions stand in many programs each, so that all forms of their operands come.
    const uses = (row: InstructionRow): number =>
      SAMPLE.filter((p) => p.program.statements.some((s) => s.kind === 'instruction' && s.opcode === row.opcode)).length
    expect(VALUE_ROWS.filter((row) => uses(row) < 20).map((row) => row.mnemonic)).toEqual([])
    const runnable = INSTRUCTIONS.filter(
      ({ stages, traits }) =>
        stages.includes('compute') && !['declaration', 'debug', 'custom-data'].includes(traits.kind),
    ).map((row) => row.mnemonic)
    expect(runnable.filter((name) => !made.has(name)).sort()).toEqual(Object.keys(LEFT_OUT).sort())
  })

  test('makes programs whose results do not depend on the schedule', async () => {
    const racy: number[] = []
    for (let seed = 2000; seed < 2040; seed++) {
      if (await isRacy(reference, randomProgram(seed, optionsOf(seed)), seed, {})) racy.push(seed)
    }
    expect(racy).toEqual([])
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
