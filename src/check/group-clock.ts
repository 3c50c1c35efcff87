import { SYNC_TGSM, SYNC_THREADS, SYNC_UAV_GLOBAL, SYNC_UAV_GROUP } from '../isa/index.ts'

/**
 * What orders the accesses of one group. An epoch is a stretch between two events that order something: barriers that
 * wait for threads, and releases (an atomic on a UAV after a `sync` with the global flag). Two accesses of different
 * threads of the group are ordered when an epoch between them ended with a barrier that covers their memory; accesses
 * of different groups are ordered when one group released after its access and the other acquired that release.
 * Functional specification 7.14.4 to 7.14.6.
 */
export interface GroupClock {
  readonly group: number
  epoch: number
  /** By epoch: barriers before it that cover TGSM, and UAVs. */
  readonly tgsmBarriers: number[]
  readonly uavBarriers: number[]
  /** By epoch: the statement of the barrier or atomic that began it; -1 for the first. */
  readonly began: number[]
  /** The group executed `sync_uglobal` after its last plain write to a UAV. */
  fenced: boolean
  /** By group: the last epoch of that group whose accesses are known to be before what this group does now. */
  readonly acquired: Map<number, number>
}

export function makeGroupClock(group: number): GroupClock {
  return { group, epoch: 0, tgsmBarriers: [0], uavBarriers: [0], began: [-1], fenced: false, acquired: new Map() }
}

function beginEpoch(c: GroupClock, statement: number, flags: number): void {
  const threads = (flags & SYNC_THREADS) !== 0
  const tgsm = threads && (flags & SYNC_TGSM) !== 0 ? 1 : 0
  const uav = threads && (flags & (SYNC_UAV_GROUP | SYNC_UAV_GLOBAL)) !== 0 ? 1 : 0
  c.tgsmBarriers.push(c.tgsmBarriers[c.epoch]! + tgsm)
  c.uavBarriers.push(c.uavBarriers[c.epoch]! + uav)
  c.began.push(statement)
  c.epoch++
}

/** All threads of the group passed a barrier. */
export function passBarrier(c: GroupClock, statement: number, flags: number): void {
  beginEpoch(c, statement, flags)
}

/** A wave executed a `sync`, whether it waits or not. */
export function passFence(c: GroupClock, flags: number): void {
  if ((flags & SYNC_UAV_GLOBAL) !== 0) c.fenced = true
}

/** Epochs by group that an atomic location has published. */
export type Published = Map<number, number>

/**
 * An atomic of the group on a location: it acquires what others published there and, when the group has fenced its
 * writes, publishes what happened before. Returns whether `published` was changed.
 */
export function passAtomic(c: GroupClock, statement: number, published: Published | undefined): Published | undefined {
  if (published !== undefined) {
    for (const [group, epoch] of published) {
      if (group !== c.group && (c.acquired.get(group) ?? -1) < epoch) c.acquired.set(group, epoch)
    }
  }
  if (!c.fenced) return published
  const result: Published = published ?? new Map()
  for (const [group, epoch] of c.acquired) if ((result.get(group) ?? -1) < epoch) result.set(group, epoch)
  result.set(c.group, c.epoch)
  beginEpoch(c, statement, 0)
  return result
}
