import type { WasmMemory } from '../memory.ts'
import { CONTROL, CONTROL_WORDS } from './source.ts'
import { mayBlock, type SpawnedWorker, spawnWorker } from './spawn.ts'

/** Groups to run, and the code that runs them. */
export interface Job {
  readonly pipeline: number
  readonly codeAddress: number
  readonly codeLength: number
  readonly descriptor: number
  readonly first: number
  readonly total: number
  readonly chunk: number
  /** Scratch memory: one stride for the calling thread, then one for each worker. */
  readonly scratch: number
  readonly scratchStride: number
  readonly stopWord: number
}

/** As many workers as one word has bits, without its sign. */
const MAX_WORKERS = 30
/** How long the calling thread spins for workers that are at their last groups before it sleeps, in tests of a word. */
const SPINS = 2000

/** A worker that takes no groups and does not end for so long is lost (its thread died): the dispatch fails, not hangs. */
const GIVE_UP_MS = 120_000

/** Workers that run groups of a dispatch beside the calling thread. Groups are handed out by an atomic counter. */
export class WorkerPool {
  readonly #words: Int32Array
  readonly #workers: SpawnedWorker[] = []
  #waited = false

  constructor(memory: WasmMemory, count: number) {
    const control = memory.allocate(CONTROL_WORDS * 4)!
    this.#words = new Int32Array(control.buffer, control.byteOffset, CONTROL_WORDS)
    for (let index = 0; index < Math.min(count, MAX_WORKERS); index++) {
      const worker = spawnWorker({ memory: memory.memory, control: control.byteOffset, index })
      if (worker === undefined) break
      this.#workers.push(worker)
    }
  }

  get size(): number {
    return this.#workers.length
  }

  /** Bits of the workers that can take a job now. */
  get ready(): number {
    if (!this.#waited && this.#workers.length > 0 && mayBlock()) {
      // Once: starting takes tens of milliseconds, and the first long dispatch should have its workers.
      this.#waited = true
      const all = 2 ** this.#workers.length - 1
      const end = Date.now() + 1000
      for (let now = this.#load('ready'); now !== all && Date.now() < end; now = this.#load('ready')) {
        Atomics.wait(this.#words, CONTROL.ready, now, 50)
      }
    }
    return this.#load('ready')
  }

  #load(word: keyof typeof CONTROL): number {
    return Atomics.load(this.#words, CONTROL[word])
  }
  #store(word: keyof typeof CONTROL, value: number): void {
    Atomics.store(this.#words, CONTROL[word], value | 0)
  }

  /** Hands a job to all ready workers; answers false where there are none. */
  start(job: Job): boolean {
    const participants = this.ready
    if (participants === 0) return false
    let count = 0
    for (let bits = participants; bits !== 0; bits &= bits - 1) count++
    this.#store('pipeline', job.pipeline)
    this.#store('codeAddress', job.codeAddress)
    this.#store('codeLength', job.codeLength)
    this.#store('descriptor', job.descriptor)
    this.#store('next', job.first)
    this.#store('total', job.total)
    this.#store('chunk', job.chunk)
    this.#store('scratch', job.scratch)
    this.#store('scratchStride', job.scratchStride)
    this.#store('stopWord', job.stopWord)
    this.#store('failed', 0)
    this.#store('participants', participants)
    this.#store('remaining', count)
    Atomics.add(this.#words, CONTROL.generation, 1)
    Atomics.notify(this.#words, CONTROL.generation)
    return true
  }

  /** The next groups for the calling thread, from the returned one on. */
  take(chunk: number): number {
    return Atomics.add(this.#words, CONTROL.next, chunk) >>> 0
  }

  /** Waits until every worker is done with the job; answers whether all went well. */
  finish(): boolean {
    let lastTaken = Date.now()
    let next = this.#load('next')
    for (let spins = 0; this.#load('remaining') !== 0; spins++) {
      if (spins < SPINS || !mayBlock()) continue
      if (this.#load('next') !== next) {
        next = this.#load('next')
        lastTaken = Date.now()
      } else if (Date.now() - lastTaken > GIVE_UP_MS) return false
      Atomics.wait(this.#words, CONTROL.remaining, this.#load('remaining'), 10)
    }
    return this.#load('failed') === 0
  }

  dispose(): void {
    this.#store('exit', 1)
    Atomics.add(this.#words, CONTROL.generation, 1)
    Atomics.notify(this.#words, CONTROL.generation)
    for (const worker of this.#workers) worker.terminate()
    this.#workers.length = 0
  }
}
