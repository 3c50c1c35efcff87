/**
 * Programs as scalar values in structured regions, for engines that generate code.
 *
 * `structure.ts` nests flow control; `translate.ts` with `operand`, `operation`, `memory`, `texel` makes values and items;
 * `builder.ts` makes each value once, folded and simplified; `optimize.ts` drops what is superfluous (`liveness`,
 * `find-facts`, `rebuild`); `uniformity.ts` says
 * for whom a value is the same and how it differs by lane; `demand.ts` who uses it and whether NaN bits are seen;
 * `texel-code.ts` makes code of texture operations once views and samplers are known: `texel-place` addresses texels,
 * `texel-format` decodes and encodes them, `sample-*` find mips, coordinates, faces and taps, `filter-code` blends;
 * `waits.ts` finds loops that need other waves to go on; `speculate.ts`, on the bounds of `magnitude.ts`, says which flushes
 * nothing needs while a few values are not tiny; `chain.ts` and `pressure.ts` how much code waits and how much it holds.
 *
 * Invariants: meanings come from the rows, through `ValueOps`; every rewriting keeps bits; a value is visible where its
 * region is. It knows nothing of WebAssembly.
 */

export { Uniformity } from '../analysis/uniformity.ts'
export { BindingTable, type BindingUse } from '../ir/bindings.ts'
export { Builder, type BuilderOptions } from '../ir/builder.ts'
export type { Lowered } from '../ir/program.ts'
export type * from '../ir/value.ts'
export { translate } from './translate.ts'
