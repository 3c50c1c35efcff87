import { BATCH_SIZE, SYSTEM_VALUE_NUMBER } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import { compileThresholds } from '../compile-thresholds.ts'
import { growVertices, newVertexArray, type VertexArray } from '../geometry.ts'
import {
  type BoundVertexBuffer,
  FetchCode,
  fetchInstances,
  fetchVertices,
  type InputLayout,
  type VertexSequence,
} from '../input/index.ts'
import { createPool } from '../pool.ts'
import { EntryRunner, type StageShader } from '../stage-runner.ts'
import type { VertexMemory } from '../vertex-memory.ts'
import type { PipelineStatistics } from './statistics.ts'
import { type VertexPlan, VertexPlanner } from './vertex-plan.ts'

/** Vertex shading: the vertices of instances, as the plan says. */

/** A register and its component that take SV_VertexID or SV_InstanceID. */
export interface SystemInput {
  readonly register: number
  readonly component: number
  readonly systemValue: number
}

interface VertexStageOptions {
  readonly shader: StageShader
  readonly layout: InputLayout
  readonly buffers: readonly (BoundVertexBuffer | undefined)[]
  readonly startInstance: number
  /** The shader writes memory: every vertex is shaded, in order (16.10). */
  readonly hasSideEffects: boolean
  /** Where the vertices lie that other stages read. */
  readonly vertexMemory: VertexMemory | undefined
  readonly systemInputs: readonly SystemInput[]
  /** Its vertices are control points, which are read again for each point of a patch. */
  readonly areControlPoints: boolean
}

/** Input registers of any vertex shader (4.4.6). */
const MAX_REGISTERS = 64

/** Vertices of an instance, at the most, that are fetched with those of other instances. */
const FEW_VERTICES = 64

/** Batches between two places where a draw yields to the host. */
const BATCHES_BETWEEN = 16

/** Vertices of some instances. */
export interface ShadedInstances {
  readonly plan: VertexPlan
  /** Added to identifiers for the addresses of vertex data. */
  readonly base: number
  readonly firstInstance: number
  readonly instanceCount: number
}

const NOTHING_SHADED: ShadedInstances = {
  plan: { ids: new Uint32Array(0), count: 0, numbers: new Uint32Array(0), isCounted: true, least: 0, largest: 0 },
  base: 0,
  firstInstance: 0,
  instanceCount: 0,
}

/** Arrays of a vertex stage. */
interface VertexColumns {
  readonly columns: Int32Array
  /** By invocation of a batch: the number of its vertex in vertex buffers. */
  readonly addresses: Uint32Array
  readonly planner: VertexPlanner
  /** What the vertices of the draw before lay in. */
  words: Int32Array
}

const COLUMNS = createPool<VertexColumns>(() => ({
  columns: new Int32Array(MAX_REGISTERS * 4),
  addresses: new Uint32Array(BATCH_SIZE),
  planner: new VertexPlanner(),
  words: new Int32Array(0),
}))

/** Words of vertices that are kept for the next draw at the most. */
const MAX_KEPT_WORDS = 2 ** 21

/** Whether an array lies in the memory of this stage. */
const isOwn = (words: Int32Array): boolean => words.buffer instanceof ArrayBuffer

export class VertexStage {
  readonly #o: VertexStageOptions
  readonly #memory: VertexColumns
  readonly #runner: EntryRunner
  /** Where each component of the input registers stands in the batch. */
  readonly #columns: Int32Array
  readonly vertices: VertexArray
  /** What is shaded, and the number among all of it that the first invocation of the batch has. */
  #shaded = NOTHING_SHADED
  #first = 0
  /** Null where code fetches nothing. */
  #fetchCode: FetchCode | null | undefined

