import type { VertexArray } from '../geometry.ts'
import { type SetupCode, TRIANGLES_OF_A_CALL } from '../pixels/index.ts'
import type { PixelRect, RecordSink, TriangleSource, VertexSource } from '../raster/index.ts'
import type { ChunkWriter } from './chunk-writer.ts'

const NO_WORDS = new Int32Array(0)
const NO_FLOATS = new Float32Array(0)
/** Fewer triangles are not worth a call. */
const FEW_TRIANGLES = 16

/** Writes triangles of one vertex array as records into the chunks of a writer. */
export class ChunkSink implements RecordSink {
  readonly vertices: VertexArray
  readonly #writer: ChunkWriter
  readonly #ensureSpace: () => void
  readonly #setup: SetupCode
  readonly #added: (count: number, pixels: number) => boolean
  mustYield = false
  words: Int32Array = NO_WORDS
  floats: Float32Array = NO_FLOATS

  /** `ensureSpace` opens a chunk with space for a triangle; `added` returns whether the draw must yield, by triangles and their pixels. */
  constructor(
    vertices: VertexArray,
    setup: SetupCode,
    writer: ChunkWriter,
    ensureSpace: () => void,
    added: (count: number, pixels: number) => boolean,
  ) {
    this.vertices = vertices
    this.#setup = setup
    this.#writer = writer
    this.#ensureSpace = ensureSpace
    this.#added = added
  }

  begin(): number {
    this.#ensureSpace()
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
    const setup = this.#setup
    if (!setup.isReadyFor(source)) return from
    this.#ensureSpace()
    const writer = this.#writer
    const count = Math.min(to - from, TRIANGLES_OF_A_CALL, writer.space)
    if (count < FEW_TRIANGLES) return from
    const firstVertex = writer.copyVertices(this.vertices, endOfVertices(source, from, from + count))
    if (firstVertex < 0) return from
    const byteOffset = writer.words.byteOffset + writer.end * 4
    const next = setup.run(source, from, from + count, bounds, { byteOffset, firstVertex })
    const written = setup.count
    writer.addWhole(setup.boxes, written)
    if (this.#added(written, setup.pixelCount / 2)) this.mustYield = true
    return next
  }
}

/** One more than the largest number of a vertex of triangles: behind those there may be vertices of clipped ones. */
function endOfVertices({ vertices }: TriangleSource, from: number, to: number): number {
  let end = 0
  for (let i = from * 3; i < to * 3; i++) end = Math.max(end, vertices[i]! + 1)
  return end
}
