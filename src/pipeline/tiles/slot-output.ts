import type { ElementKernels } from '../../engine/index.ts'
import type { VertexArray } from '../geometry.ts'
import type { SetupCode } from '../pixels/index.ts'
import type { PixelRect, RecordSink, SetUpPrimitive, VertexWords } from '../raster/index.ts'
import { type BandChunk, bandChunksOf } from './band-chunk.ts'
import { BandSink } from './band-sink.ts'
import { BandWriter } from './band-writer.ts'
import type { Board } from './board.ts'
import { type ChunkWords, COUNT, chunksOf } from './chunk.ts'
import { ChunkSink, type ChunkSpace } from './chunk-sink.ts'
import type { ChunkWriter } from './chunk-writer.ts'
import type { RasterStage } from './raster-stage.ts'
import type { TileWork } from './tile-runner.ts'
import { newChunkWriter } from './tile-work.ts'

/** Where a thread leaves the primitives of parts: in slots, which are published in the order of the parts, by whatever thread. */
export interface SlotOutput {
  open(slot: number): void
  /** Ends what was written, and notes in the slot how much it is. */
  close(): void
  publish(board: Board, slot: number): void
  /** Whether one more primitive with vertices of this array fits. */
  hasSpaceFor(vertices: VertexArray): boolean
  /** Primitives that come are set up by this stage, of vertices of this array. */
  attach(vertices: VertexArray, raster: RasterStage): void
  sinkFor(vertices: VertexArray, space: ChunkSpace): RecordSink
  add(p: SetUpPrimitive, vertices: VertexWords, bounds: PixelRect): void
  forgetVertices(): void
}

/** Primitives that have been set up, listed by tiles. */
class ListedOutput implements SlotOutput {
  readonly #chunks: readonly ChunkWords[]
  readonly #writer: ChunkWriter
  readonly #code: SetupCode
  #slot = 0

  constructor(chunks: readonly ChunkWords[], writer: ChunkWriter, code: SetupCode) {
    this.#chunks = chunks
    this.#writer = writer
    this.#code = code
  }

  open(slot: number): void {
    this.#slot = slot
    this.#writer.open(this.#chunks[slot]!)
  }

  close(): void {
    const writer = this.#writer
    writer.close()
    const { counts } = this.#chunks[this.#slot]!
    counts[COUNT.tiles] = writer.tileCount
    counts[COUNT.primitives] = writer.primitiveCount
  }

  publish(board: Board, slot: number): void {
    const chunk = this.#chunks[slot]!
    board.publish(slot, chunk, chunk.counts[COUNT.tiles]!, chunk.counts[COUNT.primitives]!)
  }

  hasSpaceFor({ registerCount }: VertexArray): boolean {
    return this.#writer.hasSpaceFor(registerCount * 4)
  }

  attach(): void {}

  sinkFor(vertices: VertexArray, space: ChunkSpace): RecordSink {
    return new ChunkSink(vertices, this.#code, this.#writer, space, () => false)
  }

  add(p: SetUpPrimitive, vertices: VertexWords, bounds: PixelRect): void {
    this.#writer.add(p, vertices, bounds)
  }

  forgetVertices(): void {
    this.#writer.forgetVertices()
  }
}

/** Triangles that have not been set up, listed for shares of rows. */
class BandOutput implements SlotOutput {
  readonly #chunks: readonly BandChunk[]
  readonly #writer: BandWriter
  readonly #code: SetupCode

  constructor(chunks: readonly BandChunk[], writer: BandWriter, code: SetupCode) {
    this.#chunks = chunks
    this.#writer = writer
    this.#code = code
  }

  open(slot: number): void {
    this.#writer.open(this.#chunks[slot]!)
  }

  close(): void {
    this.#writer.close()
  }

  publish(board: Board, slot: number): void {
    const chunk = this.#chunks[slot]!
    board.publishShares(slot, chunk.counts.some((count) => count > 0) ? chunk.counts.length : 0)
  }

  hasSpaceFor(): boolean {
    return this.#writer.hasSpace
  }

  attach(vertices: VertexArray, raster: RasterStage): void {
    this.#writer.attach(vertices, raster.setup)
  }

  sinkFor(vertices: VertexArray, { ensure }: ChunkSpace): RecordSink {
    return new BandSink(vertices, this.#code, this.#writer, ensure)
  }

  add(p: SetUpPrimitive, _vertices: VertexWords, bounds: PixelRect): void {
    this.#writer.add(p, bounds)
  }

  forgetVertices(): void {
    this.#writer.forgetVertices()
  }
}

/** The output of a thread, which sets up with this code. */
export function newSlotOutput(
  buffer: ArrayBufferLike,
  work: TileWork,
  code: SetupCode,
  kernels: ElementKernels | undefined,
): SlotOutput {
  const { bands } = work
  if (bands === null) return new ListedOutput(chunksOf(buffer, work), newChunkWriter(work), code)
  const writer = new BandWriter(bands, work.raster.targetBounds.bottom, kernels)
  return new BandOutput(bandChunksOf(buffer, work, bands), writer, code.ofShares('lists', bands))
}
