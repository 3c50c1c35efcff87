/** What happened to one pixel in a draw: every fragment, what its shader left, and what that did to the targets. */
import { type Batch, blockOf, type PixelPlace, slotOf } from '../../engine/index.ts'
import { FILE } from '../../isa/index.ts'
import { type TargetView, targetOffset } from '../../machine/index.ts'
import type { DrawResources, Pipeline } from '../../pipeline/index.ts'
import type { RunOptions } from '../model.ts'
import { Task } from '../task.ts'
import { type CapturedBatch, capturing } from './capture.ts'
import { atPixel, type DrawMemory, type DrawSource, RepeatedDraw } from './draw-run.ts'
import { type FragmentLine, openFragment } from './fragment-line.ts'

/** A pixel of the draw's targets. */
export interface PixelQuestion {
  readonly x: number
  readonly y: number
  /** Slice of the views of the targets; default 0. */
  readonly slice?: number | undefined
  /** Sample whose contents are shown; default 0. */
  readonly sample?: number | undefined
  /** Fragments whose effect is worked out, one run of the draw each; default 64. Those after it are listed without. */
  readonly mostEffects?: number | undefined
}

/** Bytes of the targets at the pixel: by render target, undefined for slots without one. */
export interface PixelContents {
  readonly colors: readonly (Uint8Array | undefined)[]
  readonly depthStencil: Uint8Array | undefined
}

/** One invocation of the pixel shader at the pixel, by the primitive that covers it, in the order of the primitives. */
export interface PixelFragment {
  readonly primitiveId: number
  readonly instance: number
  /** -1 at pixel frequency. */
  readonly sample: number
  readonly name: string
  /** The shader ran for it in the draw; else tests before the shader left it out, and `outputs` are what it would leave. */
  readonly isShaded: boolean
  /** The shader discarded it. */
  readonly isDiscarded: boolean
  /** What the shader left: four words of each o#. */
  readonly outputs: readonly (readonly number[])[]
  /** Some of its samples passed depth and stencil tests; undefined where it was discarded or not worked out. */
  readonly passed: boolean | undefined
  /**
   * The test that none of its samples passed; undefined where some passed, or where it was not worked out. Stencil is tested first:
   * of several samples it is depth where one of them passes the stencil test.
   */
  readonly failed: 'depth' | 'stencil' | undefined
  /**
   * The targets before and after it was merged; equal where nothing was written. Undefined where it did not pass, or was not worked
   * out. Where tests happen before the shader, depth and stencil are those after all of the pixel's primitives.
   */
  readonly effect: { readonly before: PixelContents; readonly after: PixelContents } | undefined
  /** The time line of its quad, at the first statement: how the shader came to what it left. */
  open(): FragmentLine
}

/** The history of a pixel. */
export interface PixelHistory {
  /** Depth and stencil are tested before the shader: what fails there runs no shader in the draw. */
  readonly fragments: readonly PixelFragment[]
  readonly before: PixelContents
  readonly after: PixelContents
}

/** A fragment of one run of the draw. */
interface Ran {
  readonly captured: CapturedBatch
  readonly lane: number
  readonly place: PixelPlace
  readonly isDiscarded: boolean
  readonly outputs: readonly (readonly number[])[]
}

const keyOf = ({ place }: Ran): string => `${place.primitiveId} ${place.instance} ${place.sample}`

const MOST_EFFECTS = 64

interface PixelRunOptions {
  readonly variant?: (p: Pipeline) => Pipeline
  /** Memory as it is found; default as the draw found it. */
  readonly begin?: DrawMemory
  /** Fragments that are kept are merged though the shader discards them. */
  readonly ignoresDiscard?: boolean
}

class PixelRuns {
  readonly #draw: RepeatedDraw
  readonly #question: PixelQuestion
  readonly #task: Task
  readonly #pipeline: Pipeline
  readonly #resources: Partial<DrawResources>

  constructor(draw: RepeatedDraw, question: PixelQuestion, task: Task) {
    this.#draw = draw
    this.#question = question
    this.#task = task
    const { pipeline, scissors } = atPixel(draw.source, question)
    this.#pipeline = pipeline
    this.#resources = { scissors }
  }

