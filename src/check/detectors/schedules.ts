import {
  type DispatchOptions,
  type DispatchResult,
  type Engine,
  type GroupCounts,
  type LoadedShader,
  type MemoryEvent,
  runInSlices,
} from '../../engine/index.ts'
import { rowOfOpcode } from '../../isa/index.ts'
import {
  type Contents,
  countersDiffer,
  DEFAULT_SCHEDULE,
  firstDifference,
  type ResolvedBindings,
  restoreContents,
  type Schedule,
  saveContents,
} from '../../machine/index.ts'
import { type CheckContext, type Detector, groupPosition } from '../context.ts'
import type { MemoryPlace, Site } from '../report/finding.ts'
import { memoryPlace } from '../report/memory-place.ts'
import { registerText } from './bounds.ts'

/** Wave widths and orders that bring out most of what depends on them. */
export function defaultSchedules(): readonly Schedule[] {
  return [
    { waveWidth: 64, order: 'forward', groupsInFlight: 1 },
    { waveWidth: 4, order: 'forward', groupsInFlight: 2 },
    { waveWidth: 8, order: 'reverse', groupsInFlight: 1 },
    { waveWidth: 1, order: { seed: 1 }, groupsInFlight: 3 },
    { waveWidth: 16, order: { seed: 2 }, groupsInFlight: 2 },
    { waveWidth: 1, order: 'reverse', groupsInFlight: 1 },
  ]
}

/** A schedule in words. */
export function scheduleText(s: Schedule): string {
  const order = typeof s.order === 'string' ? s.order : `shuffled with seed ${s.order.seed}`
  return `waves of ${s.waveWidth}, ${order}, ${s.groupsInFlight} ${s.groupsInFlight === 1 ? 'group' : 'groups'} at a time`
}

interface ScheduleCheck {
  readonly engine: Engine
  readonly loaded: LoadedShader
  readonly bindings: ResolvedBindings
  readonly groups: GroupCounts
  readonly base: DispatchOptions
  /** What the resources held before the first run. */
  readonly contents: Contents
  readonly context: CheckContext
  readonly schedules: readonly Schedule[]
  /** Makes what looks for races in a further run; absent where races are not looked for. */
  readonly makeDetector?: () => Detector
  /** A statement as people find it. */
  readonly describe: (statement: number) => string
  /** Date.now() after which no further run begins. */
  readonly deadline: number
}

/** A dword (or texel granule) of a UAV's resource, or of one group's TGSM. */
type Location =
  | { readonly kind: 'uav'; readonly resource: object; readonly byteOffset: number }
  | { readonly kind: 'tgsm'; readonly group: number; readonly register: number; readonly byteOffset: number }

/** One access by one thread. */
interface Access {
  /** Thread in the whole dispatch. */
  readonly thread: number
  readonly statement: number
  readonly access: 'load' | 'store' | 'atomic'
  /** How many accesses to the location the thread made with this statement before. */
  readonly nth: number
  /** What was loaded or left, as a digest of all its words; `word` is the first of them. */
  readonly value: number
  readonly word: number
  readonly place: MemoryPlace
  readonly location: Location | undefined
}

function digestOf(event: MemoryEvent, row: number, entry: number): number {
  if (event.valuesPerRow === event.width) return event.values[row * event.width + entry]!
  let h = 0x811c9dc5
  for (let i = 0; i < event.valuesPerRow; i++) {
    h = Math.imul(h ^ event.values[row * event.valuesPerRow + i]!, 0x01000193) ^ (h >>> 15)
  }
  return h | 0
}

function locationOf(event: MemoryEvent, row: number, byteOffset: number): Location | undefined {
  if (event.space === 'tgsm') return { kind: 'tgsm', group: event.wave.group, register: event.register, byteOffset }
  const view = event.views === undefined ? event.view : event.views[row]
  if (event.space !== 'uav' || view === undefined || view.kind === 'cbv') return undefined
  return { kind: 'uav', resource: view.resource, byteOffset }
}

function covers(at: Location | undefined, byteLength: number, wanted: Location): boolean {
  if (at === undefined || at.kind !== wanted.kind) return false
  if (wanted.byteOffset < at.byteOffset || wanted.byteOffset >= at.byteOffset + byteLength) return false
  if (at.kind === 'uav') return wanted.kind === 'uav' && at.resource === wanted.resource
  return wanted.kind === 'tgsm' && at.group === wanted.group && at.register === wanted.register
}

/** Accesses kept of one run; a location that is touched more often is not traced further. */
const MAX_LOG = 1 << 16

type Filter = (thread: number, location: Location | undefined, event: MemoryEvent) => boolean

