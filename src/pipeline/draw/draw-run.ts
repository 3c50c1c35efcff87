import { appendAll, type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import { type Engine, type IoDeclaration, SYSTEM_VALUE_NUMBER } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import type { UndefinedPolicy } from '../../machine/index.ts'
import type { VertexArray } from '../geometry.ts'
import {
  type AssembledPrimitives,
  assemblePrimitives,
  type DrawCall,
  readPart,
  readSequence,
  type VertexSequence,
  withoutAdjacency,
} from '../input/index.ts'
import type { PixelCounts, PixelStage } from '../pixels/index.ts'
import { createPool } from '../pool.ts'
import { type ClipCounts, sampleOffsets } from '../raster/index.ts'
import type { PipelineShader } from '../shader.ts'
import type { StageShader } from '../stage-runner.ts'
import {
  elementCount,
  GeometryStage,
  handOn,
  LastStage,
  MOST_PART_ELEMENTS,
  MOST_VERTICES,
  newStatistics,
  type PipelineStatistics,
  type PrimitiveConsumer,
  partLength,
  TessellationStage,
  type VertexPlan,
  VertexStage,
} from '../stages/index.ts'
import { createStreamOutput, type StreamOutput } from '../streams/index.ts'
import { createPixelStage, type PixelSetup, type RasterSetup, RasterStage, SharedDraw } from '../tiles/index.ts'
import { VertexRoom } from '../vertex-room.ts'
import { instancesOf } from './check-call.ts'
import type { Pipeline } from './description.ts'
import type { KnownTargets } from './known-targets.ts'
import { pixelSetupOf } from './pixel-setup-of.ts'
import type { DrawResources, ShaderStage } from './resources.ts'
import { biasUnit, type TargetShape } from './target-shape.ts'

/** The stages of one draw, and the loop that runs them over its instances. */

const NO_PIXELS: PixelCounts = { invocations: 0, samplesPassed: 0, undefinedWrites: 0 }

export type Shaders = Readonly<Partial<Record<ShaderStage, StageShader>>>

/** Registers that a stage writes, from 0. */
const registersOf = (outputs: readonly IoDeclaration[]): number =>
  outputs.reduce((most, o) => (o.file === FILE.output ? Math.max(most, o.register + 1) : most), 0)

/** Everything that one draw runs on. */
export class DrawRun {
  readonly #p: Pipeline
  readonly #r: DrawResources
  readonly #call: DrawCall
  readonly #shaders: Shaders
  readonly statistics: PipelineStatistics = newStatistics()
  readonly clipCounts: ClipCounts = { clipperInvocations: 0, clipperPrimitives: 0 }
  /** What stages between the shaders found. */
  readonly diagnostics: Diagnostic[] = []
  readonly streamOutput: StreamOutput | undefined
  readonly #room: VertexRoom | undefined
  readonly #vertexStage: VertexStage
  readonly #targets: KnownTargets
  readonly #shape: TargetShape
  readonly #deadline: number
  readonly #policy: UndefinedPolicy
  readonly #engine: Engine
  readonly pixels: PixelStage | undefined
  readonly #setup: PixelSetup | undefined
  readonly #shared: SharedDraw | undefined
  #rasterState: RasterSetup | undefined
  #rasterStage: RasterStage | undefined
  readonly #begun = performance.now()
  /** A shader behind the vertex shader writes memory: stages take turns after few primitives, as if there were no batches. */
  readonly #hasEffects: boolean

  constructor(
    p: Pipeline,
    r: DrawResources,
    call: DrawCall,
    shaders: Shaders,
    targets: KnownTargets,
    deadline: number,
    policy: UndefinedPolicy,
    engine: Engine,
  ) {
    this.#p = p
    this.#engine = engine
    this.#r = r
    this.#call = call
    this.#shaders = shaders
    this.#targets = targets
    this.#shape = targets.shape
    this.#deadline = deadline
    this.#policy = policy
    this.#hasEffects = [p.hull, p.domain, p.geometry, p.pixel].some(
      (s) => (s?.loaded.declarations.uavs.length ?? 0) > 0,
    )
    this.streamOutput =
      p.streamOutput === undefined ? undefined : createStreamOutput(p.streamOutput, r.streamOutputBuffers)
    const kernels = engine.elementKernels
    this.#room = kernels && new VertexRoom(kernels)
    this.#vertexStage = new VertexStage({
      room: this.#room,
      shader: shaders.vertex!,
      layout: p.inputLayout,
      buffers: r.vertexBuffers,
      startInstance: call.startInstance ?? 0,
      hasSideEffects: p.vertex.loaded.declarations.uavs.length > 0,
      systemInputs: systemInputs(p.vertex),
    })
    if (p.rasterizedStream < 0) return
    const isMany = instancesOf(call) > 1
    const setup = pixelSetupOf(p, r, { shape: this.#shape, undefinedTargets: targets.undefinedTargets, policy, isMany })
    this.pixels = this.#createPixels(setup)
    this.#setup = setup
    this.#shared = this.#createShared(setup)
  }

  #createPixels(setup: PixelSetup): PixelStage {
    const r = this.#r
    const colors = this.#targets.colors(r.blendFactor, setup.poisons)
    return createPixelStage(setup, {
      shader: this.#shaders.pixel,
      colors,
      kernels: this.#engine.elementKernels,
      deadline: this.#deadline,
    })
  }

  #rasterSetup(): RasterSetup {
    if (this.#rasterState !== undefined) return this.#rasterState
    const p = this.#p
    const last = p.geometry ?? p.domain ?? p.vertex
    this.#rasterState = {
      rasterizer: p.rasterizer,
      viewports: this.#r.viewports,
      scissors: this.#r.scissors,
      targetBounds: this.#shape.bounds,
      sliceCount: this.#shape.sliceCount,
      biasUnit: biasUnit(this.#r.depthStencil),
      inputs: p.rasterizerInputs,
      modes: p.linkage.modes,
      registerCount: registersOf(last.loaded.declarations.entries[0]!.outputs),
    }
    return this.#rasterState
  }

  /** Undefined where the draw runs on this thread: what it writes beside targets shows the order of its pixels. */
  #createShared(setup: PixelSetup): SharedDraw | undefined {
    const work = this.#engine.sharedWork
    if (work === undefined || !this.#shape.hasTargets || this.#policy === 'trap') return undefined
    const execution = this.#shaders.pixel?.execution
    if (execution !== undefined && execution.share === undefined) return undefined
    return new SharedDraw({
      work,
      pixels: setup,
      raster: this.#rasterSetup(),
      execution,
      deadline: this.#deadline,
      flush: () => this.pixels?.flush(),
    })
  }

  isEnded = false
  /** Ends what other threads do, however far they are. */
  end(): void {
    this.isEnded = true
    const shared = this.#shared
    shared?.end()
    appendAll(this.diagnostics, shared?.diagnostics ?? [])
    if (shared?.wasAlone === true) this.#engine.sharedWork!.workedAlone(performance.now() - this.#begun)
  }

  get pixelCounts(): PixelCounts {
    const own = this.pixels?.counts ?? NO_PIXELS
    const others = this.#shared?.counts ?? NO_PIXELS
    return {
      invocations: own.invocations + others.invocations,
      samplesPassed: own.samplesPassed + others.samplesPassed,
      undefinedWrites: own.undefinedWrites + others.undefinedWrites,
    }
  }

  #isDisposed = false
  /** Gives back the memory that the next draw takes; a result may be asked for twice. */
  dispose(): void {
    if (this.#isDisposed) return
    this.#isDisposed = true
    this.#vertexStage.dispose()
    this.pixels?.dispose()
    this.#rasterStage?.setup.dispose()
    this.#room?.dispose()
  }

  #ofInstance(instance: number): string {
    return instancesOf(this.#call) > 1 ? ` of instance ${instance}` : ''
  }

  #raster(vertices: VertexArray): RasterStage | undefined {
    const pixels = this.pixels
    const setup = this.#setup
    if (pixels === undefined || setup === undefined) return undefined
    const { sampleCount } = setup
    const raster = this.#rasterSetup()
    this.#rasterStage = new RasterStage(vertices, { ...raster, counts: this.clipCounts }, this.#p.linkage.modes, {
      ...raster,
      sampleCount,
      offsets: sampleOffsets(sampleCount),
      pixels,
      deadline: this.#deadline,
      shared: this.#shared,
    })
    return this.#rasterStage
  }

  /** Runs all instances; gives way after each part of the work. */
  *run(): Generator<void, void> {
    const first = this.#firstConsumer(this.#vertexStage.vertices)
    const isInTurns = this.#hasEffects || this.#p.vertex.loaded.declarations.uavs.length > 0
    const length = isInTurns ? 0 : partLength(this.#p, this.#call, this.#r.indexBuffer)
    yield* length > 0 ? this.#runParts(first, length) : this.#runWhole(first, isInTurns)
    if (this.#shared !== undefined) yield* this.#shared.finish()
  }

  /** Runs instances whole, of few vertices several together. */
  *#runWhole(first: PrimitiveConsumer, isInTurns: boolean): Generator<void, void> {
    const p = this.#p
    const cutActs = p.topology.isStrip || p.cutOnLists
    const sequence = readSequence(this.#call, this.#r.indexBuffer, { cutActs })
    const primitives = this.#assemble(sequence)
    const plan = yield* this.#vertexStage.plan(sequence)
    const instanceCount = instancesOf(this.#call)
    const atOnce = isInTurns ? 1 : Math.max(1, Math.floor(MOST_VERTICES / Math.max(1, plan.count)))
    for (let instance = 0; instance < instanceCount; instance += atOnce) {
      const count = Math.min(atOnce, instanceCount - instance)
      yield* this.#runInstances(first, { sequence, primitives, plan, firstPrimitive: 0 }, instance, count)
      yield* first.flush()
    }
  }

  /** Runs instances in parts of so many elements. */
  *#runParts(first: PrimitiveConsumer, length: number): Generator<void, void> {
    const call = this.#call
    const count = elementCount(call)
    const ids = PART_IDS.take()
    for (let instance = 0; instance < instancesOf(call); instance++) {
      for (let from = 0; from < count; from += length) {
        const sequence = readPart(call, this.#r.indexBuffer, [from, Math.min(count, from + length)], ids)
        const primitives = this.#assemble(sequence)
        const plan = yield* this.#vertexStage.plan(sequence)
        const firstPrimitive = from / this.#p.topology.vertexCount
        yield* this.#runInstances(first, { sequence, primitives, plan, firstPrimitive }, instance, 1)
      }
    }
    PART_IDS.give(ids)
    yield* first.flush()
  }

  #assemble(sequence: VertexSequence): AssembledPrimitives {
    const { topology, geometry } = this.#p
    const all = assemblePrimitives(topology, sequence)
    return readsAdjacency(geometry) ? all : withoutAdjacency(topology, all)
  }

  /** Shades the vertices of instances and hands on their primitives. */
  *#runInstances(first: PrimitiveConsumer, part: DrawPart, instance: number, count: number): Generator<void, void> {
    const { sequence, primitives, plan, firstPrimitive } = part
    this.statistics.iaVertices += sequence.vertexCount * count
    this.statistics.iaPrimitives += primitives.count * count
    first.clearVertices()
    yield* this.#vertexStage.shade(plan, sequence.base, instance, count, this.statistics)
    yield
    const places = { firstPrimitive, firstInstance: instance, instanceCount: count }
    yield* handOn(first, { plan, primitives, hasEffects: this.#hasEffects, ...places })
  }

  /** What takes the assembled primitives: tessellation, the geometry shader, or stream output and the rasterizer. */
  #firstConsumer(input: VertexArray): PrimitiveConsumer {
    const { hull, domain } = this.#p
    if (hull === undefined || domain === undefined) return this.#afterTessellation(input)
    return new TessellationStage({
      room: this.#room,
      hull: this.#shaders.hull!,
      hullDeclarations: hull.loaded.declarations,
      domain: this.#shaders.domain!,
      statistics: this.statistics,
      input,
      hasEffects: this.#hasEffects,
      describePatch: (id, instance) => `patch ${id}${this.#ofInstance(instance)}`,
      onExcess: (text) => {
        this.diagnostics.push(diagnostic('pipeline-undefined', text))
      },
      next: (vertices) => this.#afterTessellation(vertices),
    })
  }

  #afterTessellation(input: VertexArray): PrimitiveConsumer {
    const { geometry, rasterizedStream } = this.#p
    const last = (vertices: VertexArray): LastStage =>
      new LastStage(vertices, this.streamOutput, this.#raster(vertices), this.pixels)
    if (geometry === undefined) return last(input)
    return new GeometryStage({
      room: this.#room,
      shader: this.#shaders.geometry!,
      declarations: geometry.loaded.declarations,
      statistics: this.statistics,
      input,
      rasterizedStream,
      describePrimitive: (id, instance) => `primitive ${id}${this.#ofInstance(instance)}`,
      next: last,
    })
  }
}

/** What is shaded and handed on together, of each of one or more instances. */
interface DrawPart {
  readonly sequence: VertexSequence
  readonly primitives: AssembledPrimitives
  readonly plan: VertexPlan
  /** Identifier of its first primitive. */
  readonly firstPrimitive: number
}

/** Identifiers of the elements of a part. */
const PART_IDS = createPool(() => new Uint32Array(MOST_PART_ELEMENTS))

/** Whether a geometry shader takes adjacent vertices; patches have none. */
function readsAdjacency(geometry: PipelineShader | undefined): boolean {
  const stage = geometry?.loaded.declarations.stage
  return stage?.kind === 'geometry' && (stage.input.kind === 'line_adj' || stage.input.kind === 'triangle_adj')
}

interface SystemInput {
  readonly register: number
  readonly component: number
  readonly systemValue: number
}

const SYSTEM_INPUTS = new WeakMap<PipelineShader, readonly SystemInput[]>()

/** Inputs of a vertex shader that the draw counts. */
function systemInputs(shader: PipelineShader): readonly SystemInput[] {
  const known = SYSTEM_INPUTS.get(shader)
  if (known !== undefined) return known
  const counted: readonly number[] = [SYSTEM_VALUE_NUMBER.vertexId, SYSTEM_VALUE_NUMBER.instanceId]
  const made = shader.loaded.declarations.entries[0]!.inputs.flatMap(({ file, mask, register, systemValue }) =>
    file === FILE.input && counted.includes(systemValue)
      ? [{ register, component: 31 - Math.clz32(mask & -mask), systemValue }]
      : [],
  )
  SYSTEM_INPUTS.set(shader, made)
  return made
}
