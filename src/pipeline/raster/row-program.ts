import type { QuadMemory } from '../../engine/index.ts'
import type { Pair, ValueOps } from '../../isa/index.ts'
import { CONSTANT, PERSPECTIVE } from './clip.ts'
import { RECORD, RECORD_FRONT_FACING } from './primitive-record.ts'
import {
  attributeDouble,
  attributeFlag,
  PRIMITIVE_KIND,
  ROW_DOUBLE,
  ROW_WORD,
  type TableAttribute,
} from './primitive-table.ts'

/** Rows of the table of primitives, of triangles with an area, as operations on words and doubles: what `primitive-table.ts` does with numbers. */

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
  /** Of the viewport, float32. */
  readonly minDepth: V
  readonly maxDepth: V
}

const minusFloat = <V>(o: ValueOps<V>, word: V): V => o.xor(word, o.constant(SIGN))

export function storeRow<V>(o: ValueOps<V>, m: QuadMemory<V>, s: RowSource<V>): void {
  const c = (n: number): V => o.constant(n >>> 0)
  const at = (base: V, word: number): V => o.i32Add(base, c(word * 4))
  const three = (word: number): readonly [V, V, V] => m.load(at(s.record, word), 3) as unknown as readonly [V, V, V]
  const one = (word: number): V => m.load(at(s.record, word), 1)[0]!
  const storeWord = (word: number, value: V): void => m.store(at(s.row, word), [value])
  const storeDouble = (double: number, value: Pair<V>): void => m.store(at(s.row, double * 2), value)
  const double = (word: V): Pair<V> => o.f32ToF64(word)
  const [oneDouble, minusOne] = [double(c(ONE)), double(c(MINUS_ONE))]
  const [x0, x1, x2] = three(RECORD.x)
  const [y0, y1, y2] = three(RECORD.y)
  const [z0, z1, z2] = three(RECORD.z)
  const w = three(RECORD.w)
  const isFront = o.i32Equal(o.and(one(RECORD.kind), c(RECORD_FRONT_FACING)), c(RECORD_FRONT_FACING))
  const isFlat = w.map((v) => o.i32Equal(v, c(ONE))).reduce((a, b) => o.and(a, b))
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
    hasSame: c(0),
  }
  for (const name of Object.keys(ROW_WORD) as (keyof typeof ROW_WORD)[]) storeWord(ROW_WORD[name], words[name])
  const place = (n: number, word: V): void => storeDouble(n, o.i32ToF64(word))
  // As a double: of 0 it is -0, as numbers have it.
  const placeMinus = (n: number, word: V): void => storeDouble(n, o.f64Mul(o.i32ToF64(word), minusOne))
  const [x02, y02, x10, y10] = [o.i32Sub(x0, x2), o.i32Sub(y0, y2), o.i32Sub(x1, x0), o.i32Sub(y1, y0)]
  place(ROW_DOUBLE.x02, x02)
  placeMinus(ROW_DOUBLE.minusY2, y2)
  placeMinus(ROW_DOUBLE.minusY02, y02)
  placeMinus(ROW_DOUBLE.minusX2, x2)
  place(ROW_DOUBLE.x10, x10)
  placeMinus(ROW_DOUBLE.minusY0, y0)
  placeMinus(ROW_DOUBLE.minusY10, y10)
  placeMinus(ROW_DOUBLE.minusX0, x0)
  const area2 = o.i32ToF64(o.i32Sub(o.i32Mul(x02, y10), o.i32Mul(x10, y02)))
  storeDouble(ROW_DOUBLE.inverseArea, o.f64Div(oneDouble, area2))
  const [q0, q1, q2] = w.map((v) => o.f64Div(oneDouble, double(v))) as [Pair<V>, Pair<V>, Pair<V>]
  const minusQ0 = o.f64Div(minusOne, double(w[0]))
  storeDouble(ROW_DOUBLE.q0, q0)
  storeDouble(ROW_DOUBLE.q10, o.f64Add(q1, minusQ0))
  storeDouble(ROW_DOUBLE.q20, o.f64Add(q2, minusQ0))
  const minusZ0 = double(minusFloat(o, z0))
  storeDouble(ROW_DOUBLE.z0, double(z0))
  storeDouble(ROW_DOUBLE.z10, o.f64Add(double(z1), minusZ0))
  storeDouble(ROW_DOUBLE.z20, o.f64Add(double(z2), minusZ0))
  const vertexAt = (number: V): V => o.i32Add(s.vertices, o.i32Mul(number, c(s.vertexBytes)))
  const [v0, v1, v2] = three(RECORD.vertices).map(vertexAt) as [V, V, V]
  const leading = vertexAt(one(RECORD.leading))
  let hasSame = c(0)
  s.attributes.forEach(({ word, mode }, n) => {
    const of = (vertex: V): V => m.load(at(vertex, word), 1)[0]!
    const flag = attributeFlag(n)
    if (mode === CONSTANT) {
      m.store(at(s.row, flag), [c(-1), of(leading)])
      return
    }
    const [a0, a1, a2] = [of(v0), of(v1), of(v2)]
    // The same value everywhere, whatever the weights of places outside make of it; infinities too.
    const isSame = o.and(o.f32Equal(a0, a1), o.f32Equal(a0, a2))
    m.store(at(s.row, flag), [isSame, o.and(isSame, a0)])
    hasSame = o.or(hasSame, isSame)
    const over = (a: Pair<V>, q: Pair<V>): Pair<V> => (mode === PERSPECTIVE ? o.f64Mul(a, q) : a)
    const minusP0 = over(double(minusFloat(o, a0)), q0)
    const first = attributeDouble(n)
    storeDouble(first, over(double(a0), q0))
    storeDouble(first + 1, o.f64Add(over(double(a1), q1), minusP0))
    storeDouble(first + 2, o.f64Add(over(double(a2), q2), minusP0))
  })
  storeWord(ROW_WORD.hasSame, hasSame)
}
