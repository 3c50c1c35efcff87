import type { QuadBatch } from '../../engine/index.ts'
import type { DepthStencilTest } from '../merge/index.ts'
import { type Interpolator, SUBPIXELS } from '../raster/index.ts'
import { EntryRunner, type StageShader } from '../stage-runner.ts'
import { PixelAttributes } from './attributes.ts'
import { DepthTriangles } from './depth-triangles.ts'
import { PixelInputs } from './inputs.ts'
import { givePixelLanes, type PixelLanes, type PixelPlace, placeOf, takePixelLanes } from './lanes.ts'
import type { PixelLinkage } from './link-inputs.ts'
import { PixelMerge, type PixelMergeOptions } from './merge.ts'
import { SampleTests } from './sample-tests.ts'

/** Quads of pixels: tested, collected until there are enough of them, shaded together and merged in their order. */

export interface PixelStageOptions extends PixelMergeOptions {
  /** Undefined where no pixel shader is bound: depth and stencil alone. */
  readonly shader: StageShader | undefined
  readonly linkage: PixelLinkage
  readonly depthStencil: DepthStencilTest
  /** x and y of each sample of the rasterizer in 1/256 pixel from the center. */
  readonly offsets: Int32Array
  /** Rasterizer samples that may be covered: the sample mask, or all where it counts for the output alone (3.5.6). */
  readonly sampleMask: number
  readonly isSampleFrequency: boolean
  /** Pixels of a batch, of whole quads. */
  readonly capacity: number
  readonly describe: (pixel: PixelPlace) => string
}

export interface PixelCounts {
  readonly invocations: number
  readonly samplesPassed: number
  /** Pixels written to targets that Direct3D leaves undefined. */
  readonly undefinedWrites: number
}

/** What a pixel shader runs with. */
interface Shading {
  readonly runner: EntryRunner
  readonly inputs: PixelInputs
  readonly merge: PixelMerge
}

/** Masks of the quad that is added: covered samples, those that passed the tests, and those of one sample. */
const COVERED = new Uint32Array(4)
const PASSED = new Uint32Array(4)
const OWN = new Uint32Array(4)

const isEmpty = (masks: Uint32Array): boolean => (masks[0]! | masks[1]! | masks[2]! | masks[3]!) === 0

/** Pixels of primitives other than antialiased lines. */
const FULL_ALPHA: readonly number[] = [1, 1, 1, 1]

/** Runs the pixel shader of a draw over quads in their order, and merges what comes out in the same order. */
export class PixelStage {
  readonly #o: PixelStageOptions
  readonly #lanes: PixelLanes
  readonly #quads: QuadBatch
  readonly #tests: SampleTests
  readonly #shading: Shading | undefined
  #invocations = 0
  /** For triangles of which depth alone is tested, without clip distances: they need no quads. */
  readonly depthTriangles: DepthTriangles | undefined

