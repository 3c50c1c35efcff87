import { combineObservers } from '../check/index.ts'
import { diagnostic, failure, type Outcome, outcomeOf } from '../diagnostic/index.ts'
import {
  type DispatchResult,
  type Execution,
  type Invocations,
  isOfBatches,
  type Observer,
  threadsOf,
  type WaveState,
} from '../engine/index.ts'
import { contentsExtent, DEFAULT_SCHEDULE, type WrittenPages } from '../machine/index.ts'
import { repeatChange } from './changes.ts'
import { Checkpoints } from './checkpoints.ts'
import type { Change, Clock, NextStatement, RecordedChange, RecordingSource } from './model.ts'
import type { Task } from './task.ts'

/** Statements between two looks at the clock of the host. */
const STATEMENTS_PER_LOOK = 512
/**
 * Statements between two checkpoints of a run forward: as many as take some milliseconds, and where snapshots are large, eight
 * times as long as a snapshot, unless going over them again would take longer than a person waits.
 */
const LEAST_DISTANCE = 32_768
const SNAPSHOTS_PER_DISTANCE = 8
const PATIENT_DISTANCE = 200_000
/** Statements between two checkpoints in the neighborhood of a moment that was gone back to. */
const LEAST_NEAR_DISTANCE = 64
/** A statement takes about as long as the copy of this many bytes. */
const BYTES_PER_STATEMENT = 256
/** A run forward takes some thousand checkpoints at the most. */
const DISTANCES_OF_A_RUN = 4096

/** What an execution must be able to do to be recorded. */
type Recordable = Required<Pick<Execution, 'step' | 'next' | 'snapshot' | 'restore' | 'inspect' | 'clock'>> & Execution

const isRecordable = (e: Execution): e is Recordable =>
  e.step !== undefined && e.snapshot !== undefined && e.inspect !== undefined && e.clock !== undefined

/** Looks at statements while a recording goes over them. */
export interface Watch {
  readonly observer: Observer
  /** Called before each statement; after true the run stops there. */
  readonly stopsBefore?: ((wave: WaveState) => boolean) | undefined
  /** Called where a part of the run has ended, at a statement's end: whether what it did stops the run. */
  readonly stopsHere?: (() => boolean) | undefined
}

/** Sees each statement once and in order, however often the recording goes over it. */
export interface Follower {
  readonly observer: Observer
  /** It has seen everything up to this clock; -1 before the start. */
  seen: Clock
  /** Called at clock 0, when the first groups are in flight. */
  start?(): void
  /** The user's change is made, behind everything that it has seen. */
  changed?(change: Change): void
  /** The dispatch has ended; may be called again when it has ended again. */
  finish?(): void
}

/** What an observer is shown that begins at clock 0: the groups that are in flight there. */
export function showStart(observer: Observer, { source, execution }: Pick<Recording, 'source' | 'execution'>): void {
  const { groups, loaded, options } = source
  const { waveWidth } = options?.schedule ?? DEFAULT_SCHEDULE
  observer.begin?.({ groups, threads: threadsOf(loaded.declarations), waveWidth })
  for (const { group, position } of execution.inspect()) {
    observer.groupBegin?.({ group, groupX: position[0], groupY: position[1], groupZ: position[2] })
  }
}

export type Ended = 'reached' | 'stopped' | 'end' | 'canceled'

/** The observer that the execution has: its callbacks are set for each part of a run, none of them most of the time. */
type Callbacks = { -readonly [K in keyof Observer]: Observer[K] | undefined }

const NO_CALLBACKS: Callbacks = {
  ...{ groupBegin: undefined, groupEnd: undefined, instruction: undefined, write: undefined, memory: undefined },
  ...{ branch: undefined, barrier: undefined, release: undefined, undefined: undefined },
}

/** An execution with its checkpoints and changes: it goes to any clock, and shows statements on the way. */
export class Recording {
  readonly execution: Recordable
  readonly source: RecordingSource
  readonly checkpoints: Checkpoints
  readonly changes: RecordedChange[] = []
  /** Whether changes were made when their moment was passed last; of those that were not passed nothing is known. */
  readonly #made = new Map<RecordedChange, boolean>()
  readonly followers = new Set<Follower>()
  end: { readonly clock: Clock; readonly result: DispatchResult } | undefined
  readonly #callbacks: Callbacks
  /** Of the resources, what has been written is kept and nothing else. */
  readonly pages: WrittenPages | undefined
  #stateBytes: number

