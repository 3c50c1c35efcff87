/**
 * A dispatch as a time line: every moment of it can be come to, from either side, and looked at.
 *
 * Invariants: the recording is the schedule, the bound bytes and the user's changes; the state at a clock does not depend
 * on how it was come to; forwards and backwards stop at the same moments; looking changes nothing, so that a run to the
 * end leaves the bytes, statistics and findings of one without a time line.
 * It names no engine: the host hands one in that can step, take snapshots and call observers. It depends on nothing of source
 * text, expressions and protocols: conditions are callbacks, and lines come from a `SourcePlaces`.
 */

export { type DrawBatch, invocationNamed } from './draw/batches.ts'
export { type DrawSource, verticesOf } from './draw/draw-run.ts'
export {
  createDrawTimeLine,
  type DrawTimeLine,
  type DrawTimeLineOptions,
} from './draw/draw-time-line.ts'
export type { FragmentLine } from './draw/fragment-line.ts'
export {
  type PixelContents,
  type PixelFragment,
  type PixelHistory,
  type PixelQuestion,
  pixelHistory,
} from './draw/pixel-history.ts'
export { hasLane, isGroup, lanesOf } from './lanes.ts'
export type * from './model.ts'
export { createTimeLine } from './time-line.ts'
