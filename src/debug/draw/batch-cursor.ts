/** Where a draw is looked at: one of its batches, and a time line of that. */
import { ShaderError, valueOrThrow } from '../../diagnostic/index.ts'
import type { DrawResult } from '../../pipeline/index.ts'
import type { Change, Clock, RecordedChange, RunOptions, Stop, TimeLine } from '../model.ts'
import { Task } from '../task.ts'
import { createTimeLine } from '../time-line.ts'
import { type DrawRecording, type KeptBatch, keptBatches } from './batches.ts'
import { freshBatch } from './capture.ts'
import type { RepeatedDraw } from './draw-run.ts'

const hasStatements = (b: KeptBatch): boolean => b.statements > 0

export class BatchCursor {
  readonly draw: RepeatedDraw
  readonly #maxByteLength: number
  #recording: DrawRecording
  #isEndShown = false
  #at = 0
  #line: TimeLine
  /** By batch; clocks count from its begin. */
  readonly changes = new Map<number, RecordedChange[]>()
  /** Those that the draw as it is now was run with. */
  #made: ReadonlySet<RecordedChange> = new Set()

  constructor(draw: RepeatedDraw, recording: DrawRecording, maxByteLength: number) {
    this.draw = draw
    this.#recording = recording
    this.#maxByteLength = maxByteLength
    this.#at = Math.max(0, this.batches.findIndex(hasStatements))
    this.#line = this.#open(this.#at)
  }

  get batches(): readonly KeptBatch[] {
    return this.#recording.batches
  }
  get end(): Clock {
    const last = this.batches.at(-1)!
    return last.first + last.statements
  }
  /** What the draw gave, with the changes that were made in it. */
  get result(): DrawResult {
    return this.#recording.result
  }
  get at(): number {
    return this.#at
  }
  get batch(): KeptBatch {
    return this.batches[this.#at]!
  }
  get line(): TimeLine {
    return this.#line
  }
  get clock(): Clock {
    return this.batch.first + this.#line.clock
  }

  #open(place: number): TimeLine {
    const { captured, memory } = this.batches[place]!
    this.draw.restore(memory)
    const { loaded, bindings, options } = captured
    const { engine } = this.draw.source
    const batch = freshBatch(captured)
    return valueOrThrow(createTimeLine({ engine, loaded, bindings, groups: [1, 1, 1], batch, options }))
  }

  /** Makes a batch the one that is looked at, at its begin, with what the user changed in it. */
  async enter(place: number): Promise<void> {
    this.#line.dispose()
    this.#at = place
    this.#line = this.#open(place)
    const changes = this.changes.get(place) ?? []
    for (const { clock, change } of changes) {
      await this.#line.goTo(clock)
      if (this.#line.clock === clock) await this.#repeat(change)
    }
    if (changes.length > 0) await this.#line.goTo(0)
  }

  /** What is of nothing that is there any more, after other changes, is left out. */
  async #repeat(change: Change): Promise<void> {
    try {
      await this.#line.change(change)
    } catch (e) {
      if (!(e instanceof ShaderError)) throw e
    }
  }

  /** The last batch that begins at a clock or before it. */
  #placeOf(clock: Clock): number {
    const place = this.batches.findLastIndex((b) => b.first <= clock && hasStatements(b))
    return Math.max(0, place)
  }

  isMade(change: RecordedChange): boolean {
    return this.#made.has(change)
  }

  /** All changes with the batch that they are of, in order. Clocks are those of the draw: behind its end where it has no such batch any more. */
  allChanges(): readonly { readonly place: number; readonly own: RecordedChange; readonly clock: Clock }[] {
    const last = this.batches.at(-1)!
    const firstOf = (place: number): Clock => this.batches[place]?.first ?? last.first + last.statements
    const places = [...this.changes].sort((a, b) => a[0] - b[0])
    return places.flatMap(([place, changes]) =>
      changes.map((own) => ({ place, own, clock: firstOf(place) + own.clock })),
    )
  }

  nextPlace(isForward: boolean): number | undefined {
    const at = this.#at
    const place = isForward
      ? this.batches.findIndex((b, i) => i > at && hasStatements(b))
      : this.batches.findLastIndex((b, i) => i < at && hasStatements(b))
    return place < 0 ? undefined : place
  }

  async goTo(clock: Clock, options?: RunOptions): Promise<Stop['reason']> {
    const place = this.#placeOf(clock)
    if (place !== this.#at) await this.enter(place)
    return (await this.#line.goTo(clock - this.batch.first, options)).reason
  }

  /** Comes back to a moment after the draw has been run, which leaves other memory. */
  async comeBack(clock: Clock): Promise<void> {
    await this.enter(this.#placeOf(clock))
    await this.goTo(clock)
  }

  /** At the end of the draw, targets show all that was merged, behind the last batch too. */
  showEnd(): void {
    this.#isEndShown = this.end > 0 && this.clock === this.end
    if (this.#isEndShown) this.draw.restoreTargets(this.#recording.end)
  }

  /** To be called before anything moves. */
  hideEnd(): void {
    if (this.#isEndShown) this.draw.restoreTargets(this.batch.memory)
    this.#isEndShown = false
  }

  /** The end of a batch is the begin of the next. */
  async normalize(): Promise<void> {
    const place = this.#line.next === undefined ? this.nextPlace(true) : undefined
    if (place !== undefined) await this.enter(place)
  }

  /** What a batch leaves decides the later ones: after a change the whole draw is run again. */
  async runAgain(clock: Clock): Promise<void> {
    const made = new Set<RecordedChange>()
    this.#recording = (await keptBatches(this.draw, this.changes, this.#maxByteLength, new Task(), made))!
    this.#made = made
    await this.comeBack(clock)
  }
}
