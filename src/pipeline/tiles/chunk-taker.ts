import type { VertexArray } from '../geometry.ts'
import type { RecordTaker } from '../raster/index.ts'
import type { ChunkWriter } from './chunk-writer.ts'

const NO_WORDS = new Int32Array(0)
const NO_FLOATS = new Float32Array(0)

/** Takes triangles of an array of vertices as records of the chunks that a writer fills. */
export class ChunkTaker implements RecordTaker {
  readonly vertices: VertexArray
  readonly #writer: ChunkWriter
  readonly #makeRoom: () => void
  readonly #added: (pixels: number) => boolean
  wantsRest = false
  words: Int32Array = NO_WORDS
  floats: Float32Array = NO_FLOATS

  /** `makeRoom` sees that a chunk is open with room for a triangle; `added` answers whether the draw is to give way. */
  constructor(vertices: VertexArray, writer: ChunkWriter, makeRoom: () => void, added: (pixels: number) => boolean) {
    this.vertices = vertices
    this.#writer = writer
    this.#makeRoom = makeRoom
    this.#added = added
  }

  begin(): number {
    this.#makeRoom()
    this.words = this.#writer.words
    this.floats = this.#writer.floats
    return this.#writer.end
  }

  add(left: number, top: number, right: number, bottom: number): void {
    this.#writer.addRecord(this.vertices, left, top, right, bottom)
    if (this.#added(((right - left) * (bottom - top)) / 2)) this.wantsRest = true
  }
}
