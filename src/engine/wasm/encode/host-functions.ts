import { F64, I32, type Signature } from './writer.ts'

/**
 * Functions of the host that code may call. A module imports those that its code calls and no others: V8 makes code for each import of
 * each module, which takes as long as the module itself where it is short.
 */
export const HOST_FUNCTIONS = {
  /** Multiplies and adds float32, which are given as doubles, with one rounding; the other one doubles. */
  fusedFloat: { params: [F64, F64, F64], results: [F64] },
  fusedDouble: { params: [F64, F64, F64], results: [F64] },
  /** Does a texel operation, by its number and the byte of its words. */
  texel: { params: [I32, I32], results: [] },
  /** Answers whether the dispatch has to end. */
  overdue: { params: [], results: [I32] },
} as const satisfies Readonly<Record<string, Signature>>

export type HostFunction = keyof typeof HOST_FUNCTIONS
