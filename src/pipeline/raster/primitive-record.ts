/** A primitive that has been set up, as words that other threads and compiled code read. */

export const RECORD = {
  /** Kind, 4 where it faces front, 8 times the edges that are edges of the primitive before clipping. */
  kind: 0,
  /** Numbers of the vertices in their array, then the leading one. */
  vertices: 1,
  leading: 4,
  x: 5,
  y: 8,
  /** Floats. */
  unsnapped: 11,
  z: 17,
  w: 20,
  viewportIndex: 23,
  renderTargetIndex: 24,
  primitiveId: 25,
  /** Bit n: clip distance n of those that the rasterizer is given cuts it. */
  clipDistances: 26,
  /** Place among the primitives of the draw where several threads run it, and the instance. */
  sequence: 27,
  instance: 28,
} as const
export const RECORD_WORDS = 32

export const RECORD_KINDS = ['point', 'line', 'triangle'] as const
export const RECORD_FRONT_FACING = 4

/** Memory for records. */
export interface RecordRoom {
  readonly words: Int32Array
  readonly floats: Float32Array
  count: number
}
