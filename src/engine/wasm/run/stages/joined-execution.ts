import type { Allocation } from '../../../../machine/index.ts'
import type { Batch, BatchColumns, QuadBatch } from '../../../batch.ts'
import type { DispatchResult, JoinedExecution, Progress, Stop, Until } from '../../../contract.ts'
import type { ShaderOperations } from '../../../element-kernels.ts'
import type { EntryLayout } from '../../../register-layout.ts'
import { HEADER, RECORD, RECORD_HEADER, RECORD_WORDS, STOPPED } from '../../emit/kernel-layout.ts'
import { compareOrder, type SharedFinding } from '../../report/findings.ts'
import { type EmittedStrides, passEmitted } from './emitted.ts'
import { fillHelpers, fillSamples, takeDiscarded } from './quad-words.ts'
import type { StageMemories } from './stage-memories.ts'

/** A shader of a draw on one of several threads: its code over the memory of all, with columns and scratch memory of its own. */

/** What a thread needs to run an entry of a shader: plain data. */
export interface SharedEntryData {
  /** By which threads know the code again. */
  readonly number: number
  readonly code: number
  readonly codeLength: number
  /** A descriptor that is copied, but for where inputs and outputs lie. */
  readonly descriptor: number
  readonly descriptorLength: number
  readonly scratchLength: number
  readonly reportOffset: number
  readonly siteCount: number
  readonly layout: EntryLayout
  /** Words of inputs and outputs, with what the stage has beside its registers. */
  readonly inputWords: number
  readonly outputWords: number
  readonly zerosOutputs: boolean
}

/** What a thread needs to run a shader. */
export interface SharedShaderData {
  readonly entries: readonly SharedEntryData[]
  readonly capacity: number
  readonly isPixels: boolean
  readonly hasOutputsAlone: boolean
  readonly operations: ShaderOperations | null
  /** Of geometry shaders; null for other stages. */
  readonly emitted: EmittedStrides | null
}

/** What a thread leaves: findings, and why it stopped. */
export interface JoinedLeft {
  /** By entry. */
  readonly found: readonly (readonly SharedFinding[])[]
  /** A number of STOPPED, the statement or assertion, and the entry. */
  readonly reason: number
  readonly statement: number
  readonly entry: number
  /** How many have run. */
  readonly invocations: number
}

export type RunCode = (descriptor: number, first: number, end: number, scratch: number) => void

/** Why a batch that ends early ends, as far as the pipeline asks: the calling thread finds the words for it. */
const stopOf = (reason: number): Stop =>
  reason === STOPPED.time ? 'time' : reason === STOPPED.abort ? 'abort' : 'budget'

/** One entry with memory of the thread. */
class JoinedEntry {
  readonly data: SharedEntryData
  readonly run: RunCode
  readonly allocation: Allocation
  readonly descriptor: Uint32Array
  readonly scratch: number
  readonly inputs: Int32Array
  readonly outputs: Int32Array
  readonly columns: BatchColumns
  /** What code found in the batch: how many, then the records. */
  readonly begun: Uint32Array
  readonly records: Int32Array
  readonly found = new Map<number, SharedFinding>()

  constructor(
    data: SharedEntryData,
    { capacity, isPixels }: SharedShaderData,
    run: RunCode,
    allocation: Allocation,
    buffer: ArrayBufferLike,
  ) {
    const { byteOffset } = allocation
    const { layout } = data
    const lengths = lengthsOf(data)
    this.data = data
    this.run = run
    this.allocation = allocation
    this.descriptor = new Uint32Array(buffer, byteOffset, data.descriptorLength / 4)
    this.descriptor.set(new Uint32Array(buffer, data.descriptor, data.descriptorLength / 4))
    this.scratch = byteOffset + lengths.descriptor
    const inputs = this.scratch + lengths.scratch
    const outputs = inputs + lengths.inputs
    this.inputs = new Int32Array(buffer, inputs, lengths.inputs / 4)
    this.outputs = new Int32Array(buffer, outputs, lengths.outputs / 4)
    const [inputLength, outputLength] = [layout.inputs.slotCount * capacity, layout.outputs.slotCount * capacity]
    this.columns = {
      capacity,
      inputs: this.inputs.subarray(0, inputLength),
      outputs: this.outputs.subarray(0, outputLength),
      helperWords: isPixels ? this.inputs.subarray(inputLength, inputLength + capacity) : undefined,
      keptWords: isPixels ? this.outputs.subarray(outputLength, outputLength + capacity) : undefined,
    }
    this.descriptor[HEADER.inputs] = inputs
    this.descriptor[HEADER.outputs] = outputs
    this.descriptor[HEADER.stopped] = STOPPED.none
    const records = this.scratch + data.reportOffset
    this.begun = new Uint32Array(buffer, records, 1)
    this.records = new Int32Array(buffer, records + RECORD_HEADER, (1 + data.siteCount) * RECORD_WORDS)
  }

  takeRecords(batch: Batch): void {
    for (let site = 0; site < this.data.siteCount; site++) {
      const words = this.records.subarray((site + 1) * RECORD_WORDS, (site + 2) * RECORD_WORDS)
      const count = (words[RECORD.count]! >>> 0) + (words[RECORD.count + 1]! >>> 0) * 2 ** 32
      if (count === 0) continue
      const lanes = words[RECORD.lanes]!
      const invocation = words[RECORD.thread]! + (31 - Math.clz32(lanes & -lanes))
      const order = batch.orderOf?.(invocation) ?? []
      const known = this.found.get(site)
      if (known !== undefined) known.count += count
      if (known !== undefined && compareOrder(order, known.order) >= 0) continue
      const total = known?.count ?? count
      const place = { words: [...words], order, invocation: batch.describe(invocation) }
      this.found.set(site, { site, count: total, ...place })
    }
    this.records.fill(0)
    this.begun[0] = 0
  }
}

