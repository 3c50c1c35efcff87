/**
 * From how much of a draw on compiled code for the fixed function pays, which takes milliseconds to make, and other sizes that
 * tests choose so that small draws have everything.
 */
export const compileThresholds = {
  /** Small triangles of a draw, or quads of their boxes. */
  triangles: 128,
  triangleQuads: 128,
  /** Quads that are tested, shaded or stored together. */
  quads: 128,
  /** Quads of a draw from which bounds of its depth buffer pay, which take two programs more. */
  boundedQuads: 65536,
  /** Vertices that are copied to columns of batches or from them. */
  vertices: 1024,
  /** Words of vertices that lie in the engine's memory. */
  vertexWords: 1024,
  /** Bytes that clears of an engine have filled, and those that one fills. */
  filledBytes: 64 * 1024 * 1024,
  filledAtOnce: 16 * 1024,
  /** Pixels whose samples are resolved together. */
  resolved: 65536,
  /**
   * Bytes of targets in a band: a part of a processor's cache of the second level, which has one or two MB. Targets of as many bands
   * as `bands` are drawn band by band.
   */
  bandBytes: 512 * 1024,
  bands: 16,
  /** Bytes of targets up to which a list of triangles for bands has the least room; twice the bytes, twice the room. */
  bandRoomBytes: 32 * 1024 * 1024,
  /**
   * Pixels of a chunk of a shared draw after which it is published though there is room for more: few of the first, so that other threads
   * begin early, many of those that follow, so that there is much to do in each tile.
   */
  firstChunkPixels: 65_536,
  chunkPixels: 2_097_152,
  /** Bytes of a target's first slice from which on its lines are read ahead: fewer stay in a cache. */
  farBytes: 512 * 1024,
}
