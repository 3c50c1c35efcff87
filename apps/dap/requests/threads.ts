/** Lanes as threads of the protocol. */
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import type { Thread } from '../../../src/debug/index.ts'
import { groupText, laneGroups, rangesText, statusText } from '../../../src/session/index.ts'
import { type AdapterContext, sessionOf } from '../context.ts'

/** Threads that a thread of the protocol stands for. */
interface ThreadSet {
  readonly id: number
  readonly name: string
  readonly group: Thread['group']
  readonly threads: readonly number[]
}

/** A group has at most 1024 threads. */
const GROUP_IDS = 1024

/** Each lane alone is for small groups: clients are slow with hundreds of threads. */
const MAX_LANES = 64

/** What stands for the run where no group is in flight. */
const RUN_ID = 1

const idOf = (group: number, thread: number): number => 1 + group * GROUP_IDS + thread

function threadSets({ session, threadMode }: Pick<AdapterContext, 'session' | 'threadMode'>): readonly ThreadSet[] {
  if (session === undefined) return []
  const { run } = session
  return session.timeLine.groups.flatMap((group) => {
    const at = group.position
    // Names have no dots: a client cuts them there.
    const batch = run.draw?.line.batch
    const head = batch === undefined ? `group ${groupText(at)}` : `${batch.stage} shader`
    const all = group.waves.flatMap((w) => Array.from({ length: w.laneCount }, (_, l) => w.firstThread + l))
    if (threadMode === 'lanes' && all.length <= MAX_LANES) {
      return all.map((t) => {
        const name = batch === undefined ? `thread ${t}` : batch.describe(t).replaceAll('.', ' ')
        return { id: idOf(group.group, t), name: `${head} ${name}`, group: at, threads: [t] }
      })
    }
    return group.waves.flatMap((wave): readonly ThreadSet[] => {
      const own = { group: at, threads: Array.from({ length: wave.laneCount }, (_, l) => wave.firstThread + l) }
      if (threadMode === 'waves')
        return [{ ...own, id: idOf(group.group, wave.firstThread), name: `${head} wave ${wave.wave}` }]
      return laneGroups(run, wave).map((l) => ({
        id: idOf(group.group, l.threads[0]!),
        name: `${head} wave ${wave.wave} · threads ${rangesText(l.threads)} · ${statusText(run, l).replaceAll('.', ' ')}`,
        group: at,
        threads: l.threads,
      }))
    })
  })
}

const isOf = (set: ThreadSet, { group, thread }: Thread): boolean =>
  set.group.every((at, axis) => at === group[axis]) && set.threads.includes(thread)

/** The thread of the protocol that the focus is in. */
export function focusId(c: AdapterContext): number {
  const { focus } = sessionOf(c)
  return threadSets(c).find((s) => isOf(s, focus))?.id ?? RUN_ID
}

/** The thread that stands for a set: the focus where it is in it, else the lowest. */
export function representative(c: AdapterContext, id: number): Thread | undefined {
  const set = threadSets(c).find((s) => s.id === id)
  if (set === undefined) return undefined
  const { focus } = sessionOf(c)
  return isOf(set, focus) ? focus : { group: set.group, thread: set.threads[0]! }
}

/** Looks at a thread of the protocol before it is stepped. */
export function focusOn(c: AdapterContext, id: number): void {
  const thread = representative(c, id)
  if (thread !== undefined) sessionOf(c).focus = thread
}

function threadsNow(c: AdapterContext): readonly P.Thread[] {
  const found = threadSets(c).map(({ id, name }) => ({ id, name }))
  return found.length > 0 ? found : [{ id: RUN_ID, name: 'the run: no group is in flight' }]
}

export const threads = (c: AdapterContext): object => ({ threads: threadsNow(c) })

/** Says which threads of the protocol there are now that were not at the last stop, and which are gone. */
export function announceThreads(c: AdapterContext): void {
  const now = new Set(threadsNow(c).map(({ id }) => id))
  for (const threadId of c.knownThreads) if (!now.has(threadId)) c.event('thread', { reason: 'exited', threadId })
  for (const threadId of now) if (!c.knownThreads.has(threadId)) c.event('thread', { reason: 'started', threadId })
  c.knownThreads = now
}
