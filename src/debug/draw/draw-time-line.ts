import { countLeading, diagnostic, ShaderError } from '../../diagnostic/index.ts'
import type { DispatchResult, GroupState } from '../../engine/index.ts'
import type { DrawResult } from '../../pipeline/index.ts'
import { type AccessIndex, DEFAULT_INDEX_BYTES, type IndexTarget, targetOf } from '../accesses.ts'
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
  UndefinedMoment,
} from '../model.ts'
import { Task } from '../task.ts'
import { BatchCursor } from './batch-cursor.ts'
import { type DrawBatch, type KeptBatch, keptBatches } from './batches.ts'
import { drawAccesses } from './draw-accesses.ts'
import { DrawConditions } from './draw-conditions.ts'
import { atPixel, type DrawSource, RepeatedDraw } from './draw-run.ts'
import { historyOf, type PixelHistory, type PixelQuestion } from './pixel-history.ts'

/** Limits of a draw's time line. */
export interface DrawTimeLineOptions {
  /** Bytes of batches and of what the draw wrote between them; default 256 MiB. */
  readonly maxByteLength?: number | undefined
  /** Only this pixel is rasterized, where not all of a draw can be kept. */
  readonly pixel?: { readonly x: number; readonly y: number } | undefined
}

const DEFAULT_BYTES = 2 ** 28

/**
 * A draw as the sequence of its batches, with one clock: at the clock of a batch's begin its first statement comes next, and the
 * end of the batch before it is the same moment. `source`, `next` and `groups` are those of the batch that is looked at; an
 * invocation's number in it is its thread. Targets show what had been merged when the batch began, at the end what the draw left;
 * memory of unordered access shows the moment itself.
 */
export interface DrawTimeLine extends TimeLine {
  readonly batches: readonly DrawBatch[]
  readonly end: Clock
  /** What the draw gave, with the changes that were made in it. */
  readonly drawResult: DrawResult
  /** The batch that is looked at. */
  readonly batch: DrawBatch
  /** Its own time line, whose clock counts from the batch's begin. */
  readonly line: TimeLine
  /** Goes to the begin of an invocation's wave, with the invocation active. */
  enter(batch: DrawBatch, invocation: number, options?: RunOptions): Promise<Stop>
  /** What happened to a pixel in the draw as it was described, without changes; undefined where it was canceled. */
  pixelHistory(question: PixelQuestion, options?: RunOptions): Promise<PixelHistory | undefined>
}

const ORIGIN = [0, 0, 0] as const

class BatchSequence implements DrawTimeLine {
  readonly #cursor: BatchCursor
  /** The draw with all its pixels. */
  readonly #whole: RepeatedDraw
  readonly #conditions: DrawConditions
  #indices: AccessIndex[] = []
  #turn: Promise<unknown> = Promise.resolve()

  constructor(cursor: BatchCursor, whole: RepeatedDraw) {
    this.#cursor = cursor
    this.#whole = whole
    this.#conditions = new DrawConditions(cursor)
  }

  get batches(): readonly KeptBatch[] {
    return this.#cursor.batches
  }
  get batch(): KeptBatch {
    return this.#cursor.batch
  }
  get line(): TimeLine {
    return this.#cursor.line
  }
  get source(): RecordingSource {
    return this.line.source
  }
  get clock(): Clock {
    return this.#cursor.clock
  }
  get end(): Clock {
    return this.#cursor.end
  }
  get drawResult(): DrawResult {
    return this.#cursor.result
  }
  get next(): NextStatement | undefined {
    return this.line.next
  }
  get result(): DispatchResult | undefined {
    return this.clock === this.end ? this.line.result : undefined
  }
  get groups(): readonly GroupState[] {
    return this.line.groups
  }
  get size(): RecordingSize {
    const { indexBytes, ...size } = this.line.size
    return { ...size, indexBytes: indexBytes + this.#indexBytes }
  }
  get #indexBytes(): number {
    return this.#indices.reduce((n, index) => n + index.byteLength, 0)
  }
  get changes(): readonly RecordedChange[] {
    return this.#cursor.allChanges().map(({ own, clock }) => ({ clock, change: own.change }))
  }

  changesMade(): Promise<readonly boolean[]> {
    return this.#inTurn(async () => this.#cursor.allChanges().map(({ own }) => this.#cursor.isMade(own)))
  }

  laneOf(thread: Thread): LaneView | undefined {
    return this.line.laneOf(thread)
  }

