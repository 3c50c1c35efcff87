import type { Pair, ValueOps } from '../../isa/index.ts'
import { HALF_PIXEL, SUBPIXELS } from './fixed-point.ts'
import { offsetWords, type PlaneWords, planeWords } from './planes.ts'
import { attributeDouble, attributeFlag, PLANE_WORD, planeWord, ROW_DOUBLE, ROW_WORD } from './primitive-table.ts'

/**
 * Attributes of triangles as operations on words and doubles: the definition for compilers, in the order of operations of
 * `interpolate.ts`.
 */

/** Words and doubles of the row of a primitive, by number. */
export interface RowWords<V> {
  word(n: number): V
  /** A word that is loaded with those beside it. */
  float(n: number): V
  double(n: number): Pair<V>
}

/**
 * A place on the screen: its position in 1/256 pixel, and the weights of the second and third vertex, or how far it is below and to
 * the right of vertex 0.
 */
export interface PlaceWords<V> {
  readonly x: V
  readonly y: V
  readonly l1: Pair<V>
  readonly l2: Pair<V>
}

/** The center of a pixel in 1/256 pixel. */
export const centerWord = <V>(o: ValueOps<V>, pixel: V): V =>
  o.i32Add(o.i32Mul(pixel, o.constant(SUBPIXELS)), o.constant(HALF_PIXEL))

/** Edge functions of the second and third vertex at a place. Positions have 24 bits, products 48, sums 49: exact. */
interface EdgeWords<V> {
  readonly e1: Pair<V>
  readonly e2: Pair<V>
}

const double = <V>(row: RowWords<V>, name: keyof typeof ROW_DOUBLE): Pair<V> => row.double(ROW_DOUBLE[name])

function edgeWords<V>(o: ValueOps<V>, row: RowWords<V>, x: V, y: V): EdgeWords<V> {
  // Vertex 0 lies on both edges.
  const dx = o.f64Add(o.i32ToF64(x), double(row, 'minusX0'))
  const dy = o.f64Add(o.i32ToF64(y), double(row, 'minusY0'))
  const edge = (ofY: Pair<V>, ofX: Pair<V>): Pair<V> => o.f64Add(o.f64Mul(ofY, dy), o.f64Mul(ofX, dx))
  return {
    e1: edge(double(row, 'x02'), double(row, 'minusY02')),
    e2: edge(double(row, 'x10'), double(row, 'minusY10')),
  }
}

/**
 * Edge functions so far away from a place, in 1/256 pixel: the same numbers, since all are exact, but that a zero may have
 * another sign.
 */
function movedEdges<V>(
  o: ValueOps<V>,
  row: RowWords<V>,
  { e1, e2 }: EdgeWords<V>,
  right: number,
  down: number,
): EdgeWords<V> {
  if (right === 0 && down === 0) return { e1, e2 }
  const [dx, dy] = [right, down].map((n) => o.i32ToF64(o.constant(n >>> 0))) as [Pair<V>, Pair<V>]
  const change = (x: Pair<V>, minusDy: Pair<V>): Pair<V> => o.f64Add(o.f64Mul(x, dy), o.f64Mul(minusDy, dx))
  return {
    e1: o.f64Add(e1, change(double(row, 'x02'), double(row, 'minusY02'))),
    e2: o.f64Add(e2, change(double(row, 'x10'), double(row, 'minusY10'))),
  }
}

type WeightWords<V> = Pick<PlaceWords<V>, 'l1' | 'l2'>

/** The weights of a place in a triangle that has an area. */
function weightWords<V>(o: ValueOps<V>, row: RowWords<V>, { e1, e2 }: EdgeWords<V>): WeightWords<V> {
  const inverseArea = double(row, 'inverseArea')
  return { l1: o.f64Mul(e1, inverseArea), l2: o.f64Mul(e2, inverseArea) }
}

/** A place with its weights in a triangle that has an area. */
export const placeWords = <V>(o: ValueOps<V>, row: RowWords<V>, x: V, y: V): PlaceWords<V> => ({
  x,
  y,
  ...weightWords(o, row, edgeWords(o, row, x, y)),
})

/** `p0 + d1 * l1 + d2 * l2` of three doubles from number `d` on. */
function linear<V>(o: ValueOps<V>, row: RowWords<V>, d: number, { l1, l2 }: WeightWords<V>): Pair<V> {
  return o.f64Add(o.f64Add(row.double(d), o.f64Mul(row.double(d + 1), l1)), o.f64Mul(row.double(d + 2), l2))
}

/** Depth of a thin triangle, float32. */
export const thinDepthWord = <V>(o: ValueOps<V>, row: RowWords<V>, at: WeightWords<V>): V =>
  o.f64ToF32(linear(o, row, ROW_DOUBLE.z0, at))

const valueAt = <V>(row: RowWords<V>, d: number): PlaneWords<V> => ({
  first: row.double(d),
  down: row.double(d + 1),
  right: row.double(d + 2),
})

