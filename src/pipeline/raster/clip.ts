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

/** The planes that were asked for last: most draws have the viewport of the draw before. */
let lastFound: (GuardedRect & { readonly depthClip: boolean; readonly planes: ClipPlanes }) | undefined

/** What of a viewport its planes depend on. */
type GuardedRect = Pick<Viewport, 'topLeftX' | 'topLeftY' | 'width' | 'height'>

const hasSamePlanes = (a: GuardedRect, b: GuardedRect): boolean =>
  a.topLeftX === b.topLeftX && a.topLeftY === b.topLeftY && a.width === b.width && a.height === b.height

/** Planes for a viewport. `depthClip` is DepthClipEnable: without it z is not clipped. */
export function clipPlanes(viewport: Viewport, depthClip: boolean): ClipPlanes {
  if (lastFound?.depthClip !== depthClip || !hasSamePlanes(lastFound, viewport)) {
    const { topLeftX, topLeftY, width, height } = viewport
    lastFound = { topLeftX, topLeftY, width, height, depthClip, planes: findPlanes(viewport, depthClip) }
  }
  return lastFound.planes
}

function findPlanes(viewport: Viewport, depthClip: boolean): ClipPlanes {
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

/** A corner of what is left of a primitive, in doubles: words are rounded once, when the corner becomes a vertex. */
interface Corner {
  readonly position: readonly number[]
  /** Shares of the primitive's vertices; their sum is 1. */
  readonly weights: readonly number[]
  /** The vertex that it is; -1 where clipping makes it. */
  readonly vertex: number
}

function cornersOf({ vertices, position }: ClipContext, primitive: readonly number[]): Corner[] {
  return primitive.map((vertex, n) => ({
    position: [0, 1, 2, 3].map((k) => vertices.float(vertex, position + k)),
    weights: primitive.map((_, i) => (i === n ? 1 : 0)),
    vertex,
  }))
}

const distance = (p: Plane, { position: [x, y, z, w] }: Corner): number => insideBy(p, x!, y!, z!, w!)

/**
 * The corner where an edge meets a plane, always computed from its inner end to its outer one: triangles that share the
 * edge get the same corner.
 */
function cut(p: Plane, inner: Corner, outer: Corner): Corner {
  const innerDistance = distance(p, inner)
  const outerDistance = distance(p, outer)
  // Each share by a quotient of its own: next to one end the other is far below the rounding of 1.
  const t = innerDistance / (innerDistance - outerDistance)
  const u = outerDistance / (outerDistance - innerDistance)
  const between = (a: readonly number[], b: readonly number[]): number[] => a.map((v, i) => v * u + b[i]! * t)
  const position = between(inner.position, outer.position)
  // What is left of w must not vanish: a position of all zeros has no place on the screen.
  if (p.constant !== 0) position[3] = SMALLEST_W
  return { position, weights: between(inner.weights, outer.weights), vertex: -1 }
}

/** A word of the primitive's vertices in these shares. Vertices without one do not count, whatever they hold. */
function blend({ floats }: VertexWords, places: readonly number[], word: number, shares: readonly number[]): number {
  let sum = 0
  for (let n = 0; n < places.length; n++) if (shares[n] !== 0) sum += floats[places[n]! + word]! * shares[n]!
  return sum
}

/** The vertex of a corner. */
function vertexAt(c: ClipContext, primitive: readonly number[], corner: Corner): number {
  if (corner.vertex >= 0) return corner.vertex
  const { vertices, position, modes } = c
  const made = vertices.add()
  const { floats } = vertices
  const { words } = vertices.array
  const out = vertices.at(made)
  const places = primitive.map((v) => vertices.at(v))
  const { weights } = corner
  // On the screen shares go with w, also of vertices behind the viewer: they lie on the far side there (16.4).
  const onScreen = weights.map((share, n) => (share * floats[places[n]! + position + 3]!) / corner.position[3]!)
  for (let i = 0; i < modes.length; i++) {
    const mode = modes[i]!
    if (i >= position && i < position + 4) floats[out + i] = corner.position[i - position]!
    else if (mode === CONSTANT) words[out + i] = words[places[0]! + i]!
    else floats[out + i] = blend(vertices, places, i, mode === PERSPECTIVE ? weights : onScreen)
  }
  return made
}

/** A polygon's corners in order; `original[i]` where the edge from corner i to the next was an edge before clipping. */
interface Polygon<Vertex> {
  readonly vertices: readonly Vertex[]
  readonly original: readonly boolean[]
}

function clipAt(polygon: Polygon<Corner>, plane: Plane): Polygon<Corner> {
  const vertices: Corner[] = []
  const original: boolean[] = []
  const count = polygon.vertices.length
  for (let i = 0; i < count; i++) {
    const a = polygon.vertices[i]!
    const b = polygon.vertices[(i + 1) % count]!
    const isEdge = polygon.original[i]!
    const da = distance(plane, a)
    const db = distance(plane, b)
    if (da >= 0) {
      vertices.push(a)
      original.push(isEdge)
      if (db < 0) {
        vertices.push(cut(plane, a, b))
        // From here the polygon follows the plane.
        original.push(false)
      }
    } else if (db >= 0) {
      vertices.push(cut(plane, b, a))
      original.push(isEdge)
    }
  }
  return { vertices, original }
}

/** The part of a triangle inside of all planes; no vertices where nothing is left. */
export function clipTriangle(
  c: ClipContext,
  triangle: readonly [number, number, number],
  planes: ClipPlanes,
): Polygon<number> {
  let polygon: Polygon<Corner> = { vertices: cornersOf(c, triangle), original: [true, true, true] }
  for (const plane of planes) {
    if (polygon.vertices.every((v) => distance(plane, v) >= 0)) continue
    polygon = clipAt(polygon, plane)
    if (polygon.vertices.length < 3) return { vertices: [], original: [] }
  }
  const { vertices, original } = polygon
  return { vertices: vertices.map((v) => vertexAt(c, triangle, v)), original }
}

/** The part of a line inside of all planes; undefined where nothing is left. */
export function clipLine(
  c: ClipContext,
  line: readonly [number, number],
  planes: ClipPlanes,
): readonly [number, number] | undefined {
  let [a, b] = cornersOf(c, line) as [Corner, Corner]
  for (const plane of planes) {
    const da = distance(plane, a)
    const db = distance(plane, b)
    if (!(da >= 0 || db >= 0)) return undefined
    if (da < 0) a = cut(plane, b, a)
    else if (db < 0) b = cut(plane, a, b)
  }
  return [vertexAt(c, line, a), vertexAt(c, line, b)]
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
