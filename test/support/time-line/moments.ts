/** Every moment of a run, gone over once from the start to the end and written down: what time lines are held against. */
import { combineObservers, type Finding, watchFindings } from '../../../src/check/index.ts'
import { valueOrThrow } from '../../../src/diagnostic/index.ts'
import type {
  DispatchOptions,
  DispatchResult,
  Engine,
  Execution,
  GroupCounts,
  GroupState,
  LoadedShader,
  MemoryEvent,
  Observer,
} from '../../../src/engine/index.ts'
import type { ResolvedBindings } from '../../../src/machine/index.ts'
import { FollowedDigest, placesOf } from './digest.ts'

export interface MadeChange {
  readonly clock: number
  readonly make: (groups: readonly GroupState[]) => void
}

/** What is next at a moment, and what the statement before it did. */
export interface Moment {
  readonly digest: number
  readonly next: string | undefined
  readonly group: number
  readonly wave: number
  readonly statement: number
  readonly callDepth: number
  /** Threads of the group that are active in the wave that is next. */
  readonly threads: readonly number[]
  readonly effects: Effects
}

export interface Effects {
  /** Stores and atomics: resource, bytes, the thread, and whether bits changed. */
  readonly memory: { space: string; at: number; thread: number; group: number; isChange: boolean; access: string }[]
  readonly writes: { file: string; register: number; mask: number; thread: number; group: number; changed: number }[]
  /** What detectors found, in words. */
  readonly findings: Finding[]
  released: number | undefined
  arrived: boolean
  diverged: boolean
}

export interface WalkedRun {
  readonly engine: Engine
  readonly shader: LoadedShader
  readonly bindings: ResolvedBindings
  readonly groups: GroupCounts
  readonly options: DispatchOptions
}

const noEffects = (): Effects => ({
  ...{ memory: [], writes: [], findings: [] },
  ...{ released: undefined, arrived: false, diverged: false },
})

function noteMemory(effects: Effects, e: MemoryEvent): void {
  const isTexel = e.valuesPerRow > e.width
  for (let row = 0; row < e.wave.activeCount; row++) {
    for (let i = 0; i < e.width; i++) {
      const at = e.byteOffsets[row * e.width + i]!
      if (at < 0) continue
      const first = row * e.valuesPerRow + (isTexel ? 0 : i)
      const words = isTexel ? 4 : 1
      let isChange = false
      for (let k = first; k < first + words; k++) isChange ||= e.values[k] !== e.originals[k]
      effects.memory.push({
        space: `${e.space}${e.register}`,
        at,
        thread: e.wave.firstThread + e.wave.lanes[row]!,
        group: e.wave.group,
        isChange: e.access !== 'load' && isChange,
        access: e.access,
      })
    }
  }
}

function noteWrite(effects: Effects, e: Parameters<NonNullable<Observer['write']>>[0]): void {
  if (e.file !== 'temp') return
  for (let k = 0; k < e.wave.activeCount; k++) {
    let changed = 0
    for (let c = 0; c < 4; c++) {
      if (((e.mask >> c) & 1) === 0) continue
      if (e.wave.registers.temp(e.register, c, e.wave.lanes[k]!) !== e.before[k * 4 + c]) changed |= 1 << c
    }
    const { group, firstThread, lanes } = e.wave
    const thread = firstThread + lanes[k]!
    effects.writes.push({ file: e.file, register: e.register, mask: e.mask, thread, group, changed })
  }
}

/** Writes down what statements do; `current` is called at each event, so that none is written down while it gives nothing. */
function noting(current: () => Effects | undefined): Observer {
  const into = (note: (effects: Effects) => void): void => {
    const effects = current()
    if (effects !== undefined) note(effects)
  }
  return {
    memory: (e) => into((d) => noteMemory(d, e)),
    write: (e) => into((d) => noteWrite(d, e)),
    barrier: () =>
      into((d) => {
        d.arrived = true
      }),
    release: (e) =>
      into((d) => {
        d.released = e.group
      }),
    branch: ({ wave, taken }) =>
      into((d) => {
        for (let k = 1; k < wave.activeCount; k++) if (taken[k] !== taken[0]) d.diverged = true
      }),
  }
}

/** What was written down of a run; it holds before the first change that came or went. */
export interface Known {
  readonly moments: readonly Moment[]
  /** Moments before this clock are as they were; the one at it is looked at again, but what led to it stays. */
  readonly until: number
}

/** Goes over a run once, with changes at their moments; no more than `most` statements are written down. */
export function allMoments(
  run: WalkedRun,
  changes: readonly MadeChange[],
  most: number,
  known: Known = { moments: [], until: 0 },
): { readonly moments: readonly Moment[]; readonly result: DispatchResult | undefined } {
  const { engine, shader, bindings, groups, options } = run
  // A change may lie behind the end that others gave the run.
  const until = Math.max(0, Math.min(known.until, known.moments.length - 1))
  const moments: Moment[] = known.moments.slice(0, until)
  // The effects before the first changed moment are those that led to it before.
  let effects: Effects | undefined = until === 0 ? noEffects() : undefined
  const digest = new FollowedDigest(bindings, placesOf(shader))
  const detectors = watchFindings({ loaded: shader, bindings, groups }, (finding) => effects?.findings.push(finding))
  const observer = combineObservers([noting(() => effects), digest.observer, detectors.observer])
  const begun = engine.begin(shader, bindings, { kind: 'grid', groups }, { ...options, observer })
  const execution = valueOrThrow(begun)
  let result: DispatchResult | undefined
  for (let clock = 0; ; ) {
    for (const c of changes) {
      if (c.clock !== clock) continue
      c.make(execution.inspect!())
      digest.forget()
    }
    if (clock >= until) {
      if (result !== undefined) detectors.finish()
      moments.push(momentOf(execution, digest, effects ?? known.moments[clock]!.effects, result !== undefined))
      if (result !== undefined || moments.length > most) return { moments, result }
      effects = noEffects()
      result = execution.step!(1)
      clock++
    } else {
      const stop = changes.reduce((least, c) => (c.clock > clock ? Math.min(least, c.clock) : least), until)
      result = execution.step!(stop - clock)
      clock = stop
    }
  }
}

function momentOf(execution: Execution, followed: FollowedDigest, effects: Effects, hasEnded: boolean): Moment {
  const states = execution.inspect!()
  const digest = followed.of(states)
  const next = hasEnded ? undefined : execution.next!()
  const nowhere = { group: -1, wave: -1, statement: -1, callDepth: 0, threads: [] }
  if (next === undefined) return { digest, next: undefined, effects, ...nowhere }
  const group = states.find((g) => g.position.join() === next.group.join())!
  const wave = group.waves[next.wave]!
  const { low, high } = wave.active
  const isActive = (l: number): boolean => ((l < 32 ? low >>> l : high >>> (l - 32)) & 1) === 1
  return {
    digest,
    next: JSON.stringify(next),
    group: group.group,
    wave: next.wave,
    statement: next.statement,
    callDepth: wave.callDepth,
    threads: Array.from({ length: wave.laneCount }, (_, l) => l)
      .filter(isActive)
      .map((l) => l + next.firstThread),
    effects,
  }
}
