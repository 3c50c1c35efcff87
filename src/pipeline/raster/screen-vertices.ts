import type { Viewport } from '../state.ts'
import { type ClipContext, type ClipPlanes, insideBy, SMALLEST_W } from './clip.ts'
import { snap } from './fixed-point.ts'

/** Vertices on the screen, by columns. Primitives share vertices: each is divided, placed and snapped once. */

const { fround } = Math

/** Flags of a vertex: bit i is set where it lies outside of plane i of its viewport. */
export const OUTSIDE_PLANES = 0x7f
/** A coordinate is NaN or infinite. */
export const NOT_FINITE = 0x80
/** The vertex has been looked at. */
export const KNOWN = 0x100

/** Vertices that are looked at together. */
const RUN = 64

const NO_FLAGS = new Uint16Array(0)
const NO_WORDS = new Int32Array(0)
const NO_FLOATS = new Float32Array(0)

/** The vertices of an array in one viewport; element i of a column is vertex i. */
export class ScreenVertices {
  readonly viewport: Viewport
  readonly planes: ClipPlanes
  readonly #clip: ClipContext
  readonly #depthRange: number
  /** Factors of w in the planes of the guard band, and whether there are planes of depth. */
  readonly #guard: { left: number; right: number; top: number; bottom: number; clipsDepth: boolean }
  #flags = NO_FLAGS
  /** Snapped positions in 1/256 pixel. */
  x = NO_WORDS
  y = NO_WORDS
  /** Positions before snapping, in pixels. */
  px = NO_FLOATS
  py = NO_FLOATS
  /** Depth after the viewport. */
  z = NO_FLOATS
  /** Clip-space w. */
  w = NO_FLOATS

  constructor(clip: ClipContext, viewport: Viewport, planes: ClipPlanes) {
    this.#clip = clip
    this.viewport = viewport
    this.planes = planes
    this.#depthRange = fround(viewport.maxDepth - viewport.minDepth)
    const [left, right, top, bottom] = planes.slice(-4).map((p) => p.w) as [number, number, number, number]
    this.#guard = { left, right, top, bottom, clipsDepth: planes.length > 5 }
  }

  /** The array has other vertices now. */
  clear(): void {
    this.#flags.fill(0)
  }

  /** Flags of vertices; 0 of those that have not been looked at. */
  get known(): Uint16Array {
    return this.#flags
  }

  /** Flags of a vertex, whose element of every column is filled then. */
  flags(vertex: number): number {
    if (vertex >= this.#flags.length) this.#grow(vertex + 1)
    const known = this.#flags[vertex]!
    return known === 0 ? this.#look(vertex) : known
  }

  /** All columns lie in one buffer: to make one costs more than a small draw has time for. */
  #grow(least: number): void {
    const wanted = Math.max(least, this.#clip.vertices.array.count, this.#flags.length * 2)
    const count = (wanted + 1) & ~1
    const buffer = new ArrayBuffer(count * (6 * 4 + 2))
    const words = (n: number, from: Int32Array): Int32Array<ArrayBuffer> => {
      const made = new Int32Array(buffer, n * count * 4, count)
      made.set(from)
      return made
    }
    const floats = (n: number, from: Float32Array): Float32Array<ArrayBuffer> => {
      const made = new Float32Array(buffer, n * count * 4, count)
      made.set(from)
      return made
    }
    this.x = words(0, this.x)
    this.y = words(1, this.y)
    this.px = floats(2, this.px)
    this.py = floats(3, this.py)
    this.z = floats(4, this.z)
    this.w = floats(5, this.w)
    const flags = new Uint16Array(buffer, 6 * count * 4, count)
    flags.set(this.#flags)
    this.#flags = flags
  }

  /** Looks at a vertex and at those behind it: primitives ask for them in this order. */
  #look(vertex: number): number {
    const { count } = this.#clip.vertices.array
    const end = Math.max(vertex + 1, Math.min(vertex + RUN, count, this.#flags.length))
    const { floats, array } = this.#clip.vertices
    const width = array.registerCount * 4
    for (let v = vertex, at = vertex * width + this.#clip.position; v < end; v++, at += width) {
      if (this.#flags[v] === 0) this.#lookAt(v, floats[at]!, floats[at + 1]!, floats[at + 2]!, floats[at + 3]!)
    }
    return this.#flags[vertex]!
  }

  #lookAt(vertex: number, x: number, y: number, z: number, w: number): void {
    // Only the difference of a finite number and itself is 0.
    const finite = x - x + (y - y) + (z - z) + (w - w) === 0
    this.#flags[vertex] = KNOWN | (finite ? this.#outside(x, y, z, w) : NOT_FINITE)
    this.#project(vertex, x, y, z, w)
  }

  #outside(x: number, y: number, z: number, w: number): number {
    const g = this.#guard
    // The planes as `insideBy` has them, without the terms that are 0; most vertices are inside of all.
    const isInside = w - SMALLEST_W >= 0 && x + g.left * w >= 0 && g.right * w - x >= 0
    if (isInside && g.top * w - y >= 0 && y + g.bottom * w >= 0 && (!g.clipsDepth || (z >= 0 && w - z >= 0))) return 0
    const { planes } = this
    let outside = 0
    for (let i = 0; i < planes.length; i++) if (!(insideBy(planes[i]!, x, y, z, w) >= 0)) outside |= 1 << i
    return outside
  }

  /** Division and viewport, float32, left to right (15.6). */
  #project(vertex: number, x: number, y: number, z: number, w: number): void {
    const { topLeftX, topLeftY, width, height, minDepth } = this.viewport
    const nx = fround(x / w)
    const ny = fround(y / w)
    const nz = fround(z / w)
    const px = fround(fround(fround(fround(nx + 1) * width) * 0.5) + topLeftX)
    const py = fround(fround(fround(fround(1 - ny) * height) * 0.5) + topLeftY)
    this.px[vertex] = px
    this.py[vertex] = py
    this.x[vertex] = snap(px)
    this.y[vertex] = snap(py)
    this.z[vertex] = fround(minDepth + fround(nz * this.#depthRange))
    this.w[vertex] = w
  }
}
