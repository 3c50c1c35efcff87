import { appendAll, type Diagnostic } from '../../../../diagnostic/index.ts'
import { type Allocation, DEFAULT_DISPATCH_LIMITS } from '../../../../machine/index.ts'
import { type Batch, type BatchColumns, batchCapacity } from '../../../batch.ts'
import type { BatchExecution, DispatchResult, Progress, SharedShader, Stop, Until } from '../../../contract.ts'
import type { ShaderOperations } from '../../../element-kernels.ts'
import { createFindings, type Findings } from '../../../findings.ts'
import type { EntryLayout } from '../../../register-layout.ts'
import { stopDiagnostic } from '../../../run-execution.ts'
import { HEADER, STOPPED } from '../../emit/kernel-layout.ts'
import { addFindings, addSharedFindings, clearRecords, recordsIn } from '../../report/findings.ts'
import { codeTrap } from '../code-trap.ts'
import { failedClaim, stopOf } from '../refusals.ts'
import { passEmitted } from './emitted.ts'
import { EntryMemory, knownOf, NO_GROUPS, type StageParts } from './entry-memory.ts'
import type { JoinedLeft } from './joined-execution.ts'
import { fillHelpers, fillSamples, takeDiscarded } from './quad-words.ts'
import { sharedShader } from './shared-entries.ts'

/** Runs batches of a graphics stage in compiled code, as many invocations at once as the code was made for. */

export class WasmBatchExecution implements BatchExecution {
  readonly engine: string
  readonly layouts: readonly EntryLayout[]
  readonly #parts: StageParts
  readonly #entries: readonly EntryMemory[]
  readonly #findings: Findings
  readonly #halted: Diagnostic[] = []
  /** Effects on memory happen in the order of invocations, in pixel shaders of quads. */
  readonly #invocationsAtOnce: number
  #batch: Batch | undefined
  /** Invocations of the batch that have run. */
  #done = 0
  /** Of all batches, those of other threads included. */
  #invocations = 0
  #stopped: Stop | undefined

  private constructor(parts: StageParts, entries: readonly EntryMemory[]) {
    this.engine = parts.shader.engine
    this.layouts = parts.entries.map((e) => e.layout)
    this.#parts = parts
    this.#entries = entries
    const { declarations } = parts.shader
    const { stage, uavs } = declarations
    this.#invocationsAtOnce = uavs.length > 0 && stage.kind !== 'pixel' ? 1 : batchCapacity(declarations)
    this.#findings = createFindings(parts.options.maxDiagnostics ?? DEFAULT_DISPATCH_LIMITS.maxDiagnostics)
  }

  /** Undefined where the engine's memory has no room. */
  static create(parts: StageParts): WasmBatchExecution | undefined {
    const { memories } = parts
    const allocations: Allocation[] = []
    for (const entry of parts.entries) {
      const made = memories.allocate(knownOf(entry).byteLength)
      if (made === undefined) {
        allocations.forEach((a, n) => {
          memories.release(a, knownOf(parts.entries[n]!).byteLength)
        })
        return undefined
      }
      allocations.push(made)
    }
    // All are allocated before any array over them is made: the memory may grow.
    const entries = parts.entries.map((entry, n) => new EntryMemory(entry, parts, allocations[n]!))
    return new WasmBatchExecution(parts, entries)
  }

