import {
  BATCH_SIZE,
  type Batch,
  type BatchExecution,
  blockOf,
  type ElementKernels,
  type QuadBatch,
  type RegisterBlock,
  type Stop,
  type StreamSink,
  type Until,
} from '../engine/index.ts'
import { FILE } from '../isa/index.ts'
import { copyWords } from './copy-words.ts'
import { growVertices, type VertexArray } from './geometry.ts'

/** Runs one entry of a shader over arrays of vertices, as many invocations at once as a batch has room for. */

/** Thrown where a shader stops the draw; caught where the draw begins. */
export class DrawStopped extends Error {
  readonly stop: Stop

  constructor(stop: Stop) {
    super(`the draw was stopped: ${stop}`)
    this.stop = stop
  }
}

interface RunnerOptions {
  readonly entry?: number | undefined
  readonly quads?: QuadBatch | undefined
  readonly streams?: StreamSink | undefined
  readonly keepsOutputs?: boolean | undefined
  readonly capacity?: number | undefined
  readonly orderOf?: ((invocation: number) => readonly number[]) | undefined
}

/** Which vertices the primitives of invocations have. */
export interface PrimitivePlaces {
  readonly verticesPerPrimitive: number
  readonly numbers: Int32Array
  /** By invocation: where the numbers of its primitive begin. */
  readonly places: Int32Array
}

/** The place of a batch in the draw: the part that it is of, and its number among the batches of the part. */
export interface BatchOrder {
  part: number
  batch: number
}

/** A shader of a draw with what is bound to it, and how long it may run: one primitive can be millions of pixels. */
export interface StageShader {
  readonly execution: BatchExecution
  readonly until: Until
  /** Where several threads run it: the batch that runs. */
  readonly order?: BatchOrder | undefined
}

/** Elements at which vertices begin, while they are copied. */
let STARTS = new Int32Array(BATCH_SIZE)

/** One entry of a shader with a batch that is filled and run again and again. */
export class EntryRunner {
  readonly #shader: StageShader
  readonly batch: Batch
  /** Registers of outputs, from 0. */
  readonly registerCount: number
  readonly #outputBlock: RegisterBlock | undefined
  /** Number of the first invocation of the batch, for names. */
  first = 0

  constructor(
    shader: StageShader,
    describe: (invocation: number) => string,
    { entry = 0, quads, streams, keepsOutputs, capacity = BATCH_SIZE, orderOf }: RunnerOptions = {},
  ) {
    const { inputs, outputs } = shader.execution.layouts[entry]!
    this.#shader = shader
    this.#outputBlock = blockOf(outputs, FILE.output)
    this.registerCount =
      this.#outputBlock === undefined ? 0 : this.#outputBlock.firstRegister + this.#outputBlock.registerCount
    const columns = shader.execution.columns?.(entry, capacity) ?? {
      capacity,
      inputs: new Int32Array(inputs.slotCount * capacity),
      outputs: new Int32Array(outputs.slotCount * capacity),
    }
    const { order } = shader
    const ofBatch = order && ((i: number): readonly number[] => [order.part, order.batch, i])
    const orders = orderOf ?? ofBatch
    const describeInvocation = (i: number): string => describe(this.first + i)
    this.batch = {
      entry,
      count: 0,
      ...columns,
      keepsOutputs,
      quads,
      streams,
      describe: describeInvocation,
      ...(orders === undefined ? {} : { orderOf: orders }),
    }
  }

