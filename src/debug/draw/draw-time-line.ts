import { diagnostic, ShaderError, valueOrThrow } from '../../diagnostic/index.ts'
import type { ShaderStage } from '../../pipeline/index.ts'
import type { Clock, Direction, Hit, RunOptions, Step, Stop, StopCondition, TimeLine } from '../model.ts'
import { Task } from '../task.ts'
import { createTimeLine } from '../time-line.ts'
import { type CapturedBatch, freshBatch } from './capture.ts'
import { type DrawMemory, type DrawSource, RepeatedDraw, tooLarge } from './draw-run.ts'

/** One batch of a draw: which invocations of which stage ran together, and when. */
export interface DrawBatch {
  readonly stage: ShaderStage
  /** Phase of a hull shader; 0 for the other stages. */
  readonly entry: number
  readonly invocations: number
  /** The clock at which it begins. */
  readonly first: Clock
  readonly statements: number
  /** What people call an invocation: `vertex 12 of instance 3`. */
  describe(invocation: number): string
}

interface KeptBatch extends DrawBatch {
  readonly captured: CapturedBatch
  /** What the draw had written when the batch began. */
  readonly memory: DrawMemory
}

/** Limits of a draw's time line. */
export interface DrawTimeLineOptions {
  /** Bytes of batches and of what the draw wrote between them; default 256 MiB. */
  readonly maxByteLength?: number | undefined
}

const DEFAULT_BYTES = 2 ** 28
/** A name of an invocation, and what else belongs to it. */
const INVOCATION_BYTES = 128

/**
 * A draw as the sequence of its batches, with one clock: at the clock of a batch's begin its first statement comes next. Inside a
 * batch `line` is its time line, whose own clock counts from the batch's begin. Targets show what had been merged when the batch
 * began, memory of unordered access the moment itself.
 */
export interface DrawTimeLine {
  readonly batches: readonly DrawBatch[]
  readonly clock: Clock
  readonly end: Clock
  /** The batch that is looked at. */
  readonly batch: DrawBatch
  readonly line: TimeLine
  goTo(clock: Clock, options?: RunOptions): Promise<Stop>
  /** Goes to the begin of an invocation's wave, with the invocation active: `line` steps it from there. */
  enter(batch: DrawBatch, invocation: number, options?: RunOptions): Promise<Stop>
  step(direction: Direction, step: Step, options?: RunOptions): Promise<Stop>
  run(direction: Direction, conditions: readonly StopCondition[], options?: RunOptions): Promise<Stop>
  dispose(): void
}

class BatchSequence implements DrawTimeLine {
  readonly batches: readonly KeptBatch[]
  readonly end: Clock
  readonly #draw: RepeatedDraw
  #at = 0
  #line: TimeLine

  constructor(draw: RepeatedDraw, batches: readonly KeptBatch[]) {
    this.#draw = draw
    this.batches = batches
    const last = batches.at(-1)!
    this.end = last.first + last.statements
    this.#line = this.#open(0)
  }

  get clock(): Clock {
    return this.batch.first + this.#line.clock
  }
  get batch(): KeptBatch {
    return this.batches[this.#at]!
  }
  get line(): TimeLine {
    return this.#line
  }

  #open(place: number): TimeLine {
    const { captured, memory } = this.batches[place]!
    this.#draw.restore(memory)
    const { loaded, bindings, options } = captured
    const { engine } = this.#draw.source
    const batch = freshBatch(captured)
    return valueOrThrow(createTimeLine({ engine, loaded, bindings, groups: [1, 1, 1], batch, options }))
  }

