import { clampDepth, type DepthStencilTest } from '../merge/index.ts'
import { centerOf, type Interpolator, newPlaces } from '../raster/index.ts'
import { lowestSample } from './lanes.ts'

/** Tests of samples: clip distances, depth and stencil, before the shader or after it. */

export function bitCount(mask: number): number {
  let count = 0
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++
  return count
}

/** Samples of a quad at the most: four pixels of 16. */
const MAX_QUAD_SAMPLES = 64
const PLACES = newPlaces(MAX_QUAD_SAMPLES)
const DISTANCES = new Float64Array(MAX_QUAD_SAMPLES)
const DEPTHS = new Float32Array(MAX_QUAD_SAMPLES)

/** Masks of a quad are four words, those of its pixels (0,0) (1,0) (0,1) (1,1). */
export class SampleTests {
  readonly #test: DepthStencilTest
  /** x and y of each sample of the rasterizer in 1/256 pixel from the center. */
  readonly #offsets: Int32Array
  /** Samples that have passed depth and stencil. */
  passedCount = 0

  constructor(test: DepthStencilTest, offsets: Int32Array) {
    this.#test = test
    this.#offsets = offsets
  }

  /** Puts the samples of a pixel behind the `count` places there are; the number of all. */
  #place(x: number, y: number, mask: number, count: number): number {
    let n = count
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const sample = lowestSample(rest)
      PLACES.x[n] = centerOf(x) + this.#offsets[sample * 2]!
      PLACES.y[n] = centerOf(y) + this.#offsets[sample * 2 + 1]!
      n++
    }
    return n
  }

  /** Finds the weights of all samples of a quad, pixel by pixel. */
  #placeQuad(interpolator: Interpolator, x: number, y: number, masks: Uint32Array): number {
    let count = 0
    for (let i = 0; i < 4; i++) count = this.#place(x + (i & 1), y + (i >> 1), masks[i]!, count)
    interpolator.weights(PLACES, 0, count)
    return count
  }

  /** Leaves the samples of a quad that lie on the inner side of all clip distances. */
  clip(interpolator: Interpolator, x: number, y: number, masks: Uint32Array): void {
    for (const word of interpolator.primitive.clipDistances) {
      const count = this.#placeQuad(interpolator, x, y, masks)
      interpolator.clipDistance(word, PLACES, 0, count, DISTANCES, 0)
      let n = 0
      for (let i = 0; i < 4; i++) {
        for (let rest = masks[i]!; rest !== 0; rest &= rest - 1) {
          if (!(DISTANCES[n++]! >= 0)) masks[i]! &= ~(1 << lowestSample(rest))
        }
      }
    }
  }

  /** Leaves the samples of a quad that pass depth and stencil. */
  testQuad(interpolator: Interpolator, x: number, y: number, slice: number, masks: Uint32Array): void {
    if (this.#test.passesAll) {
      for (let i = 0; i < 4; i++) this.passedCount += bitCount(masks[i]!)
      return
    }
    const count = this.#placeQuad(interpolator, x, y, masks)
    interpolator.depth(PLACES, 0, count, DEPTHS, 0)
    let first = 0
    for (let i = 0; i < 4; i++) {
      const mask = masks[i]!
      masks[i] = this.#testPixel(interpolator, x + (i & 1), y + (i >> 1), slice, mask, first, undefined)
      first += bitCount(mask)
    }
  }

  /** Samples of a mask that pass; what a shader wrote takes the place of the primitive's depth and the draw's reference. */
  testLate(
    interpolator: Interpolator,
    x: number,
    y: number,
    slice: number,
    mask: number,
    depth: number | undefined,
    reference: number | undefined,
  ): number {
    const count = depth === undefined ? this.#place(x, y, mask, 0) : bitCount(mask)
    if (depth === undefined) {
      interpolator.weights(PLACES, 0, count)
      interpolator.depth(PLACES, 0, count, DEPTHS, 0)
    } else DEPTHS.fill(depth, 0, count)
    return this.#testPixel(interpolator, x, y, slice, mask, 0, reference)
  }

  /** Tests the samples of a pixel, whose depths lie from `first` on. */
  #testPixel(
    { primitive }: Interpolator,
    x: number,
    y: number,
    slice: number,
    mask: number,
    first: number,
    reference: number | undefined,
  ): number {
    const { viewport, isFrontFacing } = primitive
    let passed = 0
    let n = first
    for (let rest = mask; rest !== 0; rest &= rest - 1) {
      const sample = lowestSample(rest)
      const z = clampDepth(DEPTHS[n++]!, viewport.minDepth, viewport.maxDepth)
      if (!this.#test.test(x, y, slice, sample, z, isFrontFacing, reference)) continue
      passed |= 1 << sample
      this.passedCount++
    }
    return passed
  }
}
