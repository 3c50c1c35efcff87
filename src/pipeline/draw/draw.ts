import { type Diagnostic, DiagnosticCollector, failure, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import {
  type DispatchOptions,
  doesNotDraw,
  type Engine,
  isOfBatches,
  matchResolved,
  runPartsAtOnce,
  type Stop,
} from '../../engine/index.ts'
import { resolveBindings } from '../../machine/index.ts'
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
import {
  type DrawOptions,
  type DrawResources,
  type DrawResult,
  resolvedOf,
  SHADER_STAGES,
  type ShaderStage,
} from './resources.ts'

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

const NO_OPTIONS: DispatchOptions = {}

/** What a stage's shader is begun with: mostly nothing. */
function optionsOf(stage: ShaderStage, shader: PipelineShader, options: DrawOptions): DispatchOptions {
  if (shader.classInstances === undefined && Object.keys(options).length === 0) return NO_OPTIONS
  const { maxVertices, observerOf, ...own } = options
  const { classInstances = {} } = shader
  return { classInstances, ...own, observer: observerOf?.(stage) ?? own.observer }
}

/** Makes a stage's shader ready with what is bound to it; undefined after complaints. Yields to the host while textures are decoded. */
function* beginStage(
  stage: ShaderStage,
  shader: PipelineShader,
  s: StageStart,
): Generator<void, StageShader | undefined> {
  const { engine, r, deadline, found } = s
  const { uavs } = shader.loaded.declarations
  const bound =
    uavs.length === 0 ? resolvedOf(r, stage) : resolveBindings({ ...r.bindings[stage], ...r.unorderedAccess })
  const matched = matchResolved(shader.loaded.declarations, bound)
  for (const d of matched.diagnostics) found.push(inStage(d, stage))
  if (matched.value === undefined) return undefined
  const own = optionsOf(stage, shader, s.options)
  if (engine.prepareInParts !== undefined) yield* engine.prepareInParts(shader.loaded, matched.value, own)
  const begun = engine.begin(shader.loaded, matched.value, BATCHES, own)
  for (const d of begun.diagnostics) found.push(inStage(d, stage))
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
  let isEnded = false
  try {
    for (const stage of SHADER_STAGES) {
      const shader = p[stage]
      if (shader === undefined || (stage === 'pixel' && p.rasterizedStream < 0)) continue
      const before = programsOf(engine)
      const begun = yield* beginStage(stage, shader, s)
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
  return outcomeOf(new BegunDraw(engine, run, begun, diagnostics), diagnostics)
}

class BegunDraw implements DrawInProgress {
  readonly #engine: Engine
  readonly #run: DrawRun
  readonly #steps: Generator<void, void>
  readonly #shaders: Shaders
  /** What was found before it began. */
  readonly #before: readonly Diagnostic[]
  #stopped: Stop | undefined
  #isEnded = false

  constructor(engine: Engine, run: DrawRun, shaders: Shaders, before: readonly Diagnostic[]) {
    this.#engine = engine
    this.#run = run
    this.#steps = run.run()
    this.#shaders = shaders
    this.#before = before
  }

  run(time: number): boolean {
    const engine = this.#engine
    const mayRest = time !== Number.POSITIVE_INFINITY
    try {
      while (!this.#isEnded && this.#stopped === undefined) {
        const before = programsOf(engine)
        if (!this.#makesCode()) this.#isEnded = this.#steps.next().done === true
        // Programs take milliseconds each: a slice has those of one step.
        if (performance.now() >= time || (mayRest && programsOf(engine) > before)) break
      }
    } catch (e) {
      if (!(e instanceof DrawStopped)) throw e
      this.#stopped = e.stop
    }
    return this.#isEnded || this.#stopped !== undefined
  }

  /** Makes a part of the code that one of its shaders is to go on in; false where there is none. */
  #makesCode(): boolean {
    for (const stage of SHADER_STAGES) if (this.#shaders[stage]?.execution.makeCode?.() === true) return true
    return false
  }

  stop(why: Stop): void {
    this.#stopped ??= why
  }

  result(): DrawResult {
    return resultOf(this.#run, this.#shaders, this.#before, this.#stopped)
  }

  get diagnostics(): readonly Diagnostic[] {
    return [...this.#before, ...this.#run.diagnostics]
  }

  get streamOutput(): readonly StreamStatistics[] {
    return this.#run.streamOutput?.statistics ?? []
  }

  get firstLeftOut(): readonly (readonly number[] | undefined)[] {
    return this.#run.streamOutput?.firstLeftOut ?? []
  }
}

/** The engines that ran its shaders. */
function enginesOf(shaders: Shaders): string {
  const names: string[] = []
  for (const stage of SHADER_STAGES) {
    const name = shaders[stage]?.execution.engine
    if (name !== undefined && !names.includes(name)) names.push(name)
  }
  return names.sort().join(' and ')
}

function resultOf(
  run: DrawRun,
  shaders: Shaders,
  before: readonly Diagnostic[],
  stopped: Stop | undefined,
): DrawResult {
  if (!run.isEnded) run.end()
  const diagnostics = [...before, ...run.diagnostics]
  let undefinedCount = 0
  for (const stage of SHADER_STAGES) {
    const execution = shaders[stage]?.execution
    if (execution === undefined) continue
    const finished = execution.finish()
    undefinedCount += finished.undefinedCount
    for (const d of finished.diagnostics) diagnostics.push(inStage(d, stage))
  }
  for (const stage of SHADER_STAGES) shaders[stage]?.execution.dispose()
  const { statistics, clipCounts, streamOutput } = run
  statistics.cInvocations = clipCounts.clipperInvocations
  statistics.cPrimitives = clipCounts.clipperPrimitives
  run.dispose()
  const pixels = run.pixelCounts
  statistics.psInvocations = pixels.invocations
  const result = {
    statistics,
    samplesPassed: pixels.samplesPassed,
    streamOutput: streamOutput?.statistics ?? [],
    diagnostics,
    undefinedCount: undefinedCount + pixels.undefinedWrites,
    engine: enginesOf(shaders),
  }
  return stopped === undefined ? result : { stopped, ...result }
}
