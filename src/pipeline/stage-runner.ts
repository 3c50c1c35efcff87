import {
  type Batch,
  type BatchExecution,
  blockOf,
  type QuadBatch,
  type RegisterBlock,
  type Stop,
  type StreamSink,
  type Until,
} from '../engine/index.ts'
import { FILE } from '../isa/index.ts'
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

/** Invocations of one batch. */
export const BATCH_SIZE = 256

export interface RunnerOptions {
  readonly entry?: number | undefined
  readonly quads?: QuadBatch | undefined
  readonly streams?: StreamSink | undefined
  readonly keepsOutputs?: boolean | undefined
  readonly capacity?: number | undefined
}

/** A shader of a draw with what is bound to it, and how long it may run: one primitive can be millions of pixels. */
export interface StageShader {
  readonly execution: BatchExecution
  readonly until: Until
}

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
    { entry = 0, quads, streams, keepsOutputs, capacity = BATCH_SIZE }: RunnerOptions = {},
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
    this.batch = {
      entry,
      count: 0,
      ...columns,
      keepsOutputs,
      quads,
      streams,
      describe: (i) => describe(this.first + i),
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

  /** Copies the registers of a vertex into an input file; `vertex` is its place in the file's first index. */
  setVertex(block: RegisterBlock, invocation: number, vertex: number, from: VertexArray, index: number): void {
    const { inputs, capacity } = this.batch
    const { firstRegister, registerCount } = block
    if (vertex >= block.vertexCount) return
    for (let r = 0; r < registerCount; r++) {
      const register = firstRegister + r
      const exists = register < from.registerCount
      const at = (index * from.registerCount + register) * 4
      const slot = block.firstSlot + (vertex * registerCount + r) * 4
      for (let c = 0; c < 4; c++) inputs[(slot + c) * capacity + invocation] = exists ? from.words[at + c]! : 0
    }
  }

  /** Copies the vertices of a primitive or patch into an input file, in order. */
  setVertices(block: RegisterBlock, invocation: number, from: VertexArray, indices: readonly number[]): void {
    for (let n = 0; n < indices.length; n++) this.setVertex(block, invocation, n, from, indices[n]!)
  }

  run(count: number): void {
    this.batch.count = count
    const { execution, until } = this.#shader
    execution.start(this.batch)
    const result = execution.run(until)
    if (result?.stopped !== undefined) throw new DrawStopped(result.stopped)
    if (execution.progress.done < count) throw new DrawStopped('time')
  }

  /** Appends the output registers of the batch's invocations to an array of vertices. */
  appendOutputs(to: VertexArray): void {
    const { outputs, capacity, count } = this.batch
    growVertices(to, count)
    const block = this.#outputBlock
    const width = to.registerCount * 4
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
