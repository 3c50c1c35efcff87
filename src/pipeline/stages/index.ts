/**
 * The shader stages of a draw before the rasterizer: vertices, patches and primitives of geometry shaders, by batches, and the parts that
 * a long draw is run in.
 *
 * Invariants: primitives keep their order through every stage; what is shaded does not depend on the parts. Stages hand primitives on
 * to what stands behind them and depend on nothing of pixels.
 */
export { LastStage } from './consumer.ts'
export { drawParts, elementCount, verticesOfPrimitive } from './draw-parts.ts'
export { TESSELLATION_FACTORS } from './hull-stage.ts'
export { keepsBatches, type PartPlan, PartRunner, type PartSource, partPlan } from './part-runner.ts'
export { StageChain, type StageShaders, type StageState } from './stage-chain.ts'
export { newStatistics, type PipelineStatistics } from './statistics.ts'
export type { SystemInput } from './vertex-stage.ts'
