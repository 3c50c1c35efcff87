/** A dispatch of thread groups on the reference engine, which can stop between any two statements, go on, and go back. */
import type { Diagnostic } from '../../../diagnostic/index.ts'
import { DEFAULT_SCHEDULE, WrittenPages } from '../../../machine/index.ts'
import type {
  DispatchResult,
  Execution,
  ExecutionSnapshot,
  GroupCounts,
  LoadedShader,
  Position,
  Progress,
  Stop,
  Until,
} from '../../contract.ts'
import { threadsOf } from '../../declarations.ts'
import type { GroupState, WaveState } from '../../inspection.ts'
import { resetCounters } from '../../request.ts'
import { haltDiagnostics, stopDiagnostic } from '../../run-execution.ts'
import { stateOfGroup, stateOfWave } from './inspect.ts'
import { createDispatch, type Prepared } from './prepare.ts'
import { advanceGrid, createGridRun, currentWave, type GridRun, stepGrid } from './scheduler.ts'
import { type GridSnapshot, restoreGrid, saveGrid } from './snapshot.ts'
import { clockOf, countSteps, type Dispatch, isHalt, type Wave } from './state.ts'

/** A dispatch under way: what it runs is data of the scheduler, and it goes on from any statement. */
export class ReferenceExecution implements Execution {
  readonly #shader: LoadedShader
  readonly #prepared: Prepared
  readonly #dispatch: Dispatch
  readonly #run: GridRun
  /** The last snapshot taken or gone back to; the next shares its pages. */
  #latest: GridSnapshot | undefined

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
      diagnostics: [...extra, ...findings.diagnostics(this.#shader.declarations.program, this.#shader.options.listing)],
      undefinedCount: findings.undefinedCount,
      threadInstructionCount: this.#dispatch.threadInstructions,
    }
    return stopped === undefined ? result : { stopped, ...result }
  }

  /** Runs a part; the result where it was the last, or a thread ended the dispatch. */
  #advance(part: () => boolean): DispatchResult | undefined {
    try {
      return part() ? this.#result(undefined, []) : undefined
    } catch (e) {
      if (!isHalt(e)) throw e
      const wave = currentWave(this.#run)
      if (wave !== undefined) countSteps(wave)
      return this.#result(
        e.halt,
        haltDiagnostics(e.halt, this.#shader, e.statement, this.#dispatch.maxInstructionsPerThread),
      )
    }
  }

  run({ time }: Until): DispatchResult | undefined {
    return this.#advance(() => advanceGrid(this.#run, time))
  }

  step(count = 1, stopsBefore?: (wave: WaveState) => boolean): DispatchResult | undefined {
    const stops = stopsBefore && ((w: Wave): boolean => stopsBefore(stateOfWave(w, this.#prepared.code)))
    return this.#advance(() => stepGrid(this.#run, count, stops))
  }

  get clock(): number {
    const wave = currentWave(this.#run)
    return wave === undefined ? this.#dispatch.clock.statements : clockOf(wave)
  }

  inspect(): readonly GroupState[] {
    const { slots, cursor } = this.#run
    return cursor.inFlight.map((i) => stateOfGroup(slots[i]!.group, this.#prepared.code))
  }

  next(): Position | undefined {
    const wave = currentWave(this.#run)
    if (wave === undefined) return undefined
    const { groupX, groupY, groupZ } = wave.group
    const { statements } = this.#prepared.code
    const { firstThread, pc } = wave
    return { group: [groupX, groupY, groupZ], wave: wave.wave, firstThread, statement: statements[pc]! }
  }

  snapshot(): ExecutionSnapshot {
    this.#latest = saveGrid(this.#run, this.#latest)
    return this.#latest
  }

  keepWrittenPages(): WrittenPages | undefined {
    const dispatch = this.#dispatch
    if (dispatch.observer !== undefined) dispatch.pages = new WrittenPages(dispatch.bindings)
    return dispatch.pages
  }

  restore(snapshot: ExecutionSnapshot): void {
    this.#latest = restoreGrid(this.#run, snapshot)
  }

  stop(why: 'time' | 'canceled'): DispatchResult {
    const { maxMilliseconds } = this.#prepared.options
    return this.#result(why, [stopDiagnostic(why, this.progress, maxMilliseconds)])
  }

  dispose(): void {
    // Everything it holds is collected with it.
  }
}
