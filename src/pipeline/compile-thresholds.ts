/** From how much of a draw on compiled code for the fixed function pays, which takes milliseconds to make; tests choose it for everything. */
export const compileThresholds = {
  /** Small triangles of a draw. */
  triangles: 128,
  /** Vertices that are copied to columns of batches or from them. */
  vertices: 1024,
  /** Words of vertices that lie in the engine's memory. */
  vertexWords: 1024,
}
