/** What walks over time lines know, and what they expect of it. */
import type { Direction, RecordedChange, TimeLine } from '../../../src/debug/index.ts'
import type { ResolvedBindings } from '../../../src/machine/index.ts'
import type { Random } from '../random/random.ts'
import { allMoments, type MadeChange, type Moment, type WalkedRun } from './moments.ts'

/** The bytes and counters of UAVs, copied by other means than those of snapshots. */
export function copyContents(bindings: ResolvedBindings): () => void {
  const kept = [...bindings.u.values()].map((view) => {
    const counter = view.shape === 'structured' ? view.counter : undefined
    return { view, bytes: view.storage.bytes.slice(), counter, count: counter?.words[counter.index] }
  })
  return () => {
    for (const { view, bytes, counter, count } of kept) {
      view.storage.bytes.set(bytes)
      if (counter !== undefined) counter.words[counter.index] = count!
    }
  }
}

/** A walk over a time line, and what was written down of the run. */
export interface WalkState {
  readonly run: WalkedRun
  readonly line: TimeLine
  readonly random: Random
  /** Puts memory back to how the run finds it. */
  readonly reset: () => void
  readonly changes: (MadeChange & { readonly recorded: RecordedChange })[]
  moments: readonly Moment[]
  /** The run goes on behind what is written down. */
  isCut: boolean
  /** Statements that are written down at the most. */
  readonly most: number
}

/** Goes over the run again from a moment that is another one now, and leaves memory as it was. */
export function refresh(s: WalkState, from: number): void {
  const back = copyContents(s.run.bindings)
  s.reset()
  const { moments, result } = allMoments(s.run, s.changes, s.most, { moments: s.moments, until: from })
  s.moments = moments
  s.isCut = result === undefined
  back()
}

/** Where a group lies, by its number. */
export const groupPosition = ({ groups: [x, y] }: WalkedRun, group: number): readonly [number, number, number] => [
  group % x,
  Math.floor(group / x) % y,
  Math.floor(group / (x * y)),
]

/** The clock at which a run must stop; -1 at the start, `moments.length` behind what is written down. */
export function expectedStop(
  { moments }: WalkState,
  from: number,
  direction: Direction,
  holds: (m: Moment, clock: number) => boolean,
): number {
  if (direction === 'forward') {
    for (let c = from + 1; c < moments.length; c++) if (holds(moments[c]!, c)) return c
    return moments.length
  }
  for (let c = from - 1; c >= 0; c--) if (holds(moments[c]!, c)) return c
  return -1
}

export const hideResources = (key: string, value: unknown): unknown => (key === 'resource' ? 'resource' : value)
