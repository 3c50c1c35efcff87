/**
 * What pure instructions mean, written once over `ValueOps` and interpreted by every engine: numbers, SIMD code, defined
 * bits. The rows in `../instructions` have the functions of this room; engines take them from there.
 *
 * - `value-ops.ts`: the primitive operations, free of Direct3D's rules. `lift.ts`: to the list form of rows.
 * - `primitives.ts`: a row for each primitive, its signature and what holds of it as arithmetic.
 * - One file per family: `float`, `integer`, `bitwise`, `conversion`, `double`, `move`; `transcendental` composes exp,
 *   log and sincos of primitives, so that engines agree on them bit for bit.
 * - `modifiers.ts` (source modifiers, `_sat`) and `atomic.ts` are for whoever runs an instruction; rows do not hold them.
 * - A few functions of `float` and `conversion` are named here, for arithmetic outside shaders that follows the same rules
 *   (blending, stores).
 *
 * Invariants: total (a result for every bit pattern), no branch on a value, no state. Functional specification 3.1, 3.2
 * and 22 rule; where they leave a choice the function says which was taken.
 *
 * Not here: swizzles, write masks, minimum precision, memory, derivatives, and anything that looks at more than one
 * thread.
 */
export { ATOMIC_OPERATIONS, type AtomicOperation, atomicOperation, atomicResult, supportsAtomic } from './atomic.ts'
export { f16tof32, f32tof16 } from './conversion.ts'
export { add as addFloat, max as maxFloat, min as minFloat, mul as mulFloat } from './float.ts'
export {
  boundedExtreme,
  boundedFlush,
  boundedProduct,
  boundedSum,
  exactly,
  type FloatBounds,
  negated,
  roundingOf,
  UNBOUNDED,
} from './float-bounds.ts'
export { applyModifier, saturate, saturateFloat } from './modifiers.ts'
export { UNORM_RECIPROCALS, unormToFloat } from './normalized.ts'
export {
  BITS,
  type DoubleResult,
  type DoubleToWord,
  type Observation,
  type OperandType,
  type OperationRow,
  PRIMITIVES,
  type Primitive,
} from './primitives.ts'
export { type Pair, type ValueOps, wordsOf } from './value-ops.ts'
