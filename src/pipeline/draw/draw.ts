import {
  appendAll,
  type Diagnostic,
  DiagnosticCollector,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
} from '../../diagnostic/index.ts'
import {
  doesNotDraw,
  type Engine,
  type IoDeclaration,
  isOfBatches,
  matchBindings,
  type Stop,
  SYSTEM_VALUE_NUMBER,
} from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import type { UndefinedPolicy } from '../../machine/index.ts'
import { newPrimitiveArray, type VertexArray } from '../geometry.ts'
import {
  type AssembledPrimitives,
  assemblePrimitives,
  type DrawCall,
  readSequence,
  withoutAdjacency,
} from '../input/index.ts'
import type { PixelCounts, PixelStage } from '../pixels/index.ts'
import { type ClipCounts, sampleOffsets } from '../raster/index.ts'
import type { PipelineShader } from '../shader.ts'
import { DrawStopped, type StageShader } from '../stage-runner.ts'
import { createStreamOutput, type StreamOutput, type StreamStatistics } from '../streams/index.ts'
import { createPixelStage, type PixelSetup, type RasterSetup, RasterStage, SharedDraw } from '../tiles/index.ts'
import { VertexRoom } from '../vertex-room.ts'
import { checkCall, instancesOf } from './check-call.ts'
import { checkDraw } from './check-draw.ts'
import { LastStage, MOST_VERTICES, type PrimitiveConsumer } from './consumer.ts'
import type { Pipeline } from './description.ts'
import { GeometryStage } from './geometry-stage.ts'
import { checkHazards } from './hazards.ts'
import { type KnownTargets, knownTargets } from './known-targets.ts'
import { pixelSetupOf } from './pixel-setup-of.ts'
import type { DrawOptions, DrawResources, DrawResult, ShaderStage } from './resources.ts'
import { newStatistics, type PipelineStatistics } from './statistics.ts'
import { biasUnit, type TargetShape } from './target-shape.ts'
import { TessellationStage } from './tessellation-stage.ts'
import { type VertexPlan, VertexStage } from './vertex-stage.ts'

/** One draw: all stages in order over the primitives of each instance (functional specification 4.2, 8). */

const NO_PIXELS: PixelCounts = { invocations: 0, samplesPassed: 0, undefinedWrites: 0 }

type Shaders = Readonly<Partial<Record<ShaderStage, StageShader>>>

/** Registers that a stage writes, from 0. */
const registersOf = (outputs: readonly IoDeclaration[]): number =>
  outputs.reduce((most, o) => (o.file === FILE.output ? Math.max(most, o.register + 1) : most), 0)

/** Makes each stage's shader ready with what is bound to it. */
function beginStages(
  engine: Engine,
  p: Pipeline,
  r: DrawResources,
  options: DrawOptions,
  deadline: number,
  found: DiagnosticCollector,
): Shaders {
  const made: Partial<Record<ShaderStage, StageShader>> = {}
  const shaders: Readonly<Record<ShaderStage, PipelineShader | undefined>> = {
    vertex: p.vertex,
    hull: p.hull,
    domain: p.domain,
    geometry: p.geometry,
    pixel: p.rasterizedStream < 0 ? undefined : p.pixel,
  }
  for (const stage of ['vertex', 'hull', 'domain', 'geometry', 'pixel'] as const) {
    const shader = shaders[stage]
    if (shader === undefined) continue
    const { uavs } = shader.loaded.declarations
    const bound = uavs.length === 0 ? r.bindings[stage] : { ...r.bindings[stage], ...r.unorderedAccess }
    const matched = matchBindings(shader.loaded.declarations, bound ?? {})
    found.pushAll(matched.diagnostics.map((d) => inStage(d, stage)))
    if (matched.value === undefined) continue
    const { maxVertices, observerOf, ...own } = options
    const observer = observerOf?.(stage) ?? own.observer
    const { classInstances = {} } = shader
    const watched = observer === undefined ? own : { ...own, observer }
    const begun = engine.begin(shader.loaded, matched.value, { kind: 'batches' }, { ...watched, classInstances })
    found.pushAll(begun.diagnostics.map((d) => inStage(d, stage)))
    const execution = begun.value
    if (execution === undefined) continue
    if (isOfBatches(execution)) made[stage] = { execution, until: { time: deadline, deadline } }
    else found.push(doesNotDraw(engine.name, shader.loaded))
  }
  return made
}

