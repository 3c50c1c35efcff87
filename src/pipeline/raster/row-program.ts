import type { QuadMemory } from '../../engine/index.ts'
import { type Pair, type ValueOps, wordsOf } from '../../isa/index.ts'
import type { Precision } from '../state.ts'
import { CONSTANT, PERSPECTIVE } from './clip.ts'
import { isModerateWWord } from './moderate-w.ts'
import { changeDownWords, changeRightWords, factorWords } from './planes.ts'
import { RECORD, RECORD_FRONT_FACING, RECORD_THIN } from './primitive-record.ts'
import {
  attributeDouble,
  attributeFlag,
  PLANE_WORD,
  PRIMITIVE_KIND,
  planeWord,
  ROW_DOUBLE,
  ROW_WORD,
  sameBit,
  type TableAttribute,
} from './primitive-table.ts'

/** Rows of the table of primitives, of small triangles with an area, as operations on words and doubles: what `primitive-table.ts` does with numbers. */

const ONE = 0x3f800000
const MINUS_ONE = 0xbf800000
const SIGN = 0x80000000

interface RowSource<V> {
  /** Byte addresses: of the triangle's record, of the first vertex, and of the row. */
  readonly record: V
  readonly vertices: V
  readonly row: V
  /** Bytes of a vertex. */
  readonly vertexBytes: number
  readonly attributes: readonly TableAttribute[]
  readonly precision: Precision
  /** Of the viewport, float32. */
  readonly minDepth: V
  readonly maxDepth: V
}

export function storeRow<V>(o: ValueOps<V>, m: QuadMemory<V>, s: RowSource<V>): void {
  const c = (n: number): V => o.constant(n >>> 0)
  const at = (base: V, word: number): V => o.i32Add(base, c(word * 4))
  const three = (word: number): readonly [V, V, V] => m.load(at(s.record, word), 3) as unknown as readonly [V, V, V]
  const one = (word: number): V => m.load(at(s.record, word), 1)[0]!
  const storeWord = (word: number, value: V): void => m.store(at(s.row, word), [value])
  const storeDouble = (double: number, value: Pair<V>): void => m.store(at(s.row, double * 2), wordsOf(value))
  const double = (word: V): Pair<V> => o.f32ToF64(word)
  const [oneDouble, minusOne] = [double(c(ONE)), double(c(MINUS_ONE))]
  const [x0, x1, x2] = three(RECORD.x)
  const [y0, y1, y2] = three(RECORD.y)
  const [z0, z1, z2] = three(RECORD.z)
  const w = three(RECORD.w)
  const isFlat = w.map((v) => o.i32Equal(v, c(ONE))).reduce((a, b) => o.and(a, b))
  const isThin = flag(o, one(RECORD.kind), RECORD_THIN)
  storeWords(o, m, s, isFlat, isThin)
  // As a double: of 0 it is -0, as numbers have it.
  const minus = (word: V): Pair<V> => o.f64Mul(o.i32ToF64(word), minusOne)
  const [x02, y02, x10, y10] = [o.i32Sub(x0, x2), o.i32Sub(y0, y2), o.i32Sub(x1, x0), o.i32Sub(y1, y0)]
  const area2 = o.i32Sub(o.i32Mul(x02, y10), o.i32Mul(x10, y02))
  const factors = factorWords(o, x02, y02, x10, y10, area2)
  const inverseArea = factors.scale
  storeDouble(ROW_DOUBLE.x02, factors.down1)
  storeDouble(ROW_DOUBLE.minusY02, factors.right1)
  storeDouble(ROW_DOUBLE.x10, factors.down2)
  storeDouble(ROW_DOUBLE.minusY10, factors.right2)
  storeDouble(ROW_DOUBLE.inverseArea, inverseArea)
  storeDouble(ROW_DOUBLE.minusX0, minus(x0))
  storeDouble(ROW_DOUBLE.minusY0, minus(y0))
  const minusZ0 = double(minusFloat(o, z0))
  const [z10, z20] = [o.f64Add(double(z1), minusZ0), o.f64Add(double(z2), minusZ0)]
  storeDouble(ROW_DOUBLE.z0, double(z0))
  storeDouble(ROW_DOUBLE.z1, choice(o, isThin, z10, changeDownWords(o, factors, z10, z20)))
  storeDouble(ROW_DOUBLE.z2, choice(o, isThin, z20, changeRightWords(o, factors, z10, z20)))
  const q = w.map((v) => o.f64Div(oneDouble, double(v))) as [Pair<V>, Pair<V>, Pair<V>]
  const minusQ0 = o.f64Div(minusOne, double(w[0]))
  const vertexAt = (number: V): V => o.i32Add(s.vertices, o.i32Mul(number, c(s.vertexBytes)))
  const vertices = three(RECORD.vertices).map(vertexAt) as [V, V, V]
  const leading = vertexAt(one(RECORD.leading))
  const wordAt = (vertex: V, word: number): V => m.load(at(vertex, word), 1)[0]!
  const vertexWords: VertexWordsOf<V> = {
    of: (word) => vertices.map((v) => wordAt(v, word)) as [V, V, V],
    leading: (word) => wordAt(leading, word),
  }
  const changes = { q10: o.f64Add(q[1], minusQ0), q20: o.f64Add(q[2], minusQ0) }
  if (s.precision === 'exact') {
    storeDouble(ROW_DOUBLE.q0, q[0])
    storeDouble(ROW_DOUBLE.q1, changes.q10)
    storeDouble(ROW_DOUBLE.q2, changes.q20)
    storeWord(ROW_WORD.same, storeAttributes(o, m, s, vertexWords, q))
    return
  }
  const slopes = storeCommonPlanes(o, m, s.row, { x: [x0, x02, x10], y: [y0, y02, y10], inverseArea, q, ...changes })
  const same = storePlanes(o, m, s, vertexWords, slopes)
  storeWord(ROW_WORD.same, o.and(same, slopes.isModerate))
}

