import { HALF_PIXEL, SUBPIXELS } from './fixed-point.ts'
import type { PixelRect, QuadSink, RunSink } from './primitive.ts'

/**
 * Coverage of triangles by exact edge functions (functional specification 3.4.2.1): E = dx * (py - ay) - dy * (px - ax) is positive inside of
 * a clockwise triangle; samples on an edge belong to it where it is a top or a left edge. Coordinates have 24 bits, products 48, sums
 * 50: doubles hold them exactly. With E' = E - (1 where the edge is neither top nor left, else 0) a sample is covered where E' >= 0 for all
 * edges, which floor(E' / 256) keeps; a step of a pixel is 256 positions, so that it changes the quotient by exactly -dy to the right and
 * by dx down. Inside of a quad a quotient changes by less than 2^27, so that whole numbers of 32 bits are enough there.
 */

/** Of a quotient that is farther from 0 than this the sign is what counts in a quad: no sample of it changes that. */
const FAR = 2 ** 30

const MASKS = new Uint32Array(4)
const MAX_SAMPLES = 16

/** Quotients of each edge at the first sample of the first pixel, of its other samples above that, and how they change to the right and down. */
const FIRST = new Float64Array(3)
const SAMPLES = [new Int32Array(MAX_SAMPLES), new Int32Array(MAX_SAMPLES), new Int32Array(MAX_SAMPLES)] as const
const RIGHT = new Int32Array(3)
const DOWN = new Int32Array(3)
/** The most and the least that a quotient in a quad is above that of its first pixel's first sample. */
const MOST = new Int32Array(3)
const LEAST = new Int32Array(3)

/** Whether samples on an edge of a clockwise triangle belong to it: on top edges and left ones. */
export const isTopLeft = (dx: number, dy: number): boolean => dy < 0 || (dy === 0 && dx > 0)

/** Sets up the edge from a to b of a clockwise triangle. */
function setEdge(
  i: 0 | 1 | 2,
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  offsets: Int32Array,
): void {
  const dx = bx - ax
  const dy = by - ay
  const atCenter = dx * (cy - ay) - dy * (cx - ax) - (isTopLeft(dx, dy) ? 0 : 1)
  RIGHT[i] = -dy
  DOWN[i] = dx
  const samples = SAMPLES[i]
  const first = Math.floor((atCenter + dx * offsets[1]! - dy * offsets[0]!) / SUBPIXELS)
  FIRST[i] = first
  for (let s = 0; s < offsets.length; s += 2) {
    samples[s >> 1] = Math.floor((atCenter + dx * offsets[s + 1]! - dy * offsets[s]!) / SUBPIXELS) - first
  }
}

/** The quads of a triangle's box: pixels from left and top up to right and bottom. */
interface Box {
  left: number
  top: number
  right: number
  bottom: number
}

const BOX: Box = { left: 0, top: 0, right: 0, bottom: 0 }

/** Pixels with a center inside of the triangle's box; with more samples those whose squares touch it. */
export function setPixelBox(
  box: Box,
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  isCentersOnly: boolean,
  bounds: PixelRect,
): void {
  const [x0, x1, x2, y0, y1, y2] = [x[0]!, x[1]!, x[2]!, y[0]!, y[1]!, y[2]!]
  const before = isCentersOnly ? HALF_PIXEL - 1 : 0
  const behind = isCentersOnly ? HALF_PIXEL : 0
  box.left = Math.max(bounds.left, (Math.min(x0, x1, x2) + before) >> 8)
  box.top = Math.max(bounds.top, (Math.min(y0, y1, y2) + before) >> 8)
  box.right = Math.min(bounds.right, ((Math.max(x0, x1, x2) - behind) >> 8) + 1)
  box.bottom = Math.min(bounds.bottom, ((Math.max(y0, y1, y2) - behind) >> 8) + 1)
}

/**
 * Finds the samples that a triangle covers. `offsets` are those of sampleOffsets; `bounds` limits the pixels. A triangle of
 * no area covers nothing. Quads that are covered as a whole may go to `runs` where it is given, in the same order.
 */
