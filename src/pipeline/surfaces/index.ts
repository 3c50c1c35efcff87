/**
 * What writes resources as a whole (functional specification 5.2.3, 5.6): clears, resolves, copies and generated mips.
 *
 * Invariants: each checks what it gets and answers what was wrong; conversions to a format round once, exactly. Clears, resolves and
 * mips are divided into rows (`shared-rows.ts`), which threads of an engine share; what they leave does not depend on how many there
 * are. It imports no engine.
 */
export {
  type Color,
  clearDepthParts,
  clearDepthStencil,
  clearFloatParts,
  clearRenderTarget,
  clearTargetParts,
  clearUintParts,
  clearUnorderedAccessFloat,
  clearUnorderedAccessUint,
  type DepthStencilClear,
} from './clear.ts'
export { type CopyBox, type CopyDestination, type CopySource, canCopy, copyRegion, copyResource } from './copy.ts'
export { copyStructureCount } from './copy-count.ts'
export { generateMips, mipParts } from './generate-mips.ts'
export { resolveParts, resolveTexture, type SubresourcePlace } from './resolve.ts'
export { runWorkerRows, type SharedRows } from './shared-rows.ts'
