import type { TessellatorDomain, TessellatorOutputPrimitive, TessellatorPartitioning } from '../../engine/index.ts'
import { cullsPatch, type FixedFactors, fixedFactors, fixedLineFactors, ONE } from './fixed-factors.ts'
import { linePoints, type PointList, quadPoints, trianglePoints } from './points.ts'
import { divideSide, type Side } from './side.ts'
import { quadTriangles, type TriangleList, triangleTriangles } from './triangles.ts'

/**
 * The tessellator (functional specification 11.7): domain points and primitives of a patch from its tessellation factors.
 * The pipeline runs the domain shader at its points.
 *
 * Invariants: points are computed in integers and listed once each (two can have the same place at a factor where a point
 * begins to split); points of an edge depend on the factor of that edge alone; points and primitives come in the order of
 * the reference tessellator that the specification names.
 */

export interface Tessellation {
  /** An edge factor was 0, negative or NaN: there are no points. */
  readonly culled: boolean
  readonly pointCount: number
  /** U, V pairs in 1/65536: there until the next patch is divided. */
  readonly points: Int32Array
  readonly primitiveCount: number
  readonly verticesPerPrimitive: 1 | 2 | 3
  /** Numbers of points, `verticesPerPrimitive` for each primitive. Patches share the array: read-only. */
  readonly indices: Uint32Array
}

/** Factors that a patch of each domain has: edges, then insides; isolines have detail and density. */
export const FACTOR_COUNT: Readonly<Record<TessellatorDomain, number>> = { isoline: 2, triangle: 4, quad: 6 }

const MAX_SEGMENTS = 64
const POINT_WORDS = new Int32Array(2 * (MAX_SEGMENTS + 1) ** 2)
const TRIANGLE_INDICES = new Uint32Array(MAX_SEGMENTS ** 2 * 2 * 3)

const VERTICES: Readonly<Record<TessellatorOutputPrimitive, 1 | 2 | 3>> = {
  point: 1,
  line: 2,
  triangle_cw: 3,
  triangle_ccw: 3,
}

const NO_POINTS = new Int32Array(0)
const NO_INDICES = new Uint32Array(0)

/**
 * Factors are, for quads, of the edges U = 0, V = 0, U = 1, V = 1 and of the inside along U and V; for triangles of U = 0,
 * V = 0, W = 0 and the inside; for isolines detail (along U) and density (along V).
 */
export function tessellate(
  domain: TessellatorDomain,
  partitioning: TessellatorPartitioning,
  outputPrimitive: TessellatorOutputPrimitive,
  factors: Float32Array,
): Tessellation {
  const verticesPerPrimitive = domain === 'isoline' && outputPrimitive !== 'point' ? 2 : VERTICES[outputPrimitive]
  const edgeCount = domain === 'isoline' ? 2 : domain === 'quad' ? 4 : 3
  let culled = false
  for (let i = 0; i < edgeCount; i++) culled = culled || cullsPatch(factors[i]!)
  if (culled) {
    const [points, indices] = [NO_POINTS, NO_INDICES]
    return { culled: true, pointCount: 0, points, verticesPerPrimitive, primitiveCount: 0, indices }
  }
  const points: PointList = { words: POINT_WORDS, count: 0 }
  const triangles: PatchTriangles = {
    indices: TRIANGLE_INDICES,
    length: 0,
    counterClockwise: outputPrimitive === 'triangle_ccw',
  }
  const wanted = verticesPerPrimitive === 3 ? triangles : undefined
  let perLine = Number.POSITIVE_INFINITY
  if (domain === 'isoline') perLine = divideLines(partitioning, factors, points)
  else {
    const fixed = fixedFactors(partitioning, factors, edgeCount, FACTOR_COUNT[domain] - edgeCount)
    if (domain === 'quad') divideQuad(fixed, points, wanted)
    else divideTriangle(fixed, points, wanted)
  }
  const indices =
    verticesPerPrimitive === 3
      ? (triangles.known ?? triangles.indices.slice(0, triangles.length))
      : verticesPerPrimitive === 2
        ? lineIndices(points.count, perLine)
        : Uint32Array.from({ length: points.count }, (_, n) => n)
  return {
    culled: false,
    pointCount: points.count,
    points: points.words.subarray(0, 2 * points.count),
    primitiveCount: indices.length / verticesPerPrimitive,
    verticesPerPrimitive,
    indices,
  }
}

/** Points, as U, V pairs: so many of them from one on. */
interface SomePoints {
  readonly points: Int32Array
  readonly first: number
  readonly count: number
}

/**
 * Writes the coordinates of points that the domain shader reads, exact, to three columns from an element on: W of triangles is what U
 * and V leave of 1, else 0.
 */