export function coverTriangle(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  area2: number,
  offsets: Int32Array,
  bounds: PixelRect,
  sink: QuadSink,
  runs?: RunSink,
): void {
  if (area2 === 0) return
  const sampleCount = offsets.length >> 1
  setPixelBox(BOX, x, y, sampleCount === 1, bounds)
  if (BOX.left >= BOX.right || BOX.top >= BOX.bottom) return
  const cx = (BOX.left & ~1) * SUBPIXELS + HALF_PIXEL
  const cy = (BOX.top & ~1) * SUBPIXELS + HALF_PIXEL
  // Clockwise on the screen.
  const second = area2 > 0 ? 1 : 2
  const third = 3 - second
  setEdge(0, x[0]!, y[0]!, x[second]!, y[second]!, cx, cy, offsets)
  setEdge(1, x[second]!, y[second]!, x[third]!, y[third]!, cx, cy, offsets)
  setEdge(2, x[third]!, y[third]!, x[0]!, y[0]!, cx, cy, offsets)
  if (sampleCount === 1) {
    coverCenters(sink, runs)
    return
  }
  for (let i = 0; i < 3; i++) setReach(i, sampleCount)
  coverSampleRows(sampleCount, sink, runs)
}

/** Sets the most and the least of an edge over the samples of a quad. */
function setReach(i: number, sampleCount: number): void {
  const samples = SAMPLES[i]!
  let [most, least] = [0, 0]
  for (let s = 1; s < sampleCount; s++) {
    most = Math.max(most, samples[s]!)
    least = Math.min(least, samples[s]!)
  }
  MOST[i] = most + Math.max(0, RIGHT[i]!) + Math.max(0, DOWN[i]!)
  LEAST[i] = least + Math.min(0, RIGHT[i]!) + Math.min(0, DOWN[i]!)
}

/** A quotient, as far from 0 as whole numbers of 32 bits need it in a quad. */
const nearZero = (quotient: number): number => Math.max(-FAR, Math.min(FAR, quotient)) | 0

const isOutside = (e0: number, e1: number, e2: number): boolean => (e0 | e1 | e2) < 0

/** Pixels or quads of a row from one up to, not including, another. */
const SPAN = { from: 0, to: 0 }

/** Leaves those n of SPAN for which no edge's `e + n * step * RIGHT` is negative; they stand beside each other. */
function limitSpan(e0: number, e1: number, e2: number, step: number): void {
  limitBy(e0, RIGHT[0]! * step)
  limitBy(e1, RIGHT[1]! * step)
  limitBy(e2, RIGHT[2]! * step)
}

/**
 * Leaves those n of SPAN for which `first + n * step` is not negative. Steps are whole numbers up to 2^25 and n is at most 2^14, so that a quotient
 * that is no whole number is at least 2^-25 from one, and rounding, by less than 2^-38, does not take it past that.
 */
function limitBy(first: number, step: number): void {
  if (step > 0) {
    if (first < 0) SPAN.from = Math.max(SPAN.from, Math.ceil(-first / step))
  } else if (first < 0) SPAN.to = 0
  else if (step < 0) SPAN.to = Math.min(SPAN.to, Math.floor(first / -step) + 1)
}

/** Sets SPAN to the quads of a row where no sum of an edge function at the quad and its reach is negative. */
function limitQuads(e0: number, e1: number, e2: number, reach: Int32Array, count: number): void {
  SPAN.from = 0
  SPAN.to = count
  limitSpan(e0 + reach[0]!, e1 + reach[1]!, e2 + reach[2]!, 2)
}

/** Sets SPAN to the pixels of a row whose centers are covered, from the first quad on; both are 0 where none is. */
function coverRow(y: number): void {
  const { left, top, right, bottom } = BOX
  SPAN.from = left & 1
  SPAN.to = right - (left & ~1)
  const down = y - (top & ~1)
  if (y < top || y >= bottom) SPAN.to = 0
  else limitSpan(FIRST[0]! + down * DOWN[0]!, FIRST[1]! + down * DOWN[1]!, FIRST[2]! + down * DOWN[2]!, 1)
  if (SPAN.from < SPAN.to) return
  SPAN.from = 0
  SPAN.to = 0
}

/** The quads of a triangle with one sample a pixel, by the pixels of each row that are covered, which stand beside each other. */
function coverCenters(sink: QuadSink, runs: RunSink | undefined): void {
  const firstX = BOX.left & ~1
  for (let qy = BOX.top & ~1; qy < BOX.bottom; qy += 2) {
    coverRow(qy)
    const { from: from0, to: to0 } = SPAN
    coverRow(qy + 1)
    const { from: from1, to: to1 } = SPAN
    const first = (to0 === 0 ? from1 : to1 === 0 ? from0 : Math.min(from0, from1)) & ~1
    const end = Math.max(to0, to1)
    // Quads of which all pixels are covered; none where a row has none.
    const wholeFrom = (Math.max(from0, from1) + 1) & ~1
    const wholeTo = Math.min(to0, to1) & ~1
    for (let n = first; n < end; n += 2) {
      if (n === wholeFrom && wholeFrom < wholeTo && runs !== undefined) {
        runs(firstX + n, qy, (wholeTo - wholeFrom) >> 1, 1)
        n = wholeTo - 2
        continue
      }
      const upper = (n >= from0 && n < to0 ? 1 : 0) | (n + 1 >= from0 && n + 1 < to0 ? 2 : 0)
      const lower = (n >= from1 && n < to1 ? 4 : 0) | (n + 1 >= from1 && n + 1 < to1 ? 8 : 0)
      if ((upper | lower) === 0) continue
      fillQuad(upper | lower, 1)
      sink(firstX + n, qy, MASKS)
    }
  }
}