  /** One thing after the other: each moves the same execution. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(() => this.#moving(work))
    this.#turn = turn.catch(() => undefined)
    return turn
  }

  async #moving<T>(work: () => Promise<T>): Promise<T> {
    this.#cursor.hideEnd()
    try {
      return await work()
    } finally {
      this.#cursor.showEnd()
    }
  }

  /** A stop at the present moment; hits have clocks of the draw. */
  async #stop(reason: Stop['reason'], hits: readonly Hit[] = []): Promise<Stop> {
    await this.#cursor.normalize()
    // Behind the last invocation of a batch comes the next batch.
    const isInside = reason === 'end' && this.next !== undefined
    return { reason: isInside ? 'group' : reason, clock: this.clock, hits }
  }

  goTo(clock: Clock, options?: RunOptions): Promise<Stop> {
    return this.#inTurn(async () => this.#stop(await this.#cursor.goTo(clock, options)))
  }

  enter(batch: DrawBatch, invocation: number, options?: RunOptions): Promise<Stop> {
    return this.#inTurn(async () => {
      const place = this.batches.indexOf(batch as KeptBatch)
      if (place < 0) throw new ShaderError([diagnostic('debug-draw', 'the batch is none of this draw')])
      await this.#cursor.enter(place)
      if (this.laneOf({ group: ORIGIN, thread: invocation }) !== undefined) return this.#stop('reached')
      const isIts: StopCondition = { kind: 'statement', where: { threads: [invocation] } }
      const stop = await this.line.run('forward', [isIts], options)
      return this.#stop(stop.reason === 'condition' ? 'reached' : stop.reason)
    })
  }

  pixelHistory(question: PixelQuestion, options?: RunOptions): Promise<PixelHistory | undefined> {
    return this.#inTurn(async () => {
      const { clock } = this
      const history = await historyOf(this.#whole, question, new Task(options))
      await this.#cursor.comeBack(clock)
      return history
    })
  }

  step(direction: Direction, step: Step, options?: RunOptions): Promise<Stop> {
    return this.#inTurn(async () => {
      const isForward = direction === 'forward'
      const { clock } = this
      if (step.unit === 'any') {
        if (!isForward && clock === 0) return this.#stop('start')
        return this.#stop(await this.#cursor.goTo(clock + (isForward ? 1 : -1), options))
      }
      const { reason } = await this.line.step(direction, step, options)
      if (reason !== 'start' || this.clock === 0) return this.#stop(reason)
      // Before the first statement of an invocation comes the last of the batch before.
      await this.#cursor.goTo(this.batch.first - 1, options)
      return this.#stop('group')
    })
  }

  run(direction: Direction, conditions: readonly StopCondition[], options: RunOptions = {}): Promise<Stop> {
    return this.#inTurn(() => this.#run(direction, conditions, options))
  }

  async #run(direction: Direction, conditions: readonly StopCondition[], options: RunOptions): Promise<Stop> {
    const isForward = direction === 'forward'
    const from = this.clock
    const cursor = this.#cursor
    const found = await this.#conditions.findingHits(conditions, options)
    for (;;) {
      const stop = await this.#runInBatch(direction, conditions, options)
      if (stop.reason === 'canceled') return this.#stop('canceled')
      const finding = this.#conditions.nearestFinding(found, from, isForward, stop)
      const hits = stop.reason === 'condition' ? this.#conditions.ofDraw(stop.hits) : []
      if (finding !== undefined) {
        const isSame = hits.length > 0 && this.clock === finding
        await cursor.goTo(finding, options)
        return this.#stop('condition', [...(isSame ? hits : []), ...found.filter((h) => h.before + 1 === finding)])
      }
      if (stop.reason === 'condition') return this.#stop('condition', hits)
      const next = cursor.nextPlace(isForward)
      if (next === undefined) {
        await cursor.goTo(isForward ? this.end : 0, options)
        return this.#stop(stop.reason)
      }
      await cursor.enter(next)
      if (!isForward) await this.line.goTo(this.batch.statements, options)
      // The first moment of the next batch, or the last of the one before it, is no present one: it can be a stop.
      const here = this.clock === from ? [] : await this.#conditions.here(conditions, options)
      const held = here.length === 0 ? [] : await this.line.holding(here, options)
      if (held.length > 0) return this.#stop('condition', this.#conditions.ofDraw(held))
    }
  }

  /** To the next stop in the present batch, or to its end; where no condition is of its stage, nothing is run. */
  async #runInBatch(direction: Direction, conditions: readonly StopCondition[], options: RunOptions): Promise<Stop> {
    const own = await this.#conditions.here(conditions, options)
    if (options.signal?.aborted === true) return { reason: 'canceled', clock: this.line.clock, hits: [] }
    if (own.length > 0) return this.line.run(direction, own, options)
    return { reason: direction === 'forward' ? 'end' : 'start', clock: this.line.clock, hits: [] }
  }

  holding(conditions: readonly StopCondition[], options: RunOptions = {}): Promise<readonly Hit[]> {
    return this.#inTurn(async () => {
      const found = await this.#conditions.findingHits(conditions, options)
      const own = await this.#conditions.here(conditions, options)
      const hits = own.length === 0 ? [] : await this.line.holding(own, options)
      return [...this.#conditions.ofDraw(hits), ...found.filter((h) => h.before + 1 === this.clock)]
    })
  }

  effects(options?: RunOptions): Promise<StatementEffects | undefined> {
    return this.#inTurn(async () => {
      const { clock } = this
      if (clock === 0) return undefined
      const isBegin = this.line.clock === 0
      if (isBegin) {
        await this.#cursor.enter(this.#cursor.nextPlace(false)!)
        await this.line.goTo(this.batch.statements)
      }
      const { first } = this.batch
      const found = await this.line.effects(options)
      if (isBegin) await this.#cursor.goTo(clock)
      return found && { ...found, before: found.before + first }
    })
  }

  history(
    range: MemoryRange,
    { loads = false, ...options }: RunOptions & { readonly loads?: boolean | undefined } = {},
  ): Promise<readonly RecordedAccess[] | undefined> {
    return this.#inTurn(async () => {
      // Graphics stages have no shared memory.
      if (range.space === 'tgsm') return []
      const index = await this.#indexOf(targetOf(range), loads, new Task(options))
      return index?.of(range, loads).map((a) => this.#ofDraw(a))
    })
  }

  /** The index of a resource, made by a run of the whole draw where there is none. */
  async #indexOf(target: IndexTarget, loads: boolean, task: Task): Promise<AccessIndex | undefined> {
    const known = this.#indices.find((index) => index.isOf(target) && (index.hasLoads || !loads))
    if (known !== undefined) return known
    const { clock } = this
    const { draw, batches, changes } = this.#cursor
    this.#indices = this.#indices.filter((index) => !index.isOf(target))
    const maxBytes = DEFAULT_INDEX_BYTES - this.#indexBytes
    try {
      const made = await drawAccesses(draw, batches, changes, target, { loads, maxBytes }, task)
      if (made !== undefined) this.#indices.push(made)
      return made
    } finally {
      await this.#cursor.comeBack(clock)
    }
  }

  #ofDraw(access: RecordedAccess): RecordedAccess {
    const batch = this.#cursor.batches[countLeading(this.batches, (b) => b.first <= access.before) - 1]!
    return { ...access, stage: batch.stage, invocation: batch.describe(access.thread) }
  }

  get undefinedMoment(): UndefinedMoment | undefined {
    return this.line.undefinedMoment
  }

  followUndefined(options?: Parameters<TimeLine['followUndefined']>[0]): Promise<boolean> {
    return this.#inTurn(() => this.line.followUndefined(options))
  }

  findings(options: RunOptions = {}): Promise<readonly RecordedFinding[]> {
    return this.#inTurn(() => this.#conditions.findings(options))
  }

  otherMoment(finding: RecordedFinding, options: RunOptions = {}): Promise<Clock | undefined> {
    return this.#inTurn(async () => {
      const own = (await this.#conditions.findings(options)).find((f) => f === finding)
      if (own === undefined || own.statement < 0) return undefined
      const { clock } = this
      const batch = own.otherBatch ?? own.batch
      const { first, statements } = batch
      try {
        await this.#cursor.enter(this.batches.indexOf(batch))
        const before = Math.min(statements, own.before - first)
        const found = await this.line.otherMoment({ ...own, before }, options)
        return found === undefined ? undefined : first + found
      } finally {
        await this.#cursor.comeBack(clock)
      }
    })
  }

  change(change: Change): Promise<void> {
    return this.#inTurn(async () => {
      const cursor = this.#cursor
      const { clock } = this.line
      await this.line.change(change)
      const made = this.line.changes.findLast((c) => c.clock === clock)!
      const own = cursor.changes.get(cursor.at) ?? []
      own.splice(own.findLastIndex((c) => c.clock <= clock) + 1, 0, made)
      cursor.changes.set(cursor.at, own)
      await this.#runAgain()
    })
  }

  dropChange({ clock, change }: RecordedChange): Promise<void> {
    return this.#inTurn(async () => {
      const found = this.#cursor.allChanges().find((c) => c.own.change === change && c.clock === clock)
      if (found === undefined) return
      const own = this.#cursor.changes.get(found.place)!
      own.splice(own.indexOf(found.own), 1)
      await this.#runAgain()
    })
  }

  async #runAgain(): Promise<void> {
    this.#conditions.forget()
    this.#indices = []
    await this.#cursor.runAgain(this.clock)
  }

  dispose(): void {
    this.line.dispose()
  }
}

function onlyAt(source: DrawSource, pixel: { readonly x: number; readonly y: number }): DrawSource {
  const { pipeline, scissors } = atPixel(source, pixel)
  return { ...source, pipeline, resources: { ...source.resources, scissors } }
}

/**
 * Runs a draw once and keeps its batches. What the draw wrote is put back to how clock 0 found it: going to the end shows it
 * again. Undefined where it was canceled; throws ShaderError where the draw is refused
 * or too large, or where no shader runs.
 */
export async function createDrawTimeLine(
  source: DrawSource,
  { maxByteLength = DEFAULT_BYTES, pixel, ...options }: DrawTimeLineOptions & RunOptions = {},
): Promise<DrawTimeLine | undefined> {
  const whole = new RepeatedDraw(source)
  const draw = pixel === undefined ? whole : new RepeatedDraw(onlyAt(source, pixel))
  const recording = await keptBatches(draw, new Map(), maxByteLength, new Task(options))
  if (recording === undefined) return undefined
  if (recording.batches.length === 0)
    throw new ShaderError([diagnostic('debug-draw', 'the draw runs no shader: it has no vertices')])
  return new BatchSequence(new BatchCursor(draw, recording, maxByteLength), whole)
}
