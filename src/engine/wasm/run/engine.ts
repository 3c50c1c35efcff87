import {
  type Diagnostic,
  diagnostic,
  failure,
  hasErrors,
  type Outcome,
  outcomeOf,
  ShaderError,
} from '../../../diagnostic/index.ts'
import { DEFAULT_DISPATCH_LIMITS, type ResolvedBindings } from '../../../machine/index.ts'
import { withNamedPlaces } from '../../../program/index.ts'
import type {
  BatchExecution,
  DispatchOptions,
  DispatchResult,
  Engine,
  EngineFactory,
  Execution,
  GroupCounts,
  Invocations,
  LoadedShader,
  LoadOptions,
  Progress,
  SharedWork,
  Until,
} from '../../contract.ts'
import { type Declarations, threadCountOf, threadsOf } from '../../declarations.ts'
import type { ElementKernels } from '../../element-kernels.ts'
import { shaderForFast } from '../../fast-shader.ts'
import { createFindings } from '../../findings.ts'
import { gatherDeclarations } from '../../gather/declarations.ts'
import { translateInParts } from '../../lower/index.ts'
import { inLongerParts, runPartsAtOnce } from '../../next-task.ts'
import { checkRequest, misplacedShader, resetCounters } from '../../request.ts'
import { runAtOnce, stopDiagnostic } from '../../run-execution.ts'
import { HEADER, HEADER_WORDS, STOPPED } from '../emit/kernel-layout.ts'
import { hasRelaxedSimd } from '../encode/web-assembly.ts'
import { addFindings, clearRecords, recordsIn } from '../report/findings.ts'
import { HostFindings } from '../report/host-findings.ts'
import { CODE_PART_MS } from './baseline.ts'
import { codeTrap } from './code-trap.ts'
import { DecodedTextures } from './decoded/decoded-textures.ts'
import { SamplingHistory } from './decoded/sampling-history.ts'
import { descriptorBytes, fillDescriptor, stageViews } from './descriptor.ts'
import { WasmElementKernels } from './element-kernels.ts'
import { Executor, type GroupRun } from './execution.ts'
import { WasmMemory } from './memory.ts'
import { type BoundPipeline, type IsDecoded, PipelineCompiler, type WasmShader } from './pipeline.ts'
import { budgetOf, failedClaim, notCompiled, notCompiledOf, notCompiledShader, stopOf } from './refusals.ts'
import { ReusableRange, rangesByName } from './reusable-range.ts'
import { WasmSharedWork } from './shared-work.ts'
import { simplifiedInParts } from './specialization.ts'
import { StageMemories } from './stages/stage-memories.ts'
import {
  beginWasmStage,
  isStageShader,
  loadStage,
  prepareStage,
  type StageHost,
  type WasmStageShader,
} from './stages/stage-shader.ts'
import { Staging } from './staging.ts'
import { createWorkThread } from './work-thread.ts'
import { hostThreads } from './workers/spawn.ts'

/** The engine: loads programs, begins dispatches and reads their results; hosts create it through `index.ts`. */

const WASM_ENGINE = 'wasm'

const isWasmShader = (shader: LoadedShader): shader is WasmShader =>
  shader.engine === WASM_ENGINE && 'pipelines' in shader

export interface WasmEngineOptions {
  /** v128 per word; chosen by the program where absent. */
  readonly width?: 1 | 2 | 4 | undefined
  /**
   * Threads that run groups, the calling one included. Default: as many as the host runs at once, for programs that leave
   * the same whatever the order of their groups; others run on one.
   */
  readonly threads?: number | undefined
  /** Starts workers now and waits for them, where they would otherwise be started when they pay. */
  readonly startNow?: boolean
  /** Milliseconds that a dispatch still takes for workers to take part; default 0.1. With 0 every dispatch of several groups is shared. */
  readonly minSharedMs?: number
  /** The host packs pairs of v128 into vectors of 256 bits: code is made so that it can. Default false. */
  readonly pairs?: boolean | undefined
  /**
   * Code asserts what the compiler takes for granted, and a claim that fails ends the dispatch with a ShaderError: for tests
   * and differential runs. Default false.
   */
  readonly assertions?: boolean | undefined
  /** All shaders read decoded copies of textures wherever they can, not only pixel shaders where that pays: for tests. Default false. */
  readonly alwaysDecodes?: boolean | undefined
  /** Runs of operations are emitted vector by vector however short they are (flow/vector-runs.ts): for tests. Default false. */
  readonly shortRuns?: boolean | undefined
  /**
   * Milliseconds that the shaders of draws run as baseline code before optimized code is made of them (run/baseline.ts), 0 for never and Infinity for
   * always. Default: as the program's length says, 0 where `width` is given.
   */
  readonly baselineMs?: number | undefined
  /** As `EngineOptions.workerModule`. */
  readonly workerModule?: string | undefined
}

