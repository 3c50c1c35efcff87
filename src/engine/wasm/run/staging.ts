import type { WasmMemory } from './memory.ts'

/**
 * Copies resources that live elsewhere into the memory of the engine for a dispatch, and back; the descriptor is made
 * with it.
 */

/** A range of storage elsewhere as a copy in the engine's memory. */
interface Copy {
  readonly address: number
  /** Some view writes it. */
  writable: boolean
  readonly copyIn: () => void
  readonly copyOut: () => void
  readonly release: () => void
}

/** Numbers of buffers of other memories, so that a range of one has a name. */
const NUMBERS = new WeakMap<ArrayBufferLike, number>()
let numbered = 0

function numberOf(buffer: ArrayBufferLike): number {
  const known = NUMBERS.get(buffer)
  if (known !== undefined) return known
  NUMBERS.set(buffer, numbered)
  return numbered++
}

/** Storage of one dispatch that lies outside the engine's memory: copied in before it, and back after where it was written. */
export class Staging {
  readonly #memory: WasmMemory
  /** Made with the first copy: what a draw binds is nearly always in the engine's memory. */
  #copies: Map<string, Copy> | undefined
  readonly #releases: (() => void)[] = []

  constructor(memory: WasmMemory) {
    this.#memory = memory
  }

  /** The address of storage in the engine's memory; undefined where there is no room for a copy. */
  stage(buffer: ArrayBufferLike, byteOffset: number, byteLength: number, writable: boolean): number | undefined {
    const memory = this.#memory
    if (memory.owns(buffer)) return byteOffset
    // Views of one range share its copy: what one writes, another reads.
    const key = `${numberOf(buffer)} ${byteOffset}`
    this.#copies ??= new Map()
    const known = this.#copies.get(key)
    if (known !== undefined) {
      known.writable ||= writable
      return known.address
    }
    const allocation = memory.allocate(byteLength)
    if (allocation === undefined) return undefined
    const source = new Uint8Array(buffer, byteOffset, byteLength)
    const copy = (): Uint8Array => new Uint8Array(memory.memory.buffer, allocation.byteOffset, byteLength)
    copy().set(source)
    const copyIn = (): void => copy().set(source)
    const copyOut = (): void => source.set(copy())
    const release = (): void => memory.release(allocation)
    this.#copies.set(key, { address: allocation.byteOffset, writable, copyIn, copyOut, release })
    return allocation.byteOffset
  }

  /** Runs `release` when the dispatch needs its storage no more. */
  use(release: () => void): void {
    this.#releases.push(release)
  }

  /** Writes back what views wrote and frees the copies. */
  finish(): void {
    this.copyOut()
    this.discard()
  }

  /** Copies in anew what views write: others may have written it since. */
  copyIn(): void {
    if (this.#copies === undefined) return
    for (const copy of this.#copies.values()) if (copy.writable) copy.copyIn()
  }

  /** Copies out what views wrote. */
  copyOut(): void {
    if (this.#copies === undefined) return
    for (const copy of this.#copies.values()) if (copy.writable) copy.copyOut()
  }

  /** Frees the copies. */
  discard(): void {
    for (const copy of this.#copies?.values() ?? []) copy.release()
    this.#copies = undefined
    if (this.#releases.length > 0) for (const release of this.#releases.splice(0)) release()
  }
}
