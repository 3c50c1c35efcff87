import type { BarrierEvent, GroupSite, MemoryEvent, ReleaseEvent } from '../engine/index.ts'
import { type CheckContext, type Detector, groupPosition } from './context.ts'
import type { Site } from './finding.ts'
import { type GroupClock, makeGroupClock, type Published, passAtomic, passBarrier, passFence } from './group-clock.ts'
import {
  ATOMIC,
  cellOffset,
  clearShadow,
  makeShadow,
  OTHER_READER,
  OTHER_READER_TAG,
  PLAIN,
  pageOf,
  READER,
  READER_TAG,
  type Shadow,
  shadowByteLength,
  WRITE_KIND,
  WRITER,
  WRITER_TAG,
  WRITTEN,
} from './shadow.ts'

type Access = 'load' | 'store' | 'atomic'

/** Shared memory of a group in flight: a shadow for each TGSM register, kept for the next group. */
interface GroupState {
  readonly clock: GroupClock
  readonly tgsm: Map<number, Shadow>
}

/** The access that is being judged; one object, filled anew for each. */
interface Current {
  event: MemoryEvent
  access: Access
  clock: GroupClock
  /** Threads are numbered from 1 over the whole dispatch, modulo 2^32. */
  thread: number
  tag: number
  value: number
  byteOffset: number
  /** TGSM, where atomics and plain accesses do not mix; else a UAV, where they do. */
  tgsm: boolean
}

const DWORD = 4

/**
 * Two accesses to the same memory, at least one a plain write, which nothing orders: found by happens-before, whatever
 * order this run happened to take. Rules (functional specification 7.14): a barrier orders a group's accesses to the
 * memory that its flags name; UAV atomics are atomic against plain accesses of the dword, TGSM atomics are not; groups
 * are ordered only through atomics on UAVs after a `sync_uglobal`.
 */
