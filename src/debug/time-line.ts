import { diagnostic, failure, type Outcome, outcomeOf, ShaderError } from '../diagnostic/index.ts'
import { type DispatchResult, type GroupState, threadCountOf } from '../engine/index.ts'
import { AccessIndex, DEFAULT_INDEX_BYTES, type IndexTarget, targetOf } from './accesses.ts'
import { applyChange } from './changes.ts'
import { type ConditionContext, testOf } from './conditions.ts'
import { effectsOf } from './effects.ts'
import { FindingIndex } from './findings.ts'
import { viewOf } from './lanes.ts'
import { type LineStep, lineBackward, lineForward } from './lines.ts'
import type {
  Change,
  Clock,
  Direction,
  Hit,
  LaneView,
  MemoryRange,
  NextStatement,
  RecordedAccess,
  RecordedChange,
  RecordedFinding,
  RecordingSize,
  RecordingSource,
  RunOptions,
  StatementEffects,
  Step,
  Stop,
  StopCondition,
  Thread,
  TimeLine,
  TimeLineOptions,
  UndefinedMoment,
} from './model.ts'
import { type Ended, Recording } from './recording.ts'
import { catchUp, goToHits, lastMoment, search } from './search.ts'
import { boundaryTest, deepestOf, stepTest } from './steps.ts'
import { Task } from './task.ts'
import { UndefinedIndex } from './undefined.ts'
import { HitCounter, type WatchedCondition } from './watching.ts'

const DEFAULT_CHECKPOINT_BYTES = 200 * 2 ** 20

/** A condition that is made here, of steps. */
const INTERNAL: StopCondition = { kind: 'statement' }
const BOUNDARY: StopCondition = { kind: 'group-end' }

const withoutCounter = (condition: StopCondition, factory: WatchedCondition['factory']): WatchedCondition => ({
  condition,
  factory,
  counter: undefined,
})

type FindingPlace = NonNullable<RecordedFinding['other']>

/**
 * The place of a finding that is not next at its moment: the first access of a race, which is found at the second; and where an
 * undefined value comes from, which is found where it matters.
 */
function otherPlace({ thread, statement, other }: RecordedFinding, next: NextStatement | undefined) {
  const own = { ...thread, statement }
  if (other === undefined) return next?.statement === statement ? undefined : own
  return next?.statement === other.statement && next.statement !== statement ? own : other
}

function requireClock(clock: Clock): void {
  if (Number.isSafeInteger(clock) && clock >= 0) return
  throw new ShaderError([diagnostic('debug-clock', `the clock is ${clock}; it must be a whole number, 0 or more`)])
}

/** A dispatch on an engine that steps, as a time line. */
class DispatchTimeLine implements TimeLine {
  readonly source: RecordingSource
  readonly #recording: Recording
  readonly #findings: FindingIndex
  readonly #undefined: UndefinedIndex
  readonly #context: ConditionContext
  readonly #counters = new WeakMap<StopCondition, HitCounter>()
  readonly #maxIndexBytes: number
  readonly #counted = new Set<HitCounter>()
  #indices: AccessIndex[] = []
  #turn: Promise<unknown> = Promise.resolve()

