import { type Diagnostic, diagnostic, hasErrors, type Outcome } from '../diagnostic/index.ts'
import {
  checkDispatch,
  checkSchedule,
  DEFAULT_SCHEDULE,
  type ResolvedBindings,
  UNDEFINED_POLICIES,
} from '../machine/index.ts'
import { type ClassBinding, resolveClassInstances } from './class-instances.ts'
import type { DispatchOptions, DispatchResult, GroupCounts } from './contract.ts'
import type { Declarations } from './declarations.ts'

/** What every engine checks before it runs anything, so that all refuse the same with the same words. */

/** Groups in Z that cs_4_0 and cs_4_1 can have (functional specification 18.7). */
const MAX_Z_SM4 = 1

function checkOptions(options: DispatchOptions): Diagnostic[] {
  const found = checkSchedule(options.schedule ?? DEFAULT_SCHEDULE)
  const { maxInstructionsPerThread: budget, maxDiagnostics, undefinedPolicy } = options
  if (budget !== undefined && !(budget > 0)) {
    found.push(diagnostic('engine-option', `maxInstructionsPerThread is ${budget}; it must be more than 0`))
  }
  if (maxDiagnostics !== undefined && !(maxDiagnostics >= 0)) {
    found.push(diagnostic('engine-option', `maxDiagnostics is ${maxDiagnostics}; it must be 0 or more`))
  }
  if (undefinedPolicy !== undefined && !(UNDEFINED_POLICIES as readonly string[]).includes(undefinedPolicy)) {
    const known = UNDEFINED_POLICIES.join(', ')
    found.push(diagnostic('engine-option', `undefinedPolicy is ${undefinedPolicy}; it must be one of ${known}`))
  }
  return found
}

/** Checks group counts, options and class instances of a dispatch; a value only where nothing is wrong. */
export function checkRequest(d: Declarations, groups: GroupCounts, options: DispatchOptions): Outcome<ClassBinding> {
  const classes = resolveClassInstances(d, options.classInstances ?? {})
  const counts = d.program.major === 4 ? checkDispatch(groups, MAX_Z_SM4) : checkDispatch(groups)
  const diagnostics = [...checkOptions(options), ...counts, ...classes.diagnostics]
  if (classes.value === undefined || hasErrors(diagnostics)) return { diagnostics }
  return { value: classes.value, diagnostics }
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
