import { BATCH_SIZE, type RegisterBlock } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import {
  floatsOf,
  growPrimitives,
  newPrimitiveArray,
  newVertexArray,
  type PrimitiveArray,
  type VertexArray,
} from '../geometry.ts'
import { EntryRunner, type StageShader } from '../stage-runner.ts'
import { setDomainLocation, type Tessellation, tessellate } from '../tessellator/index.ts'
import type { VertexMemory } from '../vertex-memory.ts'
import { MOST_VERTICES, type PrimitiveConsumer } from './consumer.ts'
import { type HullDeclarations, HullStage, type PatchPoints } from './hull-stage.ts'
import type { PipelineStatistics } from './statistics.ts'

/** Patches to vertices: the hull shader, the tessellator, the domain shader (functional specification 10 to 12). */

interface TessellationOptions {
  readonly hull: StageShader
  readonly hullDeclarations: HullDeclarations
  readonly domain: StageShader
  readonly statistics: PipelineStatistics
  /** The vertices that its patches are numbers of. */
  readonly input: VertexArray
  /** A shader of the draw writes memory: every stage runs for a patch before the next one begins. */
  readonly hasEffects: boolean
  readonly describePatch: (primitiveId: number, instance: number) => string
  /** Takes the first factor that is above what the hull shader declares. */
  readonly onExcess: (message: string) => void
  /** Where its vertices lie. */
  readonly vertexMemory: VertexMemory | undefined
  /** What takes its primitives. */
  readonly next: (vertices: VertexArray) => PrimitiveConsumer
}

export class TessellationStage implements PrimitiveConsumer {
  readonly #o: TessellationOptions
  readonly #hull: HullStage
  readonly #domain: EntryRunner
  readonly #location: RegisterBlock | undefined
  readonly #control: RegisterBlock | undefined
  readonly #constants: RegisterBlock | undefined
  readonly #next: PrimitiveConsumer
  /** Vertices that the domain shader made, and the primitives of them that wait. */
  readonly #vertices: VertexArray
  #primitives: PrimitiveArray | undefined
  /** What dcl_hs_max_tessfactor says, until a factor was above it. */
  #declaredMost: number
  /** Domain points that wait for their shader, and of each its number, its patch and the instance. */
  #pending = 0
  readonly #points = new Int32Array(BATCH_SIZE)
  readonly #patches = new Int32Array(BATCH_SIZE)
  readonly #instances = new Int32Array(BATCH_SIZE)

  constructor(o: TessellationOptions) {
    this.#o = o
    const { hull: shader, hullDeclarations: declarations, input, hasEffects, describePatch } = o
    this.#hull = new HullStage({ shader, declarations, input, hasEffects, describePatch })
    this.#declaredMost = this.#hull.stage.maxTessFactor ?? Number.POSITIVE_INFINITY
    const name = (i: number): string =>
      `domain point ${this.#points[i]} of ${describePatch(this.#patches[i]!, this.#instances[i]!)}`
    this.#domain = new EntryRunner(o.domain, name)
    this.#location = this.#domain.inputBlock(FILE['domain-point'])
    this.#control = this.#domain.inputBlock(FILE['input-control-point'])
    this.#constants = this.#domain.inputBlock(FILE['patch-constant'])
    this.#vertices = newVertexArray(this.#domain.registerCount, 0, o.vertexMemory)
    this.#next = o.next(this.#vertices)
  }

