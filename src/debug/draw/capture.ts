/** Batches of a draw, copied as they are passed to the engine, to be run again by themselves. */

import { outcomeOf } from '../../diagnostic/index.ts'
import type {
  Batch,
  BatchExecution,
  DispatchOptions,
  DispatchResult,
  Engine,
  EntryLayout,
  LoadedShader,
  Progress,
  QuadBatch,
  Until,
} from '../../engine/index.ts'
import { isOfBatches } from '../../engine/index.ts'
import type { ResolvedBindings } from '../../machine/index.ts'
import type { ShaderStage } from '../../pipeline/index.ts'
import { repeatChange } from '../changes.ts'
import type { RecordedChange } from '../model.ts'

/** A stage's shader with what is bound to it. */
interface CapturedStage {
  readonly loaded: LoadedShader
  readonly bindings: ResolvedBindings
  readonly options: DispatchOptions
}

/** A batch as it was when it began. */
export interface CapturedBatch extends CapturedStage {
  readonly batch: Batch
  readonly layouts: readonly EntryLayout[]
  /** Statements that it took. */
  statements: number
}

/** Called with a copy of each batch before it runs, and with the pipeline's own batch too when it has ended. */
interface CaptureHooks {
  /** Only batches of this stage are copied; those of all where absent. */
  readonly stage?: ShaderStage | undefined
  /** `clock` counts the batch's statements while it runs. */
  readonly begins?: ((captured: CapturedBatch, clock: () => number) => void) | undefined
  /** What the user changed in the batch with a number, by clocks that count from its begin. */
  readonly changesOf?: ((batch: number) => readonly RecordedChange[]) | undefined
  /** The moment of such a change has been come to, and it has been made. */
  readonly changed?: ((change: RecordedChange) => void) | undefined
  readonly ended?: ((captured: CapturedBatch, own: Batch) => void) | undefined
}

const SAMPLE_POSITIONS = 16

/** Answers of the rasterizer to a shader while the batch ran, by query: the same queries come when it runs again. */
type Answers = Map<string, number>

/** The quads of a batch, and those that the engine runs with now, which record each query. */
function copyQuads(q: QuadBatch, count: number): { readonly copy: QuadBatch; readonly noting: QuadBatch } {
  const answers: Answers = new Map()
  const { attributes } = q
  const note = (key: string, answer: number): number => {
    answers.set(key, answer)
    return answer
  }
  const noting: QuadBatch = {
    ...q,
    attributes: {
      snapped: (...at) => note(`snapped ${at}`, attributes.snapped(...at)),
      sample: (...at) => note(`sample ${at}`, attributes.sample(...at)),
      centroid: (...at) => note(`centroid ${at}`, attributes.centroid(...at)),
    },
    depth: (i) => note(`depth ${i}`, q.depth(i)),
  }
  const known = (key: string): number => answers.get(key) ?? 0
  const positions = Array.from({ length: SAMPLE_POSITIONS }, (_, i) => q.samplePosition(i))
  const pixels = Array.from({ length: count }, (_, i) => q.pixelOf(i))
  const places = q.place === undefined ? undefined : Array.from({ length: count }, (_, i) => q.place!(i))
  const copy: QuadBatch = {
    helpers: q.helpers.slice(0, count),
    discarded: new Uint8Array(count),
    sampleCount: q.sampleCount,
    samplePosition: (index) => positions[index] ?? [0, 0],
    attributes: {
      snapped: (...at) => known(`snapped ${at}`),
      sample: (...at) => known(`sample ${at}`),
      centroid: (...at) => known(`centroid ${at}`),
    },
    pixelOf: (i) => pixels[i]!,
    depth: (i) => known(`depth ${i}`),
    ...(places === undefined ? {} : { place: (i: number) => places[i]! }),
  }
  return { copy, noting }
}

/** The columns of the invocations that run, without the room behind them. */
function compact(words: Int32Array, slotCount: number, capacity: number, count: number): Int32Array {
  const own = new Int32Array(slotCount * count)
  for (let slot = 0; slot < slotCount; slot++) {
    own.set(words.subarray(slot * capacity, slot * capacity + count), slot * count)
  }
  return own
}