  constructor(o: VertexStageOptions) {
    this.#o = o
    this.#memory = COLUMNS.acquire()
    this.#columns = this.#memory.columns.fill(-1)
    this.#runner = new EntryRunner(o.shader, (i) => this.#describe(i))
    this.vertices = newVertexArray(this.#runner.registerCount, 0, o.vertexMemory)
    this.vertices.words = this.#memory.words
    // Components that nothing feeds stay 0.
    const block = this.#runner.inputBlock(FILE.input)
    if (block === undefined) return
    for (let w = 0; w < block.registerCount * 4; w++) {
      this.#columns[block.firstRegister * 4 + w] = (block.firstSlot + w) * this.#runner.batch.capacity
    }
  }

  /** Gives its memory back when nothing runs it any more. */
  dispose(): void {
    const { words } = this.vertices
    if (isOwn(words) && words.length <= MAX_KEPT_WORDS) this.#memory.words = words
    COLUMNS.release(this.#memory)
  }

  #describe(invocation: number): string {
    const { plan, firstInstance } = this.#shaded
    const n = this.#first + invocation
    return `vertex ${plan.ids[n % plan.count]} of instance ${firstInstance + Math.floor(n / plan.count)}`
  }

  /** Finds what is shaded, yielding to the host in between; the plan is there until the next one is asked for. */
  plan(sequence: VertexSequence): Generator<void, VertexPlan> {
    return this.#memory.planner.plan(sequence, this.#o.hasSideEffects)
  }

  /**
   * Shades the vertices of instances, yielding to the host after some batches; what was shaded before is gone. Vertex n of the plan is
   * number `k * plan.count + n` in the k-th of the instances.
   */
  *shade(given: ShadedInstances, statistics: PipelineStatistics): Generator<void, void> {
    const total = given.plan.count * given.instanceCount
    this.vertices.count = 0
    this.#leaveOwnWords(total)
    // Code that copies them writes whole quads.
    growVertices(this.vertices, Math.max(total + 3, this.#leastCount))
    let batches = 0
    for (let done = 0; done < total; done += BATCH_SIZE) {
      this.#shadeBatch(given, done, Math.min(BATCH_SIZE, total - done), statistics)
      this.#runner.appendOutputs(this.vertices)
      if (++batches % BATCHES_BETWEEN === 0) yield
    }
  }

  /** Shades the vertices of instances batch by batch, and hands each on before the next one: `first` is the number of its first. */
  *shadeTo(
    given: ShadedInstances,
    statistics: PipelineStatistics,
    take: (batch: EntryRunner, first: number, count: number) => Generator<void, void>,
  ): Generator<void, void> {
    const total = given.plan.count * given.instanceCount
    let batches = 0
    for (let done = 0; done < total; done += BATCH_SIZE) {
      const count = Math.min(BATCH_SIZE, total - done)
      this.#shadeBatch(given, done, count, statistics)
      // What comes next compiles programs too.
      if (done === 0) yield
      yield* take(this.#runner, done, count)
      if (++batches % BATCHES_BETWEEN === 0) yield
    }
  }

  #shadeBatch(given: ShadedInstances, first: number, lanes: number, statistics: PipelineStatistics): void {
    const { plan, firstInstance } = given
    this.#shaded = given
    this.#first = first
    let instance = firstInstance + Math.floor(first / plan.count)
    let vertex = first % plan.count
    const areFew = plan.count <= FEW_VERTICES && lanes > plan.count
    if (areFew) this.#fetchInstances(given, vertex, instance, lanes)
    if (!areFew || this.#o.systemInputs.length > 0) {
      for (let lane = 0; lane < lanes; ) {
        const count = Math.min(lanes - lane, plan.count - vertex)
        if (!areFew) this.#fetch(given, vertex, instance, lane, count)
        this.#fillSystem(plan, vertex, instance, lane, count)
        lane += count
        vertex = 0
        instance++
      }
    }
    this.#runner.run(lanes)
    statistics.vsInvocations += lanes
  }

  /** Vertices that there must be room for, so that few control points lie in the memory of the engine too. */
  get #leastCount(): number {
    const { registerCount, vertexMemory } = this.vertices
    const isEngines = this.#o.areControlPoints && vertexMemory !== undefined && registerCount > 0
    return isEngines ? Math.ceil(compileThresholds.vertexWords / (registerCount * 4)) : 0
  }

  /** Many vertices lie in the memory of the engine, where there is room. */
  #leaveOwnWords(count: number): void {
    const { words, registerCount, vertexMemory } = this.vertices
    const isMany = Math.max(count, this.#leastCount) * registerCount * 4 >= compileThresholds.vertexWords
    if (vertexMemory !== undefined && isMany && isOwn(words)) this.vertices.words = new Int32Array(0)
  }

  /** Fills the inputs of `count` invocations from `lane` on with vertices of one instance. */
  #fetch(given: ShadedInstances, vertex: number, instance: number, lane: number, count: number): void {
    const byCode = this.#fetchByCode(given, vertex, lane, count)
    if (byCode > 0) this.#fetchElements(this.#fetchCode!.rest, given, vertex, instance, lane, byCode)
    this.#fetchElements(this.#o.layout, given, vertex + byCode, instance, lane + byCode, count - byCode)
  }

  /** Fills inputs with elements, vertex by vertex. */
  #fetchElements(
    layout: InputLayout,
    { plan, base }: ShadedInstances,
    vertex: number,
    instance: number,
    lane: number,
    count: number,
  ): void {
    if (layout.elements.length === 0 || count === 0) return
    const { buffers, startInstance } = this.#o
    const vertices = this.#addressesOf(plan, vertex, base, count)
    const at = { vertices, count, instance, startInstance, firstInvocation: lane }
    fetchVertices(layout, buffers, at, { words: this.#runner.batch.inputs, first: this.#columns })
  }

  /** Fills the inputs of so many invocations with vertices of instances that have few, from one of the first instance on. */
  #fetchInstances({ plan, base }: ShadedInstances, firstVertex: number, instance: number, count: number): void {
    const { layout, buffers, startInstance } = this.#o
    const vertices = this.#addressesOf(plan, 0, base, plan.count)
    const at = { vertices, perInstance: plan.count, firstVertex, instance, startInstance, lane: 0, count }
    fetchInstances(layout, buffers, at, { words: this.#runner.batch.inputs, first: this.#columns })
  }

  #fillSystem(plan: VertexPlan, vertex: number, instance: number, lane: number, count: number): void {
    const { inputs } = this.#runner.batch
    for (const s of this.#o.systemInputs) {
      const column = this.#columns[s.register * 4 + s.component]! + lane
      if (column < lane) continue
      if (s.systemValue !== SYSTEM_VALUE_NUMBER.vertexId) inputs.fill(instance, column, column + count)
      else for (let i = 0; i < count; i++) inputs[column + i] = plan.ids[vertex + i]!
    }
  }

  /** Numbers of vertices in vertex buffers. */
  #addressesOf({ ids }: VertexPlan, vertex: number, base: number, count: number): Uint32Array {
    const { addresses } = this.#memory
    for (let i = 0; i < count; i++) addresses[i] = ids[vertex + i]! + base
    return addresses
  }

  /** Has code fetch of vertices what it can, and says of how many from the first on. */
  #fetchByCode({ plan, base }: ShadedInstances, vertex: number, lane: number, count: number): number {
    const { layout, buffers, vertexMemory } = this.#o
    const code = vertexMemory?.code
    if (this.#fetchCode === null || code?.isWorth(count) !== true) return 0
    this.#fetchCode ??= FetchCode.create(layout, buffers, this.#columns, code) ?? null
    if (this.#fetchCode === null) return 0
    const { inputs } = this.#runner.batch
    return this.#fetchCode.fetch(plan, base, vertex, { words: inputs, lane, count })
  }
}
