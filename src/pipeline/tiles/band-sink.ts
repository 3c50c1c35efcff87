import type { VertexArray } from '../geometry.ts'
import type { SetupCode } from '../pixels/index.ts'
import {
  type PixelRect,
  RECORD_WORDS,
  type RecordSink,
  type TriangleSource,
  type VertexSource,
} from '../raster/index.ts'
import type { BandWriter } from './band-writer.ts'

/** Writes triangles of one vertex array, as far as they are small and inside of all planes, into the chunks of a writer. */
export class BandSink implements RecordSink {
  readonly vertices: VertexArray
  readonly words = new Int32Array(RECORD_WORDS)
  readonly floats = new Float32Array(this.words.buffer)
  readonly mustYield = false
  readonly #writer: BandWriter
  readonly #code: SetupCode
  readonly #ensureSpace: () => void

  /** `ensureSpace` opens a chunk with space for a triangle. */
  constructor(vertices: VertexArray, code: SetupCode, writer: BandWriter, ensureSpace: () => void) {
    this.vertices = vertices
    this.#code = code
    this.#writer = writer
    this.#ensureSpace = ensureSpace
  }

  begin(): number {
    return 0
  }

  add(_left: number, top: number, _right: number, bottom: number): void {
    this.#ensureSpace()
    this.#writer.addRecord(this.words, top, bottom)
  }

  setsUp(count: number): boolean {
    return this.#code.setsUp(count)
  }

  place(source: VertexSource, from: number, count: number): boolean {
    return this.#code.place(source, from, count)
  }

  setUp(source: TriangleSource, from: number, to: number, bounds: PixelRect): number {
    if (!this.#code.isReadyFor(source) || !this.#writer.takes(source.vertices, from, to)) return from
    this.#ensureSpace()
    return this.#writer.addByCode(this.#code, source, from, to, bounds)
  }
}
