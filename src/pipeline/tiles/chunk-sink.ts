import type { VertexArray } from '../geometry.ts'
import { type SetupCode, TRIANGLES_OF_A_CALL } from '../pixels/index.ts'
import type { PixelRect, RecordSink, TriangleSource, VertexSource } from '../raster/index.ts'
import type { ChunkWriter } from './chunk-writer.ts'

const NO_WORDS = new Int32Array(0)
const NO_FLOATS = new Float32Array(0)
/** Fewer triangles are not worth a call. */
export const FEW_TRIANGLES = 16

/** Where a sink has room. */
export interface ChunkSpace {
  /** Opens a chunk with space for a triangle, where the one that is open has none. */
  ensure(): void
  /** Goes on in another chunk. */
  change(): void
}

/** Writes triangles of one vertex array as records into the chunks of a writer. */
export class ChunkSink implements RecordSink {
  readonly vertices: VertexArray
  readonly #writer: ChunkWriter
  readonly #space: ChunkSpace
  readonly #setup: SetupCode
  readonly #added: (count: number, pixels: number) => boolean
  mustYield = false
  words: Int32Array = NO_WORDS
  floats: Float32Array = NO_FLOATS

  /** `added` returns whether the draw must yield, by triangles and their pixels. */
  constructor(
    vertices: VertexArray,
    setup: SetupCode,
    writer: ChunkWriter,
    space: ChunkSpace,
    added: (count: number, pixels: number) => boolean,
  ) {
    this.vertices = vertices
    this.#setup = setup
    this.#writer = writer
    this.#space = space
    this.#added = added
  }

  begin(): number {
    this.#space.ensure()
    this.words = this.#writer.words
    this.floats = this.#writer.floats
    return this.#writer.end
  }

  add(left: number, top: number, right: number, bottom: number): void {
    this.#writer.addRecord(this.vertices, left, top, right, bottom)
    if (this.#added(1, ((right - left) * (bottom - top)) / 2)) this.mustYield = true
  }

  setsUp(count: number): boolean {
    return this.#setup.result === 'records' && this.#setup.setsUp(count)
  }

  place(source: VertexSource, from: number, count: number): boolean {
    return this.#setup.place(source, from, count)
  }

  setUp(source: TriangleSource, from: number, to: number, bounds: PixelRect): number {
    if (!this.#setup.isReadyFor(source)) return from
    let at = from
    while (at < to && !this.mustYield) {
      const end = Math.min(to, at + TRIANGLES_OF_A_CALL)
      at = this.#setUpSome(source, at, end, bounds)
      if (at < end) break
    }
    return at
  }

  #setUpSome(source: TriangleSource, from: number, to: number, bounds: PixelRect): number {
    const setup = this.#setup
    this.#space.ensure()
    const most = to - from
    const writer = this.#writer
    if (writer.space < Math.min(most, FEW_TRIANGLES)) this.#space.change()
    const count = Math.min(most, writer.space)
    if (count < FEW_TRIANGLES) return from
    const [first, end] = rangeOfVertices(source, from, from + count)
    let firstVertex = writer.copyVertices(this.vertices, first, end)
    if (firstVertex === undefined && writer.primitiveCount > 0) {
      // One at a time they would fill what is left, but not by code.
      this.#space.change()
      firstVertex = writer.copyVertices(this.vertices, first, end)
    }
    if (firstVertex === undefined) return from
    const byteOffset = writer.words.byteOffset + writer.end * 4
    const next = setup.run(source, from, from + count, bounds, { byteOffset, firstVertex })
    const written = setup.count
    writer.addWhole(setup.boxes, written)
    if (this.#added(written, setup.pixelCount / 2)) this.mustYield = true
    return next
  }
}

/** The least number of a vertex of triangles, and the one behind the largest. */
export function rangeOfVertices({ vertices }: TriangleSource, from: number, to: number): readonly [number, number] {
  let first = vertices[from * 3]!
  let last = first
  for (let i = from * 3 + 1; i < to * 3; i++) {
    const vertex = vertices[i]!
    if (vertex < first) first = vertex
    else if (vertex > last) last = vertex
  }
  return [first, last + 1]
}