/** How multiply-adds round: `allow` lets the host fuse them where it can, and is `never` where it cannot. */
function fusing(fma: LoadOptions['fma']): { readonly fused: boolean; readonly relaxed: boolean } {
  const relaxed = fma === 'allow' && hasRelaxedSimd()
  return { fused: fma === 'always' || relaxed, relaxed }
}

/** How results are rounded. */
const arithmeticOf = (options: LoadOptions) => ({
  keepDenormals: options.denormals === 'keep',
  rounded: options.minPrecision === 'round',
  fastSamples: options.sampling === 'fast',
  ...fusing(options.fma),
})

const foreignShader = (shader: LoadedShader, owner: string): Diagnostic =>
  diagnostic('engine-foreign-shader', `the shader was loaded by ${owner} ${shader.engine}, not by this one`)

/** A dispatch whose request and bindings have been found sound. */
interface SoundDispatch extends BoundPipeline {
  readonly shader: WasmShader
  readonly bindings: ResolvedBindings
  readonly groups: GroupCounts
  readonly options: DispatchOptions
}

/** Where a dispatch has its descriptor and scratch memory. */
interface Place {
  readonly descriptor: number
  readonly scratch: number
}

interface ExecutionParts {
  readonly dispatch: SoundDispatch
  readonly place: Place
  readonly staging: Staging
  readonly executor: Executor
  /** The engine's memory. */
  readonly buffer: ArrayBufferLike
  /** What the engine does at the end of a dispatch, and what it has to report then. */
  readonly end: () => readonly Diagnostic[]
}

/** Whether an SRV shows memory of a UAV. */
function readsWhatItWrites({ t, u }: ResolvedBindings): boolean {
  const written = new Set([...u.values()].map((view) => view.resource))
  return [...t.values()].some((view) => written.has(view.resource))
}

/** A dispatch under way in compiled code. */
class WasmExecution implements Execution {
  readonly #parts: ExecutionParts
  readonly #words: Uint32Array
  readonly #scratches: readonly number[]
  readonly #run: GroupRun
  #isOver = false

