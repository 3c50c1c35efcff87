import { appendAll } from '../../../diagnostic/index.ts'
import { HEADER } from '../emit/kernel-layout.ts'
import type { WasmMemory } from './memory.ts'
import type { Pipeline } from './pipeline.ts'
import { ReusableRange } from './reusable-range.ts'
import { type LostGroups, WorkerPool } from './workers/pool.ts'
import { obstacleToWorkers } from './workers/spawn.ts'

/** Runs the groups of a dispatch, on workers where that pays; the engine calls it in slices of time. */

/** Waking workers takes tens of microseconds: what is over sooner runs where it is. */
const MIN_SHARED_MS = 0.1

/**
 * Starting workers takes tens of milliseconds: they are started when dispatches have run so long without them that they
 * would have paid for it. So no series of dispatches takes twice as long as it would if its length had been known.
 */
const START_WORKERS_MS = 50

/** While workers start, how often this thread looks whether they are there. */
const LOOK_MS = 2

/** Threads that one call of the code runs at most: short calls let V8 replace its quick first code by optimized code. */
const CHUNK_THREADS = 16384

/** Milliseconds that one call of the code takes at most, where groups are short enough: then it yields to the host. */
const CALL_MS = 20

/** More groups than this are counted by no worker, so that their shared counter never overflows. */
const MAX_SHARED_GROUPS = 2 ** 31

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
  /** Groups that ran in part may run again. */
  readonly mayRunAgain: boolean
}

/** The groups of a dispatch under way. */
export interface GroupRun {
  readonly execution: Execution
  readonly scratch: number
  /** Groups of one call at most. */
  readonly chunk: number
  readonly pool: WorkerPool | undefined
  /** Groups that have run or been taken. */
  done: number
  /** Groups of the next call. */
  count: number
  /** Milliseconds of the calls of this thread alone. */
  spent: number
  /** Groups that each thread takes at once while workers have a part; 0 while they have none. */
  sharedChunk: number
  /** What was lost with workers, and how much of it ran again. */
  readonly lost: LostGroups[]
  again: number
}

interface ExecutorOptions {
  /** Threads that run groups, the calling one included. */
  readonly threads: number
  /** Starts the workers now and waits for them where dispatches are worth it, instead of when they pay. */
  readonly startNow: boolean
  /** Milliseconds that a dispatch still takes for workers to take part; default WORTH_SHARING_MS. */
  readonly minSharedMs?: number | undefined
  /** URL of the module that workers do shared work with. */
  readonly workerModule?: string | undefined
  /** The host packs pairs of vectors. */
  readonly packsPairs?: boolean
}

/** Runs the groups of dispatches, on the calling thread and on workers. */
export class Executor {
  readonly #memory: WasmMemory
  readonly #pool: WorkerPool | undefined
  /** Why there is no pool although more than one thread is wanted. */
  readonly #obstacle: string | undefined
  readonly #scratch: ReusableRange
  readonly #code: ReusableRange
  readonly #minSharedMs: number
  /** Milliseconds of dispatches that workers would have shared. */
  #unshared = 0

  constructor(memory: WasmMemory, options: ExecutorOptions) {
    this.#memory = memory
    this.#scratch = new ReusableRange(memory)
    this.#code = new ReusableRange(memory)
    this.#minSharedMs = options.minSharedMs ?? MIN_SHARED_MS
    const workers = Math.floor(options.threads) - 1
    this.#obstacle = workers > 0 ? obstacleToWorkers() : undefined
    const isPossible = workers > 0 && this.#obstacle === undefined
    const { workerModule, packsPairs } = options
    this.#pool = isPossible ? new WorkerPool(memory, workers, workerModule, packsPairs) : undefined
    if (!options.startNow) return
    this.#pool?.start(true)
    this.#pool?.load(true)
  }

  /** Undefined where there is one thread. */
  get pool(): WorkerPool | undefined {
    return this.#pool
  }

  /** Workers beside the calling thread, started or not. */
  get workerCount(): number {
    return this.#pool?.size ?? 0
  }

