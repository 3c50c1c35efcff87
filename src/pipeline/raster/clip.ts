import { floatsOf, growVertices, type VertexArray } from '../geometry.ts'
import type { Viewport } from '../state.ts'

/**
 * Clipping in homogeneous coordinates (functional specification 15.4). Primitives are cut at w, near and far, and at a guard
 * band as wide as 16.8 fixed point; inside of the band the scissor does the rest, so that edges stay where they are.
 */

/** How a word of a vertex is interpolated: not at all, in perspective, or on the screen. */
export const CONSTANT = 0
export const PERSPECTIVE = 1
export const NOPERSPECTIVE = 2

/** Smallest w of a point in front of the viewer. */
export const SMALLEST_W = 2 ** -126

/** A plane by the factors of a clip-space position; inside where their sum is not negative. */
interface Plane {
  readonly x: number
  readonly y: number
  readonly z: number
  readonly w: number
  readonly constant: number
}

/** Planes in the order in which primitives are cut: w, near and far, the guard band. */
export type ClipPlanes = readonly Plane[]

const plane = (x: number, y: number, z: number, w: number, constant = 0): Plane => ({ x, y, z, w, constant })

/** How far inside a position lies. Each plane has at most two terms, of which one is rounded. */
export function insideBy(p: Plane, x: number, y: number, z: number, w: number): number {
  return p.x * x + p.y * y + p.z * z + p.w * w + p.constant
}

/** Planes for a viewport. `depthClip` is DepthClipEnable: without it z is not clipped. */
export function clipPlanes(viewport: Viewport, depthClip: boolean): ClipPlanes {
  const { topLeftX: left, topLeftY: top, width, height } = viewport
  const low = (2 * (-32768 - left)) / width - 1
  const high = (2 * (32767 - left)) / width - 1
  const bottom = 1 - (2 * (32767 - top)) / height
  const upper = 1 - (2 * (-32768 - top)) / height
  const depth = depthClip ? [plane(0, 0, 1, 0), plane(0, 0, -1, 1)] : []
  const guard = [plane(1, 0, 0, -low), plane(-1, 0, 0, high), plane(0, -1, 0, upper), plane(0, 1, 0, -bottom)]
  return [plane(0, 0, 0, 1, -SMALLEST_W), ...depth, ...guard]
}

/** Vertices with their words as bits and as floats. */
export class VertexWords {
  readonly array: VertexArray
  /** The words that `#floats` shows: growing replaces them. */
  #shown: Int32Array
  #floats: Float32Array

  constructor(array: VertexArray) {
    this.array = array
    this.#shown = array.words
    this.#floats = floatsOf(array.words)
  }

  get floats(): Float32Array {
    const { words } = this.array
    if (this.#shown !== words) {
      this.#shown = words
      this.#floats = floatsOf(words)
    }
    return this.#floats
  }

  /** Index of a vertex's first word. */
  at(vertex: number): number {
    return vertex * this.array.registerCount * 4
  }

  float(vertex: number, word: number): number {
    return this.floats[this.at(vertex) + word]!
  }

  bits(vertex: number, word: number): number {
    return this.array.words[this.at(vertex) + word]!
  }

  /** A new vertex with room for its words. */
  add(): number {
    growVertices(this.array, 1)
    return this.array.count++
  }
}

/** What clipping needs of vertices. */
export interface ClipContext {
  readonly vertices: VertexWords
  /** First word of the position. */
  readonly position: number
  /** CONSTANT, PERSPECTIVE or NOPERSPECTIVE by word; words that are not read are CONSTANT. */
  readonly modes: Uint8Array
}

function distance(c: ClipContext, p: Plane, vertex: number): number {
  const { floats } = c.vertices
  const at = c.vertices.at(vertex) + c.position
  return insideBy(p, floats[at]!, floats[at + 1]!, floats[at + 2]!, floats[at + 3]!)
}

/**
 * The vertex where an edge meets a plane, always computed from its inner end to its outer one: triangles that share the
 * edge get the same vertex.
 */
