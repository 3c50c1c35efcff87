/** Finds the moments at which conditions hold, in either direction. */
import type { Clock, Hit } from './model.ts'
import type { Ended, Recording } from './recording.ts'
import type { Task } from './task.ts'
import { ConditionWatch, type WatchedCondition } from './watching.ts'

/** What a search ended with: `start`, `end`: there is no such moment. */
export interface Found {
  readonly ended: 'found' | 'start' | 'end' | 'canceled'
  readonly hits: readonly Hit[]
}

const NOTHING: readonly Hit[] = []

/** Runs on to the next moment at which something holds. */
async function searchForward(r: Recording, watched: readonly WatchedCondition[], task: Task): Promise<Found> {
  const watch = new ConditionWatch(r.execution, watched, { from: r.clock })
  const ended = await r.forward(Number.POSITIVE_INFINITY, watch, task)
  noteCounted(r, watched)
  watch.rethrow()
  if (ended === 'stopped') return { ended: 'found', hits: watch.hitsAt(r.nextWave) }
  return { ended: ended === 'canceled' ? 'canceled' : 'end', hits: NOTHING }
}

function noteCounted({ clock }: Recording, watched: readonly WatchedCondition[]): void {
  for (const { counter } of watched) if (counter !== undefined) counter.seen = Math.max(counter.seen, clock)
}

/** Lets counters see what lies before the present moment, which they have not. */
export async function catchUp(r: Recording, watched: readonly WatchedCondition[], task: Task): Promise<Ended> {
  const now = r.clock
  const counting = watched.filter((w) => w.counter !== undefined && w.counter.seen < now)
  const seen = [...counting.map((w) => w.counter!.seen), ...[...r.followers].map((f) => f.seen)].filter((c) => c < now)
  if (seen.length === 0) return 'reached'
  await r.goTo(
    Math.max(
      0,
      seen.reduce((least, c) => Math.min(least, c), now),
    ),
    task,
  )
  const watch = new ConditionWatch(r.execution, counting, { from: now, onMoment: () => undefined })
  const ended = await r.forward(now, watch, task)
  if (ended === 'reached') noteCounted(r, counting)
  watch.rethrow()
  return ended
}

/** One stretch between checkpoints, gone over forwards: what a search backwards looks at, from the last to the first. */
export interface Stretch {
  readonly from: Clock
  readonly to: Clock
}

/**
 * Goes over the time before a clock, stretch by stretch from the last to the first, until `look`, which is to run from `from`
 * to `to`, answers true. False where the start was come to.
 */
export async function stretchesBack(
  r: Recording,
  before: Clock,
  task: Task,
  look: (stretch: Stretch) => Promise<boolean | 'canceled'>,
): Promise<boolean | 'canceled'> {
  let to = before
  while (to > 0) {
    const { clock: from } = r.checkpoints.atOrBefore(to - 1)
    await r.goTo(from, task)
    const answer = await look({ from, to })
    if (answer !== false) return answer
    to = from
  }
  return false
}

/** The last moment before a clock at which something holds; the recording stands anywhere then. */
export async function lastMoment(
  r: Recording,
  watched: readonly WatchedCondition[],
  before: Clock,
  task: Task,
): Promise<Clock | undefined | 'canceled'> {
  let last = -1
  const found = await stretchesBack(r, before, task, async ({ to }) => {
    const onMoment = (clock: Clock): void => {
      if (clock < before) last = clock
    }
    const watch = new ConditionWatch(r.execution, watched, { from: -1, onMoment })
    const ended = await r.forward(to, watch, task)
    watch.rethrow()
    return ended === 'canceled' ? 'canceled' : last >= 0
  })
  return found === 'canceled' ? found : found ? last : undefined
}

/** Goes to a moment and says what holds there. */
export async function goToHits(
  r: Recording,
  clock: Clock,
  watched: readonly WatchedCondition[],
  task: Task,
): Promise<readonly Hit[]> {
  await r.goTo(Math.max(0, clock - 1), task)
  const watch = new ConditionWatch(r.execution, watched, { from: clock - 1 })
  await r.forward(clock, watch, task)
  return watch.hitsAt(r.nextWave)
}

/** Goes to the nearest moment in a direction at which something holds. */
export function search(
  r: Recording,
  isForward: boolean,
  watched: readonly WatchedCondition[],
  task: Task,
): Promise<Found> {
  return (isForward ? searchForward : searchBackward)(r, watched, task)
}

/** Goes back to the last moment before the present one at which something holds, or to the start. */
async function searchBackward(r: Recording, watched: readonly WatchedCondition[], task: Task): Promise<Found> {
  const now = r.clock
  try {
    const clock = await lastMoment(r, watched, now, task)
    if (clock === 'canceled') {
      await r.goTo(now, task.uncanceled)
      return { ended: 'canceled', hits: NOTHING }
    }
    if (clock === undefined) {
      await r.goTo(0, task.uncanceled)
      return { ended: 'start', hits: NOTHING }
    }
    return { ended: 'found', hits: await goToHits(r, clock, watched, task.uncanceled) }
  } catch (e) {
    await r.goTo(now, task.uncanceled)
    throw e
  }
}
