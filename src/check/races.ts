import type { BarrierEvent, GroupSite, MemoryEvent, ReleaseEvent, WaveSite } from '../engine/index.ts'
import { SYNC_THREADS } from '../isa/index.ts'
import { type CheckContext, type Detector, groupPosition } from './context.ts'
import type { Site } from './finding.ts'
import {
  canPublish,
  type GroupClock,
  type Knowledge,
  knows,
  makeGroupClock,
  passAtomic,
  passBarrier,
  passFence,
} from './group-clock.ts'
import { memoryPlace } from './memory-place.ts'
import {
  ATOMIC_WORDS,
  CELL_MASK,
  clearShadow,
  makePage,
  makeShadow,
  PAGE_SHIFT,
  READ_WORDS,
  type Shadow,
  WRITE_WORDS,
} from './shadow.ts'

type Access = 'load' | 'store' | 'atomic'
type RaceCode =
  | 'check-race'
  | 'check-race-across-groups'
  | 'check-race-barrier-scope'
  | 'check-race-same-value'
  | 'check-race-atomic'
  | 'check-unordered-atomic'

/** Shared memory of a group in flight: a shadow for each TGSM register, kept for the next group. */
interface GroupState {
  readonly clock: GroupClock
  readonly tgsm: Map<number, Shadow>
}

/** Locations whose published knowledge is kept; a program beyond that is taken to order everything by atomics. */
const MAX_PUBLISHED = 1 << 18
/** Tags are 32 bits: a group that passes more barriers than fit is not told apart any more. */
const MAX_TAG = 0xffffffff
/** Barriers that a finding lists. */
const MAX_LISTED = 4

