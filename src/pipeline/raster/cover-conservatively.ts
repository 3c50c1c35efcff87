import { isTopLeft } from './cover-triangle.ts'
import { HALF_PIXEL, SUBPIXELS } from './fixed-point.ts'
import type { PixelRect } from './primitive.ts'

/** Conservative rasterization, by the edge functions of `cover-triangle.ts` in doubles, which hold them exactly. */

interface Edge {
  /** E at a position (x, y) in 1/256 pixel: a * x + b * y + c. */
  readonly a: number
  readonly b: number
  readonly c: number
  /** The least value of E that is covered: 0 on top and left edges, else 1. */
  readonly least: number
}

function edge(ax: number, ay: number, bx: number, by: number): Edge {
  const dx = bx - ax
  const dy = by - ay
  return { a: -dy, b: dx, c: dy * ax - dx * ay, least: isTopLeft(dx, dy) ? 0 : 1 }
}

/** Edges of a triangle with a nonzero area, in the order that makes it clockwise. */
function edgesOf(x: ArrayLike<number>, y: ArrayLike<number>, area2: number): readonly [Edge, Edge, Edge] {
  const [x0, x1, x2] = [x[0]!, x[1]!, x[2]!]
  const [y0, y1, y2] = [y[0]!, y[1]!, y[2]!]
  if (area2 > 0) return [edge(x0, y0, x1, y1), edge(x1, y1, x2, y2), edge(x2, y2, x0, y0)]
  return [edge(x0, y0, x2, y2), edge(x2, y2, x1, y1), edge(x1, y1, x0, y0)]
}

const MASKS = new Uint32Array(4)

/** The line that a triangle of no area lies on, from both sides; none where it is a point. Its strip is closed. */
function linesOf(x: ArrayLike<number>, y: ArrayLike<number>): Edge[] {
  const found: Edge[] = []
  for (let i = 0; i < 3; i++) {
    const k = (i + 1) % 3
    if (x[i] === x[k] && y[i] === y[k]) continue
    for (const e of [edge(x[i]!, y[i]!, x[k]!, y[k]!), edge(x[k]!, y[k]!, x[i]!, y[i]!)]) found.push({ ...e, least: 0 })
  }
  return found
}

/** What a snap may be off by, in 1/256 pixel: half a step. */
const SNAP_ERROR = 0.5

/**
 * Conservative rasterization (tier 3 with the smallest region): pixels whose square touches the triangle grown by the error
 * of snapping. `inner` are pixels that lie in the shrunk triangle as a whole. All samples of a touched pixel are covered.
 */
export function coverTriangleConservatively(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  area2: number,
  sampleMask: number,
  bounds: PixelRect,
  sink: (x: number, y: number, masks: Uint32Array, inner: number) => void,
): void {
  const grown = pixelBoxGrown(x, y, bounds)
  const edges = area2 === 0 ? linesOf(x, y) : edgesOf(x, y, area2)
  const half = HALF_PIXEL + SNAP_ERROR
  const reaches = edges.map((e) => half * (Math.abs(e.a) + Math.abs(e.b)))
  for (let qy = grown.top & ~1; qy < grown.bottom; qy += 2) {
    for (let qx = grown.left & ~1; qx < grown.right; qx += 2) {
      let any = 0
      let inner = 0
      for (let i = 0; i < 4; i++) {
        const px = qx + (i & 1)
        const py = qy + (i >> 1)
        MASKS[i] = 0
        if (px < grown.left || px >= grown.right || py < grown.top || py >= grown.bottom) continue
        const cx = px * SUBPIXELS + HALF_PIXEL
        const cy = py * SUBPIXELS + HALF_PIXEL
        if (!edges.every((e, k) => e.a * cx + e.b * cy + e.c + reaches[k]! >= e.least)) continue
        MASKS[i] = sampleMask
        any |= sampleMask
        const isInner = area2 !== 0 && edges.every((e, k) => e.a * cx + e.b * cy + e.c - reaches[k]! >= e.least)
        if (isInner) inner |= 1 << i
      }
      if (any !== 0) sink(qx, qy, MASKS, inner)
    }
  }
}

/** Pixels whose squares overlap the triangle's box, grown by the error of snapping. */
function pixelBoxGrown(x: ArrayLike<number>, y: ArrayLike<number>, bounds: PixelRect): PixelRect {
  const [x0, x1, x2] = [x[0]!, x[1]!, x[2]!]
  const [y0, y1, y2] = [y[0]!, y[1]!, y[2]!]
  return {
    left: Math.max(bounds.left, Math.ceil((Math.min(x0, x1, x2) - SNAP_ERROR) / SUBPIXELS) - 1),
    top: Math.max(bounds.top, Math.ceil((Math.min(y0, y1, y2) - SNAP_ERROR) / SUBPIXELS) - 1),
    right: Math.min(bounds.right, Math.floor((Math.max(x0, x1, x2) + SNAP_ERROR) / SUBPIXELS) + 1),
    bottom: Math.min(bounds.bottom, Math.floor((Math.max(y0, y1, y2) + SNAP_ERROR) / SUBPIXELS) + 1),
  }
}
