import type { Allocation } from '../../../../machine/index.ts'
import type { WasmMemory } from '../memory.ts'

/** Memory of stages that have ended, for those that begin: draws one after the other need the same ranges again and again. */

/** Bytes that are kept at most, of all ranges together. */
const MAX_BYTES = 4 * 1024 * 1024

export class StageMemories {
  readonly #memory: WasmMemory
  /** Ranges that nothing uses, by their length. */
  readonly #free = new Map<number, Allocation[]>()
  #byteLength = 0

  constructor(memory: WasmMemory) {
    this.#memory = memory
  }

  /** A range whose contents are whatever they are; undefined where the engine's memory has no room. */
  allocate(byteLength: number): Allocation | undefined {
    const kept = this.#free.get(byteLength)?.pop()
    if (kept !== undefined) {
      this.#byteLength -= byteLength
      return kept
    }
    const made = this.#memory.allocate(byteLength)
    if (made !== undefined || this.#byteLength === 0) return made
    this.#releaseAll()
    return this.#memory.allocate(byteLength)
  }

  /** Fills bytes with zeros. */
  clear(byteOffset: number, byteLength: number): void {
    this.#memory.clear(byteOffset, byteLength)
  }

  /** Frees a range that `allocate` gave for this length. */
  release(allocation: Allocation, byteLength: number): void {
    if (byteLength > MAX_BYTES) {
      this.#memory.release(allocation)
      return
    }
    // Lengths that are no longer needed must not take the place of those that are.
    if (this.#byteLength + byteLength > MAX_BYTES) this.#releaseAll()
    this.#byteLength += byteLength
    const kept = this.#free.get(byteLength)
    if (kept === undefined) this.#free.set(byteLength, [allocation])
    else kept.push(allocation)
  }

  #releaseAll(): void {
    for (const kept of this.#free.values()) for (const allocation of kept) this.#memory.release(allocation)
    this.#free.clear()
    this.#byteLength = 0
  }
}
