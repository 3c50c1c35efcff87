import {
  BATCH_SIZE,
  type Declarations,
  type EntryDeclaration,
  type RegisterBlock,
  SYSTEM_VALUE_NUMBER,
} from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import { growVertices, newVertexArray, type PrimitiveArray, type VertexArray } from '../geometry.ts'
import { EntryRunner, type PrimitivePlaces, type StageShader } from '../stage-runner.ts'
import type { VertexMemory } from '../vertex-memory.ts'

/** The phases of the hull shader, for several patches at once (functional specification 10). */

const SV = SYSTEM_VALUE_NUMBER
/** Patch constants of a patch: 32 registers. */
const PATCH_WORDS = 32 * 4
/** Patches that are run together at the most: whole batches of any hull shader. */
export const MAX_PATCHES = 64

/** System values of the factors in the order in which the tessellator takes them. */
export const TESSELLATION_FACTORS = {
  quad: [SV.quadEdgeU0, SV.quadEdgeV0, SV.quadEdgeU1, SV.quadEdgeV1, SV.quadInsideU, SV.quadInsideV],
  triangle: [SV.triangleEdgeU, SV.triangleEdgeV, SV.triangleEdgeW, SV.triangleInside],
  isoline: [SV.lineDetail, SV.lineDensity],
} as const

/** Control points of patches: vertices of an array, of patch i from `places.places[i]` on. */
export interface PatchPoints {
  readonly array: VertexArray
  readonly places: PrimitivePlaces
}

/** What the stage depends on of its shader. */
export type HullDeclarations = Pick<Declarations, 'stage' | 'entries'>

interface HullOptions {
  readonly shader: StageShader
  readonly declarations: HullDeclarations
  /** The vertices that its patches are numbers of. */
  readonly input: VertexArray
  /** A shader of the draw writes memory: patches run one after the other. */
  readonly hasEffects: boolean
  readonly describePatch: (primitiveId: number, instance: number) => string
  /** Where its control points lie. */
  readonly vertexMemory: VertexMemory | undefined
}

interface Phase {
  readonly entry: EntryDeclaration
  readonly runner: EntryRunner
  readonly inputPoints: RegisterBlock | undefined
  readonly outputPoints: RegisterBlock | undefined
  readonly constants: RegisterBlock | undefined
  readonly outputs: RegisterBlock | undefined
}

/**
 * Patches of a batch with so many control points each: a power of two, of which parts on several threads are multiples. Phases run one after the
 * other over a batch, so that the first of a finding depends on where batches end.
 */
const patchesOf = (pointCount: number): number =>
  Math.min(MAX_PATCHES, 2 ** (31 - Math.clz32(BATCH_SIZE / Math.max(1, pointCount))))

export class HullStage {
  readonly stage: Extract<Declarations['stage'], { kind: 'hull' }>
  /** Patches that `run` takes at the most. */
  readonly capacity: number
  readonly #o: HullOptions
  readonly #points: EntryRunner | undefined
  readonly #phases: readonly Phase[]
  readonly #controlPoints: VertexArray
  /** Numbers of the control points that the first phase made, patch by patch. */
  readonly #numbers: Int32Array
  /** Patch constants by columns: word w of patch i is element `w * MAX_PATCHES + i`. */
  readonly #constants = new Int32Array(PATCH_WORDS * MAX_PATCHES)
  readonly #floats = new Float32Array(this.#constants.buffer)
  /** Register * 4 + component of each factor, -1 where no phase writes it. */
  readonly #factorWords: readonly number[]
  readonly #factors: Float32Array
  /** By patch that is run. */
  readonly ids = new Int32Array(MAX_PATCHES)
  readonly instances = new Int32Array(MAX_PATCHES)
  /** By invocation: what a register with one component gets, and where the vertices of its patch stand. */
  readonly #singles = new Int32Array(BATCH_SIZE)
  readonly #places = new Int32Array(BATCH_SIZE)
  readonly #patchPlaces = new Int32Array(MAX_PATCHES)
  /** Of the phase that runs. */
  #instance = 0

