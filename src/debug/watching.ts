/** Turns conditions into observers and tests for the engine, and collects the moments at which they hold. */

import { combineObservers } from '../check/index.ts'
import { countLeading } from '../diagnostic/index.ts'
import type { Observer, WaveSite, WaveState } from '../engine/index.ts'
import { filteredLanes, isGroup } from './lanes.ts'
import type { Clock, GroupPosition, Hit, HitFilter, RecordedFinding, StopCondition } from './model.ts'
import type { Recording, Watch } from './recording.ts'

/** Where a condition may be hit, by an event of a statement; whether it is, is evaluated when the statement has ended. */
export interface PossibleHit {
  readonly group: GroupPosition
  readonly wave: number
  readonly firstThread: number
  readonly statement: number
  readonly lanes: readonly number[]
  readonly finding?: RecordedFinding | undefined
}

/** How one condition is tested: by events of a statement, or at the wave that is next. */
interface ConditionTest {
  readonly observer?: Observer | undefined
  /** Lanes of the wave that is next for which it may hold; empty for none. */
  readonly before?: ((wave: WaveState) => readonly number[]) | undefined
  /** What is known to have happened in the statement before a moment. */
  readonly at?: ((clock: Clock) => readonly PossibleHit[]) | undefined
}

/** Makes a test; `report` is called from its observer's callbacks. */
export type ConditionTestFactory = (report: (hit: PossibleHit) => void) => ConditionTest

export const NO_LANES: readonly number[] = []

export const possibleHit = (site: WaveSite, lanes: readonly number[]): PossibleHit => ({
  group: [site.groupX, site.groupY, site.groupZ],
  wave: site.wave,
  firstThread: site.firstThread,
  statement: site.statement,
  lanes,
})

/** The active lanes, by row, for which something holds. */
export function lanesWhere(site: WaveSite, holds: (row: number) => boolean): readonly number[] {
  const found: number[] = []
  for (let k = 0; k < site.activeCount; k++) if (holds(k)) found.push(site.lanes[k]!)
  return found
}

/** The moments at which a condition with a filter held, from clock 0 on without a gap. */
export class HitCounter {
  readonly #clocks: Clock[] = []
  /** Everything up to this clock has been counted; -1 before the start. */
  seen: Clock = -1

