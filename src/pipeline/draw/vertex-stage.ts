import { SYSTEM_VALUE_NUMBER } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import { newVertexArray, type VertexArray } from '../geometry.ts'
import { type BoundVertexBuffer, fetchVertex, type InputLayout, type VertexSequence } from '../input/index.ts'
import { BATCH_SIZE, EntryRunner, type StageShader } from '../stage-runner.ts'
import type { PipelineStatistics } from './statistics.ts'

/** Vertex shading: the vertices of an instance, shaded once for each index of a batch. */

export interface VertexStageOptions {
  readonly shader: StageShader
  readonly layout: InputLayout
  readonly buffers: readonly (BoundVertexBuffer | undefined)[]
  readonly startInstance: number
  /** The shader writes memory: every vertex is shaded, in order (16.10). */
  readonly hasSideEffects: boolean
  /** Registers and components that take SV_VertexID and SV_InstanceID. */
  readonly systemInputs: readonly {
    readonly register: number
    readonly component: number
    readonly systemValue: number
  }[]
}

/** Input registers of any vertex shader (4.4.6). */
const MAX_REGISTERS = 64

/** Batches between two places where a draw gives way. */
const BATCHES_BETWEEN = 16

/** Shaded vertices of an instance: for each element of the sequence the number of its vertex. */
export interface ShadedVertices {
  readonly vertices: VertexArray
  readonly numbers: Uint32Array
}

export class VertexStage {
  readonly #o: VertexStageOptions
  readonly #runner: EntryRunner
  readonly #words = new Int32Array(MAX_REGISTERS * 4)
  readonly #ids = new Uint32Array(BATCH_SIZE)
  readonly vertices: VertexArray
  #instance = 0

  constructor(o: VertexStageOptions) {
    this.#o = o
    const describe = (i: number): string => `vertex ${this.#ids[i]} of instance ${this.#instance}`
    this.#runner = new EntryRunner(o.shader, describe)
    this.vertices = newVertexArray(this.#runner.registerCount)
  }

  /** Shades the vertices of an instance, giving way after some batches; what an earlier instance left is gone. */
  *run(sequence: VertexSequence, instance: number, statistics: PipelineStatistics): Generator<void, ShadedVertices> {
    this.#instance = instance
    this.vertices.count = 0
    const numbers = new Uint32Array(sequence.length)
    const known = new Map<number, number>()
    let pending = 0
    const flush = (): void => {
      if (pending === 0) return
      this.#runner.run(pending)
      statistics.vsInvocations += pending
      this.#runner.appendOutputs(this.vertices)
      pending = 0
    }
    let inBatch = 0
    let batches = 0
    for (let i = 0; i < sequence.length; i++) {
      if (sequence.cuts?.[i] === 1) continue
      // Results are reused inside of 256 consecutive vertices of an instance, a constant, so that counts do not depend
      // on how the work is divided.
      if (inBatch === BATCH_SIZE) {
        flush()
        known.clear()
        inBatch = 0
        if (++batches % BATCHES_BETWEEN === 0) yield
      }
      inBatch++
      const id = sequence.ids[i]!
      const reused = this.#o.hasSideEffects ? undefined : known.get(id)
      if (reused !== undefined) {
        numbers[i] = reused
        continue
      }
      const number = this.vertices.count + pending
      known.set(id, number)
      numbers[i] = number
      this.#fetch(pending++, id, sequence.base, instance)
    }
    flush()
    return { vertices: this.vertices, numbers }
  }

  #fetch(lane: number, id: number, base: number, instance: number): void {
    const { layout, buffers, startInstance, systemInputs } = this.#o
    this.#ids[lane] = id
    const block = this.#runner.inputBlock(FILE.input)
    if (block === undefined) return
    this.#words.fill(0)
    fetchVertex(layout, buffers, { vertex: (id + base) >>> 0, instance, startInstance }, this.#words, 0)
    for (const s of systemInputs) {
      const word = s.systemValue === SYSTEM_VALUE_NUMBER.vertexId ? id : instance
      this.#words[s.register * 4 + s.component] = word
    }
    const { inputs, capacity } = this.#runner.batch
    const from = block.firstRegister * 4
    for (let w = 0; w < block.registerCount * 4; w++) {
      inputs[(block.firstSlot + w) * capacity + lane] = this.#words[from + w]!
    }
  }
}
