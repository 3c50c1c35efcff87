/**
 * Passes from intermediate code to intermediate code: `optimize` for a program, `specialize` for what a dispatch binds, both by rounds
 * of `rebuild`; and the plan of which denormal flushes may be left out while a few values are checked (`denormal-speculation`).
 */
export {
  planSpeculation,
  type Speculation,
  type SpeculationCosts,
} from './denormal-speculation.ts'
export { optimize, specialize } from './optimize.ts'
export { isRepeatable } from './repeatable.ts'