  private constructor(source: RecordingSource, execution: Recordable, callbacks: Callbacks, maxBytes: number) {
    this.source = source
    this.execution = execution
    this.#callbacks = callbacks
    this.pages = execution.keepWrittenPages?.()
    const first = execution.snapshot()
    this.checkpoints = new Checkpoints(first, maxBytes)
    this.#stateBytes = first.ownByteLength + contentsExtent(first.contents)
    // A dispatch without groups has ended before it begins.
    if (execution.next() === undefined) this.#step(1, undefined)
  }

  static begin(source: RecordingSource, maxBytes: number): Outcome<Recording> {
    const observer: Callbacks = { ...NO_CALLBACKS }
    const { engine, loaded, bindings, groups, batch, options = {} } = source
    const invocations: Invocations = batch === undefined ? { kind: 'grid', groups } : { kind: 'batches' }
    const own = {
      ...options,
      observer: observer as Observer,
      maxMilliseconds: undefined,
      signal: undefined,
      onProgress: undefined,
    }
    const begun = engine.begin(loaded, bindings, invocations, own)
    if (begun.value === undefined) return failure(begun.diagnostics)
    const execution = begun.value
    if (!isRecordable(execution)) {
      execution.dispose()
      const text = `the engine ${engine.name} cannot stop between statements and go back`
      return failure([diagnostic('debug-engine', text)])
    }
    if (batch !== undefined && isOfBatches(execution)) execution.start(batch)
    return outcomeOf(new Recording(source, execution, observer, maxBytes), begun.diagnostics)
  }

  get clock(): Clock {
    return this.execution.clock
  }

  get atEnd(): boolean {
    return this.end !== undefined && this.clock === this.end.clock
  }

  get next(): NextStatement | undefined {
    return this.atEnd ? undefined : this.execution.next()
  }

  /** The wave that executes the next statement. */
  get nextWave(): WaveState | undefined {
    const { next } = this
    if (next === undefined) return undefined
    const [x, y, z] = next.group
    const group = this.execution
      .inspect()
      .find(({ position }) => position[0] === x && position[1] === y && position[2] === z)
    return group?.waves.find((w) => w.wave === next.wave)
  }

