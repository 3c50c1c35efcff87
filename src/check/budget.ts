import type { Observer } from '../engine/index.ts'
import type { PartialReason } from './report/report.ts'

/** Memory events between two looks at clock and tables. */
const EVENTS_PER_LOOK = 4096
/** Statements of waves between two looks at the clock: each is work for its lanes in several detectors. */
const STATEMENTS_PER_LOOK = 64

interface Exceeded {
  readonly exceeded: PartialReason
}

/**
 * Ends a dispatch from inside when time or memory runs out: its observer throws what `reasonOf` recognizes. Everything
 * that detectors found until then stays.
 */
interface Budget {
  readonly observer: Observer
  /** The same for runs that do not yield, in which a long time may go by without an event of memory. */
  readonly statements: Observer
  /** Throws where time or memory has run out; for what goes on before a dispatch runs, and whenever it yields. */
  readonly look: () => void
  readonly reasonOf: (thrown: unknown) => PartialReason | undefined
}

export function makeBudget(shadowByteLength: () => number, maxShadowByteLength: number, deadline: number): Budget {
  let countdown = EVENTS_PER_LOOK
  let statementCountdown = STATEMENTS_PER_LOOK
  const lookAtClock = (): void => {
    if (Date.now() > deadline) throw { exceeded: 'time' } satisfies Exceeded
  }
  const look = (): void => {
    countdown = EVENTS_PER_LOOK
    if (shadowByteLength() > maxShadowByteLength) throw { exceeded: 'memory' } satisfies Exceeded
    lookAtClock()
  }
  const step = (): void => {
    if (--countdown <= 0) look()
  }
  const statement = (): void => {
    if (--statementCountdown > 0) return
    statementCountdown = STATEMENTS_PER_LOOK
    lookAtClock()
  }
  return {
    observer: { memory: step, groupEnd: step },
    statements: { instruction: statement },
    look,
    reasonOf(thrown) {
      const isOurs = typeof thrown === 'object' && thrown !== null && 'exceeded' in thrown
      return isOurs ? (thrown as Exceeded).exceeded : undefined
    },
  }
}
