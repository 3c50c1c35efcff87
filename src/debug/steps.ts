/** Steps as conditions: moments at which a wave or a lane comes next. */
import type { Execution, WaveState } from '../engine/index.ts'
import { hasLane, isGroup, runsThread, viewOf } from './lanes.ts'
import type { SourcePlaces, Step, Thread } from './model.ts'
import { type ConditionTestFactory, NO_LANES } from './watching.ts'

/** A wave may come to the end of a block with no lane active: that is a step of it too. */
const ANY_LANE: readonly number[] = [0]

type LaneStep = Extract<Step, { unit: 'lane' }>

/** Deepest call at which a lane's step stops, with the depth at which it begins. */
export function deepestOf(depth: LaneStep['depth'], at: number): number {
  return depth === 'over' ? at : depth === 'out' ? at - 1 : Number.POSITIVE_INFINITY
}

/** Whether a wave comes next with the thread's lane active. */
export const comesNext = (wave: WaveState, t: Thread): boolean =>
  runsThread(wave, t) && hasLane(wave.active, t.thread - wave.firstThread)

/** Moments at which the step's unit comes next, at a call depth up to `deepest`. */
export function stepTest(step: Exclude<Step, { unit: 'any' }>, deepest: number): ConditionTestFactory {
  const { thread } = step
  const meets = (wave: WaveState): boolean => {
    switch (step.unit) {
      case 'group':
        return isGroup(wave.group.position, thread.group)
      case 'wave':
        return runsThread(wave, thread)
      case 'lane':
        return wave.callDepth <= deepest && comesNext(wave, thread)
    }
  }
  return () => ({ before: (wave) => (meets(wave) ? ANY_LANE : NO_LANES) })
}

/** The thread's group ends, or begins: further on there is no statement of it. In a draw each wave is a group. */
export function boundaryTest(
  { group, thread }: Thread,
  at: 'groupBegin' | 'groupEnd',
  execution: Pick<Execution, 'inspect'>,
): ConditionTestFactory {
  return (report) => ({
    observer: {
      [at]: (site: { groupX: number; groupY: number; groupZ: number }) => {
        if (!isGroup([site.groupX, site.groupY, site.groupZ], group)) return
        if (viewOf(execution.inspect?.() ?? [], { group, thread }) === undefined) return
        report({ group, wave: 0, firstThread: 0, statement: -1, lanes: [0] })
      },
    },
  })
}

/** A line of the source: the key names the line and the calls around it, real and inlined; `depth` counts those calls. */
interface LinePlace {
  readonly key: string
  readonly depth: number
}

/** Where a lane is in the source when `statement` comes next; undefined where that belongs to no line. */
export function linePlace(source: SourcePlaces, statement: number, callDepth: number): LinePlace | undefined {
  const place = source.placeOf(statement)
  if (place === undefined) return undefined
  const depth = callDepth + place.inlined.length
  return { key: `${callDepth} ${place.inlined.join('>')} ${place.line}`, depth }
}