  /** Why fewer threads run groups than were wanted, as far as that is known now; undefined where all do. */
  get shortage(): string | undefined {
    if (this.#obstacle !== undefined) return `${this.#obstacle}: groups run on one thread`
    return this.#pool?.isShort === true ? 'workers did not start, or died: groups run on fewer threads' : undefined
  }

  /** Addresses of the scratch memory of each thread. */
  scratches(pipeline: Pipeline, scratch: number): number[] {
    return Array.from({ length: 1 + this.workerCount }, (_, n) => scratch + n * pipeline.kernel.scratchByteLength)
  }

  /** Makes room for what the code needs beside its descriptor; undefined where there is none. May grow the memory. */
  reserve(pipeline: Pipeline): number | undefined {
    return this.#scratch.take(pipeline.kernel.scratchByteLength * (1 + this.workerCount))
  }

  /** Groups that are ready to run, none of which has begun. */
  begin(execution: Execution, scratch: number): GroupRun {
    const { pipeline, total } = execution
    const chunk = Math.max(1, Math.floor(CHUNK_THREADS / execution.threadCount))
    const isShared = pipeline.mayShare && !pipeline.kernel.callsHost && total < MAX_SHARED_GROUPS
    const pool = isShared ? this.#pool : undefined
    // The time of the first group says how many a call may have.
    return { execution, scratch, chunk, pool, done: 0, count: 1, spent: 0, sharedChunk: 0, lost: [], again: 0 }
  }

  #call({ execution, scratch }: GroupRun, first: number, count: number): void {
    const { pipeline, descriptor, total } = execution
    pipeline.run(descriptor, first, Math.min(first + count, total), scratch)
  }

  /** Runs on until all groups have run, which it answers, or the time has come: on this thread alone while that is quick, then with the workers. */
  advance(run: GroupRun, time: number): boolean {
    const { execution, chunk, pool } = run
    const { total, isStopped } = execution
    if (run.sharedChunk > 0) return this.#advanceShared(run, time)
    let now = performance.now()
    while (run.done < total && !isStopped()) {
      // How long the rest takes is estimated from the first groups; they are few, since the workers idle meanwhile.
      const [isTrial, isFirst] = [run.done === 0, run.done === 1]
      const before = now
      this.#call(run, run.done, run.count)
      run.done = Math.min(total, run.done + run.count)
      if (run.done === total) return true
      now = performance.now()
      run.spent += now - before
      const each = run.spent / run.done
      const expected = each * (total - run.done)
      if (pool !== undefined && !isTrial) {
        if (isFirst) this.#startWorkersIfLong(pool, expected)
        if (expected >= this.#minSharedMs && this.#share(run, pool)) return this.#advanceShared(run, time)
      }
      const most = pool?.isStarting === true ? LOOK_MS : CALL_MS
      const few = isTrial && pool !== undefined ? Math.min(chunk >> 3, total >> 6) : chunk
      run.count = Math.max(1, Math.min(few, Math.floor(most / each)))
      if (now >= time) return isStopped()
    }
    return true
  }

  /** This thread takes groups as the workers do, waits for them, and runs again what was lost with them. */
  #advanceShared(run: GroupRun, time: number): boolean {
    const { execution, sharedChunk } = run
    const { total, isStopped, mayRunAgain } = execution
    const pool = run.pool!
    while (run.done < total && !isStopped()) {
      const first = pool.take(sharedChunk)
      run.done = Math.min(total, first)
      if (first >= total) break
      this.#call(run, first, sharedChunk)
      if (performance.now() >= time) return false
    }
    const lost = pool.finish(time)
    if (lost === undefined) return false
    run.sharedChunk = 0
    run.done = total
    appendAll(run.lost, lost)
    if (!mayRunAgain || isStopped()) return true
    for (const { first, count } of lost) this.#call(run, first, count)
    run.again += lost.length
    return true
  }

  /** Ends a run where it is; the workers stop at their next look. */
  stop({ pool, sharedChunk }: GroupRun): void {
    if (sharedChunk > 0) pool?.finish()
  }

  #startWorkersIfLong(pool: WorkerPool, expected: number): void {
    if (expected < this.#minSharedMs) return
    this.#unshared += expected
    if (this.#unshared > START_WORKERS_MS) pool.start(false)
  }

  /** Hands the rest of the groups to the workers too; false where none is ready. */
  #share(run: GroupRun, pool: WorkerPool): boolean {
    const { execution, scratch, done: first, chunk: largest } = run
    const { pipeline, descriptor, total } = execution
    const { ready } = pool
    if (ready === 0) return false
    const { bytes } = pipeline.kernel
    const codeAddress = this.#code.take(bytes.length)
    if (codeAddress === undefined) return false
    new Uint8Array(this.#memory.memory.buffer, codeAddress, bytes.length).set(bytes)
    // Small enough that no thread works long on its last groups while the others wait, and no call holds the host for long.
    const inTime = Math.floor(CALL_MS / (run.spent / first))
    const chunk = Math.max(1, Math.min(largest, inTime, Math.ceil((total - first) / (8 * (ready + 1)))))
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
    if (started) run.sharedChunk = chunk
    return started
  }

  dispose(): void {
    this.#pool?.dispose()
  }
}
