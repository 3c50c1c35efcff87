import { ringCount } from './points.ts'
import type { Side } from './side.ts'

/** Triangles between the points of a patch, in the order of `points.ts` (functional specification 11.7.6). */

/** Triangles while they are found. */
export interface TriangleList {
  readonly indices: Uint32Array
  /** Indices written. */
  length: number
  readonly counterClockwise: boolean
}

/** Adds a triangle that is clockwise where U goes right and V goes down. */
function add(out: TriangleList, a: number, b: number, c: number): void {
  const at = out.length
  out.indices[at] = a
  out.indices[at + 1] = out.counterClockwise ? c : b
  out.indices[at + 2] = out.counterClockwise ? b : c
  out.length = at + 3
}

/** Numbers of the points along one side of a ring, both ends included. */
type Points = readonly number[]

/** The point of half a side that splits off as `n`-th, in order of position, for positions 1 to 32 of the largest factor. */
const SPLIT_ORDER: readonly number[] = Array.from({ length: 33 }, (_, position) => {
  if (position < 2) return position * 32
  const trailing = 31 - Math.clz32((position - 1) & -(position - 1))
  return 2 ** (4 - trailing) + ((position - 1) >> (trailing + 1))
})

/**
 * Triangles between a side of the outer ring and the side of the ring inside it, whose factors differ: both sides advance in
 * the order in which their points stand on the side of the largest factor.
 */
function stitchTransition(outer: Points, outerSide: Side, inner: Points, innerSide: Side, out: TriangleList): void {
  const outerCount = outerSide.halfCount - (outerSide.isOdd ? 1 : 0)
  const innerCount = innerSide.halfCount - (innerSide.isOdd ? 1 : 0)
  let o = 0
  let i = 0
  const advanceOuter = (position: number): void => {
    if (SPLIT_ORDER[position]! >= outerCount) return
    add(out, outer[o]!, outer[o + 1]!, inner[i]!)
    o++
  }
  const advanceInner = (position: number): void => {
    if (SPLIT_ORDER[position]! >= innerCount) return
    add(out, inner[i]!, outer[o]!, inner[i + 1]!)
    i++
  }
  advanceOuter(0)
  for (let position = 1; position <= 32; position++) {
    advanceInner(position)
    advanceOuter(position)
  }
  if (innerSide.isOdd) {
    add(out, inner[i]!, outer[o]!, inner[i + 1]!)
    i++
  }
  if (outerSide.isOdd) {
    add(out, inner[i]!, outer[o]!, outer[o + 1]!)
    o++
  }
  for (let position = 32; position >= 1; position--) {
    advanceOuter(position)
    advanceInner(position)
  }
  advanceOuter(0)
}

/** A pair of triangles between one step of both sides: the diagonal leans to the middle of the side. */
function addFirstHalf(outer: Points, o: number, inner: Points, i: number, out: TriangleList): void {
  add(out, outer[o]!, inner[i + 1]!, inner[i]!)
  add(out, outer[o]!, outer[o + 1]!, inner[i + 1]!)
}

function addSecondHalf(outer: Points, o: number, inner: Points, i: number, out: TriangleList): void {
  add(out, inner[i]!, outer[o]!, outer[o + 1]!)
  add(out, inner[i]!, outer[o + 1]!, inner[i + 1]!)
}

/** Triangles between two rings of the same division: the inner side has two points less. */
function stitchRegular(outer: Points, inner: Points, out: TriangleList): void {
  const count = inner.length
  add(out, outer[0]!, outer[1]!, inner[0]!)
  for (let p = 0; p < count - 1; p++) {
    if (p < count >> 1) addFirstHalf(outer, p + 1, inner, p, out)
    else addSecondHalf(outer, p + 1, inner, p, out)
  }
  add(out, outer[count]!, outer[count + 1]!, inner[count - 1]!)
}

