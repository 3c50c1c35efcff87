import { setMask } from '../run/state.ts'
import type { Op, Statement } from './statement.ts'

/**
 * Runs a memory operation for the lanes whose effects reach memory (16.8, 16.12.2): not for helpers and not for what was
 * discarded. What the others read of an atomic is 0: `results` are the columns that receive it.
 */
export function withoutHelpers(s: Statement, op: Op, results: readonly number[] = []): Op {
  if (s.context.declarations.stage.kind !== 'pixel') return op
  return (w) => {
    const { low, high } = w
    if ((low & ~w.storeLow) === 0 && (high & ~w.storeHigh) === 0) {
      op(w)
      return
    }
    for (const column of results) w.I.fill(0, column, column + w.laneCount)
    setMask(w, low & w.storeLow, high & w.storeHigh)
    if (w.activeCount > 0) op(w)
    setMask(w, low, high)
  }
}
