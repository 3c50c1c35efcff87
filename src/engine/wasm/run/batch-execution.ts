import { appendAll, type Diagnostic } from '../../../diagnostic/index.ts'
import {
  type Allocation,
  DEFAULT_DISPATCH_LIMITS,
  type ResolvedBindings,
  type TextureSrv,
} from '../../../machine/index.ts'
import { type Batch, type BatchColumns, batchCapacity, type QuadBatch } from '../../batch.ts'
import type {
  BatchExecution,
  DispatchOptions,
  DispatchResult,
  LoadedShader,
  Progress,
  SharedShader,
  Stop,
  Until,
} from '../../contract.ts'
import type { ShaderOperations } from '../../element-kernels.ts'
import { createFindings, type Findings } from '../../findings.ts'
import { type Item, someItem } from '../../ir/index.ts'
import { emittedWords, STAGE_INPUTS, STAGE_OUTPUTS, shaderOperations } from '../../lower/index.ts'
import type { EntryLayout } from '../../register-layout.ts'
import { stopDiagnostic } from '../../run-execution.ts'
import { HEADER, STOPPED } from '../emit/kernel-layout.ts'
import { addFindings, addSharedFindings, clearRecords, recordsIn } from '../report/findings.ts'
import { HostFindings } from '../report/host-findings.ts'
import { codeTrap } from './code-trap.ts'
import type { SamplingHistory } from './decoded/sampling-history.ts'
import { descriptorBytes, fillDescriptor, type StagedView } from './descriptor.ts'
import { type EmittedStrides, emittedStrides, passEmitted } from './emitted.ts'
import type { HostBindings } from './host-calls.ts'
import type { JoinedLeft } from './joined-execution.ts'
import type { WasmMemory } from './memory.ts'
import type { BoundPipeline } from './pipeline.ts'
import { fillHelpers, fillSamples, takeDiscarded } from './quad-words.ts'
import { failedClaim, stopOf } from './refusals.ts'
import type { ReusableRange } from './reusable-range.ts'
import { sharedShader } from './shared-entries.ts'
import type { StageMemories } from './stage-memories.ts'
import type { Staging } from './staging.ts'

/** Runs batches of a graphics stage in compiled code, as many invocations at once as the code was made for. */

/** One entry of a shader, compiled for what is bound. */
export interface CompiledEntry {
  readonly bound: BoundPipeline
  readonly layout: EntryLayout
  /** The views in the engine's memory. */
  readonly staged: readonly StagedView[]
}

interface StageParts {
  readonly shader: LoadedShader
  readonly entries: readonly CompiledEntry[]
  readonly bindings: ResolvedBindings
  readonly options: DispatchOptions
  readonly memory: WasmMemory
  readonly memories: StageMemories
  /** Where the code of a stage lies for other threads. */
  readonly code: (stage: string) => ReusableRange
  /** Copies of what lies in other memory. */
  readonly staging: Staging
  /** Instructions that an invocation may execute. */
  readonly budget: number
  /** Where it is noted at the end how many invocations sampled these textures. */
  readonly history: SamplingHistory
  readonly sampled: readonly TextureSrv[]
}

const NO_GROUPS = [1, 1, 1] as const

/** A range of the memory as the arrays of one entry, whose code ran in it. */
interface EntryRange {
  readonly pipeline: BoundPipeline['pipeline']
  readonly descriptor: Uint32Array
  readonly scratch: number
  /** Registers, then what the stage has beside them. */
  readonly inputs: Int32Array
  readonly outputs: Int32Array
  /** The same without what is beside registers. */
  readonly columns: BatchColumns
  /** How many findings the code has begun. */
  readonly begun: Uint32Array
}

/** What ranges were last: they go from draw to draw, and arrays take long to make. */
const LAST_RANGES = new WeakMap<Allocation, EntryRange>()

