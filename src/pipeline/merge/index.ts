/**
 * The output merger and what else writes targets as a whole (functional specification 17, 5.2.3, 5.6): depth and stencil
 * tests, blending, logic operations, alpha to coverage, clears, resolves, copies and generated mips.
 *
 * Invariants: everything is decided per sample and in the order of the calls; conversions to a format round once, exactly;
 * what runs per sample is defined over `ValueOps` too (`*-words.ts`), for compilers; tests hold the code with numbers against it.
 * Samples outside a target are neither tested nor written; clears, copies and resolves check what they get and answer what was
 * wrong. It depends on no rasterizer.
 */
export { alphaToCoverage } from './alpha-to-coverage.ts'
export {
  type ColorMerge,
  type ColorMergeOptions,
  type CompilableStore,
  createColorMerge,
  isDualSource,
  type MergedColors,
  type MergedQuads,
  targetBlend,
} from './blend.ts'
export type { StoreProgram, StoreWords } from './blend-program.ts'
export { type BlendWords, blendWords, type ClampRange, logicWord } from './blend-words.ts'
export { checkOutputMerger } from './check.ts'
export {
  type Color,
  clearDepthStencil,
  clearRenderTarget,
  clearUnorderedAccessFloat,
  clearUnorderedAccessUint,
  type DepthStencilClear,
} from './clear.ts'
export { type CopyBox, type CopyDestination, type CopySource, canCopy, copyRegion, copyResource } from './copy.ts'
export { copyStructureCount } from './copy-count.ts'
export {
  clampDepth,
  createDepthStencilTest,
  type DepthAlone,
  type DepthStencilTest,
  depthToCode,
  type SampleTest,
} from './depth-stencil.ts'
export {
  comparedDepth,
  type DepthStencilTestState,
  depthStencilElement,
  failsForGood,
  hasDepthStencilWords,
  passableDepth,
  type TestedSample,
} from './depth-stencil-program.ts'
export {
  clampDepthWord,
  depthPassesWord,
  stencilMergeWord,
  stencilPassesWord,
  stencilResultWord,
} from './depth-stencil-words.ts'
export { snormCodeWord, unormCodeWord } from './element-words.ts'
export { generateMips } from './generate-mips.ts'
export { resolveTexture, type SubresourcePlace } from './resolve.ts'
