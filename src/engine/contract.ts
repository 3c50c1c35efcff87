import type { Outcome } from '../diagnostic/index.ts'
import type {
  Contents,
  Memory,
  ResolvedBindings,
  Schedule,
  Storage,
  UndefinedPolicy,
  WrittenPages,
} from '../machine/index.ts'
import type { Program } from '../program/index.ts'
import type { Batch, BatchColumns } from './batch.ts'
import type { Declarations } from './declarations.ts'
import type { ElementKernels, ShaderOperations } from './element-kernels.ts'
import type { GroupState, WaveState } from './inspection.ts'
import type { Observer } from './observer.ts'
import type { EntryLayout } from './register-layout.ts'
import type { DispatchResult } from './result.ts'

export type { DispatchResult, Stop } from './result.ts'

/** Number of thread groups in x, y, z. */
export type GroupCounts = readonly [x: number, y: number, z: number]

/** How float32 arithmetic treats denormals: Direct3D's flush to zero of the same sign, or IEEE 754. */
export type DenormalMode = 'flush' | 'keep'
/**
 * Whether multiply-adds without the precise flag have two roundings (`never`), one (`always`, by calls to the host: slow) or
 * what is fastest (`allow`): one where the engine, the runtime and the processor have it, so that results depend on them.
 */
export type FmaMode = 'never' | 'always' | 'allow'
/**
 * Operations of minimum precision run at 32 bits (`full`), which Direct3D allows; `round` also rounds each result that
 * is written to a register of min16 or min2.8 precision, so that a loss of precision shows.
 */
export type MinPrecisionMode = 'full' | 'round'

/** What is fixed when a program is loaded, since it changes the code that an engine makes. */
export interface LoadOptions {
  /** Default 'flush'. */
  readonly denormals?: DenormalMode | undefined
  /** Default 'never'. */
  readonly fma?: FmaMode | undefined
  /** Default 'full'. */
  readonly minPrecision?: MinPrecisionMode | undefined
  /**
   * Linear filters in float32 (`exact`, the default), or those of 8-bit UNORM in whole numbers with positions of 8 fraction bits
   * (docs/decisions/fast-sampling.md).
   */
  readonly sampling?: 'exact' | 'fast' | undefined
  /** Text of a statement for diagnostics, by its index in `Program.statements`. */
  readonly listing?: ((statement: number) => string | undefined) | undefined
  /** Called now and then while a long program is loaded; what it throws ends the loading. For limits of time. */
  readonly progress?: (() => void) | undefined
}

/** The data behind an interface pointer: what ID3D11ClassInstance holds (functional spec 7.19, 22.7.20). */
export interface ClassInstance {
  /** Number of the function table (`ft#`) of the instance's class. */
  readonly table: number
  /** Constant buffer register that holds the instance's members; default 0. */
  readonly constantBuffer?: number | undefined
  /** Offset of the members in that buffer, in constants of 16 bytes; default 0. */
  readonly constantOffset?: number | undefined
  /** First texture and sampler register of the instance; default 0. */
  readonly texture?: number | undefined
  readonly sampler?: number | undefined
}

/** Class instances by interface pointer: `fp0`, or `fp0[2]` for an element of an array. `fp0` alone is element 0. */
export type ClassInstances = Readonly<Record<string, ClassInstance>>