  #step(count: number, stopsBefore: Watch['stopsBefore']): void {
    const { execution } = this
    const stepped = execution.step(count, stopsBefore)
    // The end of a batch is none of the execution, which waits for the next.
    const hasEnded = stepped === undefined && isOfBatches(execution) && execution.next() === undefined
    const result = hasEnded ? execution.finish() : stepped
    if (result !== undefined) this.end = { clock: this.clock, result }
  }

  /** Goes back, or ahead, to the last checkpoint that is not behind a clock. */
  #restore(clock: Clock): void {
    const checkpoint = this.checkpoints.atOrBefore(clock)
    this.execution.restore(checkpoint.snapshot)
    if (checkpoint.clock === 0) this.#applyChanges()
  }

  #applyChanges(): void {
    const { clock } = this
    for (const c of this.changes) {
      if (c.clock !== clock) continue
      const isMade = repeatChange(this.source, this.execution.inspect(), c.change, this.pages)
      this.#made.set(c, isMade)
      if (isMade) for (const f of this.followers) if (f.seen === clock) f.changed?.(c.change)
    }
  }

  /** Statements that are as long as a snapshot takes. */
  get #snapshotStatements(): number {
    return Math.ceil(this.#stateBytes / BYTES_PER_STATEMENT)
  }

  /** The clock behind the present one at which a run forward takes its next checkpoint. */
  #nextCheckpoint(): Clock {
    const { clock } = this
    const own = this.#snapshotStatements
    const affordable = Math.max(own, Math.min(SNAPSHOTS_PER_DISTANCE * own, PATIENT_DISTANCE))
    const distance = Math.max(LEAST_DISTANCE, affordable, Math.floor(clock / DISTANCES_OF_A_RUN))
    return this.checkpoints.atOrBefore(clock).clock + distance
  }

  /** Where a run has ended, it may have ended inside a statement: it cannot go on from there. */
  #takeCheckpoint(focus: Clock): void {
    if (this.atEnd) return
    const snapshot = this.execution.snapshot()
    this.#stateBytes = snapshot.ownByteLength + contentsExtent(snapshot.contents)
    this.checkpoints.add(this.clock, snapshot, focus)
  }

  /** Followers that have seen all up to now; those that are new at the start are reset there. */
  #due(): Follower[] {
    const { clock } = this
    const due: Follower[] = []
    for (const f of this.followers) {
      if (f.seen < 0 && clock === 0) {
        f.start?.()
        f.seen = 0
        for (const c of this.changes) if (c.clock === 0 && this.#made.get(c) === true) f.changed?.(c.change)
      }
      if (f.seen === clock) due.push(f)
    }
    return due
  }

  /** Where the next part of a run forward ends at the latest. */
  #partEnd(target: Clock): Clock {
    const { clock } = this
    let end = Math.min(target, Math.max(clock + 1, this.#nextCheckpoint()))
    for (const c of this.changes) if (c.clock > clock) end = Math.min(end, c.clock)
    for (const f of this.followers) if (f.seen > clock) end = Math.min(end, f.seen)
    return end
  }

  /** Runs to a clock, a stop of the watch or the end. The present moment may stay where it is after canceling. */
  async forward(target: Clock, watch: Watch | undefined, task: Task): Promise<Ended> {
    // Of a run to where it is, followers see the start alone.
    if (this.clock >= target) this.#due()
    while (this.clock < target && !this.atEnd) {
      const due = this.#due()
      this.#setCallbacks([...(watch === undefined ? [] : [watch.observer]), ...due.map((f) => f.observer)])
      const ended = await this.#part(this.#partEnd(target), watch, due, task)
      if (this.clock >= this.#nextCheckpoint()) this.#takeCheckpoint(this.clock)
      if (ended !== 'reached') return ended
    }
    return this.atEnd && this.clock < target ? 'end' : 'reached'
  }

  /** A part of a run through which the same observers look. */
  async #part(end: Clock, watch: Watch | undefined, due: readonly Follower[], task: Task): Promise<Ended> {
    try {
      while (this.clock < end && !this.atEnd) {
        if (task.isCanceled) return 'canceled'
        const { clock } = this
        const count = Math.min(end - clock, STATEMENTS_PER_LOOK)
        this.#step(count, watch?.stopsBefore)
        task.count(this.clock - clock)
        for (const f of due) f.seen = this.clock
        if (this.atEnd) for (const f of due) f.finish?.()
        if (this.clock === end) this.#applyChanges()
        if (watch?.stopsHere?.() === true || (this.clock < clock + count && !this.atEnd)) return 'stopped'
        if (task.isDue) await task.yieldToHost()
      }
      return 'reached'
    } finally {
      this.#setCallbacks([])
    }
  }

  #setCallbacks(observers: readonly Observer[]): void {
    Object.assign(this.#callbacks, NO_CALLBACKS, observers.length === 0 ? {} : combineObservers(observers))
  }

  /** Goes to a clock, or to the end where that comes first; checkpoints are left on the way back. */
  async goTo(target: Clock, task: Task, watch?: Watch): Promise<Ended> {
    const { clock } = this
    const from = this.checkpoints.atOrBefore(target).clock
    if (target < clock || from > clock) this.#restore(target)
    if (target < clock) await this.#approach(target, task, watch)
    return this.forward(target, watch, task)
  }

  /** Leaves checkpoints at a half, a quarter, an eighth ... of the distance to a clock. */
  async #approach(target: Clock, task: Task, watch: Watch | undefined): Promise<void> {
    const least = Math.max(LEAST_NEAR_DISTANCE, this.#snapshotStatements)
    for (;;) {
      const distance = target - this.clock
      if (distance < 2 * least) return
      const ended = await this.forward(this.clock + Math.floor(distance / 2), watch, task)
      if (ended !== 'reached') return
      this.#takeCheckpoint(target)
    }
  }

  /** What is known of moments behind a clock holds no more. */
  forgetFrom(clock: Clock): void {
    this.checkpoints.dropFrom(clock)
    for (const c of this.changes) if (c.clock > clock) this.#made.delete(c)
    if (this.end !== undefined && this.end.clock > clock) this.end = undefined
  }

  /** Goes to the last checkpoint that is not behind a clock. */
  rewind(clock: Clock): void {
    this.#restore(clock)
  }

  /** For each of the changes, whether it is made in the run as it is now: it goes over what it has not seen of it. */
  async changesMade(task: Task): Promise<readonly boolean[]> {
    const unknown = this.changes.filter((c) => !this.#made.has(c))
    const [first] = unknown
    if (first !== undefined) {
      await this.goTo(Math.max(0, first.clock - 1), task)
      await this.forward(unknown.at(-1)!.clock, undefined, task)
    }
    return this.changes.map((c) => this.#made.get(c) ?? false)
  }

  /** Changes that are made when their clock is come to; this one has been made. */
  addChange(change: RecordedChange): void {
    this.#made.set(change, true)
    const place = this.changes.findLastIndex((c) => c.clock <= change.clock)
    this.changes.splice(place + 1, 0, change)
  }

  dispose(): void {
    this.execution.dispose()
  }
}
