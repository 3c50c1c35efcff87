import type { QuadMemory } from '../../engine/index.ts'
import type { ValueOps } from '../../isa/index.ts'
import { HALF_PIXEL, SUBPIXELS } from './fixed-point.ts'
import { RECORD } from './primitive-record.ts'

/**
 * Coverage of small triangles as operations on words: what `cover-triangle.ts` does with numbers, in whole 1/256 pixels.
 */

/**
 * The widest and highest triangle in 1/256 pixel, so that what edge functions are within two pixels of its box is below
 * 2 * 30,720 * (30,720 + 1,024), and with the farthest sample of a quad below 2^31.
 */
export const MAX_SMALL_EXTENT = 120 * SUBPIXELS
/** Pixels that its box touches at the most, across and down. */
export const MAX_SMALL_PIXELS = 121

/** Whether a triangle, by the size of its box, is one of those that the program covers. */
export const isSmall = (width: number, height: number): boolean =>
  width <= MAX_SMALL_EXTENT && height <= MAX_SMALL_EXTENT

/** Words of a triangle to cover: where its record is and where its vertices begin, in bytes, then its pixels. */
export const JOB = { record: 0, vertices: 1, left: 2, top: 3, right: 4, bottom: 5 } as const
export const JOB_WORDS = 8

/** The pixels of a quad and the words of each triangle that is covered. */
export interface CoveredQuad<V> {
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

/** Quads of a row from which it is worth finding where the triangle begins and ends in it. */
export const LONG_ROW = 6

/** The most that an edge function is above that at the first pixel's center, over the samples of a quad. */
export function farthestSample<V>(o: ValueOps<V>, dx: V, dy: V, samples: readonly V[]): V {
  const larger = (a: V, b: V): V => o.select(o.i32Less(a, b), b, a)
  const zero = o.constant(0)
  const pixel = (d: V): V => larger(zero, o.shiftLeft(d, o.constant(8)))
  return o.i32Add(o.i32Add(pixel(dx), pixel(o.i32Sub(zero, dy))), samples.reduce(larger))
}

/**
 * The first quad of a row of which no edge function is negative everywhere, and the first behind these. `most` are the largest values in the
 * first quad, and `steps` their changes from quad to quad.
 */
export function touchedQuads<V>(o: ValueOps<V>, most: readonly V[], steps: readonly V[], columns: V): readonly V[] {
  const zero = o.constant(0)
  const larger = (a: V, b: V): V => o.select(o.i32Less(a, b), b, a)
  const smaller = (a: V, b: V): V => o.select(o.i32Less(a, b), a, b)
  const limits = most.map((value, i) => {
    const isOutside = o.i32Less(value, zero)
    const step = steps[i]!
    const size = larger(step, o.i32Sub(zero, step))
    // Steps until the first value that is not negative, or the last one.
    const missing = o.i32Add(o.i32Sub(zero, value), o.i32Sub(size, o.constant(1)))
    const count = o.u32Div(o.select(isOutside, missing, value), size)
    const grows = o.i32Less(zero, step)
    const shrinks = o.i32Less(step, zero)
    return {
      from: o.select(isOutside, o.select(grows, count, columns), zero),
      to: o.select(o.and(shrinks, o.not(isOutside)), o.i32Add(count, o.constant(1)), columns),
    }
  })
  return [limits.map((l) => l.from).reduce(larger), limits.map((l) => l.to).reduce(smaller, columns)]
}

/**
 * Goes over the quads of a triangle's pixels, by rows; `take` is called in the code of a quad, with what is counted so far and a bit for
 * each pixel of which no sample is covered, and answers the next count. Answers the last.
 */
export function coverWords<V>(
  o: ValueOps<V>,
  m: QuadMemory<V>,
  job: V,
  offsets: Int32Array,
  count: V,
  take: (quad: CoveredQuad<V>, count: V, empty: V) => V,
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
  const corners = edgesOf(o, x, y, firstX, firstY)
  const farthest = edges.map(({ dx, dy }, i) =>
    farthestSample(
      o,
      dx,
      dy,
      samples.map((s) => s[i]!),
    ),
  )
  const columns = o.shiftRightArithmetic(o.i32Add(o.i32Sub(right, firstX), o.constant(1)), o.constant(1))
  const isLong = o.i32Less(o.constant(LONG_ROW - 1), columns)
  const row = (qy: V, starts: readonly V[], ofCorner: readonly V[], n: V): V => {
    const outsideY = beyond(o.i32Add(qy, pixelY), top, bottom)
    const most = ofCorner.map((e, i) => o.i32Add(e, farthest[i]!))
    const [from, to] = m.choose(
      isLong,
      () =>
        touchedQuads(
          o,
          most,
          steps.map((s) => s.right),
          columns,
        ),
      () => [o.constant(0), columns],
    ) as [V, V]
    const moved = starts.map((e, i) => o.i32Add(e, o.i32Mul(from, steps[i]!.right)))
    const end = o.i32Add(firstX, o.shiftLeft(to, o.constant(1)))
    const ends = m.repeat(
      [o.i32Add(firstX, o.shiftLeft(from, o.constant(1))), ...moved, n],
      ([qx]) => o.i32Less(qx!, end),
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
        const next = take({ x: qx, y: qy, masks }, taken, m.signs(nowhere))
        return [o.i32Add(qx, two), ...e.map((value, i) => o.i32Add(value, steps[i]!.right)), next]
      },
    )
    return ends[4]!
  }
  const ends = m.repeat(
    [firstY, count, ...edges.map((e) => e.first), ...corners.map((e) => e.first)],
    ([qy]) => o.i32Less(qy!, bottom),
    ([qy, n, ...all]) => {
      const next = row(qy!, all.slice(0, 3), all.slice(3), n!)
      return [o.i32Add(qy!, two), next, ...all.map((value, i) => o.i32Add(value, steps[i % 3]!.down))]
    },
  )
  return ends[1]!
}
