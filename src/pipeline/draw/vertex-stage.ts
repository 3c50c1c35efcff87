import { SYSTEM_VALUE_NUMBER } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import { newVertexArray, type VertexArray } from '../geometry.ts'
import { type BoundVertexBuffer, fetchVertices, type InputLayout, type VertexSequence } from '../input/index.ts'
import { createPool } from '../pool.ts'
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

/** Numbers of the vertices of a batch by identifier: twice as many places as identifiers, searched one after the other. */
class ReuseTable {
  readonly #ids = new Uint32Array(BATCH_SIZE * 2)
  readonly #numbers = new Int32Array(BATCH_SIZE * 2).fill(-1)

  clear(): void {
    this.#numbers.fill(-1)
  }

  /** The number of the vertex with an identifier; where there is none it gets `next`. */
  numberOf(id: number, next: number): number {
    // Multiplied by 2^32 over the golden ratio, the upper bits are spread.
    let place = Math.imul(id, 0x9e3779b1) >>> (32 - PLACE_BITS)
    while (this.#numbers[place]! >= 0) {
      if (this.#ids[place] === id) return this.#numbers[place]!
      place = (place + 1) & (BATCH_SIZE * 2 - 1)
    }
    this.#ids[place] = id
    this.#numbers[place] = next
    return next
  }
}

/** The logarithm of the places of a table. */
const PLACE_BITS = Math.log2(BATCH_SIZE * 2)

/** Arrays of a vertex stage. */
interface VertexColumns {
  readonly columns: Int32Array
  readonly ids: Uint32Array
  readonly addresses: Uint32Array
  readonly known: ReuseTable
}

const COLUMNS = createPool<VertexColumns>(() => ({
  columns: new Int32Array(MAX_REGISTERS * 4),
  ids: new Uint32Array(BATCH_SIZE),
  addresses: new Uint32Array(BATCH_SIZE),
  known: new ReuseTable(),
}))

export class VertexStage {
  readonly #o: VertexStageOptions
  readonly #memory: VertexColumns
  readonly #runner: EntryRunner
  /** Where each component of the input registers stands in the batch. */
  readonly #columns: Int32Array
  readonly #ids: Uint32Array
  readonly #addresses: Uint32Array
  readonly vertices: VertexArray
  #instance = 0

  constructor(o: VertexStageOptions) {
    this.#o = o
    this.#memory = COLUMNS.take()
    this.#columns = this.#memory.columns.fill(-1)
    this.#ids = this.#memory.ids
    this.#addresses = this.#memory.addresses
    const describe = (i: number): string => `vertex ${this.#ids[i]} of instance ${this.#instance}`
    this.#runner = new EntryRunner(o.shader, describe)
    this.vertices = newVertexArray(this.#runner.registerCount)
    // Components that nothing feeds are 0.
    this.#runner.batch.inputs.fill(0)
    const block = this.#runner.inputBlock(FILE.input)
    if (block === undefined) return
    for (let w = 0; w < block.registerCount * 4; w++) {
      this.#columns[block.firstRegister * 4 + w] = (block.firstSlot + w) * this.#runner.batch.capacity
    }
  }

  /** Gives its memory back when nothing runs it any more. */
  dispose(): void {
    COLUMNS.give(this.#memory)
  }

  /** Shades the vertices of an instance, giving way after some batches; what an earlier instance left is gone. */
  *run(sequence: VertexSequence, instance: number, statistics: PipelineStatistics): Generator<void, ShadedVertices> {
    this.#instance = instance
    this.vertices.count = 0
    const numbers = new Uint32Array(sequence.length)
    const { known } = this.#memory
    // Results are reused inside of 256 consecutive vertices of an instance, a constant, so that counts do not depend
    // on how the work is divided.
    let batches = 0
    for (let at = 0; at < sequence.length; ) {
      const first = this.vertices.count
      known.clear()
      let pending = 0
      for (let taken = 0; taken < BATCH_SIZE && at < sequence.length; at++) {
        if (sequence.cuts?.[at] === 1) continue
        taken++
        const id = sequence.ids[at]!
        const next = first + pending
        const number = this.#o.hasSideEffects ? next : known.numberOf(id, next)
        numbers[at] = number
        if (number === next) this.#ids[pending++] = id
      }
      this.#shade(pending, sequence.base, statistics)
      if (++batches % BATCHES_BETWEEN === 0) yield
    }
    return { vertices: this.vertices, numbers }
  }

  /** Shades the first of the identifiers. */
  #shade(count: number, base: number, statistics: PipelineStatistics): void {
    if (count === 0) return
    this.#fetch(count, base)
    this.#runner.run(count)
    statistics.vsInvocations += count
    this.#runner.appendOutputs(this.vertices)
  }

  #fetch(count: number, base: number): void {
    const { layout, buffers, startInstance, systemInputs } = this.#o
    const { inputs } = this.#runner.batch
    for (let i = 0; i < count; i++) this.#addresses[i] = this.#ids[i]! + base
    const at = { vertices: this.#addresses, count, instance: this.#instance, startInstance }
    fetchVertices(layout, buffers, at, { words: inputs, first: this.#columns })
    for (const s of systemInputs) {
      const column = this.#columns[s.register * 4 + s.component]!
      if (column < 0) continue
      if (s.systemValue === SYSTEM_VALUE_NUMBER.vertexId) inputs.set(this.#ids.subarray(0, count), column)
      else inputs.fill(this.#instance, column, column + count)
    }
  }
}
