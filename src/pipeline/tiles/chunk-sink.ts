import type { VertexArray } from '../geometry.ts'
import type { RecordSink } from '../raster/index.ts'
import type { ChunkWriter } from './chunk-writer.ts'

const NO_WORDS = new Int32Array(0)
const NO_FLOATS = new Float32Array(0)

/** Writes triangles of one vertex array as records into the chunks of a writer. */
export class ChunkSink implements RecordSink {
  readonly vertices: VertexArray
  readonly #writer: ChunkWriter
  readonly #ensureSpace: () => void
  readonly #added: (pixels: number) => boolean
  mustYield = false
  words: Int32Array = NO_WORDS
  floats: Float32Array = NO_FLOATS

  /** `ensureSpace` opens a chunk with space for a triangle; `added` returns whether the draw must yield. */
  constructor(vertices: VertexArray, writer: ChunkWriter, ensureSpace: () => void, added: (pixels: number) => boolean) {
    this.vertices = vertices
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
    if (this.#added(((right - left) * (bottom - top)) / 2)) this.mustYield = true
  }
}