/** Depth of a triangle that is not thin. */
const depthPlane = <V>(row: RowWords<V>): PlaneWords<V> => valueAt(row, ROW_DOUBLE.z0)

/** How far a place in 1/256 pixel is from vertex 0. */
const fromX0 = <V>(o: ValueOps<V>, row: RowWords<V>, x: V): Pair<V> => o.f64Add(o.i32ToF64(x), double(row, 'minusX0'))
const fromY0 = <V>(o: ValueOps<V>, row: RowWords<V>, y: V): Pair<V> => o.f64Add(o.i32ToF64(y), double(row, 'minusY0'))

/** A place of a wide triangle. What a value has of its row is found before what it has of its column. */
export const placeOfPlane = <V>(o: ValueOps<V>, row: RowWords<V>, x: V, y: V): PlaceWords<V> => ({
  x,
  y,
  l1: fromY0(o, row, y),
  l2: fromX0(o, row, x),
})

/** Loads what interpolated 1/w and attributes are made of in a wide triangle, for a loop that comes next. */
export function loadPlanes<V>(row: RowWords<V>, attributes: readonly number[]): void {
  for (const name of ['minusX0', 'minusY0', 'q0'] as const) double(row, name)
  for (const d of [ROW_DOUBLE.q0, ...attributes.map(attributeDouble)]) valueAt(row, d)
}

/** Loads what depth is made of in a triangle that is not thin, for a loop that comes next. */
export function loadDepthPlane<V>(row: RowWords<V>): void {
  for (const name of ['minusX0', 'minusY0'] as const) double(row, name)
  depthPlane(row)
}

/** Depth of a triangle that is not thin, at a place in 1/256 pixel. */
const planeDepth = <V>(o: ValueOps<V>, row: RowWords<V>, x: V, y: V): Pair<V> =>
  planeWords(o, depthPlane(row), fromX0(o, row, x), fromY0(o, row, y))

/** What a place so far from the center of a pixel adds to the depth there; undefined where it is the center. */
export type OffsetDepth<V> = Pair<V> | undefined

export const offsetDepth = <V>(
  o: ValueOps<V>,
  plane: Pick<PlaneWords<V>, 'right' | 'down'>,
  x: number,
  y: number,
): OffsetDepth<V> =>
  x === 0 && y === 0
    ? undefined
    : offsetWords(o, plane, o.i32ToF64(o.constant(x >>> 0)), o.i32ToF64(o.constant(y >>> 0)))

/** Depth, float32, by that at the center of the pixel. */
export const depthAtOffset = <V>(o: ValueOps<V>, center: Pair<V>, offset: OffsetDepth<V>): V =>
  o.f64ToF32(offset === undefined ? center : o.f64Add(center, offset))

/** Depths of samples, whose offsets from the center are given in turns of x and y, float32. */
export function sampleDepths<V>(o: ValueOps<V>, row: RowWords<V>, x: V, y: V, offsets: Int32Array): readonly V[] {
  const center = planeDepth(o, row, x, y)
  const plane = depthPlane(row)
  return Array.from({ length: offsets.length / 2 }, (_, s) =>
    depthAtOffset(o, center, offsetDepth(o, plane, offsets[s * 2]!, offsets[s * 2 + 1]!)),
  )
}

/** As `sampleDepths` of a thin triangle. */
export function thinSampleDepths<V>(o: ValueOps<V>, row: RowWords<V>, x: V, y: V, offsets: Int32Array): readonly V[] {
  const atCenter = edgeWords(o, row, x, y)
  return Array.from({ length: offsets.length / 2 }, (_, s) =>
    thinDepthWord(o, row, weightWords(o, row, movedEdges(o, row, atCenter, offsets[s * 2]!, offsets[s * 2 + 1]!))),
  )
}

/** Depth of a triangle that is not thin at the center of a pixel, or so far from it, in 1/256 pixel. */
export function placeDepth<V>(
  o: ValueOps<V>,
  row: RowWords<V>,
  [x, y]: readonly [V, V],
  offset: readonly [V, V] | undefined,
): V {
  const center = planeDepth(o, row, x, y)
  if (offset === undefined) return o.f64ToF32(center)
  const [right, down] = offset
  const isCenter = o.i32Equal(o.or(right, down), o.constant(0))
  const there = o.f64Add(center, offsetWords(o, depthPlane(row), o.i32ToF64(right), o.i32ToF64(down)))
  return o.select(isCenter, o.f64ToF32(center), o.f64ToF32(there))
}

/** Interpolated 1/w. */
export const inverseWWords = <V>(o: ValueOps<V>, row: RowWords<V>, at: PlaceWords<V>): Pair<V> =>
  linear(o, row, ROW_DOUBLE.q0, at)