  constructor(o: HullOptions) {
    const { stage, entries } = o.declarations
    if (stage.kind !== 'hull') throw new Error('the shader of the hull stage is no hull shader')
    this.stage = stage
    this.#o = o
    const pointEntry = entries.findIndex((e) => e.kind === 'control-point')
    const pointCount = pointEntry < 0 ? 0 : stage.outputControlPointCount
    this.capacity = o.hasEffects ? 1 : patchesOf(pointCount)
    const pointName = (i: number): string =>
      `control point ${i % pointCount} of ${this.#nameOf(Math.floor(i / pointCount))}`
    this.#points = pointEntry < 0 ? undefined : new EntryRunner(o.shader, pointName, { entry: pointEntry })
    this.#phases = entries.flatMap((entry, n) =>
      entry.kind === 'fork' || entry.kind === 'join' ? [this.#phaseOf(entry, n)] : [],
    )
    this.#controlPoints = newVertexArray(this.#points?.registerCount ?? 0, 0, o.vertexMemory)
    growVertices(this.#controlPoints, pointCount * this.capacity)
    this.#numbers = Int32Array.from({ length: pointCount * this.capacity }, (_, i) => i)
    this.#factors = new Float32Array(TESSELLATION_FACTORS[stage.domain].length)
    this.#factorWords = TESSELLATION_FACTORS[stage.domain].map((systemValue) => {
      const declared = entries.flatMap((e) => e.outputs).find((d) => d.systemValue === systemValue)
      return declared === undefined ? -1 : declared.register * 4 + (31 - Math.clz32(declared.mask & -declared.mask))
    })
  }

  #nameOf(patch: number): string {
    return this.#o.describePatch(this.ids[patch]!, this.instances[patch]!)
  }

  #phaseOf(entry: EntryDeclaration, n: number): Phase {
    const name = (i: number): string => `${entry.kind} phase instance ${this.#instance} of ${this.#nameOf(i)}`
    const runner = new EntryRunner(this.#o.shader, name, { entry: n, keepsOutputs: true })
    return {
      entry,
      runner,
      inputPoints: runner.inputBlock(FILE['input-control-point']),
      outputPoints: runner.inputBlock(FILE['output-control-point']),
      constants: runner.inputBlock(FILE['patch-constant']),
      outputs: runner.outputBlock(FILE.output),
    }
  }

  /** Runs `count` patches from patch `first` on; what it answers is there until it runs again. */
  run(patches: PrimitiveArray, first: number, count: number): PatchPoints {
    const size = patches.verticesPerPrimitive
    for (let i = 0; i < count; i++) {
      this.ids[i] = patches.ids[first + i]!
      this.instances[i] = patches.instances[first + i]!
      this.#patchPlaces[i] = (first + i) * size
    }
    const places = { verticesPerPrimitive: size, numbers: patches.vertices, places: this.#patchPlaces }
    const input = { array: this.#o.input, places }
    const points = this.#runControlPoints(input, count)
    this.#runPhases(input, points, count)
    return points
  }

  /** Control points after the first phase; without one they pass through. */
  #runControlPoints(input: PatchPoints, count: number): PatchPoints {
    const runner = this.#points
    if (runner === undefined) return input
    const perPatch = this.stage.outputControlPointCount
    const lanes = count * perPatch
    const block = runner.inputBlock(FILE.input) ?? runner.inputBlock(FILE['input-control-point'])
    const places = this.#places
    for (let i = 0; i < lanes; i++) places[i] = this.#patchPlaces[Math.floor(i / perPatch)]!
    if (block !== undefined) runner.setPrimitives(block, 0, lanes, input.array, { ...input.places, places })
    for (let i = 0; i < lanes; i++) this.#singles[i] = i % perPatch
    runner.setSingles(FILE['output-control-point-id'], 0, lanes, this.#singles)
    for (let i = 0; i < lanes; i++) this.#singles[i] = this.ids[Math.floor(i / perPatch)]!
    runner.setSingles(FILE['input-primitive-id'], 0, lanes, this.#singles)
    this.#controlPoints.count = 0
    runner.run(lanes)
    runner.appendOutputs(this.#controlPoints)
    for (let i = 0; i < count; i++) places[i] = i * perPatch
    return { array: this.#controlPoints, places: { verticesPerPrimitive: perPatch, numbers: this.#numbers, places } }
  }

  /** Fork and join phases, their instances one after the other, each going on with what was written before. */
  #runPhases(input: PatchPoints, points: PatchPoints, count: number): void {
    this.#constants.fill(0)
    for (const { entry, runner, inputPoints, outputPoints, constants, outputs } of this.#phases) {
      if (inputPoints !== undefined) runner.setPrimitives(inputPoints, 0, count, input.array, input.places)
      if (outputPoints !== undefined) runner.setPrimitives(outputPoints, 0, count, points.array, points.places)
      if (constants !== undefined) this.#copyConstants(constants, runner.batch.inputs, count, 'to')
      runner.setSingles(FILE['input-primitive-id'], 0, count, this.ids)
      for (let instance = 0; instance < entry.instanceCount; instance++) {
        this.#instance = instance
        this.#singles.fill(instance, 0, count)
        runner.setSingles(FILE['fork-instance-id'], 0, count, this.#singles)
        runner.setSingles(FILE['join-instance-id'], 0, count, this.#singles)
        if (outputs !== undefined) this.#copyConstants(outputs, runner.batch.outputs, count, 'to')
        runner.run(count)
        if (outputs !== undefined) this.#copyConstants(outputs, runner.batch.outputs, count, 'from')
      }
    }
  }

  /** Copies patch constants to the columns of a batch, or from them. */
  #copyConstants(block: RegisterBlock, columns: Int32Array, count: number, way: 'to' | 'from'): void {
    for (let w = 0; w < block.registerCount * 4; w++) {
      const word = block.firstRegister * 4 + w
      const column = (block.firstSlot + w) * BATCH_SIZE
      const own = word * MAX_PATCHES
      const exists = word < PATCH_WORDS
      if (way === 'to') for (let i = 0; i < count; i++) columns[column + i] = exists ? this.#constants[own + i]! : 0
      else if (exists) for (let i = 0; i < count; i++) this.#constants[own + i] = columns[column + i]!
    }
  }

  /** The factors of patch `i` of those that were run, in an array that is filled again. */
  factors(i: number): Float32Array {
    const words = this.#factorWords
    const factors = this.#factors
    for (let n = 0; n < words.length; n++) {
      const word = words[n]!
      factors[n] = word < 0 ? 0 : this.#floats[word * MAX_PATCHES + i]!
    }
    return factors
  }

  /** Fills columns of a batch with the constants of patches by invocation; those that there are not are 0. */
  fillConstants(block: RegisterBlock, patches: Int32Array, columns: Int32Array, count: number): void {
    for (let w = 0; w < block.registerCount * 4; w++) {
      const word = block.firstRegister * 4 + w
      const column = (block.firstSlot + w) * BATCH_SIZE
      const own = word * MAX_PATCHES
      const exists = word < PATCH_WORDS
      for (let i = 0; i < count; i++) columns[column + i] = exists ? this.#constants[own + patches[i]!]! : 0
    }
  }
}
