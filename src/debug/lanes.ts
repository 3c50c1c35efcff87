import type { GroupState, LaneSet, WaveState } from '../engine/index.ts'
import type { GroupPosition, LaneView, Thread, ThreadFilter } from './model.ts'

export const hasLane = ({ low, high }: LaneSet, lane: number): boolean =>
  ((lane < 32 ? low >>> lane : high >>> (lane - 32)) & 1) === 1

/** The lanes of a set, ascending. */
export function lanesOf({ low, high }: LaneSet): number[] {
  const lanes: number[] = []
  for (let bits = low; bits !== 0; bits &= bits - 1) lanes.push(31 - Math.clz32(bits & -bits))
  for (let bits = high; bits !== 0; bits &= bits - 1) lanes.push(63 - Math.clz32(bits & -bits))
  return lanes
}

export const isGroup = (a: GroupPosition, b: GroupPosition): boolean => a[0] === b[0] && a[1] === b[1] && a[2] === b[2]

/** The wave of a group, in flight, that a thread is a lane of. */
export function viewOf(groups: readonly GroupState[], { group, thread }: Thread): LaneView | undefined {
  const found = groups.find((g) => isGroup(g.position, group))
  const wave = found?.waves.find((w) => thread >= w.firstThread && thread < w.firstThread + w.laneCount)
  return wave === undefined ? undefined : { wave, lane: thread - wave.firstThread }
}

/** Whether a wave runs the thread. */
export const runsThread = (wave: WaveState, { group, thread }: Thread): boolean =>
  thread >= wave.firstThread && thread < wave.firstThread + wave.laneCount && isGroup(wave.group.position, group)

/** Lanes of a wave that a filter lets through, of those given. */
export function filteredLanes(
  filter: ThreadFilter | undefined,
  group: GroupPosition,
  firstThread: number,
  lanes: readonly number[],
): readonly number[] {
  if (filter === undefined) return lanes
  if (filter.group !== undefined && !isGroup(filter.group, group)) return []
  const { threads } = filter
  return threads === undefined ? lanes : lanes.filter((lane) => threads.includes(firstThread + lane))
}