/** What the current event is, for the functions that judge its single accesses. */
interface Current {
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
function digest(values: Int32Array, at: number): number {
  let h = 0x811c9dc5
  for (let i = 0; i < 4; i++) h = Math.imul(h ^ values[at + i]!, 0x01000193) ^ (h >>> 15)
  return h | 0
}

/** What all the functions of one detector share. */
interface Races {
  readonly context: CheckContext
  readonly statementCount: number
  readonly inFlight: Map<number, GroupState>
  readonly idle: Map<number, Shadow>[]
  readonly uavs: Map<object, Shadow>
  readonly published: Map<object, Map<number, Knowledge>>
  publishedCount: number
  readonly usefulBarriers: Uint8Array
  readonly executedBarriers: Uint8Array
  /** Barriers that were executed and not yet found useful. */
  undecided: number
  /** Tags ran out: findings may be missing. */
  ranOut: boolean
  current: Current
}

const statementOf = (r: Races, tag: number): number => (tag >>> 0) % r.statementCount
const epochOf = (r: Races, tag: number): number => Math.floor((tag >>> 0) / r.statementCount)
const groupOf = (r: Races, thread: number): number => Math.floor(((thread >>> 0) - 1) / r.context.threadCount)
const inGroup = (r: Races, thread: number): boolean => (thread - r.current.groupFirst) >>> 0 < r.context.threadCount

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

function report(r: Races, code: RaceCode, thread: number, tag: number, access: Access, value?: number): void {
  const { event, clock } = r.current
  if (r.context.sink.known(code, event.wave.statement, statementOf(r, tag), event.register)) return
  const between = inGroup(r, thread) ? barriersAfter(clock, epochOf(r, tag)) : []
  r.context.sink.add({
    code,
    severity: SEVERITY[code],
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
    notes: NOTES[code],
  })
}

/** Two accesses in conflict with nothing that orders them. */
function conflict(r: Races, thread: number, tag: number, access: Access, value?: number): void {
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
function ordered(r: Races, thread: number, tag: number): boolean {
  const c = r.current
  if (inGroup(r, thread)) {
    if (tag >>> 0 < c.orderedBelow) {
      if (r.undecided > 0) markUseful(r, epochOf(r, tag))
      return true
    }
    const { clock } = c
    return (
      clock.knownBy.size + clock.known.size > 0 && knows(clock, c.thread, thread, clock.group, epochOf(r, tag), c.tgsm)
    )
  }
  const { clock } = c
  if (clock.knownBy.size + clock.known.size === 0) return r.publishedCount > MAX_PUBLISHED
  return r.publishedCount > MAX_PUBLISHED || knows(clock, c.thread, thread, groupOf(r, thread), epochOf(r, tag), false)
}

/** A plain load of what another group left: it may be answered by a cache that never saw it, without `_glc` (7.14.4). */
function checkCoherence(r: Races, thread: number, tag: number, access: Access): void {
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

/** An earlier plain write and the current access. */
function judgeWriter(r: Races, page: Int32Array, at: number): void {
  const thread = page[at]!
  const tag = page[at + 1]!
  const { event, tgsm } = r.current
  if (ordered(r, thread, tag)) {
    checkCoherence(r, thread, tag, 'store')
    return
  }
  if (event.access === 'atomic') {
    report(r, tgsm ? 'check-race' : 'check-unordered-atomic', thread, tag, 'store', page[at + 2])
  } else if (event.access === 'store' && page[at + 2] === r.current.value) {
    report(r, 'check-race-same-value', thread, tag, 'store', page[at + 2])
  } else conflict(r, thread, tag, 'store', page[at + 2])
}

/** An earlier plain read and the current store or atomic. */
function judgeReader(r: Races, thread: number, tag: number): void {
  if (thread === 0 || thread === r.current.thread || ordered(r, thread, tag)) return
  if (r.current.event.access === 'store') conflict(r, thread, tag, 'load')
  else report(r, r.current.tgsm ? 'check-race-atomic' : 'check-unordered-atomic', thread, tag, 'load')
}

/** An earlier atomic and the current plain access. */
function judgeAtomic(r: Races, thread: number, tag: number): void {
  const isOrdered = ordered(r, thread, tag)
  checkCoherence(r, thread, tag, 'atomic')
  if (isOrdered) return
  const { event, tgsm } = r.current
  if (!tgsm) report(r, 'check-unordered-atomic', thread, tag, 'atomic')
  else if (event.access === 'load') report(r, 'check-race-atomic', thread, tag, 'atomic')
  else conflict(r, thread, tag, 'atomic')
}

/**
 * Remembers a reader. Of the two that a cell holds the second is one of another group where there is one, else another
 * thread; readers of the group that a barrier has ordered since give up their place.
 */
function recordRead(r: Races, page: Int32Array, at: number): void {
  const { thread, tag, orderedBelow } = r.current
  const first = page[at]!
  const firstIsNear = inGroup(r, first)
  if (firstIsNear && page[at + 1]! >>> 0 < orderedBelow) {
    page[at] = thread
    page[at + 1] = tag
    return
  }
  const second = page[at + 2]!
  const secondIsNear = second !== 0 && inGroup(r, second)
  const takes =
    second === 0 || second === thread || !firstIsNear || (secondIsNear && page[at + 3]! >>> 0 < orderedBelow)
  if (!takes) return
  page[at + 2] = thread
  page[at + 3] = tag
}

/** The common case of `ordered`, without a call: an access of the group before the last barrier, none of them undecided. */
function isPlainlyOrdered(r: Races, thread: number, tag: number): boolean {
  const c = r.current
  return tag >>> 0 < c.orderedBelow && r.undecided === 0 && (thread - c.groupFirst) >>> 0 < r.context.threadCount
}

function judgeLoad(r: Races, shadow: Shadow, cell: number): void {
  const { thread } = r.current
  const number = cell >> PAGE_SHIFT
  const inPage = cell & CELL_MASK
  const writes = shadow.writes[number]
  if (writes !== undefined) {
    const at = inPage * WRITE_WORDS
    const writer = writes[at]!
    if (writer !== 0 && writer !== thread && !isPlainlyOrdered(r, writer, writes[at + 1]!)) judgeWriter(r, writes, at)
  }
  const atomics = shadow.atomics[number]
  if (atomics !== undefined) {
    const by = atomics[inPage * ATOMIC_WORDS]!
    if (by !== 0 && by !== thread) judgeAtomic(r, by, atomics[inPage * ATOMIC_WORDS + 1]!)
  }
  const reads = shadow.reads[number] ?? makePage(shadow, shadow.reads, number, READ_WORDS)
  const at = inPage * READ_WORDS
  const first = reads[at]!
  if (first === 0 || first === thread) {
    reads[at] = thread
    reads[at + 1] = r.current.tag
  } else recordRead(r, reads, at)
}

function judgeStore(r: Races, shadow: Shadow, cell: number): void {
  const { thread } = r.current
  const number = cell >> PAGE_SHIFT
  const inPage = cell & CELL_MASK
  const reads = shadow.reads[number]
  if (reads !== undefined) {
    const at = inPage * READ_WORDS
    const reader = reads[at]!
    if (reader !== 0) {
      if (reader !== thread && !isPlainlyOrdered(r, reader, reads[at + 1]!)) judgeReader(r, reader, reads[at + 1]!)
      if (reads[at + 2] !== 0) {
        judgeReader(r, reads[at + 2]!, reads[at + 3]!)
        reads[at + 2] = 0
      }
      reads[at] = 0
    }
  }
  const atomics = shadow.atomics[number]
  if (atomics !== undefined) {
    const by = atomics[inPage * ATOMIC_WORDS]!
    if (by !== 0 && by !== thread) judgeAtomic(r, by, atomics[inPage * ATOMIC_WORDS + 1]!)
    atomics[inPage * ATOMIC_WORDS] = 0
  }
  const writes = shadow.writes[number] ?? makePage(shadow, shadow.writes, number, WRITE_WORDS)
  const at = inPage * WRITE_WORDS
  const writer = writes[at]!
  if (writer !== 0 && writer !== thread && !isPlainlyOrdered(r, writer, writes[at + 1]!)) judgeWriter(r, writes, at)
  writes[at] = thread
  writes[at + 1] = r.current.tag
  writes[at + 2] = r.current.value
}

function judgeAtomicAccess(r: Races, shadow: Shadow, cell: number): void {
  const { thread } = r.current
  const number = cell >> PAGE_SHIFT
  const inPage = cell & CELL_MASK
  const reads = shadow.reads[number]
  if (reads !== undefined) {
    const at = inPage * READ_WORDS
    judgeReader(r, reads[at]!, reads[at + 1]!)
    judgeReader(r, reads[at + 2]!, reads[at + 3]!)
  }
  const writes = shadow.writes[number]
  if (writes !== undefined) {
    const at = inPage * WRITE_WORDS
    const writer = writes[at]!
    if (writer !== 0 && writer !== thread) judgeWriter(r, writes, at)
  }
  const atomics = shadow.atomics[number] ?? makePage(shadow, shadow.atomics, number, ATOMIC_WORDS)
  atomics[inPage * ATOMIC_WORDS] = thread
  atomics[inPage * ATOMIC_WORDS + 1] = r.current.tag
}

const JUDGES: Readonly<Record<Access, (r: Races, shadow: Shadow, cell: number) => void>> = {
  load: judgeLoad,
  store: judgeStore,
  atomic: judgeAtomicAccess,
}

/** An atomic acquires what its location says and publishes what its thread has fenced. */
function synchronise(r: Races, location: object, byteOffset: number): void {
  const { clock, thread } = r.current
  const table = r.published.get(location)
  const before = table?.get(byteOffset)
  if (before === undefined && !canPublish(clock)) return
  const after = passAtomic(clock, thread, before)
  if (after === undefined || after === before) return
  r.publishedCount += after.size - (before?.size ?? 0)
  if (table === undefined) r.published.set(location, new Map([[byteOffset, after]]))
  else table.set(byteOffset, after)
}

function shadowOfTgsm(state: GroupState, register: number): Shadow {
  let shadow = state.tgsm.get(register)
  if (shadow === undefined) state.tgsm.set(register, (shadow = makeShadow(4)))
  return shadow
}

function shadowOfResource(r: Races, resource: object): Shadow {
  let shadow = r.uavs.get(resource)
  if (shadow === undefined) r.uavs.set(resource, (shadow = makeShadow(r.context.granuleOf(resource))))
  return shadow
}

/** Every access of an event to one shadow. */
function judgeRow(r: Races, shadow: Shadow, k: number, location: object): void {
  const c = r.current
  const { event } = c
  const { width, byteLength, access } = event
  const judge = JUDGES[access]
  const { granule } = shadow
  const texels = event.valuesPerRow > width
  if (granule === 4 && byteLength === 4 && !texels && access !== 'atomic') {
    const { byteOffsets, values } = event
    for (let i = k * width; i < (k + 1) * width; i++) {
      const byteOffset = byteOffsets[i]!
      if (byteOffset < 0) continue
      c.byteOffset = byteOffset
      c.value = values[i]!
      judge(r, shadow, byteOffset >>> 2)
    }
    return
  }
  for (let i = 0; i < width; i++) {
    const byteOffset = event.byteOffsets[k * width + i]!
    if (byteOffset < 0) continue
    c.byteOffset = byteOffset
    c.value = texels ? digest(event.values, k * event.valuesPerRow) : event.values[k * event.valuesPerRow + i]!
    if (access === 'atomic') synchronise(r, location, byteOffset)
    if (granule === 4 && byteLength === 4) judge(r, shadow, byteOffset >>> 2)
    else {
      const last = Math.floor((byteOffset + byteLength - 1) / granule)
      for (let cell = Math.floor(byteOffset / granule); cell <= last; cell++) judge(r, shadow, cell)
    }
  }
}

function setCurrent(r: Races, event: MemoryEvent, state: GroupState, tgsm: boolean): void {
  const { wave } = event
  const { clock } = state
  const c = r.current
  c.event = event
  c.state = state
  c.clock = clock
  c.tgsm = tgsm
  c.groupFirst = (wave.group * r.context.threadCount + 1) | 0
  c.orderedBelow = (tgsm ? clock.tgsmFrom : clock.uavFrom) * r.statementCount
  c.tag = clock.epoch * r.statementCount + wave.statement
  if (c.tag > MAX_TAG) r.ranOut = true
}

function onMemory(r: Races, event: MemoryEvent): void {
  const { space, wave } = event
  if (space === 'tgsm') {
    const state = r.inFlight.get(wave.group)!
    const shadow = shadowOfTgsm(state, event.register)
    setCurrent(r, event, state, true)
    for (let k = 0; k < wave.activeCount; k++) {
      r.current.thread = (r.current.groupFirst + wave.firstThread + wave.lanes[k]!) | 0
      judgeRow(r, shadow, k, shadow)
    }
    return
  }
  if (space !== 'uav' && space !== 'srv') return
  const { view, views } = event
  if (views === undefined && (view === undefined || view.kind === 'cbv')) return
  if (space === 'srv' && views === undefined && view !== undefined && 'resource' in view) {
    if (!r.context.writable.has(view.resource)) return
  }
  setCurrent(r, event, r.inFlight.get(wave.group)!, false)
  for (let k = 0; k < wave.activeCount; k++) {
    const seen = views === undefined ? view : views[k]
    if (seen === undefined || seen.kind === 'cbv') continue
    if (space === 'srv' && !r.context.writable.has(seen.resource)) continue
    r.current.thread = (r.current.groupFirst + wave.firstThread + wave.lanes[k]!) | 0
    judgeRow(r, shadowOfResource(r, seen.resource), k, seen.resource)
  }
}

function* threadsOf(r: Races, wave: WaveSite): Iterable<number> {
  const first = wave.group * r.context.threadCount + 1 + wave.firstThread
  for (let k = 0; k < wave.activeCount; k++) yield (first + wave.lanes[k]!) | 0
}

function onRelease(r: Races, event: ReleaseEvent): void {
  if (r.executedBarriers[event.statement] === 0) {
    r.executedBarriers[event.statement] = 1
    r.undecided++
  }
  passBarrier(r.inFlight.get(event.group)!.clock, event.statement, event.flags)
}

function endGroup(r: Races, site: GroupSite): void {
  const state = r.inFlight.get(site.group)
  if (state === undefined) return
  for (const shadow of state.tgsm.values()) {
    clearShadow(shadow)
    r.published.delete(shadow)
  }
  r.idle.push(state.tgsm)
  r.inFlight.delete(site.group)
}

/**
 * Two accesses to the same memory, at least one a plain write, which nothing orders: found by happens-before, whatever
 * order this run happened to take. Rules (functional specification 7.14): a barrier that waits for threads orders a
 * group's accesses to the memory that its flags name; UAV atomics are atomic against plain accesses of the dword, TGSM
 * atomics are not against stores; groups are ordered only through atomics after a fence.
 */
export function detectRaces(context: CheckContext): Detector {
  const statementCount = Math.max(1, context.declarations.program.statements.length)
  const r: Races = {
    context,
    statementCount,
    inFlight: new Map(),
    idle: [],
    uavs: new Map(),
    published: new Map(),
    publishedCount: 0,
    usefulBarriers: new Uint8Array(statementCount),
    executedBarriers: new Uint8Array(statementCount),
    undecided: 0,
    ranOut: false,
    // Filled by setCurrent before anything reads it.
    current: { groupFirst: 0, orderedBelow: 0, tag: 0, thread: 0, value: 0, byteOffset: 0, tgsm: false } as Current,
  }
  return {
    observer: {
      groupBegin(site) {
        r.inFlight.set(site.group, { clock: makeGroupClock(site.group), tgsm: r.idle.pop() ?? new Map() })
      },
      groupEnd: (site) => endGroup(r, site),
      memory: (event) => onMemory(r, event),
      barrier(event: BarrierEvent) {
        if ((event.flags & SYNC_THREADS) !== 0) return
        const { wave } = event
        passFence(r.inFlight.get(wave.group)!.clock, wave.statement, event.flags, threadsOf(r, wave))
      },
      release: (event) => onRelease(r, event),
    },
    finish: () => reportNeedlessBarriers(r),
    byteLength() {
      const groupShadows = [...r.idle, ...[...r.inFlight.values()].map((s) => s.tgsm)].flatMap((m) => [...m.values()])
      return [...r.uavs.values(), ...groupShadows].reduce((n, s) => n + s.byteLength, 0)
    },
    overflowed: () => r.ranOut || r.publishedCount > MAX_PUBLISHED,
  }
}

const SEVERITY = {
  'check-race': 'error',
  'check-race-across-groups': 'error',
  'check-race-barrier-scope': 'error',
  'check-race-atomic': 'warning',
  'check-race-same-value': 'hint',
  'check-unordered-atomic': 'hint',
} as const

const NOTES: Readonly<Record<RaceCode, readonly string[]>> = {
  'check-race': [],
  'check-race-across-groups': ['no barrier spans groups: use atomics, or two dispatches'],
  'check-race-barrier-scope': [
    'sync_g orders TGSM, sync_uglobal and sync_ugroup order UAVs; only with _t do they wait',
  ],
  'check-race-atomic': ['put a barrier between the atomics and the load, unless any value in between will do'],
  'check-race-same-value': [],
  'check-unordered-atomic': [],
}

const VERB = { load: 'reads', store: 'writes', atomic: 'changes atomically' } as const

function raceMessage(code: RaceCode, earlier: Access, later: Access, tgsm: boolean): string {
  const deed = `one thread ${VERB[earlier]} and another ${VERB[later]} the same memory`
  switch (code) {
    case 'check-race':
      return tgsm && earlier !== later && (earlier === 'atomic' || later === 'atomic')
        ? `${deed} with no barrier between them; atomics on TGSM are not atomic against stores`
        : `${deed}, with no barrier between them`
    case 'check-race-across-groups':
      return `${deed} in different groups, with nothing to order them`
    case 'check-race-barrier-scope':
      return `${deed}; what lies between them does not order this memory`
    case 'check-race-same-value':
      return 'several threads write the same value to the same memory, with nothing to order them'
    case 'check-race-atomic':
      return `${deed} with no barrier between them: the load sees any state of the memory`
    case 'check-unordered-atomic':
      return `${deed}, with nothing to order them; each is atomic, their order is open`
  }
}

/** Barriers that were passed and between whose sides no two threads ever met on the same memory. */
function reportNeedlessBarriers(r: Races): void {
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
