import type { Severity } from '../../diagnostic/index.ts'
import type { MemoryEvent } from '../../engine/index.ts'
import { SYNC_THREADS } from '../../isa/index.ts'
import { type CheckContext, groupPosition } from '../context.ts'
import type { Site } from '../report/finding.ts'
import { memoryPlace } from '../report/memory-place.ts'
import type { Shadow } from '../undefined/shadow.ts'
import { type AtomicLog, atomicsOf } from './atomic-log.ts'
import { type GroupClock, isOrderedBefore, type OrderedEpochs } from './group-clock.ts'

/** State of the race detector for the current access, whether an earlier one is ordered before it, and how it reports. */

export type Access = 'load' | 'store' | 'atomic'
type RaceCode =
  | 'check-race'
  | 'check-race-across-groups'
  | 'check-race-barrier-scope'
  | 'check-race-same-value'
  | 'check-race-atomic'
  | 'check-unordered-atomic'

/** Shared memory of a group in flight: a shadow for each TGSM register, kept for the next group. */
export interface GroupState {
  readonly clock: GroupClock
  readonly tgsm: Map<number, Shadow>
}

/** Locations whose published knowledge is kept; a program beyond that is taken to order everything by atomics. */
export const MAX_PUBLISHED = 1 << 18
/** Tags are 32 bits: a group that passes more barriers than fit is no longer distinguished. */
export const MAX_TAG = 0xffffffff
/** Barriers that a finding lists. */
const MAX_LISTED = 4

/** What the current event is, for the functions that check its single accesses. */
export interface Current {
  event: MemoryEvent
  state: GroupState
  clock: GroupClock
  tgsm: boolean
  /** First thread number of the group. */
  groupFirst: number
  /** Tags below it are ordered before now, for threads of the group. */
  orderedBelow: number
  tag: number
  thread: number
  value: number
  byteOffset: number
}

/** A 32-bit digest of the four words of a texel: equal texels have equal digests. */
export function digest(values: Int32Array, at: number): number {
  let h = 0x811c9dc5
  for (let i = 0; i < 4; i++) h = Math.imul(h ^ values[at + i]!, 0x01000193) ^ (h >>> 15)
  return h | 0
}

/** What all the functions of one detector share. */
export interface Races {
  readonly context: CheckContext
  readonly statementCount: number
  readonly inFlight: Map<number, GroupState>
  readonly idle: Map<number, Shadow>[]
  readonly uavs: Map<object, Shadow>
  readonly published: Map<object, Map<number, OrderedEpochs>>
  publishedCount: number
  readonly atomicLog: AtomicLog
  readonly usefulBarriers: Uint8Array
  readonly executedBarriers: Uint8Array
  /** Barriers that were executed and not yet found useful. */
  undecided: number
  waveWidth: number
  /** Tags ran out: findings may be missing. */
  ranOut: boolean
  current: Current
}

const statementOf = (r: Races, tag: number): number => (tag >>> 0) % r.statementCount
const epochOf = (r: Races, tag: number): number => Math.floor((tag >>> 0) / r.statementCount)
const groupOf = (r: Races, thread: number): number => Math.floor(((thread >>> 0) - 1) / r.context.threadCount)
export const inGroup = (r: Races, thread: number): boolean =>
  (thread - r.current.groupFirst) >>> 0 < r.context.threadCount

function barriersBefore(clock: GroupClock, epoch: number): number[] {
  return clock.began.slice(Math.max(1, epoch + 1 - MAX_LISTED), epoch + 1)
}

function barriersAfter(clock: GroupClock, epoch: number): number[] {
  return clock.began.slice(epoch + 1, epoch + 1 + MAX_LISTED)
}

function siteOf(r: Races, thread: number, tag: number, access: Access, value?: number): Site {
  const { threadCount, groups } = r.context
  return {
    statement: statementOf(r, tag),
    group: groupPosition(groupOf(r, thread), groups),
    thread: ((thread >>> 0) - 1) % threadCount,
    access,
    ...(value === undefined ? {} : { value: value >>> 0 }),
    ...(inGroup(r, thread) ? { barriers: barriersBefore(r.current.clock, epochOf(r, tag)) } : {}),
  }
}

/**
 * Threads of one wave execute a statement together: where the later access stands before the earlier one, the wave has
 * gone back in between.
 */
