import { listedWords, MOST_SHARES, type RowShares, SCREEN_WORDS } from '../raster/index.ts'
import { CHUNK_WORDS, MAX_VERTEX_WORDS } from './chunk.ts'

/**
 * Triangles that have not been set up, with their vertices on the screen, in a slot for chunks: listed for each share of the targets' rows by
 * the bands that they touch. The thread that has a share sets them up.
 */

/** Vertices that there is room for. */
export const MAX_SCREEN_VERTICES = 14_336

const COUNTS = 0
const SCREEN = MOST_SHARES
const VERTICES = SCREEN + MAX_SCREEN_VERTICES * SCREEN_WORDS
const LISTS = VERTICES + MAX_VERTEX_WORDS
/** Code may write and read behind the last triangle of a list. */
const SPARE_TRIANGLES = 4

/** Triangles that the list of a share has room for. */
export const listCapacity = (shares: RowShares): number =>
  Math.floor((CHUNK_WORDS - LISTS) / shares.count / listedWords(shares)) - SPARE_TRIANGLES

export interface BandChunk {
  /** By share how many triangles are listed, noted by the thread that has filled it. */
  readonly counts: Int32Array
  /** Of the vertices, by SCREEN_WORDS. */
  readonly screen: Int32Array
  /** Their words, where there are pixels. */
  readonly vertices: Int32Array
  /** By share the triangles that touch its bands, in their order, by LISTED. */
  readonly lists: readonly Int32Array[]
}

/** The chunks of all slots. */
export function bandChunksOf(
  buffer: ArrayBufferLike,
  { chunks, slotCount }: { readonly chunks: number; readonly slotCount: number },
  shares: RowShares,
): readonly BandChunk[] {
  const listWords = (listCapacity(shares) + SPARE_TRIANGLES) * listedWords(shares)
  return Array.from({ length: slotCount }, (_, n) => {
    const words = (first: number, count: number): Int32Array =>
      new Int32Array(buffer, chunks + (n * CHUNK_WORDS + first) * 4, count)
    return {
      counts: words(COUNTS, shares.count),
      screen: words(SCREEN, MAX_SCREEN_VERTICES * SCREEN_WORDS),
      vertices: words(VERTICES, MAX_VERTEX_WORDS),
      lists: Array.from({ length: shares.count }, (_, share) => words(LISTS + share * listWords, listWords)),
    }
  })
}

/** Logarithms of a band's height. */
const USUAL_SHIFT = 6
const SMALLEST_SHIFT = 1
/** Fewer bands of a share would leave threads without work where triangles lie in a part of the targets. */
const BANDS_OF_A_SHARE = 8
/** Bands of a share at the most: a large triangle is listed for each of them. */
const MOST_BANDS = 128

export function rowShares(height: number, threadCount: number, hasPixels: boolean): RowShares {
  let count = 1
  while (count < Math.min(MOST_SHARES, threadCount)) count *= 2
  const bandCount = (shift: number): number => Math.ceil(height / 2 ** shift)
  let shift = USUAL_SHIFT
  while (shift > SMALLEST_SHIFT && bandCount(shift) < count * BANDS_OF_A_SHARE) shift--
  while (bandCount(shift) > count * MOST_BANDS) shift++
  return { shift, count, hasPixels }
}
