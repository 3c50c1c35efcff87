import { type Allocation, codecOf, storageOver, type TextureSrv, type ViewLevel } from '../../../machine/index.ts'
import { storedFormat } from '../../texture/index.ts'
import type { WasmMemory } from './memory.ts'

/**
 * Textures of blocks (BC1 to BC7, and the formats that share components between two texels) as code reads them: decoded to
 * four floats a texel before the dispatch. A copy is kept with the bytes it was made of, so that later dispatches decode
 * only blocks that have changed.
 */

/** Bytes of a decoded texel. */
const TEXEL_BYTES = 16
/** Bytes of copies that are kept beyond those of the last dispatch. */
const MAX_KEPT = 256 * 2 ** 20

interface Copy {
  readonly view: TextureSrv
  readonly allocation: Allocation
  readonly byteLength: number
  /** The words that it was decoded from. */
  readonly source: Uint32Array
}

/** Mips of a slice one after the other, slice after slice. */
function layoutOf(view: TextureSrv): { readonly levels: ViewLevel[]; readonly arrayPitch: number } {
  let at = 0
  const levels = view.levels.map(({ width, height, depth }): ViewLevel => {
    const level = { width, height, depth, byteOffset: at, rowPitch: width * TEXEL_BYTES, slicePitch: 0 }
    const slicePitch = level.rowPitch * height
    at += slicePitch * depth
    return { ...level, slicePitch }
  })
  return { levels, arrayPitch: at }
}

/** Names what a copy is of; that its bytes are the same is looked at. */
function nameOf(view: TextureSrv, buffer: number): string {
  const { storage, format, levels, arraySize, arrayPitch, dimension } = view
  const sizes = levels.map((l) => [l.byteOffset, l.width, l.height, l.depth].join())
  return [buffer, storage.byteOffset, format.number, dimension, arraySize, arrayPitch, ...sizes].join(' ')
}

/** Decodes the blocks of one slice of one mip whose words are not those in `known`. */
function decodeSlice(
  view: TextureSrv,
  from: { readonly level: ViewLevel; readonly byteOffset: number },
  known: Uint32Array | undefined,
  out: Uint32Array,
  start: number,
): void {
  const { format, storage } = view
  const { level } = from
  const { blockWidth, blockHeight, blockByteLength } = format
  const { decode } = codecOf(format)
  const { words } = storage
  const isKnown = (word: number): boolean => {
    for (let i = 0; i < blockByteLength / 4; i++) if (known![word + i] !== words[word + i]) return false
    return true
  }
  for (let y = 0; y < level.height; y += blockHeight) {
    for (let x = 0; x < level.width; x += blockWidth) {
      const block = from.byteOffset + (y / blockHeight) * level.rowPitch + (x / blockWidth) * blockByteLength
      if (known !== undefined && isKnown(block >>> 2)) continue
      for (let ty = 0; ty < Math.min(blockHeight, level.height - y); ty++) {
        for (let tx = 0; tx < Math.min(blockWidth, level.width - x); tx++) {
          decode(storage, block, ty * blockWidth + tx, out, start + ((y + ty) * level.width + x + tx) * 4)
        }
      }
    }
  }
}

export class DecodedTextures {
  readonly #memory: WasmMemory
  /** Those that were used last come last. */
  readonly #copies = new Map<string, Copy>()
  readonly #buffers = new WeakMap<ArrayBufferLike, number>()
  #buffersKnown = 0
  #kept = 0

  constructor(memory: WasmMemory) {
    this.#memory = memory
  }

  #bufferNumber(buffer: ArrayBufferLike): number {
    // Before and after it grew, the engine's memory is one.
    if (this.#memory.owns(buffer)) return 0
    const known = this.#buffers.get(buffer)
    if (known !== undefined) return known
    this.#buffers.set(buffer, ++this.#buffersKnown)
    return this.#buffersKnown
  }

  /** Frees copies that a dispatch does not need, the oldest first, until few are kept. */
  trim(): void {
    for (const [name, copy] of this.#copies) {
      if (this.#kept <= MAX_KEPT) return
      this.#copies.delete(name)
      this.#kept -= copy.byteLength
      this.#memory.release(copy.allocation)
    }
  }

  /** The view of the decoded copy, up to date; undefined where there is no room for it. */
  stage(view: TextureSrv): TextureSrv | undefined {
    const name = nameOf(view, this.#bufferNumber(view.storage.buffer))
    const known = this.#copies.get(name)
    const copy = known ?? this.#create(view)
    if (copy === undefined) return undefined
    this.#copies.delete(name)
    this.#copies.set(name, copy)
    this.#decode(view, copy, known?.source)
    copy.source.set(view.storage.words)
    const storage = storageOver({ ...copy.allocation, buffer: this.#memory.memory.buffer }, copy.byteLength)
    return { ...copy.view, storage }
  }

  #create(view: TextureSrv): Copy | undefined {
    const { levels, arrayPitch } = layoutOf(view)
    const byteLength = arrayPitch * view.arraySize
    const allocation = this.#memory.allocate(byteLength)
    if (allocation === undefined) return undefined
    this.#kept += byteLength
    const decoded = { ...view, format: storedFormat(view.format), levels, arrayPitch }
    return { view: decoded, allocation, byteLength, source: new Uint32Array(view.storage.words.length) }
  }

  #decode(view: TextureSrv, copy: Copy, known: Uint32Array | undefined): void {
    const out = new Uint32Array(this.#memory.memory.buffer, copy.allocation.byteOffset, copy.byteLength / 4)
    view.levels.forEach((level, mip) => {
      const to = copy.view.levels[mip]!
      for (let slice = 0; slice < view.arraySize; slice++) {
        for (let z = 0; z < level.depth; z++) {
          const byteOffset = level.byteOffset + slice * view.arrayPitch + z * level.slicePitch
          const start = (to.byteOffset + slice * copy.view.arrayPitch + z * to.slicePitch) / 4
          decodeSlice(view, { level, byteOffset }, known, out, start)
        }
      }
    })
  }
}
