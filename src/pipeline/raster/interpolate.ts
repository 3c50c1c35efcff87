import { floatsOf } from '../geometry.ts'
import { CONSTANT, NOPERSPECTIVE, PERSPECTIVE } from './clip.ts'
import { HALF_PIXEL, SUBPIXELS } from './fixed-point.ts'
import {
  attributeDouble,
  attributeFlag,
  hasDepthPlane,
  PLANE_WORD,
  PRIMITIVE_KIND,
  type PrimitiveTable,
  planeWord,
  ROW_DOUBLE,
  ROW_WORD,
} from './primitive-table.ts'

/**
 * Attributes at a place on the screen (functional specification 3.5, 16.4): weights from exact edge functions over snapped
 * positions, computed in double precision and rounded once to float32, with products with reciprocals for quotients, which are as good
 * for that; with the precision `fast`, of draws that ask for it, each operation is one of float32. `interpolate-words.ts` has the same
 * for compilers.
 */

/** Places at which a primitive is evaluated, by columns: positions in 1/256 pixel, and what `weights` makes of them. */
export interface Places {
  readonly x: Float64Array
  readonly y: Float64Array
  /** Weights of the second and third vertex; of planes how far below and to the right of vertex 0 the place is. */
  readonly l1: Float64Array
  readonly l2: Float64Array
  /** Interpolated 1/w. */
  readonly q: Float64Array
  /** Of the precision `fast`: the weights of attributes in perspective. Of its triangles l1 and l2 are distances from vertex 0, p1 is w. */
  readonly p1: Float64Array
  readonly p2: Float64Array
}

export function newPlaces(capacity: number): Places {
  const column = (): Float64Array => new Float64Array(capacity)
  return { x: column(), y: column(), l1: column(), l2: column(), q: column(), p1: column(), p2: column() }
}

/** The same memory as bits and as float32. */
export interface RegisterWords {
  readonly words: Int32Array
  readonly floats: Float32Array
}

export const registerWords = (words: Int32Array): RegisterWords => ({
  words,
  floats: floatsOf(words),
})

/**
 * Functions of a row of a table at the places `from` up to, not including, `to`. What is asked of place `i` is written to element
 * `first + i`.
 */

/** Fills the weights of places whose positions are set, for attributes. */
export function fillWeights(table: PrimitiveTable, row: number, at: Places, from: number, to: number): void {
  if (table.precision === 'fast') fillFastWeights(table, row, at, from, to)
  else fillExactWeights(table, row, at, from, to)
}

const { fround } = Math

/** Distances from vertex 0 in place of weights, and the interpolated w; of lines their weights. */
function fillFastWeights(table: PrimitiveTable, row: number, at: Places, from: number, to: number): void {
  const { floats, words } = table
  const { x, y, l1, l2, q, p1, p2 } = at
  const r = row * table.stride * 2
  const q0 = floats[r + PLANE_WORD.q0]!
  const [qx, qy] = [floats[r + PLANE_WORD.qx]!, floats[r + PLANE_WORD.qy]!]
  if (table.word(row, ROW_WORD.kind) >= PRIMITIVE_KIND.triangle) {
    const [x0, y0] = [words[r + PLANE_WORD.x0]!, words[r + PLANE_WORD.y0]!]
    for (let i = from; i < to; i++) {
      const dx = (l1[i] = x[i]! - x0)
      const dy = (l2[i] = y[i]! - y0)
      q[i] = fround(fround(q0 + fround(dy * qy)) + fround(dx * qx))
      p1[i] = fround(1 / q[i]!)
    }
    return
  }
  fillExactWeights(table, row, at, from, to)
  const [q1, q2] = [floats[r + PLANE_WORD.q1]!, floats[r + PLANE_WORD.q2]!]
  for (let i = from; i < to; i++) {
    l1[i] = fround(l1[i]!)
    q[i] = fround(fround(q0 + fround(qx * l1[i]!)) + fround(qy * l2[i]!))
    const w = fround(1 / q[i]!)
    p1[i] = fround(fround(q1 * l1[i]!) * w)
    p2[i] = fround(fround(q2 * l2[i]!) * w)
  }
}

