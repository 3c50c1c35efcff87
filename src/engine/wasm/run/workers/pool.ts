import type { WasmMemory } from '../memory.ts'
import { CONTROL, CONTROL_WORDS, MAILBOX, MAILBOX_WORDS } from './source.ts'
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

/** More threads than this gain nothing: they share one memory. */
const MAX_WORKERS = 63
/** How long the calling thread spins for workers that are at their last groups before it sleeps, in tests of a word. */
const SPINS = 2000
/** Longest that starting workers are waited for, where the caller asks to wait. */
const START_MS = 2000
/** A worker that takes no groups and does not end for so long is lost (its thread died): the dispatch fails, not hangs. */
const GIVE_UP_MS = 120_000

/** Workers whose pool was collected without having been disposed of would wait for ever, and hold its memory. */
const forgotten = new FinalizationRegistry<SpawnedWorker[]>((workers) => {
  for (const worker of workers) worker.terminate()
})

/** Made here, where no pool is in scope to be held on to. */
const failureCounter =
  (failures: { count: number }): (() => void) =>
  () => {
    failures.count++
  }

/**
 * Workers that run groups of a dispatch beside the calling thread. Groups are handed out by an atomic counter.
 *
 * No job can be missed, and none be done twice:
 * - Each worker has a mailbox, a count of the jobs handed to it. It sleeps while the count is what it has done, and
 *   Atomics.wait compares and falls asleep as one step, so a count raised before the wait ends the wait at once.
 * - Only the calling thread raises counts, once a job, for workers it has seen ready; the words of the job are written
 *   before, and Atomics.store and Atomics.load order them. A worker that becomes ready meanwhile has no part in the job:
 *   nothing tells it of one.
 * - The next job is written after `remaining` has come down to 0. Every worker with a part in the job takes 1 from it as
 *   its last deed of the job, also when the job throws; so no word of a job changes while anybody may read it.
 * - The calling thread sleeps on `remaining` with the value it saw, and for 10 ms at most; whoever makes it 0 notifies.
 */
export class WorkerPool {
  /** Until the workers are started: a pool that is disposed of must hold no memory. */
  #memory: WasmMemory | undefined
  readonly #count: number
  readonly #workers: SpawnedWorker[] = []
  /** Collected with the pool. What a registry watches is seldom collected early, and the pool holds the memory. */
  readonly #life = {}
  #words: Int32Array
  #state: 'new' | 'started' | 'lost' = 'new'
  /** Workers that ended by themselves. The host holds on to whoever is told of it, so that is not the pool. */
  readonly #failures = { count: 0 }

  constructor(memory: WasmMemory, count: number) {
    this.#memory = memory
    this.#count = Math.min(count, MAX_WORKERS)
    this.#words = new Int32Array(0)
    forgotten.register(this.#life, this.#workers, this.#life)
  }

  /** Workers there are once they are started. */
  get size(): number {
    return this.#count
  }

  /** Some workers were started and are not there yet. */
  get isStarting(): boolean {
    return this.#state === 'started' && this.ready + this.#failures.count < this.#workers.length
  }

  /** Some workers could not be started. */
  get isShort(): boolean {
    return this.#state === 'started' && (this.#failures.count > 0 || this.#workers.length < this.#count)
  }

  /** Starts the workers, which takes them tens of milliseconds; with `wait`, answers when they are ready. */
  start(wait: boolean): void {
    const memory = this.#memory
    if (this.#state !== 'new' || memory === undefined) return
    this.#state = 'started'
    this.#memory = undefined
    const wordCount = CONTROL_WORDS + MAILBOX_WORDS * this.#count
    const control = memory.allocate(wordCount * 4)
    if (control === undefined) return
    this.#words = new Int32Array(control.buffer, control.byteOffset, wordCount)
    const onFailure = failureCounter(this.#failures)
    for (let index = 0; index < this.#count; index++) {
      const worker = spawnWorker({ memory: memory.memory, control: control.byteOffset, index }, onFailure)
      if (worker === undefined) break
      this.#workers.push(worker)
    }
    if (!wait || !mayBlock()) return
    const end = performance.now() + START_MS
    for (let now = this.ready; now < this.#workers.length && performance.now() < end; now = this.ready) {
      Atomics.wait(this.#words, CONTROL.ready, now, 50)
    }
  }

  /** Workers that can take a job now. */
  get ready(): number {
    return this.#state === 'started' && this.#workers.length > 0 ? this.#load('ready') : 0
  }

  #load(word: keyof typeof CONTROL): number {
    return Atomics.load(this.#words, CONTROL[word])
  }
  #store(word: keyof typeof CONTROL, value: number): void {
    Atomics.store(this.#words, CONTROL[word], value | 0)
  }
  #box(index: number, word: keyof typeof MAILBOX): number {
    return CONTROL_WORDS + MAILBOX_WORDS * index + MAILBOX[word]
  }

  /** Hands a job to all ready workers; answers false where there are none. */
  run(job: Job): boolean {
    if (this.ready === 0) return false
    const parts = this.#workers.map((_, i) => i).filter((i) => Atomics.load(this.#words, this.#box(i, 'state')) === 1)
    if (parts.length === 0) return false
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
    this.#store('remaining', parts.length)
    for (const i of parts) {
      Atomics.add(this.#words, this.#box(i, 'jobs'), 1)
      Atomics.notify(this.#words, this.#box(i, 'jobs'))
    }
    return true
  }

  /** The next groups for the calling thread, from the returned one on. */
  take(chunk: number): number {
    return Atomics.add(this.#words, CONTROL.next, chunk) >>> 0
  }

  /**
   * Waits until every worker is done with the job; answers whether all went well. After a worker was lost the pool has
   * none any more, for what it may still do to the memory is not known.
   */
  finish(): boolean {
    let next = this.#load('next')
    let since = performance.now()
    for (let spins = 1; this.#load('remaining') !== 0; spins++) {
      if (spins % SPINS !== 0 && (spins < SPINS || !mayBlock())) continue
      const now = performance.now()
      if (this.#load('next') !== next) {
        next = this.#load('next')
        since = now
      } else if (now - since > GIVE_UP_MS) {
        this.#lose()
        return false
      }
      const remaining = this.#load('remaining')
      if (mayBlock() && remaining !== 0) Atomics.wait(this.#words, CONTROL.remaining, remaining, 10)
    }
    return this.#load('failed') === 0
  }

  #lose(): void {
    for (const worker of this.#workers) worker.terminate()
    this.#workers.length = 0
    this.#words = new Int32Array(0)
    this.#memory = undefined
    this.#state = 'lost'
  }

  dispose(): void {
    for (let i = 0; i < this.#workers.length; i++) {
      Atomics.store(this.#words, this.#box(i, 'jobs'), -1)
      Atomics.notify(this.#words, this.#box(i, 'jobs'))
    }
    this.#lose()
    forgotten.unregister(this.#life)
  }
}
