import type { QuadMemory } from '../../../engine/index.ts'
import type { ValueOps } from '../../../isa/index.ts'
import type { DepthStencilTestState } from '../../merge/index.ts'
import { centerWord, LONG_ROW } from '../../raster/index.ts'
import { BLOCK, isNotNearer } from '../depth-bounds.ts'
import type { Band, TriangleWords } from '../triangle-quads.ts'

/**
 * Rows of a triangle in which every block of the depth buffer that its box touches is nearer than all of it: their quads need not be
 * looked at. Where a count of their pixels is wanted, it is found by where each row begins and ends.
 */

/** Lane i stands for i. */
const laneNumber = <V>(o: ValueOps<V>, m: QuadMemory<V>): V => o.i32Add(m.column, o.shiftLeft(m.row, o.constant(1)))

/** All ones where no sample of a band can pass, by the bounds of its blocks, four at once; `least` is the triangle's least depth. */
export function isBandHidden<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  { view, depthStencil }: DepthStencilTestState,
  bounds: V,
  { y, left, right }: Band<V>,
  least: V,
): V {
  const c = (n: number): V => o.constant(n)
  const [shift, lane] = [c(Math.log2(BLOCK)), laneNumber(o, m)]
  const first = o.shiftRightArithmetic(left, shift)
  const count = o.i32Sub(o.shiftRightArithmetic(o.i32Add(right, c(BLOCK - 1)), shift), first)
  const number = o.i32Add(o.i32Mul(o.shiftRightArithmetic(y, shift), c(view.width / BLOCK)), first)
  const at = o.i32Add(o.i32Add(bounds, o.shiftLeft(number, c(2))), o.shiftLeft(lane, c(2)))
  const farthest = (): readonly V[] =>
    m
      .repeat(
        [c(0), c(0)],
        ([n]) => o.i32Less(n!, count),
        ([n, most]) => {
          const word = m.load(o.i32Add(at, o.shiftLeft(n!, c(2))), 1)[0]!
          const bound = o.and(word, o.i32Less(o.i32Add(n!, lane), count))
          return [o.i32Add(n!, c(4)), o.select(o.i32Less(most!, bound), bound, most!)]
        },
      )
      .slice(1)
  const hidden = (): readonly V[] => {
    const isHidden = isNotNearer(o, depthStencil.depthFunc, least, farthest()[0]!)
    return [o.i32Equal(m.signs(isHidden), c(15))]
  }
  // Of short rows the quads are few.
  const isLong = o.i32Less(c(2 * LONG_ROW - 1), o.i32Sub(right, left))
  return m.choose(isLong, hidden, () => [c(0)])[0]!
}

/** How many pixels of the rows of a band a triangle covers, of one sample a pixel: by lane the sum of some of its rows. */
export function pixelsOfBand<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  t: TriangleWords<V>,
  { y, top, bottom, left, right }: Band<V>,
): V {
  const c = (n: number): V => o.constant(n >>> 0)
  const [zero, lane] = [c(0), laneNumber(o, m)]
  const smaller = (a: V, b: V): V => o.select(o.i32Less(a, b), a, b)
  const larger = (a: V, b: V): V => o.select(o.i32Less(a, b), b, a)
  const most = o.i32Sub(o.i32Sub(right, left), c(1))
  const steps = t.left.map((word) => {
    const [isPositive, isNegative] = [o.i32Less(zero, word), o.i32Less(word, zero)]
    const size = o.shiftLeft(o.select(isNegative, o.i32Sub(zero, word), word), c(8))
    return { isPositive, isNegative, size: o.i32ToF64(size) }
  })
  const ofRow = (row: V): V => {
    const edges = t.edgesAt(centerWord(o, left), centerWord(o, row))
    let [from, to] = [zero, most]
    edges.forEach((edge, i) => {
      const { isPositive, isNegative, size } = steps[i]!
      const isOutside = o.shiftRightArithmetic(edge, c(31))
      // Whole steps until the last value that is not negative, or to the last one that is: below 2^53 quotients never round up to a whole number.
      const count = o.f64ToI32(o.f64Div(o.i32ToF64(o.xor(edge, isOutside)), size))
      from = larger(from, o.and(o.and(isOutside, isNegative), o.i32Add(count, c(1))))
      const last = o.select(isOutside, o.select(isNegative, most, c(-1)), o.select(isPositive, count, most))
      to = smaller(to, last)
    })
    const isBelow = o.and(o.not(o.i32Less(row, top)), o.i32Less(row, bottom))
    return o.and(larger(o.i32Add(o.i32Sub(to, from), c(1)), zero), isBelow)
  }
  const [, pixels] = m.repeat(
    [y, zero],
    ([row]) => o.i32Less(row!, bottom),
    ([row, sum]) => [o.i32Add(row!, c(4)), o.i32Add(sum!, ofRow(o.i32Add(row!, lane)))],
  )
  return pixels!
}
