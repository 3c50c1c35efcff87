/** A stage of a draw on the reference engine: runs batch after batch, stops between any two statements, and goes back. */
import { WrittenPages } from '../../../machine/index.ts'
import type { Batch } from '../../batch.ts'
import type {
  BatchExecution,
  DispatchResult,
  ExecutionSnapshot,
  LoadedShader,
  Position,
  Progress,
  Until,
} from '../../contract.ts'
import type { GroupState, WaveState } from '../../inspection.ts'
import type { EntryLayout } from '../../register-layout.ts'
import { haltDiagnostics, stopDiagnostic } from '../../run-execution.ts'
import type { Code } from '../compile/compile.ts'
import { advanceBatch, type BatchRun, createBatchRun, currentEntry, startBatch, stepBatch } from './batch-run.ts'
import { type BatchSnapshot, restoreBatch, saveBatch } from './batch-snapshot.ts'
import { stateOfGroup, stateOfWave } from './inspect.ts'
import type { Prepared } from './prepare.ts'
import { clockOf, countSteps, isHalt, type Wave } from './state.ts'

export class ReferenceBatchExecution implements BatchExecution {
  readonly engine: string
  readonly layouts: readonly EntryLayout[]
  readonly #shader: LoadedShader
  readonly #prepared: Omit<Prepared, 'code'>
  readonly #run: BatchRun
  /** The last snapshot taken or gone back to; the next shares its pages. */
  #latest: BatchSnapshot | undefined

  constructor(shader: LoadedShader, codes: readonly Code[], prepared: Omit<Prepared, 'code'>) {
    this.engine = shader.engine
    this.layouts = codes.map((code) => code.columns.layout)
    this.#shader = shader
    this.#prepared = prepared
    this.#run = createBatchRun(shader, codes, prepared)
  }

  get progress(): Progress {
    return { done: this.#run.done, total: this.#run.batch?.count ?? 0 }
  }

  start(batch: Batch): void {
    if (this.#run.end === undefined) startBatch(this.#run, batch)
  }

  /** Runs a part; the result where an invocation ended the draw. */
  #advance(part: () => void): DispatchResult | undefined {
    if (this.#run.end !== undefined) return this.#result()
    try {
      part()
      return undefined
    } catch (e) {
      const entry = currentEntry(this.#run)
      if (!isHalt(e) || entry === undefined) throw e
      countSteps(entry.wave)
      const diagnostics = haltDiagnostics(e.halt, this.#shader, e.statement, entry.dispatch.maxInstructionsPerThread)
      this.#run.end = { stopped: e.halt, diagnostics }
      return this.#result()
    }
  }

  run({ time }: Until): DispatchResult | undefined {
    return this.#advance(() => advanceBatch(this.#run, time))
  }

  step(count = 1, stopsBefore?: (wave: WaveState) => boolean): DispatchResult | undefined {
    const stops = stopsBefore && ((w: Wave): boolean => stopsBefore(stateOfWave(w, currentEntry(this.#run)!.code)))
    return this.#advance(() => stepBatch(this.#run, count, stops))
  }

  get clock(): number {
    const { wave } = currentEntry(this.#run) ?? this.#run.entries[0]!
    return clockOf(wave)
  }

  inspect(): readonly GroupState[] {
    const entry = this.#run.end === undefined ? currentEntry(this.#run) : undefined
    return entry === undefined ? [] : [stateOfGroup(entry.group, entry.code)]
  }

  next(): Position | undefined {
    const entry = this.#run.end === undefined ? currentEntry(this.#run) : undefined
    if (entry === undefined) return undefined
    const { wave, code } = entry
    return { group: [0, 0, 0], wave: 0, firstThread: wave.firstThread, statement: code.statements[wave.pc]! }
  }

  snapshot(): ExecutionSnapshot {
    this.#latest = saveBatch(this.#run, this.#latest)
    return this.#latest
  }

  keepWrittenPages(): WrittenPages | undefined {
    const { observer } = this.#prepared.options
    const pages = observer === undefined ? undefined : new WrittenPages(this.#prepared.bindings)
    for (const { dispatch } of this.#run.entries) dispatch.pages = pages
    return pages
  }

  restore(snapshot: ExecutionSnapshot): void {
    this.#latest = restoreBatch(this.#run, snapshot)
  }

  stop(why: 'time' | 'canceled'): DispatchResult {
    const { maxMilliseconds } = this.#prepared.options
    const diagnostics = [stopDiagnostic(why, this.progress, maxMilliseconds, 'invocations of a batch')]
    this.#run.end ??= { stopped: why, diagnostics }
    return this.finish()
  }

  finish(): DispatchResult {
    this.#prepared.options.observer?.end?.()
    return this.#result()
  }

  #result(): DispatchResult {
    const { findings } = this.#prepared
    const { end, entries } = this.#run
    const { declarations, options } = this.#shader
    const result = {
      diagnostics: [...(end?.diagnostics ?? []), ...findings.diagnostics(declarations.program, options.listing)],
      undefinedCount: findings.undefinedCount,
      threadInstructionCount: entries.reduce((sum, e) => sum + e.dispatch.threadInstructions, 0),
    }
    return end === undefined ? result : { stopped: end.stopped, ...result }
  }

  dispose(): void {
    // Everything it holds is collected with it.
  }
}
