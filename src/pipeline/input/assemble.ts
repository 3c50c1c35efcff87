import { countingFrom0, type VertexSequence } from './sequence.ts'
import type { Topology } from './topology.ts'

/** Primitives from the vertices of an instance (functional specification 8.13 to 8.15, figures Topology1 and GSInputs2). */

export interface AssembledPrimitives {
  readonly count: number
  readonly verticesPerPrimitive: number
  /** Places in the sequence, leading vertex first; with adjacency in the order in which geometry shaders see them. */
  readonly vertices: Uint32Array
  /** These are 0, 1, 2 and so on. */
  readonly isCounted: boolean
}

/** Primitives that `n` vertices without a cut make; the rest is dropped. */
function primitiveCount(t: Topology, n: number): number {
  if (!t.isStrip) return Math.floor(n / t.vertexCount)
  const count = t.kind === 'triangle' && t.hasAdjacency ? Math.floor((n - 4) / 2) : n - t.vertexCount + 1
  return Math.max(0, count)
}

/** Places of primitive `i` of `count` in a run of vertices that begins at `first`. */
type Placer = (i: number, count: number, first: number, out: Uint32Array, at: number) => void

const list =
  (size: number): Placer =>
  (i, _count, first, out, at) => {
    for (let k = 0; k < size; k++) out[at + k] = first + i * size + k
  }

const slidingWindow =
  (size: number): Placer =>
  (i, _count, first, out, at) => {
    for (let k = 0; k < size; k++) out[at + k] = first + i + k
  }

/** Odd triangles swap their last two vertices, so that the leading one stays in front. */
const triangleStrip: Placer = (i, _count, first, out, at) => {
  const odd = i & 1
  out[at] = first + i
  out[at + 1] = first + i + 1 + odd
  out[at + 2] = first + i + 2 - odd
}

const triangleStripAdjacency: Placer = (i, count, first, out, at) => {
  const v = first + 2 * i
  const isLast = i === count - 1
  const next = isLast ? v + 5 : v + 6
  const places =
    (i & 1) === 0 ? [v, i === 0 ? first + 1 : v - 2, v + 2, next, v + 4, v + 3] : [v, v + 3, v + 4, next, v + 2, v - 2]
  out.set(places, at)
}

function placerOf(t: Topology): Placer {
  if (!t.isStrip) return list(t.vertexCount)
  if (t.kind === 'line') return slidingWindow(t.vertexCount)
  return t.hasAdjacency ? triangleStripAdjacency : triangleStrip
}

/** Runs of vertices between cuts, as pairs of first and length. */
function runsOf(s: VertexSequence): number[] {
  if (s.cuts === undefined) return [0, s.length]
  const runs: number[] = []
  let first = 0
  for (let i = 0; i <= s.length; i++) {
    if (i < s.length && s.cuts[i] === 0) continue
    if (i > first) runs.push(first, i - first)
    first = i + 1
  }
  return runs
}

/** All primitives of an instance. Incomplete ones are dropped, at every cut and at the end. */
export function assemblePrimitives(t: Topology, s: VertexSequence): AssembledPrimitives {
  if (!t.isStrip && s.cuts === undefined) {
    const count = primitiveCount(t, s.length)
    return {
      count,
      verticesPerPrimitive: t.vertexCount,
      vertices: countingFrom0(count * t.vertexCount),
      isCounted: true,
    }
  }
  const runs = runsOf(s)
  let total = 0
  for (let r = 1; r < runs.length; r += 2) total += primitiveCount(t, runs[r]!)
  const vertices = new Uint32Array(total * t.vertexCount)
  const place = placerOf(t)
  let at = 0
  for (let r = 0; r < runs.length; r += 2) {
    const count = primitiveCount(t, runs[r + 1]!)
    for (let i = 0; i < count; i++, at += t.vertexCount) place(i, count, runs[r]!, vertices, at)
  }
  return { count: total, verticesPerPrimitive: t.vertexCount, vertices, isCounted: false }
}

/** The primitives without their adjacent vertices, which only geometry shaders see. */
export function withoutAdjacency(t: Topology, p: AssembledPrimitives): AssembledPrimitives {
  if (!t.hasAdjacency) return p
  const kept = t.kind === 'line' ? [1, 2] : [0, 2, 4]
  const vertices = new Uint32Array(p.count * kept.length)
  for (let i = 0; i < p.count; i++) {
    kept.forEach((k, n) => {
      vertices[i * kept.length + n] = p.vertices[i * p.verticesPerPrimitive + k]!
    })
  }
  return { count: p.count, verticesPerPrimitive: kept.length, vertices, isCounted: false }
}
