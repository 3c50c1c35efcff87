/**
 * Sampling and typed access as intermediate code over byte addresses, once formats, dimensions and samplers of the bound views are
 * known: what `specialize` puts in place of texel items. `texel-place` addresses texels, `texel-format` and `texel-element` decode and
 * encode them, `sample-*` find mips, coordinates, faces and taps, `filter-code` blends, `mip-table` is the table that the engine fills.
 */
export { type CopyKind, copyKindOf, ROW_END, ROW_START, type SampledBinding, sampledBindings } from './decoded-views.ts'
export { LEVEL, LEVEL_WORDS } from './mip-table.ts'
export { hasPowersOfTwo, sizeClassOf } from './sample-address.ts'
export { codeBitsOf } from './sample-codes.ts'
export { type TexelBindings, texelExpander } from './texel-code.ts'
export { storedFormat } from './texel-element.ts'