function rangeOf(entry: CompiledEntry, shader: LoadedShader, memory: WasmMemory, at: number): EntryRange {
  const { layout, bound } = entry
  const { buffer } = memory.memory
  const [descriptorLength, scratchLength] = lengthsOf(entry)
  const { columns: words } = knownOf(entry)
  const scratch = at + descriptorLength
  const inputsAt = scratch + scratchLength
  const inputs = new Int32Array(buffer, inputsAt, words.inputs)
  const outputs = new Int32Array(buffer, inputsAt + words.inputs * 4, words.outputs)
  const capacity = batchCapacity(shader.declarations)
  const [inputLength, outputLength] = [layout.inputs.slotCount * capacity, layout.outputs.slotCount * capacity]
  const isPixels = shader.declarations.stage.kind === 'pixel'
  return {
    pipeline: bound.pipeline,
    descriptor: new Uint32Array(buffer, at, descriptorLength / 4),
    scratch,
    inputs,
    outputs,
    columns: {
      capacity,
      inputs: inputs.subarray(0, inputLength),
      outputs: outputs.subarray(0, outputLength),
      helperWords: isPixels ? inputs.subarray(inputLength, inputLength + capacity) : undefined,
      keptWords: isPixels ? outputs.subarray(outputLength, outputLength + capacity) : undefined,
    },
    begun: new Uint32Array(buffer, scratch + bound.pipeline.kernel.reportOffset, 1),
  }
}

/** The memory of one entry: descriptor, scratch, and the columns of inputs and outputs. */
class EntryMemory {
  readonly entry: CompiledEntry
  readonly range: EntryRange
  readonly descriptor: Uint32Array
  readonly scratch: number
  readonly inputs: Int32Array
  readonly outputs: Int32Array
  readonly columns: BatchColumns
  readonly allocation: Allocation
  /** What calls of the host work with. */
  readonly host: HostBindings
  readonly found: HostFindings
  /** The code reads outputs, or does not store those of every invocation: they begin as zeros. */
  readonly zerosOutputs: boolean
  readonly emitted: EmittedStrides | null
  /** The quads whose sample positions the inputs hold. */
  quads: QuadBatch | undefined
  /** The batch that runs, and the invocation of it that the code calls the first. */
  batch: Batch | undefined
  first = 0

  constructor(entry: CompiledEntry, parts: StageParts, allocation: Allocation) {
    const { memory, bindings, budget, shader, options } = parts
    const { staged } = entry
    const { pipeline, samplers } = entry.bound
    const { buffer } = memory.memory
    const at = allocation.byteOffset
    const last = LAST_RANGES.get(allocation)
    const isKnown = last !== undefined && last.pipeline === pipeline && last.inputs.buffer === buffer
    const range = isKnown ? last : rangeOf(entry, shader, memory, at)
    if (!isKnown) LAST_RANGES.set(allocation, range)
    const { descriptor, scratch, inputs, outputs, columns } = range
    this.entry = entry
    this.range = range
    this.allocation = allocation
    this.descriptor = descriptor
    this.scratch = scratch
    this.inputs = inputs
    this.outputs = outputs
    this.columns = columns
    const { zerosOutputs, emitted, columns: words } = knownOf(entry)
    this.zerosOutputs = zerosOutputs
    this.emitted = emitted
    // What another stage left there; what geometry shaders emit is read as far as it is written. The same code writes all that
    // it reads but inputs that nothing feeds.
    if (last?.pipeline === pipeline) memory.clear(columns.inputs.byteOffset, columns.inputs.byteLength)
    else memory.clear(at, outputs.byteOffset + words.notEmitted * 4 - at)
    fillDescriptor(descriptor, { lowered: pipeline.lowered, views: staged, bindings, groups: NO_GROUPS, budget })
    descriptor[HEADER.inputs] = inputs.byteOffset
    descriptor[HEADER.outputs] = outputs.byteOffset
    const places = { order: (scratch + pipeline.kernel.reportOffset) >> 2, descriptor: at >> 2 }
    const traps = options.undefinedPolicy === 'trap'
    this.found = new HostFindings(shader, NO_GROUPS, places, traps, (i) => this.describe(i))
    this.host = { views: staged.map((v) => v.view), samplers, findings: this.found }
    // Records are cleared when they have been taken.
    if (!isKnown || range.begun[0] !== 0) clearRecords(buffer, scratch, pipeline.kernel)
  }

  describe(invocation: number): string {
    return this.batch === undefined ? String(invocation) : this.batch.describe(this.first + invocation)
  }
}

/** Whether an item reads outputs, which end at byte `end`, or stores those of some invocations alone. */
const needsFirstOutputs = (item: Item, end: number): boolean => {
  if (item.kind !== 'load' && item.kind !== 'store') return false
  const { space } = item.address
  if (space.kind !== 'batch' || space.part !== 'outputs') return false
  // Emitted vertices lie behind: they are written before they are counted.
  return item.kind === 'load' || (!space.everyLane && space.byteOffset < end)
}

