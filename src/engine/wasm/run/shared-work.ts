import type { SharedWork, WorkEnd, WorkInProgress, WorkThread } from '../../contract.ts'
import type { WasmMemory } from './memory.ts'
import { ReusableRange } from './reusable-range.ts'
import type { WorkerPool } from './workers/pool.ts'
import { RESULT_BYTES } from './workers/source.ts'
import { readText, writeText } from './workers/text.ts'

/** Hands work of the pipeline to the workers of an engine, and takes what they give back. */

/** Memory that each worker has for shaders, compiled kernels and results. */
const ARENA_BYTES = 3 * 1024 * 1024 + RESULT_BYTES

/**
 * Workers take a tenth of a second and more to start and to load their module: they are started when draws have run so
 * long without them that they would have paid for it.
 */
const START_WORKERS_MS = 150

export class WasmSharedWork implements SharedWork {
  readonly thread: WorkThread
  readonly sharesAll: boolean
  readonly #memory: WasmMemory
  readonly #pool: WorkerPool
  readonly #arenas: ReusableRange
  readonly #text: ReusableRange
  #unsharedMilliseconds = 0

  constructor(thread: WorkThread, memory: WasmMemory, pool: WorkerPool, sharesAll: boolean) {
    this.thread = thread
    this.sharesAll = sharesAll
    this.#memory = memory
    this.#pool = pool
    this.#arenas = new ReusableRange(memory)
    this.#text = new ReusableRange(memory)
  }

  get readyCount(): number {
    return this.#pool.isBusy ? 0 : this.#pool.loaded
  }

  addUnsharedTime(milliseconds: number): void {
    this.#unsharedMilliseconds += milliseconds
    if (this.#unsharedMilliseconds < START_WORKERS_MS) return
    this.#pool.start(false)
    this.#pool.load(false)
  }

  begin(text: string): WorkInProgress | undefined {
    const at = this.#text.take(text.length * 2)
    const arenas = this.#arenas.take(ARENA_BYTES * this.#pool.size)
    if (at === undefined || arenas === undefined) return undefined
    writeText(this.#memory.memory.buffer, at, text)
    const pool = this.#pool
    const parts = pool.runText({ text: at, textLength: text.length, arenas, arenaLength: ARENA_BYTES })
    if (parts.length === 0) return undefined
    return new TextWork(pool, { parts, arenas, memory: this.#memory })
  }
}

interface TextParts {
  readonly parts: readonly number[]
  /** Where the workers write what they answer. */
  readonly arenas: number
  readonly memory: WasmMemory
}

/** Workers that carry out a text, each with an answer of its own. */
class TextWork implements WorkInProgress {
  readonly threadCount: number
  readonly #pool: WorkerPool
  readonly #o: TextParts

  constructor(pool: WorkerPool, o: TextParts) {
    this.threadCount = o.parts.length
    this.#pool = pool
    this.#o = o
  }

  get isShort(): boolean {
    return this.#pool.lostPart
  }

  end(time: number): WorkEnd | undefined {
    if (this.#pool.finish(time) === undefined) return undefined
    const texts = this.#texts()
    return { texts, lostCount: this.#o.parts.length - texts.length }
  }

  #texts(): string[] {
    const { parts, arenas, memory } = this.#o
    return parts.flatMap((index) => {
      const length = this.#pool.resultLength(index)
      return length === 0 ? [] : [readText(memory.memory.buffer, arenas + index * ARENA_BYTES, length)]
    })
  }
}
