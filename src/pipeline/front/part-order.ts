/**
 * Which thread has which part of a draw, and what they leave in the order of the parts: words of the memory that threads share.
 *
 * Parts are taken in their order. What a part leaves lies in slots; a part that has ended waits, with its slot, until those before it
 * have ended too. So the thread that ends last of them passes them on, one after the other: one thread at a time.
 */

const NEXT = 0
const TOTAL = 1
/** The first part that has not been passed on. */
const HEAD = 2
const LOCK = 3
/** By the rest of a part's number by the number of slots: 1 and its slot, 0 where it has not ended. */
const READY = 16

export const orderWords = (slotCount: number): number => READY + slotCount

export class PartOrder {
  readonly #words: Int32Array
  readonly #slotCount: number

  constructor(words: Int32Array, slotCount: number) {
    this.#words = words
    this.#slotCount = slotCount
  }

  begin(total: number): void {
    this.#words.fill(0)
    this.#words[TOTAL] = total
  }

  /** Some part has not been taken. */
  get hasMore(): boolean {
    return Atomics.load(this.#words, NEXT) < this.#words[TOTAL]!
  }

  /** The next part; -1 where all are taken. */
  take(): number {
    const part = Atomics.add(this.#words, NEXT, 1)
    return part < this.#words[TOTAL]! ? part : -1
  }

  /** Whether all parts before one have been passed on. */
  isFirst(part: number): boolean {
    return Atomics.load(this.#words, HEAD) === part
  }

  get isDone(): boolean {
    return Atomics.load(this.#words, HEAD) === this.#words[TOTAL]
  }

  /** A part has ended: passes on, in their order, what there is of it and those behind it. */
  end(part: number, slot: number, passOn: (slot: number) => void): void {
    const w = this.#words
    Atomics.store(w, READY + (part % this.#slotCount), slot + 1)
    for (;;) {
      // Another thread looks again when it is done.
      if (Atomics.compareExchange(w, LOCK, 0, 1) !== 0) return
      while (this.#firstSlot() >= 0) {
        const head = Atomics.load(w, HEAD)
        const ready = this.#firstSlot()
        Atomics.store(w, READY + (head % this.#slotCount), 0)
        passOn(ready)
        Atomics.store(w, HEAD, head + 1)
      }
      Atomics.store(w, LOCK, 0)
      if (this.#firstSlot() < 0) return
    }
  }

  /** The slot of the first part that has not been passed on; -1 where it has not ended. */
  #firstSlot(): number {
    const head = Atomics.load(this.#words, HEAD)
    return Atomics.load(this.#words, READY + (head % this.#slotCount)) - 1
  }

  /** Passes on what the first part has so far. False where another thread passes on its own still: try again. */
  passOnFirst(slot: number, passOn: (slot: number) => void): boolean {
    const w = this.#words
    if (Atomics.compareExchange(w, LOCK, 0, 1) !== 0) return false
    passOn(slot)
    Atomics.store(w, LOCK, 0)
    return true
  }
}
