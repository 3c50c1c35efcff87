/**
 * Draws: pipelines checked once, and the loop that runs stages, rasterizer and output merger over the primitives of a draw.
 *
 * Invariants: what a draw leaves does not depend on sizes of batches; primitives, quads and samples are merged in the order
 * of the primitives; shaders that write memory run in that order too. It imports no engine: it is given one.
 */
export { automaticCall, filledBytes, indirectCall, setFilledBytes } from './counts.ts'
export type { BlendDescription, Pipeline, PipelineDescription } from './description.ts'
export { beginDraw, beginDrawInParts, type DrawInProgress, refusedDraw } from './draw.ts'
export { storagesOf } from './hazards.ts'
export { createPipeline } from './pipeline.ts'
export { type DrawOptions, type DrawResources, type DrawResult, SHADER_STAGES, type ShaderStage } from './resources.ts'
export { runDrawInSlices } from './run-in-slices.ts'
