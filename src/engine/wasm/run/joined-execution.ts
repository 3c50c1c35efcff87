import type { Allocation } from '../../../machine/index.ts'
import type { Batch, BatchColumns, QuadBatch } from '../../batch.ts'
import type { DispatchResult, JoinedExecution, Progress, Stop, Until } from '../../contract.ts'
import { STAGE_INPUTS, STAGE_OUTPUTS } from '../../lower/index.ts'
import type { EntryLayout } from '../../register-layout.ts'
import { HEADER, RECORD, RECORD_HEADER, RECORD_WORDS, STOPPED } from '../emit/kernel-layout.ts'
import { compareOrder, type SharedFinding } from '../report/findings.ts'
import { fillHelpers, fillSamples, takeDiscarded } from './quad-words.ts'
import type { StageMemories } from './stage-memories.ts'

/** A pixel shader on one of several threads: its code over the memory of all, with columns and scratch memory of its own. */

/** What a thread needs to run a shader: plain data. */
export interface SharedShaderData {
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
  readonly capacity: number
  readonly zerosOutputs: boolean
  readonly hasOutputsAlone: boolean
}

/** What a thread leaves: findings, and why it stopped. */
export interface JoinedLeft {
  readonly found: readonly SharedFinding[]
  /** A number of STOPPED, and the statement or assertion. */
  readonly reason: number
  readonly statement: number
}

export type RunCode = (descriptor: number, first: number, end: number, scratch: number) => void

/** Why a batch that ends early ends, as far as the pipeline asks: the calling thread finds the words for it. */
const stopOf = (reason: number): Stop =>
  reason === STOPPED.time ? 'time' : reason === STOPPED.abort ? 'abort' : 'budget'

export class WasmJoinedExecution implements JoinedExecution {
  readonly engine: string
  readonly layouts: readonly EntryLayout[]
  readonly #data: SharedShaderData
  readonly #run: RunCode
  readonly #memories: StageMemories
  readonly #allocation: Allocation
  readonly #byteLength: number
  readonly #descriptor: Uint32Array
  readonly #scratch: number
  readonly #inputs: Int32Array
  readonly #outputs: Int32Array
  readonly #columns: BatchColumns
  /** What code found in the batch: how many, then the records. */
  readonly #begun: Uint32Array
  readonly #records: Int32Array
  readonly #found = new Map<number, SharedFinding>()
  #quads: QuadBatch | undefined
  #batch: Batch | undefined
  #done = 0
  #reason: number = STOPPED.none
  #statement = 0

  private constructor(
    engine: string,
    data: SharedShaderData,
    run: RunCode,
    memories: StageMemories,
    allocation: Allocation,
    byteLength: number,
    buffer: ArrayBufferLike,
  ) {
    const { byteOffset } = allocation
    const { layout, capacity } = data
    const lengths = lengthsOf(data)
    this.engine = engine
    this.layouts = [layout]
    this.#data = data
    this.#run = run
    this.#memories = memories
    this.#allocation = allocation
    this.#byteLength = byteLength
    this.#descriptor = new Uint32Array(buffer, byteOffset, data.descriptorLength / 4)
    this.#descriptor.set(new Uint32Array(buffer, data.descriptor, data.descriptorLength / 4))
    this.#scratch = byteOffset + lengths.descriptor
    const inputs = this.#scratch + lengths.scratch
    const outputs = inputs + lengths.inputs
    this.#inputs = new Int32Array(buffer, inputs, lengths.inputs / 4)
    this.#outputs = new Int32Array(buffer, outputs, lengths.outputs / 4)
    new Uint8Array(buffer, this.#scratch, byteLength - lengths.descriptor).fill(0)
    const [inputLength, outputLength] = [layout.inputs.slotCount * capacity, layout.outputs.slotCount * capacity]
    this.#columns = {
      capacity,
      inputs: this.#inputs.subarray(0, inputLength),
      outputs: this.#outputs.subarray(0, outputLength),
      helperWords: this.#inputs.subarray(inputLength, inputLength + capacity),
      keptWords: this.#outputs.subarray(outputLength, outputLength + capacity),
    }
    this.#descriptor[HEADER.inputs] = inputs
    this.#descriptor[HEADER.outputs] = outputs
    this.#descriptor[HEADER.stopped] = STOPPED.none
    const records = this.#scratch + data.reportOffset
    this.#begun = new Uint32Array(buffer, records, 1)
    this.#records = new Int32Array(buffer, records + RECORD_HEADER, (1 + data.siteCount) * RECORD_WORDS)
  }

