import { setMask } from '../run/state.ts'
import type { Op, Statement } from './statement.ts'

/**
 * Runs a memory operation for the lanes whose effects reach memory (16.8, 16.12.2, 22.3.5): not for helpers, not for what was
 * discarded, not for geometry shaders that have emitted all that they may. What the others read of an atomic is 0: `results` are the columns that receive it.
 */
export function withoutHelpers(s: Statement, op: Op, results: readonly number[] = []): Op {
  const { kind } = s.context.declarations.stage
  if (kind !== 'pixel' && kind !== 'geometry') return op
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
