/** What a dispatch or a stage's run ended with: the part of the contract that engines and batches share. */
import type { Diagnostic } from '../diagnostic/index.ts'

/** Why a dispatch ended before all its threads did. */
export type Stop =
  /** `undefinedPolicy: 'trap'` met its first undefined operation. */
  | 'trap'
  /** A thread executed more instructions than allowed. */
  | 'budget'
  /** The program executed `abort`. */
  | 'abort'
  /** `maxMilliseconds` have passed. */
  | 'time'
  /** `signal` was aborted, or the device disposed of. */
  | 'canceled'
  /** A thread of the host that ran groups died, and they could not be run again: contents are undefined. */
  | 'lost'
  /** Bindings, group counts or options were refused: nothing ran. */
  | 'refused'

/** What a dispatch gives: how it ended and what was found. The memory that it left is in the resources. */
export interface DispatchResult {
  /** Absent when every thread ran to its end. */
  readonly stopped?: Stop
  /** Findings, identical ones of one statement folded into one with a count in its notes. */
  readonly diagnostics: readonly Diagnostic[]
  /** Undefined operations met, counted per thread, before folding and beyond `maxDiagnostics`; those whose outcome Direct3D
   * defines (out-of-bounds loads of 0, dropped stores) are reported as hints and not counted. */
  readonly undefinedCount: number
  /** Instructions executed, counted per thread; declarations are none. Absent from engines that do not count. */
  readonly threadInstructionCount?: number
  /** Name of the engine that ran the dispatch, where several could have. */
  readonly engine?: string
}
