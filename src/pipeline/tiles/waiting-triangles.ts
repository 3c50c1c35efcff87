import { type CurrentPrimitive, type PixelRect, RECORD_WORDS, type SetUpPrimitive } from '../raster/index.ts'
import type { Viewport } from '../state.ts'
import { ChunkReader } from './chunk-reader.ts'
import { writeRecord } from './chunk-writer.ts'

/**
 * Triangles of many pixels, which are found part by part: the draw yields to the host between the parts. Those that come behind one of
 * the same primitive wait with it, so that the order stays.
 */

const NO_WORDS = new Int32Array(0)

export class WaitingTriangles {
  readonly #reader: ChunkReader
  readonly #clipDistances: readonly number[]
  #words = NO_WORDS
  #floats = new Float32Array(0)
  #count = 0
  /** The triangle that is found, and the row that it has come to; undefined where it has not begun. */
  #next = 0
  #row: number | undefined

  constructor(viewports: readonly Viewport[], clipDistances: readonly number[]) {
    this.#reader = new ChunkReader(viewports, clipDistances, 0)
    this.#clipDistances = clipDistances
  }

  get isEmpty(): boolean {
    return this.#count === 0
  }

  add(p: SetUpPrimitive): void {
    const at = this.#count++ * RECORD_WORDS
    if (at === this.#words.length) this.#grow()
    writeRecord(p, this.#clipDistances, this.#words, this.#floats, at)
  }

  #grow(): void {
    const words = new Int32Array(Math.max(RECORD_WORDS, this.#words.length * 2))
    words.set(this.#words)
    this.#words = words
    this.#floats = new Float32Array(words.buffer)
  }

  /** Passes on whole triangles while `take` takes them; whether nothing waits now. */
  passOn(take: (p: SetUpPrimitive) => boolean): boolean {
    const reader = this.#open()
    for (; this.#next < this.#count; this.#next++) {
      reader.read(this.#next)
      if (!take(reader)) return false
    }
    this.#clear()
    return true
  }

  #open(): ChunkReader {
    const reader = this.#reader
    reader.open({ primitives: this.#words, primitiveFloats: this.#floats, vertices: NO_WORDS })
    return reader
  }

  #clear(): void {
    this.#next = 0
    this.#count = 0
  }

  /** Passes on parts of about `quads` quads, while `find` answers that there is time for more; whether nothing waits now. */
  run(
    boundsOf: (p: CurrentPrimitive) => PixelRect,
    quads: number,
    find: (p: CurrentPrimitive, part: PixelRect) => boolean,
  ): boolean {
    const reader = this.#open()
    while (this.#next < this.#count) {
      reader.read(this.#next)
      const box = boxOf(reader, boundsOf(reader))
      const top = this.#row ?? box.top
      const columns = ((box.right + 1) >> 1) - (box.left >> 1)
      // Parts end at even rows, as quads do.
      const bottom = Math.min(box.bottom, (top & ~1) + 2 * Math.max(1, Math.floor(quads / columns)))
      this.#row = bottom
      if (bottom >= box.bottom) {
        this.#row = undefined
        this.#next++
      }
      const goesOn = top < bottom ? find(reader, { ...box, top, bottom }) : true
      if (!goesOn && this.#next < this.#count) return false
    }
    this.#clear()
    return true
  }
}

/** The pixels that a triangle's box touches inside of bounds. */
export function boxOf({ x, y }: CurrentPrimitive, bounds: PixelRect): PixelRect {
  return {
    left: Math.max(bounds.left, Math.min(x[0]!, x[1]!, x[2]!) >> 8),
    top: Math.max(bounds.top, Math.min(y[0]!, y[1]!, y[2]!) >> 8),
    right: Math.min(bounds.right, (Math.max(x[0]!, x[1]!, x[2]!) >> 8) + 1),
    bottom: Math.min(bounds.bottom, (Math.max(y[0]!, y[1]!, y[2]!) >> 8) + 1),
  }
}