/** Sides of a ring whose points begin at `first`; sides share their ends, the last one ends where the first begins. */
function sidesOfRing(first: number, segments: readonly number[]): Points[] {
  let start = first
  const total = segments.reduce((sum, n) => sum + n, 0)
  return segments.map((count) => {
    const side = Array.from({ length: count + 1 }, (_, n) => start + n)
    start += count
    if (start === first + total) side[count] = first
    return side
  })
}

const row = (first: number, count: number): Points => Array.from({ length: count }, (_, n) => first + n)

/** A center line as the four sides of a ring that has no area: `long` is the number of the side along which it runs first. */
function sidesOfLine(first: number, count: number, long: 0 | 1): Points[] {
  const line = row(first, count)
  const sides: Points[] = [[line[0]!], line, [line[count - 1]!], line.toReversed()]
  return long === 1 ? sides : [...sides.slice(1), sides[0]!]
}

function stitchRings(
  rings: readonly (readonly Points[])[],
  edges: readonly Side[],
  insides: readonly Side[],
  out: TriangleList,
): void {
  for (let r = 1; r < rings.length; r++) {
    rings[r - 1]!.forEach((outer, s) => {
      const inner = rings[r]![s]!
      if (r === 1) stitchTransition(outer, edges[s]!, inner, insides[s]!, out)
      else stitchRegular(outer, inner, out)
    })
  }
}

/** Rings of sides: the outer one by its edges, the others by the divisions of the inside, which lose two segments each. */
function ringsOf(edges: readonly Side[], insides: readonly Side[], count: number): { rings: Points[][]; next: number } {
  const rings: Points[][] = []
  let next = 0
  for (let r = 0; r < count; r++) {
    const segments = (r === 0 ? edges : insides).map((s) => s.pointCount - 1 - 2 * r)
    rings.push(sidesOfRing(next, segments))
    next += segments.reduce((sum, n) => sum + n, 0)
  }
  return { rings, next }
}

export function quadTriangles(edges: readonly Side[], [u, v]: readonly [Side, Side], out: TriangleList): void {
  const insides = [v, u, v, u]
  const isWide = u.pointCount > v.pointCount
  const short = isWide ? v : u
  const long = isWide ? u : v
  const count = ringCount(short.pointCount)
  const { rings, next } = ringsOf(edges, insides, count)
  if (!short.isOdd) rings.push(sidesOfLine(next, long.pointCount - 2 * count, isWide ? 1 : 0))
  stitchRings(rings, edges, insides, out)
  if (short.isOdd) stitchCenterStrip(rings.at(-1)!, isWide, v.isOdd, out)
}

/** The strip between the two long sides of the last ring of an odd division. */
function stitchCenterStrip(ring: readonly Points[], isWide: boolean, isMirrored: boolean, out: TriangleList): void {
  const outer = isWide ? ring[1]! : ring[0]!
  const inner = (isWide ? ring[3]! : ring[2]!).toReversed()
  const middle = (outer.length >> 1) - 1
  for (let p = 0; p < outer.length - 1; p++) {
    if (isWide || !isMirrored) addSecondHalf(outer, p, inner, p, out)
    else if (p === middle) addFirstHalf(outer, p, inner, p, out)
    else {
      add(out, outer[p]!, outer[p + 1]!, inner[p]!)
      add(out, inner[p]!, outer[p + 1]!, inner[p + 1]!)
    }
  }
}

export function triangleTriangles(edges: readonly Side[], inside: Side, out: TriangleList): void {
  const insides = [inside, inside, inside]
  const count = ringCount(inside.pointCount)
  const { rings, next } = ringsOf(edges, insides, count)
  if (!inside.isOdd) rings.push([[next], [next], [next]])
  stitchRings(rings, edges, insides, out)
  if (!inside.isOdd) return
  const [a, b, c] = rings.at(-1)!.map((side) => side[0]!) as [number, number, number]
  add(out, a, b, c)
}
