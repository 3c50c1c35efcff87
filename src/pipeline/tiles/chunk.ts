import { compileThresholds } from '../compile-thresholds.ts'
import { type PixelRect, RECORD_WORDS } from '../raster/index.ts'

/** Primitives that have been set up with their vertices, and the list of those of each tile: words that several threads read. */

export const MAX_TILES = 1024
export const MAX_PRIMITIVES = 4096
/** Words of vertices; a primitive has four at the most, of up to 128 words. */
export const MAX_VERTEX_WORDS = 98304
/** Entries in lists of tiles; a primitive may touch all tiles. */
export const MAX_ENTRIES = 32768

/** Words of a chunk: counts, tiles it has, by tile the chunk that had it before, lists by tile, entries, boxes, primitives, vertices. */
const COUNTS = 0
const TILES = 16
const BEFORE = TILES + MAX_TILES
const HEADS = BEFORE + MAX_TILES
const ENDS = HEADS + MAX_TILES
const ENTRIES = ENDS + MAX_TILES
const BOXES = ENTRIES + MAX_ENTRIES
const PRIMITIVES = BOXES + 2 * MAX_PRIMITIVES
/** Code that sets triangles up may write behind the last record. */
const VERTICES = PRIMITIVES + (MAX_PRIMITIVES + 1) * RECORD_WORDS

/** What of a chunk is counted: tiles, primitives, and whether most of these have so many pixels that targets are most of what is read. */
export const COUNT = { tiles: 0, primitives: 1, hasMuch: 2 } as const

/** Primitives that are measured, and the pixels of their boxes in the mean from which on memory is read for targets, not for primitives. */
export const MEASURED = 64
export const FEW_PIXELS = 128

/** Bytes of a sample in most targets: its color and its depth. */
export const SAMPLE_BYTES = 8

/** Room for other kinds of chunks. */
const SPARE_WORDS = 65536

export const CHUNK_WORDS = VERTICES + MAX_VERTEX_WORDS + SPARE_WORDS

/** A slot for chunks as arrays over the shared memory. */
export interface ChunkWords {
  /** Those of COUNT, noted by the thread that has filled it. */
  readonly counts: Int32Array
  /** Tiles it has. */
  readonly tiles: Int32Array
  /** By tile that it has the chunk before that has it; 0 where none has. */
  readonly before: Int32Array
  /** By tile its first entry, and the one behind its last. */
  readonly heads: Int32Array
  readonly ends: Int32Array
  /** Numbers of primitives. */
  readonly entries: Int32Array
  /** Of the primitives, as in `RecordList`. */
  readonly boxes: Int32Array
  readonly primitives: Int32Array
  readonly primitiveFloats: Float32Array
  readonly vertices: Int32Array
}

function chunkOver(buffer: ArrayBufferLike, byteOffset: number): ChunkWords {
  const words = (first: number, end: number): Int32Array => new Int32Array(buffer, byteOffset + first * 4, end - first)
  return {
    counts: words(COUNTS, TILES),
    tiles: words(TILES, BEFORE),
    before: words(BEFORE, HEADS),
    heads: words(HEADS, ENDS),
    ends: words(ENDS, ENTRIES),
    entries: words(ENTRIES, BOXES),
    boxes: words(BOXES, PRIMITIVES),
    primitives: words(PRIMITIVES, VERTICES),
    primitiveFloats: new Float32Array(buffer, byteOffset + PRIMITIVES * 4, VERTICES - PRIMITIVES),
    vertices: words(VERTICES, VERTICES + MAX_VERTEX_WORDS),
  }
}

/** The chunks of all slots. */
export const chunksOf = (
  buffer: ArrayBufferLike,
  { chunks, slotCount }: { readonly chunks: number; readonly slotCount: number },
): readonly ChunkWords[] => Array.from({ length: slotCount }, (_, n) => chunkOver(buffer, chunks + n * CHUNK_WORDS * 4))

/** How the pixels of a draw are divided. */
export interface TileGrid {
  /** Logarithms of a tile's width and height. */
  readonly widthShift: number
  readonly heightShift: number
  readonly columns: number
  readonly rows: number
}

/**
 * How many tiles each thread needs at the least, so that all have work, and the logarithm of a tile's height. In draws of many primitives threads go on
 * with tiles of the next chunk: there may be fewer and higher ones, so that fewer primitives lie in two of them and are covered twice.
 */
const TILES_OF = { few: { ofAThread: 16, height: 5 }, many: { ofAThread: 8, height: 6 } } as const

/** How many primitives a draw has. */
export type PrimitiveNumber = keyof typeof TILES_OF

const SMALLEST_SHIFT = 2
/** Logarithms of the least height, and of how many times wider a tile is at the least before its width is divided. */
const LEAST_HEIGHT = 3
const WIDE = 4

/** Whether these pixels of targets are drawn part by part: of several samples, and more than fit a cache. */
export function arePartsWorthIt({ left, right, top, bottom }: PixelRect, sampleCount: number): boolean {
  const rowBytes = (right - left) * sampleCount * SAMPLE_BYTES
  return sampleCount > 1 && rowBytes * (bottom - top) >= compileThresholds.bands * compileThresholds.bandBytes
}

/**
 * Tiles are bands of the targets' whole width where few threads share a draw: each row of a triangle is then found and shaded as on one
 * thread, and what a band has of the targets stays in the cache. For more threads, and in small targets, bands are divided, those that
 * are long across.
 */
export function tileGrid(
  width: number,
  height: number,
  threadCount: number,
  sampleCount = 1,
  primitives: PrimitiveNumber = 'few',
): TileGrid {
  const { ofAThread, height: usualHeight } = TILES_OF[primitives]
  let heightShift: number = usualHeight
  const rowBytes = width * sampleCount * SAMPLE_BYTES
  while (sampleCount > 1 && heightShift > LEAST_HEIGHT && rowBytes << heightShift > compileThresholds.bandBytes)
    heightShift--
  let widthShift = Math.max(SMALLEST_SHIFT, Math.ceil(Math.log2(width)))
  const columns = (): number => Math.ceil(width / 2 ** widthShift)
  const rows = (): number => Math.ceil(height / 2 ** heightShift)
  const wanted = Math.min(MAX_TILES / 2, threadCount * ofAThread)
  while (columns() * rows() < wanted && Math.max(widthShift, heightShift) > SMALLEST_SHIFT) {
    if (widthShift > heightShift + WIDE || heightShift === SMALLEST_SHIFT) widthShift--
    else heightShift--
  }
  while (columns() * rows() > MAX_TILES) heightShift++
  return { widthShift, heightShift, columns: columns(), rows: rows() }
}