  #isHere(batch: Batch, lane: number): boolean {
    const place = batch.quads?.place?.(lane)
    return place?.x === this.#question.x && place.y === this.#question.y && batch.quads!.helpers[lane] === 0
  }

  /** Runs the draw at the pixel alone; only fragments are merged whose number, from 0, is kept. */
  async run(
    isKept: (n: number) => boolean,
    { variant = (p) => p, begin, ignoresDiscard = false }: PixelRunOptions = {},
  ): Promise<{ fragments: Ran[]; contents: PixelContents; samplesPassed: number } | undefined> {
    const fragments: Ran[] = []
    const ended = (captured: CapturedBatch, own: Batch): void => {
      for (let lane = 0; lane < captured.batch.count; lane++) {
        if (!this.#isHere(captured.batch, lane)) continue
        const discarded = own.quads!.discarded
        const isDiscarded = discarded[lane] === 1
        const place = captured.batch.quads!.place!(lane)
        const n = fragments.push({ captured, lane, place, isDiscarded, outputs: outputsOf(captured, own, lane) }) - 1
        if (!isKept(n)) discarded[lane] = 1
        else if (ignoresDiscard) discarded[lane] = 0
      }
    }
    const engine = capturing(this.#draw.source.engine, { stage: 'pixel', ended })
    const result = await this.#draw.run(engine, this.#task, {
      pipeline: variant(this.#pipeline),
      resources: this.#resources,
      begin,
    })
    if (result === undefined) return undefined
    return { fragments, contents: this.contents(), samplesPassed: result.samplesPassed }
  }

  /**
   * Which test a fragment fails, by its number among all that cover the pixel: with what was there before it, and without the depth
   * test. Undefined where it was canceled.
   */
  async failedTest(n: number): Promise<'depth' | 'stencil' | undefined> {
    const { depthEnable, stencilEnable } = this.#pipeline.depthStencil
    if (!depthEnable || !stencilEnable) return stencilEnable ? 'stencil' : 'depth'
    const stage = this.#pipeline.pixel?.loaded.declarations.stage
    // Where tests come before the shader, it can take nothing back.
    const ignoresDiscard = stage?.kind === 'pixel' && stage.forceEarlyDepthStencil
    const before = await this.run((i) => i < n, { variant: testedBehind, ignoresDiscard })
    if (before === undefined) return undefined
    const begin = this.#draw.save()
    const variant = (p: Pipeline): Pipeline => withoutDepth(testedBehind(p))
    const alone = await this.run((i) => i === n, { variant, begin, ignoresDiscard })
    if (alone === undefined) return undefined
    return alone.samplesPassed > 0 ? 'depth' : 'stencil'
  }

  contents(): PixelContents {
    const { renderTargets, depthStencil } = this.#draw.source.resources
    return {
      colors: renderTargets.map((v) => v && this.#bytesOf(v)),
      depthStencil: depthStencil && this.#bytesOf(depthStencil),
    }
  }

  #bytesOf(view: TargetView): Uint8Array | undefined {
    const { x, y, slice = 0, sample = 0 } = this.#question
    if (x >= view.width || y >= view.height || slice >= view.arraySize || sample >= view.sampleCount) return undefined
    const at = targetOffset(view, x, y, slice, sample)
    return view.storage.bytes.slice(at, at + view.bytesPerTexel)
  }
}

function outputsOf({ layouts }: CapturedBatch, own: Batch, lane: number): (readonly number[])[] {
  const block = blockOf(layouts[own.entry]!.outputs, FILE.output)
  if (block === undefined) return []
  return Array.from({ length: block.registerCount }, (_, i) =>
    [0, 1, 2, 3].map((c) => own.outputs[slotOf(block, 0, block.firstRegister + i, c) * own.capacity + lane]!),
  )
}

const withoutDepth = (p: Pipeline): Pipeline => ({ ...p, depthStencil: { ...p.depthStencil, depthEnable: false } })

