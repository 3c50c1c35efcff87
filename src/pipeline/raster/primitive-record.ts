/** A primitive that has been set up, as words that other threads and compiled code read. */

export const RECORD = {
  /** Kind, 4 where it faces front, 8 times the edges that are edges of the primitive before clipping, and RECORD_PLAIN. */
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
/** A small triangle with an area, of the first viewport and slice, that no clip distance cuts: compiled code covers it as it is. */
export const RECORD_PLAIN = 64

/** Memory for records, of which the oldest gives way to the next. */
export interface RecordRoom {
  readonly words: Int32Array
  readonly floats: Float32Array
  /** The next record. */
  next: number
}

/** The element where the next record of a room goes. */
export function nextRecord(room: RecordRoom): number {
  const at = room.next * RECORD_WORDS
  room.next = at + RECORD_WORDS === room.words.length ? 0 : room.next + 1
  return at
}

/** Takes triangles as records, one after the other. */
export interface RecordTaker {
  /** Where records are; another array after each of `begin`. */
  readonly words: Int32Array
  readonly floats: Float32Array
  /** The element where the next one goes. */
  begin(): number
  /** It has been written: it may have pixels in this rectangle. */
  add(left: number, top: number, right: number, bottom: number): void
  /** There has been much to do, so that the draw is to give way. */
  wantsRest: boolean
}