  get operations(): ShaderOperations | undefined {
    return knownOf(this.#entries[0]!.entry).operations
  }

  get hasOutputsAlone(): boolean {
    return this.#parts.entries.every((e) => knownOf(e).hasOutputsAlone)
  }

  get progress(): Progress {
    return { done: this.#done, total: this.#batch?.count ?? 0 }
  }

  start(batch: Batch): void {
    if (this.#stopped !== undefined) return
    this.#batch = batch
    this.#done = 0
    this.#entries[batch.entry]!.takeCurrentCode(this.#parts.memory, false)
  }

  run({ time, deadline }: Until): DispatchResult | undefined {
    const batch = this.#batch
    const most = this.#invocationsAtOnce
    const baseline = batch && this.#entries[batch.entry]!.pipeline.baseline
    let begin = baseline === undefined ? 0 : performance.now()
    while (batch !== undefined && this.#done < batch.count && this.#stopped === undefined) {
      const count = Math.min(most, batch.count - this.#done)
      this.#runPart(this.#entries[batch.entry]!, batch, this.#done, count, deadline)
      this.#done += count
      const now = performance.now()
      if (baseline !== undefined) baseline.ranMs += now - begin
      begin = now
      if (now >= time) break
    }
    return this.#stopped === undefined ? undefined : this.finish()
  }

  stop(why: 'time' | 'canceled'): DispatchResult {
    const { maxMilliseconds } = this.#parts.options
    if (this.#stopped === undefined) {
      this.#stopped = why
      this.#halted.push(stopDiagnostic(why, this.progress, maxMilliseconds, 'invocations of a batch'))
    }
    return this.finish()
  }

  columns(entry: number, capacity: number): BatchColumns | undefined {
    const { columns } = this.#entries[entry]!
    return columns.capacity === capacity && this.#invocationsAtOnce === capacity ? columns : undefined
  }

  /** Runs the invocations from `first` on. */
  #runPart(m: EntryMemory, batch: Batch, first: number, count: number, deadline: number): void {
    const { pipeline } = m
    const { inputs, outputs, capacity } = m.columns
    this.#invocations += count
    copyColumns(batch, first, m.columns, 0, 'inputs', count)
    if (batch.keepsOutputs === true) copyColumns(batch, first, m.columns, 0, 'outputs', count)
    else if (m.zerosOutputs) this.#parts.memory.clear(outputs.byteOffset, outputs.byteLength)
    const { quads, streams } = batch
    if (quads !== undefined) {
      if (quads.isInPlace !== true) fillHelpers(quads.helpers, first, count, m.inputs, inputs.length)
      if (m.quads !== quads) fillSamples(quads, m.inputs, inputs.length + capacity)
      m.quads = quads
    }
    m.batch = batch
    m.first = first
    m.descriptor[HEADER.invocations] = count
    pipeline.host.deadline = deadline
    pipeline.host.bindings = m.host
    const { staging } = this.#parts
    // Hidden counters: stages share them.
    staging.copyIn()
    try {
      pipeline.run(m.descriptor.byteOffset, 0, 1, m.scratch)
    } catch (thrown) {
      this.dispose()
      throw codeTrap(thrown, pipeline.kernel, this.#parts.shader)
    }
    staging.copyOut()
    copyColumns(m.columns, 0, batch, first, 'outputs', count)
    if (quads !== undefined && quads.isInPlace !== true) takeDiscarded(m.outputs, outputs.length, count, quads, first)
    if (streams !== undefined && m.emitted !== null) {
      const { slotCount } = m.entry.layout.outputs
      passEmitted({ words: m.outputs, slotCount, capacity }, m.emitted, streams, first, count)
    }
    this.#collect(m)
  }

  /** Takes what the code found and why it ended, so that the next batch begins anew. */
  #collect(m: EntryMemory): void {
    const { memory, options } = this.#parts
    const { kernel } = m.pipeline
    const { buffer } = memory.memory
    if (m.range.begun[0] !== 0) {
      const records = [recordsIn(buffer, m.scratch, kernel)]
      addFindings(this.#recordContext(m), records, m.found.take(), options.undefinedPolicy === 'trap', this.#findings)
      clearRecords(buffer, m.scratch, kernel)
    }
    this.#halt(m, m.descriptor[HEADER.stopped]!, m.descriptor[HEADER.statement]!)
    if (this.#stopped !== undefined) m.descriptor[HEADER.stopped] = STOPPED.none
  }

  /** Notes why the code ended early. */
  #halt({ pipeline }: EntryMemory, reason: number, statement: number): void {
    const { shader, options } = this.#parts
    const { kernel } = pipeline
    if (reason === STOPPED.time) {
      this.stop('time')
      return
    }
    if (reason === STOPPED.assertion) {
      this.dispose()
      throw failedClaim(kernel, shader, statement)
    }
    const stop = stopOf(reason, statement, shader, options)
    if (stop === undefined) return
    this.#stopped = stop.stopped
    appendAll(this.#halted, stop.diagnostics)
  }

  makeCode(): boolean {
    for (const { pipeline } of this.#entries) if (pipeline.baseline?.makeCode() === true) return true
    return false
  }

  /** Every entry has optimized code, or will never have it. */
  isReadyToShare(): boolean {
    let isReady = true
    for (const { pipeline } of this.#entries) {
      if (pipeline.baseline === undefined || pipeline.baseline.isOver) continue
      pipeline.baseline.want()
      isReady = false
    }
    return isReady
  }

  /** Shaders that write no memory; what the host is called for, and where a trap comes first, is known here alone. */
  share(): SharedShader | undefined {
    const { shader, options } = this.#parts
    const { stage, uavs } = shader.declarations
    const callsHost = this.#entries.some((m) => m.pipeline.kernel.callsHost)
    if (uavs.length > 0 || callsHost || options.undefinedPolicy === 'trap') return undefined
    const { memory, code } = this.#parts
    // What several threads run has much to run.
    for (const m of this.#entries) m.takeCurrentCode(memory, true)
    const given = this.#entries.map((m) => {
      const { entry, descriptor, pipeline, zerosOutputs } = m
      const { inputs: inputWords, outputs: outputWords } = knownOf(entry).columns
      return { layout: entry.layout, inputWords, outputWords, zerosOutputs, pipeline, descriptor }
    })
    const { emitted } = this.#entries[0]!
    const seen = { hasOutputsAlone: this.hasOutputsAlone, operations: this.operations ?? null, emitted }
    const description = sharedShader(shader, given, memory, code(stage.kind), seen)
    if (description === undefined) return undefined
    const mayReport = description.entries.some((e) => e.siteCount > 0)
    const collect = (left: readonly unknown[]): void => this.#collectShared(left as readonly JoinedLeft[])
    return { description, mayReport, collect }
  }

  #collectShared(left: readonly JoinedLeft[]): void {
    for (const l of left) this.#invocations += l.invocations
    const byEntry = this.#entries.map((m, n) => ({
      context: this.#recordContext(m),
      found: left.flatMap((l) => l.found[n]!),
    }))
    addSharedFindings(byEntry, this.#findings)
    // Threads whose code looks at the time only say that the draw was stopped.
    const first = left.find((l) => l.reason !== STOPPED.none && l.reason !== STOPPED.time)
    if (first !== undefined && this.#stopped === undefined) {
      this.#halt(this.#entries[first.entry]!, first.reason, first.statement)
    }
  }

  #recordContext(m: EntryMemory) {
    const { pipeline, entry } = m
    const describe = (invocation: number): string => m.describe(invocation)
    const { shader, bindings } = this.#parts
    const { views } = entry.bound
    const { kernel, lowered } = pipeline
    return { shader, kernel, uses: lowered.bindings.uses, views, bindings, groups: NO_GROUPS, describe }
  }

  finish(): DispatchResult {
    const { declarations, options } = this.#parts.shader
    const found = this.#findings.diagnostics(declarations.program, options.listing)
    const diagnostics = [...this.#halted, ...found]
    const result = { diagnostics, undefinedCount: this.#findings.undefinedCount }
    return this.#stopped === undefined ? result : { stopped: this.#stopped, ...result }
  }

  #isDisposed = false
  dispose(): void {
    if (this.#isDisposed) return
    this.#isDisposed = true
    const { staging, memories, shader, history, sampled } = this.#parts
    staging.discard()
    history.note(shader, sampled, this.#invocations)
    for (const m of this.#entries) memories.release(m.allocation, knownOf(m.entry).byteLength)
  }
}

/** Copies `count` words of each column of registers; nothing where both are the same array. */
function copyColumns(
  from: BatchColumns,
  fromFirst: number,
  to: BatchColumns,
  toFirst: number,
  part: 'inputs' | 'outputs',
  count: number,
): void {
  if (from[part] === to[part]) return
  const columns = from[part].length / from.capacity
  for (let c = 0; c < columns; c++) {
    const at = c * from.capacity + fromFirst
    to[part].set(from[part].subarray(at, at + count), c * to.capacity + toFirst)
  }
}