  /** The number of the hit at a clock, which is counted where it is new. */
  count(clock: Clock): number {
    const last = this.#clocks.at(-1)
    if (last === undefined || clock > last) return this.#clocks.push(clock)
    return countLeading(this.#clocks, (c) => c < clock) + 1
  }

  forgetFrom(clock: Clock): void {
    while (this.#clocks.length > 0 && this.#clocks.at(-1)! > clock) this.#clocks.pop()
    this.seen = Math.min(this.seen, clock)
  }
}

export const countPasses = ({ kind, count }: HitFilter, n: number): boolean =>
  kind === 'equal' ? n === count : kind === 'from' ? n >= count : n % count === 0

interface ActiveCondition {
  readonly condition: StopCondition
  readonly test: ConditionTest
  readonly counter: HitCounter | undefined
}

/** A condition with its test, and with its counter where hits are filtered by their number. */
export interface WatchedCondition {
  readonly condition: StopCondition
  readonly factory: ConditionTestFactory
  readonly counter: HitCounter | undefined
}

interface Pending {
  readonly watched: ActiveCondition
  readonly hit: PossibleHit
}

interface WatchOptions {
  /** Moments up to this one do not stop. */
  readonly from: Clock
  /** Called for every moment with hits; the run does not stop there then. */
  readonly onMoment?: ((clock: Clock) => void) | undefined
}

type WatchedExecution = Pick<Recording['execution'], 'inspect' | 'clock'>

/** Conditions that are tested together. */
export class ConditionWatch implements Watch {
  readonly observer: Observer
  readonly #execution: WatchedExecution
  readonly #options: WatchOptions
  readonly #before: readonly ActiveCondition[]
  readonly #atMoments: readonly ActiveCondition[]
  /** What the statement before the present moment did that conditions are about. */
  #pending: Pending[] = []
  /** Hits of the moment `#moment`. */
  #hits: Hit[] = []
  #moment: Clock = -1
  /** The moment whose findings were tested last. */
  #testedAt: Clock = -1
  #error: { readonly thrown: unknown } | undefined

  constructor(execution: WatchedExecution, watched: readonly WatchedCondition[], options: WatchOptions) {
    this.#execution = execution
    this.#options = options
    const all = watched.map(({ condition, factory, counter }): ActiveCondition => {
      const watched: ActiveCondition = {
        condition,
        counter,
        test: factory((hit) => this.#pending.push({ watched, hit })),
      }
      return watched
    })
    this.#before = all.filter((w) => w.test.before !== undefined)
    this.#atMoments = all.filter((w) => w.test.at !== undefined)
    const evaluate = (): void => this.#evaluatePending(execution.clock)
    // Registers of a group are another's after its end; barriers are released behind the statement.
    const own: Observer = { groupEnd: evaluate, release: evaluate }
    this.observer = combineObservers([...all.flatMap((w) => w.test.observer ?? []), own])
  }

  readonly stopsBefore = (wave: WaveState): boolean => {
    const { clock } = this.#execution
    this.#evaluatePending(clock)
    this.#testEnded(clock)
    for (const watched of this.#before) {
      const lanes = watched.test.before!(wave)
      if (lanes.length === 0) continue
      const { statement, wave: number, firstThread, group } = wave
      this.#addHit(watched, { group: group.position, wave: number, firstThread, statement, lanes }, clock, clock)
    }
    return this.#decide(clock)
  }

  readonly stopsHere = (): boolean => {
    const { clock } = this.#execution
    this.#evaluatePending(clock)
    this.#testEnded(clock)
    return this.#decide(clock)
  }

  /** Throws what a condition's callback has thrown. */
  rethrow(): void {
    if (this.#error !== undefined) throw this.#error.thrown
  }

  /** Everything that holds at the present moment; `next` is the wave whose statement comes next. */
  hitsAt(next: WaveState | undefined): readonly Hit[] {
    if (next !== undefined) this.stopsBefore(next)
    else this.stopsHere()
    this.rethrow()
    return this.#moment === this.#execution.clock ? this.#hits : []
  }

  #decide(clock: Clock): boolean {
    if (this.#error !== undefined) return true
    if (this.#moment !== clock || this.#hits.length === 0) return false
    if (this.#options.onMoment === undefined) return clock > this.#options.from
    this.#options.onMoment(clock)
    return false
  }

  /** The statement before a moment has ended: nothing more is found in it. */
  #testEnded(clock: Clock): void {
    if (this.#testedAt === clock) return
    this.#testedAt = clock
    this.#testFindings(clock)
  }

  /** Detectors get an event after the conditions have been tested: one inside a statement may make them find more. */
  #testFindings(clock: Clock): void {
    for (const watched of this.#atMoments) {
      for (const hit of watched.test.at!(clock)) this.#addHit(watched, hit, clock, clock - 1)
    }
  }

  /** Decides on what the statement that has ended did. */
  #evaluatePending(clock: Clock): void {
    if (this.#pending.length === 0) return
    const pending = this.#pending
    this.#pending = []
    this.#testFindings(clock)
    for (const { watched, hit } of pending) this.#addHit(watched, hit, clock, clock - 1)
  }

  #addHit({ condition, counter }: ActiveCondition, possible: PossibleHit, clock: Clock, before: Clock): void {
    const lanes = this.#lanesOf(condition, possible)
    if (lanes === undefined) return
    if (this.#moment !== clock) {
      this.#hits = []
      this.#moment = clock
    }
    const { group, wave, firstThread, statement, finding } = possible
    const known = this.#hits.findIndex((h) => h.condition === condition && h.before === before && h.finding === finding)
    const all = known < 0 ? lanes : [...new Set([...this.#hits[known]!.lanes, ...lanes])].sort((a, b) => a - b)
    const own = counter?.count(clock)
    const count = own === undefined ? undefined : own + (condition.hits?.before ?? 0)
    if (count !== undefined && condition.hits !== undefined && !countPasses(condition.hits, count)) return
    const hit: Hit = { condition, group, wave, firstThread, lanes: all, statement, before, count, finding }
    if (known < 0) this.#hits.push(hit)
    else this.#hits[known] = hit
  }

  /** Lanes that the condition is meant for and holds for; undefined where it does not hold. */
  #lanesOf(
    { where, when }: StopCondition,
    { group, firstThread, wave, lanes }: PossibleHit,
  ): readonly number[] | undefined {
    const left = filteredLanes(where, group, firstThread, lanes)
    if (left.length === 0) return undefined
    if (when === undefined || this.#error !== undefined) return left
    const found = this.#execution.inspect().find(({ position }) => isGroup(position, group))
    const state = found?.waves.find((w) => w.wave === wave)
    if (state === undefined) return undefined
    try {
      const holds = left.filter((lane) => when({ wave: state, lane }))
      return holds.length === 0 ? undefined : holds
    } catch (thrown) {
      this.#error = { thrown }
      return left
    }
  }
}
