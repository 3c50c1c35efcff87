/**
 * Vectors for every pure instruction, of data alone, so that every engine's operations can be judged by them. Expected
 * words come from the functional specification. Denormals are flushed and `f32Mad` rounds twice in all of them.
 */
import { BITWISE_VECTORS } from './bitwise-vectors.ts'
import { CONVERSION_VECTORS } from './conversion-vectors.ts'
import { DOUBLE_VECTORS } from './double-vectors.ts'
import { FLOAT_VECTORS } from './float-vectors.ts'
import { INTEGER_VECTORS } from './integer-vectors.ts'
import { MOVE_VECTORS } from './move-vectors.ts'
import type { VectorTable } from './vector.ts'

export type { Vector, VectorTable } from './vector.ts'

export const VECTORS: readonly VectorTable[] = [
  ...FLOAT_VECTORS,
  ...INTEGER_VECTORS,
  ...BITWISE_VECTORS,
  ...CONVERSION_VECTORS,
  ...MOVE_VECTORS,
  ...DOUBLE_VECTORS,
]