export function detectRaces(context: CheckContext): Detector {
  const { declarations, sink, threadCount, groups } = context
  const statementCount = declarations.program.statements.length
  const inFlight = new Map<number, GroupState>()
  const idle: Map<number, Shadow>[] = []
  const uavs = new Map<object, Shadow>()
  const published = new Map<object, Map<number, Published>>()
  const usefulBarriers = new Uint8Array(statementCount)
  const executedBarriers = new Uint8Array(statementCount)
  let current: Current

  const statementOf = (tag: number): number => (tag >>> 0) % statementCount
  const epochOf = (tag: number): number => Math.floor((tag >>> 0) / statementCount)
  const groupOf = (thread: number): number => Math.floor(((thread >>> 0) - 1) / threadCount)

  const siteOf = (thread: number, tag: number, access: Access, value?: number): Site => ({
    statement: statementOf(tag),
    group: groupPosition(groupOf(thread), groups),
    thread: ((thread >>> 0) - 1) % threadCount,
    epoch: epochOf(tag),
    access,
    ...(value === undefined ? {} : { value: value >>> 0 }),
  })

  /** Barriers of the current group after an epoch, with those that wait for threads but cover other memory. */
  const barriersSince = (epoch: number): number[] => current.clock.began.slice(epoch + 1).filter((s) => s >= 0)

  const markUseful = (epoch: number): void => {
    const { began } = current.clock
    for (let e = epoch + 1; e < began.length && e <= epoch + 64; e++) if (began[e]! >= 0) usefulBarriers[began[e]!] = 1
  }

  /** Whether an earlier access happened before the current one. */
  const ordered = (thread: number, tag: number): boolean => {
    if (thread === current.thread) return true
    const { clock } = current
    const group = groupOf(thread)
    const epoch = epochOf(tag)
    if (group !== clock.group) {
      const known = (clock.acquired.get(group) ?? -1) >= epoch
      if (known) checkCoherence(thread, tag)
      return known
    }
    const barriers = current.tgsm ? clock.tgsmBarriers : clock.uavBarriers
    if (barriers[clock.epoch]! === barriers[epoch]!) return false
    markUseful(epoch)
    return true
  }

  const report = (
    code: 'check-race' | 'check-race-same-value' | 'check-race-barrier-scope' | 'check-race-across-groups',
    thread: number,
    tag: number,
    access: Access,
    value?: number,
  ): void => {
    const { event } = current
    if (sink.known(code, event.wave.statement, statementOf(tag), event.register)) return
    const between = groupOf(thread) === current.clock.group ? barriersSince(epochOf(tag)) : []
    sink.add({
      code,
      severity: code === 'check-race-same-value' ? 'hint' : 'error',
      message: raceMessage(code, access, current.access),
      site: siteOf(current.thread, current.tag, current.access, current.value),
      other: siteOf(thread, tag, access, value),
      memory: { space: event.space, register: event.register, byteOffset: current.byteOffset },
      barriersBetween: between,
      notes: [],
    })
  }

  const conflict = (thread: number, tag: number, access: Access, value?: number): void => {
    if (groupOf(thread) !== current.clock.group) report('check-race-across-groups', thread, tag, access, value)
    else if (barriersSince(epochOf(tag)).length > 0) report('check-race-barrier-scope', thread, tag, access, value)
    else report('check-race', thread, tag, access, value)
  }

  /** Ordered across groups, but the load may be answered by a cache: it needs `_glc` (7.14.4). */
  const checkCoherence = (thread: number, tag: number): void => {
    const { event } = current
    if (current.access !== 'load' || event.space !== 'uav') return
    const declaration = declarations.uavs.find((u) => u.id === event.register)
    if (declaration === undefined || declaration.globallyCoherent) return
    if (sink.known('check-coherence', event.wave.statement, statementOf(tag), event.register)) return
    sink.add({
      code: 'check-coherence',
      severity: 'error',
      message: 'a load of what another group wrote goes through a UAV that is not globally coherent',
      site: siteOf(current.thread, current.tag, 'load', current.value),
      other: siteOf(thread, tag, 'store'),
      memory: { space: 'uav', register: event.register, byteOffset: current.byteOffset },
      notes: ['declare the UAV globallycoherent, so that its declaration has _glc'],
    })
  }

  const judgeWriter = (page: Int32Array, at: number): void => {
    const thread = page[at + WRITER]!
    if (thread === 0) return
    const earlierAtomic = page[at + WRITE_KIND] === ATOMIC
    const currentAtomic = current.access === 'atomic'
    if (earlierAtomic && currentAtomic) return
    // On a UAV the atomic unit serialises atomics with plain accesses of the dword; on TGSM nothing does.
    if ((earlierAtomic || currentAtomic) && !current.tgsm) {
      ordered(thread, page[at + WRITER_TAG]!)
      return
    }
    if (ordered(thread, page[at + WRITER_TAG]!)) return
    const earlier = earlierAtomic ? 'atomic' : 'store'
    const equal = current.access === 'store' && !earlierAtomic && page[at + WRITTEN] === current.value
    if (equal) report('check-race-same-value', thread, page[at + WRITER_TAG]!, earlier, page[at + WRITTEN])
    else conflict(thread, page[at + WRITER_TAG]!, earlier, page[at + WRITTEN])
  }

  const judgeReader = (thread: number, tag: number): void => {
    if (thread === 0) return
    const free = ordered(thread, tag)
    if (!free && !(current.access === 'atomic' && !current.tgsm)) conflict(thread, tag, 'load')
  }

  const recordRead = (page: Int32Array, at: number): void => {
    const reader = page[at + READER]!
    if (reader !== 0 && reader !== current.thread && page[at + OTHER_READER] !== current.thread) {
      // A reader of an earlier epoch of this group is ordered before this one and can give up its place.
      if (page[at + OTHER_READER] === 0 || !sameEpoch(page[at + OTHER_READER_TAG]!)) {
        page[at + OTHER_READER] = current.thread
        page[at + OTHER_READER_TAG] = current.tag
      } else if (!sameEpoch(page[at + READER_TAG]!)) {
        page[at + READER] = current.thread
        page[at + READER_TAG] = current.tag
      }
      return
    }
    const slot = page[at + OTHER_READER] === current.thread ? OTHER_READER : READER
    page[at + slot] = current.thread
    page[at + slot + 1] = current.tag
  }

  const sameEpoch = (tag: number): boolean => epochOf(tag) === current.clock.epoch

  const judge = (shadow: Shadow, cell: number): void => {
    const page = pageOf(shadow, cell)
    const at = cellOffset(cell)
    judgeWriter(page, at)
    if (current.access === 'load') {
      recordRead(page, at)
      return
    }
    judgeReader(page[at + READER]!, page[at + READER_TAG]!)
    judgeReader(page[at + OTHER_READER]!, page[at + OTHER_READER_TAG]!)
    page[at + WRITER] = current.thread
    page[at + WRITER_TAG] = current.tag
    page[at + WRITTEN] = current.value
    page[at + WRITE_KIND] = current.access === 'atomic' ? ATOMIC : PLAIN
    page[at + READER] = 0
    page[at + OTHER_READER] = 0
  }

  const judgeBytes = (shadow: Shadow, byteOffset: number, byteLength: number): void => {
    const first = Math.floor(byteOffset / shadow.granule)
    const last = Math.floor((byteOffset + byteLength - 1) / shadow.granule)
    for (let cell = first; cell <= last; cell++) judge(shadow, cell)
  }

  const shadowOfTgsm = (state: GroupState, register: number): Shadow => {
    let shadow = state.tgsm.get(register)
    if (shadow === undefined) state.tgsm.set(register, (shadow = makeShadow(DWORD)))
    return shadow
  }

  /** One shadow a resource, with the granule of its first access: 1 or 2 bytes for small texels. */
  const shadowOfResource = (resource: object, byteLength: number): Shadow => {
    let shadow = uavs.get(resource)
    if (shadow === undefined) uavs.set(resource, (shadow = makeShadow(Math.min(DWORD, byteLength))))
    return shadow
  }

  const synchronise = (resource: object, byteOffset: number, statement: number, clock: GroupClock): void => {
    const locations = published.get(resource)
    const before = locations?.get(byteOffset)
    if (before === undefined && !clock.fenced) return
    const after = passAtomic(clock, statement, before)
    if (after === undefined || after === before) return
    const table = locations ?? new Map<number, Published>()
    table.set(byteOffset, after)
    published.set(resource, table)
  }

  const onMemory = (event: MemoryEvent): void => {
    if (event.space !== 'tgsm' && event.space !== 'uav') return
    const { wave, width, access } = event
    const state = inFlight.get(wave.group)!
    const tgsm = event.space === 'tgsm'
    const fixed = tgsm ? shadowOfTgsm(state, event.register) : undefined
    const base = wave.group * threadCount + wave.firstThread + 1
    current = { event, access, clock: state.clock, thread: 0, tag: 0, value: 0, byteOffset: 0, tgsm }
    for (let k = 0; k < wave.activeCount; k++) {
      const view = event.views?.[k] ?? event.view
      const resource = fixed === undefined && view !== undefined && view.kind !== 'cbv' ? view.resource : undefined
      const shadow = fixed ?? (resource === undefined ? undefined : shadowOfResource(resource, event.byteLength))
      if (shadow === undefined) continue
      current.thread = (base + wave.lanes[k]!) | 0
      for (let i = 0; i < width; i++) {
        const byteOffset = event.byteOffsets[k * width + i]!
        if (byteOffset < 0) continue
        if (access === 'atomic' && resource !== undefined)
          synchronise(resource, byteOffset, wave.statement, state.clock)
        current.tag = state.clock.epoch * statementCount + wave.statement
        current.value = event.values[k * event.valuesPerRow + i]!
        current.byteOffset = byteOffset
        judgeBytes(shadow, byteOffset, event.byteLength)
      }
    }
    if (access === 'store' && !tgsm) state.clock.fenced = false
  }

  return {
    observer: {
      groupBegin(site: GroupSite) {
        inFlight.set(site.group, { clock: makeGroupClock(site.group), tgsm: idle.pop() ?? new Map() })
      },
      groupEnd(site: GroupSite) {
        const state = inFlight.get(site.group)
        if (state === undefined) return
        for (const shadow of state.tgsm.values()) clearShadow(shadow)
        idle.push(state.tgsm)
        inFlight.delete(site.group)
      },
      memory: onMemory,
      barrier(event: BarrierEvent) {
        passFence(inFlight.get(event.wave.group)!.clock, event.flags)
      },
      release(event: ReleaseEvent) {
        executedBarriers[event.statement] = 1
        passBarrier(inFlight.get(event.group)!.clock, event.statement, event.flags)
      },
    },
    finish() {
      reportNeedlessBarriers(context, executedBarriers, usefulBarriers)
    },
    byteLength() {
      const groupShadows = [...idle, ...[...inFlight.values()].map((s) => s.tgsm)].flatMap((m) => [...m.values()])
      return [...uavs.values(), ...groupShadows].reduce((n, s) => n + shadowByteLength(s), 0)
    },
  }
}

const VERB = { load: 'reads', store: 'writes', atomic: 'changes atomically' } as const

function raceMessage(code: string, earlier: Access, later: Access): string {
  const deed = `one thread ${VERB[earlier]} and another ${VERB[later]} the same memory`
  if (code === 'check-race-same-value')
    return 'several threads write the same value to the same memory, with nothing to order them'
  if (code === 'check-race-across-groups') return `${deed} in different groups, with nothing to order them`
  if (code === 'check-race-barrier-scope') return `${deed}; the barrier between them does not cover this memory`
  return `${deed}, with no barrier between them`
}

/** Barriers that were passed and between whose sides no two threads ever met on the same memory. */
function reportNeedlessBarriers(context: CheckContext, executed: Uint8Array, useful: Uint8Array): void {
  for (let statement = 0; statement < executed.length; statement++) {
    if (executed[statement] === 0 || useful[statement] === 1) continue
    context.sink.add({
      code: 'check-barrier-needless',
      severity: 'hint',
      message: 'this barrier ordered no two accesses of different threads in this run',
      site: { statement, group: [0, 0, 0], thread: 0, epoch: 0, access: 'other' },
      notes: ['other sizes or inputs may need it; it costs time where it is not needed'],
    })
  }
}