const withoutTests = (p: Pipeline): Pipeline => ({
  ...p,
  depthStencil: { ...p.depthStencil, depthEnable: false, stencilEnable: false },
})

/** The tests of a shader that may discard pixels happen behind it: then fragments can be left out of them. */
function testedBehind(p: Pipeline): Pipeline {
  const { pixel } = p
  if (pixel === undefined) return p
  const { declarations } = pixel.loaded
  const { stage } = declarations
  const late = stage.kind === 'pixel' ? { ...stage, forceEarlyDepthStencil: false } : stage
  const loaded = { ...pixel.loaded, declarations: { ...declarations, stage: late, hasDiscard: true } }
  return { ...p, pixel: { ...pixel, loaded } }
}

const ALL = (): boolean => true

/** Which fragments of a run without tests the real run shades too; of equal ones the first. */
function shadedIn(real: readonly Ran[]): (f: Ran) => boolean {
  const left = new Map<string, number>()
  for (const f of real) left.set(keyOf(f), (left.get(keyOf(f)) ?? 0) + 1)
  return (f) => {
    const count = left.get(keyOf(f)) ?? 0
    left.set(keyOf(f), count - 1)
    return count > 0
  }
}

/**
 * The history of a pixel in a draw, found by running the draw for that pixel alone: once without depth and stencil tests, which
 * shows every primitive that covers it, and once for each fragment, with those after it left out. The targets then hold what
 * they held before. Undefined where it was canceled.
 */
export async function pixelHistory(
  source: DrawSource,
  question: PixelQuestion,
  options: RunOptions = {},
): Promise<PixelHistory | undefined> {
  const draw = new RepeatedDraw(source)
  try {
    return await historyOf(draw, question, new Task(options))
  } finally {
    draw.rewind()
  }
}

/** The same of a draw that is there to be run again. */
export async function historyOf(
  draw: RepeatedDraw,
  question: PixelQuestion,
  task: Task,
): Promise<PixelHistory | undefined> {
  const runs = new PixelRuns(draw, question, task)
  draw.rewind()
  const before = runs.contents()
  const all = await runs.run(ALL, { variant: withoutTests })
  const real = await runs.run(ALL)
  if (all === undefined || real === undefined) return undefined
  const states = [await runs.run(() => false)]
  const most = Math.min(real.fragments.length, question.mostEffects ?? MOST_EFFECTS)
  for (let n = 1; n <= most; n++) states.push(await runs.run((i) => i < n))
  if (states.includes(undefined)) return undefined
  const isShaded = shadedIn(real.fragments)
  // Where tests come first, samples count when they pass them: leaving a fragment out later takes nothing away.
  const testsEarly = states[0]!.samplesPassed > 0
  let place = 0
  const known = all.fragments.map((f): Omit<PixelFragment, 'failed'> => {
    const base = {
      ...f.place,
      name: f.captured.batch.describe(f.lane),
      open: () => openFragment(draw, f.captured, f.lane),
      isShaded: isShaded(f),
    }
    if (!base.isShaded) return { ...base, isDiscarded: false, outputs: f.outputs, passed: false, effect: undefined }
    const n = place++
    const { isDiscarded, outputs } = real.fragments[n]!
    const [from, to] = [states[n], states[n + 1]]
    if (isDiscarded || from === undefined || to === undefined) {
      return { ...base, isDiscarded, outputs, passed: undefined, effect: undefined }
    }
    const passed = testsEarly || to.samplesPassed > from.samplesPassed
    const effect = passed ? { before: from.contents, after: to.contents } : undefined
    return { ...base, isDiscarded, outputs, passed, effect }
  })
  const fragments: PixelFragment[] = []
  for (const [n, f] of known.entries()) {
    const isExamined = f.passed === false && !f.isDiscarded && n < (question.mostEffects ?? MOST_EFFECTS)
    fragments.push({ ...f, failed: isExamined ? await runs.failedTest(n) : undefined })
  }
  return task.isCanceled ? undefined : { fragments, before, after: real.contents }
}
