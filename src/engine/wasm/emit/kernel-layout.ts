import type { Check, Item } from '../../ir/index.ts'

/**
 * What compiled code and the engine that runs it agree on: the header of a dispatch's descriptor, why code ends early, the
 * parameters of the function, and the records of what was found.
 */

/** Words before the bindings' descriptors: what a dispatch is. */
export const HEADER_WORDS = 16
export const HEADER = {
  groupsX: 0,
  groupsY: 1,
  immediateConstants: 2,
  /** A number of STOPPED. */
  stopped: 3,
  /** Statement that stopped the dispatch, or number of the assertion that failed. */
  statement: 4,
  budget: 5,
  /** Of batches of graphics stages: addresses of their registers, and how many invocations run. */
  inputs: 6,
  outputs: 7,
  invocations: 8,
} as const

/** Why a kernel ended early. */
export const STOPPED = { none: 0, budget: 1, abort: 2, trap: 3, assertion: 4, time: 5 } as const

/** Address of the descriptor word `n` from the descriptor's start, in bytes. */
export const descriptorOffset = (n: number): number => (HEADER_WORDS + n) * 4

/** Parameters of the kernel function. */
export const PARAMETERS = { descriptor: 0, first: 1, end: 2, scratch: 3 } as const

/** Lanes of the active mask: all of them, or v128 locals of all ones and zeros. */
export type Mask = 'full' | readonly number[]

/** Items that may be found wrong. */
export type Reportable = Extract<Item, { kind: 'load' | 'store' | 'atomic' | 'counter' | 'report' | 'barrier' }>

/** Something that leaves a record where it is found wrong. */
export interface ReportSite {
  readonly item: Reportable
  /** What is wrong: the alignment, the offset in a structure, the bounds, the counter that is not there, or a check. */
  readonly what: 'misaligned' | 'offset' | 'bounds' | 'counter' | 'barrier' | Check
}

/** Words of a record: how many findings there were, and what is needed to report the first. */
export const RECORD = {
  /** Two words. */
  count: 0,
  /** Place among all records of the worker, in order of their first finding. */
  order: 2,
  /** Bits of the first lanes that were concerned, counted from `thread` on. */
  lanes: 3,
  /** Words of four lanes; lane l has word l & 3. Two vectors beside each other would look like one to pack (vector-pairing.ts). */
  index: 4,
  thread: 8,
  groupX: 9,
  groupY: 10,
  groupZ: 11,
  offset: 12,
  x: 20,
  y: 28,
  z: 36,
  mip: 44,
  sample: 52,
} as const
export const RECORD_WORDS = 56
/** Bytes before the first record: how many have been begun. */
export const RECORD_HEADER = 16