function isAcrossIterations(r: Races, thread: number, tag: number): boolean {
  const { wave } = r.current.event
  const inOwn = ((thread >>> 0) - 1) % r.context.threadCount
  return inGroup(r, thread) && Math.floor(inOwn / r.waveWidth) === wave.wave && wave.statement < statementOf(r, tag)
}

export function report(r: Races, code: RaceCode, thread: number, tag: number, access: Access, value?: number): void {
  const { event, clock } = r.current
  if (r.context.sink.known(code, event.wave.statement, statementOf(r, tag), event.register)) return
  const fence = code === 'check-race-across-groups' ? missingFence(r, thread, tag) : undefined
  const between = inGroup(r, thread) ? barriersAfter(clock, epochOf(r, tag)) : []
  r.context.sink.add({
    code,
    severity: severityOf(code, access, event.access),
    message: raceMessage(code, access, event.access, r.current.tgsm),
    site: siteOf(
      r,
      r.current.thread,
      r.current.tag,
      event.access,
      event.valuesPerRow > event.width ? undefined : r.current.value,
    ),
    other: siteOf(r, thread, tag, access, event.valuesPerRow > event.width ? undefined : value),
    memory: memoryPlace(event, r.current.byteOffset),
    barriersBetween: between,
    acrossIterations: isAcrossIterations(r, thread, tag),
    ...(fence === undefined
      ? { notes: NOTES[code] }
      : {
          notes: fence.notes,
          related: [{ label: 'the atomic by which the groups meet', statement: fence.statement }],
        }),
  })
}

/**
 * Two groups that meet at an atomic, after which the later one takes the earlier one's accesses for done: what is missing
 * is a fence before that atomic, or, where another thread of the group makes it, a barrier that also waits.
 */
function missingFence(r: Races, thread: number, tag: number): { statement: number; notes: string[] } | undefined {
  const mine = atomicsOf(r.atomicLog, r.current.clock.group)
  const earlier = atomicsOf(r.atomicLog, groupOf(r, thread)).filter((m) => m.epoch >= epochOf(r, tag))
  const shared = earlier.filter((m) => mine.some((x) => x.location === m.location && x.byteOffset === m.byteOffset))
  // Of several the one that follows the access: an atomic before it cannot have published it.
  const at = shared.find((m) => m.epoch > epochOf(r, tag) || m.statement > statementOf(r, tag)) ?? shared[0]
  if (at === undefined || r.current.tgsm) return undefined
  const { byteOffset } = r.current
  if (at.byteOffset === byteOffset && at.statement === statementOf(r, tag)) return undefined
  const missing =
    at.thread === thread
      ? 'put a fence (DeviceMemoryBarrier, sync_uglobal) between the earlier access and the atomic, in the thread that makes both'
      : 'a fence of all threads that also waits (DeviceMemoryBarrierWithGroupSync, sync_uglobal_t) is missing between the earlier accesses and the atomic, at a place that all threads of the group pass'
  return {
    statement: at.statement,
    notes: ['the groups meet at an atomic, but no fence orders the earlier access before it', missing],
  }
}

/** Two accesses in conflict with nothing that orders them. */
export function conflict(r: Races, thread: number, tag: number, access: Access, value?: number): void {
  const code: RaceCode = !inGroup(r, thread)
    ? 'check-race-across-groups'
    : epochOf(r, tag) < r.current.clock.epoch
      ? 'check-race-barrier-scope'
      : 'check-race'
  report(r, code, thread, tag, access, value)
}

/** The first barrier after an epoch that covers the memory of the current access did its work. */
function markUseful(r: Races, epoch: number): void {
  const { clock, tgsm } = r.current
  for (let e = epoch + 1; e <= clock.epoch; e++) {
    const flags = clock.flags[e]!
    const covers = (flags & SYNC_THREADS) !== 0 && (flags & ~SYNC_THREADS & (tgsm ? 2 : 12)) !== 0
    if (!covers) continue
    const statement = clock.began[e]!
    if (r.usefulBarriers[statement] === 0) {
      r.usefulBarriers[statement] = 1
      r.undecided--
    }
    return
  }
}

