/** Threads and lanes of a moment: sets that stand at one place, grids of a group, columns of a value. */
import { type GroupPosition, hasLane, lanesOf, type Thread } from '../debug/index.ts'
import { type GroupState, threadsOf, type WaveState } from '../engine/index.ts'
import { placeText } from './places.ts'
import type { DebuggedRun } from './run.ts'
import { waveOf } from './state.ts'

/** What a lane does at a moment. `idle`: it waits in an open block or call for others to come back. */
export type LaneStatus = 'active' | 'barrier' | 'idle' | 'ended'

export function laneStatus(wave: WaveState, lane: number): LaneStatus {
  if (wave.status === 'ended' || hasLane(wave.ended, lane)) return 'ended'
  if (!hasLane(wave.active, lane)) return 'idle'
  return wave.status === 'waiting' ? 'barrier' : 'active'
}

/** Lanes of a wave that are in one status, and so at one place. */
export interface LaneGroup {
  readonly group: GroupState
  readonly wave: WaveState
  readonly status: LaneStatus
  /** By vThreadIDInGroupFlattened, ascending. */
  readonly threads: readonly number[]
  /** Of pixels: they run for the derivatives of their neighbors only. */
  readonly areHelpers: boolean
}

/** Whether a lane of a draw runs for its neighbors' derivatives only. */
export const isHelper = ({ draw }: Pick<DebuggedRun, 'draw'>, thread: number): boolean =>
  draw?.line.batch.isHelper(thread) === true

/** How the lanes of a wave stand, without those that have ended where others have not. */
export function laneGroups(run: DebuggedRun, wave: WaveState, withEnded = false): readonly LaneGroup[] {
  const groups = new Map<string, LaneGroup & { readonly threads: number[] }>()
  for (let lane = 0; lane < wave.laneCount; lane++) {
    const status = laneStatus(wave, lane)
    if (status === 'ended' && !withEnded) continue
    const thread = wave.firstThread + lane
    const areHelpers = isHelper(run, thread)
    const key = `${status} ${areHelpers}`
    const known = groups.get(key)
    if (known !== undefined) known.threads.push(thread)
    else groups.set(key, { group: wave.group, wave, status, threads: [thread], areHelpers })
  }
  return [...groups.values()]
}

/** `0-15, 40`. */
export function rangesText(numbers: readonly number[]): string {
  const parts: string[] = []
  for (let i = 0; i < numbers.length; ) {
    let end = i
    while (end + 1 < numbers.length && numbers[end + 1] === numbers[end]! + 1) end++
    parts.push(end === i ? `${numbers[i]}` : `${numbers[i]}-${numbers[end]}`)
    i = end + 1
  }
  return parts.join(', ')
}

const STATUS_WORDS: Readonly<Record<LaneStatus, string>> = {
  active: 'at',
  barrier: 'wait at barrier,',
  idle: 'wait for other lanes at',
  ended: 'ended',
}

/** `wait at barrier, instruction 12`. */
export function statusText(
  run: DebuggedRun,
  { wave, status, areHelpers }: Pick<LaneGroup, 'wave' | 'status'> & { readonly areHelpers?: boolean },
): string {
  const helpers = areHelpers === true ? ' (helper lanes)' : ''
  if (status === 'ended') return `${STATUS_WORDS.ended}${helpers}`
  const at = status === 'barrier' ? (wave.barrier ?? wave.statement) : wave.statement
  return `${STATUS_WORDS[status]} ${placeText(run, at)}${helpers}`
}

export const groupText = (position: GroupPosition): string => `(${position.join(', ')})`

/** A thread as people write it: `thread 17 (1, 2, 0) of group (0, 0, 0)`, `pixel (3, 4) of primitive 0 (lane 5 of batch 2)`. */
export function threadText(run: DebuggedRun, { group, thread }: Thread): string {
  const { draw } = run
  if (draw !== undefined) {
    const { batches, batch } = draw.line
    const what = isHelper(run, thread) ? 'helper lane' : 'lane'
    return `${batch.stage} shader, ${batch.describe(thread)} (${what} ${thread} of batch ${batches.indexOf(batch)})`
  }
  return `thread ${thread} (${positionInGroup(run, thread).join(', ')}) of group ${groupText(group)}`
}

export function positionInGroup({ declarations }: Pick<DebuggedRun, 'declarations'>, thread: number): GroupPosition {
  const [x, y] = threadsOf(declarations)
  return [thread % x, Math.floor(thread / x) % y, Math.floor(thread / (x * y))]
}

/** What is behind a thread's number in tables: its place in the group, or the invocation's name. */
export const laneName = (run: DebuggedRun, thread: number): string =>
  run.draw?.line.batch.describe(thread) ?? `(${positionInGroup(run, thread).join(', ')})`

/** A cell of a group's grid. */
export interface GridCell {
  readonly thread: number
  readonly status: LaneStatus
  readonly statement: number
  readonly isHelper: boolean
}

/** A group in the shape of its threads. */
export interface LaneGrid {
  readonly group: GroupPosition
  readonly size: readonly [number, number, number]
  /** Row by row; of groups in the order of vThreadIDInGroupFlattened. */
  readonly cells: readonly GridCell[]
}

const QUAD = 4

/** A group in the shape of its threads; quads of pixels beside each other, 2 x 2 each; other invocations in a row. */
export function laneGrid(run: DebuggedRun, group: GroupState): LaneGrid {
  const { declarations, draw } = run
  const cells = group.waves.flatMap((wave) =>
    Array.from({ length: wave.laneCount }, (_, lane): GridCell => {
      const status = laneStatus(wave, lane)
      const statement = status === 'barrier' ? (wave.barrier ?? wave.statement) : wave.statement
      const thread = wave.firstThread + lane
      return { thread, status, statement, isHelper: isHelper(run, thread) }
    }),
  )
  if (draw === undefined) return { group: group.position, size: threadsOf(declarations), cells }
  if (draw.line.batch.stage !== 'pixel') return { group: group.position, size: [cells.length, 1, 1], cells }
  const rowOf = (row: number): GridCell[] => cells.filter((_, i) => Math.floor((i % QUAD) / 2) === row)
  return { group: group.position, size: [cells.length / 2, 2, 1], cells: [...rowOf(0), ...rowOf(1)] }
}

/** The lane that a thread is at a moment; undefined where its group is not in flight. */
export function laneAt(groups: readonly GroupState[], thread: Thread): { wave: WaveState; lane: number } | undefined {
  const group = groups.find((g) => g.position.every((at, axis) => at === thread.group[axis]))
  const wave = group === undefined ? undefined : waveOf(group, thread.thread)
  return wave && { wave, lane: thread.thread - wave.firstThread }
}

/** The lowest lane that executes next in a wave, as a thread. */
export function firstActive(wave: WaveState): Thread {
  return { group: wave.group.position, thread: wave.firstThread + (lanesOf(wave.active)[0] ?? 0) }
}
