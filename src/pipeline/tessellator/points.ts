import { ONE } from './fixed-factors.ts'
import type { Side } from './side.ts'

/** Domain points of a patch in their order: rings from the outside in, each side without its last point, then the center. */

/** Points while they are found, as u, v pairs. */
export interface PointList {
  readonly words: Int32Array
  count: number
}

function add(out: PointList, u: number, v: number): void {
  out.words[2 * out.count] = u
  out.words[2 * out.count + 1] = v
  out.count++
}

/** Complete rings of an inside that has `pointCount` points across: the outer ring among them, a center line or point not. */
export const ringCount = (pointCount: number): number => pointCount >> 1

/** Ring `ring` of a quad; sides are given in the order U = 0, V = 0, U = 1, V = 1, and run around the ring. */
function quadRing(sides: readonly Side[], ring: number, out: PointList): void {
  const [u0, v0, u1, v1] = sides as [Side, Side, Side, Side]
  const [alongU, alongV] = [v0.locations, u0.locations]
  const [lastU, lastV] = [v0.pointCount - 1 - ring, u0.pointCount - 1 - ring]
  // The coordinate that a side keeps comes from the sides beside it; on the outer ring it is 0 or 1.
  const [lowU, lowV] = ring === 0 ? [0, 0] : [alongU[ring]!, alongV[ring]!]
  const [highU, highV] = ring === 0 ? [ONE, ONE] : [alongU[lastU]!, alongV[lastV]!]
  const { words } = out
  let at = 2 * out.count
  for (let p = lastV; p > ring; p--, at += 2) {
    words[at] = lowU
    words[at + 1] = alongV[p]!
  }
  for (let p = ring; p < lastU; p++, at += 2) {
    words[at] = alongU[p]!
    words[at + 1] = lowV
  }
  const { locations: right, pointCount: rightCount } = u1
  for (let p = ring; p < rightCount - 1 - ring; p++, at += 2) {
    words[at] = highU
    words[at + 1] = right[p]!
  }
  const { locations: below, pointCount: belowCount } = v1
  for (let p = belowCount - 1 - ring; p > ring; p--, at += 2) {
    words[at] = below[p]!
    words[at + 1] = highV
  }
  out.count = at / 2
}

/** `insides` are the divisions along U and along V. */
export function quadPoints(edges: readonly Side[], insides: readonly [Side, Side], out: PointList): void {
  const [alongU, alongV] = insides
  quadRing(edges, 0, out)
  const rings = ringCount(Math.min(alongU.pointCount, alongV.pointCount))
  for (let ring = 1; ring < rings; ring++) quadRing([alongV, alongU, alongV, alongU], ring, out)
  if (alongU.pointCount > alongV.pointCount) {
    if (alongV.isOdd) return
    for (let p = rings; p <= alongU.pointCount - 1 - rings; p++) add(out, alongU.locations[p]!, ONE / 2)
  } else if (!alongU.isOdd) {
    for (let p = alongV.pointCount - 1 - rings; p >= rings; p--) add(out, ONE / 2, alongV.locations[p]!)
  }
}

/** 2/3 and 1/3, rounded down, in 1/65536. */
const TWO_THIRDS = 0xaaaa
const THIRD = 0x5555

/** Edges are given in the order U = 0, V = 0, W = 0. */
export function trianglePoints(edges: readonly Side[], inside: Side, out: PointList): void {
  const [u0, v0, w0] = edges as [Side, Side, Side]
  for (let p = u0.pointCount - 1; p > 0; p--) add(out, 0, u0.locations[p]!)
  for (let p = 0; p < v0.pointCount - 1; p++) add(out, v0.locations[p]!, 0)
  for (let p = w0.pointCount - 1; p > 0; p--) add(out, w0.locations[p]!, ONE - w0.locations[p]!)
  const rings = ringCount(inside.pointCount)
  for (let ring = 1; ring < rings; ring++) triangleRing(inside, ring, out)
  if (!inside.isOdd) add(out, THIRD, THIRD)
}

/** An inner ring keeps 2/3 of the distance from its edge that the division has, and its points move by half of that. */
function triangleRing(inside: Side, ring: number, out: PointList): void {
  const last = inside.pointCount - 1 - ring
  const kept = (inside.locations[ring]! * TWO_THIRDS + ONE / 2) >>> 16
  const moved = (kept + 1) >> 1
  for (let p = last; p > ring; p--) add(out, kept, inside.locations[p]! - moved)
  for (let p = ring; p < last; p++) add(out, inside.locations[p]! - moved, kept)
  for (let p = last; p > ring; p--) {
    const u = inside.locations[p]! - moved
    add(out, u, ONE - u - kept)
  }
}

/** Lines one after the other; the line at V = 1 belongs to the next patch. */
export function linePoints(detail: Side, density: Side, out: PointList): void {
  for (let line = 0; line < density.pointCount - 1; line++) {
    for (let p = 0; p < detail.pointCount; p++) add(out, detail.locations[p]!, density.locations[line]!)
  }
}
