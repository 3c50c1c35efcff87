import type { Observer } from '../engine/index.ts'
import type { PartialReason } from './report/report.ts'

/** Memory events between two looks at clock and tables. */
const EVENTS_PER_LOOK = 4096

interface Exceeded {
  readonly exceeded: PartialReason
}

/**
 * Ends a dispatch from inside when time or memory runs out: its observer throws what `reasonOf` knows again. Everything
 * that detectors found until then stays.
 */
export interface Budget {
  readonly observer: Observer
  readonly reasonOf: (thrown: unknown) => PartialReason | undefined
}

export function makeBudget(
  shadowByteLength: () => number,
  maxShadowByteLength: number,
  maxMilliseconds: number | undefined,
): Budget {
  const end = maxMilliseconds === undefined ? Number.POSITIVE_INFINITY : Date.now() + maxMilliseconds
  let countdown = EVENTS_PER_LOOK
  const look = (): void => {
    countdown = EVENTS_PER_LOOK
    if (shadowByteLength() > maxShadowByteLength) throw { exceeded: 'memory' } satisfies Exceeded
    if (Date.now() > end) throw { exceeded: 'time' } satisfies Exceeded
  }
  const step = (): void => {
    if (--countdown <= 0) look()
  }
  return {
    observer: { memory: step, groupEnd: step, branch: step },
    reasonOf(thrown) {
      const isOurs = typeof thrown === 'object' && thrown !== null && 'exceeded' in thrown
      return isOurs ? (thrown as Exceeded).exceeded : undefined
    },
  }
}
