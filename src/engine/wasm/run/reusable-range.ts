import type { Allocation } from '../../../machine/index.ts'
import type { WasmMemory } from './memory.ts'

/** A range of the engine's memory that dispatches use one after the other; it grows to what the largest needs. */
export class ReusableRange {
  readonly #memory: WasmMemory
  #allocation: Allocation | undefined
  #byteLength = 0

  constructor(memory: WasmMemory) {
    this.#memory = memory
  }

  /** The address of so many bytes, with any contents; undefined where there is no room. May move and grow the memory. */
  take(byteLength: number): number | undefined {
    if (this.#allocation === undefined || byteLength > this.#byteLength) {
      if (this.#allocation !== undefined) this.#memory.release(this.#allocation)
      this.#allocation = this.#memory.allocate(byteLength)
      this.#byteLength = this.#allocation === undefined ? 0 : byteLength
    }
    return this.#allocation?.byteOffset
  }
}

/** Ranges by name, made when they are asked for. */
export function rangesByName(memory: WasmMemory): (name: string) => ReusableRange {
  const made = new Map<string, ReusableRange>()
  return (name) => {
    const range = made.get(name) ?? new ReusableRange(memory)
    made.set(name, range)
    return range
  }
}
