import {
  aFunction,
  anObject,
  anything,
  checkArguments,
  type Diagnostic,
  diagnostic,
  failure,
  hasErrors,
  type Outcome,
  outcomeOf,
  showValue,
} from '../diagnostic/index.ts'
import {
  checkDispatch,
  checkSchedule,
  DEFAULT_SCHEDULE,
  type ResolvedBindings,
  UNDEFINED_POLICIES,
} from '../machine/index.ts'
import { type ClassBinding, resolveClassInstances } from './class-instances.ts'
import type { DispatchOptions, DispatchResult, GroupCounts, Invocations, LoadedShader } from './contract.ts'
import type { Declarations } from './declarations.ts'

/** What every engine checks before it runs anything, so that all refuse the same with the same words. */

/** Groups that 32 bits number, in all three dimensions together. */
const MAX_GROUPS = 2 ** 32 - 1

/** Groups in Z that cs_4_0 and cs_4_1 can have (functional specification 18.7). */
const MAX_Z_SM4 = 1

/** Names of the options of a dispatch; most values are checked below. */
const OPTIONS = {
  ...{ schedule: anObject, undefinedPolicy: anything, maxInstructionsPerThread: anything, maxDiagnostics: anything },
  ...{ classInstances: anObject, observer: anObject, maxMilliseconds: anything },
  ...{ signal: anObject, onProgress: aFunction, progress: aFunction },
}

/** Group counts as callers give them, one to three of them; those that are missing are 1. */
export function groupCounts(given: unknown): Outcome<GroupCounts> {
  const isList = Array.isArray(given) && given.length >= 1 && given.length <= 3
  if (isList && given.every((n) => typeof n === 'number')) {
    const [x = 1, y = 1, z = 1]: readonly number[] = given
    return outcomeOf([x, y, z])
  }
  const text = `The thread group counts are ${showValue(given)}; a list of one to three numbers is expected.`
  return failure([diagnostic('machine-dispatch-size', text)])
}

function checkOptions(options: DispatchOptions): Diagnostic[] {
  const wrong = checkArguments('engine-invalid-option', 'a dispatch', options, OPTIONS)
  if (wrong.length > 0) return wrong
  const found = checkSchedule(options.schedule ?? DEFAULT_SCHEDULE)
  const { maxInstructionsPerThread: budget, maxDiagnostics, undefinedPolicy } = options
  if (budget !== undefined && !(budget > 0)) {
    found.push(diagnostic('engine-invalid-option', `maxInstructionsPerThread is ${budget}; it must be more than 0`))
  }
  const { maxMilliseconds } = options
  if (maxMilliseconds !== undefined && !(typeof maxMilliseconds === 'number' && maxMilliseconds > 0)) {
    const text = `maxMilliseconds is ${showValue(maxMilliseconds)}; it must be more than 0`
    found.push(diagnostic('engine-invalid-option', text))
  }
  if (maxDiagnostics !== undefined && !(maxDiagnostics >= 0)) {
    found.push(diagnostic('engine-invalid-option', `maxDiagnostics is ${maxDiagnostics}; it must be 0 or more`))
  }
  if (undefinedPolicy !== undefined && !(UNDEFINED_POLICIES as readonly string[]).includes(undefinedPolicy)) {
    const known = UNDEFINED_POLICIES.join(', ')
    found.push(diagnostic('engine-invalid-option', `undefinedPolicy is ${undefinedPolicy}; it must be one of ${known}`))
  }
  return found
}

/** Checks group counts, options and class instances of a dispatch; a value only where nothing is wrong. */
export function checkRequest(d: Declarations, groups: GroupCounts, options: DispatchOptions): Outcome<ClassBinding> {
  const wrong = checkOptions(options)
  if (hasErrors(wrong)) return failure(wrong)
  const classes = resolveClassInstances(d, options.classInstances ?? {})
  const counts = d.program.major === 4 ? checkDispatch(groups, MAX_Z_SM4) : checkDispatch(groups)
  const total = groups[0] * groups[1] * groups[2]
  if (counts.length === 0 && total > MAX_GROUPS) {
    const text = `The dispatch has ${total} thread groups; it can have ${MAX_GROUPS}.`
    counts.push(diagnostic('machine-dispatch-size', text))
  }
  const diagnostics = [...wrong, ...counts, ...classes.diagnostics]
  if (classes.value === undefined || hasErrors(diagnostics)) return failure(diagnostics)
  return outcomeOf(classes.value, diagnostics)
}

/** Checks options and class instances of a shader of a draw; a value only where nothing is wrong. */
export function checkStageRequest(d: Declarations, options: DispatchOptions): Outcome<ClassBinding> {
  const wrong = checkOptions(options)
  if (hasErrors(wrong)) return failure(wrong)
  const classes = resolveClassInstances(d, options.classInstances ?? {})
  if (wrong.length === 0) return classes
  const diagnostics = [...wrong, ...classes.diagnostics]
  if (classes.value === undefined || hasErrors(diagnostics)) return failure(diagnostics)
  return outcomeOf(classes.value, diagnostics)
}

/** What is wrong where a shader is begun for invocations of other stages: draws and dispatches have their own. */
export function misplacedShader({ declarations }: LoadedShader, { kind }: Invocations): Diagnostic | undefined {
  const stage = declarations.stage.kind
  if ((stage === 'compute') === (kind === 'grid')) return undefined
  const drawn = `only compute shaders can be dispatched; this is a ${stage} shader, which a draw runs`
  const text = stage === 'compute' ? 'a draw does not run compute shaders; they are dispatched' : drawn
  return diagnostic('engine-stage', text)
}

/** What an engine that runs compute shaders alone says of batches. */
export function doesNotDraw(engine: string, shader: LoadedShader): Diagnostic {
  return diagnostic(
    'engine-not-compiled',
    `the engine ${engine} does not run ${shader.declarations.stage.kind} shaders`,
  )
}

/** The result of a dispatch that was not started. */
export function refusedResult(diagnostics: readonly Diagnostic[]): DispatchResult {
  return { stopped: 'refused', diagnostics, undefinedCount: 0 }
}

/** Counters take their initial values; -1 and none keep what they have (functional specification 5.3.10). */
export function resetCounters(bindings: ResolvedBindings): void {
  for (const view of bindings.u.values()) {
    if (view.shape !== 'structured' || view.counter?.initialValue === undefined) continue
    view.counter.words[view.counter.index] = view.counter.initialValue
  }
}
