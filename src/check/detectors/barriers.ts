import type { BarrierEvent, GroupSite, ReleaseEvent } from '../../engine/index.ts'
import { SYNC_THREADS } from '../../isa/index.ts'
import type { CheckContext, Detector } from '../context.ts'

/** Who waits in a group, since its last release. */
interface Waiting {
  /** Where each thread waits: statement + 1, 0 for nowhere. */
  readonly at: Int32Array
  arrived: number
  /** Where the first one waits, statement + 1; 0 while none does. */
  first: number
  /** Some wait elsewhere. */
  isMixed: boolean
}

/**
 * Barriers that wait for threads, reached by a part of the group or at different places (functional specification
 * 22.17.7). Needless ones are found where races are, by what they order.
 */
export function detectBarriers(context: CheckContext): Detector {
  const { threadCount, sink } = context
  const groups = new Map<number, Waiting>()

  const reportPartial = (event: ReleaseEvent, w: Waiting): void => {
    const missing = w.at.indexOf(0)
    if (sink.known('check-barrier-divergent', event.statement, -1, -1)) return
    sink.add({
      code: 'check-barrier-divergent',
      severity: 'error',
      message: `a barrier is reached by ${w.arrived} of the ${threadCount} threads of the group`,
      site: {
        statement: event.statement,
        group: [event.groupX, event.groupY, event.groupZ],
        thread: Math.max(
          0,
          w.at.findIndex((s) => s !== 0),
        ),
        access: 'other',
        action: 'waits here',
      },
      notes: [`thread ${missing} of the group did not come: it ended or went another way`],
    })
  }

  const reportDifferent = (event: ReleaseEvent, w: Waiting): void => {
    const first = w.at.findIndex((s) => s !== 0)
    const second = w.at.findIndex((s) => s !== 0 && s !== w.at[first])
    const here = w.at[second]! - 1
    const there = w.at[first]! - 1
    if (sink.known('check-barrier-different', here, there, -1)) return
    const site = { group: [event.groupX, event.groupY, event.groupZ], access: 'other', action: 'waits here' } as const
    sink.add({
      code: 'check-barrier-different',
      severity: 'error',
      message: 'threads of one group wait at different barriers',
      site: { ...site, statement: here, thread: second },
      other: { ...site, statement: there, thread: first },
      notes: ['put one barrier where all threads of the group pass'],
    })
  }

  return {
    observer: {
      groupBegin(site: GroupSite) {
        groups.set(site.group, { at: new Int32Array(threadCount), arrived: 0, first: 0, isMixed: false })
      },
      groupEnd: (site: GroupSite) => void groups.delete(site.group),
      barrier({ wave, flags }: BarrierEvent) {
        if ((flags & SYNC_THREADS) === 0) return
        const w = groups.get(wave.group)!
        if (w.first === 0) w.first = wave.statement + 1
        else if (w.first !== wave.statement + 1) w.isMixed = true
        const { lanes, activeCount, firstThread, statement } = wave
        for (let k = 0; k < activeCount; k++) w.at[firstThread + lanes[k]!] = statement + 1
        w.arrived += activeCount
      },
      release(event: ReleaseEvent) {
        const w = groups.get(event.group)!
        if (w.arrived < threadCount) reportPartial(event, w)
        if (w.isMixed) reportDifferent(event, w)
        w.at.fill(0)
        w.arrived = 0
        w.first = 0
        w.isMixed = false
      },
    },
  }
}
