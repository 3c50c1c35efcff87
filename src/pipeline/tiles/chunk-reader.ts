import type { VertexArray } from '../geometry.ts'
import type { CurrentPrimitive, ScreenPrimitive } from '../raster/index.ts'
import type { Viewport } from '../state.ts'
import { type ChunkWords, KINDS, PRIMITIVE, PRIMITIVE_WORDS } from './chunk.ts'

/** Primitives of chunks, one at a time, as if they had just been set up. */

const NONE: readonly number[] = []

type Three = [number, number, number]

export class ChunkReader implements CurrentPrimitive {
  readonly #viewports: readonly Viewport[]
  readonly #clipDistances: readonly number[]
  #chunk: ChunkWords | undefined
  #at = 0
  kind: ScreenPrimitive['kind'] = 'point'
  readonly x = new Int32Array(3)
  readonly y = new Int32Array(3)
  area2 = 0
  viewportIndex = 0
  renderTargetIndex = 0
  viewport: Viewport
  clipDistances: readonly number[] = NONE
  readonly #depths = new Float64Array(3)
  /** The vertices of the chunk that is read. */
  readonly vertices: VertexArray

  constructor(viewports: readonly Viewport[], clipDistances: readonly number[], registerCount: number) {
    this.#viewports = viewports
    this.#clipDistances = clipDistances
    this.viewport = viewports[0]!
    this.vertices = { registerCount, count: 0, words: new Int32Array(0) }
  }

  open(chunk: ChunkWords): void {
    this.#chunk = chunk
    this.vertices.words = chunk.vertices
  }

  /** Goes to a primitive of the chunk. */
  read(primitive: number): void {
    const w = this.#chunk!.primitives
    const at = primitive * PRIMITIVE_WORDS
    const { x, y } = this
    this.#at = at
    this.kind = KINDS[w[at]! & 3]!
    for (let i = 0; i < 3; i++) {
      x[i] = w[at + PRIMITIVE.x + i]!
      y[i] = w[at + PRIMITIVE.y + i]!
    }
    this.area2 = this.kind === 'triangle' ? (x[1]! - x[0]!) * (y[2]! - y[0]!) - (x[2]! - x[0]!) * (y[1]! - y[0]!) : 0
    this.viewportIndex = w[at + PRIMITIVE.viewportIndex]! >>> 0
    this.renderTargetIndex = w[at + PRIMITIVE.renderTargetIndex]! >>> 0
    this.viewport = this.#viewports[this.viewportIndex] ?? this.#viewports[0]!
    const cutting = w[at + PRIMITIVE.clipDistances]!
    this.clipDistances = cutting === 0 ? NONE : this.#clipDistances.filter((_, n) => (cutting & (1 << n)) !== 0)
  }

  depths(): Float64Array {
    const { primitiveFloats: f } = this.#chunk!
    for (let i = 0; i < 3; i++) this.#depths[i] = f[this.#at + PRIMITIVE.z + i]!
    return this.#depths
  }

  look(): ScreenPrimitive {
    return this.keep()
  }

  keep(): ScreenPrimitive {
    const { primitives: w, primitiveFloats: f } = this.#chunk!
    const at = this.#at
    const words = (first: number): Three => [w[at + first]!, w[at + first + 1]!, w[at + first + 2]!]
    const floats = (first: number): Three => [f[at + first]!, f[at + first + 1]!, f[at + first + 2]!]
    return {
      kind: this.kind,
      vertices: words(PRIMITIVE.vertices),
      leading: w[at + PRIMITIVE.leading]!,
      x: words(PRIMITIVE.x),
      y: words(PRIMITIVE.y),
      unsnapped: [...floats(PRIMITIVE.unsnapped), ...floats(PRIMITIVE.unsnapped + 3)],
      z: floats(PRIMITIVE.z),
      w: floats(PRIMITIVE.w),
      area2: this.area2,
      isFrontFacing: (w[at]! & 4) !== 0,
      viewport: this.viewport,
      viewportIndex: this.viewportIndex,
      renderTargetIndex: this.renderTargetIndex,
      primitiveId: w[at + PRIMITIVE.primitiveId]!,
      clipDistances: this.clipDistances,
      originalEdges: w[at]! >> 3,
      sequence: w[at + PRIMITIVE.sequence]!,
      instance: w[at + PRIMITIVE.instance]!,
    }
  }
}