  constructor(recording: Recording, maxIndexBytes: number) {
    this.#maxIndexBytes = maxIndexBytes
    this.#recording = recording
    this.source = recording.source
    this.#findings = new FindingIndex(recording)
    this.#undefined = new UndefinedIndex(recording)
    const { declarations } = recording.source.loaded
    this.#context = {
      declarations,
      threadCount: recording.source.batch?.count ?? threadCountOf(declarations),
      findingsAt: (clock) => this.#findings.at(clock),
    }
  }

  get clock(): Clock {
    return this.#recording.clock
  }
  get end(): Clock | undefined {
    return this.#recording.end?.clock
  }
  get next(): NextStatement | undefined {
    return this.#recording.next
  }
  get result(): DispatchResult | undefined {
    return this.#recording.atEnd ? this.#recording.end?.result : undefined
  }
  get groups(): readonly GroupState[] {
    return this.#recording.execution.inspect()
  }
  get changes(): readonly RecordedChange[] {
    return this.#recording.changes
  }
  get size(): RecordingSize {
    const { count, byteLength } = this.#recording.checkpoints
    return {
      checkpoints: count,
      checkpointBytes: byteLength + (this.#recording.pages?.originalByteLength ?? 0),
      indexBytes: this.#indices.reduce((n, index) => n + index.byteLength, this.#undefined.byteLength),
    }
  }

  laneOf(thread: Thread): LaneView | undefined {
    return viewOf(this.groups, thread)
  }

  /** One thing after the other: each moves the same execution. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  #stop(reason: Stop['reason'], hits: readonly Hit[] = []): Stop {
    return { reason, clock: this.clock, hits }
  }

  goTo(clock: Clock, options?: RunOptions): Promise<Stop> {
    requireClock(clock)
    return this.#inTurn(() => this.#goTo(clock, new Task(options)))
  }

  async #goTo(clock: Clock, task: Task): Promise<Stop> {
    const ended: Ended = await this.#recording.goTo(clock, task)
    return this.#stop(ended === 'canceled' || ended === 'end' ? ended : 'reached')
  }

  step(direction: Direction, step: Step, options?: RunOptions): Promise<Stop> {
    return this.#inTurn(() => this.#step(direction, step, new Task(options)))
  }

  async #step(direction: Direction, step: Step, task: Task): Promise<Stop> {
    const isForward = direction === 'forward'
    if (step.unit === 'any') {
      if (!isForward && this.clock === 0) return this.#stop('start')
      return this.#goTo(this.clock + (isForward ? 1 : -1), task)
    }
    if (step.unit === 'lane' && step.source !== undefined) {
      const { thread, source, depth = 'in' } = step
      return this.#stepLine(isForward, { thread, source, depth }, task)
    }
    const depth = step.unit === 'lane' ? (step.depth ?? 'in') : 'in'
    const deepest = deepestOf(depth, this.laneOf(step.thread)?.wave.callDepth ?? 0)
    const boundary = boundaryTest(step.thread, isForward ? 'groupEnd' : 'groupBegin', this.#recording.execution)
    const watched = [withoutCounter(INTERNAL, stepTest(step, deepest)), withoutCounter(BOUNDARY, boundary)]
    const found = await search(this.#recording, isForward, watched, task)
    if (found.ended !== 'found') return this.#stop(found.ended)
    return this.#stop(found.hits.some((h) => h.condition === INTERNAL) ? 'reached' : 'group')
  }

  async #stepLine(isForward: boolean, line: LineStep, task: Task): Promise<Stop> {
    return this.#stop(await (isForward ? lineForward : lineBackward)(this.#recording, line, task))
  }

  run(direction: Direction, conditions: readonly StopCondition[], options?: RunOptions): Promise<Stop> {
    return this.#inTurn(() => this.#run(direction === 'forward', conditions, new Task(options)))
  }

  holding(conditions: readonly StopCondition[], options?: RunOptions): Promise<readonly Hit[]> {
    return this.#inTurn(async () => {
      const r = this.#recording
      const watched = conditions.map((c) => this.#watchedOf(c))
      if (conditions.some((c) => c.kind === 'finding')) r.followers.add(this.#findings)
      const { clock } = this
      const task = new Task(options)
      try {
        const isReady = (await catchUp(r, watched, task)) !== 'canceled'
        return isReady ? await goToHits(r, clock, watched, task.uncanceled) : []
      } finally {
        r.followers.clear()
        await r.goTo(clock, task.uncanceled)
      }
    })
  }

  async #run(isForward: boolean, conditions: readonly StopCondition[], task: Task): Promise<Stop> {
    const r = this.#recording
    const { clock } = this
    const watched = conditions.map((c) => this.#watchedOf(c))
    if (conditions.some((c) => c.kind === 'finding')) r.followers.add(this.#findings)
    try {
      if ((await catchUp(r, watched, task)) === 'canceled') {
        await r.goTo(clock, task.uncanceled)
        return this.#stop('canceled')
      }
      const { ended, hits } = await search(r, isForward, watched, task)
      return this.#stop(ended === 'found' ? 'condition' : ended, hits)
    } finally {
      r.followers.clear()
    }
  }

  #watchedOf(condition: StopCondition): WatchedCondition {
    return { condition, factory: testOf(condition, this.#context), counter: this.#counterOf(condition) }
  }

  #counterOf(condition: StopCondition): HitCounter | undefined {
    if (condition.hits === undefined) return undefined
    let counter = this.#counters.get(condition)
    if (counter === undefined) {
      this.#counters.set(condition, (counter = new HitCounter()))
      this.#counted.add(counter)
    }
    return counter
  }

  effects(options?: RunOptions): Promise<StatementEffects | undefined> {
    return this.#inTurn(async () => {
      const { clock } = this
      if (clock === 0) return undefined
      const task = new Task(options)
      await this.#recording.goTo(clock - 1, task.uncanceled)
      return effectsOf(this.#recording, this.next!, task.uncanceled)
    })
  }

  history(
    range: MemoryRange,
    { loads = false, ...options }: RunOptions & { readonly loads?: boolean | undefined } = {},
  ): Promise<readonly RecordedAccess[] | undefined> {
    return this.#inTurn(async () => {
      const target = targetOf(range)
      const known = this.#indices.find((index) => index.isOf(target) && (index.hasLoads || !loads))
      const index = known ?? (await this.#buildIndex(target, loads, new Task(options)))
      return index?.of(range, loads)
    })
  }

  /** Goes over the whole run once, and comes back. */
  async #buildIndex(target: IndexTarget, loads: boolean, task: Task): Promise<AccessIndex | undefined> {
    const r = this.#recording
    const { clock } = this
    await r.goTo(0, task.uncanceled)
    const { bindings, loaded } = this.source
    this.#indices = this.#indices.filter((index) => !index.isOf(target))
    const maxBytes = this.#maxIndexBytes - this.size.indexBytes
    const index = new AccessIndex(target, [bindings], loaded.declarations, r.execution, { loads, maxBytes })
    try {
      const stops = [...r.changes.map((c) => c.clock), Number.POSITIVE_INFINITY]
      for (const stop of stops) {
        if ((await r.forward(stop, index, task)) === 'canceled') return undefined
        index.resync()
      }
      index.requireRoom()
    } finally {
      await r.goTo(clock, task.uncanceled)
    }
    this.#indices.push(index)
    return index
  }

  get undefinedMoment(): UndefinedMoment | undefined {
    return this.#undefined.moment
  }

  followUndefined({
    maxStatements = Number.POSITIVE_INFINITY,
    ...options
  }: RunOptions & { readonly maxStatements?: number | undefined } = {}): Promise<boolean> {
    return this.#inTurn(async () => {
      const r = this.#recording
      const index = this.#undefined
      const { clock } = this
      const from = Math.max(0, index.seen)
      if (index.isFull || clock - from > maxStatements) return false
      if (index.seen >= clock) return true
      const task = new Task(options, clock - from)
      r.followers.add(index)
      try {
        await r.goTo(from, task)
        await r.forward(clock, undefined, task)
      } finally {
        r.followers.clear()
        await r.goTo(clock, task.uncanceled)
      }
      return index.seen >= clock && !index.isFull
    })
  }

  findings(options?: RunOptions): Promise<readonly RecordedFinding[]> {
    return this.#inTurn(async () => {
      const r = this.#recording
      const { clock } = this
      const task = new Task(options)
      r.followers.add(this.#findings)
      try {
        await r.goTo(Math.max(0, this.#findings.seen), task)
        await r.forward(Number.POSITIVE_INFINITY, undefined, task)
      } finally {
        r.followers.clear()
        await r.goTo(clock, task.uncanceled)
      }
      return this.#findings.all
    })
  }

  otherMoment(finding: RecordedFinding, options?: RunOptions): Promise<Clock | undefined> {
    return this.#inTurn(async () => {
      const { clock } = this
      const task = new Task(options)
      try {
        await this.#recording.goTo(finding.before, task.uncanceled)
        const place = otherPlace(finding, this.next)
        return place && (await this.#lastAt(place, finding, task))
      } finally {
        await this.#recording.goTo(clock, task.uncanceled)
      }
    })
  }

  /** The last moment before a finding's own at which a thread comes to a statement: where it touches the finding's memory, if ever. */
  async #lastAt(
    { group, thread, statement }: FindingPlace,
    { memory, before }: RecordedFinding,
    task: Task,
  ): Promise<Clock | undefined> {
    const own = { statements: [statement], where: { group, threads: [thread] } }
    if (memory !== undefined) {
      const access = this.#watchedOf({ kind: 'memory', ranges: [memory], access: 'any', ...own })
      const behind = await lastMoment(this.#recording, [access], before + 2, task)
      if (behind === 'canceled') return undefined
      if (behind !== undefined) return behind - 1
    }
    const last = await lastMoment(this.#recording, [this.#watchedOf({ kind: 'statement', ...own })], before + 1, task)
    return last === 'canceled' ? undefined : last
  }

  change(change: Change): Promise<void> {
    return this.#inTurn(async () => {
      const r = this.#recording
      applyChange(this.source, this.groups, change, r.pages)
      const { clock } = this
      r.addChange({ clock, change: copyOf(change) })
      this.#forgetFrom(clock)
    })
  }

  changesMade(options?: RunOptions): Promise<readonly boolean[]> {
    return this.#inTurn(async () => {
      const { clock } = this
      const task = new Task(options)
      const made = await this.#recording.changesMade(task)
      await this.#recording.goTo(clock, task.uncanceled)
      return made
    })
  }

  dropChange(change: RecordedChange, options?: RunOptions): Promise<void> {
    return this.#inTurn(async () => {
      const r = this.#recording
      const at = r.changes.indexOf(change)
      if (at < 0) return
      const { clock } = this
      r.changes.splice(at, 1)
      this.#forgetFrom(change.clock)
      if (clock < change.clock) return
      r.rewind(change.clock)
      await r.goTo(clock, new Task(options).uncanceled)
    })
  }

  #forgetFrom(clock: Clock): void {
    this.#recording.forgetFrom(clock)
    this.#findings.forgetFrom(clock)
    this.#undefined.forgetFrom(clock)
    this.#indices = []
    for (const counter of this.#counted) counter.forgetFrom(clock)
  }

  dispose(): void {
    this.#recording.dispose()
  }
}

/** Changes are made again later; the caller's bytes may be others then. */
const copyOf = (change: Change): Change =>
  change.kind === 'memory' ? { ...change, bytes: change.bytes.slice() } : change

/**
 * The time line of a dispatch, at clock 0. It begins the dispatch as the engine does, and refuses with the same diagnostics.
 */
export function createTimeLine(source: RecordingSource, options: TimeLineOptions = {}): Outcome<TimeLine> {
  const begun = Recording.begin(source, options.maxCheckpointBytes ?? DEFAULT_CHECKPOINT_BYTES)
  return begun.value === undefined
    ? failure(begun.diagnostics)
    : outcomeOf(new DispatchTimeLine(begun.value, options.maxIndexBytes ?? DEFAULT_INDEX_BYTES), begun.diagnostics)
}
