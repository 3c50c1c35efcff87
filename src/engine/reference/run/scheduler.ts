import { POISON_WORD, permutation, type Schedule, seedState, xorshift32 } from '../../../machine/index.ts'
import type { Declarations } from '../../declarations.ts'
import { threadsOf } from '../../declarations.ts'
import type { Code } from '../compile/compile.ts'
import { type AccessSite, report } from './report.ts'
import { waveSite } from './site.ts'
import { countSteps, type Dispatch, ENDED, type Group, READY, WAITING, type Wave, YIELDED } from './state.ts'
import { createWave, laneBits, observeWave, startWave, type Threads } from './wave.ts'

/** Statements after which a wave yields to the next, so that waves that wait for each other's memory advance. */
export const TIME_SLICE = 65536
/** Statements of a wave between two looks at the clock: some milliseconds, also where all detectors watch. */
const PLAIN_STEPS = 8192
const OBSERVED_STEPS = 256

export const mostSteps = (observed: boolean): number => (observed ? OBSERVED_STEPS : PLAIN_STEPS)

/** Slices of a seeded schedule are drawn from 1 to this. */
const RANDOM_SLICE = 4096

/** The next time slice of a schedule, in statements. */
function nextSlice({ schedule, cursor }: GridRun): number {
  if (typeof schedule.order === 'string') return TIME_SLICE
  cursor.slices = xorshift32(cursor.slices)
  return 1 + (cursor.slices % RANDOM_SLICE)
}

/** Where a run stands: plain data, so that it can stop between any two statements and go on from there. */
export interface Cursor {
  /** Groups in flight, as indices of `GridRun.slots`, and whose wave runs. */
  readonly inFlight: number[]
  turn: number
  /** The wave that runs next, or goes on, with its time slice begun; -1 where all groups have ended. */
  wave: number
  /** Groups that have begun, and those that have ended. */
  started: number
  ended: number
  /** State of the generator of time slices. */
  slices: number
}

/** The groups of a dispatch under way. */
export interface GridRun {
  readonly dispatch: Dispatch
  readonly declarations: Declarations
  readonly code: Code
  readonly schedule: Schedule
  readonly groups: readonly [number, number, number]
  readonly threads: Threads
  readonly observedRun: boolean
  readonly total: number
  /** Of seeded orders: numbers of groups, shuffled in blocks. */
  readonly shuffled: Uint32Array
  /** Room for groups in flight; the cursor says which are in use. */
  readonly slots: readonly Slot[]
  readonly cursor: Cursor
}

/** A group in flight, with the order in which its waves run until the next barrier. */
export interface Slot {
  readonly group: Group
  order: Uint32Array
  next: number
}

function createGroup(r: Omit<GridRun, 'slots'>): Group {
  const { dispatch, declarations, code, threads } = r
  const waves: Wave[] = []
  const group: Group = {
    dispatch,
    threads: threadsOf(declarations),
    group: 0,
    groupX: 0,
    groupY: 0,
    groupZ: 0,
    tgsm: new Int32Array(declarations.tgsmByteLength >> 2),
    batch: undefined,
    waves,
    epoch: 0,
  }
  const count = Math.ceil(threads.count / code.columns.width)
  for (let i = 0; i < count; i++) {
    const w = createWave(dispatch, code, group, i, threads)
    if (r.observedRun) w.observed = observeWave(w, declarations, code.columns)
    waves.push(w)
  }
  return group
}

/** The order in which the waves of a group run until its next barrier. */
export function waveOrder(r: GridRun, group: Group): Uint32Array {
  return permutation(group.waves.length, r.schedule.order, Math.imul(group.group, 0x9e37) + group.epoch)
}

function startGroup(r: GridRun, slot: Slot, number: number): void {
  const { group } = slot
  const [gx, gy] = r.groups
  group.group = number
  group.groupX = number % gx
  group.groupY = Math.floor(number / gx) % gy
  group.groupZ = Math.floor(number / (gx * gy))
  group.epoch = 0
  // g# has no initial value (rule 14 of the semantics).
  group.tgsm.fill(r.dispatch.policy === 'poison' ? POISON_WORD | 0 : 0)
  for (const w of group.waves) startWave(w, r.code.columns, r.threads)
  slot.order = waveOrder(r, group)
  slot.next = 0
  r.dispatch.observer?.groupBegin?.(group)
}

