import { clampDepth, type DepthAlone, depthToCode } from '../merge/index.ts'
import { type CurrentPrimitive, centerOf, HALF_PIXEL, type PixelRect, SUBPIXELS } from '../raster/index.ts'

/**
 * Triangles that reach a depth buffer and nothing else, row by row. The weights of `Interpolator` are edge functions over the
 * area, whole numbers that doubles hold: the same numbers say where a row begins and ends, and what its depths are.
 */

/** Of the edge opposite to each vertex: its change from pixel to pixel, and the least value that is inside. */
const STEPS = new Float64Array(3)
const LEAST = new Float64Array(3)

/** Pixels between two looks at the clock. */
const PIXELS_BETWEEN = 16_384

export class DepthTriangles {
  readonly #depth: DepthAlone
  readonly #floats: Float32Array
  /** Pixels that have passed the test. */
  passedCount = 0
  /** First and last pixel of the row that was looked at, from the left of the box. */
  #first = 0
  #last = 0

  constructor(depth: DepthAlone) {
    const { words } = depth.view.storage
    this.#depth = depth
    this.#floats = new Float32Array(words.buffer, words.byteOffset, words.length)
  }

  /** Tests the pixels of a triangle that has an area and no clip distance, and writes those that pass; `look` is called now and then. Answers how many it tested. */
  draw(p: CurrentPrimitive, bounds: PixelRect, slice: number, look: () => void): number {
    const { x, y, area2 } = p
    const [x0, x1, x2, y0, y1, y2] = [x[0]!, x[1]!, x[2]!, y[0]!, y[1]!, y[2]!]
    const left = Math.max(bounds.left, (Math.min(x0, x1, x2) + HALF_PIXEL - 1) >> 8)
    const right = Math.min(bounds.right - 1, (Math.max(x0, x1, x2) - HALF_PIXEL) >> 8)
    const top = Math.max(bounds.top, (Math.min(y0, y1, y2) + HALF_PIXEL - 1) >> 8)
    const bottom = Math.min(bounds.bottom - 1, (Math.max(y0, y1, y2) - HALF_PIXEL) >> 8)
    if (left > right || top > bottom) return 0
    const sign = area2 > 0 ? 1 : -1
    setEdge(0, sign * (x2 - x1), sign * (y2 - y1))
    setEdge(1, sign * (x0 - x2), sign * (y0 - y2))
    setEdge(2, sign * (x1 - x0), sign * (y1 - y0))
    const cx = centerOf(left)
    let z: Float64Array | undefined
    let pixels = 0
    let wait = PIXELS_BETWEEN
    for (let py = top; py <= bottom; py++) {
      const cy = centerOf(py)
      // As `Interpolator` has them.
      const n1 = (x0 - x2) * (cy - y2) - (y0 - y2) * (cx - x2)
      const n2 = (x1 - x0) * (cy - y0) - (y1 - y0) * (cx - x0)
      this.#first = 0
      this.#last = right - left
      this.#limit(0, sign * (area2 - n1 - n2))
      this.#limit(1, sign * n1)
      this.#limit(2, sign * n2)
      if (this.#first > this.#last) continue
      const r1 = sign * STEPS[1]!
      const r2 = sign * STEPS[2]!
      const first = this.#first
      z ??= p.depths()
      this.#testRow(p, z, left + first, py, slice, n1 + first * r1, n2 + first * r2, r1, r2)
      pixels += this.#last - first + 1
      if (pixels < wait) continue
      wait = pixels + PIXELS_BETWEEN
      look()
    }
    return pixels
  }

  /** Limits the row to where an edge function, whose value at the left of the box is given, is inside. */
  #limit(edge: number, atLeft: number): void {
    const step = STEPS[edge]!
    const missing = LEAST[edge]! - atLeft
    // Doubles: quotients near a whole number of pixels are either whole or further from it than they are rounded.
    if (step > 0) {
      if (missing > 0) this.#first = Math.max(this.#first, Math.ceil(missing / step))
    } else if (step < 0) this.#last = Math.min(this.#last, Math.floor(missing / step))
    else if (missing > 0) this.#last = -1
  }

  /** Tests a row from a pixel to the last one. `n1` and `n2` are edge functions at the first, `r1` and `r2` their steps. */
  #testRow(
    p: CurrentPrimitive,
    z: Float64Array,
    x: number,
    y: number,
    slice: number,
    n1: number,
    n2: number,
    r1: number,
    r2: number,
  ): void {
    const { view, bitCount, whenLess, whenEqual, whenGreater, whenUnordered, writes } = this.#depth
    const minDepth = Math.fround(p.viewport.minDepth)
    const maxDepth = Math.fround(p.viewport.maxDepth)
    const inverseArea = 1 / p.area2
    const z0 = z[0]!
    const d1 = z[1]! - z0
    const d2 = z[2]! - z0
    const { bytesPerTexel } = view
    const floats = this.#floats
    const { words, halves } = view.storage
    let at = view.byteOffset + slice * view.slicePitch + y * view.rowPitch + x * bytesPerTexel
    const count = this.#last - this.#first + 1
    let passed = 0
    for (let k = 0; k < count; k++, at += bytesPerTexel) {
      const depth = Math.fround(z0 + d1 * ((n1 + k * r1) * inverseArea) + d2 * ((n2 + k * r2) * inverseArea))
      const clamped = clampDepth(depth, minDepth, maxDepth)
      const value = bitCount === 32 ? clamped : depthToCode(clamped, bitCount)
      const stored =
        bitCount === 32 ? floats[at >>> 2]! : bitCount === 24 ? words[at >>> 2]! & 0xffffff : halves[at >>> 1]!
      const passes =
        value < stored ? whenLess : value > stored ? whenGreater : value === stored ? whenEqual : whenUnordered
      if (!passes) continue
      passed++
      if (!writes) continue
      if (bitCount === 32) floats[at >>> 2] = value
      else if (bitCount === 24) words[at >>> 2] = (words[at >>> 2]! & ~0xffffff) | value
      else halves[at >>> 1] = value
    }
    this.passedCount += passed
  }
}

/** Sets the edge with a direction, of a triangle that is clockwise. */
function setEdge(edge: number, dx: number, dy: number): void {
  STEPS[edge] = -dy * SUBPIXELS
  LEAST[edge] = dy < 0 || (dy === 0 && dx > 0) ? 0 : 1
}
