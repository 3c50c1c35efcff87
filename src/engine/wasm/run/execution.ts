import { HEADER, STOPPED } from '../emit/emitter.ts'
import type { WasmMemory } from './memory.ts'
import type { Pipeline } from './pipeline.ts'
import { Area } from './reusable-range.ts'
import { WorkerPool } from './workers/pool.ts'
import { obstacleToWorkers } from './workers/spawn.ts'

/** Waking workers takes tens of microseconds: what is over sooner runs where it is. */
const WORTH_SHARING_MS = 0.1

/**
 * Starting workers takes tens of milliseconds: they are started when dispatches have run so long without them that they
 * would have paid for it. So no series of dispatches takes twice as long as it would if its length had been known.
 */
const WORTH_STARTING_MS = 50

/** While workers start, how often this thread looks whether they are there. */
const LOOK_MS = 2

/** Threads that one call of the code runs at most: short calls let V8 replace its quick first code by optimised code. */
const CHUNK_THREADS = 16384

/** More groups than this are counted by no worker, so that their shared counter never overflows. */
const MOST_SHARED_GROUPS = 2 ** 31

/** Groups of a dispatch, ready to run. */
export interface Execution {
  readonly pipeline: Pipeline
  /** Address of the descriptor. */
  readonly descriptor: number
  /** Groups in all. */
  readonly total: number
  /** Threads of a group. */
  readonly threadCount: number
  readonly isStopped: () => boolean
}

export interface ExecutorOptions {
  /** Threads that run groups, the calling one included. */
  readonly threads: number
  /** Starts the workers now and waits for them where dispatches are worth it, instead of when they pay. */
  readonly startNow: boolean
  /** Milliseconds that a dispatch still takes for workers to take part; default WORTH_SHARING_MS. */
  readonly worthSharingMs?: number | undefined
}

/** Runs the groups of dispatches, on the calling thread and on workers. */
export class Executor {
  readonly #memory: WasmMemory
  readonly #pool: WorkerPool | undefined
  /** Why there is no pool although more than one thread is wanted. */
  readonly #obstacle: string | undefined
  readonly #scratch: Area
  readonly #code: Area
  readonly #worthSharingMs: number
  /** Milliseconds of dispatches that workers would have shared. */
  #unshared = 0

  constructor(memory: WasmMemory, options: ExecutorOptions) {
    this.#memory = memory
    this.#scratch = new Area(memory)
    this.#code = new Area(memory)
    this.#worthSharingMs = options.worthSharingMs ?? WORTH_SHARING_MS
    const workers = Math.floor(options.threads) - 1
    this.#obstacle = workers > 0 ? obstacleToWorkers() : undefined
    this.#pool = workers > 0 && this.#obstacle === undefined ? new WorkerPool(memory, workers) : undefined
    if (options.startNow) this.#pool?.start(true)
  }

  /** Workers beside the calling thread, started or not. */
  get workerCount(): number {
    return this.#pool?.size ?? 0
  }

  /** Why fewer threads run groups than were wanted, as far as that is known now; undefined where all do. */
  get shortage(): string | undefined {
    if (this.#obstacle !== undefined) return `${this.#obstacle}: groups run on one thread`
    return this.#pool?.isShort === true ? 'the host did not start all workers: groups run on fewer threads' : undefined
  }

  /** Addresses of the scratch memory of each thread. */
  scratches(pipeline: Pipeline, scratch: number): number[] {
    return Array.from({ length: 1 + this.workerCount }, (_, n) => scratch + n * pipeline.kernel.scratchByteLength)
  }

  /** Makes room for what the code needs beside its descriptor; undefined where there is none. May grow the memory. */
  reserve(pipeline: Pipeline): number | undefined {
    return this.#scratch.take(pipeline.kernel.scratchByteLength * (1 + this.workerCount))
  }

  /** Runs all groups: on this thread alone while that is quick, then with the workers. False where a worker failed. */
  run(execution: Execution, scratch: number): boolean {
    const { pipeline, descriptor, total, isStopped } = execution
    const chunk = Math.max(1, Math.floor(CHUNK_THREADS / execution.threadCount))
    const isShared = pipeline.mayShare && !pipeline.kernel.callsHost && total < MOST_SHARED_GROUPS
    const pool = isShared ? this.#pool : undefined
    const run = (first: number, count: number): void =>
      pipeline.run(descriptor, first, Math.min(first + count, total), scratch)
    // The first groups tell how long the rest takes; they are few, since the workers idle meanwhile.
    let count = pool === undefined ? chunk : Math.max(1, Math.min(chunk >> 3, total >> 6))
    const begin = performance.now()
    for (let done = 0; done < total && !isStopped(); ) {
      run(done, count)
      const isFirst = done === 0
      done += count
      if (pool === undefined || done >= total) continue
      const each = (performance.now() - begin) / done
      const expected = each * (total - done)
      if (isFirst) this.#startWhenWorth(pool, expected)
      if (expected >= this.#worthSharingMs && this.#share(pool, execution, scratch, done, chunk, run))
        return pool.finish()
      count = pool.isStarting ? Math.max(1, Math.min(chunk, Math.floor(LOOK_MS / each))) : chunk
    }
    return true
  }

  #startWhenWorth(pool: WorkerPool, expected: number): void {
    if (expected < this.#worthSharingMs) return
    this.#unshared += expected
    if (this.#unshared > WORTH_STARTING_MS) pool.start(false)
  }

  /** Runs the rest of the groups together with the workers; false where none is ready. */
  #share(
    pool: WorkerPool,
    execution: Execution,
    scratch: number,
    first: number,
    largest: number,
    run: (first: number, count: number) => void,
  ): boolean {
    const { pipeline, descriptor, total, isStopped } = execution
    const { ready } = pool
    if (ready === 0) return false
    const { bytes } = pipeline.kernel
    const codeAddress = this.#code.take(bytes.length)
    if (codeAddress === undefined) return false
    new Uint8Array(this.#memory.memory.buffer, codeAddress, bytes.length).set(bytes)
    // Small enough that no thread works long on its last groups while the others wait.
    const chunk = Math.max(1, Math.min(largest, Math.ceil((total - first) / (8 * (ready + 1)))))
    const started = pool.run({
      pipeline: pipeline.number,
      codeAddress,
      codeLength: bytes.length,
      descriptor,
      first,
      total,
      chunk,
      scratch,
      scratchStride: pipeline.kernel.scratchByteLength,
      stopWord: descriptor + HEADER.stopped * 4,
    })
    if (!started) return false
    try {
      for (let at = pool.take(chunk); at < total && !isStopped(); at = pool.take(chunk)) run(at, chunk)
    } catch (e) {
      // The workers end after their chunks: the memory is theirs until then.
      new Uint32Array(this.#memory.memory.buffer, descriptor)[HEADER.stopped] = STOPPED.abort
      pool.finish()
      throw e
    }
    return true
  }

  dispose(): void {
    this.#pool?.dispose()
  }
}
