/**
 * The output merger (functional specification 17): depth and stencil tests, blending, logic operations, alpha to coverage, and elements
 * of targets as numbers.
 *
 * Invariants: everything is decided per sample and in the order of the calls; conversions to a format round once, exactly;
 * what runs per sample is defined over `ValueOps` too (`*-words.ts`), for compilers; tests hold the code with numbers against it.
 * Samples outside a target are neither tested nor written. It depends on no rasterizer.
 */
export { alphaToCoverage } from './alpha-to-coverage.ts'
export { type ApproximateStore, doubtWord, type Fractions } from './approximate-store.ts'
export type { SourceBounds } from './approximate-sums.ts'
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
  clampDepth,
  createDepthStencilTest,
  type DepthAlone,
  type DepthStencilTest,
  depthPlane,
  depthToCode,
  type SampleTest,
  stencilByte,
} from './depth-stencil.ts'
export {
  comparedDepth,
  type DepthStencilTestState,
  depthStencilElement,
  failsForGood,
  hasDepthStencilWords,
  passableDepth,
  type TestedSample,
  testStateText,
} from './depth-stencil-program.ts'
export {
  clampDepthWord,
  depthPassesWord,
  stencilMergeWord,
  stencilPassesWord,
  stencilResultWord,
} from './depth-stencil-words.ts'
export {
  type ComponentCode,
  componentCode,
  createElement,
  type Element,
  elementReader,
  elementWriter,
  type FormatField,
  fieldsOf,
  lowBits,
} from './element.ts'
export { snormCodeWord, unormCodeWord } from './element-words.ts'
export { floatBits } from './fast-codes.ts'
