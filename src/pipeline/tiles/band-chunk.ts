import { MAX_ROW_TRIANGLES, ROW_COLUMN_WORDS } from '../pixels/index.ts'
import { SCREEN_WORDS } from '../raster/index.ts'
import { type BandWords, MOST_BANDS } from './board.ts'
import { CHUNK_WORDS, MAX_TILES } from './chunk.ts'

/**
 * Triangles that have not been set up, with their vertices on the screen and the rows that they touch, in a slot for chunks: each thread
 * goes through all of them, and sets up those that touch its band.
 */

/** Vertices that there is room for. */
export const MAX_SCREEN_VERTICES = 14_336

const COUNTS = 0
const BANDS = 16
const BEFORE = BANDS + 2 * MAX_TILES
const COLUMNS = BEFORE + MAX_TILES
const LEADING = COLUMNS + 3 * ROW_COLUMN_WORDS
const TRIANGLES = LEADING + ROW_COLUMN_WORDS
const SCREEN = TRIANGLES + 3 * ROW_COLUMN_WORDS

if (SCREEN + MAX_SCREEN_VERTICES * SCREEN_WORDS > CHUNK_WORDS)
  throw new Error('triangles with their rows do not fit a slot')

export interface BandChunk extends BandWords {
  /** How many bands and triangles it has, noted by the thread that has filled it. */
  readonly counts: Int32Array
  /** By triangle the row that its pixels begin in, and the one behind the last in the upper half: ROW_CLIPPED where it was clipped. */
  readonly rows: Int32Array
  readonly ids: Int32Array
  readonly instances: Int32Array
  /** Of triangles that were clipped: the leading vertex. */
  readonly leading: Int32Array
  /** Three vertices of each triangle. */
  readonly triangles: Int32Array
  /** Of the vertices, by SCREEN_WORDS. */
  readonly screen: Int32Array
}

/** Bit of the rows of a triangle that was clipped: its vertices may belong to it alone, and the leading one is noted. */
export const ROW_CLIPPED = 1 << 15
export const ROW_MASK = ROW_CLIPPED - 1

/** Triangles that a slot has room for. */
export const MAX_TRIANGLES = MAX_ROW_TRIANGLES

function bandChunkOver(buffer: ArrayBufferLike, byteOffset: number): BandChunk {
  const words = (first: number, count: number): Int32Array => new Int32Array(buffer, byteOffset + first * 4, count)
  const column = (n: number): Int32Array => words(COLUMNS + n * ROW_COLUMN_WORDS, ROW_COLUMN_WORDS)
  return {
    counts: words(COUNTS, BANDS),
    bands: words(BANDS, 2 * MAX_TILES),
    before: words(BEFORE, MAX_TILES),
    rows: column(0),
    ids: column(1),
    instances: column(2),
    leading: words(LEADING, ROW_COLUMN_WORDS),
    triangles: words(TRIANGLES, 3 * ROW_COLUMN_WORDS),
    screen: words(SCREEN, MAX_SCREEN_VERTICES * SCREEN_WORDS),
  }
}

/** The chunks of all slots. */
export const bandChunksOf = (
  buffer: ArrayBufferLike,
  { chunks, slotCount }: { readonly chunks: number; readonly slotCount: number },
): readonly BandChunk[] =>
  Array.from({ length: slotCount }, (_, n) => bandChunkOver(buffer, chunks + n * CHUNK_WORDS * 4))

/** How the rows of the targets are divided: tiles of a whole width, of which each chunk makes bands. */
export interface BandPlan {
  /** Logarithm of a tile's height. */
  readonly shift: number
  readonly tileCount: number
  /** Bands of a chunk. */
  readonly bandCount: number
}

/** Tiles at the most: what a band costs grows with them. */
const MOST_ROW_TILES = 256
/** Quads have two rows. */
const SMALLEST_SHIFT = 1

export function bandPlan(height: number, threadCount: number): BandPlan {
  let shift = SMALLEST_SHIFT
  while (Math.ceil(height / 2 ** shift) > MOST_ROW_TILES) shift++
  return { shift, tileCount: Math.ceil(height / 2 ** shift), bandCount: Math.min(MOST_BANDS, threadCount) }
}
