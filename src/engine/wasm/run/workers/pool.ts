import type { WasmMemory } from '../memory.ts'
import { CONTROL, CONTROL_WORDS, MAILBOX, MAILBOX_WORDS, MODULE } from './source.ts'
import { mayBlock, type SpawnedWorker, spawnWorker } from './spawn.ts'

/** The workers of an engine: shares the groups of a dispatch out and waits for them; `execution.ts` uses it. */

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

/** Work that the workers' module does, as text, and memory of their own for it, one stride for each. */
interface TextJob {
  readonly text: number
  readonly textLength: number
  readonly arenas: number
  readonly arenaLength: number
}

/** More threads than this gain nothing: they share one memory. */
const MAX_WORKERS = 63
/** How long the calling thread spins for workers that are at their last groups before it sleeps, in tests of a word. */
const SPINS = 2000
/** Longest that starting workers are waited for, where the caller asks to wait. */
const START_MS = 2000
/** Milliseconds between two looks whether workers have ended whose host has said nothing yet. */
const LOOK_MS = 5
/** A worker that does nothing for so long while it has a part in a job is lost, though no event says so. */
const SILENT_MS = 20_000

/** Groups that a worker had taken when it died or failed: they ran in part, or not at all. */
export interface LostGroups {
  readonly first: number
  readonly count: number
}

/** Workers whose pool was collected without having been disposed of would wait for ever, and hold its memory. */
const forgotten = new FinalizationRegistry<SpawnedWorker[]>((workers) => {
  for (const worker of workers) worker.terminate()
})

/** Made here, where no pool is in scope to be held on to. */
const noteEnd =
  (ended: Set<number>, index: number): (() => void) =>
  () => {
    ended.add(index)
  }

/**
 * Workers that run groups of a dispatch beside the calling thread. Groups are given out by an atomic counter.
 *
 * No job can be missed, and none be done twice:
 * - Each worker has a mailbox, a count of the jobs passed to it. It sleeps while the count is what it has done, and
 *   Atomics.wait compares and falls asleep as one step, so a count raised before the wait ends the wait at once.
 * - Only the calling thread raises counts, once a job, for workers it has seen ready; the words of the job are written
 *   before, and Atomics.store and Atomics.load order them. A worker that becomes ready meanwhile has no part in the job:
 *   nothing tells it of one.
 * - The next job is written after every worker with a part in the job has taken 1 from `remaining`, which each does last,
 *   also when the job throws, or has died; so no word of a job changes while a worker may read it.
 * - The calling thread sleeps on `remaining` with the value it saw, and for 10 ms at most; whoever makes it 0 notifies.
 */
export class WorkerPool {
  /** Until the workers are started: a pool that is disposed of must hold no memory. */
  #memory: WasmMemory | undefined
  readonly #count: number
  readonly #workers: SpawnedWorker[] = []
  /** Collected with the pool. What a registry watches is seldom collected early, and the pool holds the memory. */
  readonly #life = {}
  readonly #module: string | undefined
  readonly #packsPairs: boolean
  #words: Int32Array
  #state: 'new' | 'started' | 'disposed' = 'new'
  /** Workers that ended by themselves. The host holds on to what listens to it, so that is not the pool. */
  readonly #ended = new Set<number>()
  /** Workers that take no more jobs: they ended, failed at a job, or were silent for too long. */
  readonly #retired = new Set<number>()
  /** Workers with a part in the job that runs, and when each was last seen at work. */
  #parts: { readonly index: number; heartbeat: number; since: number }[] = []
  #chunk = 0
  #nextLook = 0

  constructor(memory: WasmMemory, count: number, module?: string, packsPairs = false) {
    this.#memory = memory
    this.#module = module
    this.#packsPairs = packsPairs
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
    return this.#state === 'started' && this.ready + this.#gone() < this.#workers.length
  }

  /** Workers that did not start, or died. */
  #gone(): number {
    for (const index of this.#ended) this.#retired.add(index)
    return this.#retired.size
  }