/** How one dispatch is executed. */
export interface DispatchOptions {
  /** Default: waves of 32, forward, one group in flight. */
  readonly schedule?: Schedule | undefined
  /** Default 'report'. */
  readonly undefinedPolicy?: UndefinedPolicy | undefined
  /**
   * Instructions that one thread may execute before the dispatch is stopped as endless; default 100 million. Compiled code
   * counts no more than 2^31 - 1.
   */
  readonly maxInstructionsPerThread?: number | undefined
  /** Diagnostics kept; those after are counted only. Default 100. */
  readonly maxDiagnostics?: number | undefined
  /** What interface pointers point to (ID3D11ClassInstance). */
  readonly classInstances?: ClassInstances | undefined
  /** An engine without support for observers refuses a dispatch that has one. */
  readonly observer?: Observer | undefined
  /** As `LoadOptions.progress`, while code for this dispatch is made. */
  readonly progress?: (() => void) | undefined
  /** Milliseconds that the dispatch may take before it is stopped; default none. */
  readonly maxMilliseconds?: number | undefined
  /** Stops the dispatch when it is aborted, before it begins or the next time it yields. */
  readonly signal?: AbortSignal | undefined
  /** Called with the progress of the dispatch after each slice and at its end. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** How far a dispatch is: groups that have run, of all. */
export interface Progress {
  readonly done: number
  readonly total: number
}

/** A program made ready by one engine; only that engine can dispatch it. */
export interface LoadedShader {
  readonly engine: string
  readonly declarations: Declarations
  readonly options: LoadOptions
  /**
   * Of a pixel shader whose options say nothing of denormals: the same program with denormals kept and fast samples, for pipelines with
   * the precision `fast`. Undefined where it cannot be loaded so.
   */
  readonly forFast?: () => LoadedShader | undefined
}

/** What an execution runs: the thread groups of a compute shader, or the invocations of a stage of a draw, in batches. */
export type Invocations = GridInvocations | BatchInvocations

/** The thread groups of a dispatch. */
export interface GridInvocations {
  readonly kind: 'grid'
  readonly groups: GroupCounts
}

/** The batches are given one after the other, by `BatchExecution.start`: of vertices, patches, quads and so on. */
export interface BatchInvocations {
  readonly kind: 'batches'
}

/** How far an execution runs before it yields, as times of performance.now(). */
export interface Until {
  /** Soon after it the run yields, at a place where it can go on. */
  readonly time: number
  /** After it the run ends where it is, though it may not be able to go on from there. */
  readonly deadline: number
}

/** The statement that is executed next: of which wave of which group. The group and the wave of a batch are 0. */
export interface Position {
  readonly group: readonly [x: number, y: number, z: number]
  readonly wave: number
  /** The wave's first thread in its group, or its first invocation in its batch. */
  readonly firstThread: number
  /** Index in `Program.statements`; where a function ends without ret, of its last statement. */
  readonly statement: number
}

/**
 * Everything that an execution under way consists of, with the bytes of the UAVs that are bound: plain data of the engine
 * that made it. It fits that execution, at any later time, and others of the same shader, options and bindings; of a batch,
 * where the same invocations have been started.
 */
export interface ExecutionSnapshot {
  readonly engine: string
  /** Bytes that it takes beside what it shares with the snapshot before it. */
  readonly byteLength: number
  /** Those of them that no other snapshot shares: registers and shared memory. */
  readonly ownByteLength: number
  /** The bytes of the UAVs; pages that did not change are those of the snapshot before it. */
  readonly contents: Contents
}

/**
 * A dispatch that has begun. It holds memory of its engine, which runs one execution at a time: another may begin when
 * this one has ended or was stopped. `step` and all that follows it, up to `stop`, are there where the engine keeps
 * everything of a run as data.
 */
export interface Execution {
  readonly progress: Progress
  /** Runs on. Answers the result at the end, and undefined where it yielded to the host. */
  run(until: Until): DispatchResult | undefined
  /**
   * Executes `count` statements (default 1), each of one wave for all its active lanes; the result where that was the end.
   * Before each statement `stopsBefore` is called with the wave that would execute it: after true it returns at once.
   */
  step?(count?: number, stopsBefore?: (wave: WaveState) => boolean): DispatchResult | undefined
  /** Statements executed so far, the one under way included. */
  readonly clock?: number
  /** The groups in flight; empty when all have ended. */
  inspect?(): readonly GroupState[]
  /** Where it stands; undefined when it has ended. */
  next?(): Position | undefined
  /** What there is now, to come back to. */
  snapshot?(): ExecutionSnapshot
  /**
   * From now on snapshots have those pages of resources alone that have been written since, and fit this execution alone. Who
   * else writes to its resources says so first, to what is answered. Undefined where no observer looks: plain code keeps no account.
   */
  keepWrittenPages?(): WrittenPages | undefined
  /**
   * Goes back, or forward, to a snapshot, also after the end: what follows is what followed then, event for event.
   * Throws ShaderError for a snapshot that does not fit.
   */
  restore?(snapshot: ExecutionSnapshot): void
  /** Ends it where it is: what has been found, with why it was ended. */
  stop(why: 'time' | 'canceled'): DispatchResult
  /** Gives back what it holds; one that has not ended cannot go on after. */
  dispose(): void
}

/**
 * A shader of a draw that has begun: it runs one batch after the other, in the order in which they are given. At the end of
 * a batch `run` and `step` answer undefined, and `progress`, which counts the invocations of the batch, has come to its
 * total: the execution waits for the next. They answer a result where the shader stopped the draw; after that nothing more
 * runs. Memory effects of a batch happen in the order of its invocations.
 */
export interface BatchExecution extends Execution {
  /** Name of the engine that runs it. */
  readonly engine: string
  /** By entry, as `Declarations.entries`. */
  readonly layouts: readonly EntryLayout[]
  /**
   * Memory of the engine for the registers of an entry's batches: filling and reading them in place spares two copies.
   * Registers of several entries do not share memory, those of several batches of one entry do.
   */
  columns?(entry: number, capacity: number): BatchColumns | undefined
  /** What invocations leave is all that they do, and none stops a draw: nobody sees whether one has run whose outputs nobody reads. */
  readonly hasOutputsAlone?: boolean
  /** What a pixel shader does where that is operations alone, so that programs of quads can do it too. */
  readonly operations?: ShaderOperations | undefined
  /** Starts the next batch. Its outputs and what it gives to `streams` are complete when it has ended. */
  start(batch: Batch): void
  /** No more batches come: what all of them did. */
  finish(): DispatchResult
  /**
   * Makes a part of code that is to take the place of what runs, which takes about ten milliseconds; false where there is none to make now. Draws
   * call it between their steps, so that they can give way to the host.
   */
  makeCode?(): boolean
  /** Whether `share` finds all code that it needs; where not, `makeCode` makes it from now on. */
  isReadyToShare?(): boolean
  /** Lets other threads run batches of the shader; undefined where it must run on this one. After it, no batch runs here. */
  share?(): SharedShader | undefined
}

/** Whether an execution runs batches: what `begin` gives for them. */
export const isOfBatches = (e: Execution): e is BatchExecution => 'start' in e

/**
 * What runs programs. `load` gives errors for programs that cannot run; `dispatch` never throws on bad input: a
 * result with `stopped: 'refused'` says what is wrong. What is sound but beyond an engine it refuses with
 * `engine-not-compiled`, `engine-compiler` or `engine-memory`, so that another can be tried. Bindings have been matched
 * with `matchBindings`; slots without a view read 0 and drop writes. Group counts are 0 to 65535 each. `begin` gives an
 * execution, which runs as far as the caller says; `dispatch` begins one of a grid and runs it to its end at once.
 * Two engines given the same program, options and bindings leave the same bytes for programs free of races.
 */
export interface Engine {
  readonly name: string
  /** Where this engine keeps resources; the default heap where absent. */
  readonly memory?: Memory
  /** The fixed function of draws as code of this engine; where absent the pipeline computes it. */
  readonly elementKernels?: ElementKernels
  /** Threads that draws are shared with; where absent they run on the calling one. */
  readonly sharedWork?: SharedWork
  load(program: Program, options?: LoadOptions): Outcome<LoadedShader>
  /** As `load`; yields to the host between passes over the program. Absent where loading takes no time to speak of. */
  loadInParts?(program: Program, options?: LoadOptions): Generator<void, Outcome<LoadedShader>>
  /**
   * Does beforehand what may take long of what `begin` does for a shader of a draw: decodes the textures that it reads from copies, and compiles
   * its code. Yields to the host in between. Absent where `begin` does nothing of the kind.
   */
  prepareInParts?(shader: LoadedShader, bindings: ResolvedBindings, options?: DispatchOptions): Generator<void, void>
  /** Of batches, a `BatchExecution`. */
  begin(
    shader: LoadedShader,
    bindings: ResolvedBindings,
    invocations: Invocations,
    options?: DispatchOptions,
  ): Outcome<Execution>
  dispatch(
    shader: LoadedShader,
    bindings: ResolvedBindings,
    groups: GroupCounts,
    options?: DispatchOptions,
  ): DispatchResult | Promise<DispatchResult>
  /** Frees workers and memory; nothing of the engine may be used after. */
  dispose?(): void
}

/** Options of an engine as a whole. */
export interface EngineOptions {
  /** Threads of the host that may run groups; engines that use one ignore it. */
  readonly threads?: number | undefined
  /**
   * The host packs pairs of 128-bit vector operations into 256-bit ones, as V8 does with --experimental-wasm-revectorize:
   * code is made so that it can, which costs where it does not. Default false.
   */
  readonly pairs?: boolean | undefined
  /** URL of the module that workers run parts of draws with; where absent they run thread groups alone. */
  readonly workerModule?: string | undefined
}

/** Makes an engine. */
export type EngineFactory = (options: EngineOptions) => Engine

/*
 * Work that several threads of an engine do together, over its memory: the pipeline shares the tiles of a draw out. What is
 * passed is text, since threads that wait receive no objects; large data lie in the memory.
 */

/** What one thread works with: the calling one, or a worker. */
export interface WorkThread {
  /** Not the thread that called the engine. */
  readonly isWorker: boolean
  /** For what the thread needs by itself. */
  readonly memory: Memory
  /** All of the engine's memory, with at least so many bytes as it has on another thread: places are bytes from its start. */
  buffer(least?: number): ArrayBufferLike
  /** Whether a storage lies in it. */
  reaches(storage: Storage): boolean
  readonly elementKernels?: ElementKernels | undefined
  /** Begins a shader that `BatchExecution.share` of the calling thread has described; undefined where there is no room. */
  join(shader: unknown, isStopped: () => boolean): JoinedExecution | undefined
}

/** A shader on one of several threads that run it. Its result says no more than why it stopped. */
export interface JoinedExecution extends BatchExecution {
  /** The shader may leave findings. Each names the first invocation of its batch, so batches must keep the order of the draw. */
  readonly mayReport: boolean
  /** What it found and why it stopped, as plain data for `SharedShader.collect`. */
  leave(): unknown
}

/** A shader of a draw that several threads run, each its own invocations. */
export interface SharedShader {
  /** Plain data for `WorkThread.join`. */
  readonly description: unknown
  /** It may leave findings. */
  readonly mayReport: boolean
  /** Takes over what the threads left, each of them once. */
  collect(left: readonly unknown[]): void
}

/** What threads left when all of them have ended. */
export interface WorkEnd {
  /** By thread: what its part gave. */
  readonly texts: readonly string[]
  /** Threads that died or failed in the middle. */
  readonly lostCount: number
}

export interface WorkInProgress {
  readonly threadCount: number
  /** Some thread has died: what it had taken will not end. */
  readonly isShort: boolean
  /** Waits for all threads, or until `time` (performance.now()): undefined then. */
  end(time: number): WorkEnd | undefined
}

/** The threads of an engine. */
export interface SharedWork {
  /** The calling thread. */
  readonly thread: WorkThread
  /** Everything is worth sharing, however little: for tests. */
  readonly sharesAll?: boolean | undefined
  /** Threads beside the calling one that can take part now. */
  readonly readyCount: number
  /** Time that the calling thread worked alone though others would have helped: they are started where that pays. */
  addUnsharedTime(milliseconds: number): void
  /** Hands text to all threads that are ready; undefined where there are none, or they are at work. */
  begin(text: string): WorkInProgress | undefined
}