/** A slice ends at the budget at the latest: waves that stop at barriers all the time must meet the check too. */
export function beginSlice(w: Wave, slice: number): void {
  w.sliceEnd = Math.min(w.steps + slice, w.dispatch.maxInstructionsPerThread)
}

function stepObservedWave(w: Wave, { ops, statements }: Code, end: number): void {
  const { observer } = w.dispatch
  const site = waveSite(w)
  while (w.status === READY && w.steps < end) {
    w.steps++
    w.statement = statements[w.pc]!
    observer?.instruction?.(site)
    ops[w.pc++]!(w)
  }
}

/** Executes up to `count` statements of a wave whose slice has begun; answers how many there were. */
export function stepWave(w: Wave, code: Code, observed: boolean, count: number): number {
  const before = w.steps
  const end = before + count
  if (observed) stepObservedWave(w, code, end)
  else {
    const { ops } = code
    while (w.status === READY && w.steps < end) {
      w.steps++
      ops[w.pc++]!(w)
    }
  }
  countSteps(w)
  return w.steps - before
}

function countBits(n: number): number {
  let count = 0
  for (let bits = n; bits !== 0; bits &= bits - 1) count++
  return count
}

/** Lanes of a wave that arrived at its barrier must be all its lanes; what is missing went another way or ended. */
function checkDivergence(w: Wave, statement: number): void {
  const { low, high } = laneBits(w.laneCount)
  const together = w.status === WAITING && w.waitStatement === statement
  if (together && w.low === low && w.high === high) return
  const site: AccessSite = {
    statement,
    operand: 0,
    access: 'other',
    space: 'other',
    register: 0,
    name: 'the barrier',
  }
  const arrived = together ? countBits(w.low) + countBits(w.high) : 0
  report(w, site, 0, { reason: 'divergent-barrier', address: arrived, limit: w.laneCount, defined: false })
}

/** Every wave that has not ended waits: all go on. Waves that ended or wait elsewhere make the barrier divergent. */
function releaseBarrier(r: GridRun, slot: Slot): void {
  const { group } = slot
  const first = group.waves.find((w) => w.status === WAITING)!
  for (const w of group.waves) checkDivergence(w, first.waitStatement)
  group.epoch++
  r.dispatch.observer?.release?.({
    group: group.group,
    groupX: group.groupX,
    groupY: group.groupY,
    groupZ: group.groupZ,
    statement: first.waitStatement,
    flags: first.waitFlags,
    epoch: group.epoch,
  })
  for (const w of group.waves) if (w.status === WAITING) w.status = READY
  slot.order = waveOrder(r, group)
  slot.next = 0
}

/** The next ready wave of a group in its order; -1 where none is. */
function nextReadyWave(slot: Slot): number {
  const { waves } = slot.group
  for (let tries = 0; tries < waves.length; tries++) {
    const wave = slot.order[slot.next]!
    slot.next = slot.next + 1 === waves.length ? 0 : slot.next + 1
    const w = waves[wave]!
    if (w.status === YIELDED) w.status = READY
    if (w.status === READY) return wave
  }
  return -1
}

/** A group has ended: its slot takes the next group, or is empty from here. */
function endGroup(r: GridRun, slot: Slot): void {
  const { cursor, dispatch, total } = r
  dispatch.observer?.groupEnd?.(slot.group)
  cursor.ended++
  if (cursor.started < total) startGroup(r, slot, groupNumber(r, cursor.started++))
  else cursor.inFlight.splice(cursor.turn, 1)
}

/** Finds the wave that runs next and begins its slice: groups end and barriers are released on the way. */
function chooseWave(r: GridRun): void {
  const { cursor } = r
  cursor.wave = -1
  while (cursor.inFlight.length > 0) {
    if (cursor.turn >= cursor.inFlight.length) cursor.turn = 0
    const slot = r.slots[cursor.inFlight[cursor.turn]!]!
    const wave = nextReadyWave(slot)
    if (wave >= 0) {
      beginSlice(slot.group.waves[wave]!, nextSlice(r))
      cursor.wave = wave
      return
    }
    if (slot.group.waves.every((w) => w.status === ENDED)) endGroup(r, slot)
    else {
      releaseBarrier(r, slot)
      cursor.turn++
    }
  }
}

