import type { VertexArray } from '../geometry.ts'
import type { AssembledPrimitives, BoundVertexBuffer, InputLayout, VertexSequence } from '../input/index.ts'
import type { StageShader } from '../stage-runner.ts'
import type { VertexMemory } from '../vertex-memory.ts'
import type { LastStage, PrimitiveConsumer } from './consumer.ts'
import { passPrimitives } from './draw-parts.ts'
import { type GeometryDeclarations, GeometryStage } from './geometry-stage.ts'
import type { HullDeclarations } from './hull-stage.ts'
import type { PipelineStatistics } from './statistics.ts'
import { TessellationStage } from './tessellation-stage.ts'
import type { VertexPlan } from './vertex-plan.ts'
import { type SystemInput, VertexStage } from './vertex-stage.ts'

/** The shader stages of a draw, one behind the other, as one thread runs them. */

/** What the stages depend on, of a pipeline and a draw. */
export interface StageState {
  readonly inputLayout: InputLayout
  readonly vertexBuffers: readonly (BoundVertexBuffer | undefined)[]
  readonly startInstance: number
  readonly systemInputs: readonly SystemInput[]
  /** The vertex shader writes memory. */
  readonly shadesAll: boolean
  /** A shader behind the vertex shader writes memory: stages take turns after few primitives, as if there were no batches. */
  readonly hasEffects: boolean
  readonly hull: HullDeclarations | undefined
  readonly geometry: GeometryDeclarations | undefined
  readonly rasterizedStream: number
  /** Names say which instance. */
  readonly hasInstances: boolean
}

/** Shaders before the rasterizer. */
export interface StageShaders {
  readonly vertex: StageShader
  readonly hull?: StageShader | undefined
  readonly domain?: StageShader | undefined
  readonly geometry?: StageShader | undefined
}

interface StageChainOptions {
  readonly state: StageState
  readonly shaders: StageShaders
  readonly statistics: PipelineStatistics
  readonly vertexMemory: VertexMemory | undefined
  readonly onExcess: (message: string) => void
  /** What takes the primitives of the last stage. */
  readonly last: (vertices: VertexArray) => LastStage
}

/** What is shaded and passed on together, of each of one or more instances. */
export interface DrawPart {
  readonly sequence: VertexSequence
  readonly primitives: AssembledPrimitives
  readonly plan: VertexPlan
  /** Identifier of its first primitive. */
  readonly firstPrimitive: number
}

export class StageChain {
  readonly vertexStage: VertexStage
  readonly first: PrimitiveConsumer
  readonly #o: StageChainOptions
  /** A geometry shader that takes points where the vertex shader left them. */
  readonly #geometry: GeometryStage | undefined

  constructor(o: StageChainOptions) {
    const { state, shaders, vertexMemory } = o
    this.#o = o
    this.vertexStage = new VertexStage({
      vertexMemory,
      shader: shaders.vertex,
      layout: state.inputLayout,
      buffers: state.vertexBuffers,
      startInstance: state.startInstance,
      hasSideEffects: state.shadesAll,
      systemInputs: state.systemInputs,
      areControlPoints: state.hull !== undefined,
    })
    this.first = this.#firstConsumer(this.vertexStage.vertices)
    const { first } = this
    this.#geometry = first instanceof GeometryStage && first.takesShaded ? first : undefined
  }

  #ofInstance(instance: number): string {
    return this.#o.state.hasInstances ? ` of instance ${instance}` : ''
  }

  /** What takes the assembled primitives: tessellation, the geometry shader, or stream output and the rasterizer. */
  #firstConsumer(input: VertexArray): PrimitiveConsumer {
    const { state, shaders, statistics, vertexMemory, onExcess } = this.#o
    if (state.hull === undefined) return this.#afterTessellation(input)
    const describePatch = (id: number, instance: number): string => `patch ${id}${this.#ofInstance(instance)}`
    const next = (vertices: VertexArray): PrimitiveConsumer => this.#afterTessellation(vertices)
    return new TessellationStage({
      vertexMemory,
      hull: shaders.hull!,
      hullDeclarations: state.hull,
      domain: shaders.domain!,
      statistics,
      input,
      hasEffects: state.hasEffects,
      describePatch,
      onExcess,
      next,
    })
  }

  #afterTessellation(input: VertexArray): PrimitiveConsumer {
    const { state, shaders, statistics, vertexMemory: room, last } = this.#o
    if (state.geometry === undefined) return last(input)
    const describePrimitive = (id: number, instance: number): string => `primitive ${id}${this.#ofInstance(instance)}`
    return new GeometryStage({
      vertexMemory: room,
      shader: shaders.geometry!,
      declarations: state.geometry,
      statistics,
      input,
      rasterizedStream: state.rasterizedStream,
      describePrimitive,
      next: last,
    })
  }

  /** Shades the vertices of instances and passes on their primitives. */
  *run(part: DrawPart, firstInstance: number, instanceCount: number): Generator<void, void> {
    const { sequence, primitives, plan, firstPrimitive } = part
    const { statistics, state } = this.#o
    statistics.iaVertices += sequence.vertexCount * instanceCount
    statistics.iaPrimitives += primitives.count * instanceCount
    const { hasEffects, shadesAll } = state
    const shaded = { plan, base: sequence.base, firstInstance, instanceCount }
    const geometry = this.#geometry
    // Points that no two primitives share are those that have just been shaded.
    if (
      geometry !== undefined &&
      sequence.isCounted &&
      primitives.verticesPerPrimitive === 1 &&
      !hasEffects &&
      !shadesAll
    ) {
      yield* this.vertexStage.shadeTo(shaded, statistics, (batch, first, count) =>
        geometry.addShaded(batch, shaded, firstPrimitive, first, count),
      )
      return
    }
    this.first.clearVertices()
    yield* this.vertexStage.shade(shaded, statistics)
    yield
    const passed = { plan, primitives, firstPrimitive, firstInstance, instanceCount, hasEffects }
    yield* passPrimitives(this.first, passed)
  }
}
