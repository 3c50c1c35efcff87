/**
 * Questions about finished intermediate code, for passes and for the engines that emit code: how far values are the same
 * (`uniformity`), who uses them and what is seen of them (`uses`), what is needed at all (`liveness`), what holds of values through
 * loops (`find-facts`, `magnitude`) and between which numbers floats lie (`float-ranges`), what merges take in (`merge-inputs`), how long code waits and how much it holds (`latency`,
 * `pressure`), and which loops wait for other threads (`spin-loops`), which words need one vector for all quads (`packed-quads`), and what addresses
 * depend on (`address-inputs`). Nothing here changes code.
 */
export { findAddressInputs } from './address-inputs.ts'
export { findDivergentQuad } from './divergent-quads.ts'
export { FactFinder } from './find-facts.ts'
export { FloatRanges } from './float-ranges.ts'
export { type Costs, criticalPathShare } from './latency.ts'
export { isPureRegion, isRemovable, Liveness } from './liveness.ts'
export {
  EXEMPT_MAGNITUDE,
  FRACTION_BITS,
  type Magnitude,
  MIN_NORMAL_EXPONENT,
  magnitudeOf,
  meetMagnitudes,
  sameMagnitude,
  UNKNOWN_MAGNITUDE,
  withMinExponent,
} from './magnitude.ts'
export { collectInputs, type MergeInputs } from './merge-inputs.ts'
export { packsQuads } from './packed-quads.ts'
export { pressureOf } from './pressure.ts'
export { findSpinLoop } from './spin-loops.ts'
export { DISPATCH, GROUP, type Level, threadComponent, Uniformity, VARYING, WAVE } from './uniformity.ts'
export { type Use, Uses } from './uses.ts'
