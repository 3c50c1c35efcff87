import type { Pair, ValueOps } from '../../isa/index.ts'
import { SUBPIXELS } from './fixed-point.ts'

/**
 * Values that are linear on the screen, as planes: the value at vertex 0, and how much it changes with 1/256 pixel to the right and
 * down. Everything is in double precision; positions less that of vertex 0 are whole numbers. In a thin triangle, of which the box is
 * much larger than the area, both products would be far larger than their sum: it keeps weights of its vertices.
 */

/** A triangle is thin where its box, a pixel wider and higher, has more than 2^6 times twice its area. */
const THIN_SHIFT = 6

/** `width` and `height` of its box in 1/256 pixel; below 2^25, so that doubles hold their product. */
export const isThin = (width: number, height: number, area2: number): boolean =>
  Math.floor(((width + SUBPIXELS) * (height + SUBPIXELS)) / 2 ** THIN_SHIFT) > Math.abs(area2)

/** As `isThin`, of a triangle with positions in 1/256 pixel. */
export function isThinTriangle(x: ArrayLike<number>, y: ArrayLike<number>, area2: number): boolean {
  const [x0, x1, x2, y0, y1, y2] = [x[0]!, x[1]!, x[2]!, y[0]!, y[1]!, y[2]!]
  const width = Math.max(x0, x1, x2) - Math.min(x0, x1, x2)
  return isThin(width, Math.max(y0, y1, y2) - Math.min(y0, y1, y2), area2)
}

/** As `isThin`, all ones or 0, of a small triangle. */
export function isThinWord<V>(o: ValueOps<V>, width: V, height: V, area2: V): V {
  const pixel = o.constant(SUBPIXELS)
  const box = o.i32Mul(o.i32Add(width, pixel), o.i32Add(height, pixel))
  const sign = o.shiftRightArithmetic(area2, o.constant(31))
  return o.i32Less(o.i32Sub(o.xor(area2, sign), sign), o.shiftRightLogical(box, o.constant(THIN_SHIFT)))
}

/** Differences of positions in 1/256 pixel, and the reciprocal of twice the area: what changes are made of. */
export interface PlaneFactors {
  x02: number
  minusY02: number
  x10: number
  minusY10: number
  inverseArea: number
}

/** The change with 1/256 pixel to the right of what differs by `d1` and `d2` at the other vertices. */
export const changeRight = (f: PlaneFactors, d1: number, d2: number): number =>
  (d1 * f.minusY02 + d2 * f.minusY10) * f.inverseArea

/** As `changeRight`, down. */
export const changeDown = (f: PlaneFactors, d1: number, d2: number): number => (d1 * f.x02 + d2 * f.x10) * f.inverseArea

type PlaneFactorWords<V> = { readonly [name in keyof PlaneFactors]: Pair<V> }

const change = <V>(o: ValueOps<V>, d1: Pair<V>, d2: Pair<V>, by1: Pair<V>, by2: Pair<V>, scale: Pair<V>): Pair<V> =>
  o.f64Mul(o.f64Add(o.f64Mul(d1, by1), o.f64Mul(d2, by2)), scale)

export const changeRightWords = <V>(o: ValueOps<V>, f: PlaneFactorWords<V>, d1: Pair<V>, d2: Pair<V>): Pair<V> =>
  change(o, d1, d2, f.minusY02, f.minusY10, f.inverseArea)

export const changeDownWords = <V>(o: ValueOps<V>, f: PlaneFactorWords<V>, d1: Pair<V>, d2: Pair<V>): Pair<V> =>
  change(o, d1, d2, f.x02, f.x10, f.inverseArea)

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
