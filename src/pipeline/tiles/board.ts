/**
 * Where the threads of a draw meet: words of the memory that they share, read and written as atomics.
 *
 * The calling thread publishes chunks of primitives, numbered from 1, in a ring of slots. Tiles of a chunk are taken one by
 * one. A tile of a chunk begins when the same tile of the chunk before it that has the tile is done: so a tile has one
 * thread at a time, and its primitives keep their order, whatever thread runs which.
 */

/** Slots of chunks, of which the oldest is filled again when all its tiles are done. */
export const RING = 8
export const MAX_TILES = 1024

const STOP = 0
const PUBLISHED = 1
const ENDED = 2
/** Counts tiles that are done; and what threads that have nothing to do wait for: chunks, the end, a stop. */
const CHANGES = 3
const SIGNALS = 4
const SLOTS = 16
const SLOT_WORDS = 16
/** Words of a slot: the number of the chunk with the tile that is taken next, tiles, and tiles that are not done. */
const CURSOR = 0
const TOTAL = 1
const REMAINING = 2
const DONE = SLOTS + RING * SLOT_WORDS

export const BOARD_WORDS = DONE + MAX_TILES

/** A cursor is the low bits of the chunk's number above the tile's: one that is behind takes nothing of a slot filled anew. */
const INDEX_BITS = 11
const INDEX_MASK = (1 << INDEX_BITS) - 1
const cursorOf = (chunk: number): number => (chunk << INDEX_BITS) | 0

/** Longest sleep, in milliseconds: a thread that waits wakes so often to show that it runs. */
const MOST_SLEEP = 50

export class Board {
  readonly #words: Int32Array
  readonly #sleeps: boolean

  constructor(words: Int32Array) {
    this.#words = words
    this.#sleeps = maySleep(words)
  }

  clear(): void {
    this.#words.fill(0)
  }

  get isStopped(): boolean {
    return Atomics.load(this.#words, STOP) !== 0
  }

  /** Ends the draw for all threads as soon as they look. */
  stop(): void {
    Atomics.store(this.#words, STOP, 1)
    this.#wakeAll()
  }

  get published(): number {
    return Atomics.load(this.#words, PUBLISHED)
  }

  get isEnded(): boolean {
    return Atomics.load(this.#words, ENDED) !== 0
  }

  /** Nothing more is published. */
  end(): void {
    Atomics.store(this.#words, ENDED, 1)
    this.#wakeAll()
  }

  #wakeAll(): void {
    Atomics.add(this.#words, SIGNALS, 1)
    Atomics.notify(this.#words, SIGNALS)
  }

  /** Changes with every chunk, and at the end. */
  get signal(): number {
    return Atomics.load(this.#words, SIGNALS)
  }

  /** Waits a while, unless the signal is another by now. */
  awaitSignal(seen: number): void {
    if (this.#sleeps) Atomics.wait(this.#words, SIGNALS, seen, MOST_SLEEP)
  }

  #slot(chunk: number): number {
    return SLOTS + ((chunk - 1) % RING) * SLOT_WORDS
  }

  /** Publishes the next chunk, of so many tiles: its slot has been filled. */
  publish(tileCount: number): void {
    const chunk = this.published + 1
    const slot = this.#slot(chunk)
    Atomics.store(this.#words, slot + TOTAL, tileCount)
    Atomics.store(this.#words, slot + REMAINING, tileCount)
    Atomics.store(this.#words, slot + CURSOR, cursorOf(chunk))
    Atomics.store(this.#words, PUBLISHED, chunk)
    this.#wakeAll()
  }

  /** Whether the slot of the next chunk may be filled. */
  get hasFreeSlot(): boolean {
    return Atomics.load(this.#words, this.#slot(this.published + 1) + REMAINING) === 0
  }

  /** Whether every tile that was published is done. */
  get isDone(): boolean {
    for (let n = 0; n < RING; n++) {
      if (Atomics.load(this.#words, SLOTS + n * SLOT_WORDS + REMAINING) !== 0) return false
    }
    return true
  }

  /** Takes a tile of a chunk: its place in the list of the chunk's tiles, -1 where all are taken. */
  take(chunk: number): number {
    const at = this.#slot(chunk) + CURSOR
    for (;;) {
      const cursor = Atomics.load(this.#words, at)
      const index = cursor & INDEX_MASK
      const isOther = ((cursor ^ cursorOf(chunk)) & ~INDEX_MASK) !== 0
      if (isOther || index >= Atomics.load(this.#words, at - CURSOR + TOTAL)) return -1
      if (Atomics.compareExchange(this.#words, at, cursor, cursor + 1) === cursor) return index
    }
  }

  /** Whether a tile of a chunk is done, and so of all chunks before it. */
  isTileDone(tile: number, chunk: number): boolean {
    return Atomics.load(this.#words, DONE + tile) >= chunk
  }

  setTileDone(tile: number, chunk: number): void {
    Atomics.store(this.#words, DONE + tile, chunk)
    Atomics.notify(this.#words, DONE + tile)
    Atomics.sub(this.#words, this.#slot(chunk) + REMAINING, 1)
    Atomics.add(this.#words, CHANGES, 1)
    Atomics.notify(this.#words, CHANGES)
  }

  /** Waits a while for a tile of a chunk that another thread runs. */
  awaitTile(tile: number, chunk: number): void {
    const seen = Atomics.load(this.#words, DONE + tile)
    if (this.#sleeps && seen < chunk) Atomics.wait(this.#words, DONE + tile, seen, 1)
  }

  /** Waits a while for another thread to end a tile. */
  awaitChange(milliseconds: number): void {
    const seen = Atomics.load(this.#words, CHANGES)
    if (this.#sleeps && !this.isDone) Atomics.wait(this.#words, CHANGES, seen, milliseconds)
  }
}

/** Whether this thread may block: that of a page may not. */
function maySleep(words: Int32Array): boolean {
  try {
    Atomics.wait(words, STOP, -1, 0)
    return true
  } catch {
    return false
  }
}