  /** Some workers could not be started, or died. */
  get isShort(): boolean {
    return this.#state === 'started' && (this.#gone() > 0 || this.#workers.length < this.#count)
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
    for (let index = 0; index < this.#count; index++) {
      const worker = spawnWorker(
        {
          memory: memory.memory,
          control: control.byteOffset,
          index,
          module: this.#module,
          packsPairs: this.#packsPairs,
        },
        noteEnd(this.#ended, index),
      )
      if (worker === undefined) break
      this.#workers.push(worker)
    }
    if (!wait || !mayBlock()) return
    this.#await(() => this.ready)
  }

  /** Waits until so many workers are there as were started. */
  #await(count: () => number): void {
    const end = performance.now() + START_MS
    while (count() < this.#workers.length && performance.now() < end) {
      Atomics.wait(this.#words, CONTROL.ready, Atomics.load(this.#words, CONTROL.ready), 10)
    }
  }

  /** Has ready workers load their module, which takes as long as loading the library; with `wait`, answers when they have it. */
  load(wait: boolean): void {
    if (this.#module === undefined || this.#parts.length > 0) return
    for (const i of this.#able()) {
      if (this.#mail(i, 'module') !== MODULE.absent) continue
      // It takes no job until it says so.
      Atomics.store(this.#words, this.#box(i, 'state'), 0)
      Atomics.store(this.#words, this.#box(i, 'load'), 1)
      this.#wake(i)
    }
    if (wait && mayBlock()) this.#await(() => this.ready)
  }

  /** Workers that can take a job of text now. */
  get loaded(): number {
    return this.#state === 'started' ? this.#able().filter((i) => this.#mail(i, 'module') === MODULE.loaded).length : 0
  }

  /** Whether workers have a part in a job. */
  get isBusy(): boolean {
    return this.#parts.length > 0
  }

  /** Workers that can take a job now. */
  get ready(): number {
    return this.#state === 'started' ? this.#able().length : 0
  }

  #able(): number[] {
    this.#gone()
    return this.#workers.flatMap((_, i) => (!this.#retired.has(i) && this.#mail(i, 'state') === 1 ? [i] : []))
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

  #mail(index: number, word: keyof typeof MAILBOX): number {
    return Atomics.load(this.#words, this.#box(index, word))
  }

  #wake(index: number): void {
    Atomics.add(this.#words, this.#box(index, 'jobs'), 1)
    Atomics.notify(this.#words, this.#box(index, 'jobs'))
  }

  /** Starts the job that the control block describes on workers. */
  #startParts(parts: readonly number[]): void {
    const since = performance.now()
    this.#parts = parts.map((index) => ({ index, heartbeat: this.#mail(index, 'heartbeat'), since }))
    this.#store('remaining', parts.length)
    for (const i of parts) this.#wake(i)
  }

  /** Starts a job on all ready workers; false where there are none. */
  run(job: Job): boolean {
    const parts = this.#state === 'started' && !this.isBusy ? this.#able() : []
    if (parts.length === 0) return false
    this.#chunk = job.chunk
    this.#store('text', 0)
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
    this.#startParts(parts)
    return true
  }

  /** Starts work on all workers that have their module; gives their numbers. `finish` waits for them as for groups. */
  runText(job: TextJob): readonly number[] {
    const able = this.#state === 'started' && !this.isBusy ? this.#able() : []
    const parts = able.filter((i) => this.#mail(i, 'module') === MODULE.loaded)
    if (parts.length === 0) return parts
    this.#chunk = 0
    this.#store('text', job.text)
    this.#store('textLength', job.textLength)
    this.#store('arenas', job.arenas)
    this.#store('arenaLength', job.arenaLength)
    for (const i of parts) Atomics.store(this.#words, this.#box(i, 'resultLength'), 0)
    this.#startParts(parts)
    return parts
  }

  /** Code units of what a worker's part in a job of text gave; 0 where it has not ended it. */
  resultLength(index: number): number {
    return this.#mail(index, 'resultLength')
  }

  /** Some worker with a part in the job has died, or failed at it. */
  get lostPart(): boolean {
    this.#lookForEnded(performance.now())
    return this.#parts.some(({ index }) => this.#ended.has(index) || this.#mail(index, 'failed') === 1)
  }

  /** The next groups for the calling thread, from the returned one on. */
  take(chunk: number): number {
    return Atomics.add(this.#words, CONTROL.next, chunk) >>> 0
  }

  /** Notices workers that have ended while this thread did not yield to its host, which would say so. */
  #lookForEnded(now: number): void {
    if (now < this.#nextLook) return
    this.#nextLook = now + LOOK_MS
    for (const { index } of this.#parts) {
      if (this.#workers[index]!.hasEnded(this.#mail(index, 'file'))) this.#ended.add(index)
    }
  }

  /** Whether a worker has ended its part, or never will. Notices those that do nothing for too long. */
  #isOver(part: { readonly index: number; heartbeat: number; since: number }, now: number): boolean {
    const word = (name: keyof typeof MAILBOX): number => this.#mail(part.index, name)
    if (word('finished') === word('jobs') || this.#ended.has(part.index)) return true
    const heartbeat = word('heartbeat')
    if (heartbeat !== part.heartbeat) {
      part.heartbeat = heartbeat
      part.since = now
    }
    if (now - part.since < SILENT_MS) return false
    this.#workers[part.index]!.terminate()
    this.#ended.add(part.index)
    return true
  }

  /** Takes failed and dead workers out, and answers what they had taken. */
  #settle(): LostGroups[] {
    const lost: LostGroups[] = []
    for (const { index } of this.#parts) {
      const word = (name: keyof typeof MAILBOX): number => this.#mail(index, name)
      if (word('failed') === 0 && !this.#ended.has(index)) continue
      this.#workers[index]!.terminate()
      this.#retired.add(index)
      if (word('isRunning') === 1) lost.push({ first: word('first') >>> 0, count: this.#chunk })
    }
    this.#parts = []
    return lost
  }

  /**
   * Waits until every worker is done with the job, or until `time`: undefined then. Answers the groups that were lost with
   * workers that died or failed; those take no more jobs.
   */
  finish(time = Number.POSITIVE_INFINITY): LostGroups[] | undefined {
    for (let spins = 1; this.#parts.length > 0 && this.#load('remaining') !== 0; spins++) {
      if (spins % SPINS !== 0 && (spins < SPINS || !mayBlock())) continue
      const now = performance.now()
      this.#lookForEnded(now)
      if (this.#parts.every((part) => this.#isOver(part, now))) break
      if (now >= time) return undefined
      const remaining = this.#load('remaining')
      const most = Math.min(10, Math.max(1, time - now))
      if (mayBlock() && remaining !== 0) Atomics.wait(this.#words, CONTROL.remaining, remaining, most)
    }
    return this.#settle()
  }

  dispose(): void {
    for (let i = 0; i < this.#workers.length; i++) {
      Atomics.store(this.#words, this.#box(i, 'jobs'), -1)
      Atomics.notify(this.#words, this.#box(i, 'jobs'))
    }
    for (const worker of this.#workers) worker.terminate()
    this.#workers.length = 0
    this.#parts = []
    this.#words = new Int32Array(0)
    this.#memory = undefined
    this.#state = 'disposed'
    forgotten.unregister(this.#life)
  }
}
