import { Area } from './area.ts'
import { HEADER } from './emitter.ts'
import type { WasmMemory } from './memory.ts'
import type { Pipeline } from './pipeline.ts'
import { WorkerPool } from './workers/pool.ts'

/** Waking workers takes tens of microseconds: what is over sooner runs where it is. */
const WORTH_SHARING_MS = 0.1

/** Threads that one call of the code runs at most: short calls let V8 replace its quick first code by optimised code. */
const CHUNK_THREADS = 16384

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

/** Runs the groups of dispatches, on the calling thread and on workers. */
export class Executor {
  readonly #memory: WasmMemory
  readonly #pool: WorkerPool | undefined
  readonly #scratch: Area
  readonly #code: Area

  /** `threads` run groups, the calling one included. */
  constructor(memory: WasmMemory, threads: number) {
    this.#memory = memory
    this.#scratch = new Area(memory)
    this.#code = new Area(memory)
    const workers = Math.floor(threads) - 1
    this.#pool = workers > 0 ? new WorkerPool(memory, workers) : undefined
  }

  /** Workers beside the calling thread. */
  get workerCount(): number {
    return this.#pool?.size ?? 0
  }

  /** Makes room for what the code needs beside its descriptor; undefined where there is none. May grow the memory. */
  reserve(pipeline: Pipeline): number | undefined {
    return this.#scratch.take(pipeline.kernel.scratchByteLength * (1 + this.workerCount))
  }

  /** Runs all groups: on this thread alone while that is quick, then with the workers. False where a worker failed. */
  run(execution: Execution, scratch: number): boolean {
    const { pipeline, descriptor, total, isStopped } = execution
    const chunk = Math.max(1, Math.floor(CHUNK_THREADS / execution.threadCount))
    const isShared = this.#pool !== undefined && !pipeline.kernel.callsHost
    const run = (first: number, count: number): void =>
      pipeline.run(descriptor, first, Math.min(first + count, total), scratch)
    let done = 0
    const begin = performance.now()
    while (done < total && !isStopped()) {
      // The first groups tell how long the rest takes; they are few, since the workers idle meanwhile.
      const count = done === 0 && isShared ? Math.max(1, Math.min(chunk >> 3, total >> 6)) : chunk
      run(done, count)
      done += count
      if (!isShared || done >= total) continue
      const expected = ((performance.now() - begin) / done) * (total - done)
      if (expected > WORTH_SHARING_MS && this.#share(execution, scratch, done, chunk, run)) return this.#pool!.finish()
    }
    return true
  }

  /** Runs the rest of the groups together with the workers; false where none is ready. */
  #share(
    execution: Execution,
    scratch: number,
    first: number,
    largest: number,
    run: (first: number, count: number) => void,
  ): boolean {
    const { pipeline, descriptor, total, isStopped } = execution
    const pool = this.#pool!
    const { bytes } = pipeline.kernel
    const codeAddress = this.#code.take(bytes.length)
    if (codeAddress === undefined) return false
    new Uint8Array(this.#memory.memory.buffer, codeAddress, bytes.length).set(bytes)
    // Small enough that no thread works long on its last groups while the others wait.
    const chunk = Math.max(1, Math.min(largest, Math.ceil((total - first) / (8 * (pool.size + 1)))))
    const started = pool.start({
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
    for (let at = pool.take(chunk); at < total && !isStopped(); at = pool.take(chunk)) run(at, chunk)
    return true
  }

  dispose(): void {
    this.#pool?.dispose()
  }
}
