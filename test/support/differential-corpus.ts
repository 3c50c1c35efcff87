import { gatherComputeDeclarations } from '../../src/engine/gather/declarations.ts'
import type { Engine, LoadOptions } from '../../src/engine/index.ts'
import type { Program } from '../../src/program/index.ts'
import { compareWith, isRacy, type Runnable, runProgram, type Verdict } from './differential.ts'
import { classInstancesOf } from './random-class-instances.ts'

/** Compiled shaders on engines, with bindings made from a seed for all that they declare. */

export type CorpusVerdict =
  | Verdict
  /** It is no compute shader, or declares what no dispatch has. */
  | { readonly kind: 'cannot-run'; readonly text: string }
  /** Its result depends on the order of threads, so that there is none to compare with. */
  | { readonly kind: 'racy' }
  /** It depends on the order, and is equal where the reference engine takes the order of the compiled code. */
  | { readonly kind: 'equal-in-order' }

/** Parts of the inputs that are integers, one after the other until the shader ends: floats count very far. */
const INTEGERS = [0.5, 0.5, 1, 1] as const
const GROUPS = [3, 1, 1] as const

/** How shaders are compared: lanes of the engine's waves, and what is compared. */
export interface CorpusComparison {
  readonly reference: Engine
  readonly engine: Engine
  readonly lanes: 4 | 8 | 16
  readonly load?: LoadOptions
  readonly findings?: boolean
  /** Instructions of a thread after which a shader is given up; default as in random programs. */
  readonly maxInstructions?: number
}

/** Compares one shader. */
export async function compareShader(c: CorpusComparison, program: Program): Promise<CorpusVerdict> {
  const { reference, engine, load = {}, findings = false, maxInstructions } = c
  const dispatch = maxInstructions === undefined ? {} : { maxInstructionsPerThread: maxInstructions }
  const declarations = gatherComputeDeclarations(program)
  if (declarations.value === undefined) {
    return { kind: 'cannot-run', text: declarations.diagnostics.map((d) => d.message).join('; ') }
  }
  const classInstances = classInstancesOf(declarations.value)
  let verdict: CorpusVerdict = { kind: 'too-long' }
  for (const [seed, integers] of INTEGERS.entries()) {
    if (verdict.kind !== 'too-long') break
    const p: Runnable = { program, groups: GROUPS, numbers: 'tame', classInstances, integers }
    const want = await runProgram(reference, p, seed, load, dispatch)
    if ('refused' in want) return { kind: 'cannot-run', text: want.refused }
    if (want.stopped === 'budget') continue
    verdict = await compareWith(want, { engine, load, dispatch, findings }, p, seed)
    if (verdict.kind === 'differs' && (await isRacy(reference, p, seed, load))) return inOrder(c, p, seed)
  }
  return verdict
}

/** Compiled code runs waves of its lanes one after the other: the reference engine can do the same. */
async function inOrder(c: CorpusComparison, p: Runnable, seed: number): Promise<CorpusVerdict> {
  const schedule = { waveWidth: c.lanes, order: 'forward', groupsInFlight: 1 } as const
  const load = c.load ?? {}
  const want = await runProgram(c.reference, p, seed, load, { schedule })
  const verdict = await compareWith(want, { engine: c.engine, load }, p, seed)
  return { kind: verdict.kind === 'equal' ? 'equal-in-order' : 'racy' }
}
