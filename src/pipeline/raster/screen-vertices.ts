import type { Viewport } from '../state.ts'
import { type ClipContext, type ClipPlanes, insideBy } from './clip.ts'
import { snap } from './fixed-point.ts'

/** Vertices on the screen, by columns. Primitives share vertices: each is divided, placed and snapped once. */

const { fround } = Math

/** Flags of a vertex: bit i is set where it lies outside of plane i of its viewport. */
export const OUTSIDE_PLANES = 0x7f
/** A coordinate is NaN or infinite. */
export const NOT_FINITE = 0x80
/** The vertex has been looked at. */
const KNOWN = 0x100

const NO_FLAGS = new Uint16Array(0)
const NO_WORDS = new Int32Array(0)
const NO_FLOATS = new Float32Array(0)

/** The vertices of an array in one viewport; element i of a column is vertex i. */
export class ScreenVertices {
  readonly viewport: Viewport
  readonly planes: ClipPlanes
  readonly #clip: ClipContext
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
  }

  /** The array has other vertices now. */
  clear(): void {
    this.#flags.fill(0)
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

  #look(vertex: number): number {
    const { vertices, position } = this.#clip
    const { floats } = vertices
    const at = vertices.at(vertex) + position
    const x = floats[at]!
    const y = floats[at + 1]!
    const z = floats[at + 2]!
    const w = floats[at + 3]!
    // Only the difference of a finite number and itself is 0.
    const finite = x - x + (y - y) + (z - z) + (w - w) === 0
    const flags = KNOWN | (finite ? this.#outside(x, y, z, w) : NOT_FINITE)
    this.#project(vertex, x, y, z, w)
    this.#flags[vertex] = flags
    return flags
  }

  #outside(x: number, y: number, z: number, w: number): number {
    const { planes } = this
    let outside = 0
    for (let i = 0; i < planes.length; i++) if (!(insideBy(planes[i]!, x, y, z, w) >= 0)) outside |= 1 << i
    return outside
  }

  /** Division and viewport, float32, left to right (15.6). */
  #project(vertex: number, x: number, y: number, z: number, w: number): void {
    const { topLeftX, topLeftY, width, height, minDepth, maxDepth } = this.viewport
    const nx = fround(x / w)
    const ny = fround(y / w)
    const nz = fround(z / w)
    const px = fround(fround(fround(fround(nx + 1) * width) * 0.5) + topLeftX)
    const py = fround(fround(fround(fround(1 - ny) * height) * 0.5) + topLeftY)
    this.px[vertex] = px
    this.py[vertex] = py
    this.x[vertex] = snap(px)
    this.y[vertex] = snap(py)
    this.z[vertex] = fround(minDepth + fround(nz * fround(maxDepth - minDepth)))
    this.w[vertex] = w
  }
}
