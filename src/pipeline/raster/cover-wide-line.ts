import { coverTriangle } from './cover-triangle.ts'
import { snap } from './fixed-point.ts'
import type { PixelRect, QuadSink } from './primitive.ts'

/**
 * Lines with a width: quadrilaterals of 1.4 pixels, whose coverage is that of two triangles (functional specification
 * 3.4.5), and lines of 1 pixel whose coverage is a factor of alpha (3.4.4, figure AALineRast).
 */

/** Half of a quadrilateral line's width, in pixels. */
const HALF_WIDTH = 0.7
const HALF_ALPHA_WIDTH = 0.5

type Corners = readonly (readonly [x: number, y: number])[]

/** The rectangle around a line, without caps; undefined for a line without a length. */
function rectangle(x0: number, y0: number, x1: number, y1: number, half: number): Corners | undefined {
  const length = Math.hypot(x1 - x0, y1 - y0)
  if (!(length > 0)) return undefined
  const nx = (-(y1 - y0) / length) * half
  const ny = ((x1 - x0) / length) * half
  return [
    [x0 - nx, y0 - ny],
    [x1 - nx, y1 - ny],
    [x1 + nx, y1 + ny],
    [x0 + nx, y0 + ny],
  ]
}

const keyOf = (x: number, y: number): number => (y >> 1) * 0x10000 + (x >> 1)

/** Ends of a line before snapping, in pixels. */
export type LineEnds = readonly [x0: number, y0: number, x1: number, y1: number]

/** Samples of a quadrilateral line. Its two triangles are one primitive: a pixel is reported once. */
export function coverQuadrilateralLine(line: LineEnds, offsets: Int32Array, bounds: PixelRect, sink: QuadSink): void {
  const corners = rectangle(...line, HALF_WIDTH)
  if (corners === undefined) return
  // The corners come from the exact ends, and are then snapped (3.4.1).
  const x = corners.map((c) => snap(Math.fround(c[0])))
  const y = corners.map((c) => snap(Math.fround(c[1])))
  const quads = new Map<number, Uint32Array>()
  for (const [a, b, c] of [
    [0, 1, 2],
    [0, 2, 3],
  ] as const) {
    const tx = [x[a]!, x[b]!, x[c]!] as const
    const ty = [y[a]!, y[b]!, y[c]!] as const
    const area2 = (tx[1] - tx[0]) * (ty[2] - ty[0]) - (tx[2] - tx[0]) * (ty[1] - ty[0])
    coverTriangle(tx, ty, area2, offsets, bounds, (qx, qy, masks) => {
      const known = quads.get(keyOf(qx, qy))
      if (known === undefined) quads.set(keyOf(qx, qy), masks.slice())
      else for (let i = 0; i < 4; i++) known[i]! |= masks[i]!
    })
  }
  for (const key of [...quads.keys()].sort((a, b) => a - b)) {
    sink((key % 0x10000) * 2, Math.floor(key / 0x10000) * 2, quads.get(key)!)
  }
}

/** Sides of the squares whose common area with the line makes its coverage, in pixels. */
const KERNEL = [1, 1.5] as const
const REACH = 0.75

/** The part of a convex polygon where `at(point)` is not negative. */
function cut(polygon: Corners, at: (p: readonly [number, number]) => number): Corners {
  const kept: [number, number][] = []
  polygon.forEach((p, i) => {
    const q = polygon[(i + 1) % polygon.length]!
    const dp = at(p)
    const dq = at(q)
    if (dp >= 0) kept.push([p[0], p[1]])
    if (dp < 0 !== dq < 0) {
      const t = dp / (dp - dq)
      kept.push([p[0] + (q[0] - p[0]) * t, p[1] + (q[1] - p[1]) * t])
    }
  })
  return kept
}

function area(polygon: Corners): number {
  let twice = 0
  polygon.forEach((p, i) => {
    const q = polygon[(i + 1) % polygon.length]!
    twice += p[0] * q[1] - q[0] * p[1]
  })
  return Math.abs(twice) / 2
}

/** Area that a convex polygon shares with a square around a point. */
function sharedArea(polygon: Corners, cx: number, cy: number, side: number): number {
  const half = side / 2
  let p = cut(polygon, ([x]) => x - (cx - half))
  p = cut(p, ([x]) => cx + half - x)
  p = cut(p, ([, y]) => y - (cy - half))
  p = cut(p, ([, y]) => cy + half - y)
  return area(p)
}

/** As a QuadSink, with the factor of alpha of each of the four pixels. */
export type AlphaQuadSink = (x: number, y: number, masks: Uint32Array, alphas: Float64Array) => void

const MASKS = new Uint32Array(4)
const ALPHAS = new Float64Array(4)

/** Pixels that an alpha line touches, with their coverage: all samples of a pixel alike. */
export function coverAlphaLine(line: LineEnds, allSamples: number, bounds: PixelRect, sink: AlphaQuadSink): void {
  const corners = rectangle(...line, HALF_ALPHA_WIDTH)
  if (corners === undefined) return
  const xs = corners.map((c) => c[0])
  const ys = corners.map((c) => c[1])
  const least = (v: readonly number[]): number => v.reduce((a, b) => Math.min(a, b))
  const most = (v: readonly number[]): number => v.reduce((a, b) => Math.max(a, b))
  const left = Math.max(bounds.left, Math.floor(least(xs) - REACH))
  const right = Math.min(bounds.right, Math.ceil(most(xs) + REACH) + 1)
  const top = Math.max(bounds.top, Math.floor(least(ys) - REACH))
  const bottom = Math.min(bounds.bottom, Math.ceil(most(ys) + REACH) + 1)
  for (let qy = top & ~1; qy < bottom; qy += 2) {
    for (let qx = left & ~1; qx < right; qx += 2) {
      let any = false
      for (let i = 0; i < 4; i++) {
        const px = qx + (i & 1)
        const py = qy + (i >> 1)
        const inside = px >= left && px < right && py >= top && py < bottom
        const alpha = inside ? alphaOf(corners, px + 0.5, py + 0.5) : 0
        MASKS[i] = alpha > 0 ? allSamples : 0
        ALPHAS[i] = alpha
        any ||= alpha > 0
      }
      if (any) sink(qx, qy, MASKS, ALPHAS)
    }
  }
}

/** A pixel's coverage, 0 to 1: the mean over both squares of the part that the line covers. */
function alphaOf(corners: Corners, cx: number, cy: number): number {
  let sum = 0
  for (const side of KERNEL) sum += sharedArea(corners, cx, cy, side) / (KERNEL.length * side * side)
  return Math.min(1, sum)
}