/** All ones where a word has a bit. */
const flag = <V>(o: ValueOps<V>, word: V, bit: number): V => o.i32Equal(o.and(word, o.constant(bit)), o.constant(bit))

const choice = <V>(o: ValueOps<V>, condition: V, a: Pair<V>, b: Pair<V>): Pair<V> => [
  o.select(condition, a[0], b[0]),
  o.select(condition, a[1], b[1]),
]

/** What a row has of its triangle as words. */
function storeWords<V>(o: ValueOps<V>, m: QuadMemory<V>, s: RowSource<V>, isFlat: V, isThin: V): void {
  const c = (n: number): V => o.constant(n >>> 0)
  const one = (word: number): V => m.load(o.i32Add(s.record, c(word * 4)), 1)[0]!
  const isFront = flag(o, one(RECORD.kind), RECORD_FRONT_FACING)
  const words: Readonly<Record<keyof typeof ROW_WORD, V>> = {
    primitiveId: one(RECORD.primitiveId),
    isFrontFacing: isFront,
    slice: c(0),
    viewportIndex: one(RECORD.viewportIndex),
    renderTargetIndex: one(RECORD.renderTargetIndex),
    clipDistances: c(0),
    kind: c(PRIMITIVE_KIND.triangle),
    minDepth: s.minDepth,
    maxDepth: s.maxDepth,
    instance: one(RECORD.instance),
    sequence: one(RECORD.sequence),
    isFlat,
    same: c(0),
    isThin,
  }
  for (const name of Object.keys(ROW_WORD) as (keyof typeof ROW_WORD)[]) {
    m.store(o.i32Add(s.row, c(ROW_WORD[name] * 4)), [words[name]])
  }
}

/** Positions of vertex 0 with differences, as integers; the reciprocal of twice the area; 1/w of the vertices with differences. */
interface PlaneSource<V> {
  readonly x: readonly [V, V, V]
  readonly y: readonly [V, V, V]
  readonly inverseArea: Pair<V>
  readonly q: readonly [Pair<V>, Pair<V>, Pair<V>]
  readonly q10: Pair<V>
  readonly q20: Pair<V>
}

/** By how much something changes with 1/256 pixel to the right and down, float32. */
interface Slopes<V> {
  readonly right: V
  readonly down: V
}

/** Those of the weights of the second and third vertex. */
type WeightSlopes<V> = readonly [Slopes<V>, Slopes<V>]

/** Those of a value with differences of the second and third vertex to the first. */
function slopesOf<V>(o: ValueOps<V>, d1: V, d2: V, [of1, of2]: WeightSlopes<V>): Slopes<V> {
  const one = (name: keyof Slopes<V>): V => o.f32Add(o.f32Mul(d1, of1[name]), o.f32Mul(d2, of2[name]))
  return { right: one('right'), down: one('down') }
}

interface CommonSlopes<V> {
  readonly linear: WeightSlopes<V>
  readonly perspective: WeightSlopes<V>
  /** All ones where 1/w, and so w, is a finite number that is not 0 at all pixels of quads that the triangle touches. */
  readonly isModerate: V
}

