import type { RasterizerState, Viewport } from '../state.ts'
import type { ClipPlanes } from './clip.ts'
import type { DepthBiasUnit } from './depth-bias.ts'
import type { PixelRect } from './primitive.ts'

/** A primitive that has been set up, as words that other threads and compiled code read. */

export const RECORD = {
  /** Kind, 4 where it faces front, 8 times the edges that are edges of the primitive before clipping, RECORD_PLAIN and RECORD_THIN. */
  kind: 0,
  x: 1,
  y: 4,
  /** Floats. */
  z: 7,
  w: 10,
  /** Numbers of the vertices in their array, then the leading one. */
  vertices: 13,
  leading: 16,
  primitiveId: 17,
  instance: 18,
  viewportIndex: 19,
  renderTargetIndex: 20,
  /** Bit n: clip distance n of those that the rasterizer is given cuts it. */
  clipDistances: 21,
  /** Place among the primitives of the draw where several threads run it. */
  sequence: 22,
  /** Floats. */
  unsnapped: 23,
} as const
export const RECORD_WORDS = 32

export const RECORD_KINDS = ['point', 'line', 'triangle'] as const
export const RECORD_FRONT_FACING = 4
/** A small triangle with an area, of the first viewport and slice, that no clip distance cuts: compiled code covers it as it is. */
export const RECORD_PLAIN = 64
/** A thin triangle, by the rule of `planes.ts`. */
export const RECORD_THIN = 128
/** The first word of a plain triangle that faces back, was not clipped and is not thin. */
export const PLAIN_TRIANGLE = RECORD_KINDS.indexOf('triangle') | (7 << 3) | RECORD_PLAIN

/** Memory for records; when it is full the next record replaces the oldest. */
export interface RecordRing {
  readonly words: Int32Array
  readonly floats: Float32Array
  /** The next record. */
  next: number
}

/** The element where the next record goes. */
export function nextRecord(ring: RecordRing): number {
  const at = ring.next * RECORD_WORDS
  ring.next = at + RECORD_WORDS === ring.words.length ? 0 : ring.next + 1
  return at
}

/** Triangles of a draw with their vertices on the screen. */
export interface TriangleSource {
  readonly vertices: Int32Array
  readonly ids: Int32Array
  readonly instances: Int32Array
  /** By SCREEN_WORDS. */
  readonly screen: Int32Array
  readonly state: {
    readonly rasterizer: RasterizerState
    readonly biasUnit: DepthBiasUnit
    readonly centersOnly: boolean
  }
}

/** Vertices to be placed on the screen. */
export interface VertexSource {
  readonly viewport: Viewport
  readonly planes: ClipPlanes
  readonly vertices: Int32Array
  /** Words of a vertex, and those before its position. */
  readonly width: number
  readonly position: number
  /** By SCREEN_WORDS. */
  readonly screen: Int32Array
}

/** Takes triangles as records, one after the other. */
export interface RecordSink {
  /** Whether it has code for which so many triangles are worth a call. */
  setsUp?(count: number): boolean
  /** Places `count` vertices from one on, a multiple of 4, as far as they are inside of all planes; false where it has no code. */
  place?(source: VertexSource, from: number, count: number): boolean
  /** Sets up triangles from `from` on by that code, and takes them; answers the first that it has not. */
  setUp?(source: TriangleSource, from: number, to: number, bounds: PixelRect): number
  /** Where records are; another array after each of `begin`. */
  readonly words: Int32Array
  readonly floats: Float32Array
  /** The element where the next one goes. */
  begin(): number
  /** It has been written: it may have pixels in this rectangle. */
  add(left: number, top: number, right: number, bottom: number): void
  /** The draw has run long enough that it must yield to the host. */
  mustYield: boolean
}
