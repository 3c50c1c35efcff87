/**
 * The compiler's intermediate language: values in structured regions (docs/ir.md), for `lower`, which makes it of programs, for
 * `analysis`, `texture` and `transform`, which examine and rewrite it, and for the engines that emit code from it.
 *
 * - `value.ts`: values and items. `ops.ts`: a row for each operation. `program.ts`: a whole program, with `bindings.ts`, the slots
 *   that it names, and `view-properties.ts`, the properties of views that it reads. `walk.ts`: questions about items.
 * - `builder.ts` makes each value once, with `fold.ts`, `simplify.ts` and `facts.ts`; `reports.ts` leaves findings.
 * - `print.ts`, `parse.ts`, `verify.ts`, `pass-check.ts`: text and rules, for tests.
 *
 * Invariants: meanings come from the rows of isa, through `ValueOps`; every rewriting keeps bits. It imports no engine.
 */
export {
  BindingTable,
  type BindingUse,
  type BoundRegisters,
  type ComputedRange,
  EVERY_REGISTER,
  MAX_CONSTANTS,
  rangeName,
} from './bindings.ts'
export { Builder, type BuilderOptions, CodeTooLarge, MAX_VALUES } from './builder.ts'
export {
  ALL_FACTS,
  constantOf,
  type Facts,
  factsOf,
  joinFacts,
  meetFacts,
  NO_FACTS,
  sameFacts,
  signOperand,
} from './facts.ts'
export { bitsOf, floatOf } from './fold.ts'
export { givesDouble, givesFloat, OPS, type OpGiving } from './ops.ts'
export { checkPasses, passed } from './pass-check.ts'
export { printRegion } from './print.ts'
export type { ExpandTexel, Lowered, NeighborRead } from './program.ts'
export { always, indexCheck, type ReportDetails, Reports } from './reports.ts'
export type * from './value.ts'
export { FILTER_NEEDS_EXACT, isAlwaysValid, operandsOf, resultsOf } from './value.ts'
export { verifyOrThrow } from './verify.ts'
export { propertyOf, type ViewProperty, viewProperty } from './view-properties.ts'
export {
  escapesOf,
  hasBarrier,
  hasLoop,
  itemsBelow,
  regionsIn,
  someItem,
  valuesMade,
  valuesRead,
} from './walk.ts'
