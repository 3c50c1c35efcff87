import { type Allocation, storageOver, type TextureSrv, type ViewLevel } from '../../../../machine/index.ts'
import { runPartsAtOnce } from '../../../next-task.ts'
import { codeBitsOf, ROW_END, ROW_START, storedFormat } from '../../../texture/index.ts'
import type { WasmMemory } from '../memory.ts'
import { type CompareRanges, compareRangesOf } from './compare-ranges.ts'
import { CODE_END, CODE_START, decodeCodes } from './decode-codes.ts'
import { decodeBlocks, decodeTexels, type Slice } from './decode-texels.ts'

/**
 * Textures as code reads them where that is not what they hold: four floats a texel, or for sums of codes eight whole numbers. Textures of blocks (BC1 to BC7, and the
 * formats that share components between two texels) are always read so, others where it pays (`sampling-history.ts`). A copy
 * is kept with the words it was made of, so that later dispatches decode only what has changed
 * (docs/decisions/decoded-textures.md).
 */

/** Bytes of a decoded texel. */
const TEXEL_BYTES = 16
/** Bytes of copies of blocks that nothing uses which are kept. */
const MAX_KEPT = 256 * 2 ** 20
/** Bytes of copies of other textures, with the words that they were made of, used or not. */
const MAX_UNPACKED = 40 * 2 ** 20
/** A copy that was not used in so many uses of copies makes room for others. */
const UNUSED = 256

interface Copy {
  readonly view: TextureSrv
  readonly allocation: Allocation
  /** Bytes of the decoded texels. */
  readonly byteLength: number
  /** The words that it was decoded from, in the engine's memory: of blocks those of the whole storage, of others those of the view. */
  readonly source: Uint32Array
  readonly sourceAllocation: Allocation
  readonly isOfBlocks: boolean
  /** Bits of a number of a copy of codes; undefined of floats. */
  readonly codeBits: 8 | 16 | undefined
  /** Dispatches and stages of draws that use it now. */
  users: number
  /** The number of its last use. */
  lastUse: number
}

/** A view of a decoded copy, for as long as what uses it runs. */
interface DecodedView {
  readonly view: TextureSrv
  readonly release: () => void
}

/** How many texels, and rows, stand before the first ones of a copy and behind the last ones, and bytes of a texel. */
interface Margins {
  readonly start: number
  readonly end: number
  readonly rowEnd: number
  readonly texelBytes: number
}
const MARGINS: Margins = { start: ROW_START, end: ROW_END, rowEnd: ROW_END, texelBytes: TEXEL_BYTES }
/** Rows of codes have the next row in them. */
const marginsOf = (codeBits: 8 | 16 | undefined): Margins =>
  codeBits === undefined ? MARGINS : { start: CODE_START, end: CODE_END, rowEnd: 0, texelBytes: codeBits }

/** Mips of a slice one after the other, slice after slice; a mip begins with its first texel, behind what stands before it. */
function layoutOf(
  view: TextureSrv,
  codeBits: 8 | 16 | undefined,
): { readonly levels: ViewLevel[]; readonly arrayPitch: number } {
  const { start, end, rowEnd, texelBytes } = marginsOf(codeBits)
  let at = 0
  const levels = view.levels.map(({ width, height, depth }): ViewLevel => {
    const rowPitch = (start + width + end) * texelBytes
    const slicePitch = rowPitch * (start + height + rowEnd)
    const byteOffset = at + start * (rowPitch + texelBytes)
    at += slicePitch * depth
    return { width, height, depth, byteOffset, rowPitch, slicePitch }
  })
  return { levels, arrayPitch: at }
}

/** Names what a copy is of; that its bytes are the same is looked at. */
function nameOf(view: TextureSrv, buffer: number, isOfCodes: boolean): string {
  const { storage, format, levels, arraySize, arrayPitch, dimension } = view
  const sizes = levels.map((l) => [l.byteOffset, l.width, l.height, l.depth].join())
  const kind = isOfCodes ? 'codes' : 'floats'
  return [kind, buffer, storage.byteOffset, format.number, dimension, arraySize, arrayPitch, ...sizes].join(' ')
}

const isOfBlocks = (view: TextureSrv): boolean => view.format.layout !== 'linear'

