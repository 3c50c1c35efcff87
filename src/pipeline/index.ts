/**
 * The graphics pipeline of Direct3D 11: fixed function around shaders that an engine runs.
 *
 * `input` fetches vertices, `tessellator` divides patches, `streams` takes what geometry shaders put out, `raster` finds
 * pixels, `pixels` shades them, `merge` tests, blends and stores, `draw` puts them together; `surfaces`
 * clears, resolves and copies whole resources. It imports no engine: a draw is given one.
 */

export { compileThresholds } from './compile-thresholds.ts'
export * from './draw/index.ts'
export { runShared } from './front/index.ts'
export type { BoundIndexBuffer, BoundVertexBuffer, DrawCall } from './input/index.ts'
export { pipelineShader } from './pipeline-shader.ts'
export type { PipelineShader, SignatureRegister } from './shader.ts'
export {
  drawParts,
  newStatistics,
  type PipelineStatistics,
  TESSELLATION_FACTORS,
  verticesOfPrimitive,
} from './stages/index.ts'
export type * from './state.ts'
export type { StreamBuffer, StreamStatistics } from './streams/index.ts'
export {
  type CopyBox,
  clearDepthParts,
  clearDepthStencil,
  clearFloatParts,
  clearRenderTarget,
  clearTargetParts,
  clearUintParts,
  clearUnorderedAccessFloat,
  clearUnorderedAccessUint,
  copyRegion,
  copyResource,
  copyStructureCount,
  generateMips,
  resolveTexture,
} from './surfaces/index.ts'
export { sharedCounts } from './tiles/index.ts'