export class WasmJoinedExecution implements JoinedExecution {
  readonly engine: string
  readonly layouts: readonly EntryLayout[]
  readonly #data: SharedShaderData
  readonly #memories: StageMemories
  readonly #entries: readonly JoinedEntry[]
  #quads: QuadBatch | undefined
  #batch: Batch | undefined
  #done = 0
  #invocations = 0
  /** Why it stopped, and in which entry. */
  #reason: number = STOPPED.none
  #statement = 0
  #stoppedEntry = 0

  private constructor(
    engine: string,
    data: SharedShaderData,
    memories: StageMemories,
    entries: readonly JoinedEntry[],
  ) {
    this.engine = engine
    this.layouts = data.entries.map((e) => e.layout)
    this.#data = data
    this.#memories = memories
    this.#entries = entries
  }

  /** Undefined where the thread's memory has no room. */
  static create(
    engine: string,
    data: SharedShaderData,
    codeOf: (entry: SharedEntryData) => RunCode,
    memories: StageMemories,
    buffer: () => ArrayBufferLike,
  ): WasmJoinedExecution | undefined {
    const allocations: Allocation[] = []
    for (const entry of data.entries) {
      const allocation = memories.allocate(bytesOf(entry))
      if (allocation === undefined) {
        allocations.forEach((a, n) => {
          memories.release(a, bytesOf(data.entries[n]!))
        })
        return undefined
      }
      allocations.push(allocation)
    }
    // All are allocated before any array over them is made: the memory may grow.
    const entries = data.entries.map((e, n) => {
      // What a stage of another draw left there.
      memories.clear(allocations[n]!.byteOffset, bytesOf(e))
      return new JoinedEntry(e, data, codeOf(e), allocations[n]!, buffer())
    })
    return new WasmJoinedExecution(engine, data, memories, entries)
  }

  get operations(): ShaderOperations | undefined {
    return this.#data.operations ?? undefined
  }

  get hasOutputsAlone(): boolean {
    return this.#data.hasOutputsAlone
  }

  get mayReport(): boolean {
    return this.#data.entries.some((e) => e.siteCount > 0)
  }

  get progress(): Progress {
    return { done: this.#done, total: this.#batch?.count ?? 0 }
  }

  columns(entry: number, capacity: number): BatchColumns | undefined {
    return capacity === this.#data.capacity ? this.#entries[entry]!.columns : undefined
  }

  start(batch: Batch): void {
    this.#batch = batch
    this.#done = 0
  }

  run(_until: Until): DispatchResult | undefined {
    const batch = this.#batch
    if (batch === undefined || this.#reason !== STOPPED.none) return this.finish()
    const { count, quads, entry, streams } = batch
    const e = this.#entries[entry]!
    const { inputs, outputs, columns, descriptor } = e
    const at = columns.inputs.length
    const { byteOffset, byteLength } = columns.outputs
    if (e.data.zerosOutputs && batch.keepsOutputs !== true) this.#memories.clear(byteOffset, byteLength)
    if (quads !== undefined) {
      if (quads.isInPlace !== true) fillHelpers(quads.helpers, 0, count, inputs, at)
      if (this.#quads !== quads) fillSamples(quads, inputs, at + columns.capacity)
      this.#quads = quads
    }
    descriptor[HEADER.invocations] = count
    e.run(descriptor.byteOffset, 0, 1, e.scratch)
    if (quads !== undefined && quads.isInPlace !== true) {
      takeDiscarded(outputs, columns.outputs.length, count, quads, 0)
    }
    this.#done = count
    this.#invocations += count
    const { emitted } = this.#data
    if (streams !== undefined && emitted !== null) {
      const { slotCount } = e.data.layout.outputs
      passEmitted({ words: outputs, slotCount, capacity: columns.capacity }, emitted, streams, 0, count)
    }
    if (e.begun[0] !== 0) e.takeRecords(batch)
    this.#reason = descriptor[HEADER.stopped]!
    this.#statement = descriptor[HEADER.statement]!
    this.#stoppedEntry = entry
    return this.#reason === STOPPED.none ? undefined : this.finish()
  }

  finish(): DispatchResult {
    const result = { diagnostics: [], undefinedCount: 0 }
    return this.#reason === STOPPED.none ? result : { stopped: stopOf(this.#reason), ...result }
  }

  stop(why: 'time' | 'canceled'): DispatchResult {
    return { stopped: why, ...this.finish() }
  }

  leave(): JoinedLeft {
    const found = this.#entries.map((e) => [...e.found.values()])
    const [reason, statement, invocations] = [this.#reason, this.#statement, this.#invocations]
    return { found, reason, statement, entry: this.#stoppedEntry, invocations }
  }

  #isDisposed = false
  dispose(): void {
    if (this.#isDisposed) return
    this.#isDisposed = true
    for (const { allocation, data } of this.#entries) this.#memories.release(allocation, bytesOf(data))
  }
}

/** Bytes of the parts of an entry's memory, in whole vectors. */
function lengthsOf({ descriptorLength, scratchLength, inputWords, outputWords }: SharedEntryData) {
  const whole = (n: number): number => Math.ceil(n / 64) * 64
  return {
    descriptor: whole(descriptorLength),
    scratch: whole(scratchLength),
    inputs: whole(inputWords * 4),
    outputs: whole(outputWords * 4),
  }
}

function bytesOf(data: SharedEntryData): number {
  const { descriptor, scratch, inputs, outputs } = lengthsOf(data)
  return descriptor + scratch + inputs + outputs
}
