/** Random walks over time lines, forward and backward, held against a run that was gone over once from start to end. */
import { createTimeLine } from '../../../src/debug/index.ts'
import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import { matchBindings, threadCountOf } from '../../../src/engine/index.ts'
import { createReferenceEngine } from '../../../src/engine/reference/index.ts'
import { rowOfOpcode } from '../../../src/isa/index.ts'
import { type ResolvedBindings, UNDEFINED_POLICIES } from '../../../src/machine/index.ts'
import type { Program } from '../../../src/program/index.ts'
import { mutantsOf } from '../../faults/mutate.ts'
import { KERNEL_NAMES, prepareKernel, readKernel } from '../kernel.ts'
import { Random } from '../random/random.ts'
import { randomBindings } from '../random-bindings.ts'
import { optionsOf, randomProgram } from '../random-program.ts'
import { scheduleOfCase } from '../snapshots.ts'
import { type DigestOf, placesOf, wholeDigest } from './digest.ts'
import { findingsStep, plainRun, wrongFindings } from './findings.ts'
import { lineStep } from './lines.ts'
import type { WalkedRun } from './moments.ts'
import { copyContents, refresh, type WalkState } from './state.ts'
import { changeStep, historyStep, jump, runStep, single, unitStep } from './steps.ts'

const ENGINE = createReferenceEngine({})

/** What the time line shows must be what was written down. */
function wrongState(s: WalkState, shown: DigestOf): string | undefined {
  const { line, moments } = s
  const m = moments[line.clock]
  if (m === undefined) return `stands at ${line.clock} of ${moments.length}`
  const next = line.next === undefined ? undefined : JSON.stringify(line.next)
  if (next !== m.next) return `at ${line.clock} ${next} is next, not ${m.next}`
  const digest = shown(line.groups)
  return digest === m.digest ? undefined : `at ${line.clock} the state is another`
}

/** What a run gave and left. */
export function endText(result: unknown, bindings: ResolvedBindings): string {
  const bytes = [...bindings.u.values()].map((view) => {
    const counter = view.shape === 'structured' ? view.counter : undefined
    return `${[...view.storage.words].join()} ${counter?.words[counter.index]}`
  })
  return `${JSON.stringify(result)} ${bytes.join('; ')}`
}

/** Without its changes, the time line ends as a run without it does: with its bytes, its statistics and its findings. */
async function wrongEnd(s: WalkState): Promise<string | undefined> {
  const { line, run, reset } = s
  for (const change of [...line.changes]) await line.dropChange(change)
  await line.goTo(Number.MAX_SAFE_INTEGER)
  const got = endText(line.result, run.bindings)
  const back = copyContents(run.bindings)
  reset()
  const { result, findings } = await plainRun(run)
  const want = endText(result, run.bindings)
  back()
  if (got !== want) return `the end is ${got.slice(0, 300)}, not ${want.slice(0, 300)}`
  return await wrongFindings(s, findings)
}

/** The ways of a walk, some of them oftener than others. */
const WAYS: readonly (readonly [times: number, (s: WalkState) => Promise<string | undefined>])[] = [
  [8, jump],
  [12, single],
  [16, runStep],
  [8, unitStep],
  [6, lineStep],
  [4, historyStep],
  [2, changeStep],
  [1, findingsStep],
]

/** Lengths of what is written down: most runs are short, so that walks come often to their ends. */
const SHORT = 800
/** Behind the first checkpoints that a run forward leaves. */
const LONG = 10_000

export interface WalkOptions {
  readonly steps: number
  /** Writes down more of the run. */
  readonly isLong?: boolean | undefined
}