  /** Makes a batch the one that is looked at, at its begin. */
  #enter(place: number): void {
    this.#line.dispose()
    this.#at = place
    this.#line = this.#open(place)
  }

  /** The last batch that begins at a clock or before it. */
  #placeOf(clock: Clock): number {
    let place = this.batches.findLastIndex((b) => b.first <= clock && b.statements > 0)
    place = Math.max(0, place)
    return place
  }

  #stop(reason: Stop['reason'], hits: readonly Hit[] = []): Stop {
    const { first } = this.batch
    return { reason, clock: this.clock, hits: hits.map((h) => ({ ...h, before: h.before + first })) }
  }

  async goTo(clock: Clock, options?: RunOptions): Promise<Stop> {
    const place = this.#placeOf(clock)
    if (place !== this.#at) this.#enter(place)
    const stop = await this.#line.goTo(clock - this.batch.first, options)
    return this.#stop(stop.reason)
  }

  async enter(batch: DrawBatch, invocation: number, options?: RunOptions): Promise<Stop> {
    this.#enter(this.batches.indexOf(batch as KeptBatch))
    if (invocation === 0) return this.#stop('reached')
    const isIts: StopCondition = { kind: 'statement', where: { threads: [invocation] } }
    const here = this.#line.laneOf({ group: [0, 0, 0], thread: invocation })
    if (here !== undefined) return this.#stop('reached')
    const stop = await this.#line.run('forward', [isIts], options)
    return this.#stop(stop.reason === 'condition' ? 'reached' : stop.reason)
  }

  async step(direction: Direction, step: Step, options?: RunOptions): Promise<Stop> {
    if (step.unit === 'any') {
      if (direction === 'backward' && this.clock === 0) return this.#stop('start')
      return this.goTo(this.clock + (direction === 'forward' ? 1 : -1), options)
    }
    return this.#stop((await this.#line.step(direction, step, options)).reason)
  }

  async run(direction: Direction, conditions: readonly StopCondition[], options?: RunOptions): Promise<Stop> {
    const isForward = direction === 'forward'
    const from = this.clock
    for (;;) {
      const stop = await this.#line.run(direction, conditions, options)
      if (stop.reason !== 'start' && stop.reason !== 'end') return this.#stop(stop.reason, stop.hits)
      const next = this.#nextPlace(isForward)
      if (next === undefined) return this.#stop(stop.reason)
      this.#enter(next)
      if (!isForward) await this.#line.goTo(this.batch.statements, options)
      // The first moment of the next batch, or the last of the one before it, is no present one: it can be a stop.
      const hits = this.clock === from ? [] : await this.#line.holding(conditions, options)
      if (hits.length > 0) return this.#stop('condition', hits)
    }
  }

  #nextPlace(isForward: boolean): number | undefined {
    const hasStatements = (b: KeptBatch): boolean => b.statements > 0
    const at = this.#at
    const place = isForward
      ? this.batches.findIndex((b, i) => i > at && hasStatements(b))
      : this.batches.findLastIndex((b, i) => i < at && hasStatements(b))
    return place < 0 ? undefined : place
  }

  dispose(): void {
    this.#line.dispose()
  }
}

/**
 * Runs a draw once and keeps its batches. What the draw wrote is put back to how clock 0 found it: going to the end shows it
 * again, but for what is merged behind the last batch. Undefined where it was canceled; throws ShaderError where the draw is refused
 * or too large, or where no shader runs.
 */
export async function createDrawTimeLine(
  source: DrawSource,
  { maxByteLength = DEFAULT_BYTES, ...options }: DrawTimeLineOptions & RunOptions = {},
): Promise<DrawTimeLine | undefined> {
  const draw = new RepeatedDraw(source)
  const found: Pick<KeptBatch, 'captured' | 'memory'>[] = []
  let bytes = 0
  const begins = (captured: CapturedBatch): void => {
    const { batch } = captured
    bytes += batch.inputs.byteLength + batch.outputs.byteLength + batch.count * INVOCATION_BYTES
    if (bytes > maxByteLength) throw tooLarge(`the batches of the draw take more than ${maxByteLength} bytes`)
    found.push({ captured, memory: draw.save() })
  }
  const result = await draw.run({ begins }, new Task(options))
  draw.rewind()
  if (result === undefined) return undefined
  if (found.length === 0)
    throw new ShaderError([diagnostic('debug-draw', 'the draw runs no shader: it has no vertices')])
  return new BatchSequence(draw, withClocks(found))
}

function withClocks(found: readonly Pick<KeptBatch, 'captured' | 'memory'>[]): KeptBatch[] {
  let clock = 0
  return found.map(({ captured, memory }) => {
    const { batch, loaded, statements } = captured
    const first = clock
    clock += statements
    return {
      stage: loaded.declarations.stage.kind as ShaderStage,
      entry: batch.entry,
      invocations: batch.count,
      first,
      statements,
      describe: (i) => batch.describe(i),
      captured,
      memory,
    }
  })
}