/** The interpolated w, of the interpolated 1/w. */
export const wWords = <V>(o: ValueOps<V>, q: Pair<V>): Pair<V> => o.f64Div(o.f32ToF64(o.constant(0x3f800000)), q)

/** Bits of attribute `n`, which is the same everywhere. */
export const constantWord = <V>(row: RowWords<V>, n: number): V => row.word(attributeFlag(n) + 1)

/** Attribute `n` where it is linear on the screen; in perspective it is over w. */
export const linearWords = <V>(o: ValueOps<V>, row: RowWords<V>, n: number, at: PlaceWords<V>): Pair<V> =>
  linear(o, row, attributeDouble(n), at)

/** Attribute `n` of a wide triangle where it is linear on the screen: at vertex 0, and what a pixel adds down and to the right, float32. */
export function pixelPlaneWords<V>(
  o: ValueOps<V>,
  row: RowWords<V>,
  n: number,
): { readonly first: V; readonly down: V; readonly right: V } {
  const { first, down, right } = valueAt(row, attributeDouble(n))
  const ofPixel = (change: Pair<V>): V => o.f64ToF32(o.f64Mul(change, o.i32ToF64(o.constant(SUBPIXELS))))
  return { first: o.f64ToF32(first), down: ofPixel(down), right: ofPixel(right) }
}

/** Bits of attribute `n`, whose value at a place is given. */
export function attributeWord<V>(o: ValueOps<V>, row: RowWords<V>, n: number, value: V): V {
  const flag = attributeFlag(n)
  return o.select(row.word(flag), row.word(flag + 1), value)
}

/** A place in a triangle of a `fast` row: its distance from vertex 0 in 1/256 pixel, float32. */
export interface FastPlaceWords<V> {
  readonly dx: V
  readonly dy: V
}

const ONE = 0x3f800000

export const fastPlaceWords = <V>(o: ValueOps<V>, row: RowWords<V>, [x, y]: readonly [V, V]): FastPlaceWords<V> => ({
  dx: o.i32ToF32(o.i32Sub(x, row.word(PLANE_WORD.x0))),
  dy: o.i32ToF32(o.i32Sub(y, row.word(PLANE_WORD.y0))),
})

/** Words of a row beside each other: a value at vertex 0, and by how much it changes to the right and down. */
const planeAt = <V>(row: RowWords<V>, n: number): readonly [V, V, V] => [
  row.float(n),
  row.float(n + 1),
  row.float(n + 2),
]

/** What is linear on the screen. What a row of pixels has in common comes first, so that it is there once. */
function fastLinear<V>(o: ValueOps<V>, [first, right, down]: readonly [V, V, V], { dx, dy }: FastPlaceWords<V>): V {
  return o.f32Add(o.f32Add(first, o.f32Mul(dy, down)), o.f32Mul(dx, right))
}

/** The interpolated w. */
export const fastWWord = <V>(o: ValueOps<V>, row: RowWords<V>, at: FastPlaceWords<V>): V =>
  o.f32Div(o.constant(ONE), fastLinear(o, planeAt(row, PLANE_WORD.q0), at))

/** Bits of attribute `n` of a `fast` row that is constant. */
export const fastConstantWord = <V>(row: RowWords<V>, n: number): V => row.word(planeWord(n))

/** Attribute `n` of a `fast` row where it is linear on the screen. */
export const fastLinearWord = <V>(o: ValueOps<V>, row: RowWords<V>, n: number, at: FastPlaceWords<V>): V =>
  fastLinear(o, planeAt(row, planeWord(n)), at)

/** Attribute `n` of a `fast` row in perspective, at a place with its interpolated w: its difference to vertex 0 is a plane over w. */
export function fastPerspectiveWord<V>(
  o: ValueOps<V>,
  row: RowWords<V>,
  n: number,
  { dx, dy }: FastPlaceWords<V>,
  w: V,
): V {
  const [first, right, down] = planeAt(row, planeWord(n))
  return o.f32Add(first, o.f32Mul(o.f32Add(o.f32Mul(dy, down), o.f32Mul(dx, right)), w))
}

/**
 * The words of a `fast` row that attributes are made of, loaded here: for loops in which they stay the same. Others are those of the row
 * that is given to what this answers.
 */
export function heldPlanes<V>(row: RowWords<V>, attributes: readonly number[]): (others: RowWords<V>) => RowWords<V> {
  const held = new Map<number, V>()
  const hold = (first: number, count: number): void => {
    for (let n = first; n < first + count; n++) held.set(n, row.float(n))
  }
  held.set(ROW_WORD.isFlat, row.word(ROW_WORD.isFlat))
  hold(PLANE_WORD.x0, 2)
  hold(PLANE_WORD.q0, 3)
  for (const n of attributes) hold(planeWord(n), 3)
  return (others) => ({
    word: (n) => held.get(n) ?? others.word(n),
    float: (n) => held.get(n) ?? others.float(n),
    double: (n) => others.double(n),
  })
}
