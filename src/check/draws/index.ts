/** The checker for draws: detectors of each stage, and those that a draw alone needs. */
export {
  createDrawCheck,
  type DrawCheck,
  type DrawCheckOptions,
  type DrawOutcome,
  type DrawStage,
  isOfPipeline,
  overflowFindings,
  refusedDraw,
  type StageToWatch,
  stageOfPlace,
  watchStages,
} from './draw-check.ts'