/**
 * The quads of a triangle with several samples a pixel: rows from top to bottom, so that quads leave in the order of the screen. Of a row
 * those that an edge may cross stand at its ends.
 */
function coverSampleRows(sampleCount: number, sink: QuadSink, runs: RunSink | undefined): void {
  const { left, top, right, bottom } = BOX
  const [r0, r1, r2] = [RIGHT[0]!, RIGHT[1]!, RIGHT[2]!]
  const [d0, d1, d2] = [DOWN[0]!, DOWN[1]!, DOWN[2]!]
  const firstX = left & ~1
  const firstY = top & ~1
  const [f0, f1, f2] = [FIRST[0]!, FIRST[1]!, FIRST[2]!]
  const all = 2 ** sampleCount - 1
  const count = (right - firstX + 1) >> 1
  /** Quads all of whose columns lie in the box. */
  const firstInside = left & 1
  const endInside = (right - firstX) >> 1
  for (let qy = firstY; qy < bottom; qy += 2) {
    const down = qy - firstY
    // Bit i: pixel i of the quad lies in a row of the box.
    const rows = (qy >= top ? 3 : 0) | (qy + 1 < bottom ? 12 : 0)
    const [s0, s1, s2] = [f0 + down * d0, f1 + down * d1, f2 + down * d2]
    limitQuads(s0, s1, s2, LEAST, count)
    const { from: wholeFrom, to: wholeTo } = SPAN
    limitQuads(s0, s1, s2, MOST, count)
    const { from, to } = SPAN
    const runFrom = Math.max(wholeFrom, firstInside)
    const runTo = runs !== undefined && rows === 15 ? Math.min(wholeTo, endInside) : 0
    for (let n = from; n < to; n++) {
      const dx = n * 2
      if (n === runFrom && runFrom < runTo) {
        runs!(firstX + dx, qy, runTo - runFrom, all)
        n = runTo - 1
        continue
      }
      const pixels = rows & ((n >= firstInside ? 5 : 0) | (n < endInside ? 10 : 0))
      if (n >= wholeFrom && n < wholeTo) fillQuad(pixels, all)
      else {
        const [a0, a1, a2] = [nearZero(s0 + dx * r0), nearZero(s1 + dx * r1), nearZero(s2 + dx * r2)]
        if (!coverSamples(pixels, sampleCount, a0, a1, a2)) continue
      }
      sink(firstX + dx, qy, MASKS)
    }
  }
}

/** Fills MASKS: the given samples in the pixels of the quad whose bit is set. */
function fillQuad(pixels: number, samples: number): void {
  MASKS[0] = (pixels & 1) === 0 ? 0 : samples
  MASKS[1] = (pixels & 2) === 0 ? 0 : samples
  MASKS[2] = (pixels & 4) === 0 ? 0 : samples
  MASKS[3] = (pixels & 8) === 0 ? 0 : samples
}

/** Fills MASKS for a quad by the quotients at its first sample; true where any sample is covered. */
function coverSamples(pixels: number, sampleCount: number, a0: number, a1: number, a2: number): boolean {
  const [f0, f1, f2] = SAMPLES
  let any = 0
  for (let i = 0; i < 4; i++) {
    const right = -(i & 1)
    const down = -(i >> 1)
    const b0 = a0 + (RIGHT[0]! & right) + (DOWN[0]! & down)
    const b1 = a1 + (RIGHT[1]! & right) + (DOWN[1]! & down)
    const b2 = a2 + (RIGHT[2]! & right) + (DOWN[2]! & down)
    let mask = 0
    if ((pixels & (1 << i)) !== 0) {
      for (let s = 0; s < sampleCount; s++) {
        if (!isOutside(f0[s]! + b0, f1[s]! + b1, f2[s]! + b2)) mask |= 1 << s
      }
    }
    MASKS[i] = mask
    any |= mask
  }
  return any !== 0
}