const inStage = (d: Diagnostic, stage: ShaderStage): Diagnostic => ({ ...d, message: `${stage} shader: ${d.message}` })

/** Everything that one draw runs on. */
class DrawRun {
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
    const kernels = p.rasterizedStream < 0 ? undefined : engine.elementKernels
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
    return new RasterStage(vertices, { ...raster, counts: this.clipCounts }, this.#p.linkage.modes, {
      ...raster,
      sampleCount,
      offsets: sampleOffsets(sampleCount),
      pixels,
      deadline: this.#deadline,
      shared: this.#shared,
    })
  }

  /** Runs all instances, of few vertices several together; gives way after each part of the work. */
  *run(): Generator<void, void> {
    const p = this.#p
    const call = this.#call
    const cutActs = p.topology.isStrip || p.cutOnLists
    const sequence = readSequence(call, this.#r.indexBuffer, { cutActs })
    const assembled = assemblePrimitives(p.topology, sequence)
    const seen = readsAdjacency(p.geometry) ? assembled : withoutAdjacency(p.topology, assembled)
    const stage = this.#vertexStage
    const plan = yield* stage.plan(sequence)
    const first = this.#firstConsumer(stage.vertices)
    const instanceCount = instancesOf(call)
    const turns = this.#hasEffects || p.vertex.loaded.declarations.uavs.length > 0
    const atOnce = turns ? 1 : Math.max(1, Math.floor(MOST_VERTICES / Math.max(1, plan.count)))
    for (let instance = 0; instance < instanceCount; instance += atOnce) {
      const count = Math.min(atOnce, instanceCount - instance)
      this.statistics.iaVertices += sequence.vertexCount * count
      this.statistics.iaPrimitives += assembled.count * count
      yield* stage.shade(plan, sequence.base, instance, count, this.statistics)
      first.clearVertices()
      yield
      yield* this.#runPrimitives(first, plan, seen, instance, count)
    }
    if (this.#shared !== undefined) yield* this.#shared.finish()
  }

  /** Hands on the primitives of instances whose vertices have been shaded together. */
  *#runPrimitives(
    first: PrimitiveConsumer,
    { numbers, count: vertexCount }: VertexPlan,
    { vertices: places, verticesPerPrimitive: size, count: perInstance }: AssembledPrimitives,
    firstInstance: number,
    instanceCount: number,
  ): Generator<void, void> {
    const atOnce = this.#hasEffects ? PRIMITIVES_OF_A_TURN : PRIMITIVES_BETWEEN
    const part = newPrimitiveArray(size, Math.min(perInstance * instanceCount, atOnce))
    let [instance, next] = [0, 0]
    for (let left = perInstance * instanceCount; left > 0; left -= part.count) {
      part.count = Math.min(atOnce, left)
      for (let i = 0; i < part.count; i++) {
        part.ids[i] = next
        part.instances[i] = firstInstance + instance
        const base = instance * vertexCount
        for (let k = 0; k < size; k++) part.vertices[i * size + k] = base + numbers[places[next * size + k]!]!
        if (++next < perInstance) continue
        next = 0
        instance++
      }
      yield* first.add(part, 0, part.count)
      if (this.#hasEffects) yield* first.flush()
      yield
    }
    yield* first.flush()
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

/** Primitives between two places where a draw gives way. */
const PRIMITIVES_BETWEEN = 512
/** Primitives after which the stages of a draw take turns, where their order shows. */
const PRIMITIVES_OF_A_TURN = 64

/** Whether a geometry shader takes adjacent vertices; patches have none. */
function readsAdjacency(geometry: PipelineShader | undefined): boolean {
  const stage = geometry?.loaded.declarations.stage
  return stage?.kind === 'geometry' && (stage.input.kind === 'line_adj' || stage.input.kind === 'triangle_adj')
}

function systemInputs(shader: PipelineShader) {
  return shader.loaded.declarations.entries[0]!.inputs.filter((d) => d.file === FILE.input)
    .filter((d) => d.systemValue === SYSTEM_VALUE_NUMBER.vertexId || d.systemValue === SYSTEM_VALUE_NUMBER.instanceId)
    .map((d) => ({
      register: d.register,
      component: 31 - Math.clz32(d.mask & -d.mask),
      systemValue: d.systemValue,
    }))
}

/** A draw that can be run bit by bit. */
export interface DrawInProgress {
  /** Runs until `time` (performance.now) has come or the draw has ended, which it answers. */
  run(time: number): boolean
  /** Ends the draw where it is. */
  stop(why: Stop): void
  result(): DrawResult
}

/** The result of a draw that did not begin. */
export function refusedDraw(diagnostics: readonly Diagnostic[]): DrawResult {
  const streamOutput: readonly StreamStatistics[] = []
  return {
    stopped: 'refused',
    statistics: newStatistics(),
    samplesPassed: 0,
    streamOutput,
    diagnostics,
    undefinedCount: 0,
  }
}

/** Begins a draw; diagnostics alone where it cannot be run. */
export function beginDraw(
  engine: Engine,
  p: Pipeline,
  r: DrawResources,
  call: DrawCall,
  options: DrawOptions = {},
): Outcome<DrawInProgress> {
  const found = new DiagnosticCollector()
  checkCall(call, options, found)
  found.pushAll(checkDraw(p, r, 'indexCount' in call))
  found.pushAll(checkHazards(p, r))
  const targets = knownTargets(p, r)
  found.pushAll(targets.targetFindings)
  found.pushAll(targets.outputFindings)
  if (found.errorCount > 0) return failure(found.finish())
  const deadline = performance.now() + (options.maxMilliseconds ?? Number.POSITIVE_INFINITY)
  const begun = beginStages(engine, p, r, options, deadline, found)
  const diagnostics = found.finish()
  if (found.errorCount > 0) return failure(diagnostics)
  const run = new DrawRun(p, r, call, begun, targets, deadline, options.undefinedPolicy ?? 'report', engine)
  const steps = run.run()
  let stopped: Stop | undefined
  let ended = false
  const value: DrawInProgress = {
    run(time) {
      try {
        while (!ended && stopped === undefined) {
          ended = steps.next().done === true
          if (performance.now() >= time) break
        }
      } catch (e) {
        if (!(e instanceof DrawStopped)) throw e
        stopped = e.stop
      }
      return ended || stopped !== undefined
    },
    stop(why) {
      stopped ??= why
    },
    result: () => resultOf(run, begun, diagnostics, stopped),
  }
  return outcomeOf(value, diagnostics)
}

/** The engines that ran its shaders. */
const enginesOf = (shaders: Shaders): string =>
  [...new Set(Object.values(shaders).map((s) => s.execution.engine))].sort().join(' and ')

function resultOf(
  run: DrawRun,
  shaders: Shaders,
  before: readonly Diagnostic[],
  stopped: Stop | undefined,
): DrawResult {
  if (!run.isEnded) run.end()
  const results = Object.entries(shaders).map(([stage, s]) => ({
    stage: stage as ShaderStage,
    result: s!.execution.finish(),
  }))
  for (const s of Object.values(shaders)) s.execution.dispose()
  run.statistics.cInvocations = run.clipCounts.clipperInvocations
  run.statistics.cPrimitives = run.clipCounts.clipperPrimitives
  run.dispose()
  const pixels = run.pixelCounts
  run.statistics.psInvocations = pixels.invocations
  const result = {
    statistics: run.statistics,
    samplesPassed: pixels.samplesPassed,
    streamOutput: run.streamOutput?.statistics ?? [],
    diagnostics: [
      ...before,
      ...run.diagnostics,
      ...results.flatMap((r) => r.result.diagnostics.map((d) => inStage(d, r.stage))),
    ],
    undefinedCount: results.reduce((sum, r) => sum + r.result.undefinedCount, pixels.undefinedWrites),
    engine: enginesOf(shaders),
  }
  return stopped === undefined ? result : { stopped, ...result }
}
