import { MOST_SHARES, RECORD, RECORD_WORDS } from '../raster/index.ts'
import { type ChunkWords, MAX_TILES } from './chunk.ts'

/**
 * Where the threads of a draw meet: words of the memory that they share, read and written as atomics.
 *
 * Chunks of primitives are published one after the other, numbered from 1, by one thread at a time; each lies in a slot. Tiles of a
 * chunk are taken one by one, from the first on or from the last back, or by a thread that has had the tile in the chunk before. A tile of a chunk begins when the
 * same tile of the chunk before it that has the tile is done: so a tile has one thread at a time, and its primitives keep their order, whatever thread runs which. A slot is free again when all tiles of
 * its chunk are done. Chunks of triangles that have not been set up have shares of the targets' rows in place of tiles: each share goes
 * through all chunks in their order, in one thread at a time.
 */

/** Slots of chunks where few threads share a draw, and those that others have beside one for each thread. */
const USUAL_SLOTS = 8
const SPARE_SLOTS = 4
const MAX_SLOTS = 72

/** Slots for so many threads. */
export const slotCountFor = (threadCount: number): number =>
  Math.min(MAX_SLOTS, Math.max(USUAL_SLOTS, threadCount + SPARE_SLOTS))

const STOP = 0
const PUBLISHED = 1
const ENDED = 2
/**
 * What threads that have nothing to do wait for: signals are chunks, slots, turns of parts, the end, a stop; changes are these and
 * tiles that are done.
 */
const CHANGES = 3
const SIGNALS = 4
/** How many slots are free. */
const FREE = 5
/** Primitives of the chunks that were published. */
const SEQUENCE = 6
/** Not 0 once a thread of the draw has died. */
const LOST_THREAD = 7
/** Threads that have numbers. */
const MEMBERS = 8
/** How many threads sleep until a change or a signal: to wake threads is a call of the system, which is left out where none sleeps. */
const CHANGE_SLEEPERS = 9
const SIGNAL_SLEEPERS = 10
/** 1 until threads may begin. */
const HELD = 11
const SLOTS = 16
const SLOT_WORDS = 16
/**
 * Words of a slot: the number of the chunk with the place that is looked at next, tiles, what is not done, whether it is taken, the chunk's
 * number, and the cursor of those who come from the last tile.
 */
const CURSOR = 0
const TOTAL = 1
const REMAINING = 2
const TAKEN = 3
const CHUNK = 4
const BACK_CURSOR = 5
/** The cursor of those who come from the first tile, or from the last. */
type Side = typeof CURSOR | typeof BACK_CURSOR
const DONE = SLOTS + MAX_SLOTS * SLOT_WORDS
/** By tile the last chunk that has it. */
const LAST_CHUNK = DONE + MAX_TILES
/** The slot of the last chunk whose number has these low bits: a chunk with one slow tile may still have a slot when the next such chunk comes. */
const SLOT_OF = LAST_CHUNK + MAX_TILES
const SLOT_OF_LENGTH = 128

/** By slot a bit for each tile of its chunk that is taken. */
const TAKEN_TILES = SLOT_OF + SLOT_OF_LENGTH
const TAKEN_WORDS = MAX_TILES / 32

/** By share of rows, each in a line of its own of the cache: twice the chunk that comes next, and 1 more where a thread has it. */
const SHARES = TAKEN_TILES + MAX_SLOTS * TAKEN_WORDS
const SHARE_WORDS = 16

export const BOARD_WORDS = SHARES + MOST_SHARES * SHARE_WORDS

/** A cursor is the low bits of the chunk's number above the place: one that is behind takes nothing of a slot filled anew. */
const INDEX_BITS = 11
const INDEX_MASK = (1 << INDEX_BITS) - 1
const cursorOf = (chunk: number): number => (chunk << INDEX_BITS) | 0
/** The cursor of a slot that is being filled: chunks are numbered from 1. */
const NO_CHUNK = 0

/** Longest sleep, in milliseconds: a thread that waits wakes so often to show that it runs. */
const MOST_SLEEP = 50
/** How long a thread looks again and again before it sleeps, in milliseconds: to sleep and to be woken takes as long. */
const SPIN_MS = 0.05
/** Looks between two looks at the clock. */
const LOOKS = 64

export class Board {
  readonly #words: Int32Array
  readonly #sleeps: boolean
  readonly slotCount: number

  constructor(words: Int32Array, slotCount: number) {
    this.#words = words
    this.#sleeps = maySleep(words)
    this.slotCount = slotCount
  }

