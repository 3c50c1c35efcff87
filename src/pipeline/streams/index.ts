/**
 * What geometry shaders put out, and stream output (functional specification 13.4, 14).
 *
 * Invariants: strips become lists with the leading vertex first; a primitive is written to all buffers of its stream or to
 * none; the first that does not fit ends writing to that stream for the rest of the draw, and counting goes on.
 */

export type { WordRun } from './emitted-program.ts'
export {
  createStreamOutput,
  type EmittedPoints,
  type StreamBuffer,
  type StreamOutput,
  type StreamOutputLayout,
  type StreamStatistics,
  streamOutputLayout,
} from './stream-output.ts'
export { StripAssembler } from './strips.ts'
