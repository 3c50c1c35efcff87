import { appendAll, type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import { type Engine, invocationNanoseconds, resetCounters } from '../../engine/index.ts'
import type { UndefinedPolicy } from '../../machine/index.ts'
import { codeHistoryOf } from '../code-history.ts'
import { SharedFront } from '../front/index.ts'
import type { VertexArray } from '../geometry.ts'
import type { DrawCall } from '../input/index.ts'
import type { PixelCounts, PixelStage } from '../pixels/index.ts'
import { type ClipCounts, sampleOffsets } from '../raster/index.ts'
import type { PipelineShader } from '../shader.ts'
import type { StageShader } from '../stage-runner.ts'
import {
  elementCount,
  LastStage,
  newStatistics,
  PartRunner,
  type PartSource,
  type PipelineStatistics,
  partPlan,
  StageChain,
  type StageShaders,
  type StageState,
} from '../stages/index.ts'
import { createStreamOutput, type StreamOutput } from '../streams/index.ts'
import { createPixelStage, type PixelSetup, type RasterSetup, RasterStage, SharedDraw } from '../tiles/index.ts'
import { VertexMemory } from '../vertex-memory.ts'
import { instancesOf } from './check-call.ts'
import type { Pipeline } from './description.ts'
import type { KnownTargets } from './known-targets.ts'
import { pixelSetupOf } from './pixel-setup-of.ts'
import { type DrawResources, resolvedOf, type ShaderStage } from './resources.ts'
import { registersOf, stageStateOf } from './stage-state.ts'
import { biasUnit, type TargetShape } from './target-shape.ts'

/** The stages of one draw, and the loop that runs them over its instances. */

/** Nanoseconds of a sample without its shader, on Zen 4: coverage, tests and the merge. */
const SAMPLE_NS = 3

/** Nanoseconds that one thread takes for a pixel, more or less. */
const pixelNanoseconds = (shader: PipelineShader | undefined, sampleCount: number): number =>
  SAMPLE_NS * sampleCount + (shader === undefined ? 0 : invocationNanoseconds(shader.loaded.declarations))

const NO_PIXELS: PixelCounts = { invocations: 0, samplesPassed: 0, undefinedWrites: 0 }

export type Shaders = Readonly<Partial<Record<ShaderStage, StageShader>>>

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
  readonly #vertexMemory: VertexMemory | undefined
  readonly #targets: KnownTargets
  readonly #shape: TargetShape
  readonly #deadline: number
  readonly #policy: UndefinedPolicy
  readonly #engine: Engine
  #pixels: PixelStage | undefined
  readonly #setup: PixelSetup | undefined
  readonly #shared: SharedDraw | undefined
  #front: SharedFront | undefined
  #rasterState: RasterSetup | undefined
  #rasterStage: RasterStage | undefined
  readonly #begun = performance.now()
  readonly #state: StageState
  #runner: PartRunner | undefined

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
    this.#state = stageStateOf(p, r, call)
    this.streamOutput =
      p.streamOutput === undefined ? undefined : createStreamOutput(p.streamOutput, r.streamOutputBuffers)
    const kernels = engine.elementKernels
    this.#vertexMemory = kernels && new VertexMemory(kernels, codeHistoryOf(p.linkage.inputs))
    if (p.rasterizedStream < 0) return
    const isMany = instancesOf(call) > 1
    const { undefinedTargets, pixels: fixed } = targets
    const setup = pixelSetupOf(r, { fixed, undefinedTargets, policy, isMany })
    this.#setup = setup
    this.#shared = this.#createShared(setup)
  }

  /** Made where this thread runs the draw, or begins to: each of those that share its stages has one of its own. */
  #ownPixels(): PixelStage | undefined {
    const setup = this.#setup
    if (setup === undefined || this.#pixels !== undefined) return this.#pixels
    const colors = this.#targets.colors(this.#r.blendFactor, setup.poisons)
    this.#pixels = createPixelStage(setup, {
      shader: this.#shaders.pixel,
      colors,
      kernels: this.#engine.elementKernels,
      deadline: this.#deadline,
    })
    return this.#pixels
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
    const flush = (): void => this.#pixels?.flush()
    return new SharedDraw({
      work,
      pixels: setup,
      raster: this.#rasterSetup(),
      execution,
      deadline: this.#deadline,
      flush,
      pixelNanoseconds: pixelNanoseconds(this.#p.pixel, setup.sampleCount),
      mostPrimitives: this.#mostPrimitives,
    })
  }

  /** Primitives of the draw at the most; undefined where tessellation or a geometry shader makes them. */
  get #mostPrimitives(): number | undefined {
    const { topology, hull, geometry } = this.#p
    if (hull !== undefined || geometry !== undefined) return undefined
    const elements = elementCount(this.#call)
    return (topology.isStrip ? elements : Math.ceil(elements / topology.vertexCount)) * instancesOf(this.#call)
  }

  isEnded = false
  /** Ends what other threads do, however far they are. */
  end(): void {
    this.isEnded = true
    const shared = this.#shared
    shared?.end()
    appendAll(this.diagnostics, shared?.diagnostics ?? [])
    const front = this.#front
    front?.end()
    front?.addTo(this.statistics, this.clipCounts, this.streamOutput)
    appendAll(this.diagnostics, front?.diagnostics ?? [])
    if (shared?.lackedThreads === true || front?.lackedThreads === true)
      this.#engine.sharedWork!.addUnsharedTime(performance.now() - this.#begun)
  }

  get pixelCounts(): PixelCounts {
    const all = [this.#pixels?.counts, this.#shared?.counts, this.#front?.counts].map((c) => c ?? NO_PIXELS)
    const sum = (of: (c: PixelCounts) => number): number => all.reduce((n, c) => n + of(c), 0)
    return {
      invocations: sum((c) => c.invocations),
      samplesPassed: sum((c) => c.samplesPassed),
      undefinedWrites: sum((c) => c.undefinedWrites),
    }
  }

  #isDisposed = false
  /** Gives back the memory that the next draw takes; a result may be taken twice. */
  dispose(): void {
    if (this.#isDisposed) return
    this.#isDisposed = true
    this.#runner?.dispose()
    this.#pixels?.dispose()
    this.#rasterStage?.setup.dispose()
    this.#vertexMemory?.dispose()
  }

  #raster(vertices: VertexArray): RasterStage | undefined {
    const pixels = this.#ownPixels()
    const setup = this.#setup
    if (pixels === undefined || setup === undefined) return undefined
    const { sampleCount } = setup
    const raster = this.#rasterSetup()
    this.#rasterStage = new RasterStage(vertices, raster, this.#p.linkage.modes, {
      counts: this.clipCounts,
      sampleCount,
      offsets: sampleOffsets(sampleCount),
      pixels,
      mayReorderPixels: this.#shaders.pixel?.execution.hasOutputsAlone === true,
      deadline: this.#deadline,
      shared: this.#shared,
    })
    return this.#rasterStage
  }

  #chain(): StageChain {
    const onExcess = (text: string): void => {
      this.diagnostics.push(diagnostic('pipeline-undefined', text))
    }
    const last = (vertices: VertexArray): LastStage =>
      new LastStage(vertices, this.streamOutput, this.#raster(vertices), this.#pixels)
    return new StageChain({
      state: this.#state,
      shaders: this.#shaders as StageShaders,
      statistics: this.statistics,
      vertexMemory: this.#vertexMemory,
      onExcess,
      last,
    })
  }

  /** Whether other threads take part in all stages from now on. */
  *#beginFront(source: PartSource): Generator<void, boolean> {
    const work = this.#engine.sharedWork
    const pixels = this.#setup
    if (work === undefined || this.#policy === 'trap') return false
    if (pixels !== undefined && !this.#shape.hasTargets) return false
    const r = this.#r
    const deadline = this.#deadline
    const execution = this.#shaders.pixel?.execution
    const tiles = pixels && { work, pixels, raster: this.#rasterSetup(), execution, deadline }
    const layout = this.#p.streamOutput
    const front = new SharedFront({
      work,
      source,
      tiles,
      deadline,
      state: this.#state,
      shaders: this.#shaders as StageShaders,
      output: layout && { layout, buffers: r.streamOutputBuffers },
    })
    this.#front = front
    return yield* front.begin()
  }

  /** Runs all parts; yields to the host after each part of the work. */
  *run(): Generator<void, void> {
    const bound = resolvedOf(this.#r, 'unorderedAccess').value
    if (bound !== undefined) resetCounters(bound)
    const { hasEffects, shadesAll, geometry } = this.#state
    const { topology, cutOnLists } = this.#p
    const { indexBuffer } = this.#r
    const source: PartSource = { topology, cutOnLists, call: this.#call, indexBuffer, geometry }
    if (yield* this.#beginFront(source)) {
      yield* this.#front!.run()
      return
    }
    const plan = partPlan(source, hasEffects || shadesAll)
    const chain = this.#chain()
    const runner = new PartRunner(source, plan, chain)
    this.#runner = runner
    for (let part = 0; part < plan.total; part++) {
      yield* runner.run(part)
      if (plan.length === 0) yield* chain.first.flush()
    }
    if (plan.length > 0) yield* chain.first.flush()
    if (this.#shared !== undefined) yield* this.#shared.finish()
  }
}
