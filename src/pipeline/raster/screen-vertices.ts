import { createPool } from '../pool.ts'
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

/** Columns of vertices. All lie in one buffer: to make one costs more than a small draw has time for. */
interface ScreenColumns {
  readonly capacity: number
  readonly x: Int32Array
  readonly y: Int32Array
  readonly px: Float32Array
  readonly py: Float32Array
  readonly z: Float32Array
  readonly w: Float32Array
  readonly flags: Uint16Array
}

function newColumns(least: number): ScreenColumns {
  const capacity = (least + 1) & ~1
  const buffer = new ArrayBuffer(capacity * (6 * 4 + 2))
  const words = (n: number): Int32Array => new Int32Array(buffer, n * capacity * 4, capacity)
  const floats = (n: number): Float32Array => new Float32Array(buffer, n * capacity * 4, capacity)
  const flags = new Uint16Array(buffer, 6 * capacity * 4, capacity)
  return { capacity, x: words(0), y: words(1), px: floats(2), py: floats(3), z: floats(4), w: floats(5), flags }
}

/** Vertices that columns have room for at first, and at the most where they are kept for the next draw. */
const FEW_VERTICES = 256
const MAX_KEPT_VERTICES = 2 ** 14

const NO_COLUMNS = newColumns(0)
const COLUMNS = createPool(() => newColumns(FEW_VERTICES))

/** The vertices of an array in one viewport; element i of a column is vertex i. */
export class ScreenVertices {
  readonly viewport: Viewport
  readonly planes: ClipPlanes
  readonly #clip: ClipContext
  readonly #depthRange: number
  /** Factors of w in the planes of the guard band, and whether there are planes of depth. */
  readonly #guard: { left: number; right: number; top: number; bottom: number; clipsDepth: boolean }
  #columns = NO_COLUMNS
  #flags = NO_COLUMNS.flags
  /** Snapped positions in 1/256 pixel. */
  x = NO_COLUMNS.x
  y = NO_COLUMNS.y
  /** Positions before snapping, in pixels. */
  px = NO_COLUMNS.px
  py = NO_COLUMNS.py
  /** Depth after the viewport. */
  z = NO_COLUMNS.z
  /** Clip-space w. */
  w = NO_COLUMNS.w

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

  #grow(least: number): void {
    const before = this.#columns
    const pooled = before === NO_COLUMNS ? COLUMNS.take() : before
    const wanted = Math.max(least, this.#clip.vertices.array.count)
    const columns = wanted <= pooled.capacity ? pooled : newColumns(Math.max(wanted, before.capacity * 2))
    columns.flags.fill(0)
    for (const name of ['x', 'y', 'px', 'py', 'z', 'w', 'flags'] as const) columns[name].set(before[name])
    this.#use(columns)
  }

  #use(columns: ScreenColumns): void {
    this.#columns = columns
    this.x = columns.x
    this.y = columns.y
    this.px = columns.px
    this.py = columns.py
    this.z = columns.z
    this.w = columns.w
    this.#flags = columns.flags
  }

  /** Gives its columns back: there are no vertices any more. */
  dispose(): void {
    const columns = this.#columns
    this.#use(NO_COLUMNS)
    if (columns !== NO_COLUMNS && columns.capacity <= MAX_KEPT_VERTICES) COLUMNS.give(columns)
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