  constructor(o: PixelStageOptions) {
    this.#o = o
    const { offsets, linkage, capacity } = o
    const lanes = takePixelLanes(capacity)
    this.#lanes = lanes
    const attributes = new PixelAttributes(lanes, linkage, offsets, o.sampleMask)
    const { sampleCount } = attributes
    this.#tests = new SampleTests(o.depthStencil, offsets)
    this.#quads = {
      helpers: lanes.helpers,
      discarded: lanes.discarded,
      sampleCount,
      samplePosition: (index) =>
        index < sampleCount ? [offsets[index * 2]! / SUBPIXELS, offsets[index * 2 + 1]! / SUBPIXELS] : [0, 0],
      attributes: attributes.pullModel(),
      pixelOf: (lane) => `${lanes.x[lane]} ${lanes.y[lane]} ${lanes.samples[lane]} ${lanes.slices[lane]}`,
      depth: (lane) => attributes.depth(lane),
    }
    if (o.shader === undefined) {
      const { alone } = o.depthStencil
      const coversSample = sampleCount === 1 && (o.sampleMask & 1) !== 0 && o.forcedOutput === undefined
      this.depthTriangles = alone !== undefined && coversSample ? new DepthTriangles(alone) : undefined
      return
    }
    const describe = (lane: number): string => o.describe(placeOf(lanes, lane))
    const runner = new EntryRunner(o.shader, describe, { quads: this.#quads, capacity })
    this.#shading = {
      runner,
      inputs: new PixelInputs(runner, lanes, attributes, linkage),
      merge: new PixelMerge(runner, lanes, this.#tests, o),
    }
  }

  /** Whether there is a shader: quads wait for it, and so must what they belong to. */
  get shades(): boolean {
    return this.#shading !== undefined
  }

  /** Gives its memory back: after it there are its counts alone. */
  dispose(): void {
    givePixelLanes(this.#lanes)
  }

  get counts(): PixelCounts {
    const samplesPassed = this.#tests.passedCount + (this.depthTriangles?.passedCount ?? 0)
    const undefinedWrites = this.#shading?.merge.undefinedCount ?? 0
    return { invocations: this.#invocations, samplesPassed, undefinedWrites }
  }

  /**
   * Takes a quad of a primitive: covered samples of its four pixels as bits, clip distances and the sample mask not yet
   * applied. `inner` has a bit for each pixel that lies in the primitive as a whole; `alphas` are factors of o0.a.
   */
  add(
    interpolator: Interpolator,
    x: number,
    y: number,
    masks: Uint32Array,
    slice: number,
    inner = 0,
    alphas: ArrayLike<number> = FULL_ALPHA,
  ): void {
    const o = this.#o
    for (let i = 0; i < 4; i++) COVERED[i] = masks[i]! & o.sampleMask
    this.#tests.clip(interpolator, x, y, COVERED)
    if (o.forcedOutput === 0 || isEmpty(COVERED)) return
    PASSED.set(COVERED)
    // Without a shader only depth and stencil are written; early or late is the same.
    if (o.testsEarly || this.#shading === undefined) this.#tests.testQuad(interpolator, x, y, slice, PASSED)
    if (this.#shading === undefined || isEmpty(PASSED)) return
    if (!o.isSampleFrequency) {
      this.#append(interpolator, x, y, slice, PASSED, -1, inner, alphas)
      return
    }
    for (let s = 0; s < o.offsets.length / 2; s++) {
      for (let i = 0; i < 4; i++) OWN[i] = PASSED[i]! & (1 << s)
      if (!isEmpty(OWN)) this.#append(interpolator, x, y, slice, OWN, s, inner, alphas)
    }
  }

  /** Adds four lanes whose results go to the samples of `masks`. */
  #append(
    interpolator: Interpolator,
    x: number,
    y: number,
    slice: number,
    masks: Uint32Array,
    sample: number,
    inner: number,
    alphas: ArrayLike<number>,
  ): void {
    const lanes = this.#lanes
    const first = lanes.count
    lanes.interpolators[first >> 2] = interpolator
    for (let i = 0; i < 4; i++) {
      const lane = first + i
      lanes.x[lane] = x + (i & 1)
      lanes.y[lane] = y + (i >> 1)
      lanes.slices[lane] = slice
      lanes.samples[lane] = sample
      lanes.masks[lane] = masks[i]!
      const isHelper = masks[i] === 0
      lanes.helpers[lane] = isHelper ? 1 : 0
      if (!isHelper) lanes.invocations++
      lanes.coverage[lane] = COVERED[i]!
      lanes.inner[lane] = (inner >> i) & 1
      lanes.alphas[lane] = alphas[i]!
    }
    lanes.count += 4
    if (lanes.count === lanes.capacity) this.flush()
  }

  /** Runs what has been collected and merges it. */
  flush(): void {
    const { count } = this.#lanes
    if (count === 0 || this.#shading === undefined) return
    const { runner, inputs, merge } = this.#shading
    this.#quads.discarded.fill(0)
    // Of a batch that stops the draw the invocations count too.
    this.#invocations += this.#lanes.invocations
    this.#lanes.invocations = 0
    inputs.fill()
    runner.run(count)
    merge.merge()
    this.#lanes.count = 0
  }
}