  clear(): void {
    this.#words.fill(0)
    this.#words[FREE] = this.slotCount
    for (let share = 0; share < MOST_SHARES; share++) this.#words[SHARES + share * SHARE_WORDS] = 2
  }

  get isStopped(): boolean {
    return Atomics.load(this.#words, STOP) !== 0
  }

  /** Threads that come do not begin yet. */
  hold(): void {
    Atomics.store(this.#words, HELD, 1)
  }

  /** They may begin, or have been stopped. */
  letGo(): void {
    Atomics.store(this.#words, HELD, 0)
    this.#wakeAll()
  }

  /** Waits while threads may not begin; false after a while, or where the draw is stopped. */
  awaitBegin(): boolean {
    const { signal } = this
    if (Atomics.load(this.#words, HELD) === 0) return true
    if (!this.isStopped) this.awaitSignal(signal)
    return Atomics.load(this.#words, HELD) === 0
  }

  /** Ends the draw for all threads as soon as they look. */
  stop(): void {
    Atomics.store(this.#words, STOP, 1)
    this.#wakeAll()
  }

  /** A thread has died: the tiles and parts that it had taken stay undone, and the other threads no longer wait for them. */
  get hasLostThread(): boolean {
    return Atomics.load(this.#words, LOST_THREAD) !== 0
  }

  /** Tells all threads that one has died; only the thread that started them can see it. */
  setLostThread(): void {
    if (Atomics.exchange(this.#words, LOST_THREAD, 1) === 0) this.#wakeAll()
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

  /** Tells threads that wait for a signal, or for any change. */
  #wakeAll(): void {
    this.#note(SIGNALS, SIGNAL_SLEEPERS)
    this.#note(CHANGES, CHANGE_SLEEPERS)
  }

  /** A thread that comes to sleep from here on sees the new number first. */
  #note(word: number, sleepers: number): void {
    Atomics.add(this.#words, word, 1)
    if (Atomics.load(this.#words, sleepers) !== 0) Atomics.notify(this.#words, word)
  }

  /** The turn of a part has come. */
  signalTurn(): void {
    this.#wakeAll()
  }

  /** What `awaitSignal` waits to see change: it is read before a look at what there is to do. */
  get signal(): number {
    return Atomics.load(this.#words, SIGNALS)
  }

  /** The same for `awaitChange`. */
  get changes(): number {
    return Atomics.load(this.#words, CHANGES)
  }

  /** Waits a while for a chunk, a free slot, the turn of a part, the end or a stop, unless one has come since the signal was read. */
  awaitSignal(seen: number): void {
    this.#await(SIGNALS, SIGNAL_SLEEPERS, seen, MOST_SLEEP)
  }

  /** Waits a while for any of these or a tile that is done, unless one has come since. */
  awaitChange(seen: number, milliseconds = MOST_SLEEP): void {
    this.#await(CHANGES, CHANGE_SLEEPERS, seen, milliseconds)
  }

  #await(word: number, sleepers: number, seen: number, milliseconds: number): void {
    const w = this.#words
    for (const end = performance.now() + SPIN_MS; performance.now() < end; ) {
      for (let n = 0; n < LOOKS; n++) if (Atomics.load(w, word) !== seen) return
    }
    if (!this.#sleeps) return
    Atomics.add(w, sleepers, 1)
    Atomics.wait(w, word, seen, milliseconds)
    Atomics.sub(w, sleepers, 1)
  }

  /** The slot of a chunk that is not done; of another one any slot. */
  slotOf(chunk: number): number {
    const likely = Atomics.load(this.#words, SLOT_OF + (chunk % SLOT_OF_LENGTH))
    if (this.#chunkIn(likely) === chunk) return likely
    for (let n = 0; n < this.slotCount; n++) if (this.#chunkIn(n) === chunk) return n
    return likely
  }

  /** The chunk that was published last in a slot. */
  #chunkIn(n: number): number {
    return Atomics.load(this.#words, SLOTS + n * SLOT_WORDS + CHUNK)
  }

  #slot(chunk: number): number {
    return SLOTS + this.slotOf(chunk) * SLOT_WORDS
  }

  /** Takes a free slot, where more than `kept` are free; -1 otherwise. */
  claimSlot(kept = 0): number {
    const w = this.#words
    for (;;) {
      const free = Atomics.load(w, FREE)
      if (free <= kept) return -1
      if (Atomics.compareExchange(w, FREE, free, free - 1) === free) break
    }
    for (let n = 0; ; n = (n + 1) % this.slotCount) {
      if (Atomics.compareExchange(w, SLOTS + n * SLOT_WORDS + TAKEN, 0, 1) === 0) return n
    }
  }

  /** Whether a slot could be claimed. */
  hasFreeSlot(kept = 0): boolean {
    return Atomics.load(this.#words, FREE) > kept
  }

  releaseSlot(n: number): void {
    Atomics.store(this.#words, SLOTS + n * SLOT_WORDS + TAKEN, 0)
    Atomics.add(this.#words, FREE, 1)
    this.#wakeAll()
  }

  /** Publishes what lies in a slot as the next chunk, of so many tiles and primitives; one thread at a time. */
  publish(n: number, chunk: ChunkWords, tileCount: number, primitiveCount: number): void {
    const w = this.#words
    const first = w[SEQUENCE]!
    w[SEQUENCE] = first + primitiveCount
    if (tileCount === 0) {
      this.releaseSlot(n)
      return
    }
    const serial = this.published + 1
    const { tiles, before, primitives } = chunk
    for (let i = 0; i < tileCount; i++) {
      const tile = tiles[i]!
      before[tile] = w[LAST_CHUNK + tile]!
      w[LAST_CHUNK + tile] = serial
    }
    const taken = TAKEN_TILES + n * TAKEN_WORDS
    w.fill(0, taken, taken + TAKEN_WORDS)
    for (let i = 0, at: number = RECORD.sequence; i < primitiveCount; i++, at += RECORD_WORDS)
      primitives[at] = first + i
    // Each tile is done, and its place is behind both cursors in the end.
    this.#publish(n, serial, tileCount, 3 * tileCount)
  }

  /** Publishes a chunk for shares of rows, so many, as the next one; one thread at a time. */
  publishShares(n: number, shareCount: number): void {
    if (shareCount === 0) this.releaseSlot(n)
    else this.#publish(n, this.published + 1, shareCount, shareCount)
  }

  #publish(n: number, serial: number, total: number, remaining: number): void {
    const w = this.#words
    Atomics.store(w, SLOT_OF + (serial % SLOT_OF_LENGTH), n)
    const slot = SLOTS + n * SLOT_WORDS
    // A thread that still looks at the chunk before must not take a place of this one for a place of that.
    Atomics.store(w, slot + CURSOR, NO_CHUNK)
    Atomics.store(w, slot + BACK_CURSOR, NO_CHUNK)
    Atomics.store(w, slot + CHUNK, serial)
    Atomics.store(w, slot + TOTAL, total)
    Atomics.store(w, slot + REMAINING, remaining)
    Atomics.store(w, slot + BACK_CURSOR, cursorOf(serial))
    Atomics.store(w, slot + CURSOR, cursorOf(serial))
    Atomics.store(w, PUBLISHED, serial)
    this.#wakeAll()
  }

  /** Whether every tile that was published is done. */
  get isDone(): boolean {
    for (let n = 0; n < this.slotCount; n++) {
      if (Atomics.load(this.#words, SLOTS + n * SLOT_WORDS + REMAINING) !== 0) return false
    }
    return true
  }

  /**
   * Takes the next of a chunk's tiles that is not taken, from the first on or, `fromEnd`, from the last back; -1 where there is none. A thread
   * that always comes from the same side has about the same tiles of all chunks.
   */
  take(chunk: number, { tiles }: ChunkWords, fromEnd = false): number {
    let tile = this.#takeFrom(chunk, tiles, fromEnd ? BACK_CURSOR : CURSOR)
    if (tile < 0) tile = this.#takeFrom(chunk, tiles, fromEnd ? CURSOR : BACK_CURSOR)
    if (tile >= 0) this.#endCursors(chunk)
    return tile
  }

  /** Where both sides have met, each has come to what the other had. The chunk has a tile that this thread has taken. */
  #endCursors(chunk: number): void {
    const slot = this.#slot(chunk)
    const placeOf = (side: number): number => Atomics.load(this.#words, slot + side) & INDEX_MASK
    if (placeOf(CURSOR) + placeOf(BACK_CURSOR) < Atomics.load(this.#words, slot + TOTAL)) return
    this.#look(chunk, CURSOR)
    this.#look(chunk, BACK_CURSOR)
  }

  #takeFrom(chunk: number, tiles: Int32Array, side: Side): number {
    for (let place = this.#look(chunk, side); place >= 0; place = this.#look(chunk, side)) {
      const tile = tiles[place]!
      const isTaken = this.claimTile(chunk, tile)
      this.#countDown(chunk)
      if (isTaken) return tile
    }
    return -1
  }

  /** The next place in the list of a chunk's tiles from a side, -1 behind the last. The chunk stays in its slot until it is counted down. */
  #look(chunk: number, side: Side): number {
    const w = this.#words
    const slot = this.#slot(chunk)
    const otherSide = side === CURSOR ? BACK_CURSOR : CURSOR
    for (;;) {
      const cursor = Atomics.load(w, slot + side)
      const index = cursor & INDEX_MASK
      const total = Atomics.load(w, slot + TOTAL)
      const isOther = ((cursor ^ cursorOf(chunk)) & ~INDEX_MASK) !== 0
      if (isOther || index >= total) return -1
      // What the other side has come to needs no second look.
      const seen = Atomics.load(w, slot + otherSide) & INDEX_MASK
      const isSeen = index + seen >= total
      const next = isSeen ? cursorOf(chunk) | total : cursor + 1
      if (Atomics.compareExchange(w, slot + side, cursor, next) !== cursor) continue
      if (!isSeen) return side === CURSOR ? index : total - 1 - index
      this.#countDown(chunk, total - index)
      return -1
    }
  }

  /** Takes a tile of a chunk that is not done; false where it is taken. */
  claimTile(chunk: number, tile: number): boolean {
    const at = TAKEN_TILES + this.slotOf(chunk) * TAKEN_WORDS + (tile >> 5)
    const bit = 1 << (tile & 31)
    return (Atomics.or(this.#words, at, bit) & bit) === 0
  }

  /** Whether a chunk that was published is not done: what was read of its slot before is of this chunk. */
  isInSlot(chunk: number): boolean {
    const slot = this.#slot(chunk)
    // In this order: what is left of another chunk is written after the cursor of this one is gone.
    if (Atomics.load(this.#words, slot + REMAINING) === 0) return false
    return ((Atomics.load(this.#words, slot + CURSOR) ^ cursorOf(chunk)) & ~INDEX_MASK) === 0
  }

  /** The chunk that a share comes to next, where it has been published and no thread has it: 0 otherwise. */
  nextOfShare(share: number): number {
    const word = Atomics.load(this.#words, SHARES + share * SHARE_WORDS)
    const chunk = word >> 1
    return (word & 1) === 0 && chunk <= this.published ? chunk : 0
  }

  /** Takes the next chunk of a share: 0 where there is none now. */
  takeShare(share: number): number {
    const chunk = this.nextOfShare(share)
    const at = SHARES + share * SHARE_WORDS
    return chunk > 0 && Atomics.compareExchange(this.#words, at, chunk * 2, chunk * 2 + 1) === chunk * 2 ? chunk : 0
  }

  /** Whether a share is done with all chunks that have been published. */
  isShareDone(share: number): boolean {
    return Atomics.load(this.#words, SHARES + share * SHARE_WORDS) >> 1 > this.published
  }

  /** Goes on with the chunk behind the last that was taken of a share, which may not be done: 0 where there is none now. */
  keepShare(share: number, chunk: number): number {
    if (chunk >= this.published) return 0
    Atomics.store(this.#words, SHARES + share * SHARE_WORDS, chunk * 2 + 3)
    return chunk + 1
  }

  setShareDone(share: number, chunk: number): void {
    const at = SHARES + share * SHARE_WORDS
    // Unless its thread has gone on.
    Atomics.compareExchange(this.#words, at, chunk * 2 + 1, chunk * 2 + 2)
    this.#setDone(chunk)
  }

  /** A number for a thread that has a share, from 0 on. */
  join(): number {
    return Atomics.add(this.#words, MEMBERS, 1)
  }

  /** Whether a tile of a chunk is done, and so of all chunks before it. */
  isTileDone(tile: number, chunk: number): boolean {
    return Atomics.load(this.#words, DONE + tile) >= chunk
  }

  setTileDone(tile: number, chunk: number): void {
    Atomics.store(this.#words, DONE + tile, chunk)
    this.#setDone(chunk)
  }

  #setDone(chunk: number): void {
    this.#countDown(chunk)
    this.#note(CHANGES, CHANGE_SLEEPERS)
  }

  #countDown(chunk: number, count = 1): void {
    const slot = this.slotOf(chunk)
    if (Atomics.sub(this.#words, SLOTS + slot * SLOT_WORDS + REMAINING, count) === count) this.releaseSlot(slot)
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
