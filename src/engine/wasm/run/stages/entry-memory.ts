import type { Allocation, ResolvedBindings, TextureSrv } from '../../../../machine/index.ts'
import { type Batch, type BatchColumns, batchCapacity, type QuadBatch } from '../../../batch.ts'
import type { DispatchOptions, LoadedShader } from '../../../contract.ts'
import type { ShaderOperations } from '../../../element-kernels.ts'
import { type Item, someItem } from '../../../ir/index.ts'
import { emittedWords, STAGE_INPUTS, STAGE_OUTPUTS, shaderOperations } from '../../../lower/index.ts'
import type { EntryLayout } from '../../../register-layout.ts'
import { HEADER } from '../../emit/kernel-layout.ts'
import { clearRecords } from '../../report/findings.ts'
import { HostFindings } from '../../report/host-findings.ts'
import { currentCode } from '../baseline.ts'
import type { SamplingHistory } from '../decoded/sampling-history.ts'
import { descriptorBytes, fillDescriptor, type StagedView } from '../descriptor.ts'
import type { HostBindings } from '../host-calls.ts'
import type { WasmMemory } from '../memory.ts'
import type { BoundPipeline, Pipeline } from '../pipeline.ts'
import type { ReusableRange } from '../reusable-range.ts'
import type { Staging } from '../staging.ts'
import { type EmittedStrides, emittedStrides } from './emitted.ts'
import type { StageMemories } from './stage-memories.ts'

/** The memory in which compiled code of a graphics stage runs, and the code itself. */

/** One entry of a shader, compiled for what is bound. */
export interface CompiledEntry {
  readonly bound: BoundPipeline
  readonly layout: EntryLayout
  /** The views in the engine's memory. */
  readonly staged: readonly StagedView[]
}

export interface StageParts {
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

export const NO_GROUPS = [1, 1, 1] as const

/** A range of the memory as the arrays of one entry, whose code ran in it. */
interface EntryRange {
  pipeline: Pipeline
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
export class EntryMemory {
  readonly entry: CompiledEntry
  readonly range: EntryRange
  /** The code that runs: that of the entry, or optimized code in its place. */
  pipeline: Pipeline
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
    this.pipeline = pipeline
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

  /** Goes on with optimized code where baseline code has run long enough, or will. Both have the same scratch memory: no stage has barriers, for which waves keep words of their own there. */
  takeCurrentCode(memory: WasmMemory, isLong: boolean): void {
    const current = currentCode(this.pipeline, isLong)
    if (current === this.pipeline) return
    memory.clear(this.scratch, current.kernel.scratchByteLength)
    this.pipeline = current
    this.range.pipeline = current
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

const KNOWN = new WeakMap<Pipeline, KnownOfCode>()

export function knownOf(entry: CompiledEntry): KnownOfCode {
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
