/** Every moment of a run, gone over once from the start to the end and written down: what time lines are held against. */
import { valueOrThrow } from '../../src/diagnostic/index.ts'
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
  RegisterPlace,
  WaveState,
} from '../../src/engine/index.ts'
import type { ResolvedBindings } from '../../src/machine/index.ts'

export interface OracleChange {
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
  readonly did: Deeds
}

export interface Deeds {
  /** Stores and atomics: resource, bytes, the thread, and whether bits changed. */
  readonly memory: { space: string; at: number; thread: number; group: number; isChange: boolean; access: string }[]
  readonly writes: { file: string; register: number; mask: number; thread: number; group: number; changed: number }[]
  released: number | undefined
  arrived: boolean
  diverged: boolean
}

export interface OracleRun {
  readonly engine: Engine
  readonly shader: LoadedShader
  readonly bindings: ResolvedBindings
  readonly groups: GroupCounts
  readonly options: DispatchOptions
}

/** Mixes words into a digest. */
function mix(digest: number, words: ArrayLike<number>): number {
  let d = digest
  for (let i = 0; i < words.length; i++) d = Math.imul(d ^ words[i]!, 0x01000193) ^ (d >>> 15)
  return d
}

function waveWords(w: WaveState, places: readonly RegisterPlace[]): number[] {
  const status = ['ready', 'waiting', 'ended'].indexOf(w.status)
  const words = [w.statement, status, w.active.low, w.active.high, w.ended.low, w.ended.high, w.callDepth]
  words.push(w.barrier ?? -1, w.firstThread, w.laneCount)
  for (const f of w.frames()) {
    words.push(f.call ?? -1, f.joins.low, f.joins.high, f.others.low, f.others.high)
  }
  for (const place of places) for (let l = 0; l < w.laneCount; l++) words.push(w.register(place, l)!)
  return words
}

/** The registers that a compute shader declares, by the numbers of the token format. */
export function placesOf({ declarations }: LoadedShader): RegisterPlace[] {
  const [TEMP, INDEXABLE, THREAD_ID, GROUP_ID, IN_GROUP, FLATTENED] = [0, 3, 32, 33, 34, 36]
  const places: RegisterPlace[] = []
  const add = (file: number, indices: readonly number[], count: number): void => {
    for (let component = 0; component < count; component++) places.push({ file, indices, component })
  }
  for (let r = 0; r < declarations.tempCount; r++) add(TEMP, [r], 4)
  for (const x of declarations.indexableTemps) for (let i = 0; i < x.count; i++) add(INDEXABLE, [x.register, i], 4)
  for (const file of [THREAD_ID, GROUP_ID, IN_GROUP]) add(file, [], 3)
  add(FLATTENED, [], 1)
  return places
}

/** Everything that a debugger shows of a moment, as one number. */
export function digestOf(
  groups: readonly GroupState[],
  bindings: ResolvedBindings,
  places: readonly RegisterPlace[],
): number {
  let d = 0x1234567
  for (const g of groups) {
    d = mix(d, [g.group, ...g.position, g.epoch])
    d = mix(d, g.tgsm)
    for (const w of g.waves) d = mix(d, waveWords(w, places))
  }
  for (const view of bindings.u.values()) {
    d = mix(d, view.storage.words)
    if (view.shape === 'structured' && view.counter !== undefined) d = mix(d, [view.counter.words[view.counter.index]!])
  }
  return d
}

const noDeeds = (): Deeds => ({ memory: [], writes: [], released: undefined, arrived: false, diverged: false })

function noteMemory(deeds: Deeds, e: MemoryEvent): void {
  const isTexel = e.valuesPerRow > e.width
  for (let row = 0; row < e.wave.activeCount; row++) {
    for (let i = 0; i < e.width; i++) {
      const at = e.byteOffsets[row * e.width + i]!
      if (at < 0) continue
      const first = row * e.valuesPerRow + (isTexel ? 0 : i)
      const words = isTexel ? 4 : 1
      let isChange = false
      for (let k = first; k < first + words; k++) isChange ||= e.values[k] !== e.originals[k]
      deeds.memory.push({
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

function noteWrite(deeds: Deeds, e: Parameters<NonNullable<Observer['write']>>[0]): void {
  if (e.file !== 'temp') return
  for (let k = 0; k < e.wave.activeCount; k++) {
    let changed = 0
    for (let c = 0; c < 4; c++) {
      if (((e.mask >> c) & 1) === 0) continue
      if (e.wave.registers.temp(e.register, c, e.wave.lanes[k]!) !== e.before[k * 4 + c]) changed |= 1 << c
    }
    const { group, firstThread, lanes } = e.wave
    const thread = firstThread + lanes[k]!
    deeds.writes.push({ file: e.file, register: e.register, mask: e.mask, thread, group, changed })
  }
}

/** Goes over a run once; it must not take more than `most` statements. */
export function allMoments(
  run: OracleRun,
  changes: readonly OracleChange[],
  most: number,
): { readonly moments: readonly Moment[]; readonly result: DispatchResult | undefined } {
  let did = noDeeds()
  const observer: Observer = {
    memory: (e) => noteMemory(did, e),
    write: (e) => noteWrite(did, e),
    barrier: () => {
      did.arrived = true
    },
    release: (e) => {
      did.released = e.group
    },
    branch: ({ wave, taken }) => {
      for (let k = 1; k < wave.activeCount; k++) if (taken[k] !== taken[0]) did.diverged = true
    },
  }
  const { engine, shader, bindings, groups, options } = run
  const begun = engine.begin(shader, bindings, { kind: 'grid', groups }, { ...options, observer })
  const execution = valueOrThrow(begun)
  const places = placesOf(shader)
  const moments: Moment[] = []
  let result: DispatchResult | undefined
  for (;;) {
    for (const c of changes) if (c.clock === moments.length) c.make(execution.inspect!())
    moments.push(momentOf(execution, bindings, places, did, result !== undefined))
    if (result !== undefined || moments.length > most) return { moments, result }
    did = noDeeds()
    result = execution.step!(1)
  }
}

function momentOf(
  execution: Execution,
  bindings: ResolvedBindings,
  places: readonly RegisterPlace[],
  did: Deeds,
  hasEnded: boolean,
): Moment {
  const states = execution.inspect!()
  const digest = digestOf(states, bindings, places)
  const next = hasEnded ? undefined : execution.next!()
  const nowhere = { group: -1, wave: -1, statement: -1, callDepth: 0, threads: [] }
  if (next === undefined) return { digest, next: undefined, did, ...nowhere }
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
    did,
  }
}
