/**
 * Reading and writing texels as shaders do: loads and stores by integer address, and the sampler of functional spec 7.18.
 *
 * Invariants: results are register bits in a caller's Uint32Array; every float operation is float32 in the order that
 * `arithmetic.ts` and `sampleTexture` document, with denormals flushed where values are blended and bits kept where a single
 * texel is passed on; positions and LODs are fixed point with 12 fraction bits, nearest even; NaN and infinite coordinates
 * pick defined texels; nothing allocates per access. Not re-entrant: one access at a time per thread of the host.
 * It reports nothing: bounds come back as a boolean.
 */
export {
  loadElement,
  loadTexel,
  placeInBlock,
  storeElement,
  storeTexel,
  texelOffset,
} from './access.ts'
export { FRACTION_BITS } from './arithmetic.ts'
export { borderColor } from './border.ts'
export { codeOf, codeScale, filtersCodes, isWithinCodes, POSITION_BITS, sumScale, WEIGHT_BITS } from './code-filter.ts'
export { bufferInfo, resourceInfo, sampleInfo, samplePosition } from './info.ts'
export { calculateLod, isAnisotropic, levelBounds } from './lod.ts'
export { HALF_ROOT, QUICK_SERIES } from './quick-logarithm.ts'
export {
  checkAccessMapped,
  FEEDBACK_FULLY_MAPPED,
  programmableOffset,
  type SampleRequest,
  sampleRequest,
} from './request.ts'
export { gatherTexels, hasQuickLevel, sampleTexture } from './sample.ts'