  /** Undefined where the thread's memory has no room. */
  static create(
    engine: string,
    data: SharedShaderData,
    run: RunCode,
    memories: StageMemories,
    buffer: () => ArrayBufferLike,
  ): WasmJoinedExecution | undefined {
    const { descriptor, scratch, inputs, outputs } = lengthsOf(data)
    const byteLength = descriptor + scratch + inputs + outputs
    const allocation = memories.take(byteLength)
    return allocation && new WasmJoinedExecution(engine, data, run, memories, allocation, byteLength, buffer())
  }

  get hasOutputsAlone(): boolean {
    return this.#data.hasOutputsAlone
  }

  get mayReport(): boolean {
    return this.#data.siteCount > 0
  }

  get progress(): Progress {
    return { done: this.#done, total: this.#batch?.count ?? 0 }
  }

  columns(_entry: number, capacity: number): BatchColumns | undefined {
    return capacity === this.#columns.capacity ? this.#columns : undefined
  }

  start(batch: Batch): void {
    this.#batch = batch
    this.#done = 0
  }

  run(_until: Until): DispatchResult | undefined {
    const batch = this.#batch
    if (batch === undefined || this.#reason !== STOPPED.none) return this.finish()
    const { count, quads } = batch
    const at = this.#columns.inputs.length
    if (this.#data.zerosOutputs) this.#columns.outputs.fill(0)
    if (quads !== undefined) {
      if (quads.isInPlace !== true) fillHelpers(quads.helpers, 0, count, this.#inputs, at)
      if (this.#quads !== quads) fillSamples(quads, this.#inputs, at + this.#columns.capacity)
      this.#quads = quads
    }
    this.#descriptor[HEADER.invocations] = count
    this.#run(this.#descriptor.byteOffset, 0, 1, this.#scratch)
    if (quads !== undefined && quads.isInPlace !== true) {
      takeDiscarded(this.#outputs, this.#columns.outputs.length, count, quads, 0)
    }
    this.#done = count
    if (this.#begun[0] !== 0) this.#takeRecords(batch)
    this.#reason = this.#descriptor[HEADER.stopped]!
    this.#statement = this.#descriptor[HEADER.statement]!
    return this.#reason === STOPPED.none ? undefined : this.finish()
  }

  #takeRecords(batch: Batch): void {
    for (let site = 0; site < this.#data.siteCount; site++) {
      const words = this.#records.subarray((site + 1) * RECORD_WORDS, (site + 2) * RECORD_WORDS)
      const count = (words[RECORD.count]! >>> 0) + (words[RECORD.count + 1]! >>> 0) * 2 ** 32
      if (count === 0) continue
      const lanes = words[RECORD.lanes]!
      const invocation = words[RECORD.thread]! + (31 - Math.clz32(lanes & -lanes))
      const order = batch.orderOf?.(invocation) ?? []
      const known = this.#found.get(site)
      if (known !== undefined) known.count += count
      if (known !== undefined && compareOrder(order, known.order) >= 0) continue
      const total = known?.count ?? count
      const place = { words: [...words], order, invocation: batch.describe(invocation) }
      this.#found.set(site, { site, count: total, ...place })
    }
    this.#records.fill(0)
    this.#begun[0] = 0
  }

  finish(): DispatchResult {
    const result = { diagnostics: [], undefinedCount: 0 }
    return this.#reason === STOPPED.none ? result : { stopped: stopOf(this.#reason), ...result }
  }

  stop(why: 'time' | 'canceled'): DispatchResult {
    return { stopped: why, ...this.finish() }
  }

  leave(): JoinedLeft {
    return { found: [...this.#found.values()], reason: this.#reason, statement: this.#statement }
  }

  #isDisposed = false
  dispose(): void {
    if (this.#isDisposed) return
    this.#isDisposed = true
    this.#memories.give(this.#allocation, this.#byteLength)
  }
}

/** Bytes of the parts of an execution's memory, in whole vectors. */
function lengthsOf({ descriptorLength, scratchLength, layout, capacity }: SharedShaderData) {
  const whole = (n: number): number => Math.ceil(n / 64) * 64
  return {
    descriptor: whole(descriptorLength),
    scratch: whole(scratchLength),
    inputs: whole((layout.inputs.slotCount + STAGE_INPUTS) * capacity * 4),
    outputs: whole((layout.outputs.slotCount + STAGE_OUTPUTS) * capacity * 4),
  }
}