function cut(c: ClipContext, p: Plane, inner: number, outer: number): number {
  const { vertices, position, modes } = c
  const innerDistance = distance(c, p, inner)
  const outerDistance = distance(c, p, outer)
  // Each weight by a quotient of its own: next to a vertex the other one is far below the rounding of 1.
  const t = innerDistance / (innerDistance - outerDistance)
  const u = outerDistance / (outerDistance - innerDistance)
  const made = vertices.add()
  const { floats } = vertices
  const { words } = vertices.array
  const from = vertices.at(inner)
  const to = vertices.at(outer)
  const out = vertices.at(made)
  const w0 = floats[from + position + 3]!
  const w1 = floats[to + position + 3]!
  const onScreen = (t * w1) / (u * w0 + t * w1)
  for (let i = 0; i < modes.length; i++) {
    const isPosition = i >= position && i < position + 4
    const mode = isPosition ? PERSPECTIVE : modes[i]!
    if (mode === CONSTANT) words[out + i] = words[from + i]!
    else {
      const inSpace = mode === PERSPECTIVE
      floats[out + i] = floats[from + i]! * (inSpace ? u : 1 - onScreen) + floats[to + i]! * (inSpace ? t : onScreen)
    }
  }
  // What is left of w must not vanish: a position of all zeros has no place on the screen.
  if (p.constant !== 0) floats[out + position + 3] = SMALLEST_W
  return made
}

/** A polygon's vertices in order; `original[i]` where the edge from vertex i to the next was an edge before clipping. */
interface Polygon {
  readonly vertices: readonly number[]
  readonly original: readonly boolean[]
}

function clipAt(c: ClipContext, polygon: Polygon, plane: Plane): Polygon {
  const vertices: number[] = []
  const original: boolean[] = []
  const count = polygon.vertices.length
  for (let i = 0; i < count; i++) {
    const a = polygon.vertices[i]!
    const b = polygon.vertices[(i + 1) % count]!
    const isEdge = polygon.original[i]!
    const da = distance(c, plane, a)
    const db = distance(c, plane, b)
    if (da >= 0) {
      vertices.push(a)
      original.push(isEdge)
      if (db < 0) {
        vertices.push(cut(c, plane, a, b))
        // From here the polygon follows the plane.
        original.push(false)
      }
    } else if (db >= 0) {
      vertices.push(cut(c, plane, b, a))
      original.push(isEdge)
    }
  }
  return { vertices, original }
}

/** The part of a triangle inside of all planes; no vertices where nothing is left. */
export function clipTriangle(c: ClipContext, triangle: readonly [number, number, number], planes: ClipPlanes): Polygon {
  let polygon: Polygon = { vertices: triangle, original: [true, true, true] }
  for (const plane of planes) {
    if (polygon.vertices.every((v) => distance(c, plane, v) >= 0)) continue
    polygon = clipAt(c, polygon, plane)
    if (polygon.vertices.length < 3) return { vertices: [], original: [] }
  }
  return polygon
}

/** The part of a line inside of all planes; undefined where nothing is left. */
export function clipLine(
  c: ClipContext,
  line: readonly [number, number],
  planes: ClipPlanes,
): readonly [number, number] | undefined {
  let [a, b] = line
  for (const plane of planes) {
    const da = distance(c, plane, a)
    const db = distance(c, plane, b)
    if (!(da >= 0 || db >= 0)) return undefined
    if (da < 0) a = cut(c, plane, b, a)
    else if (db < 0) b = cut(c, plane, a, b)
  }
  return [a, b]
}

/**
 * Cull distances (15.4.1): a primitive goes where all its vertices are outside in one component; NaN is outside. Of clip
 * distances one NaN is enough.
 */
export function isCulledByDistance(
  vertices: VertexWords,
  primitive: readonly number[],
  cullDistances: readonly number[],
  clipDistances: readonly number[],
): boolean {
  const outside = (v: number, word: number): boolean => !(vertices.float(v, word) >= 0)
  if (cullDistances.some((word) => primitive.every((v) => outside(v, word)))) return true
  return clipDistances.some((word) => primitive.some((v) => Number.isNaN(vertices.float(v, word))))
}
