/**
 * Random frames of several draws and clears: made from a seed, run on engines, compared, counted and made smaller.
 *
 * A frame is plain data; what it holds depends on its seed alone, and what it is run with on the frame.
 */
export { asWideAs, compareFrame, type FrameComparison, outcomesText } from './compare.ts'
export { compareFastFrame } from './fast.ts'
export {
  addFeatures,
  addOutcomes,
  FEATURES,
  type FeatureCounts,
  OUTCOMES,
  printFeatures,
} from './features.ts'
export { randomFrame } from './frame.ts'
export type { RandomFrame } from './model.ts'
export { addPaths, PATHS, type PathCounts, printPaths, takePaths, watchPaths } from './paths.ts'
export { FRAMES_OF_POOL } from './pool.ts'
export { type DrawOutcome, type FrameRun, type PreparedDraw, runFrame, visitDraws } from './run.ts'
export { FAST_FRAME_SEEDS, FRAME_SEEDS } from './seeds.ts'
export { printFrame, shrinkFrame } from './shrink.ts'
