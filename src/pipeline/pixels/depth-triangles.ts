import { clampDepth, type DepthAlone, depthToCode } from '../merge/index.ts'
import {
  type CurrentPrimitive,
  centerOf,
  changeDown,
  changeRight,
  HALF_PIXEL,
  isThinTriangle,
  isTopLeft,
  newFactors,
  type PixelRect,
  SUBPIXELS,
  setFactors,
} from '../raster/index.ts'

/**
 * Triangles that reach a depth buffer and nothing else, row by row. Edge functions are whole numbers that doubles hold: they say where a
 * row begins and ends, and in thin triangles, over the area, what its depths are.
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
  /** Of the triangle: depth at the first vertex, then its changes down and to the right, or the differences of the others. */
  readonly #z = new Float64Array(3)
  readonly #factors = newFactors()
  #inverseArea = 0
  #isThin = false
  /** Of the row. */
  #depths = new Float32Array(256)

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
    let isSetUp = false
    let pixels = 0
    let wait = PIXELS_BETWEEN
    for (let py = top; py <= bottom; py++) {
      const cy = centerOf(py)
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
      if (!isSetUp) this.#setDepths(p)
      isSetUp = true
      this.#fillRow(p, left + first, py, n1 + first * r1, n2 + first * r2, r1, r2)
      this.#testRow(p, left + first, py, slice)
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

  /** Finds the plane of the triangle's depth; a thin one keeps differences of its vertices. */
  #setDepths(p: CurrentPrimitive): void {
    const { x, y, area2 } = p
    const z = p.depths()
    const f = this.#factors
    const d1 = z[1]! - z[0]!
    const d2 = z[2]! - z[0]!
    this.#isThin = isThinTriangle(x, y, area2)
    this.#inverseArea = 1 / area2
    setFactors(f, p, !this.#isThin)
    this.#z[0] = z[0]!
    this.#z[1] = changeDown(f, d1, d2)
    this.#z[2] = changeRight(f, d1, d2)
  }

  /** Fills the depths of a row from a pixel to the last one. `n1` and `n2` are edge functions at the first, `r1` and `r2` their steps. */
  #fillRow(p: CurrentPrimitive, x: number, y: number, n1: number, n2: number, r1: number, r2: number): void {
    const count = this.#last - this.#first + 1
    if (count > this.#depths.length) this.#depths = new Float32Array(count * 2)
    const depths = this.#depths
    const [z0, z1, z2] = [this.#z[0]!, this.#z[1]!, this.#z[2]!]
    if (this.#isThin) {
      const inverseArea = this.#inverseArea
      for (let k = 0; k < count; k++) {
        depths[k] = z0 + z1 * ((n1 + k * r1) * inverseArea) + z2 * ((n2 + k * r2) * inverseArea)
      }
      return
    }
    const ofRow = z0 + (centerOf(y) - p.y[0]!) * z1
    const dx = centerOf(x) - p.x[0]!
    for (let k = 0; k < count; k++) depths[k] = ofRow + (dx + k * SUBPIXELS) * z2
  }

  /** Tests a row from a pixel to the last one. */
  #testRow(p: CurrentPrimitive, x: number, y: number, slice: number): void {
    const { view, bitCount, whenLess, whenEqual, whenGreater, whenUnordered, writes } = this.#depth
    const minDepth = Math.fround(p.viewport.minDepth)
    const maxDepth = Math.fround(p.viewport.maxDepth)
    const depths = this.#depths
    const { bytesPerTexel } = view
    const floats = this.#floats
    const { words, halves } = view.storage
    let at = view.byteOffset + slice * view.slicePitch + y * view.rowPitch + x * bytesPerTexel
    const count = this.#last - this.#first + 1
    let passed = 0
    for (let k = 0; k < count; k++, at += bytesPerTexel) {
      const clamped = clampDepth(depths[k]!, minDepth, maxDepth)
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
  LEAST[edge] = isTopLeft(dx, dy) ? 0 : 1
}
