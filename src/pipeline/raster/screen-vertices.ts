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

/** The vertices of an array in one viewport; element i of a column is vertex i. */
export class ScreenVertices {
  readonly viewport: Viewport
  readonly planes: ClipPlanes
  readonly #clip: ClipContext
  #flags = new Uint16Array(0)
  /** Snapped positions in 1/256 pixel. */
  x = new Int32Array(0)
  y = new Int32Array(0)
  /** Positions before snapping, in pixels. */
  px = new Float32Array(0)
  py = new Float32Array(0)
  /** Depth after the viewport. */
  z = new Float32Array(0)
  /** Clip-space w. */
  w = new Float32Array(0)

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

  #grow(least: number): void {
    const count = Math.max(least, this.#clip.vertices.array.count, this.#flags.length * 2)
    const grown = <T extends Uint16Array | Int32Array | Float32Array>(column: T, into: T): T => {
      into.set(column)
      return into
    }
    this.#flags = grown(this.#flags, new Uint16Array(count))
    this.x = grown(this.x, new Int32Array(count))
    this.y = grown(this.y, new Int32Array(count))
    this.px = grown(this.px, new Float32Array(count))
    this.py = grown(this.py, new Float32Array(count))
    this.z = grown(this.z, new Float32Array(count))
    this.w = grown(this.w, new Float32Array(count))
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
