import {
  type BoundIndexBuffer,
  type DrawCall,
  mayHaveCuts,
  readPart,
  readSequence,
  type Topology,
  type VertexSequence,
} from '../input/index.ts'
import { createPool } from '../pool.ts'
import { MOST_VERTICES } from './consumer.ts'
import { drawParts, elementCount, MOST_PART_ELEMENTS, partLength, primitivesOf } from './draw-parts.ts'
import type { GeometryDeclarations } from './geometry-stage.ts'
import { MAX_PATCHES } from './hull-stage.ts'
import type { DrawPart, StageChain } from './stage-chain.ts'

/** The parts of a draw by number, in the order of its primitives: elements of one instance, or whole instances. */

/** What is taken apart. */
export interface PartSource {
  readonly topology: Topology
  readonly cutOnLists: boolean
  readonly call: DrawCall
  readonly indexBuffer: BoundIndexBuffer | undefined
  /** The geometry shader says which vertices of a primitive there are. */
  readonly geometry: GeometryDeclarations | undefined
}

export interface PartPlan {
  /** Elements of a part; 0 where a part is whole instances. */
  readonly length: number
  /** Parts of an instance, or instances of a part. */
  readonly perInstance: number
  readonly instances: number
  readonly total: number
}

const instancesOf = (call: DrawCall): number => call.instanceCount ?? 1

/** Parts of about so many elements. `inTurns` says that the order of the stages shows: every instance is run as a whole, by itself. */
export function partPlan(source: PartSource, inTurns: boolean, elements = drawParts.elements): PartPlan {
  const { call, indexBuffer } = source
  const instanceCount = instancesOf(call)
  const length = inTurns ? 0 : partLength(source, call, indexBuffer, elements)
  if (length > 0) {
    const perInstance = Math.ceil(elementCount(call) / length)
    return { length, perInstance, instances: 1, total: perInstance * instanceCount }
  }
  const most = Math.min(MOST_VERTICES, elements)
  const instances = inTurns ? 1 : Math.max(1, Math.floor(most / Math.max(1, elementCount(call))))
  return { length, perInstance: 1, instances, total: Math.ceil(instanceCount / instances) }
}

/**
 * Whether batches of patches end in the parts of a plan where they end on one thread: the first finding of a hull shader follows them. Batches
 * go on over the ends of instances, but not of parts.
 */
export function keepsBatches(source: PartSource, plan: PartPlan): boolean {
  const alone = partPlan(source, false)
  if (alone.length === plan.length && alone.instances === plan.instances) return true
  const { call, topology } = source
  const isWhole = (elements: number): boolean => elements % (topology.vertexCount * MAX_PATCHES) === 0
  return (instancesOf(call) === 1 || isWhole(elementCount(call))) && isWhole(alone.length) && isWhole(plan.length)
}

/** Identifiers of the elements of a part. */
const PART_IDS = createPool(() => new Uint32Array(MOST_PART_ELEMENTS))

export class PartRunner {
  readonly #source: PartSource
  readonly #plan: PartPlan
  readonly #chain: StageChain
  readonly #ids = PART_IDS.acquire()
  /** An instance as a whole, once it has been read. */
  #whole: DrawPart | undefined

  constructor(source: PartSource, plan: PartPlan, chain: StageChain) {
    this.#source = source
    this.#plan = plan
    this.#chain = chain
  }

  /** Gives its memory back when nothing runs it any more. */
  dispose(): void {
    PART_IDS.release(this.#ids)
    this.#chain.vertexStage.dispose()
  }

  /** Runs the stages for a part, and yields to the host after some of the work. */
  *run(part: number): Generator<void, void> {
    const { length, perInstance, instances } = this.#plan
    const { call, indexBuffer, topology } = this.#source
    if (length === 0) {
      const first = part * instances
      const whole = yield* this.#readWhole()
      yield* this.#chain.run(whole, first, Math.min(instances, instancesOf(call) - first))
      return
    }
    const from = (part % perInstance) * length
    const end = Math.min(elementCount(call), from + length)
    const sequence = readPart(call, indexBuffer, [from, end], this.#ids)
    const read = yield* this.#planned(sequence, from / topology.vertexCount)
    yield* this.#chain.run(read, Math.floor(part / perInstance), 1)
  }

  *#readWhole(): Generator<void, DrawPart> {
    if (this.#whole !== undefined) return this.#whole
    this.#whole = yield* this.#planned(this.#readInstance(), 0)
    return this.#whole
  }

  /** The vertices of an instance: short draws without cuts need no arrays of their own. */
  #readInstance(): VertexSequence {
    const { call, indexBuffer, topology, cutOnLists } = this.#source
    const cutActs = topology.isStrip || cutOnLists
    const isShort = 'indexCount' in call && call.indexCount <= this.#ids.length
    if (!isShort || (cutActs && mayHaveCuts(call, indexBuffer))) return readSequence(call, indexBuffer, { cutActs })
    return readPart(call, indexBuffer, [0, call.indexCount], this.#ids)
  }

  *#planned(sequence: VertexSequence, firstPrimitive: number): Generator<void, DrawPart> {
    const { topology, geometry } = this.#source
    const primitives = primitivesOf(topology, geometry, sequence)
    const plan = yield* this.#chain.vertexStage.plan(sequence)
    return { sequence, primitives, plan, firstPrimitive }
  }
}
