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
import { setDomainLocations, type Tessellation, tessellate } from '../tessellator/index.ts'
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
  /**
   * Domain points that wait for their shader, and of each its number, its patch among those that the hull shader has run, the place of
   * this patch's control points, its identifier and the instance.
   */
  #pending = 0
  readonly #points = new Int32Array(BATCH_SIZE)
  readonly #patches = new Int32Array(BATCH_SIZE)
  readonly #places = new Int32Array(BATCH_SIZE)
  readonly #ids = new Int32Array(BATCH_SIZE)
  readonly #instances = new Int32Array(BATCH_SIZE)
  /** The control points of the patches that the hull shader has run. */
  #controlPoints: PatchPoints | undefined
  /** Stages that have run a batch. */
  readonly #rested = new Set<'hull' | 'domain'>()

  constructor(o: TessellationOptions) {
    this.#o = o
    const { hull: shader, hullDeclarations: declarations, input, hasEffects, describePatch, vertexMemory } = o
    this.#hull = new HullStage({ shader, declarations, input, hasEffects, describePatch, vertexMemory })
    this.#declaredMost = this.#hull.stage.maxTessFactor ?? Number.POSITIVE_INFINITY
    const name = (i: number): string =>
      `domain point ${this.#points[i]} of ${describePatch(this.#ids[i]!, this.#instances[i]!)}`
    this.#domain = new EntryRunner(o.domain, name)
    this.#location = this.#domain.inputBlock(FILE['domain-point'])
    this.#control = this.#domain.inputBlock(FILE['input-control-point'])
    this.#constants = this.#domain.inputBlock(FILE['patch-constant'])
    this.#vertices = newVertexArray(this.#domain.registerCount, 0, o.vertexMemory)
    this.#next = o.next(this.#vertices)
  }

  /** Yields to the host behind the first batch of a stage: it has compiled programs, and what comes next does so too. */
  *#restOnce(stage: 'hull' | 'domain'): Generator<void, void> {
    if (this.#rested.has(stage)) return
    this.#rested.add(stage)
    yield
  }

  *add(patches: PrimitiveArray, from: number, to: number): Generator<void, void> {
    const { hasEffects, statistics } = this.#o
    for (let first = from; first < to; first += this.#hull.capacity) {
      const count = Math.min(this.#hull.capacity, to - first)
      statistics.hsInvocations += count
      this.#controlPoints = this.#hull.run(patches, first, count)
      yield* this.#restOnce('hull')
      for (let i = 0; i < count; i++) {
        this.#divide(i)
        if (hasEffects || this.#vertices.count + this.#pending >= MOST_VERTICES) yield* this.flush()
      }
      // Points read what the hull shader has left of their patches, and it leaves others with the next ones.
      this.#runDomain()
    }
  }

  *flush(): Generator<void, void> {
    this.#runDomain()
    yield* this.#restOnce('domain')
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
  #divide(i: number): void {
    const { domain, partitioning, outputPrimitive } = this.#hull.stage
    const factors = this.#hull.factors(i)
    this.#checkFactors(factors, i)
    const t = tessellate(domain, partitioning, outputPrimitive, factors)
    if (t.culled || t.pointCount === 0) return
    this.#addPrimitives(t, i)
    for (let done = 0; done < t.pointCount; ) {
      const count = Math.min(BATCH_SIZE - this.#pending, t.pointCount - done)
      this.#fillDomain(i, { points: t.points, first: done, count })
      done += count
      if (this.#pending === BATCH_SIZE) this.#runDomain()
    }
  }

  /** The compiler's code keeps factors below the declared maximum; beyond it tessellation is undefined (10.13). */
  #checkFactors(factors: Float32Array, patch: number): void {
    let largest = 0
    for (let n = 0; n < factors.length; n++) if (factors[n]! > largest) largest = factors[n]!
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

  /** Has points of a patch wait for the domain shader: there is room for them. */
  #fillDomain(
    patch: number,
    some: { readonly points: Int32Array; readonly first: number; readonly count: number },
  ): void {
    const at = this.#pending
    const { first, count } = some
    const location = this.#location
    if (location !== undefined) {
      const { inputs, capacity } = this.#domain.batch
      const columns = { floats: floatsOf(inputs), columnLength: capacity }
      setDomainLocations(this.#hull.stage.domain, some, columns, location.firstSlot * capacity + at)
    }
    const place = this.#controlPoints!.places.places[patch]!
    const id = this.#hull.ids[patch]!
    const instance = this.#hull.instances[patch]!
    for (let i = 0; i < count; i++) {
      this.#points[at + i] = first + i
      this.#patches[at + i] = patch
      this.#places[at + i] = place
      this.#ids[at + i] = id
      this.#instances[at + i] = instance
    }
    this.#pending += count
  }

  /** Fills what points that wait read of their patches. */
  #fillOfPatches(count: number): void {
    const { array, places } = this.#controlPoints!
    const domain = this.#domain
    domain.setSingles(FILE['input-primitive-id'], 0, count, this.#ids)
    if (this.#control !== undefined) {
      domain.setPrimitives(this.#control, 0, count, array, { ...places, places: this.#places })
    }
    if (this.#constants !== undefined) {
      this.#hull.fillConstants(this.#constants, this.#patches, domain.batch.inputs, count)
    }
  }

  /** Shades the points that wait. */
  #runDomain(): void {
    const count = this.#pending
    if (count === 0) return
    this.#pending = 0
    this.#fillOfPatches(count)
    this.#domain.run(count)
    this.#o.statistics.dsInvocations += count
    this.#domain.appendOutputs(this.#vertices)
  }
}
