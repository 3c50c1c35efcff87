import type { PrimitiveArray, VertexArray } from '../geometry.ts'
import type { PixelStage } from '../pixels/index.ts'
import type { EmittedPoints, StreamOutput } from '../streams/index.ts'
import type { RasterStage } from '../tiles/index.ts'

/** What takes assembled primitives: tessellation, the geometry shader, or stream output and the rasterizer. */
export interface PrimitiveConsumer {
  /** Takes the primitives from `from` up to, not including, `to`, and yields to the host in between. */
  add(primitives: PrimitiveArray, from: number, to: number): Generator<void, void>
  /** Runs all that waits. */
  flush(): Generator<void, void>
  /** The array that its primitives are numbers of will be filled anew: nothing may refer to it any more. */
  clearVertices(): void
}

/** Vertices of the tessellator or a geometry shader that are kept until the pixels that need them have run. */
export const MOST_VERTICES = 4096

/** Stream output and the rasterizer, where there are any. */
export class LastStage implements PrimitiveConsumer {
  readonly #vertices: VertexArray
  readonly #streamOutput: StreamOutput | undefined
  readonly #raster: RasterStage | undefined
  readonly #pixels: PixelStage | undefined

  constructor(
    vertices: VertexArray,
    streamOutput: StreamOutput | undefined,
    raster: RasterStage | undefined,
    pixels: PixelStage | undefined,
  ) {
    this.#vertices = vertices
    this.#streamOutput = streamOutput
    this.#raster = raster
    this.#pixels = pixels
  }

  *add(primitives: PrimitiveArray, from: number, to: number): Generator<void, void> {
    this.writeStream(0, primitives, from, to)
    yield* this.rasterize(primitives, from, to)
  }

  writeStream(stream: number, primitives: PrimitiveArray, from: number, to: number): void {
    this.#streamOutput?.write(stream, this.#vertices, primitives, from, to)
  }

  writePoints(stream: number, points: EmittedPoints): void {
    this.#streamOutput?.writePoints(stream, points)
  }

  *rasterize(primitives: PrimitiveArray, from: number, to: number): Generator<void, void> {
    const raster = this.#raster
    if (raster === undefined) return
    let at = raster.add(primitives, from, to)
    while (at < to || raster.isWaiting) {
      yield
      at = raster.add(primitives, at, to)
    }
  }

  *flush(): Generator<void, void> {
    while (this.#raster?.finish() === false) yield
    if (this.#pixels === undefined) return
    this.#pixels.flush()
    yield
  }

  /** Pixels that wait have copies of what they read of vertices; triangles whose pixels are not found yet do not. */
  clearVertices(): void {
    this.#pixels?.pass()
    this.#raster?.clearVertices()
  }
}
