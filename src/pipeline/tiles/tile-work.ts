import type { BatchExecution, SharedShader, SharedWork } from '../../engine/index.ts'
import type { Allocation } from '../../machine/index.ts'
import { rowShares } from './band-chunk.ts'
import { BOARD_WORDS, type Board, slotCountFor } from './board.ts'
import { arePartsWorthIt, CHUNK_WORDS, type ChunkWords, chunksOf, type PrimitiveNumber, tileGrid } from './chunk.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { type PixelSetup, plainSetup } from './pixel-setup.ts'
import type { RasterSetup, TileWork } from './tile-runner.ts'
import { boardOf, TileThread } from './tile-thread.ts'

/** What the calling thread of a shared draw makes before other threads take part. */

/** Memory for the board, behind it for chunks, and how many; kept from draw to draw. */
interface BoardMemory {
  readonly allocation: Allocation
  readonly slotCount: number
}

const BOARD_MEMORIES = new WeakMap<SharedWork, BoardMemory>()
const BOARD_BYTES = Math.ceil((BOARD_WORDS * 4) / 64) * 64

function boardMemoryOf(work: SharedWork): BoardMemory | undefined {
  const slotCount = slotCountFor(work.readyCount + 1)
  const known = BOARD_MEMORIES.get(work)
  if (known !== undefined && known.slotCount >= slotCount) return known
  const { memory } = work.thread
  if (known !== undefined) memory.release?.(known.allocation)
  BOARD_MEMORIES.delete(work)
  const allocation = memory.allocate(BOARD_BYTES + slotCount * CHUNK_WORDS * 4)
  if (allocation === undefined) return undefined
  const made = { allocation, slotCount }
  BOARD_MEMORIES.set(work, made)
  return made
}

/** Where the board and the chunks lie. */
interface BoardPlace {
  readonly memoryLength: number
  readonly board: number
  readonly chunks: number
  readonly slotCount: number
}

/** A board that is clear; undefined where there is no room. */
export function newBoard(work: SharedWork): { readonly place: BoardPlace; readonly board: Board } | undefined {
  const memory = boardMemoryOf(work)
  if (memory === undefined) return undefined
  const buffer = work.thread.buffer()
  const { byteOffset } = memory.allocation
  const memoryLength = buffer.byteLength
  const place = { memoryLength, board: byteOffset, chunks: byteOffset + BOARD_BYTES, slotCount: memory.slotCount }
  const board = boardOf(buffer, place)
  board.clear()
  return { place, board }
}

export interface TileOptions {
  readonly work: SharedWork
  readonly pixels: PixelSetup
  readonly raster: RasterSetup
  /** Of the pixel shader. */
  readonly execution: BatchExecution | undefined
  /** Time (performance.now) after which the draw ends. */
  readonly deadline: number
}

/** What threads that run tiles are given. */
export interface PlannedTiles {
  readonly shader: SharedShader | undefined
  readonly work: TileWork
  /** For the other threads. */
  readonly plain: object
}

/** The calling thread of those that run tiles. */
export interface OwnTiles extends PlannedTiles {
  readonly thread: TileThread
  readonly chunks: readonly ChunkWords[]
}

/** Whether all threads see the targets. */
export const reachesTargets = ({ work, pixels }: TileOptions): boolean =>
  [...pixels.renderTargets, pixels.depthStencil].every((v) => v === undefined || work.thread.reaches(v.storage))

/**
 * Lines or other primitives that have been set up, or triangles that each thread sets up in its share of rows: where no pixel can be found wrong,
 * since these are in the order of primitives, which have no places in the draw then.
 */
export type SharedKind = 'lines' | 'primitives' | 'triangles'

/** What is given to threads that run tiles; undefined where the calling one must run the draw alone. */
export function planTiles(
  o: TileOptions,
  place: BoardPlace,
  kind: SharedKind,
  primitives: PrimitiveNumber,
): PlannedTiles | undefined {
  const { work, pixels, raster, execution } = o
  const shader = execution?.share?.()
  if (execution !== undefined && shader === undefined) return undefined
  // Pixels of lines come in the order of the line, which the first of a finding follows; those of tiles come by rows.
  if (shader?.mayReport === true && (kind === 'lines' || raster.rasterizer.fillMode === 'WIREFRAME')) return undefined
  const { targetBounds: b } = raster
  const grid = tileGrid(b.right, b.bottom, work.readyCount + 1, pixels.sampleCount, primitives)
  const { memoryLength, board, chunks: firstChunk, slotCount } = place
  const description = shader?.description ?? null
  const given: TileWork = {
    memoryLength,
    board,
    chunks: firstChunk,
    slotCount,
    raster,
    // The slots of other chunks are filled meanwhile.
    chunksOfGroup: arePartsWorthIt(b, pixels.sampleCount) ? slotCount >> 1 : 1,
    grid,
    pixels,
    shader: description,
    bands:
      kind === 'triangles' && shader?.mayReport !== true
        ? rowShares(b.bottom, work.readyCount + 1, shader !== undefined)
        : null,
  }
  return { shader, work: given, plain: { ...given, pixels: plainSetup(pixels) } }
}

/** Begins to run tiles on the calling thread; undefined where its memory has no room. */
export function beginTiles(
  { work: { thread: own }, deadline }: TileOptions,
  planned: PlannedTiles,
  isLost: () => boolean,
): OwnTiles | undefined {
  const { shader, work, plain } = planned
  const thread = TileThread.create(work, own, deadline, isLost)
  return thread && { thread, shader, chunks: chunksOf(own.buffer(), work), work, plain }
}

export function newChunkWriter({ raster, grid }: Pick<TileWork, 'raster' | 'grid'>): ChunkWriter {
  const { fillMode, conservativeRaster } = raster.rasterizer
  // Edges drawn as lines have a width, and conservative coverage goes beyond the triangle.
  const isExact = fillMode === 'SOLID' && conservativeRaster === 'OFF'
  return new ChunkWriter(grid, raster.inputs.clipDistances, isExact)
}
