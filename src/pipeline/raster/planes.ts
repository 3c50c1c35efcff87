import type { Pair, ValueOps } from '../../isa/index.ts'
import { SUBPIXELS } from './fixed-point.ts'

/**
 * Values that are linear on the screen, as planes: the value at vertex 0, and how much it changes with 1/256 pixel to the right and
 * down. Everything is in double precision; positions less that of vertex 0 are whole numbers. In a thin triangle, of which the box is
 * much larger than the area, both products would be far larger than their sum: it keeps weights of its vertices. So do attributes of
 * small triangles: there are many, with few pixels each, and to find changes takes longer than weights.
 */

/** A triangle is thin where its box, a pixel wider and higher, has more than 2^6 times twice its area. */
const THIN_SHIFT = 6

/** `width` and `height` of its box in 1/256 pixel; below 2^25, so that doubles hold their product. */
export const isThin = (width: number, height: number, area2: number): boolean =>
  Math.floor(((width + SUBPIXELS) * (height + SUBPIXELS)) / 2 ** THIN_SHIFT) > Math.abs(area2)

/** How far apart three coordinates are. */
export const extentOf = (v: ArrayLike<number>): number => Math.max(v[0]!, v[1]!, v[2]!) - Math.min(v[0]!, v[1]!, v[2]!)

/** As `isThin`, of a triangle with positions in 1/256 pixel. */
export const isThinTriangle = (x: ArrayLike<number>, y: ArrayLike<number>, area2: number): boolean =>
  isThin(extentOf(x), extentOf(y), area2)

/** As `isThin`, all ones or 0, of a small triangle. */
export function isThinWord<V>(o: ValueOps<V>, width: V, height: V, area2: V): V {
  const pixel = o.constant(SUBPIXELS)
  const box = o.i32Mul(o.i32Add(width, pixel), o.i32Add(height, pixel))
  const sign = o.shiftRightArithmetic(area2, o.constant(31))
  return o.i32Less(o.i32Sub(o.xor(area2, sign), sign), o.shiftRightLogical(box, o.constant(THIN_SHIFT)))
}

/** What changes of a plane are made of: differences of positions in 1/256 pixel, and the reciprocal of twice the area. */
interface PlaneFactors {
  down1: number
  down2: number
  right1: number
  right2: number
  scale: number
}

/** Those of the triangle that is set up; where it has weights, both changes are the differences of the vertices themselves. */
interface TriangleFactors extends PlaneFactors {
  isPlane: boolean
}

export const newFactors = (): TriangleFactors => ({
  isPlane: false,
  down1: 0,
  down2: 0,
  right1: 0,
  right2: 0,
  scale: 0,
})

interface PlacedTriangle {
  readonly x: ArrayLike<number>
  readonly y: ArrayLike<number>
  readonly area2: number
}

/** Sets the factors of a triangle that has planes, or weights. */
export function setFactors(f: TriangleFactors, { x, y, area2 }: PlacedTriangle, isPlane: boolean): void {
  f.isPlane = isPlane
  if (!isPlane) return
  f.down1 = x[0]! - x[2]!
  f.down2 = x[1]! - x[0]!
  f.right1 = y[2]! - y[0]!
  f.right2 = y[0]! - y[1]!
  f.scale = 1 / area2
}

/** The change with 1/256 pixel to the right of what differs by `d1` and `d2` at the other vertices. */
export const changeRight = (f: TriangleFactors, d1: number, d2: number): number =>
  f.isPlane ? (d1 * f.right1 + d2 * f.right2) * f.scale : d2

/** As `changeRight`, down. */
export const changeDown = (f: TriangleFactors, d1: number, d2: number): number =>
  f.isPlane ? (d1 * f.down1 + d2 * f.down2) * f.scale : d1

type PlaneFactorWords<V> = { readonly [name in keyof PlaneFactors]: Pair<V> }

const change = <V>(o: ValueOps<V>, d1: Pair<V>, d2: Pair<V>, by1: Pair<V>, by2: Pair<V>, scale: Pair<V>): Pair<V> =>
  o.f64Mul(o.f64Add(o.f64Mul(d1, by1), o.f64Mul(d2, by2)), scale)

export const changeRightWords = <V>(o: ValueOps<V>, f: PlaneFactorWords<V>, d1: Pair<V>, d2: Pair<V>): Pair<V> =>
  change(o, d1, d2, f.right1, f.right2, f.scale)

export const changeDownWords = <V>(o: ValueOps<V>, f: PlaneFactorWords<V>, d1: Pair<V>, d2: Pair<V>): Pair<V> =>
  change(o, d1, d2, f.down1, f.down2, f.scale)

export const inverseWords = <V>(o: ValueOps<V>, whole: V): Pair<V> =>
  o.f64Div(o.f32ToF64(o.constant(0x3f800000)), o.i32ToF64(whole))

/** Factors by differences of positions: of vertex 0 to vertex 2, and of vertex 1 to vertex 0. */
export function factorWords<V>(o: ValueOps<V>, x02: V, y02: V, x10: V, y10: V, area2: V): PlaneFactorWords<V> {
  const minus = (word: V): Pair<V> => o.i32ToF64(o.i32Sub(o.constant(0), word))
  const scale = inverseWords(o, area2)
  return { down1: o.i32ToF64(x02), down2: o.i32ToF64(x10), right1: minus(y02), right2: minus(y10), scale }
}

/** A plane: its value at vertex 0, and its changes to the right and down. */
export interface PlaneWords<V> {
  readonly first: Pair<V>
  readonly right: Pair<V>
  readonly down: Pair<V>
}

/** The plane at a place so far from vertex 0. What depends on the row alone is found first: it is the same for all pixels of a row. */
export const planeWords = <V>(
  o: ValueOps<V>,
  { first, right, down }: PlaneWords<V>,
  dx: Pair<V>,
  dy: Pair<V>,
): Pair<V> => o.f64Add(o.f64Add(first, o.f64Mul(dy, down)), o.f64Mul(dx, right))

/** How much the plane changes from the center of a pixel to a place so far away from it, the same in all pixels. */
export const offsetWords = <V>(
  o: ValueOps<V>,
  { right, down }: Pick<PlaneWords<V>, 'right' | 'down'>,
  offsetX: Pair<V>,
  offsetY: Pair<V>,
): Pair<V> => o.f64Add(o.f64Mul(offsetY, down), o.f64Mul(offsetX, right))