function copyBatch(b: Batch, { inputs, outputs }: EntryLayout): { readonly copy: Batch; readonly noting: Batch } {
  const { entry, count, capacity, keepsOutputs } = b
  const quads = b.quads && copyQuads(b.quads, count)
  const names = Array.from({ length: count }, (_, i) => b.describe(i))
  const copy: Batch = {
    entry,
    count,
    capacity: count,
    inputs: compact(b.inputs, inputs.slotCount, capacity, count),
    outputs:
      keepsOutputs === true
        ? compact(b.outputs, outputs.slotCount, capacity, count)
        : new Int32Array(outputs.slotCount * count),
    keepsOutputs,
    quads: quads?.copy,
    describe: (i) => names[i] ?? `invocation ${i}`,
  }
  return { copy, noting: quads === undefined ? b : { ...b, quads: quads.noting } }
}

class CapturingExecution implements BatchExecution {
  readonly #inner: BatchExecution
  readonly #stage: CapturedStage
  readonly #hooks: CaptureHooks
  readonly #count: () => number
  #current: { readonly captured: CapturedBatch; readonly own: Batch } | undefined
  /** The execution's clock when the batch began, and what is still to be changed in it. */
  #first = 0
  #changes: readonly RecordedChange[] = []

  /** `count` numbers the batches of all stages. */
  constructor(inner: BatchExecution, stage: CapturedStage, hooks: CaptureHooks, count: () => number) {
    this.#inner = inner
    this.#stage = stage
    this.#hooks = hooks
    this.#count = count
  }

  get engine(): string {
    return this.#inner.engine
  }
  get layouts(): readonly EntryLayout[] {
    return this.#inner.layouts
  }
  get progress(): Progress {
    return this.#inner.progress
  }

  start(batch: Batch): void {
    const { copy, noting } = copyBatch(batch, this.layouts[batch.entry]!)
    const captured: CapturedBatch = { ...this.#stage, batch: copy, layouts: this.layouts, statements: 0 }
    this.#current = { captured, own: batch }
    const first = this.#inner.clock ?? 0
    this.#first = first
    this.#changes = this.#hooks.changesOf?.(this.#count()) ?? []
    this.#hooks.begins?.(captured, () => (this.#inner.clock ?? 0) - first)
    this.#inner.start(noting)
  }

  /** Goes to the moments of the user's changes, and makes them. */
  #change(): void {
    const inner = this.#inner
    if (this.#changes.length === 0 || inner.step === undefined || inner.inspect === undefined) return
    const { loaded, bindings } = this.#stage
    for (const recorded of this.#changes) {
      const { clock, change } = recorded
      const left = clock - ((inner.clock ?? 0) - this.#first)
      if (left > 0) inner.step(left)
      // Other changes may have made the batch shorter.
      if ((inner.clock ?? 0) - this.#first !== clock) break
      if (repeatChange({ loaded, bindings }, inner.inspect(), change)) this.#hooks.changed?.(recorded)
    }
    this.#changes = []
  }

  run(until: Until): DispatchResult | undefined {
    const before = this.#inner.clock ?? 0
    this.#change()
    const result = this.#inner.run(until)
    const { captured, own } = this.#current!
    captured.statements += (this.#inner.clock ?? 0) - before
    if (result === undefined && this.progress.done >= own.count) this.#hooks.ended?.(captured, own)
    return result
  }

  stop(why: 'time' | 'canceled'): DispatchResult {
    return this.#inner.stop(why)
  }
  finish(): DispatchResult {
    return this.#inner.finish()
  }
  dispose(): void {
    this.#inner.dispose()
  }
}

/** An engine that runs as another does, and lets batches of one draw be copied. */
export function capturing(engine: Engine, hooks: CaptureHooks): Engine {
  let count = 0
  return {
    ...engine,
    begin(loaded, bindings, invocations, options = {}) {
      const begun = engine.begin(loaded, bindings, invocations, options)
      if (begun.value === undefined || !isOfBatches(begun.value)) return begun
      const { kind } = loaded.declarations.stage
      if (hooks.stage !== undefined && hooks.stage !== kind) return begun
      const stage = { loaded, bindings, options }
      return outcomeOf(new CapturingExecution(begun.value, stage, hooks, () => count++), begun.diagnostics)
    },
  }
}

/** The batch once more, with outputs of its own: it can be run again. */
export function freshBatch({ batch }: CapturedBatch): Batch {
  const { quads } = batch
  return {
    ...batch,
    outputs: batch.outputs.slice(),
    quads: quads && { ...quads, discarded: new Uint8Array(batch.count) },
  }
}
