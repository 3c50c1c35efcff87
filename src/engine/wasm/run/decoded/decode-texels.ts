import { codecOf, type TextureSrv, type ViewLevel } from '../../../../machine/index.ts'
import { ROW_END, ROW_START } from '../../../texture/index.ts'

/**
 * Texels as four floats each, from the words that a texture has now: of blocks all texels, of other formats runs of texels. What has
 * the words that it was decoded from before is left as it is.
 */

/** The texels of one slice of one mip. */
export interface Slice {
  readonly level: ViewLevel
  /** Where it begins, from the start of the texture's storage. */
  readonly byteOffset: number
  /** Where its decoded texels begin, and how far it is from one row of them to the next, in words. */
  readonly start: number
  readonly pitch: number
}

/** Writes what stands before and behind the texels of each row of a slice, then before and behind the rows. */
function padRows({ level, start, pitch }: Slice, out: Uint32Array): void {
  const { width, height } = level
  for (let y = 0; y < height; y++) {
    const first = start + y * pitch
    const last = first + (width - 1) * 4
    const copy = (from: number, to: number): void => void out.copyWithin(to, from, from + 4)
    copy(first, first - ROW_START * 4)
    copy(first, last + 4)
    for (let n = 2; n <= ROW_END; n++) copy(last, last + n * 4)
  }
  const rowWords = (ROW_START + width + ROW_END) * 4
  const begin = start - ROW_START * 4
  const copyRow = (from: number, to: number): void => {
    const at = begin + from * pitch
    out.copyWithin(begin + to * pitch, at, at + rowWords)
  }
  copyRow(0, -ROW_START)
  copyRow(0, height)
  for (let n = 2; n <= ROW_END; n++) copyRow(height - 1, height - 1 + n)
}

/** Texels between two places where decoding yields: a millisecond or two. */
const TEXELS_OF_PART = 16384

/** Decodes the blocks of a slice whose words are not those that are known, and notes them by their places in the storage. */
export function* decodeBlocks(
  view: TextureSrv,
  slice: Slice,
  { words: known, isNew }: Omit<KnownWords, 'first'>,
  out: Uint32Array,
): Generator<void, void> {
  const { format, storage } = view
  const { level } = slice
  const { blockWidth, blockHeight, blockByteLength } = format
  const { decode } = codecOf(format)
  const { words } = storage
  const isKnown = (word: number): boolean => {
    for (let i = 0; i < blockByteLength / 4; i++) if (known[word + i] !== words[word + i]) return false
    return true
  }
  const rowWords = (Math.ceil(level.width / blockWidth) * blockByteLength) / 4
  let changes = false
  let left = TEXELS_OF_PART
  for (let y = 0; y < level.height; y += blockHeight) {
    const first = (slice.byteOffset + (y / blockHeight) * level.rowPitch) / 4
    for (let x = 0; x < level.width; x += blockWidth) {
      const block = slice.byteOffset + (y / blockHeight) * level.rowPitch + (x / blockWidth) * blockByteLength
      if (!isNew && isKnown(block >>> 2)) continue
      changes = true
      left -= blockWidth * blockHeight
      for (let ty = 0; ty < Math.min(blockHeight, level.height - y); ty++) {
        for (let tx = 0; tx < Math.min(blockWidth, level.width - x); tx++) {
          decode(storage, block, ty * blockWidth + tx, out, slice.start + (y + ty) * slice.pitch + (x + tx) * 4)
        }
      }
    }
    // What is decoded later may have changed by then.
    known.set(words.subarray(first, first + rowWords), first)
    if (left >= 0) continue
    left = TEXELS_OF_PART
    yield
  }
  if (changes) padRows(slice, out)
}

/** Texels of a run. */
const RUN = 256

/** Whether words differ from others; all of them are looked at, which takes less time than to stop early. */
function differ(a: Uint32Array, from: number, b: Uint32Array, at: number, count: number): boolean {
  let difference = 0
  for (let i = 0; i < count; i++) difference |= a[from + i]! ^ b[at + i]!
  return difference !== 0
}

/** Words that a copy was made of, from `first` on; `isNew` where none is there yet. */
export interface KnownWords {
  readonly words: Uint32Array
  readonly first: number
  readonly isNew: boolean
}

/**
 * Calls `decode` with the runs of texels of a slice, by number, whose words are not those that are known, and notes them; whether there was
 * one. The mips of a texture have no bytes between their rows. Yields now and then.
 */
export function* changedRuns(
  { format, storage }: TextureSrv,
  { level, byteOffset }: Slice,
  known: KnownWords,
  decode: (first: number, end: number) => void,
): Generator<void, boolean> {
  const texelWords = format.blockByteLength / 4
  const texels = level.width * level.height
  const start = byteOffset / 4
  let changes = false
  let left = TEXELS_OF_PART
  for (let n = 0; n < texels; n += RUN) {
    const count = Math.min(RUN, texels - n)
    const [from, at] = [start + n * texelWords, known.first + n * texelWords]
    if (!known.isNew && !differ(storage.words, from, known.words, at, count * texelWords)) continue
    known.words.set(storage.words.subarray(from, from + count * texelWords), at)
    decode(n, n + count)
    changes = true
    left -= count
    if (left >= 0) continue
    left = TEXELS_OF_PART
    yield
  }
  return changes
}

/** Decodes the texels of a slice whose words are not those that are known. */
export function* decodeTexels(
  view: TextureSrv,
  slice: Slice,
  known: KnownWords,
  out: Uint32Array,
): Generator<void, void> {
  const { format, storage } = view
  const { decode } = codecOf(format)
  const { width } = slice.level
  const changes = yield* changedRuns(view, slice, known, (first, end) => {
    for (let i = first; i < end; i++) {
      const to = slice.start + Math.floor(i / width) * slice.pitch + (i % width) * 4
      decode(storage, slice.byteOffset + i * format.blockByteLength, 0, out, to)
    }
  })
  if (changes) padRows(slice, out)
}