/** Walks over a run; the first thing that is wrong, in words. */
export async function walkRun(
  run: WalkedRun,
  seed: number,
  { steps, isLong }: WalkOptions,
): Promise<string | undefined> {
  const reset = copyContents(run.bindings)
  const random = new Random(seed)
  const { engine, shader: loaded, bindings, groups, options } = run
  const limits = random.chance(0.3) ? { maxCheckpointBytes: 1 << random.below(24) } : {}
  const line = valueOrThrow(createTimeLine({ engine, loaded, bindings, groups, options }, limits))
  const most = isLong === true ? LONG : SHORT
  const s: WalkState = { run, line, random, reset, changes: [], moments: [], isCut: false, most }
  refresh(s, 0)
  const shown = wholeDigest(bindings, placesOf(loaded))
  const ways = WAYS.flatMap(([times, way]) => Array.from({ length: times }, () => way))
  for (let n = 0; n < steps; n++) {
    const wrong = (await random.pick(ways)(s)) ?? wrongState(s, shown)
    if (wrong !== undefined) return `step ${n}: ${wrong}`
  }
  const wrong = await wrongEnd(s)
  line.dispose()
  reset()
  return wrong
}

/** A corner of a kernel, or of one with a fault, cut off by the budget of instructions. */
function cornerOf(name: string, program: Program, n: number, maxInstructionsPerThread: number): WalkedRun {
  const kernel = readKernel(name)
  const shader = valueOrThrow(ENGINE.load(program))
  const bindings = valueOrThrow(matchBindings(shader.declarations, prepareKernel(kernel).bindings))
  const [x, y] = kernel.dispatch
  const most = threadCountOf(shader.declarations) > 64 ? 1 : 3
  const groups = [Math.min(x, most), x > 1 ? 1 : Math.min(y, most), 1] as const
  const options = { schedule: scheduleOfCase(n), maxInstructionsPerThread }
  return { engine: ENGINE, shader, bindings, groups, options }
}

const budgetOf = ({ isLong }: WalkOptions): number => (isLong === true ? 2000 : 150)

export const walkKernel = (name: string, n: number, options: WalkOptions): Promise<string | undefined> =>
  walkRun(cornerOf(name, readKernel(name).program, n, budgetOf(options)), n, options)

/** A kernel with a fault that was put into it: detectors find something in most of them. */
export function faultyRun(name: string, n: number, maxInstructionsPerThread: number): WalkedRun {
  const mutants = mutantsOf(name, readKernel(name).program)
  return cornerOf(name, mutants[(n * 7919) % mutants.length]!.program, n, maxInstructionsPerThread)
}

export const walkFault = (name: string, n: number, options: WalkOptions): Promise<string | undefined> =>
  walkRun(faultyRun(name, n, budgetOf(options)), n, options)

/** A kernel without one of the instructions that compute something: registers are read that nothing wrote. */
export function shortenedRun(name: string, n: number, maxInstructionsPerThread: number): WalkedRun {
  const { program } = readKernel(name)
  const computing = program.statements.flatMap((s, i) =>
    s.kind === 'instruction' && rowOfOpcode(s.opcode)?.traits.kind === 'alu' ? [i] : [],
  )
  const left = computing[n % computing.length]
  const statements = program.statements.filter((_, i) => i !== left)
  return cornerOf(name, { ...program, statements }, n, maxInstructionsPerThread)
}

/** A random program of a seed, which also chooses its schedule and what is done about the undefined. */
export function randomRun(seed: number): WalkedRun {
  const p = randomProgram(seed, optionsOf(seed))
  const shader = valueOrThrow(ENGINE.load(p.program))
  const fill = { numbers: p.numbers, hints: p.hints, unbound: 1 / 12 }
  const given = randomBindings(shader.declarations, seed, fill).bindings
  const bindings = valueOrThrow(matchBindings(shader.declarations, given))
  const options = {
    schedule: scheduleOfCase(seed),
    undefinedPolicy: UNDEFINED_POLICIES[seed % 3]!,
    classInstances: p.classInstances,
    maxInstructionsPerThread: 20_000,
  }
  return { engine: ENGINE, shader, bindings, groups: p.groups, options }
}

export const walkRandom = (seed: number, options: WalkOptions): Promise<string | undefined> =>
  walkRun(randomRun(seed), seed, options)

export { KERNEL_NAMES }
