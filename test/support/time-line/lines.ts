/** Steps by lines of walks, with lines that were made up, held against the moments that were written down. */
import type { Direction, SourcePlace, SourcePlaces } from '../../../src/debug/index.ts'
import { threadCountOf } from '../../../src/engine/index.ts'
import type { Moment } from './moments.ts'
import { groupPosition, type WalkState } from './state.ts'
import { wrongStop } from './steps.ts'

/** Lines of a few statements, some of no line, stretches of inlined calls, one call in another. */
function madeUpLines(kind: number): SourcePlaces {
  const length = 1 + (kind % 4)
  return {
    placeOf(statement): SourcePlace | undefined {
      if (statement % 11 === 5) return undefined
      const calls = Math.floor(statement / 7) % 4
      const inlined = calls === 1 ? ['f'] : calls === 2 ? ['f', 'g'] : []
      // Lines come again: of two stretches of statements, or in another call.
      return { line: Math.floor(statement / length) % 9, inlined }
    },
  }
}

interface Standing {
  readonly key: string
  readonly depth: number
}

function standing(lines: SourcePlaces, statement: number, callDepth: number): Standing | undefined {
  const place = lines.placeOf(statement)
  if (place === undefined) return undefined
  return {
    key: `${callDepth} ${place.inlined.join(' ')} ${place.line}`,
    depth: callDepth + place.inlined.length,
  }
}

/** Clocks at which a lane comes next in a line up to a depth, with the line. */
function passed(s: Pick<WalkState, 'moments'>, group: number, thread: number, lines: SourcePlaces, deepest: number) {
  return s.moments.flatMap((m: Moment, clock) => {
    if (m.group !== group || !m.threads.includes(thread)) return []
    const at = standing(lines, m.statement, m.callDepth)
    return at === undefined || at.depth > deepest ? [] : [{ clock, key: at.key }]
  })
}

export async function lineStep(
  s: Pick<WalkState, 'random' | 'line' | 'run' | 'moments' | 'isCut'>,
  threadCount = threadCountOf(s.run.shader.declarations),
): Promise<string | undefined> {
  const { random, line, run, moments } = s
  const direction: Direction = random.pick(['forward', 'backward'] as const)
  const depth = random.pick(['in', 'in', 'over', 'out'] as const)
  const at = moments[random.chance(0.7) ? line.clock : random.below(moments.length)]!
  if (at.threads.length === 0) return undefined
  const thread = random.chance(0.4) ? random.below(threadCount) : random.pick(at.threads)
  const lines = madeUpLines(random.below(8))
  const group = groupPosition(run, at.group)
  const from = line.clock
  const view = line.laneOf({ group, thread })
  const here = view === undefined ? undefined : standing(lines, view.wave.statement, view.wave.callDepth)
  const calls = here?.depth ?? view?.wave.callDepth ?? 0
  const deepest = depth === 'in' ? Number.POSITIVE_INFINITY : depth === 'over' ? calls : calls - 1
  const own = passed(s, at.group, thread, lines, deepest)
  const begins = own.filter(({ key }, i) => own[i - 1]?.key !== key)
  let want: number | undefined
  if (direction === 'backward') want = begins.findLast(({ clock }) => clock < from)?.clock
  else {
    // The line that the lane is in is no other one; a lane that waits for others is in none.
    const next = moments.slice(from).find((m) => m.group === at.group && m.wave === view?.wave.wave)
    if (view !== undefined && next === undefined && s.isCut) return undefined
    const isIn = next?.threads.includes(thread) === true && here !== undefined && here.depth <= deepest
    want = own.find(({ clock, key }) => clock > from && !(isIn && key === here.key))?.clock
  }
  if (want === undefined && direction === 'forward' && s.isCut) return undefined
  const stop = await line.step(direction, { unit: 'lane', thread: { group, thread }, depth, source: lines })
  const what = `${direction} from ${from} by lines ${depth} of thread ${thread} of group ${at.group}`
  if (want !== undefined) return stop.reason === 'reached' ? wrongStop(s, stop, want, what) : `${what}: ${stop.reason}`
  return stop.reason === 'reached' ? `${what}: stopped at ${stop.clock}, where no line begins` : undefined
}