/** Stores what attributes have in common; slopes of weights on the screen, and over w. */
function storeCommonPlanes<V>(o: ValueOps<V>, m: QuadMemory<V>, row: V, s: PlaneSource<V>): CommonSlopes<V> {
  const [x0, x02, x10] = s.x
  const [y0, y02, y10] = s.y
  const minusOne = o.f32ToF64(o.constant(MINUS_ONE))
  const slope = (word: V): V => o.f64ToF32(o.f64Mul(o.f64Mul(o.i32ToF64(word), minusOne), s.inverseArea))
  const rise = (word: V): V => o.f64ToF32(o.f64Mul(o.i32ToF64(word), s.inverseArea))
  const linear = [
    { right: slope(y02), down: rise(x02) },
    { right: slope(y10), down: rise(x10) },
  ] as const
  const [q1, q2] = [o.f64ToF32(s.q[1]), o.f64ToF32(s.q[2])]
  const over = ({ right, down }: Slopes<V>, q: V): Slopes<V> => ({ right: o.f32Mul(right, q), down: o.f32Mul(down, q) })
  const ofQ = slopesOf(o, o.f64ToF32(s.q10), o.f64ToF32(s.q20), linear)
  const planes: Readonly<Record<keyof typeof PLANE_WORD, V>> = {
    x0,
    y0,
    q0: o.f64ToF32(s.q[0]),
    qx: ofQ.right,
    qy: ofQ.down,
    q1,
    q2,
  }
  for (const name of Object.keys(PLANE_WORD) as (keyof typeof PLANE_WORD)[]) {
    m.store(o.i32Add(row, o.constant(PLANE_WORD[name] * 4)), [planes[name]])
  }
  const isModerate = isModerateWWord(o, planes.q0, ofQ.right, ofQ.down)
  return { linear, perspective: [over(linear[0], q1), over(linear[1], q2)], isModerate }
}

/** Words of the triangle's vertices, and of the one that constant attributes come from. */
interface VertexWordsOf<V> {
  of(word: number): readonly [V, V, V]
  leading(word: number): V
}

const minusFloat = <V>(o: ValueOps<V>, word: V): V => o.xor(word, o.constant(SIGN))

/** Stores the attributes; those that are interpolated and the same at all vertices, by their bits. */
function storeAttributes<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { row, attributes }: RowSource<V>,
  vertices: VertexWordsOf<V>,
  q: readonly [Pair<V>, Pair<V>, Pair<V>],
): V {
  const at = (word: number): V => o.i32Add(row, o.constant(word * 4))
  const double = (word: V): Pair<V> => o.f32ToF64(word)
  let same = o.constant(0)
  attributes.forEach(({ word, mode }, n) => {
    const flag = attributeFlag(n)
    if (mode === CONSTANT) {
      m.store(at(flag), [o.constant(0xffffffff), vertices.leading(word)])
      return
    }
    const [a0, a1, a2] = vertices.of(word)
    // The same value everywhere, whatever the weights of places outside make of it; infinities too.
    const isSame = o.and(o.f32Equal(a0, a1), o.f32Equal(a0, a2))
    m.store(at(flag), [isSame, o.and(isSame, a0)])
    same = o.or(same, o.and(isSame, o.constant(sameBit(n))))
    const over = (a: Pair<V>, n: 0 | 1 | 2): Pair<V> => (mode === PERSPECTIVE ? o.f64Mul(a, q[n]) : a)
    const minusP0 = over(double(minusFloat(o, a0)), 0)
    const first = attributeDouble(n) * 2
    m.store(at(first), wordsOf(over(double(a0), 0)))
    m.store(at(first + 2), wordsOf(o.f64Add(over(double(a1), 1), minusP0)))
    m.store(at(first + 4), wordsOf(o.f64Add(over(double(a2), 2), minusP0)))
  })
  return same
}

/**
 * Stores the attributes of a `fast` row; those that are the same at all vertices and not -0, by their bits: products with their changes
 * are 0 then where 1/w is moderate, and a sum with 0 is what it was, but that of -0.
 */
function storePlanes<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { row, attributes }: RowSource<V>,
  vertices: VertexWordsOf<V>,
  slopes: CommonSlopes<V>,
): V {
  let same = o.constant(0)
  attributes.forEach(({ word, mode }, n) => {
    const at = o.i32Add(row, o.constant(planeWord(n) * 4))
    if (mode === CONSTANT) {
      m.store(at, [vertices.leading(word)])
      return
    }
    const [a0, a1, a2] = vertices.of(word)
    // Infinities that are the same have no difference either.
    const difference = (a: V): V => o.select(o.f32Equal(a, a0), o.constant(0), o.f32Sub(a, a0))
    const ofWeights = mode === PERSPECTIVE ? slopes.perspective : slopes.linear
    const { right, down } = slopesOf(o, difference(a1), difference(a2), ofWeights)
    m.store(at, [a0, right, down])
    const isSame = o.and(o.f32Equal(a0, a1), o.f32Equal(a0, a2))
    const isKept = o.and(isSame, o.not(o.i32Equal(a0, o.constant(SIGN))))
    same = o.or(same, o.and(isKept, o.constant(sameBit(n))))
  })
  return same
}
