import { POISON_WORD, permutation, type Schedule, seedState, xorshift32 } from '../../../machine/index.ts'
import type { Declarations } from '../../declarations.ts'
import { threadsOf } from '../../declarations.ts'
import type { Code } from '../compile/compile.ts'
import { type AccessSite, report } from './report.ts'
import { waveSite } from './site.ts'
import { type Dispatch, ENDED, GIVES_WAY, type Group, READY, settleSteps, WAITING, type Wave } from './state.ts'
import { createWave, laneBits, observeWave, startWave, type Threads } from './wave.ts'

/** Statements after which a wave gives way, so that waves that wait for each other's memory come on. */
const TIME_SLICE = 65536
/** Slices of a seeded schedule are drawn from 1 to this. */
const RANDOM_SLICE = 4096

/** Time slices of a schedule. */
export function timeSlices(schedule: Schedule): () => number {
  const { order } = schedule
  if (typeof order === 'string') return () => TIME_SLICE
  let state = seedState(order.seed ^ 0x51ce)
  return () => {
    state = xorshift32(state)
    return 1 + (state % RANDOM_SLICE)
  }
}

interface Runner {
  readonly dispatch: Dispatch
  readonly declarations: Declarations
  readonly code: Code
  readonly schedule: Schedule
  readonly groups: readonly [number, number, number]
  readonly threads: Threads
  readonly observedRun: boolean
}

/** A group in flight, with the order in which its waves take their turns until the next barrier. */
interface Slot {
  readonly group: Group
  order: Uint32Array
  next: number
}

function createGroup(r: Runner): Group {
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

function waveOrder(r: Runner, group: Group): Uint32Array {
  return permutation(group.waves.length, r.schedule.order, Math.imul(group.group, 0x9e37) + group.epoch)
}

function startGroup(r: Runner, slot: Slot, number: number): void {
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
function beginSlice(w: Wave): void {
  w.sliceEnd = Math.min(w.steps + w.dispatch.timeSlice(), w.dispatch.maxInstructionsPerThread)
}

/** Runs a wave until it waits, gives way or ends. */
export function runWave(w: Wave, code: Code, observed: boolean): void {
  if (observed) runObservedWave(w, code)
  else runPlainWave(w, code)
}

function runPlainWave(w: Wave, code: Code): void {
  const { ops } = code
  beginSlice(w)
  while (w.status === READY) {
    w.steps++
    ops[w.pc++]!(w)
  }
  settleSteps(w)
}

/** The same with an event for every statement. */
function runObservedWave(w: Wave, code: Code): void {
  const { ops, statements } = code
  const { observer } = w.dispatch
  beginSlice(w)
  while (w.status === READY) {
    w.steps++
    w.statement = statements[w.pc]!
    observer?.instruction?.(waveSite(w))
    ops[w.pc++]!(w)
  }
  settleSteps(w)
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
  report(w, site, 'divergent-barrier', 0, arrived, w.laneCount, false)
}

/** Every wave that has not ended waits: all go on. Waves that ended or wait elsewhere make the barrier divergent. */
function releaseBarrier(r: Runner, slot: Slot): void {
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

/** One turn of a group: its next ready wave runs. False when the group has ended. */
function takeTurn(r: Runner, slot: Slot): boolean {
  const { group } = slot
  const count = group.waves.length
  for (let tries = 0; tries < count; tries++) {
    const w = group.waves[slot.order[slot.next]!]!
    slot.next = slot.next + 1 === count ? 0 : slot.next + 1
    if (w.status === GIVES_WAY) w.status = READY
    if (w.status !== READY) continue
    runWave(w, r.code, r.observedRun)
    return true
  }
  if (group.waves.every((w) => w.status === ENDED)) return false
  releaseBarrier(r, slot)
  return true
}

/** Bytes of registers that groups in flight may take together. */
const MAX_REGISTER_BYTES = 512 * 1024 * 1024

/** As many groups as have room; one always has. */
function mostInFlight(code: Code, threads: Threads): number {
  const waves = Math.ceil(threads.count / code.columns.width)
  return Math.max(1, Math.floor(MAX_REGISTER_BYTES / (waves * code.columns.size * 4)))
}

/** Runs all groups of a dispatch, as many interleaved as the schedule says, each turn in the schedule's order. */
export function runGroups(
  dispatch: Dispatch,
  declarations: Declarations,
  code: Code,
  schedule: Schedule,
  groups: readonly [number, number, number],
): void {
  const [x, y, z] = threadsOf(declarations)
  const threads: Threads = { x, y, z, count: x * y * z }
  const observedRun = dispatch.observer !== undefined
  const r: Runner = { dispatch, declarations, code, schedule, groups, threads, observedRun }
  const total = groups[0] * groups[1] * groups[2]
  const order = groupOrder(total, schedule)
  const flights = Math.min(schedule.groupsInFlight, total, mostInFlight(code, threads))
  const slots: Slot[] = []
  let started = 0
  for (let i = 0; i < flights; i++) {
    const slot: Slot = { group: createGroup(r), order: new Uint32Array(0), next: 0 }
    startGroup(r, slot, order(started++))
    slots.push(slot)
  }
  let turn = 0
  while (slots.length > 0) {
    if (turn >= slots.length) turn = 0
    const slot = slots[turn]!
    if (takeTurn(r, slot)) {
      turn++
      continue
    }
    dispatch.observer?.groupEnd?.(slot.group)
    if (started < total) startGroup(r, slot, order(started++))
    else slots.splice(turn, 1)
  }
}

/** The number of the group that starts as the nth. Seeded orders need a table; the others are counted. */
function groupOrder(total: number, schedule: Schedule): (n: number) => number {
  if (schedule.order === 'forward') return (n) => n
  if (schedule.order === 'reverse') return (n) => total - 1 - n
  const table = permutation(Math.min(total, MAX_SHUFFLED), schedule.order)
  const blocks = Math.ceil(total / MAX_SHUFFLED)
  if (blocks <= 1) return (n) => table[n]!
  // Huge grids are shuffled in blocks, so that the table stays small; the last block may be short.
  return (n) => {
    const block = Math.floor(n / MAX_SHUFFLED)
    const length = Math.min(MAX_SHUFFLED, total - block * MAX_SHUFFLED)
    if (length === MAX_SHUFFLED) return block * MAX_SHUFFLED + table[n % MAX_SHUFFLED]!
    return n
  }
}
const MAX_SHUFFLED = 1 << 20
