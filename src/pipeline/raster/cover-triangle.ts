import { coverInWords, isWithin32Bits } from './cover-words.ts'
import { HALF_PIXEL, SUBPIXELS } from './fixed-point.ts'
import type { PixelRect, QuadSink, RunSink } from './primitive.ts'

/**
 * Coverage of triangles by exact edge functions (functional specification 3.4.2.1): E = dx * (py - ay) - dy * (px - ax) is
 * positive inside of a clockwise triangle; samples on an edge belong to it where it is a top or a left edge. Coordinates
 * have 24 bits, products 48, sums 49: doubles hold them exactly.
 */

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
  const isTopLeft = dy < 0 || (dy === 0 && dx > 0)
  return { a: -dy, b: dx, c: dy * ax - dx * ay, least: isTopLeft ? 0 : 1 }
}

/** Edges of a triangle with a nonzero area, in the order that makes it clockwise. */
function edgesOf(x: ArrayLike<number>, y: ArrayLike<number>, area2: number): readonly [Edge, Edge, Edge] {
  const [x0, x1, x2] = [x[0]!, x[1]!, x[2]!]
  const [y0, y1, y2] = [y[0]!, y[1]!, y[2]!]
  if (area2 > 0) return [edge(x0, y0, x1, y1), edge(x1, y1, x2, y2), edge(x2, y2, x0, y0)]
  return [edge(x0, y0, x2, y2), edge(x2, y2, x1, y1), edge(x1, y1, x0, y0)]
}

/** The pixels whose squares a box of positions touches. */
function pixelBox(x: ArrayLike<number>, y: ArrayLike<number>, bounds: PixelRect): PixelRect {
  const [x0, x1, x2] = [x[0]!, x[1]!, x[2]!]
  const [y0, y1, y2] = [y[0]!, y[1]!, y[2]!]
  return {
    left: Math.max(bounds.left, Math.floor(Math.min(x0, x1, x2) / SUBPIXELS)),
    top: Math.max(bounds.top, Math.floor(Math.min(y0, y1, y2) / SUBPIXELS)),
    right: Math.min(bounds.right, Math.floor(Math.max(x0, x1, x2) / SUBPIXELS) + 1),
    bottom: Math.min(bounds.bottom, Math.floor(Math.max(y0, y1, y2) / SUBPIXELS) + 1),
  }
}

/** How far E can be above and below its value at the first pixel's center, over `size` x `size` pixels. */
function reach(e: Edge, size: number): { readonly above: number; readonly below: number } {
  // Samples lie up to half a pixel beyond the outer centers.
  const span = (size - 1) * SUBPIXELS
  const beyond = (Math.abs(e.a) + Math.abs(e.b)) * HALF_PIXEL
  const above = (Math.max(0, e.a) + Math.max(0, e.b)) * span + beyond
  const below = (Math.min(0, e.a) + Math.min(0, e.b)) * span - beyond
  return { above, below }
}

type Reach = ReturnType<typeof reach>

const MASKS = new Uint32Array(4)
/** Blocks of this many pixels a side are looked at as a whole first. */
const BLOCK = 16

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
  if (isWithin32Bits(x, y)) coverInWords(x, y, area2, offsets, bounds, sink, runs)
  else coverInDoubles(x, y, area2, offsets, bounds, sink, runs)
}

/** Triangles of any size, in doubles. */
function coverInDoubles(
  x: ArrayLike<number>,
  y: ArrayLike<number>,
  area2: number,
  offsets: Int32Array,
  bounds: PixelRect,
  sink: QuadSink,
  runs?: RunSink,
): void {
  const edges = edgesOf(x, y, area2)
  const box = pixelBox(x, y, bounds)
  const blockReach = edges.map((e) => reach(e, BLOCK))
  const all = 2 ** (offsets.length / 2) - 1
  // Rows of quads from top to bottom, so that quads leave in the order of the screen.
  for (let qy = box.top & ~1; qy < box.bottom; qy += 2) {
    const isWholeRow = runs !== undefined && qy >= box.top && qy + 2 <= box.bottom
    // Blocks that are covered as a whole, and not passed on yet.
    let whole = 0
    let bx = box.left & ~(BLOCK - 1)
    for (; bx < box.right; bx += BLOCK) {
      const part = partOf(edges, blockReach, bx, qy & ~(BLOCK - 1))
      if (part === 'all' && isWholeRow && bx >= box.left && bx + BLOCK <= box.right) {
        whole++
        continue
      }
      if (whole > 0) runs?.(bx - whole * BLOCK, qy, (whole * BLOCK) / 2, all)
      whole = 0
      if (part === 'none') continue
      const end = Math.min(box.right, bx + BLOCK)
      for (let qx = Math.max(box.left & ~1, bx); qx < end; qx += 2) {
        if (part === 'all') {
          fillQuad(all, qx, qy, box)
          sink(qx, qy, MASKS)
        } else if (coverQuad(edges, offsets, qx, qy, box)) sink(qx, qy, MASKS)
      }
    }
    if (whole > 0) runs?.(bx - whole * BLOCK, qy, (whole * BLOCK) / 2, all)
  }
}

/** How much of a block the triangle covers, as far as its corners show. */
function partOf(edges: readonly Edge[], reaches: readonly Reach[], px: number, py: number): 'none' | 'some' | 'all' {
  const cx = px * SUBPIXELS + HALF_PIXEL
  const cy = py * SUBPIXELS + HALF_PIXEL
  let part: 'some' | 'all' = 'all'
  for (let i = 0; i < 3; i++) {
    const e = edges[i]!
    const value = e.a * cx + e.b * cy + e.c
    if (value + reaches[i]!.above < e.least) return 'none'
    if (value + reaches[i]!.below < e.least) part = 'some'
  }
  return part
}

/** Fills MASKS where all samples inside of the bounds are covered. */
function fillQuad(all: number, qx: number, qy: number, bounds: PixelRect): void {
  for (let i = 0; i < 4; i++) {
    const px = qx + (i & 1)
    const py = qy + (i >> 1)
    MASKS[i] = px >= bounds.left && px < bounds.right && py >= bounds.top && py < bounds.bottom ? all : 0
  }
}

/** Fills MASKS; true where any sample of the quad is covered. */
function coverQuad(
  edges: readonly [Edge, Edge, Edge],
  offsets: Int32Array,
  qx: number,
  qy: number,
  bounds: PixelRect,
): boolean {
  const [e0, e1, e2] = edges
  let any = 0
  for (let i = 0; i < 4; i++) {
    const px = qx + (i & 1)
    const py = qy + (i >> 1)
    let mask = 0
    if (px >= bounds.left && px < bounds.right && py >= bounds.top && py < bounds.bottom) {
      const cx = px * SUBPIXELS + HALF_PIXEL
      const cy = py * SUBPIXELS + HALF_PIXEL
      for (let s = 0; s < offsets.length; s += 2) {
        const sx = cx + offsets[s]!
        const sy = cy + offsets[s + 1]!
        if (
          e0.a * sx + e0.b * sy + e0.c >= e0.least &&
          e1.a * sx + e1.b * sy + e1.c >= e1.least &&
          e2.a * sx + e2.b * sy + e2.c >= e2.least
        ) {
          mask |= 1 << (s >> 1)
        }
      }
    }
    MASKS[i] = mask
    any |= mask
  }
  return any !== 0
}

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
