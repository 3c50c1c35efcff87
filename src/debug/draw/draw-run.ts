/** A draw that can be run again and again from where it began. */
import { diagnostic, ShaderError } from '../../diagnostic/index.ts'
import type { Engine } from '../../engine/index.ts'
import {
  type Bindings,
  type Counter,
  restorePages,
  type Storage,
  type StoragePages,
  savePages,
} from '../../machine/index.ts'
import {
  beginDraw,
  type DrawCall,
  type DrawInProgress,
  type DrawOptions,
  type DrawResources,
  type DrawResult,
  type Pipeline,
  type ScissorRect,
  verticesOfPrimitive,
} from '../../pipeline/index.ts'
import type { Task } from '../task.ts'

/** What is drawn: everything that decides a draw. The pipeline's shaders are loaded by the engine, which can step. */
export interface DrawSource {
  readonly engine: Engine
  readonly pipeline: Pipeline
  readonly resources: DrawResources
  readonly call: DrawCall
  readonly options?: DrawOptions | undefined
}

const SLICE_MS = 20

/** The counters of views of unordered access. */
function countersOf(bindings: Bindings): Counter[] {
  const found: Counter[] = []
  for (const given of Object.values(bindings).flat()) {
    const view = given === undefined || given === null ? undefined : 'diagnostics' in given ? given.value : given
    if (view?.kind === 'uav' && view.shape === 'structured' && view.counter !== undefined) found.push(view.counter)
  }
  return found
}

/** What fixed functions of a draw write: targets, depth and streams. */
const targetStorages = ({ renderTargets, depthStencil, streamOutputBuffers }: DrawResources): Set<Storage> =>
  new Set([...renderTargets, depthStencil, ...streamOutputBuffers].flatMap((view) => view?.storage ?? []))

/** What a draw writes: targets first, then what is bound for unordered access. */
function storagesWritten({ unorderedAccess }: DrawResources, targets: ReadonlySet<Storage>): Storage[] {
  const found = new Set(targets)
  for (const given of Object.values(unorderedAccess).flat()) {
    const view = given === undefined || given === null ? undefined : 'diagnostics' in given ? given.value : given
    if (view?.kind === 'uav') found.add(view.storage)
  }
  return [...found]
}

/** The memory of a draw at one time. */
export interface DrawMemory {
  readonly pages: StoragePages
  readonly counts: readonly number[]
}

/** The memory that a draw writes, and its runs. */
export class RepeatedDraw {
  readonly source: DrawSource
  readonly #storages: readonly Storage[]
  /** So many of the storages are targets. */
  readonly #targetCount: number
  readonly #counters: readonly Counter[]
  readonly #begin: DrawMemory
  #latest: DrawMemory | undefined

  constructor(source: DrawSource) {
    this.source = source
    const targets = targetStorages(source.resources)
    this.#storages = storagesWritten(source.resources, targets)
    this.#targetCount = targets.size
    this.#counters = countersOf(source.resources.unorderedAccess)
    this.#begin = this.save()
  }

  save(): DrawMemory {
    this.#latest = {
      pages: savePages(this.#storages, this.#latest?.pages),
      counts: this.#counters.map(({ words, index }) => words[index]!),
    }
    return this.#latest
  }

  restore(memory: DrawMemory): void {
    this.#latest = memory
    restorePages(this.#storages, memory.pages)
    for (const [i, { words, index }] of this.#counters.entries()) words[index] = memory.counts[i]!
  }

  /** What fixed functions write alone. */
  restoreTargets({ pages }: DrawMemory): void {
    restorePages(this.#storages.slice(0, this.#targetCount), pages.slice(0, this.#targetCount))
  }

  /** Memory as the draw found it. */
  rewind(): void {
    this.restore(this.#begin)
  }

  /** Runs the draw from its begin on its engine, or on one around it, with some of it in another way; undefined where it was canceled. */
  async run(
    engine: Engine,
    task: Task,
    variant: {
      readonly pipeline?: Pipeline
      readonly resources?: Partial<DrawResources>
      readonly options?: Partial<DrawOptions>
      /** Memory as it is found; default as the draw found it. */
      readonly begin?: DrawMemory | undefined
      /** Called with the draw before it runs. */
      readonly begun?: ((draw: DrawInProgress) => void) | undefined
    } = {},
  ): Promise<DrawResult | undefined> {
    this.restore(variant.begin ?? this.#begin)
    const { call, options = {} } = this.source
    const pipeline = variant.pipeline ?? this.source.pipeline
    const { streamOutputBuffers } = this.source.resources
    // How far streams are filled is written down in their descriptions.
    const streams = streamOutputBuffers.map((b) => b && { ...b })
    const resources = { ...this.source.resources, ...variant.resources, streamOutputBuffers: streams }
    const own = { ...options, ...variant.options, maxMilliseconds: undefined, signal: undefined, onProgress: undefined }
    const begun = beginDraw(engine, pipeline, resources, call, own)
    if (begun.value === undefined) throw new ShaderError(begun.diagnostics)
    const draw = begun.value
    variant.begun?.(draw)
    while (!draw.run(performance.now() + SLICE_MS)) {
      if (task.isCanceled) {
        draw.stop('canceled')
        draw.result()
        return undefined
      }
      await task.yieldToHost()
    }
    return draw.result()
  }
}

/** The SV_VertexIDs of a primitive or patch, by its SV_PrimitiveID; undefined where the draw has no such. */
export function verticesOf(
  { pipeline, resources, call }: DrawSource,
  primitive: number,
): readonly number[] | undefined {
  const { geometry } = pipeline
  return verticesOfPrimitive(pipeline, geometry?.loaded.declarations, call, resources.indexBuffer, primitive)
}

const SCISSORS = 16
const ALL: ScissorRect = { left: -(2 ** 15), top: -(2 ** 15), right: 2 ** 15, bottom: 2 ** 15 }
const NONE: ScissorRect = { left: 0, top: 0, right: 0, bottom: 0 }

/** The draw with only one pixel rasterized; what its own scissor rectangles leave out stays out. */
export function atPixel(
  { pipeline, resources }: Pick<DrawSource, 'pipeline' | 'resources'>,
  { x, y }: { readonly x: number; readonly y: number },
): { readonly pipeline: Pipeline; readonly scissors: readonly ScissorRect[] } {
  const isOwn = pipeline.rasterizer.scissorEnable
  const inside = (r: ScissorRect): ScissorRect => {
    const isIn = x >= r.left && x < r.right && y >= r.top && y < r.bottom
    return isIn ? { left: x, top: y, right: x + 1, bottom: y + 1 } : NONE
  }
  const rectOf = (i: number): ScissorRect => (isOwn ? (resources.scissors[i] ?? NONE) : ALL)
  const scissors = Array.from({ length: SCISSORS }, (_, i) => inside(rectOf(i)))
  return { pipeline: { ...pipeline, rasterizer: { ...pipeline.rasterizer, scissorEnable: true } }, scissors }
}

/** What is thrown where a draw has more than may be kept. */
export const tooLarge = (text: string): ShaderError => new ShaderError([diagnostic('debug-draw', text)])