/** Whether an earlier access of another thread happened before the current one. */
export function ordered(r: Races, thread: number, tag: number): boolean {
  const c = r.current
  if (inGroup(r, thread)) {
    if (tag >>> 0 < c.orderedBelow) {
      if (r.undecided > 0) markUseful(r, epochOf(r, tag))
      return true
    }
    const { clock } = c
    return (
      clock.orderedFor.size + clock.ordered.size > 0 &&
      isOrderedBefore(clock, c.thread, thread, clock.group, epochOf(r, tag), c.tgsm)
    )
  }
  const { clock } = c
  if (clock.orderedFor.size + clock.ordered.size === 0) return r.publishedCount > MAX_PUBLISHED
  return (
    r.publishedCount > MAX_PUBLISHED ||
    isOrderedBefore(clock, c.thread, thread, groupOf(r, thread), epochOf(r, tag), false)
  )
}

/** A plain load of what another group left: it may be answered by a cache that never saw it, without `_glc` (7.14.4). */
export function checkCoherence(r: Races, thread: number, tag: number, access: Access): void {
  const { event } = r.current
  if (event.access !== 'load' || event.space !== 'uav' || inGroup(r, thread)) return
  const declaration = r.context.declarations.uavs.find((u) => u.id === event.register)
  if (declaration === undefined || declaration.globallyCoherent) return
  if (r.context.sink.known('check-coherence', event.wave.statement, statementOf(r, tag), event.register)) return
  r.context.sink.add({
    code: 'check-coherence',
    severity: 'error',
    message: 'a load of what another group wrote goes through a UAV that is not globally coherent',
    site: siteOf(r, r.current.thread, r.current.tag, 'load', r.current.value),
    other: siteOf(r, thread, tag, access),
    memory: memoryPlace(event, r.current.byteOffset),
    notes: ['declare the UAV globallycoherent, so that its declaration has _glc'],
  })
}

const SEVERITY = {
  'check-race': 'error',
  'check-race-across-groups': 'error',
  'check-race-barrier-scope': 'error',
  'check-race-atomic': 'warning',
  'check-race-same-value': 'hint',
  'check-unordered-atomic': 'hint',
} as const

/** A store among UAV atomics undoes some of them, whichever come before it; a load sees any of their results. */
function severityOf(code: RaceCode, earlier: Access, later: Access): Severity {
  const hasStore = earlier === 'store' || later === 'store'
  return code === 'check-unordered-atomic' && hasStore ? 'warning' : SEVERITY[code]
}

const NOTES: Readonly<Record<RaceCode, readonly string[]>> = {
  'check-race': [],
  'check-race-across-groups': ['no barrier spans groups: use atomics, or two dispatches'],
  'check-race-barrier-scope': [
    'sync_g orders TGSM, sync_uglobal and sync_ugroup order UAVs; only with _t do they wait',
  ],
  'check-race-atomic': ['harmless where any value in between will do'],
  'check-race-same-value': [],
  'check-unordered-atomic': [],
}

const VERB = { load: 'reads', store: 'writes', atomic: 'changes atomically' } as const

function raceMessage(code: RaceCode, earlier: Access, later: Access, tgsm: boolean): string {
  const action =
    earlier === later
      ? 'two threads write the same memory'
      : `one thread ${VERB[earlier]} and another ${VERB[later]} the same memory`
  switch (code) {
    case 'check-race':
      return tgsm && earlier !== later && (earlier === 'atomic' || later === 'atomic')
        ? `${action} with no barrier between them; atomics on TGSM are not atomic against stores`
        : `${action}, with no barrier between them`
    case 'check-race-across-groups':
      return `${action} in different groups, with nothing to order them`
    case 'check-race-barrier-scope':
      return `${action}; what lies between them does not order this memory`
    case 'check-race-same-value':
      return 'several threads write the same value to the same memory, with nothing to order them'
    case 'check-race-atomic':
      return `${action} with no barrier between them: the load sees any state of the memory`
    case 'check-unordered-atomic':
      return earlier === 'store' || later === 'store'
        ? `${action}, with nothing to order them: the store may undo any of the atomics`
        : `${action}, with nothing to order them; each is atomic, their order is open`
  }
}

/** Barriers that were passed and between whose sides no two threads ever used the same memory. */
export function reportNeedlessBarriers(r: Races): void {
  for (let statement = 0; statement < r.statementCount; statement++) {
    if (r.executedBarriers[statement] === 0 || r.usefulBarriers[statement] === 1) continue
    r.context.sink.add({
      code: 'check-barrier-needless',
      severity: 'hint',
      message: 'this barrier ordered no two accesses of different threads in this run',
      site: { statement, group: [0, 0, 0], thread: 0, access: 'other' },
      notes: ['other sizes or inputs may need it; it costs time where it is not needed'],
    })
  }
}