/** Runs the dispatch once more under a schedule and logs the accesses that a filter lets through. */
async function logRun(c: ScheduleCheck, schedule: Schedule, filter: Filter): Promise<Access[]> {
  restoreContents(c.bindings, c.contents)
  const log: Access[] = []
  const seen = new Map<string, number>()
  const memory = (event: MemoryEvent): void => {
    const { wave, width } = event
    for (let k = 0; k < wave.activeCount; k++) {
      const thread = wave.group * c.context.threadCount + wave.firstThread + wave.lanes[k]!
      for (let i = 0; i < width; i++) {
        const byteOffset = event.byteOffsets[k * width + i]!
        const location = byteOffset < 0 ? undefined : locationOf(event, k, byteOffset)
        if (log.length >= MAX_LOG || !filter(thread, location, event)) continue
        const key = `${thread} ${wave.statement} ${i}`
        const nth = seen.get(key) ?? 0
        seen.set(key, nth + 1)
        // Of an atomic, what it returns is what its thread goes on with.
        const value = event.access === 'atomic' ? event.originals[k]! : digestOf(event, k, i)
        const place = memoryPlace(event, byteOffset)
        const word = event.values[k * event.valuesPerRow + (event.valuesPerRow === width ? i : 0)]!
        log.push({ thread, statement: wave.statement, access: event.access, nth, value, word, place, location })
      }
    }
  }
  await runInSlices(c.engine, c.loaded, c.bindings, c.groups, { ...c.base, schedule, observer: { memory } })
  return log
}

/** What all accesses to one location were, in the order of a run. */
function logLocation(c: ScheduleCheck, schedule: Schedule, wanted: Location): Promise<Access[]> {
  return logRun(c, schedule, (_, at, event) => covers(at, event.byteLength, wanted))
}

/** Whether a thread gets the value of its access: atomics that return nothing leave it unread. */
function isRead(c: ScheduleCheck, { access, wave }: MemoryEvent): boolean {
  const s = c.loaded.declarations.program.statements[wave.statement]
  const traits = s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
  return access !== 'store' && !(traits?.kind === 'atomic' && !traits.returnsOriginal)
}

/** What one thread read, atomics included, in its own order. */
function logReads(c: ScheduleCheck, schedule: Schedule, wanted: number): Promise<Access[]> {
  return logRun(c, schedule, (thread, _, event) => thread === wanted && event.space !== 'srv' && isRead(c, event))
}

const sameAccess = (a: Access | undefined, b: Access | undefined): boolean =>
  a?.thread === b?.thread && a?.statement === b?.statement && a?.nth === b?.nth

/** The last access that left something, of those before `end`. */
function lastWrite(log: readonly Access[], end: number): Access | undefined {
  return log.slice(0, end).findLast((a) => a.access !== 'load')
}

/** Where two runs part: what was accessed in one and what in the other. */
interface Divergence {
  readonly first: Access | undefined
  readonly second: Access | undefined
  /** The load that saw the difference; absent where it is in what the dispatch left. */
  readonly load?: Access
  /** The atomic whose returned value differs, and so decides where or what its thread writes. */
  readonly decided?: { readonly first: Access; readonly second: Access }
}

/** The first atomic of a thread that returns something else in the other run. */
async function decidedBy(c: ScheduleCheck, a: Schedule, b: Schedule, thread: number): Promise<Divergence['decided']> {
  const [readsA, readsB] = [await logReads(c, a, thread), await logReads(c, b, thread)]
  const at = readsA.findIndex((r, i) => r.value !== readsB[i]?.value || r.statement !== readsB[i]?.statement)
  const [first, second] = [readsA[at], readsB[at]]
  const isAtomic = first?.access === 'atomic' && second?.statement === first.statement
  return isAtomic ? { first, second } : undefined
}

/** What an atomic gives its thread: a place to append to or consume from, a rank in its group, or a ticket. */
function decisionText({ first, second }: NonNullable<Divergence['decided']>, what: string): string {
  const { space } = first.place
  const name =
    space === 'counter' ? 'the place in the buffer' : space === 'tgsm' ? 'the rank in the group' : 'the ticket'
  return `what decided is ${name} that a thread got by ${what}: ${first.value >>> 0} in the first run, ${second.value >>> 0} in the second`
}

const MAX_STEPS = 12

/** Follows a difference back: from a dword that differs to the write, to what its writer read, to who wrote that. */
async function trace(c: ScheduleCheck, a: Schedule, b: Schedule, start: Location): Promise<Divergence | undefined> {
  let location = start
  let load: Access | undefined
  for (let step = 0; step < MAX_STEPS; step++) {
    const [logA, logB] = [await logLocation(c, a, location), await logLocation(c, b, location)]
    const endOf = (log: readonly Access[]): number => {
      const at =
        load === undefined
          ? -1
          : log.findIndex((x) => x.access === 'load' && x.thread === load!.thread && x.statement === load!.statement)
      return at < 0 ? log.length : at
    }
    const [first, second] = [lastWrite(logA, endOf(logA)), lastWrite(logB, endOf(logB))]
    const divergence: Divergence = load === undefined ? { first, second } : { first, second, load }
    if (!sameAccess(first, second) || first === undefined) {
      const writer = first ?? second
      const decided = writer === undefined ? undefined : await decidedBy(c, a, b, writer.thread)
      return decided === undefined ? divergence : { ...divergence, decided }
    }
    const [readsA, readsB] = [await logReads(c, a, first.thread), await logReads(c, b, first.thread)]
    const at = readsA.findIndex((r, i) => r.value !== readsB[i]?.value || r.statement !== readsB[i]?.statement)
    const differs = at < 0 ? undefined : readsA[at]!
    if (differs?.location === undefined || differs.access !== 'load') {
      if (differs === undefined) return divergence
      const other = readsB[at]
      const isDecision = differs.access === 'atomic' && other?.statement === differs.statement
      const seen = { first: differs, second: other, load: differs }
      return isDecision ? { ...seen, decided: { first: differs, second: other } } : seen
    }
    location = differs.location
    load = differs
  }
  return undefined
}

