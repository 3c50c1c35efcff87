import type { Observer } from '../engine/index.ts'
import type { PartialReason } from './report/report.ts'

/** Memory events between two looks at clock and tables. */
const EVENTS_PER_LOOK = 4096
/** A statement of a wave is work for each of its lanes in several detectors. */
const EVENTS_PER_STATEMENT = 64

interface Exceeded {
  readonly exceeded: PartialReason
}

/**
 * Ends a dispatch from inside when time or memory runs out: its observer throws what `reasonOf` knows again. Everything
 * that detectors found until then stays.
 */
export interface Budget {
  readonly observer: Observer
  /** Throws where time or memory has run out; for what goes on before a dispatch runs. */
  readonly look: () => void
  readonly reasonOf: (thrown: unknown) => PartialReason | undefined
}

export function makeBudget(shadowByteLength: () => number, maxShadowByteLength: number, deadline: number): Budget {
  let countdown = EVENTS_PER_LOOK
  const look = (): void => {
    countdown = EVENTS_PER_LOOK
    if (shadowByteLength() > maxShadowByteLength) throw { exceeded: 'memory' } satisfies Exceeded
    if (Date.now() > deadline) throw { exceeded: 'time' } satisfies Exceeded
  }
  const step = (): void => {
    if (--countdown <= 0) look()
  }
  const statement = (): void => {
    countdown -= EVENTS_PER_STATEMENT
    if (countdown <= 0) look()
  }
  return {
    observer: { memory: step, groupEnd: step, branch: step, instruction: statement },
    look,
    reasonOf(thrown) {
      const isOurs = typeof thrown === 'object' && thrown !== null && 'exceeded' in thrown
      return isOurs ? (thrown as Exceeded).exceeded : undefined
    },
  }
}