/** As `fillWeights` whatever the precision of the table: for depth and clip distances. */
export function fillExactWeights(table: PrimitiveTable, row: number, at: Places, from: number, to: number): void {
  const { doubles } = table
  const r = row * table.stride
  const kind = table.word(row, ROW_WORD.kind)
  if (kind >= PRIMITIVE_KIND.triangle) triangleWeights(doubles, r, at, from, to)
  else if (kind === PRIMITIVE_KIND.line) lineWeights(doubles, r, at, from, to)
  else {
    at.l1.fill(0, from, to)
    at.l2.fill(0, from, to)
  }
  const q0 = doubles[r + ROW_DOUBLE.q0]!
  const d1 = doubles[r + ROW_DOUBLE.q1]!
  const d2 = doubles[r + ROW_DOUBLE.q2]!
  const { l1, l2, q } = at
  for (let i = from; i < to; i++) q[i] = q0 + d1 * l1[i]! + d2 * l2[i]!
}

function lineWeights(doubles: Float64Array, r: number, at: Places, from: number, to: number): void {
  const minusX0 = doubles[r + ROW_DOUBLE.minusX0]!
  const minusY0 = doubles[r + ROW_DOUBLE.minusY0]!
  const dx = doubles[r + ROW_DOUBLE.x10]!
  const dy = -doubles[r + ROW_DOUBLE.minusY10]!
  const length2 = dx * dx + dy * dy
  for (let i = from; i < to; i++) {
    const t = length2 === 0 ? 0 : ((at.x[i]! + minusX0) * dx + (at.y[i]! + minusY0) * dy) / length2
    // Beyond the ends the attributes are those of the ends.
    at.l1[i] = Math.min(1, Math.max(0, t))
    at.l2[i] = 0
  }
}

function triangleWeights(doubles: Float64Array, r: number, at: Places, from: number, to: number): void {
  const inverseArea = doubles[r + ROW_DOUBLE.inverseArea]!
  const x02 = doubles[r + ROW_DOUBLE.x02]!
  const minusY02 = doubles[r + ROW_DOUBLE.minusY02]!
  const x10 = doubles[r + ROW_DOUBLE.x10]!
  const minusY0 = doubles[r + ROW_DOUBLE.minusY0]!
  const minusY10 = doubles[r + ROW_DOUBLE.minusY10]!
  const minusX0 = doubles[r + ROW_DOUBLE.minusX0]!
  const { x, y, l1, l2 } = at
  for (let i = from; i < to; i++) {
    // Vertex 0 lies on both edges.
    const dx = x[i]! + minusX0
    const dy = y[i]! + minusY0
    l1[i] = (x02 * dy + minusY02 * dx) * inverseArea
    l2[i] = (x10 * dy + minusY10 * dx) * inverseArea
  }
}

/** `p0 + d1 * l1 + d2 * l2` of three doubles of the table, the first of which is element `d`. */
export function fillLinear(
  { doubles }: PrimitiveTable,
  d: number,
  { l1, l2 }: Places,
  from: number,
  to: number,
  into: Float32Array | Float64Array,
  first: number,
): void {
  const p0 = doubles[d]!
  const d1 = doubles[d + 1]!
  const d2 = doubles[d + 2]!
  for (let i = from; i < to; i++) into[first + i] = number(p0 + d1 * l1[i]! + d2 * l2[i]!)
}

/** What engines agree on where a result is NaN: its sign and payload are the host's else. */
const number = (value: number): number => (Number.isNaN(value) ? Number.NaN : value)

/**
 * Depth, float32, at places whose positions are set: what is tested is what the shader sees. Of a plane it is that of the pixel's center
 * and what the place adds to it, the same for all pixels.
 */
export function fillDepth(
  table: PrimitiveTable,
  row: number,
  at: Places,
  from: number,
  to: number,
  into: Float32Array,
  first: number,
): void {
  const { doubles, words, stride } = table
  const d = row * stride
  if (!hasDepthPlane(words, d * 2)) {
    fillExactWeights(table, row, at, from, to)
    fillLinear(table, d + ROW_DOUBLE.z0, at, from, to, into, first)
    return
  }
  const minusX0 = doubles[d + ROW_DOUBLE.minusX0]!
  const minusY0 = doubles[d + ROW_DOUBLE.minusY0]!
  const z0 = doubles[d + ROW_DOUBLE.z0]!
  const down = doubles[d + ROW_DOUBLE.z1]!
  const right = doubles[d + ROW_DOUBLE.z2]!
  for (let i = from; i < to; i++) {
    const [x, y] = [at.x[i]!, at.y[i]!]
    const [centerX, centerY] = [(x & -SUBPIXELS) | HALF_PIXEL, (y & -SUBPIXELS) | HALF_PIXEL]
    const center = z0 + (centerY + minusY0) * down + (centerX + minusX0) * right
    const isCenter = x === centerX && y === centerY
    into[first + i] = number(isCenter ? center : center + ((y - centerY) * down + (x - centerX) * right))
  }
}

