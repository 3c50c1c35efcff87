import { type Diagnostic, DiagnosticCollector, failure, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import { doesNotDraw, type Engine, isOfBatches, matchBindings, runPartsAtOnce, type Stop } from '../../engine/index.ts'
import type { DrawCall } from '../input/index.ts'
import type { PipelineShader } from '../shader.ts'
import { DrawStopped, type StageShader } from '../stage-runner.ts'
import { newStatistics } from '../stages/index.ts'
import type { StreamStatistics } from '../streams/index.ts'
import { checkCall } from './check-call.ts'
import { checkDraw } from './check-draw.ts'
import { checkReach } from './check-reach.ts'
import type { Pipeline } from './description.ts'
import { DrawRun, type Shaders } from './draw-run.ts'
import { checkHazards } from './hazards.ts'
import { knownTargets } from './known-targets.ts'
import type { DrawOptions, DrawResources, DrawResult, ShaderStage } from './resources.ts'

/** One draw: all stages in order over the primitives of each instance (functional specification 4.2, 8). */

const BATCHES = { kind: 'batches' } as const

/** How many programs an engine has compiled up to now. */
const programsOf = ({ elementKernels }: Engine): number => elementKernels?.programCount ?? 0

interface StageStart {
  readonly engine: Engine
  readonly p: Pipeline
  readonly r: DrawResources
  readonly options: DrawOptions
  readonly deadline: number
  readonly found: DiagnosticCollector
}

/** Makes a stage's shader ready with what is bound to it; undefined after complaints. */
function beginStage(stage: ShaderStage, shader: PipelineShader, s: StageStart): StageShader | undefined {
  const { engine, r, deadline, found } = s
  const { maxVertices, observerOf, ...own } = s.options
  const { uavs } = shader.loaded.declarations
  const bound = uavs.length === 0 ? r.bindings[stage] : { ...r.bindings[stage], ...r.unorderedAccess }
  const matched = matchBindings(shader.loaded.declarations, bound ?? {})
  found.pushAll(matched.diagnostics.map((d) => inStage(d, stage)))
  if (matched.value === undefined) return undefined
  const observer = observerOf?.(stage) ?? own.observer
  const { classInstances = {} } = shader
  const begun = engine.begin(shader.loaded, matched.value, BATCHES, { classInstances, ...own, observer })
  found.pushAll(begun.diagnostics.map((d) => inStage(d, stage)))
  const execution = begun.value
  if (execution === undefined) return undefined
  if (isOfBatches(execution)) return { execution, until: { time: deadline, deadline } }
  found.push(doesNotDraw(engine.name, shader.loaded))
  return undefined
}

/** Makes the shaders of all stages ready; yields to the host behind each that had to be compiled. */
function* beginStages(s: StageStart): Generator<void, Shaders> {
  const { engine, p } = s
  const made: Partial<Record<ShaderStage, StageShader>> = {}
  const shaders: Readonly<Record<ShaderStage, PipelineShader | undefined>> = {
    vertex: p.vertex,
    hull: p.hull,
    domain: p.domain,
    geometry: p.geometry,
    pixel: p.rasterizedStream < 0 ? undefined : p.pixel,
  }
  let isEnded = false
  try {
    for (const stage of ['vertex', 'hull', 'domain', 'geometry', 'pixel'] as const) {
      const shader = shaders[stage]
      if (shader === undefined) continue
      const before = programsOf(engine)
      const begun = beginStage(stage, shader, s)
      if (begun !== undefined) made[stage] = begun
      if (programsOf(engine) > before) yield
    }
    isEnded = true
  } finally {
    // A draw that is canceled here has no result, which would give back what its stages hold.
    if (!isEnded) for (const { execution } of Object.values(made)) execution.dispose()
  }
  return made
}

const inStage = (d: Diagnostic, stage: ShaderStage): Diagnostic => ({ ...d, message: `${stage} shader: ${d.message}` })

/** A draw that can be run bit by bit. */
export interface DrawInProgress {
  /**
   * Runs until `time` (performance.now) has come, if that is finite up to a program that had to be compiled, or until the draw has ended,
   * which it answers.
   */
  run(time: number): boolean
  /** Ends the draw where it is. */
  stop(why: Stop): void
  result(): DrawResult
  /** What the pipeline itself has found up to now. */
  readonly diagnostics: readonly Diagnostic[]
  /** How far streams have come up to now. */
  readonly streamOutput: readonly StreamStatistics[]
  /** By stream, the first primitive that its buffers had no room for: its vertices, counted back from the last that its stage has made. */
  readonly firstLeftOut: readonly (readonly number[] | undefined)[]
}

/** The result of a draw that did not begin. */
export function refusedDraw(
  diagnostics: readonly Diagnostic[],
  stopped: 'refused' | 'canceled' = 'refused',
): DrawResult {
  const streamOutput: readonly StreamStatistics[] = []
  return {
    stopped,
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
  return runPartsAtOnce(beginDrawInParts(engine, p, r, call, options))
}

/** As `beginDraw`; yields to the host between shaders that are compiled. */
export function* beginDrawInParts(
  engine: Engine,
  p: Pipeline,
  r: DrawResources,
  call: DrawCall,
  options: DrawOptions = {},
): Generator<void, Outcome<DrawInProgress>> {
  const found = new DiagnosticCollector()
  checkCall(call, options, found)
  found.pushAll(checkDraw(p, r, 'indexCount' in call))
  // How far buffers are read is worked out of numbers that are right.
  if (found.errorCount === 0) found.pushAll(checkReach(p, r, call))
  found.pushAll(checkHazards(p, r))
  const targets = knownTargets(p, r)
  found.pushAll(targets.targetFindings)
  found.pushAll(targets.outputFindings)
  if (found.errorCount > 0) return failure(found.finish())
  const deadline = performance.now() + (options.maxMilliseconds ?? Number.POSITIVE_INFINITY)
  const begun = yield* beginStages({ engine, p, r, options, deadline, found })
  const diagnostics = found.finish()
  if (found.errorCount > 0) return failure(diagnostics)
  const run = new DrawRun(p, r, call, begun, targets, deadline, options.undefinedPolicy ?? 'report', engine)
  const steps = run.run()
  let stopped: Stop | undefined
  let ended = false
  const value: DrawInProgress = {
    run(time) {
      const mayRest = time !== Number.POSITIVE_INFINITY
      try {
        while (!ended && stopped === undefined) {
          const before = programsOf(engine)
          ended = steps.next().done === true
          // Programs take milliseconds each: a slice has those of one step.
          if (performance.now() >= time || (mayRest && programsOf(engine) > before)) break
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
    get diagnostics() {
      return [...diagnostics, ...run.diagnostics]
    },
    get streamOutput() {
      return run.streamOutput?.statistics ?? []
    },
    get firstLeftOut() {
      return run.streamOutput?.firstLeftOut ?? []
    },
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
