/** Steps from line to line: to moments at which a lane begins a line that it was not in before. */
import type { WaveState } from '../engine/index.ts'
import { isGroup, viewOf } from './lanes.ts'
import type { Clock, SourcePlaces, Stop, Thread } from './model.ts'
import type { Recording, Watch } from './recording.ts'
import { type Stretch, stretchesBack } from './search.ts'
import { comesNext, deepestOf, linePlace } from './steps.ts'
import type { Task } from './task.ts'

export interface LineStep {
  readonly thread: Thread
  readonly depth: 'in' | 'over' | 'out'
  readonly source: SourcePlaces
}

/** The line that a lane is in, and how deep a step's lines may lie. A lane that waits for others is in none. */
function standOf(r: Recording, { thread, depth, source }: LineStep): { key: string | undefined; deepest: number } {
  const wave = viewOf(r.execution.inspect(), thread)?.wave
  const place = wave === undefined ? undefined : linePlace(source, wave.statement, wave.callDepth)
  const deepest = deepestOf(depth, place?.depth ?? wave?.callDepth ?? 0)
  const isIn = wave !== undefined && comesNext(wave, thread) && place !== undefined && place.depth <= deepest
  return { key: isIn ? place.key : undefined, deepest }
}

type GroupPlace = { readonly groupX: number; readonly groupY: number; readonly groupZ: number }

/** Whether a group that begins or ends runs the thread; the waves of a batch are all of group (0, 0, 0). */
const isOfThread = (
  execution: Pick<Recording['execution'], 'inspect'>,
  { groupX, groupY, groupZ }: GroupPlace,
  thread: Thread,
): boolean => isGroup([groupX, groupY, groupZ], thread.group) && viewOf(execution.inspect(), thread) !== undefined

/** The lines of a lane as a run goes over them. */
class LineWatch implements Watch {
  readonly observer: Watch['observer']
  /** The line that the lane was in last; undefined where that is not known. */
  key: string | undefined
  /** Nothing of the lane lies before what is seen: its group begins here. */
  isFromBegin: boolean
  readonly #begins: (key: string, isKnown: boolean) => boolean
  readonly #step: LineStep
  readonly #deepest: number

  constructor(
    step: LineStep,
    deepest: number,
    execution: Pick<Recording['execution'], 'inspect'>,
    start: { key: string | undefined; isFromBegin: boolean },
    begins: (key: string, isKnown: boolean) => boolean,
  ) {
    this.key = start.key
    this.isFromBegin = start.isFromBegin
    this.#step = step
    this.#deepest = deepest
    this.#begins = begins
    this.observer = {
      groupBegin: ({ groupX, groupY, groupZ }) => {
        if (!isOfThread(execution, { groupX, groupY, groupZ }, step.thread)) return
        this.key = undefined
        this.isFromBegin = true
      },
    }
  }

  readonly stopsBefore = (wave: WaveState): boolean => {
    if (!comesNext(wave, this.#step.thread)) return false
    const place = linePlace(this.#step.source, wave.statement, wave.callDepth)
    if (place === undefined || place.depth > this.#deepest || place.key === this.key) return false
    const isKnown = this.key !== undefined || this.isFromBegin
    this.key = place.key
    return this.#begins(place.key, isKnown)
  }
}

/** Runs on to where the lane begins another line, or to the end of its group. */
export async function lineForward(r: Recording, step: LineStep, task: Task): Promise<Stop['reason']> {
  const { key, deepest } = standOf(r, step)
  const from = r.clock
  let hasEnded = false
  const lines = new LineWatch(step, deepest, r.execution, { key, isFromBegin: true }, () => r.clock > from)
  const groupEnd = (g: GroupPlace): void => {
    hasEnded ||= isOfThread(r.execution, g, step.thread)
  }
  const observer = { ...lines.observer, groupEnd }
  const watch: Watch = { observer, stopsBefore: (w) => hasEnded || lines.stopsBefore(w), stopsHere: () => hasEnded }
  const ended = await r.forward(Number.POSITIVE_INFINITY, watch, task)
  if (hasEnded) return 'group'
  return ended === 'stopped' ? 'reached' : ended
}

interface Begin {
  readonly clock: Clock
  readonly key: string
}

/** Goes back to where the lane last began a line, or to the begin of its group. */
export async function lineBackward(r: Recording, step: LineStep, task: Task): Promise<Stop['reason']> {
  const now = r.clock
  const { deepest } = standOf(r, step)
  /** The first line seen of a later stretch: whether it begins there depends on what lies before. */
  let open: Begin | undefined
  let found: Clock | undefined
  /** Where nothing was found: where the lane's group begins. */
  let begin: Clock | undefined
  const look = async ({ from, to }: Stretch): Promise<boolean | 'canceled'> => {
    let first: Begin | undefined
    let last: Clock | undefined
    const lines = new LineWatch(
      step,
      deepest,
      r.execution,
      { key: undefined, isFromBegin: from === 0 },
      (key, isKnown) => {
        if (isKnown) last = r.clock
        else first = { clock: r.clock, key }
        return false
      },
    )
    const groupBegin: Watch['observer']['groupBegin'] = (g) => {
      lines.observer.groupBegin?.(g)
      if (isOfThread(r.execution, g, step.thread)) begin = r.clock
    }
    const ended = await r.forward(to, { observer: { groupBegin }, stopsBefore: lines.stopsBefore }, task)
    if (ended === 'canceled') return ended
    if (open !== undefined && lines.key !== undefined && lines.key !== open.key) found = open.clock
    else if (last !== undefined) found = last
    else open = first ?? open
    if (found === undefined && lines.isFromBegin) {
      found = open?.clock
      begin ??= 0
    }
    return found !== undefined || begin !== undefined
  }
  const answer = await stretchesBack(r, now, task, look)
  await r.goTo(answer === 'canceled' ? now : (found ?? begin ?? 0), task.uncanceled)
  if (answer === 'canceled') return answer
  return found !== undefined ? 'reached' : r.clock === 0 ? 'start' : 'group'
}
