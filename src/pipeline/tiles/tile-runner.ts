import type { RowShares } from '../raster/index.ts'
import type { TileGrid } from './chunk.ts'
import type { PixelSetup } from './pixel-setup.ts'
import type { RasterState } from './raster-stage.ts'

/** What threads do with the tiles that they take, and what they rasterize with. */

export interface RasterSetup extends RasterState {
  readonly modes: ArrayLike<number>
  readonly registerCount: number
}

/** What all threads of a draw are given. */
export interface TileWork {
  /** Bytes of the memory that the threads share. */
  readonly memoryLength: number
  readonly pixels: PixelSetup
  readonly raster: RasterSetup
  readonly grid: TileGrid
  /** Bytes from the start of the memory. */
  readonly board: number
  readonly chunks: number
  readonly slotCount: number
  /**
   * So many chunks are a group: a thread goes on with a tile through all chunks of a group. Several where targets are most of what is read:
   * workers then take tiles from the last back, so that each thread has its rows of the targets in its cache.
   */
  readonly chunksOfGroup: number
  /** As `SharedShader.description`; null where no pixel shader is bound. */
  readonly shader: unknown
  /** Chunks are of triangles that have not been set up, listed for these shares of rows; null where they are of records, listed by the tiles of the grid. */
  readonly bands: RowShares | null
}

/** A tile of a chunk, by its place in the chunk's list of them; or a share of rows. */
export interface TakenTile {
  readonly chunk: number
  readonly index: number
}

/** What a thread does with what it has taken, one at a time. */
export interface TileRunner {
  /** Takes what comes next; undefined where there is nothing now. */
  take(): TakenTile | undefined
  /** Takes the same of a chunk behind it, which is ready once that is done; undefined where there is nothing now. */
  takeBehind?(taken: TakenTile): TakenTile | undefined
  /** There is something that is best done by this thread. */
  readonly hasOwn: boolean
  /** Triangles that compiled code has set up in its tiles. */
  readonly setUpByCode: number
  /** Of all that has been published nothing is left to take. */
  readonly isThrough: boolean
  /** Whether what comes before it is done. */
  isReady(taken: TakenTile): boolean
  begin(taken: TakenTile): void
  /** Finds pixels of what has begun until `pause` (performance.now()); whether it is done. */
  run(pause: number): boolean
  setDone(taken: TakenTile): void
}