/** Bytes that a copy takes: decoded texels, and the words that they were made of. */
const bytesOf = (copy: Copy): number => copy.byteLength + copy.source.byteLength

/** Texels of a view. */
const texelCount = (view: TextureSrv): number =>
  view.arraySize * view.levels.reduce((n, l) => n + l.width * l.height * l.depth, 0)

export class DecodedTextures {
  readonly #memory: WasmMemory
  /** Those that were used last come last. */
  readonly #copies = new Map<string, Copy>()
  readonly #names = [new WeakMap<TextureSrv, string>(), new WeakMap<TextureSrv, string>()] as const
  readonly #buffers = new WeakMap<ArrayBufferLike, number>()
  #buffersKnown = 0
  #uses = 0
  #compare: CompareRanges | undefined

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

  #name(view: TextureSrv, isOfCodes: boolean): string {
    const names = this.#names[isOfCodes ? 1 : 0]
    const known = names.get(view)
    if (known !== undefined) return known
    const name = nameOf(view, this.#bufferNumber(view.storage.buffer), isOfCodes)
    names.set(view, name)
    return name
  }

  #kept(ofBlocks: boolean): number {
    let kept = 0
    for (const copy of this.#copies.values()) if (copy.isOfBlocks === ofBlocks) kept += bytesOf(copy)
    return kept
  }

