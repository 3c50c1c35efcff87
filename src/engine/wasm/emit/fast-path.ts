import type { Value } from '../../ir/index.ts'
import type { Target } from '../encode/assembler.ts'

/** The code being emitted without some of its denormal flushes (flow/speculation.ts), for those who emit what is in it. */
export interface FastPath {
  readonly elided: ReadonlySet<Value>
  readonly checks: ReadonlyMap<Value, number>
  /** Locals with the minima, by the exponent of the least size. */
  readonly minima: ReadonlyMap<number, number>
  /** Local of the lanes in which a flush that is left out met a denormal, where code has assertions. */
  readonly broken: number | undefined
  /** Where to go from findings: the exact code reports them. */
  readonly failed: Target
  /** Where to go from loops that do not end. */
  readonly endless: Target
}
