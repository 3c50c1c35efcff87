import { floatsOf } from '../geometry.ts'
import { createPool } from '../pool.ts'
import type { Viewport } from '../state.ts'
import { type ClipContext, type ClipPlanes, insideBy, SMALLEST_W } from './clip.ts'
import { snap } from './fixed-point.ts'
import type { RecordSink } from './primitive-record.ts'

/** Vertices on the screen. Primitives share vertices: each is divided, placed and snapped once. */

const { fround } = Math

/** Flags of a vertex: bit i is set where it lies outside of plane i of its viewport. */
export const OUTSIDE_PLANES = 0x7f
/** A coordinate is NaN or infinite. */
export const NOT_FINITE = 0x80
/** The vertex has been transformed. */
export const KNOWN = 0x100

/** Vertices that are transformed together. */
const RUN = 64

/** Words of a vertex on the screen. */
export const SCREEN = {
  /** Snapped position in 1/256 pixel. */
  x: 0,
  y: 1,
  /** Float: depth after the viewport. */
  z: 2,
  /** 0 where it has not been looked at. */
  flags: 3,
  /** Floats: clip-space w, and the position before snapping, in pixels. */
  w: 4,
  px: 5,
  py: 6,
} as const
export const SCREEN_WORDS = 8

/** Vertices that there is room for at first: to make an array costs more than a small draw has time for. */
const FEW_VERTICES = 256
const FEW_WORDS = FEW_VERTICES * SCREEN_WORDS
const WORDS = createPool((): Int32Array => new Int32Array(FEW_WORDS))

const NO_WORDS = new Int32Array(0)

/** The vertices of an array in one viewport; the words of vertex i begin at element i * SCREEN_WORDS. */
export class ScreenVertices {
  readonly viewport: Viewport
  readonly planes: ClipPlanes
  readonly #clip: ClipContext
  readonly #depthRange: number
  /** Factors of w in the planes of the guard band, and whether there are planes of depth. */
  readonly #guard: { left: number; right: number; top: number; bottom: number; clipsDepth: boolean }
  /** The same memory twice. */
  words: Int32Array = NO_WORDS
  floats: Float32Array = floatsOf(NO_WORDS)
  /** Vertices that there is room for. */
  #capacity = 0
  /** Vertices that have been transformed, from the first on. */
  #transformed = 0
  /** No vertex from here on has been looked at. */
  #end = 0

  constructor(clip: ClipContext, viewport: Viewport, planes: ClipPlanes) {
    this.#clip = clip
    this.viewport = viewport
    this.planes = planes
    this.#depthRange = fround(viewport.maxDepth - viewport.minDepth)
    const guard = planes.length - 4
    this.#guard = {
      left: planes[guard]!.w,
      right: planes[guard + 1]!.w,
      top: planes[guard + 2]!.w,
      bottom: planes[guard + 3]!.w,
      clipsDepth: planes.length > 5,
    }
  }

  /** The array has other vertices now. */
  clear(): void {
    const end = this.#end
    this.#transformed = 0
    this.#end = 0
    this.#clearFlags(0, end)
  }

  /** Nothing but the flags is read of vertices that have not been looked at. */
  #clearFlags(from: number, to: number): void {
    const { words } = this
    const end = Math.min(words.length, to * SCREEN_WORDS)
    for (let at = from * SCREEN_WORDS + SCREEN.flags; at < end; at += SCREEN_WORDS) words[at] = 0
  }

  /** Flags of a vertex, whose words are filled then. */
  flags(vertex: number): number {
    if (vertex >= this.#capacity) this.#grow(vertex + 1)
    const known = this.words[vertex * SCREEN_WORDS + SCREEN.flags]!
    return known === 0 ? this.#transformFrom(vertex) : known
  }

  #grow(least: number): void {
    const { count, vertexMemory: room } = this.#clip.vertices.array
    const wanted = Math.max(least, count, this.#capacity * 2)
    const words = wanted <= FEW_VERTICES ? WORDS.acquire() : room?.take(wanted * SCREEN_WORDS)
    this.#use(words ?? new Int32Array(wanted * SCREEN_WORDS))
  }

  /** Goes on with words that another thread has filled. */
  use(words: Int32Array): void {
    this.words = words
    this.floats = floatsOf(words)
    this.#capacity = Math.floor(words.length / SCREEN_WORDS)
    this.#transformed = this.#capacity
    this.#end = this.#capacity
  }

  /** Goes on with other words. */
  #use(words: Int32Array): void {
    const before = this.words
    const known = this.#capacity
    words.set(before.subarray(0, words.length))
    this.words = words
    this.floats = floatsOf(words)
    this.#capacity = Math.floor(words.length / SCREEN_WORDS)
    this.#clearFlags(known, this.#capacity)
    if (before.length === FEW_WORDS) WORDS.release(before)
  }

  /** Gives its words back: there are no vertices any more. */
  dispose(): void {
    this.#use(NO_WORDS)
  }

  /** Transforms all vertices of the array, most of them by the sink's compiled code where it has any. */
  transformAll(sink: RecordSink): void {
    const { vertices, position } = this.#clip
    const { count, words, registerCount } = vertices.array
    if (count > this.#capacity) this.#grow(count)
    const many = (count - this.#transformed) & ~3
    if (many >= RUN && sink.place !== undefined) {
      const { viewport, planes, words: screen } = this
      const source = { viewport, planes, vertices: words, width: registerCount * 4, position, screen }
      if (sink.place(source, this.#transformed, many)) this.#transformed += many
    }
    this.#end = Math.max(this.#end, count)
    for (; this.#transformed < count; this.#transformed++) this.flags(this.#transformed)
  }

  /** Transforms a vertex and those after it, which the next primitives usually use. */
  #transformFrom(vertex: number): number {
    const { count } = this.#clip.vertices.array
    const end = Math.max(vertex + 1, Math.min(vertex + RUN, count, this.#capacity))
    const { floats, array } = this.#clip.vertices
    const width = array.registerCount * 4
    const { words } = this
    this.#end = Math.max(this.#end, end)
    for (let v = vertex, at = vertex * width + this.#clip.position; v < end; v++, at += width) {
      if (words[v * SCREEN_WORDS + SCREEN.flags] !== 0) continue
      this.#transform(v * SCREEN_WORDS, floats[at]!, floats[at + 1]!, floats[at + 2]!, floats[at + 3]!)
    }
    return words[vertex * SCREEN_WORDS + SCREEN.flags]!
  }

  #transform(to: number, x: number, y: number, z: number, w: number): void {
    // Only the difference of a finite number and itself is 0.
    const finite = x - x + (y - y) + (z - z) + (w - w) === 0
    this.words[to + SCREEN.flags] = KNOWN | (finite ? this.#outside(x, y, z, w) : NOT_FINITE)
    this.#project(to, x, y, z, w)
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
  #project(to: number, x: number, y: number, z: number, w: number): void {
    const { topLeftX, topLeftY, width, height, minDepth } = this.viewport
    const nx = fround(x / w)
    const ny = fround(y / w)
    const nz = fround(z / w)
    const px = fround(fround(fround(fround(nx + 1) * width) * 0.5) + topLeftX)
    const py = fround(fround(fround(fround(1 - ny) * height) * 0.5) + topLeftY)
    const { words, floats } = this
    words[to + SCREEN.x] = snap(px)
    words[to + SCREEN.y] = snap(py)
    floats[to + SCREEN.z] = fround(minDepth + fround(nz * this.#depthRange))
    floats[to + SCREEN.w] = w
    floats[to + SCREEN.px] = px
    floats[to + SCREEN.py] = py
  }
}
