/**
 * From primitives on the screen to pixels in the targets, on one thread (`raster-stage.ts`) or on several.
 *
 * Several threads share tiles of the targets: the calling one writes primitives to chunks (`chunk-writer.ts`), `board.ts` says
 * which thread has which tile of which chunk, and each thread (`tile-thread.ts`) finds, shades and merges the pixels of its
 * tiles. Chunks are of primitives that have been set up (`listed-tiles.ts`), or of triangles that each thread sets up in its
 * rows (`band-tiles.ts`). Invariants: a tile has one thread at a time and its primitives keep their order, so that what a draw leaves does
 * not depend on how many threads there are; what other threads are given is plain data. It imports no engine.
 */
export type { Board } from './board.ts'
export { colorMergeOf, createPixelStage, type PixelSetup, setupOf } from './pixel-setup.ts'
export { parsePlain, printPlain } from './plain-text.ts'
export { type PrimitiveSink, RasterStage, type Taken } from './raster-stage.ts'
export { lostWorker, SharedDraw, sharedCounts, type ThreadLeft } from './shared-draw.ts'
export { newSlotOutput, type SlotOutput } from './slot-output.ts'
export type { RasterSetup, TileWork } from './tile-runner.ts'
export { boardOf, TileThread, type TileThreadLeft } from './tile-thread.ts'
export {
  beginTiles,
  newBoard,
  type OwnTiles,
  type PlannedTiles,
  planTiles,
  reachesTargets,
  type SharedKind,
  type TileOptions,
} from './tile-work.ts'
