/** A dispatch of thread groups on the reference engine, which can stop between any two waves and go on. */
import type { Diagnostic } from '../../../diagnostic/index.ts'
import { DEFAULT_SCHEDULE } from '../../../machine/index.ts'
import type { DispatchResult, Execution, GroupCounts, LoadedShader, Progress, Stop, Until } from '../../contract.ts'
import { threadsOf } from '../../declarations.ts'
import { resetCounters } from '../../request.ts'
import { stopDiagnostic } from '../../run-execution.ts'
import { createDispatch, haltDiagnostics, type Prepared } from './prepare.ts'
import { advanceGrid, createGridRun, type GridRun } from './scheduler.ts'
import { type Dispatch, isHalt } from './state.ts'

/** A dispatch under way: what it runs is data of the scheduler, and it goes on from any wave. */
export class ReferenceExecution implements Execution {
  readonly #shader: LoadedShader
  readonly #prepared: Prepared
  readonly #dispatch: Dispatch
  readonly #run: GridRun

  constructor(shader: LoadedShader, prepared: Prepared, groups: GroupCounts) {
    const { options } = prepared
    const { declarations } = shader
    const schedule = options.schedule ?? DEFAULT_SCHEDULE
    this.#shader = shader
    this.#prepared = prepared
    this.#dispatch = createDispatch(prepared)
    resetCounters(prepared.bindings)
    options.observer?.begin?.({ groups, threads: threadsOf(declarations), waveWidth: schedule.waveWidth })
    this.#run = createGridRun(this.#dispatch, declarations, prepared.code, schedule, groups)
  }

  get progress(): Progress {
    return { done: this.#run.cursor.ended, total: this.#run.total }
  }

  #result(stopped: Stop | undefined, extra: readonly Diagnostic[]): DispatchResult {
    const { options, findings } = this.#prepared
    options.observer?.end?.()
    const result = {
      diagnostics: [...extra, ...findings.diagnostics(this.#shader.options.listing)],
      undefinedCount: findings.undefinedCount,
      threadInstructionCount: this.#dispatch.threadInstructions,
    }
    return stopped === undefined ? result : { stopped, ...result }
  }

  run({ time }: Until): DispatchResult | undefined {
    try {
      return advanceGrid(this.#run, time) ? this.#result(undefined, []) : undefined
    } catch (e) {
      if (!isHalt(e)) throw e
      return this.#result(e.halt, haltDiagnostics(e.halt, this.#shader, e.statement, this.#dispatch))
    }
  }

  stop(why: 'time' | 'cancelled'): DispatchResult {
    const { maxMilliseconds } = this.#prepared.options
    return this.#result(why, [stopDiagnostic(why, this.progress, maxMilliseconds)])
  }

  dispose(): void {
    // Everything it holds is collected with it.
  }
}
