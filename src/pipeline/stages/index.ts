/**
 * The shader stages of a draw before the rasterizer: vertices, patches and primitives of geometry shaders, by batches, and the parts that
 * a long draw is run in.
 *
 * Invariants: primitives keep their order through every stage; what is shaded does not depend on the parts. Stages hand primitives on
 * to what stands behind them and depend on nothing of pixels.
 */
export { LastStage, MOST_VERTICES, type PrimitiveConsumer } from './consumer.ts'
export { drawParts, elementCount, handOn, MOST_PART_ELEMENTS, partLength } from './draw-parts.ts'
export { GeometryStage } from './geometry-stage.ts'
export { newStatistics, type PipelineStatistics } from './statistics.ts'
export { TessellationStage } from './tessellation-stage.ts'
export { type VertexPlan, VertexStage } from './vertex-stage.ts'