/** What each stage of each draw asks of its code. */
interface KnownOfCode {
  /** Outputs begin as zeros. */
  readonly zerosOutputs: boolean
  /** Nothing shows what it does but its outputs. */
  readonly hasOutputsAlone: boolean
  /** Of pixel shaders: what they do, where that is operations alone. */
  readonly operations: ShaderOperations | undefined
  readonly emitted: EmittedStrides | null
  readonly columns: ColumnWords
  /** Of all the memory of an entry. */
  readonly byteLength: number
}

/** Words of the inputs and the outputs of a batch, with what the stage has beside its registers; and those not emitted. */
interface ColumnWords {
  readonly inputs: number
  readonly outputs: number
  readonly notEmitted: number
}

const KNOWN = new WeakMap<BoundPipeline['pipeline'], KnownOfCode>()

function knownOf(entry: CompiledEntry): KnownOfCode {
  const { pipeline } = entry.bound
  const { outputs } = entry.layout
  const known = KNOWN.get(pipeline)
  if (known !== undefined) return known
  const { kernel, lowered } = pipeline
  const { items } = lowered.root
  const isSeen = lowered.declarations.uavs.length > 0 || kernel.callsHost || kernel.sites.length > 0
  const isPixels = lowered.declarations.stage.kind === 'pixel'
  const columns = columnsOf(entry)
  const [descriptor, scratch] = lengthsOf(entry)
  const outputBytes = outputs.slotCount * lowered.builder.options.threads[0] * 4
  const made = {
    zerosOutputs: someItem(items, (item) => needsFirstOutputs(item, outputBytes)),
    hasOutputsAlone: !isSeen && !someItem(items, ({ kind }) => kind === 'loop' || kind === 'stop'),
    operations: isSeen || !isPixels ? undefined : shaderOperations(lowered),
    emitted: emittedStrides(lowered.declarations, outputs.slotCount),
    columns,
    byteLength: descriptor + scratch + (columns.inputs + columns.outputs) * 4 + 64,
  }
  KNOWN.set(pipeline, made)
  return made
}

function columnsOf({ layout, bound }: CompiledEntry): ColumnWords {
  const { declarations } = bound.pipeline.lowered
  const { stage } = declarations
  const capacity = batchCapacity(declarations)
  const inputs = layout.inputs.slotCount + (stage.kind === 'pixel' ? STAGE_INPUTS : 0)
  const hasMore = stage.kind === 'pixel' || stage.kind === 'geometry'
  const outputs = layout.outputs.slotCount + (hasMore ? STAGE_OUTPUTS : 0)
  const emitted = stage.kind === 'geometry' ? stage.maxVertexCount * emittedWords(layout.outputs.slotCount) : 0
  return { inputs: inputs * capacity, outputs: (outputs + emitted) * capacity, notEmitted: outputs * capacity }
}

/** Bytes of descriptor and scratch memory, in whole vectors. */
function lengthsOf({ bound: { pipeline } }: CompiledEntry): readonly [number, number] {
  const whole = (n: number): number => Math.ceil(n / 64) * 64
  return [whole(descriptorBytes(pipeline.lowered)), whole(pipeline.kernel.scratchByteLength)]
}

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
  }

  run({ time, deadline }: Until): DispatchResult | undefined {
    const batch = this.#batch
    const most = this.#invocationsAtOnce
    while (batch !== undefined && this.#done < batch.count && this.#stopped === undefined) {
      const count = Math.min(most, batch.count - this.#done)
      this.#runPart(this.#entries[batch.entry]!, batch, this.#done, count, deadline)
      this.#done += count
      if (performance.now() >= time) break
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
    const { pipeline } = m.entry.bound
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
    const { kernel } = m.entry.bound.pipeline
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
  #halt({ entry }: EntryMemory, reason: number, statement: number): void {
    const { shader, options } = this.#parts
    const { kernel } = entry.bound.pipeline
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

  /** Shaders that write no memory; what the host is called for, and where a trap comes first, is known here alone. */
  share(): SharedShader | undefined {
    const { shader, options } = this.#parts
    const { stage, uavs } = shader.declarations
    const callsHost = this.#entries.some((m) => m.entry.bound.pipeline.kernel.callsHost)
    if (uavs.length > 0 || callsHost || options.undefinedPolicy === 'trap') return undefined
    const { memory, code } = this.#parts
    const given = this.#entries.map((m) => {
      const { entry, descriptor, zerosOutputs } = m
      const { inputs: inputWords, outputs: outputWords } = knownOf(entry).columns
      const { pipeline } = entry.bound
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
    const { entry } = m
    const describe = (invocation: number): string => m.describe(invocation)
    const { shader, bindings } = this.#parts
    const { pipeline, views } = entry.bound
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