interface Difference {
  readonly schedule: Schedule
  readonly location: Location
  readonly before: number
  readonly after: number
}

/** The first dword that differs from what the first run left. */
function differenceFrom(c: ScheduleCheck, first: Contents, schedule: Schedule): Difference | undefined {
  const found = firstDifference(c.bindings, first)
  if (found === undefined) return undefined
  const { resource, byteOffset, kept, now } = found
  return { schedule, location: { kind: 'uav', resource, byteOffset }, before: kept, after: now }
}

function siteOf(c: ScheduleCheck, a: Access): Site {
  const { threadCount, groups } = c.context
  return {
    statement: a.statement,
    group: groupPosition(Math.floor(a.thread / threadCount), groups),
    thread: a.thread % threadCount,
    access: a.access,
    value: a.word >>> 0,
  }
}

const hex = (n: number): string => `0x${(n >>> 0).toString(16).padStart(8, '0')}`

function divergenceText(p: Divergence): string {
  if (p.first === undefined || p.second === undefined) {
    return p.load === undefined
      ? 'one of the two runs does not write it at all'
      : 'in one of the two runs the load comes before the write'
  }
  return sameAccess(p.first, p.second)
    ? 'the same access gives different values, for atomics come in another order'
    : 'the two runs differ in which write came last'
}

async function reportDifference(c: ScheduleCheck, base: Schedule, d: Difference): Promise<void> {
  const [writesA, divergence] = [await logLocation(c, base, d.location), await trace(c, base, d.schedule, d.location)]
  const write = lastWrite(writesA, writesA.length) ?? divergence?.second
  if (write === undefined) return
  const cause = divergence?.decided?.first ?? divergence?.load ?? divergence?.second ?? divergence?.first
  const culprit = divergence?.load === undefined ? undefined : (divergence.first ?? divergence.second)
  const name = registerText(write.place.space, write.place.register, c.loaded.declarations)
  const notes = [
    `first run: ${scheduleText(base)}`,
    `second run: ${scheduleText(d.schedule)}`,
    ...(divergence === undefined ? [] : [divergenceText(divergence)]),
    ...(divergence?.decided === undefined
      ? []
      : [decisionText(divergence.decided, c.describe(divergence.decided.first.statement))]),
    ...(culprit === undefined ? [] : [`what it reads is written by ${c.describe(culprit.statement)}`]),
  ]
  c.context.sink.add({
    code: 'check-schedule',
    severity: 'error',
    message: `the result depends on the schedule: ${name} holds ${hex(d.before)} after one run and ${hex(d.after)} after another`,
    site: siteOf(c, write),
    ...(cause === undefined ? {} : { other: siteOf(c, cause) }),
    memory: write.place,
    notes,
  })
}

/**
 * Runs the dispatch under further schedules and compares what is left with what the first run left. The resources hold
 * the results of the first run again when this ends. False when the time was used up before all schedules had their turn.
 */
export async function checkSchedules(c: ScheduleCheck): Promise<boolean> {
  const first = saveContents(c.bindings)
  const base = c.base.schedule ?? DEFAULT_SCHEDULE
  let isComplete = true
  for (const schedule of c.schedules) {
    if (Date.now() > c.deadline || c.base.signal?.aborted === true) {
      isComplete = false
      break
    }
    restoreContents(c.bindings, c.contents)
    const detector = c.makeDetector?.()
    const options = { ...c.base, schedule, ...(detector === undefined ? {} : { observer: detector.observer }) }
    const result: DispatchResult = await runInSlices(c.engine, c.loaded, c.bindings, c.groups, options)
    if (result.stopped !== undefined) continue
    const difference = differenceFrom(c, first, schedule)
    if (difference !== undefined) {
      await reportDifference(c, base, difference)
      break
    }
    if (countersDiffer(c.bindings, first)) {
      c.context.sink.add({
        code: 'check-schedule',
        severity: 'error',
        message: 'the hidden counter of a UAV depends on the schedule',
        site: { statement: 0, group: [0, 0, 0], thread: 0, access: 'other' },
        notes: [`first run: ${scheduleText(base)}`, `second run: ${scheduleText(schedule)}`],
      })
      break
    }
  }
  restoreContents(c.bindings, first)
  return isComplete
}