  #free(name: string, copy: Copy): void {
    this.#copies.delete(name)
    this.#release(copy)
  }

  #release({ allocation, sourceAllocation }: Copy): void {
    this.#memory.release(allocation)
    this.#memory.release(sourceAllocation)
  }

  /** Frees copies of blocks that nothing uses, the oldest first, until few are kept. */
  #trim(): void {
    let kept = this.#kept(true)
    for (const [name, copy] of this.#copies) {
      if (kept <= MAX_KEPT) return
      if (copy.users > 0 || !copy.isOfBlocks) continue
      kept -= bytesOf(copy)
      this.#free(name, copy)
    }
  }

  /** Whether there is a copy of a texture that is none of blocks, or room for one; others that are out of use make room. */
  hasRoom(view: TextureSrv, isOfCodes = false): boolean {
    if (this.#copies.has(this.#name(view, isOfCodes))) return true
    const codeBits = isOfCodes ? codeBitsOf(view) : undefined
    const needed = layoutOf(view, codeBits).arrayPitch * view.arraySize + texelCount(view) * view.format.blockByteLength
    if (needed > MAX_UNPACKED) return false
    let kept = this.#kept(false)
    for (const [name, copy] of this.#copies) {
      if (kept + needed <= MAX_UNPACKED) return true
      if (copy.isOfBlocks || copy.users > 0 || this.#uses - copy.lastUse < UNUSED) continue
      kept -= bytesOf(copy)
      this.#free(name, copy)
    }
    return kept + needed <= MAX_UNPACKED
  }

  /** The view of the decoded copy, up to date; undefined where there is no room for it. */
  stage(view: TextureSrv, isOfCodes = false): DecodedView | undefined {
    const name = this.#name(view, isOfCodes)
    const known = this.#copies.get(name)
    const copy = known ?? this.#create(view, isOfCodes ? codeBitsOf(view) : undefined)
    if (copy === undefined) return undefined
    this.#copies.delete(name)
    this.#copies.set(name, copy)
    runPartsAtOnce(this.#decode(view, copy, known === undefined))
    copy.users++
    copy.lastUse = this.#uses++
    const storage = storageOver({ ...copy.allocation, buffer: this.#memory.memory.buffer }, copy.byteLength)
    const release = (): void => {
      copy.users--
      this.#trim()
    }
    return { view: { ...copy.view, storage }, release }
  }

  /**
   * Makes the copy of a texture that has none, in parts that yield to the host: a large one takes a second. `stage` then finds what has
   * changed since.
   */
  *prepare(view: TextureSrv, isOfCodes = false): Generator<void, void> {
    const name = this.#name(view, isOfCodes)
    if (this.#copies.has(name)) return
    const copy = this.#create(view, isOfCodes ? codeBitsOf(view) : undefined)
    if (copy === undefined) return
    let isWhole = false
    try {
      yield* this.#decode(view, copy, true)
      isWhole = true
    } finally {
      // Meanwhile another draw may have made it too, and a work that is stopped leaves no half of one.
      if (isWhole && !this.#copies.has(name)) this.#copies.set(name, copy)
      else this.#release(copy)
    }
  }

  #create(view: TextureSrv, codeBits: 8 | 16 | undefined): Copy | undefined {
    const { levels, arrayPitch } = layoutOf(view, codeBits)
    const byteLength = arrayPitch * view.arraySize
    const allocation = this.#memory.allocate(byteLength)
    if (allocation === undefined) return undefined
    const ofBlocks = isOfBlocks(view)
    const format = storedFormat(view.format, true)
    const sourceWords = ofBlocks ? view.storage.words.length : (texelCount(view) * view.format.blockByteLength) / 4
    const sourceAllocation = this.#memory.allocate(sourceWords * 4)
    if (sourceAllocation === undefined) {
      this.#memory.release(allocation)
      return undefined
    }
    return {
      view: { ...view, format, levels, arrayPitch },
      allocation,
      byteLength,
      source: new Uint32Array(sourceAllocation.buffer, sourceAllocation.byteOffset, sourceWords),
      sourceAllocation,
      isOfBlocks: ofBlocks,
      codeBits,
      users: 0,
      lastUse: 0,
    }
  }

  *#decode(view: TextureSrv, copy: Copy, isNew: boolean): Generator<void, void> {
    const decode = this.#decoder(view, copy, isNew)
    const isKnown = isNew ? undefined : this.#knower(view, copy)
    const { blockWidth, blockHeight, blockByteLength } = view.format
    let first = 0
    for (const [mip, level] of view.levels.entries()) {
      const to = copy.view.levels[mip]!
      const blocks = Math.ceil(level.width / blockWidth) * Math.ceil(level.height / blockHeight)
      const byteLength = blocks * blockByteLength
      for (let slice = 0; slice < view.arraySize; slice++) {
        for (let z = 0; z < level.depth; z++, first += byteLength / 4) {
          const byteOffset = level.byteOffset + slice * view.arrayPitch + z * level.slicePitch
          if (isKnown?.(byteOffset, first, byteLength)) continue
          const start = to.byteOffset + slice * copy.view.arrayPitch + z * to.slicePitch
          yield* decode({ level, byteOffset, start, pitch: to.rowPitch }, first)
        }
      }
    }
  }

  /**
   * Whether bytes of a texture from an offset on are those that are known, of which those of a texture without blocks were kept from
   * the word `first` on. Undefined for textures outside of the engine's memory.
   */
  #knower(
    { storage }: TextureSrv,
    { isOfBlocks, source }: Copy,
  ): ((byteOffset: number, first: number, byteLength: number) => boolean) | undefined {
    if (!this.#memory.owns(storage.buffer)) return undefined
    this.#compare ??= compareRangesOf(this.#memory.memory)
    const compare = this.#compare
    return (byteOffset, first, byteLength) => {
      const known = source.byteOffset + (isOfBlocks ? byteOffset : first * 4)
      return compare(storage.byteOffset + byteOffset, known, byteLength)
    }
  }

  /** What decodes a slice, whose place and pitch in the copy are in bytes and whose words were kept from `first` on. */
  #decoder(view: TextureSrv, copy: Copy, isNew: boolean): (slice: Slice, first: number) => Generator<void, void> {
    const { source, codeBits, allocation, byteLength } = copy
    const { buffer } = this.#memory.memory
    const bytes = codeBits === undefined ? 4 : codeBits / 8
    const of = (s: Slice): Slice => ({ ...s, start: s.start / bytes, pitch: s.pitch / bytes })
    if (codeBits !== undefined) {
      const { byteOffset } = allocation
      const codes =
        codeBits === 8
          ? new Uint8Array(buffer, byteOffset, byteLength)
          : new Uint16Array(buffer, byteOffset, byteLength / 2)
      return (slice, first) => decodeCodes(view, of(slice), { words: source, first, isNew }, codes)
    }
    const out = new Uint32Array(buffer, allocation.byteOffset, byteLength / bytes)
    if (copy.isOfBlocks) return (slice) => decodeBlocks(view, of(slice), { words: source, isNew }, out)
    return (slice, first) => decodeTexels(view, of(slice), { words: source, first, isNew }, out)
  }
}
