import { SRGB8_TO_FLOAT } from '../../../machine/format/index.ts'
import type { Allocation, Memory } from '../../../machine/index.ts'
import { SRGB_TABLE } from '../emit/descriptor-layout.ts'
import { type BulkCode, bulkCodeOf } from '../encode/bulk-code.ts'
import { createSharedMemory, type WebAssemblyMemory } from '../encode/web-assembly.ts'
import { MAX_PAGES } from '../encode/writer.ts'

/** The one memory of an engine and the blocks in it; the engine, its resources and its workers share it. */

const PAGE = 65536
/** Vector loads may read past a resource's end; the last allocation keeps this far from the memory's. */
const SLACK = 64
/** The table of sRGB codes, and where allocations begin. */
const FIRST_FREE = SRGB_TABLE + SRGB8_TO_FLOAT.byteLength
const ALIGNMENT = 64

interface Free {
  byteOffset: number
  byteLength: number
}

/**
 * One WebAssembly memory for everything: resources, descriptors, scratch. The bytes before the table of sRGB codes stay
 * zero: what reads that are out of bounds see. It only grows; ranges that are given back are
 * used again. Buffers of before a growth stay valid, since the memory is shared.
 */
export class WasmMemory implements Memory {
  readonly shared = true
  readonly memory: WebAssemblyMemory
  readonly #free: Free[] = []
  readonly #sizes = new Map<number, number>()
  readonly #buffers = new Set<ArrayBufferLike>()
  #end: number
  readonly #limit: number
  readonly #grows: boolean
  /** Code that works on ranges of this memory; undefined where the host has none. */
  readonly bulk: BulkCode | undefined

  private constructor(memory: WebAssemblyMemory, from: number, limit: number, grows: boolean) {
    this.memory = memory
    this.#end = from
    this.#limit = limit
    this.#grows = grows
    this.bulk = bulkCodeOf(memory)
  }

  /** Undefined where the host has no such memory, or no room for one more. */
  static create(): WasmMemory | undefined {
    const memory = createSharedMemory(MAX_PAGES)
    if (memory === undefined) return undefined
    new Float32Array(memory.buffer, SRGB_TABLE, SRGB8_TO_FLOAT.length).set(SRGB8_TO_FLOAT)
    return new WasmMemory(memory, FIRST_FREE, MAX_PAGES * PAGE, true)
  }

  /** A range of the memory of an engine on another thread, which has allocated it. */
  static within(memory: WebAssemblyMemory, from: number, to: number): WasmMemory {
    return new WasmMemory(memory, from, to, false)
  }

  /** Whether a buffer is this memory, now or before it grew. */
  owns(buffer: ArrayBufferLike): boolean {
    return buffer === this.memory.buffer || this.#buffers.has(buffer)
  }

  /** Fills a range with zeros. */
  clear(byteOffset: number, byteLength: number): void {
    if (this.bulk !== undefined) this.bulk.clear(byteOffset, byteLength)
    else new Uint8Array(this.memory.buffer, byteOffset, byteLength).fill(0)
  }

  #grow(end: number): boolean {
    if (!this.#grows) return true
    const pages = Math.ceil((end + SLACK - this.memory.buffer.byteLength) / PAGE)
    if (pages <= 0) return true
    try {
      this.memory.grow(pages)
    } catch {
      // The engine's limit or the host's: the caller reports it.
      return false
    }
    return true
  }

  /** The memory as it is now, which it owns from then on: hosts make another object for it when it grows, V8 also when another memory does. */
  current(): ArrayBufferLike {
    const { buffer } = this.memory
    this.#buffers.add(buffer)
    return buffer
  }

  allocate(byteLength: number): Allocation | undefined {
    const size = Math.max(ALIGNMENT, Math.ceil(byteLength / ALIGNMENT) * ALIGNMENT)
    const reused = this.#free.findIndex((f) => f.byteLength >= size)
    if (reused >= 0) {
      const f = this.#free[reused]!
      const { byteOffset } = f
      f.byteOffset += size
      f.byteLength -= size
      if (f.byteLength === 0) this.#free.splice(reused, 1)
      this.#sizes.set(byteOffset, size)
      const buffer = this.current()
      this.clear(byteOffset, size)
      return { buffer, byteOffset }
    }
    const byteOffset = this.#end
    if (byteOffset + size + SLACK > this.#limit || !this.#grow(byteOffset + size)) return undefined
    this.#end = byteOffset + size
    this.#sizes.set(byteOffset, size)
    return { buffer: this.current(), byteOffset }
  }

  release(allocation: Allocation): void {
    const byteLength = this.#sizes.get(allocation.byteOffset)
    if (byteLength === undefined) return
    this.#sizes.delete(allocation.byteOffset)
    this.#free.push({ byteOffset: allocation.byteOffset, byteLength })
    this.#free.sort((a, b) => a.byteOffset - b.byteOffset)
    for (let i = this.#free.length - 1; i > 0; i--) {
      const [before, f] = [this.#free[i - 1]!, this.#free[i]!]
      if (before.byteOffset + before.byteLength !== f.byteOffset) continue
      before.byteLength += f.byteLength
      this.#free.splice(i, 1)
    }
  }
}
