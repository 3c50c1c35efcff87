import type { QuadMemory } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { HALF_PIXEL, SUBPIXELS } from './fixed-point.ts'
import { RECORD } from './primitive-record.ts'

/**
 * Coverage of small triangles as operations on words: what `cover-words.ts` does with numbers. Edge functions are those of
 * `cover-triangle.ts`, in whole 1/256 pixels.
 */

/** The widest and highest triangle in 1/256 pixel: edge functions within two pixels of its box are below 2 * 2^14 * (2^14 + 2^10), which is below 2^30. */
export const MAX_SMALL_EXTENT = 2 ** 14

/** Whether a triangle, by the size of its box, is one of those that the program covers. */
export const isSmall = (width: number, height: number): boolean =>
  width <= MAX_SMALL_EXTENT && height <= MAX_SMALL_EXTENT

/** Words of a triangle to cover: where its record is and where its vertices begin, in bytes, then its pixels. */
export const JOB = { record: 0, vertices: 1, left: 2, top: 3, right: 4, bottom: 5 } as const
export const JOB_WORDS = 8

/** The pixels of a quad and the words of each triangle that is covered. */
interface CoveredQuad<V> {
  readonly x: V
  readonly y: V
  /** By pixel: covered samples as bits. */
  readonly masks: V
}

interface Edge<V> {
  /** At the pixels of the first quad. */
  readonly first: V
  readonly dx: V
  readonly dy: V
}

/** Edges of a clockwise triangle at the pixels of a quad; what is at least 0 is covered. */
function edgesOf<V>(o: ValueOps<V>, x: readonly V[], y: readonly V[], px: V, py: V): readonly Edge<V>[] {
  const center = (p: V): V => o.i32Add(o.shiftLeft(p, o.constant(8)), o.constant(HALF_PIXEL))
  const [cx, cy] = [center(px), center(py)]
  return [0, 1, 2].map((a) => {
    const b = (a + 1) % 3
    const dx = o.i32Sub(x[b]!, x[a]!)
    const dy = o.i32Sub(y[b]!, y[a]!)
    const zero = o.constant(0)
    const isTopLeft = o.or(o.i32Less(dy, zero), o.and(o.i32Equal(dy, zero), o.i32Less(zero, dx)))
    const atCenter = o.i32Sub(o.i32Mul(dx, o.i32Sub(cy, y[a]!)), o.i32Mul(dy, o.i32Sub(cx, x[a]!)))
    // 1 less where the edge belongs to the triangle on its other side.
    return { first: o.i32Add(atCenter, o.not(isTopLeft)), dx, dy }
  })
}

/** The order of vertices that is clockwise on the screen. */
function clockwise<V>(o: ValueOps<V>, x: readonly V[], y: readonly V[]): readonly [readonly V[], readonly V[]] {
  const side = (a: V, b: V): V => o.i32Sub(a, b)
  const area = o.i32Sub(
    o.i32Mul(side(x[1]!, x[0]!), side(y[2]!, y[0]!)),
    o.i32Mul(side(x[2]!, x[0]!), side(y[1]!, y[0]!)),
  )
  const isOther = o.i32Less(area, o.constant(0))
  const ordered = (v: readonly V[]): readonly V[] => [
    v[0]!,
    o.select(isOther, v[2]!, v[1]!),
    o.select(isOther, v[1]!, v[2]!),
  ]
  return [ordered(x), ordered(y)]
}

/**
 * Goes over the quads of a triangle's pixels, by rows; `take` is called in the code of a quad, with what is counted so far and all ones
 * where no sample of it is covered, and answers the next count. Answers the last.
 */
export function coverWords<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  job: V,
  offsets: Int32Array,
  count: V,
  take: (quad: CoveredQuad<V>, count: V, isEmpty: V) => V,
): V {
  const [record, , left, top] = m.load(job, 4) as [V, V, V, V]
  const [right, bottom] = m.load(o.i32Add(job, o.constant(JOB.right * 4)), 2) as [V, V]
  const ofRecord = (word: number): readonly V[] => m.load(o.i32Add(record, o.constant(word * 4)), 3)
  const [x, y] = clockwise(o, ofRecord(RECORD.x), ofRecord(RECORD.y))
  const { column: pixelX, row: pixelY } = m
  const even = o.constant(0xfffffffe)
  const [firstX, firstY] = [o.and(left, even), o.and(top, even)]
  const edges = edgesOf(o, x, y, o.i32Add(firstX, pixelX), o.i32Add(firstY, pixelY))
  const two = o.constant(2)
  const step = o.constant(2 * SUBPIXELS)
  const steps = edges.map(({ dx, dy }) => ({
    right: o.i32Mul(o.i32Sub(o.constant(0), dy), step),
    down: o.i32Mul(dx, step),
  }))
  /** How far each edge function is at a sample from that at the center. */
  const samples = Array.from({ length: offsets.length / 2 }, (_, s) =>
    edges.map(({ dx, dy }) => {
      const [ox, oy] = [offsets[s * 2]!, offsets[s * 2 + 1]!]
      return o.i32Sub(o.i32Mul(dx, o.constant(oy >>> 0)), o.i32Mul(dy, o.constant(ox >>> 0)))
    }),
  )
  const beyond = (p: V, from: V, to: V): V => o.or(o.i32Sub(p, from), o.i32Sub(o.i32Sub(to, o.constant(1)), p))
  const row = (qy: V, starts: readonly V[], n: V): V => {
    const outsideY = beyond(o.i32Add(qy, pixelY), top, bottom)
    const ends = m.repeat(
      [firstX, ...starts, n],
      ([qx]) => o.i32Less(qx!, right),
      (words) => {
        const [qx, e0, e1, e2, taken] = words as [V, V, V, V, V]
        const outside = o.or(outsideY, beyond(o.i32Add(qx, pixelX), left, right))
        const e = [e0, e1, e2]
        const ofSamples = samples.map((s) => {
          const [a, b, c] = e.map((value, i) => o.i32Add(value, s[i]!)) as [V, V, V]
          return o.or(o.or(a, b), o.or(c, outside))
        })
        const masks = ofSamples
          .map((word, s) => o.shiftLeft(o.shiftRightLogical(o.not(word), o.constant(31)), o.constant(s)))
          .reduce((a, b) => o.or(a, b))
        const nowhere = ofSamples.reduce((a, b) => o.and(a, b))
        const isEmpty = o.i32Equal(m.signs(nowhere), o.constant(15))
        const next = take({ x: qx, y: qy, masks }, taken, isEmpty)
        return [o.i32Add(qx, two), ...e.map((value, i) => o.i32Add(value, steps[i]!.right)), next]
      },
    )
    return ends[4]!
  }
  const ends = m.repeat(
    [firstY, ...edges.map((e) => e.first), count],
    ([qy]) => o.i32Less(qy!, bottom),
    (words) => {
      const [qy, e0, e1, e2, n] = words as [V, V, V, V, V]
      const starts = [e0, e1, e2]
      const next = row(qy, starts, n)
      return [o.i32Add(qy, two), ...starts.map((value, i) => o.i32Add(value, steps[i]!.down)), next]
    },
  )
  return ends[4]!
}
