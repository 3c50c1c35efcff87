import type { VertexArray } from '../geometry.ts'
import {
  newRefilledPrimitive,
  nextRecord,
  RECORD,
  RECORD_FRONT_FACING,
  RECORD_KINDS,
  RECORD_WORDS,
  type RecordRing,
  type ScreenPrimitive,
  type SetUpPrimitive,
} from '../raster/index.ts'
import type { Viewport } from '../state.ts'
import type { ChunkWords } from './chunk.ts'

/** Primitives of chunks, one at a time, as if they had just been set up. */

const NONE: readonly number[] = []

/** Records with the vertices that they name. */
type RecordWords = Pick<ChunkWords, 'primitives' | 'primitiveFloats' | 'vertices'>

export class ChunkReader implements SetUpPrimitive {
  readonly #viewports: readonly Viewport[]
  readonly #clipDistances: readonly number[]
  #chunk: RecordWords | undefined
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
  readonly #whole = newRefilledPrimitive()
  /** The vertices of the chunk that is read. */
  readonly vertices: VertexArray

  constructor(viewports: readonly Viewport[], clipDistances: readonly number[], registerCount: number) {
    this.#viewports = viewports
    this.#clipDistances = clipDistances
    this.viewport = viewports[0]!
    this.vertices = { registerCount, count: 0, words: new Int32Array(0), vertexMemory: undefined }
  }

  open(chunk: RecordWords): void {
    this.#chunk = chunk
    this.vertices.words = chunk.vertices
  }

  /** Goes to a primitive of the chunk. */
  read(primitive: number): void {
    const w = this.#chunk!.primitives
    const at = primitive * RECORD_WORDS
    const { x, y } = this
    this.#at = at
    this.kind = RECORD_KINDS[w[at]! & 3]!
    for (let i = 0; i < 3; i++) {
      x[i] = w[at + RECORD.x + i]!
      y[i] = w[at + RECORD.y + i]!
    }
    this.area2 = this.kind === 'triangle' ? (x[1]! - x[0]!) * (y[2]! - y[0]!) - (x[2]! - x[0]!) * (y[1]! - y[0]!) : 0
    this.viewportIndex = w[at + RECORD.viewportIndex]! >>> 0
    this.renderTargetIndex = w[at + RECORD.renderTargetIndex]! >>> 0
    this.viewport = this.#viewports[this.viewportIndex] ?? this.#viewports[0]!
    const cutting = w[at + RECORD.clipDistances]!
    this.clipDistances = cutting === 0 ? NONE : this.#clipDistances.filter((_, n) => (cutting & (1 << n)) !== 0)
  }

  depths(): Float64Array {
    const { primitiveFloats: f } = this.#chunk!
    for (let i = 0; i < 3; i++) this.#depths[i] = f[this.#at + RECORD.z + i]!
    return this.#depths
  }

  write(words: Int32Array, _: Float32Array, at: number): void {
    words.set(this.#chunk!.primitives.subarray(this.#at, this.#at + RECORD_WORDS), at)
  }

  /** Records of chunks are where they are; those in memory of this thread alone are copied. */
  record(ring: RecordRing): number {
    const { primitives } = this.#chunk!
    if (primitives.buffer === ring.words.buffer) return primitives.byteOffset + this.#at * 4
    const at = nextRecord(ring)
    for (let i = 0; i < RECORD_WORDS; i++) ring.words[at + i] = primitives[this.#at + i]!
    return ring.words.byteOffset + at * 4
  }

  look(): ScreenPrimitive {
    const { primitives: w, primitiveFloats: f } = this.#chunk!
    const at = this.#at
    const whole = this.#whole
    whole.kind = this.kind
    whole.leading = w[at + RECORD.leading]!
    whole.area2 = this.area2
    whole.isFrontFacing = (w[at]! & RECORD_FRONT_FACING) !== 0
    whole.viewport = this.viewport
    whole.viewportIndex = this.viewportIndex
    whole.renderTargetIndex = this.renderTargetIndex
    whole.primitiveId = w[at + RECORD.primitiveId]!
    whole.clipDistances = this.clipDistances
    whole.originalEdges = (w[at]! >> 3) & 7
    whole.sequence = w[at + RECORD.sequence]!
    whole.instance = w[at + RECORD.instance]!
    for (let i = 0; i < 3; i++) {
      whole.vertices[i] = w[at + RECORD.vertices + i]!
      whole.x[i] = this.x[i]!
      whole.y[i] = this.y[i]!
      whole.unsnapped[i * 2] = f[at + RECORD.unsnapped + i * 2]!
      whole.unsnapped[i * 2 + 1] = f[at + RECORD.unsnapped + i * 2 + 1]!
      whole.z[i] = f[at + RECORD.z + i]!
      whole.w[i] = f[at + RECORD.w + i]!
    }
    return whole
  }
}
