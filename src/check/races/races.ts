import type { BarrierEvent, GroupSite, MemoryEvent, ReleaseEvent, WaveSite } from '../../engine/index.ts'
import { SYNC_THREADS } from '../../isa/index.ts'
import type { CheckContext, Detector } from '../context.ts'
import { clearShadow, makeShadow, type Shadow } from '../undefined/shadow.ts'
import { logAtomic, newAtomicLog } from './atomic-log.ts'
import { ACCESS_CHECKS } from './cells.ts'
import { canPublish, makeGroupClock, passAtomic, passBarrier, passFence } from './group-clock.ts'
import {
  type Current,
  digest,
  type GroupState,
  MAX_PUBLISHED,
  MAX_TAG,
  type Races,
  reportNeedlessBarriers,
} from './state.ts'

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
function checkRow(r: Races, shadow: Shadow, k: number, location: object): void {
  const c = r.current
  const { event } = c
  const { width, byteLength, access } = event
  const checkCell = ACCESS_CHECKS[access]
  const { granule } = shadow
  const texels = event.valuesPerRow > width
  if (granule === 4 && byteLength === 4 && !texels && access !== 'atomic') {
    const { byteOffsets, values } = event
    for (let i = k * width; i < (k + 1) * width; i++) {
      const byteOffset = byteOffsets[i]!
      if (byteOffset < 0) continue
      c.byteOffset = byteOffset
      c.value = values[i]!
      checkCell(r, shadow, byteOffset >>> 2)
    }
    return
  }
  for (let i = 0; i < width; i++) {
    const byteOffset = event.byteOffsets[k * width + i]!
    if (byteOffset < 0) continue
    c.byteOffset = byteOffset
    c.value = texels ? digest(event.values, k * event.valuesPerRow) : event.values[k * event.valuesPerRow + i]!
    if (access === 'atomic') {
      synchronise(r, location, byteOffset)
      if (!c.tgsm) logAtomic(r.atomicLog, location, c)
    }
    if (granule === 4 && byteLength === 4) checkCell(r, shadow, byteOffset >>> 2)
    else {
      const last = Math.floor((byteOffset + byteLength - 1) / granule)
      for (let cell = Math.floor(byteOffset / granule); cell <= last; cell++) checkCell(r, shadow, cell)
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
    const { lanes, activeCount } = wave
    const first = r.current.groupFirst + wave.firstThread
    for (let k = 0; k < activeCount; k++) {
      r.current.thread = (first + lanes[k]!) | 0
      checkRow(r, shadow, k, shadow)
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
  const { lanes, activeCount } = wave
  const first = r.current.groupFirst + wave.firstThread
  for (let k = 0; k < activeCount; k++) {
    const seen = views === undefined ? view : views[k]
    if (seen === undefined || seen.kind === 'cbv') continue
    if (space === 'srv' && !r.context.writable.has(seen.resource)) continue
    r.current.thread = (first + lanes[k]!) | 0
    checkRow(r, shadowOfResource(r, seen.resource), k, seen.resource)
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
    atomicLog: newAtomicLog(),
    usefulBarriers: new Uint8Array(statementCount),
    executedBarriers: new Uint8Array(statementCount),
    undecided: 0,
    waveWidth: 1,
    ranOut: false,
    // Filled by setCurrent before anything reads it.
    current: { groupFirst: 0, orderedBelow: 0, tag: 0, thread: 0, value: 0, byteOffset: 0, tgsm: false } as Current,
  }
  return {
    observer: {
      begin(event) {
        r.waveWidth = event.waveWidth
      },
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