/** The wave that runs next; undefined where all groups have ended. */
export function currentWave({ slots, cursor }: GridRun): Wave | undefined {
  if (cursor.wave < 0) return undefined
  return slots[cursor.inFlight[cursor.turn]!]!.group.waves[cursor.wave]!
}

/** Bytes of registers that groups in flight may take together. */
const MAX_REGISTER_BYTES = 512 * 1024 * 1024

/** As many groups as have room; one always has. */
function mostInFlight(code: Code, threads: Threads): number {
  const waves = Math.ceil(threads.count / code.columns.width)
  return Math.max(1, Math.floor(MAX_REGISTER_BYTES / (waves * code.columns.size * 4)))
}

/** All groups of a dispatch, none of which has begun; as many run interleaved as the schedule says. */
export function createGridRun(
  dispatch: Dispatch,
  declarations: Declarations,
  code: Code,
  schedule: Schedule,
  groups: readonly [number, number, number],
): GridRun {
  const [x, y, z] = threadsOf(declarations)
  const threads: Threads = { x, y, z, count: x * y * z }
  const observedRun = dispatch.observer !== undefined
  const total = groups[0] * groups[1] * groups[2]
  const { order } = schedule
  const shuffled = typeof order === 'string' ? new Uint32Array(0) : permutation(Math.min(total, MAX_SHUFFLED), order)
  const slices = typeof order === 'string' ? 0 : seedState(order.seed ^ 0x51ce)
  const cursor: Cursor = { inFlight: [], turn: 0, wave: -1, started: 0, ended: 0, slices }
  const base = { dispatch, declarations, code, schedule, groups, threads, observedRun, total, shuffled, cursor }
  const flights = Math.min(schedule.groupsInFlight, total, mostInFlight(code, threads))
  const slots = Array.from({ length: flights }, (): Slot => {
    return { group: createGroup(base), order: new Uint32Array(0), next: 0 }
  })
  const r: GridRun = { ...base, slots }
  for (const [i, slot] of slots.entries()) {
    startGroup(r, slot, groupNumber(r, cursor.started++))
    cursor.inFlight.push(i)
  }
  chooseWave(r)
  return r
}

/** The wave at the cursor does not go on: another is next. */
function passOn(r: GridRun): void {
  r.cursor.turn++
  chooseWave(r)
}

/** Waves between two looks at the clock, however short they are: a group that begins fills its registers. */
const WAVES_PER_LOOK = 16

/** Runs waves in the schedule's order until all groups have ended, which it answers, or the time has come. */
export function advanceGrid(r: GridRun, time: number): boolean {
  const most = mostSteps(r.observedRun)
  let steps = 0
  let waves = 0
  for (let w = currentWave(r); w !== undefined; w = currentWave(r)) {
    steps += stepWave(w, r.code, r.observedRun, most - steps)
    if (w.status !== READY) passOn(r)
    if (steps < most && ++waves < WAVES_PER_LOOK) continue
    if (performance.now() >= time) return r.cursor.wave < 0
    steps = 0
    waves = 0
  }
  return true
}

/**
 * Executes up to `count` statements, each of one wave, in the schedule's order, up to the first before which it is to
 * stop; true when all groups have ended.
 */
export function stepGrid(r: GridRun, count: number, stopsBefore?: (w: Wave) => boolean): boolean {
  let left = count
  for (let w = currentWave(r); w !== undefined && left > 0; w = currentWave(r)) {
    if (stopsBefore?.(w) === true) return false
    left -= stepWave(w, r.code, r.observedRun, stopsBefore === undefined ? left : 1)
    if (w.status !== READY) passOn(r)
  }
  return r.cursor.wave < 0
}

/** The number of the group that starts as the nth. Huge grids are shuffled in blocks; the last, short one is in order. */
function groupNumber({ schedule, shuffled, total }: GridRun, n: number): number {
  if (schedule.order === 'forward') return n
  if (schedule.order === 'reverse') return total - 1 - n
  const block = Math.floor(n / MAX_SHUFFLED)
  const isWhole = Math.min(MAX_SHUFFLED, total - block * MAX_SHUFFLED) === shuffled.length
  return isWhole ? block * MAX_SHUFFLED + shuffled[n % MAX_SHUFFLED]! : n
}
const MAX_SHUFFLED = 1 << 20
