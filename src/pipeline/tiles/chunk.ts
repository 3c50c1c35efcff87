import { RECORD_WORDS } from '../raster/index.ts'

/** Primitives that have been set up with their vertices, and the list of those of each tile: words that several threads read. */

export const MAX_TILES = 1024
export const MAX_PRIMITIVES = 2048
/** Words of vertices; a primitive has four at the most, of up to 128 words. */
export const MAX_VERTEX_WORDS = 65536
/** Entries in lists of tiles; a primitive may touch all tiles. */
export const MAX_ENTRIES = 16384

/** Words of a chunk: counts, tiles it has (with the chunk that had each before), first entries by tile, entries, primitives, vertices. */
const COUNTS = 0
const TILES = 16
const HEADS = TILES + 2 * MAX_TILES
const ENTRIES = HEADS + MAX_TILES
const PRIMITIVES = ENTRIES + 2 * MAX_ENTRIES
const VERTICES = PRIMITIVES + MAX_PRIMITIVES * RECORD_WORDS

export const CHUNK_WORDS = VERTICES + MAX_VERTEX_WORDS

/** A slot for chunks as arrays over the shared memory. */
export interface ChunkWords {
  /** How many tiles and primitives it has, noted by the thread that has filled it. */
  readonly counts: Int32Array
  /** Tile, and the chunk before that has it (0 where none has), by place in the list of tiles. */
  readonly tiles: Int32Array
  /** By tile its first entry. */
  readonly heads: Int32Array
  /** A primitive and the next entry of the tile, -1 at the end. */
  readonly entries: Int32Array
  readonly primitives: Int32Array
  readonly primitiveFloats: Float32Array
  readonly vertices: Int32Array
}

function chunkOver(buffer: ArrayBufferLike, byteOffset: number): ChunkWords {
  const words = (first: number, end: number): Int32Array => new Int32Array(buffer, byteOffset + first * 4, end - first)
  return {
    counts: words(COUNTS, TILES),
    tiles: words(TILES, HEADS),
    heads: words(HEADS, ENTRIES),
    entries: words(ENTRIES, PRIMITIVES),
    primitives: words(PRIMITIVES, VERTICES),
    primitiveFloats: new Float32Array(buffer, byteOffset + PRIMITIVES * 4, VERTICES - PRIMITIVES),
    vertices: words(VERTICES, CHUNK_WORDS),
  }
}

/** The chunks of all slots. */
export const chunksOf = (
  buffer: ArrayBufferLike,
  { chunks, slotCount }: { readonly chunks: number; readonly slotCount: number },
): readonly ChunkWords[] => Array.from({ length: slotCount }, (_, n) => chunkOver(buffer, chunks + n * CHUNK_WORDS * 4))

/** How the pixels of a draw are divided. */
export interface TileGrid {
  /** Logarithm of a tile's side. */
  readonly shift: number
  readonly columns: number
  readonly rows: number
}

/** Fewer tiles than this do not keep several threads at work; the smallest has few quads. */
const FEW_TILES = 32
const SMALLEST_SHIFT = 2
const USUAL_SHIFT = 6

/** Tiles of 64 pixels a side, smaller in small targets, larger in large ones. */
export function tileGrid(width: number, height: number): TileGrid {
  const count = (shift: number): number => Math.ceil(width / 2 ** shift) * Math.ceil(height / 2 ** shift)
  let shift = USUAL_SHIFT
  while (count(shift) > MAX_TILES) shift++
  while (shift > SMALLEST_SHIFT && count(shift) < FEW_TILES) shift--
  return { shift, columns: Math.ceil(width / 2 ** shift), rows: Math.ceil(height / 2 ** shift) }
}
