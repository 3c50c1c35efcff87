import { SYNC_TGSM, SYNC_THREADS, SYNC_UAV_GLOBAL, SYNC_UAV_GROUP } from '../../isa/index.ts'

/**
 * What orders accesses (functional specification 7.14 and 22.17.7).
 *
 * The time of a group is counted in epochs; a `sync` begins a new one. Two accesses of different threads of a group are
 * ordered when a `sync` with the thread flag and with a flag that covers their memory lies between their epochs. Other
 * order comes only through atomics: a thread that has fenced its accesses (any `sync` with the flag of the memory)
 * publishes them with its next atomic on a location, and they are before what a thread does whose atomic meets that location
 * later. What is before one thread of a group is before all after the next barrier that waits for threads.
 */
export interface GroupClock {
  readonly group: number
  epoch: number
  /** By epoch: the statement of the `sync` that began it, -1 for the first; and its flags. */
  readonly began: number[]
  readonly flags: number[]
  /** First epoch after the last barrier with the thread flag that covers TGSM, and UAVs. */
  tgsmFrom: number
  uavFrom: number
  /** Last epoch whose UAV accesses all threads of the group have fenced globally; -1 for none. */
  globalFence: number
  /** By thread: last epoch whose accesses the thread has fenced by itself, for UAVs and TGSM. */
  readonly uavFences: Map<number, number>
  readonly tgsmFences: Map<number, number>
  /** What is before every thread of the group, and what is before single threads since the last barrier. */
  ordered: OrderedEpochs
  readonly orderedFor: Map<number, OrderedEpochs>
}

/** Last epoch of each thread's accesses (by `threadKey`), or of a whole group's (by `groupKey`). */
export type OrderedEpochs = ReadonlyMap<number, number>

const NOTHING: OrderedEpochs = new Map()

const groupKey = (group: number): number => -1 - group
const threadKey = (thread: number, tgsm: boolean): number => (thread >>> 0) * 2 + (tgsm ? 1 : 0)

export function makeGroupClock(group: number): GroupClock {
  return {
    group,
    epoch: 0,
    began: [-1],
    flags: [0],
    tgsmFrom: 0,
    uavFrom: 0,
    globalFence: -1,
    uavFences: new Map(),
    tgsmFences: new Map(),
    ordered: NOTHING,
    orderedFor: new Map(),
  }
}

function beginEpoch(c: GroupClock, statement: number, flags: number): void {
  c.epoch++
  c.began.push(statement)
  c.flags.push(flags)
}

function merge(into: Map<number, number>, from: OrderedEpochs): void {
  for (const [key, epoch] of from) if ((into.get(key) ?? -1) < epoch) into.set(key, epoch)
}

/** All threads of the group passed a barrier with these flags, the thread flag among them. */
export function passBarrier(c: GroupClock, statement: number, flags: number): void {
  beginEpoch(c, statement, flags)
  if ((flags & SYNC_TGSM) !== 0) c.tgsmFrom = c.epoch
  if ((flags & (SYNC_UAV_GROUP | SYNC_UAV_GLOBAL)) !== 0) c.uavFrom = c.epoch
  if ((flags & SYNC_UAV_GLOBAL) !== 0) c.globalFence = c.epoch - 1
  if (c.orderedFor.size === 0) return
  const all = new Map(c.ordered)
  for (const epochs of c.orderedFor.values()) merge(all, epochs)
  c.ordered = all
  c.orderedFor.clear()
}

/** Threads executed a `sync` without the thread flag: it orders their own accesses, for threads that take what they publish. */
export function passFence(c: GroupClock, statement: number, flags: number, threads: Iterable<number>): void {
  beginEpoch(c, statement, flags & ~SYNC_THREADS)
  for (const thread of threads) {
    if ((flags & SYNC_TGSM) !== 0) c.tgsmFences.set(thread, c.epoch - 1)
    if ((flags & (SYNC_UAV_GROUP | SYNC_UAV_GLOBAL)) !== 0) c.uavFences.set(thread, c.epoch - 1)
  }
}

/** Whether an atomic of this group can publish anything: most programs never fence, and pay nothing. */
export function canPublish(c: GroupClock): boolean {
  return (
    c.globalFence >= 0 || c.uavFences.size > 0 || c.tgsmFences.size > 0 || c.ordered.size > 0 || c.orderedFor.size > 0
  )
}

/**
 * An atomic of a thread on a location: what was published there is before the thread from now on, and the thread publishes
 * what it has fenced and what is before it. Returns what the location has published from now on.
 */
export function passAtomic(
  c: GroupClock,
  thread: number,
  published: OrderedEpochs | undefined,
): OrderedEpochs | undefined {
  if (published !== undefined) {
    const mine = new Map(c.orderedFor.get(thread) ?? NOTHING)
    merge(mine, published)
    c.orderedFor.set(thread, mine)
  }
  if (!canPublish(c)) return published
  const result = new Map(published ?? NOTHING)
  merge(result, c.ordered)
  merge(result, c.orderedFor.get(thread) ?? NOTHING)
  const own: [number, number | undefined][] = [
    [groupKey(c.group), c.globalFence >= 0 ? c.globalFence : undefined],
    [threadKey(thread, false), c.uavFences.get(thread)],
    [threadKey(thread, true), c.tgsmFences.get(thread)],
  ]
  for (const [key, epoch] of own) if (epoch !== undefined && (result.get(key) ?? -1) < epoch) result.set(key, epoch)
  return result.size === 0 ? published : result
}

/** Whether an access of another thread, at an epoch of its group, is before what the thread does next. */
export function isOrderedBefore(
  c: GroupClock,
  thread: number,
  other: number,
  group: number,
  epoch: number,
  tgsm: boolean,
): boolean {
  const mine = c.orderedFor.get(thread)
  const key = threadKey(other, tgsm)
  if ((c.ordered.get(key) ?? -1) >= epoch || (mine?.get(key) ?? -1) >= epoch) return true
  if (tgsm) return false
  const whole = groupKey(group)
  return (c.ordered.get(whole) ?? -1) >= epoch || (mine?.get(whole) ?? -1) >= epoch
}
