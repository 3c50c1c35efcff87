/**
 * From primitives on the screen to pixels in the targets, on one thread (`raster-stage.ts`) or on several.
 *
 * Several threads share tiles of the targets: the calling one writes primitives to chunks (`chunk-writer.ts`), `board.ts` says
 * which thread has which tile of which chunk, and each thread (`tile-thread.ts`) finds, shades and merges the pixels of its
 * tiles. Invariants: a tile has one thread at a time and its primitives keep their order, so that what a draw leaves does
 * not depend on how many threads there are; what other threads are given is plain data. It imports no engine.
 */
export type { Board } from './board.ts'
export { type ChunkWords, chunksOf } from './chunk.ts'
export { ChunkSink } from './chunk-sink.ts'
export type { ChunkWriter } from './chunk-writer.ts'
export { colorMergeOf, createPixelStage, type PixelSetup, setupOf } from './pixel-setup.ts'
export { parsePlain, printPlain } from './plain-text.ts'
export { type PrimitiveSink, RasterStage } from './raster-stage.ts'
export { lostWorker, SharedDraw, sharedCounts, type ThreadLeft } from './shared-draw.ts'
export { boardOf, type RasterSetup, TileThread, type TileThreadLeft, type TileWork } from './tile-thread.ts'
export { beginTiles, newBoard, newChunkWriter, type OwnTiles, reachesTargets, type TileOptions } from './tile-work.ts'
