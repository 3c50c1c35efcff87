/** Runs executions to their end, at once or in slices that yield to the host; engines, devices and jobs use it. */
import { type Diagnostic, diagnostic, type Outcome } from '../diagnostic/index.ts'
import type { ResolvedBindings } from '../machine/index.ts'
import { statementName, withNamedPlaces } from '../program/index.ts'
import type {
  DispatchOptions,
  DispatchResult,
  Engine,
  Execution,
  GroupCounts,
  LoadedShader,
  Stop,
  Until,
} from './contract.ts'
import { hostWaits, nextTask, SLICE_MS, sliceEnd } from './next-task.ts'
import { refusedResult } from './request.ts'
import { holdResources } from './resource-use.ts'

const now = (): number => performance.now()

function deadlineOf({ maxMilliseconds }: DispatchOptions): number {
  return maxMilliseconds === undefined ? Number.POSITIVE_INFINITY : now() + maxMilliseconds
}

/** Runs up to a time; a result where that ended it. */
function advance(
  execution: Execution,
  until: Until,
  options: DispatchOptions,
  isCanceled?: () => boolean,
): DispatchResult | undefined {
  if (options.signal?.aborted === true || isCanceled?.() === true) return execution.stop('canceled')
  const result = execution.run(until)
  if (result === undefined && now() >= until.deadline) return execution.stop('time')
  options.onProgress?.(execution.progress)
  return result
}

/** Runs what has begun to its end, without yielding. */
export function runAtOnce(begun: Outcome<Execution>, options: DispatchOptions = {}): DispatchResult {
  const { value: execution, diagnostics } = begun
  if (execution === undefined) return refusedResult(diagnostics)
  try {
    const deadline = deadlineOf(options)
    for (;;) {
      const result = advance(execution, { time: deadline, deadline }, options)
      if (result !== undefined) return { ...result, diagnostics: [...diagnostics, ...result.diagnostics] }
    }
  } finally {
    execution.dispose()
  }
}

/**
 * The dispatch or draw that an engine runs in slices: others wait for its end, so that they run in the order of their
 * calls.
 */
const RUNNING = new WeakMap<Engine, Promise<void>>()

/**
 * A dispatch on an engine. A short one ends without yielding; a long one yields to the host between slices.
 * `isCanceled` is called whenever a slice begins, beside the signal. What is bound is in use until the end.
 */
export async function runInSlices(
  engine: Engine,
  shader: LoadedShader,
  bindings: ResolvedBindings,
  groups: GroupCounts,
  options: DispatchOptions = {},
  isCanceled?: () => boolean,
): Promise<DispatchResult> {
  const free = holdResources(bindings)
  try {
    return await runSlices(engine, shader, bindings, groups, options, isCanceled)
  } finally {
    free()
  }
}

async function runSlices(
  engine: Engine,
  shader: LoadedShader,
  bindings: ResolvedBindings,
  groups: GroupCounts,
  options: DispatchOptions,
  isCanceled: (() => boolean) | undefined,
): Promise<DispatchResult> {
  for (let before = RUNNING.get(engine); before !== undefined; before = RUNNING.get(engine)) await before
  // A series of short dispatches must not hold the host either.
  if (hostWaits(SLICE_MS)) await nextTask()
  for (let before = RUNNING.get(engine); before !== undefined; before = RUNNING.get(engine)) await before
  const begun = engine.begin(shader, bindings, { kind: 'grid', groups }, options)
  const { value: execution, diagnostics } = begun
  if (execution === undefined) return refusedResult(diagnostics)
  const complete = (result: DispatchResult): DispatchResult =>
    diagnostics.length === 0 ? result : { ...result, diagnostics: [...diagnostics, ...result.diagnostics] }
  const deadline = deadlineOf(options)
  const slice = (): DispatchResult | undefined =>
    advance(execution, { time: Math.min(deadline, sliceEnd(SLICE_MS)), deadline }, options, isCanceled)
  let over = (): void => undefined
  try {
    let result = slice()
    if (result !== undefined) return complete(result)
    const ended = new Promise<void>((resolve) => {
      over = resolve
    })
    RUNNING.set(engine, ended)
    while (result === undefined) {
      await nextTask()
      result = slice()
    }
    return complete(result)
  } finally {
    execution.dispose()
    RUNNING.delete(engine)
    over()
  }
}

/** Runs other work of an engine that yields to the host, such as a draw, when what was called before it has ended. */
export async function runInTurn<T>(engine: Engine, run: () => Promise<T>): Promise<T> {
  for (let before = RUNNING.get(engine); before !== undefined; before = RUNNING.get(engine)) await before
  let over = (): void => undefined
  const ended = new Promise<void>((resolve) => {
    over = resolve
  })
  RUNNING.set(engine, ended)
  try {
    return await run()
  } finally {
    RUNNING.delete(engine)
    over()
  }
}

/** The diagnostic of a dispatch that was ended from outside. */
export function stopDiagnostic(
  why: 'time' | 'canceled',
  { done, total }: Execution['progress'],
  ms?: number,
  unit = 'groups',
) {
  const far = `after ${done} of ${total} ${unit}`
  if (why === 'canceled') return diagnostic('engine-canceled', `the dispatch was canceled ${far}`)
  const limit = ms === undefined ? '' : ` of ${ms} ms`
  return diagnostic('engine-time', `the dispatch was stopped ${far}: its time${limit} is up`)
}

/** Why a thread ended its dispatch. An undefined operation, which traps, is a finding by itself. */
type Halted = Extract<Stop, 'budget' | 'abort' | 'trap'>

type HaltText = (place: string, maxInstructions: number) => Pick<Diagnostic, 'message' | 'code'>

const HALTS: Readonly<Record<Exclude<Halted, 'trap'>, HaltText>> = {
  abort: (place) => ({ code: 'engine-abort', message: `a thread executed abort at ${place}` }),
  budget: (place, max) => ({
    code: 'engine-budget',
    message: `a thread executed more than ${max} instructions, last in the loop at ${place}`,
  }),
}

/** What every engine reports of a thread that ended its dispatch. */
export function haltDiagnostics(
  halted: Halted,
  { declarations, options }: LoadedShader,
  statement: number,
  maxInstructions: number,
): readonly Diagnostic[] {
  if (halted === 'trap') return []
  const { program } = declarations
  const { code, message } = HALTS[halted](statementName(program, statement), maxInstructions)
  return withNamedPlaces([diagnostic(code, message, { kind: 'statement', index: statement })], program, options.listing)
}