  constructor(parts: ExecutionParts) {
    const { place, buffer, executor } = parts
    const { pipeline, groups, shader, bindings } = parts.dispatch
    this.#parts = parts
    const words = new Uint32Array(buffer, place.descriptor, HEADER_WORDS)
    this.#words = words
    this.#scratches = executor.scratches(pipeline, place.scratch)
    for (const scratch of this.#scratches) clearRecords(buffer, scratch, pipeline.kernel)
    const isStopped = (): boolean => words[HEADER.stopped] !== STOPPED.none
    const execution = {
      pipeline,
      descriptor: place.descriptor,
      total: groups[0] * groups[1] * groups[2],
      threadCount: threadCountOf(shader.declarations),
      isStopped,
      mayRunAgain: pipeline.isRepeatable && !readsWhatItWrites(bindings),
    }
    this.#run = executor.begin(execution, place.scratch)
  }

  get progress(): Progress {
    return { done: this.#run.done, total: this.#run.execution.total }
  }

  run({ time, deadline }: Until): DispatchResult | undefined {
    const { shader, options, pipeline } = this.#parts.dispatch
    pipeline.host.deadline = deadline
    if (!this.#advance(time)) return undefined
    const [reason, statement] = [this.#words[HEADER.stopped]!, this.#words[HEADER.statement]!]
    if (reason === STOPPED.time) return this.stop('time')
    const result = this.#result(stopOf(reason, statement, shader, options))
    if (reason === STOPPED.assertion) throw failedClaim(pipeline.kernel, shader, statement)
    return result
  }

  /** Runs groups; throws the error of a dispatch whose code trapped. */
  #advance(time: number): boolean {
    const { executor, dispatch } = this.#parts
    try {
      return executor.advance(this.#run, time)
    } catch (thrown) {
      // The workers end after their chunks: the memory is theirs until then.
      Atomics.compareExchange(this.#words, HEADER.stopped, STOPPED.none, STOPPED.abort)
      executor.stop(this.#run)
      this.dispose()
      throw codeTrap(thrown, dispatch.pipeline.kernel, dispatch.shader)
    }
  }

  stop(why: 'time' | 'canceled'): DispatchResult {
    Atomics.compareExchange(this.#words, HEADER.stopped, STOPPED.none, STOPPED.time)
    this.#parts.executor.stop(this.#run)
    const { maxMilliseconds } = this.#parts.dispatch.options
    return this.#result({ stopped: why, diagnostics: [stopDiagnostic(why, this.progress, maxMilliseconds)] })
  }

  /** Groups that were lost with their worker: run again, or the end of what contents mean. */
  #lostGroups(): Pick<DispatchResult, 'stopped' | 'diagnostics'> {
    const { lost, again } = this.#run
    if (lost.length === 0) return { diagnostics: [] }
    const which = lost.map((l) => `${l.first} to ${l.first + l.count - 1}`).slice(0, 4)
    const text = `a worker that ran groups died or failed, at groups ${which.join(', ')}`
    if (again === lost.length) {
      return { diagnostics: [diagnostic('engine-worker', `${text}; they were run again`, undefined, [], 'warning')] }
    }
    const note = 'the contents of what the dispatch writes are undefined: write them again before they are used'
    return { stopped: 'lost', diagnostics: [diagnostic('engine-worker', text, undefined, [note])] }
  }

  #result(stop: Pick<DispatchResult, 'stopped' | 'diagnostics'> | undefined): DispatchResult {
    const { shader, pipeline, views, bindings, options, groups } = this.#parts.dispatch
    const { buffer } = this.#parts
    const { kernel, lowered } = pipeline
    const findings = createFindings(options.maxDiagnostics ?? DEFAULT_DISPATCH_LIMITS.maxDiagnostics)
    const context = { shader, kernel, uses: lowered.bindings.uses, views, bindings, groups }
    const records = this.#scratches.map((scratch) => recordsIn(buffer, scratch, kernel))
    const fromHost = pipeline.host.bindings.findings?.found ?? []
    addFindings(context, records, fromHost, options.undefinedPolicy === 'trap', findings)
    const lost = this.#lostGroups()
    const stopped = stop?.stopped ?? lost.stopped
    const stopDiagnostics = [...(stop?.diagnostics ?? []), ...lost.diagnostics]
    const found = findings.diagnostics(shader.declarations.program, shader.options.listing)
    this.dispose()
    const diagnostics = [...stopDiagnostics, ...found, ...this.#parts.end()]
    const result = { diagnostics, undefinedCount: findings.undefinedCount }
    return stopped === undefined ? result : { stopped, ...result }
  }

  dispose(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#parts.staging.finish()
  }
}

class WasmEngine implements Engine {
  readonly name = WASM_ENGINE
  readonly memory: WasmMemory
  readonly elementKernels: ElementKernels
  readonly sharedWork?: SharedWork
  readonly #executor: Executor
  readonly #compiler: PipelineCompiler
  readonly #descriptor: ReusableRange
  readonly #decoded: DecodedTextures
  readonly #alwaysDecodes: boolean
  readonly #stages: StageHost
  /** What this engine loaded: code of another one runs over another memory. */
  readonly #shaders = new WeakSet<LoadedShader>()
  #shortageReported = false

  constructor(memory: WasmMemory, options: WasmEngineOptions) {
    this.memory = memory
    this.#decoded = new DecodedTextures(memory)
    this.#descriptor = new ReusableRange(memory)
    const threads = options.threads ?? hostThreads()
    this.#executor = new Executor(this.memory, {
      threads,
      startNow: options.startNow ?? false,
      minSharedMs: options.minSharedMs,
      workerModule: options.workerModule,
      packsPairs: options.pairs ?? false,
    })
    const most = options.threads === undefined ? 'unordered' : 'all'
    const sharing = this.#executor.workerCount > 0 ? most : 'none'
    this.#compiler = new PipelineCompiler(this.memory, {
      width: options.width,
      sharing,
      packsPairs: options.pairs ?? false,
      assertions: options.assertions ?? false,
      vectorRuns: options.shortRuns === true ? 'short' : 'usual',
      baselineMs: options.baselineMs ?? (options.width === undefined ? undefined : 0),
    })
    const memories = new StageMemories(memory)
    const decoded = this.#decoded
    this.#alwaysDecodes = options.alwaysDecodes ?? false
    const history = new SamplingHistory(decoded, this.#alwaysDecodes)
    this.#stages = {
      ...{ memory, memories, compiler: this.#compiler, decoded, history, code: rangesByName(memory) },
    }
    this.elementKernels = new WasmElementKernels(memory, memories, this.#compiler)
    const { pool } = this.#executor
    if (pool === undefined || options.workerModule === undefined) return
    const { elementKernels } = this
    const thread = createWorkThread({
      isWorker: false,
      engine: WASM_ENGINE,
      memory,
      memories,
      elementKernels,
      heartbeat: () => {},
    })
    this.sharedWork = new WasmSharedWork(thread, memory, pool, options.minSharedMs === 0)
  }

  load(program: Parameters<Engine['load']>[0], options: LoadOptions = {}): Outcome<LoadedShader> {
    return runPartsAtOnce(this.loadInParts(program, options))
  }

  *loadInParts(
    program: Parameters<Engine['load']>[0],
    options: LoadOptions = {},
  ): Generator<void, Outcome<LoadedShader>> {
    const gathered = gatherDeclarations(program)
    if (gathered.value === undefined) return failure(withNamedPlaces(gathered.diagnostics, program, options.listing))
    const declarations = gathered.value
    const named = (found: readonly Diagnostic[]): readonly Diagnostic[] =>
      withNamedPlaces([...gathered.diagnostics, ...found], program, options.listing)
    try {
      const isCompute = declarations.stage.kind === 'compute'
      const made = yield* isCompute ? this.#compile(declarations, options) : this.#compileStage(declarations, options)
      return { ...made, diagnostics: named(made.diagnostics) }
    } catch (e) {
      return failure(named([notCompiled(e)]))
    }
  }

  *#compileStage(declarations: Declarations, options: LoadOptions): Generator<void, Outcome<WasmStageShader>> {
    const made = yield* loadStage(WASM_ENGINE, declarations, options, arithmeticOf(options))
    if (made.value === undefined) return made
    const fast = shaderForFast(declarations, options, (o) => this.load(declarations.program, o))
    const shader = { ...made.value, ...fast }
    this.#shaders.add(shader)
    return outcomeOf(shader, made.diagnostics)
  }

  *#compile(declarations: Declarations, options: LoadOptions): Generator<void, Outcome<WasmShader>> {
    const threads = threadsOf(declarations)
    const translation = translateInParts(declarations, { threads, ...arithmeticOf(options) })
    const { value, diagnostics } = yield* inLongerParts(translation, CODE_PART_MS)
    if (value === undefined || hasErrors(diagnostics)) return failure(diagnostics)
    const maps = { variants: new Map(), pipelines: new Map(), refusals: new Map() }
    const lowered = yield* inLongerParts(simplifiedInParts(value), CODE_PART_MS)
    const shader: WasmShader = { engine: WASM_ENGINE, declarations, options, lowered, ...maps }
    // A program that cannot be compiled is refused here where that can be known, not at its first dispatch.
    yield
    yield* this.#compiler.compileEarly(shader)
    this.#shaders.add(shader)
    return outcomeOf(shader, diagnostics)
  }

  *prepareInParts(
    shader: LoadedShader,
    bindings: ResolvedBindings,
    options: DispatchOptions = {},
  ): Generator<void, void> {
    if (isStageShader(shader) && this.#shaders.has(shader)) yield* prepareStage(this.#stages, shader, bindings, options)
  }

  begin(
    shader: LoadedShader,
    bindings: ResolvedBindings,
    invocations: Invocations,
    options: DispatchOptions = {},
  ): Outcome<Execution> {
    const misplaced = this.#shaders.has(shader) ? misplacedShader(shader, invocations) : undefined
    if (misplaced !== undefined) return failure([misplaced])
    if (invocations.kind !== 'grid') return this.#beginBatches(shader, bindings, options)
    const { groups } = invocations
    if (!isWasmShader(shader) || !this.#shaders.has(shader)) {
      return failure([foreignShader(shader, isWasmShader(shader) ? 'another engine of the kind' : 'the engine')])
    }
    const request = checkRequest(shader.declarations, groups, options)
    if (request.value === undefined) return failure(request.diagnostics)
    const beyond = notCompiledOf(options)
    if (beyond !== undefined) return failure([diagnostic('engine-not-compiled', beyond)])
    let prepared: Outcome<BoundPipeline>
    try {
      const hasCopy: IsDecoded = (view, kind) => this.#decoded.hasRoom(view, kind === 'codes')
      const isDecoded = this.#alwaysDecodes ? hasCopy : undefined
      prepared = this.#compiler.forBindings(shader, request.value, bindings, options, isDecoded)
    } catch (e) {
      return failure(notCompiledShader(e, shader))
    }
    if (prepared.value === undefined) return failure(prepared.diagnostics)
    return this.#execution({ shader, ...prepared.value, bindings, groups, options })
  }

  dispatch(
    shader: LoadedShader,
    bindings: ResolvedBindings,
    groups: GroupCounts,
    options: DispatchOptions = {},
  ): DispatchResult {
    return runAtOnce(this.begin(shader, bindings, { kind: 'grid', groups }, options), options)
  }

  #beginBatches(shader: LoadedShader, bindings: ResolvedBindings, options: DispatchOptions): Outcome<BatchExecution> {
    if (!isStageShader(shader) || !this.#shaders.has(shader)) {
      return failure([foreignShader(shader, isStageShader(shader) ? 'another engine of the kind' : 'the engine')])
    }
    return beginWasmStage(this.#stages, shader, bindings, options)
  }

  #execution(dispatch: SoundDispatch): Outcome<WasmExecution> {
    // Before they are copied: counters may live in other memory.
    resetCounters(dispatch.bindings)
    const staging = new Staging(this.memory)
    const place = this.#prepare(dispatch, staging)
    if (place === undefined) {
      staging.discard()
      return failure([diagnostic('engine-memory', 'there is no room for the bindings')])
    }
    const end = (): readonly Diagnostic[] => this.#reportShortage()
    const { buffer } = this.memory.memory
    const value = new WasmExecution({ dispatch, place, staging, executor: this.#executor, buffer, end })
    return outcomeOf(value)
  }

  /** Once, with the first dispatch that knows it: why fewer threads run groups than were wanted. */
  #reportShortage(): Diagnostic[] {
    const { shortage } = this.#executor
    if (this.#shortageReported || shortage === undefined) return []
    this.#shortageReported = true
    return [diagnostic('engine-threads', shortage)]
  }

  /** Brings everything a dispatch needs into the engine's memory; undefined where it has no room. */
  #prepare(dispatch: SoundDispatch, staging: Staging): Place | undefined {
    const { pipeline, bindings, groups, options } = dispatch
    const { lowered } = pipeline
    const byteLength = descriptorBytes(lowered)
    // All of these may grow the memory, so they come before any array over it.
    const descriptor = this.#descriptor.take(byteLength)
    const scratch = this.#executor.reserve(pipeline)
    const views = stageViews(dispatch, this.memory, { staging, decoded: this.#decoded })
    if (descriptor === undefined || scratch === undefined || views === undefined) return undefined
    const words = new Uint32Array(this.memory.memory.buffer, descriptor, byteLength / 4)
    const budget = budgetOf(options)
    fillDescriptor(words, { lowered, views, bindings, groups, budget })
    pipeline.host.bindings = {
      views: views.map((v) => v.view),
      samplers: dispatch.samplers,
      findings: new HostFindings(
        dispatch.shader,
        groups,
        { order: (scratch + pipeline.kernel.reportOffset) >> 2, descriptor: descriptor >> 2 },
        options.undefinedPolicy === 'trap',
      ),
    }
    return { descriptor, scratch }
  }

  dispose(): void {
    // The memory goes with the last view of it.
    this.#executor.dispose()
  }
}

/** The engine that compiles programs to WebAssembly SIMD; undefined where the host lacks what it takes. */
export function tryCreateWasmEngine(options: WasmEngineOptions = {}): Engine | undefined {
  const memory = WasmMemory.create()
  return memory && new WasmEngine(memory, options)
}

/** The same, with choices that tests and benchmarks make; throws ShaderError where the host lacks what it takes. */
export function createWasmEngineWith(options: WasmEngineOptions): Engine {
  const engine = tryCreateWasmEngine(options)
  if (engine !== undefined) return engine
  throw new ShaderError([diagnostic('engine-memory', 'this host lacks WebAssembly SIMD or shared memory')])
}

export const createWasmEngine: EngineFactory = (options) =>
  createWasmEngineWith({ threads: options.threads, pairs: options.pairs, workerModule: options.workerModule })