export function setDomainLocations(
  domain: TessellatorDomain,
  { points, first, count }: SomePoints,
  out: { readonly floats: Float32Array; readonly columnLength: number },
  at: number,
): void {
  const { floats, columnLength } = out
  const isTriangle = domain === 'triangle'
  for (let i = 0; i < count; i++) {
    const u = points[(first + i) * 2]!
    const v = points[(first + i) * 2 + 1]!
    floats[at + i] = u / ONE
    floats[at + i + columnLength] = v / ONE
    floats[at + i + columnLength * 2] = isTriangle ? (ONE - u - v) / ONE : 0
  }
}

/** Returns the number of points on a line. */
function divideLines(partitioning: TessellatorPartitioning, factors: Float32Array, points: PointList): number {
  const fixed = fixedLineFactors(partitioning, factors[0]!, factors[1]!)
  const detail = divideSide(fixed.detail)
  linePoints(detail, divideSide(fixed.density), points)
  return detail.pointCount
}

/** Lines between neighbors; `perLine` points stand on one line. */
function lineIndices(pointCount: number, perLine: number): Uint32Array {
  const indices: number[] = []
  for (let n = 1; n < pointCount; n++) if (n % perLine !== 0) indices.push(n - 1, n)
  return Uint32Array.from(indices)
}

/** Points and triangles of a patch that is not divided. */
function addWhole(
  corners: readonly number[],
  triangles: readonly number[],
  points: PointList,
  out: TriangleList | undefined,
): void {
  points.words.set(corners)
  points.count = corners.length / 2
  if (out === undefined) return
  for (let t = 0; t < triangles.length; t += 3) {
    const [a, b, c] = triangles.slice(t, t + 3) as [number, number, number]
    out.indices.set(out.counterClockwise ? [a, c, b] : [a, b, c], t)
  }
  out.length = triangles.length
}

/** Triangles of a patch: those of one that was divided into as many points before, or a new list. */
interface PatchTriangles extends TriangleList {
  known?: Uint32Array
}

/** Triangles by the points of each side, since nothing else decides them; all go when they are too many. */
const KNOWN = new Map<number, Uint32Array>()
const MAX_KNOWN_INDICES = 2 ** 20
let knownIndices = 0

function takeTriangles(
  edges: readonly Side[],
  insides: readonly Side[],
  out: PatchTriangles,
  find: (edges: readonly Side[], insides: readonly Side[], out: TriangleList) => void,
): void {
  // Six sides of at most 65 points are 42 bits.
  let key = (edges.length + insides.length) * 2 + (out.counterClockwise ? 1 : 0)
  for (let i = 0; i < edges.length; i++) key = key * 128 + edges[i]!.pointCount
  for (let i = 0; i < insides.length; i++) key = key * 128 + insides[i]!.pointCount
  const known = KNOWN.get(key)
  if (known !== undefined) {
    out.known = known
    return
  }
  find(edges, insides, out)
  if (knownIndices + out.length > MAX_KNOWN_INDICES) {
    KNOWN.clear()
    knownIndices = 0
  }
  out.known = out.indices.slice(0, out.length)
  knownIndices += out.length
  KNOWN.set(key, out.known)
}

const findQuadTriangles = (edges: readonly Side[], insides: readonly Side[], out: TriangleList): void =>
  quadTriangles(edges, insides as [Side, Side], out)

const findTriangleTriangles = (edges: readonly Side[], insides: readonly Side[], out: TriangleList): void =>
  triangleTriangles(edges, insides[0]!, out)

function divideQuad(f: FixedFactors, points: PointList, triangles: PatchTriangles | undefined): void {
  if (f.isWhole) {
    addWhole([0, 0, ONE, 0, ONE, ONE, 0, ONE], [0, 1, 3, 1, 2, 3], points, triangles)
    return
  }
  const edges = f.edges.map(divideSide)
  const insides = f.insides.map(divideSide) as [Side, Side]
  quadPoints(edges, insides, points)
  if (triangles !== undefined) takeTriangles(edges, insides, triangles, findQuadTriangles)
}

function divideTriangle(f: FixedFactors, points: PointList, triangles: PatchTriangles | undefined): void {
  if (f.isWhole) {
    addWhole([0, ONE, 0, 0, ONE, 0], [0, 1, 2], points, triangles)
    return
  }
  const edges = f.edges.map(divideSide)
  const insides = f.insides.map(divideSide)
  trianglePoints(edges, insides[0]!, points)
  if (triangles !== undefined) takeTriangles(edges, insides, triangles, findTriangleTriangles)
}
