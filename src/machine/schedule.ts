import { type Diagnostic, diagnostic } from '../diagnostic/index.ts'

/** Threads that a wave holds. Direct3D 11 has no wave; programs that assume one assume 32 or 64. */
export const WAVE_WIDTHS = [1, 4, 8, 16, 32, 64] as const

/** Threads that execute a statement together in a schedule. */
export type WaveWidth = (typeof WAVE_WIDTHS)[number]

/** In which order groups, and the waves of a group, take their turns. */
export type ScheduleOrder = 'forward' | 'reverse' | { readonly seed: number }

/** How a dispatch is executed. The same schedule gives the same execution, event for event. */
export interface Schedule {
  readonly waveWidth: WaveWidth
  readonly order: ScheduleOrder
  /** Groups that run interleaved, at least 1; a group starts when one of those before it ends. */
  readonly groupsInFlight: number
}

export const DEFAULT_SCHEDULE: Schedule = { waveWidth: 32, order: 'forward', groupsInFlight: 1 }

/** What to do where Direct3D leaves a result undefined; the safe result is the same under all three. */
export const UNDEFINED_POLICIES = ['report', 'poison', 'trap'] as const
/** `report`: go on and say so; `poison`: fill what is undefined with POISON_WORD; `trap`: stop at the first one. */
export type UndefinedPolicy = (typeof UNDEFINED_POLICIES)[number]

/** What poisoned contents are filled with: as a float a large negative number, as an integer an unlikely index. */
export const POISON_WORD = 0xdeadbeef

/** Groups and budgets of one dispatch. */
export interface DispatchLimits {
  /** Instructions that one thread may execute before the dispatch is stopped as endless; Infinity for no limit. */
  readonly maxInstructionsPerThread: number
  /** Findings kept of one dispatch; those after are counted only. */
  readonly maxDiagnostics: number
}

export const DEFAULT_DISPATCH_LIMITS: DispatchLimits = {
  maxInstructionsPerThread: 100_000_000,
  maxDiagnostics: 100,
}

/** Thread groups in one dimension of a Dispatch (D3D11_CS_DISPATCH_MAX_THREAD_GROUPS_PER_DIMENSION, chapter 21). */
export const MAX_GROUPS_PER_DIMENSION = 65535

/** The next state of a xorshift32 generator (Marsaglia, shifts 13, 17, 5). Never 0 for a state that is not 0. */
export function xorshift32(state: number): number {
  let x = state | 0
  x ^= x << 13
  x ^= x >>> 17
  x ^= x << 5
  return x >>> 0
}

/** The first state for a seed: the seed times an odd constant, mixed, and never 0. Seeds count modulo 2^32. */
export function seedState(seed: number): number {
  let x = Math.imul((seed >>> 0) ^ 0x9e3779b9, 0x85ebca6b)
  x = Math.imul(x ^ (x >>> 13), 0xc2b2ae35)
  x ^= x >>> 16
  return x === 0 ? 0x6d2b79f5 : x >>> 0
}

/**
 * A permutation of 0 .. count-1 in the given order: turn `i` belongs to item `result[i]`. Seeded: a Fisher-Yates shuffle
 * from the end, with swap index `floor(next * (i + 1) / 2^32)` of xorshift32 states. `salt` gives independent
 * permutations of one seed (for example one per group).
 */
export function permutation(count: number, order: ScheduleOrder, salt = 0): Uint32Array {
  const result = new Uint32Array(count)
  for (let i = 0; i < count; i++) result[i] = order === 'reverse' ? count - 1 - i : i
  if (typeof order === 'string') return result
  let state = seedState((order.seed >>> 0) ^ Math.imul(salt + 1, 0x9e3779b1))
  for (let i = count - 1; i > 0; i--) {
    state = xorshift32(state)
    const j = Math.floor((state * (i + 1)) / 2 ** 32)
    const swapped = result[i]!
    result[i] = result[j]!
    result[j] = swapped
  }
  return result
}

/** What is wrong with a schedule, if anything. */
export function checkSchedule(schedule: Schedule): Diagnostic[] {
  const found: Diagnostic[] = []
  if (!(WAVE_WIDTHS as readonly number[]).includes(schedule.waveWidth)) {
    found.push(
      diagnostic('machine-schedule', `A wave width of ${schedule.waveWidth} was given; use ${WAVE_WIDTHS.join(', ')}.`),
    )
  }
  if (!Number.isSafeInteger(schedule.groupsInFlight) || schedule.groupsInFlight < 1) {
    found.push(
      diagnostic(
        'machine-schedule',
        `groupsInFlight is ${schedule.groupsInFlight}; it must be a whole number, 1 or more.`,
      ),
    )
  }
  const { order } = schedule
  const known =
    order === 'forward' || order === 'reverse' || (typeof order === 'object' && Number.isFinite(order?.seed))
  if (!known) {
    found.push(
      diagnostic('machine-schedule', `The order ${JSON.stringify(order)} is not 'forward', 'reverse' or { seed }.`),
    )
  }
  return found
}

/**
 * What is wrong with the group counts of a dispatch, if anything. A count of 0 is legal: nothing runs. `maxZ` is 1 for
 * cs_4_0 and cs_4_1 (18.7).
 */
export function checkDispatch(
  groups: readonly [number, number, number],
  maxZ: number = MAX_GROUPS_PER_DIMENSION,
): Diagnostic[] {
  return groups.flatMap((n, axis) => {
    const most = axis === 2 ? maxZ : MAX_GROUPS_PER_DIMENSION
    if (Number.isSafeInteger(n) && n >= 0 && n <= most) return []
    const name = 'XYZ'[axis]
    return [
      diagnostic(
        'machine-dispatch-size',
        `Thread group count ${name} is ${n}; this shader can be dispatched with 0 to ${most}.`,
      ),
    ]
  })
}