/** The interpolated w: the reciprocal of the interpolated 1/w (16.3). */
export function fillW({ q }: Places, from: number, to: number, into: Float32Array, first: number): void {
  for (let i = from; i < to; i++) into[first + i] = number(1 / q[i]!)
}

/** Bits of attribute `n` of the table, at places whose weights are set. */
export function fillAttribute(
  table: PrimitiveTable,
  row: number,
  n: number,
  at: Places,
  from: number,
  to: number,
  into: RegisterWords,
  first: number,
): void {
  if (table.precision === 'fast') {
    fillFastAttribute(table, row, n, at, from, to, into, first)
    return
  }
  const flag = attributeFlag(n)
  if (table.word(row, flag) !== 0) {
    into.words.fill(table.word(row, flag + 1), first + from, first + to)
    return
  }
  const d = row * table.stride + attributeDouble(n)
  if (table.attributes[n]!.mode === NOPERSPECTIVE) fillLinear(table, d, at, from, to, into.floats, first)
  else inPerspective(table.doubles, d, at, from, to, into.floats, first)
}

function fillFastAttribute(
  table: PrimitiveTable,
  row: number,
  n: number,
  at: Places,
  from: number,
  to: number,
  { words, floats: into }: RegisterWords,
  first: number,
): void {
  const plane = planeWord(n)
  const { mode } = table.attributes[n]!
  if (mode === CONSTANT) {
    words.fill(table.word(row, plane), first + from, first + to)
    return
  }
  const { floats } = table
  const r = row * table.stride * 2 + plane
  const [a0, d1, d2] = [floats[r]!, floats[r + 1]!, floats[r + 2]!]
  if (table.word(row, ROW_WORD.kind) >= PRIMITIVE_KIND.triangle) {
    const { l1: dx, l2: dy, p1: w } = at
    const isLinear = mode !== PERSPECTIVE || table.word(row, ROW_WORD.isFlat) !== 0
    for (let i = from; i < to; i++) {
      const [right, down] = [fround(dx[i]! * d1), fround(dy[i]! * d2)]
      const value = isLinear ? fround(a0 + down) + right : a0 + fround(fround(down + right) * w[i]!)
      into[first + i] = number(fround(value))
    }
    return
  }
  const [w1, w2] = mode === PERSPECTIVE ? [at.p1, at.p2] : [at.l1, at.l2]
  for (let i = from; i < to; i++) {
    into[first + i] = number(fround(fround(a0 + fround(d1 * w1[i]!)) + fround(d2 * w2[i]!)))
  }
}

/** A value over w, which is linear as 1/w is. */
function inPerspective(
  doubles: Float64Array,
  d: number,
  { l1, l2, q }: Places,
  from: number,
  to: number,
  into: Float32Array,
  first: number,
): void {
  const p0 = doubles[d]!
  const d1 = doubles[d + 1]!
  const d2 = doubles[d + 2]!
  for (let i = from; i < to; i++) into[first + i] = number((p0 + d1 * l1[i]! + d2 * l2[i]!) * (1 / q[i]!))
}

/** Center of a pixel in 1/256 pixel. */
export const centerOf = (pixel: number): number => pixel * SUBPIXELS + HALF_PIXEL

/** Interpolation of a pixel shader input by the number that its declaration has (INTERPOLATION_NUMBER). */
export function modeOf(interpolation: number): {
  readonly mode: number
  readonly at: 'center' | 'centroid' | 'sample'
} {
  switch (interpolation) {
    case 2:
      return { mode: PERSPECTIVE, at: 'center' }
    case 3:
      return { mode: PERSPECTIVE, at: 'centroid' }
    case 4:
      return { mode: NOPERSPECTIVE, at: 'center' }
    case 5:
      return { mode: NOPERSPECTIVE, at: 'centroid' }
    case 6:
      return { mode: PERSPECTIVE, at: 'sample' }
    case 7:
      return { mode: NOPERSPECTIVE, at: 'sample' }
    default:
      return { mode: CONSTANT, at: 'center' }
  }
}