  *add(patches: PrimitiveArray, from: number, to: number): Generator<void, void> {
    const { hasEffects, statistics } = this.#o
    for (let first = from; first < to; first += this.#hull.capacity) {
      const count = Math.min(this.#hull.capacity, to - first)
      statistics.hsInvocations += count
      const points = this.#hull.run(patches, first, count)
      for (let i = 0; i < count; i++) {
        this.#divide(points, i)
        if (hasEffects || this.#vertices.count + this.#pending >= MOST_VERTICES) yield* this.flush()
      }
    }
  }

  *flush(): Generator<void, void> {
    this.#runDomain()
    const primitives = this.#primitives
    if (primitives !== undefined) {
      yield* this.#next.add(primitives, 0, primitives.count)
      primitives.count = 0
    }
    yield* this.#next.flush()
    this.#vertices.count = 0
    this.#next.clearVertices()
  }

  /** It has copies of what it reads. */
  clearVertices(): void {}

  /** Puts the domain points and primitives of a patch behind those that wait. */
  #divide(points: PatchPoints, i: number): void {
    const { domain, partitioning, outputPrimitive } = this.#hull.stage
    const factors = this.#hull.factors(i)
    this.#checkFactors(factors, i)
    const t = tessellate(domain, partitioning, outputPrimitive, factors)
    if (t.culled || t.pointCount === 0) return
    this.#addPrimitives(t, i)
    for (let done = 0; done < t.pointCount; ) {
      const count = Math.min(BATCH_SIZE - this.#pending, t.pointCount - done)
      this.#fillDomain(points, i, t.points, done, count)
      done += count
      if (this.#pending === BATCH_SIZE) this.#runDomain()
    }
  }

  /** The compiler's code keeps factors below the declared maximum; beyond it tessellation is undefined (10.13). */
  #checkFactors(factors: Float32Array, patch: number): void {
    const largest = factors.reduce((most, f) => (f > most ? f : most), 0)
    if (largest <= this.#declaredMost) return
    const name = this.#o.describePatch(this.#hull.ids[patch]!, this.#hull.instances[patch]!)
    const text = `${name} has the tessellation factor ${largest}; dcl_hs_max_tessfactor declares at most ${this.#declaredMost}. Direct3D leaves that undefined; the factor is used as it is`
    this.#o.onExcess(text)
    this.#declaredMost = Number.POSITIVE_INFINITY
  }

  /** Primitives whose points come behind those that wait. */
  #addPrimitives(t: Tessellation, patch: number): void {
    const made = (this.#primitives ??= newPrimitiveArray(t.verticesPerPrimitive))
    const firstVertex = this.#vertices.count + this.#pending
    growPrimitives(made, t.primitiveCount)
    const at = made.count * t.verticesPerPrimitive
    for (let k = 0; k < t.indices.length; k++) made.vertices[at + k] = firstVertex + t.indices[k]!
    const end = made.count + t.primitiveCount
    made.ids.fill(this.#hull.ids[patch]!, made.count, end)
    made.instances.fill(this.#hull.instances[patch]!, made.count, end)
    made.count = end
  }

  /** Fills `count` invocations for points of a patch from point `done` on. */
  #fillDomain(control: PatchPoints, patch: number, points: Int32Array, done: number, count: number): void {
    const first = this.#pending
    const { inputs, capacity } = this.#domain.batch
    const { domain } = this.#hull.stage
    for (let i = 0; i < count; i++) this.#points[first + i] = done + i
    if (this.#location !== undefined) {
      const column = this.#location.firstSlot * capacity + first
      const columns = { floats: floatsOf(inputs), columnLength: capacity }
      for (let i = 0; i < count; i++) {
        setDomainLocation(domain, points[(done + i) * 2]!, points[(done + i) * 2 + 1]!, columns, column + i)
      }
    }
    this.#patches.fill(this.#hull.ids[patch]!, first, first + count)
    this.#instances.fill(this.#hull.instances[patch]!, first, first + count)
    this.#domain.setSingles(FILE['input-primitive-id'], first, count, this.#patches.subarray(first))
    if (this.#control !== undefined) this.#domain.fillPrimitive(this.#control, first, count, control, patch)
    const constants = this.#constants
    if (constants !== undefined) {
      for (let w = 0; w < constants.registerCount * 4; w++) {
        const column = (constants.firstSlot + w) * capacity + first
        inputs.fill(this.#hull.constant(patch, constants.firstRegister * 4 + w), column, column + count)
      }
    }
    this.#pending += count
  }

  /** Shades the points that wait. */
  #runDomain(): void {
    const count = this.#pending
    if (count === 0) return
    this.#pending = 0
    this.#domain.run(count)
    this.#o.statistics.dsInvocations += count
    this.#domain.appendOutputs(this.#vertices)
  }
}