  inputBlock(file: number): RegisterBlock | undefined {
    return blockOf(this.#shader.execution.layouts[this.batch.entry]!.inputs, file)
  }

  outputBlock(file: number): RegisterBlock | undefined {
    return blockOf(this.#shader.execution.layouts[this.batch.entry]!.outputs, file)
  }

  /** Sets an input that has one register with one component. */
  setSingle(file: number, invocation: number, word: number): void {
    const block = this.inputBlock(file)
    if (block !== undefined) this.batch.inputs[block.firstSlot * this.batch.capacity + invocation] = word
  }

  /** Sets such an input of several invocations from the first on. */
  setSingles(file: number, first: number, count: number, words: Int32Array): void {
    const block = this.inputBlock(file)
    if (block === undefined) return
    const at = block.firstSlot * this.batch.capacity + first
    for (let i = 0; i < count; i++) this.batch.inputs[at + i] = words[i]!
  }

  /**
   * Copies vertices of primitives into an input file, column by column: invocation `first + i` gets those whose numbers
   * stand in `numbers` from `places[i]` on, as many as a primitive has.
   */
  setPrimitives(block: RegisterBlock, first: number, count: number, from: VertexArray, p: PrimitivePlaces): void {
    const { inputs, capacity } = this.batch
    const { firstRegister, registerCount } = block
    const { numbers, places } = p
    const width = from.registerCount * 4
    const { words } = from
    if (STARTS.length < count) STARTS = new Int32Array(count)
    const starts = STARTS
    for (let v = 0; v < Math.min(block.vertexCount, p.verticesPerPrimitive); v++) {
      const firstSlot = block.firstSlot + v * registerCount * 4
      const numberOf = (i: number): number => numbers[places[i]! + v]!
      const columns = { words: inputs, capacity }
      if (from.vertexMemory?.code.fillColumns(block, columns, { firstSlot, first, count }, from, numberOf) === true)
        continue
      for (let i = 0; i < count; i++) starts[i] = numbers[places[i]! + v]! * width + firstRegister * 4
      for (let w = 0; w < registerCount * 4; w++) {
        const column = (block.firstSlot + v * registerCount * 4 + w) * capacity + first
        if (firstRegister * 4 + w >= width) inputs.fill(0, column, column + count)
        else for (let i = 0; i < count; i++) inputs[column + i] = words[starts[i]! + w]!
      }
    }
  }

  /** Takes what invocations of another entry left as the inputs of the same invocations, each with one vertex. Batches have one capacity. */
  takeOutputs(block: RegisterBlock, from: EntryRunner, kernels: ElementKernels | undefined): void {
    const { inputs, capacity } = this.batch
    const { firstRegister, registerCount, firstSlot } = block
    const source = from.#outputBlock
    const end = firstRegister + registerCount
    const low = Math.min(end, Math.max(firstRegister, source?.firstRegister ?? end))
    const high = Math.max(low, Math.min(end, from.registerCount))
    const columnOf = (register: number): number => (firstSlot + (register - firstRegister) * 4) * capacity
    // Registers that were not left are 0.
    if (low > firstRegister) inputs.fill(0, columnOf(firstRegister), columnOf(low))
    if (high < end) inputs.fill(0, columnOf(high), columnOf(end))
    if (source === undefined || high === low) return
    const at = (source.firstSlot + (low - source.firstRegister) * 4) * capacity
    copyWords(kernels, inputs, columnOf(low), from.batch.outputs, at, at + (high - low) * 4 * capacity)
  }

  run(count: number): void {
    this.batch.count = count
    const { execution, until, order } = this.#shader
    if (order !== undefined) order.batch++
    execution.start(this.batch)
    const result = execution.run(until)
    if (result?.stopped !== undefined) throw new DrawStopped(result.stopped)
    if (execution.progress.done < count) throw new DrawStopped('time')
  }

  /** Appends the output registers of the batch's invocations to an array of vertices. */
  appendOutputs(to: VertexArray): void {
    const { outputs, capacity, count } = this.batch
    // Code writes whole quads.
    growVertices(to, count + 3)
    const block = this.#outputBlock
    const width = to.registerCount * 4
    const columns = { words: outputs, capacity }
    if (
      block !== undefined &&
      to.vertexMemory?.code.writeVertices(block, columns, count, to, to.count * width) === true
    ) {
      to.count += count
      return
    }
    to.words.fill(0, to.count * width, (to.count + count) * width)
    if (block !== undefined) {
      for (let w = 0; w < block.registerCount * 4; w++) {
        const from = (block.firstSlot + w) * capacity
        const at = to.count * width + block.firstRegister * 4 + w
        for (let i = 0; i < count; i++) to.words[at + i * width] = outputs[from + i]!
      }
    }
    to.count += count
  }
}
