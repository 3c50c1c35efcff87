import {
  allSamples,
  coverLine,
  coverPoint,
  coverQuadrilateralLine,
  coverTriangle,
  coverTriangleConservatively,
  type PixelRect,
  type SampleCount,
  sampleOffsets,
} from '../../src/pipeline/raster/index.ts'
import { lineLights, type Point, polygonCovers, touches, wideLineCorners } from './coverage-oracle.ts'
import type { Random } from './random/random.ts'

/** Random primitives whose coverage is held against exact geometry: `npm run coverage` and the test of coverage use it. */

const SIZE = 12
const BOUNDS: PixelRect = { left: 0, top: 0, right: SIZE, bottom: SIZE }
export const SAMPLE_COUNTS: readonly SampleCount[] = [1, 2, 4, 8, 16]

type Masks = Map<number, number>

/** Masks by pixel, and what is wrong with the order in which quads come. */
function collect(
  run: (sink: (x: number, y: number, masks: Uint32Array) => void) => void,
  { left, top, right }: PixelRect = BOUNDS,
): { masks: Masks; order: string } {
  const width = right - left
  const masks: Masks = new Map()
  let last = -1
  let order = ''
  run((x, y, m) => {
    const key = y * 0x10000 + x
    if (key <= last || (x & 1) !== 0 || (y & 1) !== 0) order = `quad (${x}, ${y}) out of order`
    last = key
    for (let i = 0; i < 4; i++) if (m[i] !== 0) masks.set((y + (i >> 1) - top) * width + x + (i & 1) - left, m[i]!)
  })
  return { masks, order }
}

/** A coordinate in 1/256 pixel: often on a pixel's border, center or sample, sometimes far outside. */
function coordinate(r: Random): number {
  const kind = r.below(8)
  if (kind === 0) return r.below(SIZE + 1) * 256
  if (kind === 1) return r.below(SIZE) * 256 + 128
  if (kind === 2) return r.below(SIZE * 16) * 16
  if (kind === 3) return r.below(0x1000000) - 0x800000
  return r.below((SIZE + 4) * 256) - 512
}

const place = (r: Random): Point => [coordinate(r), coordinate(r)]

/** One that stays near the target, where every pixel of its box is looked at. */
const near = (r: Random): Point => [r.below((SIZE + 2) * 256) - 256, r.below((SIZE + 2) * 256) - 256]

function compare(
  found: Masks,
  wanted: (x: number, y: number) => number,
  what: () => string,
  { left, top, right, bottom }: PixelRect = BOUNDS,
): string | undefined {
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) {
      const mask = found.get((y - top) * (right - left) + x - left) ?? 0
      const exact = wanted(x, y)
      if (mask !== exact) return `${what()}: pixel (${x}, ${y}) has ${mask.toString(2)} instead of ${exact.toString(2)}`
    }
  }
  return undefined
}

function maskOf(offsets: Int32Array, covers: (sx: number, sy: number) => boolean, x: number, y: number): number {
  let mask = 0
  for (let s = 0; s < offsets.length; s += 2) {
    if (covers(x * 256 + 128 + offsets[s]!, y * 256 + 128 + offsets[s + 1]!)) mask |= 1 << (s >> 1)
  }
  return mask
}

const text = (points: readonly Point[]): string => points.map((p) => `(${p[0]}, ${p[1]})`).join(' ')

function areaOf([a, b, c]: Corners): number {
  return (b[0] - a[0]) * (c[1] - a[1]) - (c[0] - a[0]) * (b[1] - a[1])
}

function triangle(r: Random, count: SampleCount): string | undefined {
  return coverage([place(r), place(r), place(r)], BOUNDS, count, r.chance(0.5))
}

/** A triangle with an edge through a sample of a pixel, the last or the first that it may cover of a quad. */
function triangleAtSample(r: Random, count: SampleCount): string | undefined {
  const offsets = sampleOffsets(count)
  const s = r.below(count) * 2
  const at = (n: number): number => (1 + r.below(SIZE - 2)) * 256 + 128 + offsets[s + n]!
  const [x, y] = [at(0), at(1)]
  const [dx, dy] = [r.below(33) - 16, r.below(33) - 16]
  const [before, after] = [1 + r.below(120), 1 + r.below(120)]
  const a: Point = [x - dx * before, y - dy * before]
  const b: Point = [x + dx * after, y + dy * after]
  return coverage([a, b, place(r)], BOUNDS, count, r.chance(0.5))
}

/** Pixels a side of the triangles below. */
const WIDTHS: readonly number[] = [20, 60, 500, 2015, 2017, 8000]
/** Targets have this many pixels a side. */
const MOST_PIXELS = 16384
/** Positions reach from minus this up to, not including, this, in 1/256 pixel. */
const POSITIONS = 2 ** 23

type Corners = readonly [Point, Point, Point]

/** A triangle of which a few rows are looked at, around a place on its first edge: elsewhere there is everything or nothing. */
function wideTriangle(r: Random, count: SampleCount): string | undefined {
  const width = WIDTHS[r.below(WIDTHS.length)]!
  const [left, top] = [r.below(MOST_PIXELS - width), r.below(MOST_PIXELS - width)]
  // On centers and borders of pixels edge functions are 0 at samples, and where what is decided as a whole begins and ends.
  const step = r.chance(0.3) ? 128 : 1
  const offset = (): number => r.below((width * 256) / step + 1) * step
  const corner = (): Point => [left * 256 + offset(), top * 256 + offset()]
  const p: Corners = [corner(), corner(), corner()]
  const share = r.below(257) / 256
  const x = Math.floor((p[0][0] + (p[1][0] - p[0][0]) * share) / 256)
  const y = Math.floor((p[0][1] + (p[1][1] - p[0][1]) * share) / 256)
  return coverageAround(r, count, p, x, y)
}

/** The same with corners anywhere, where edge functions need 50 bits: the first edge passes a pixel of the target. */
function hugeTriangle(r: Random, count: SampleCount): string | undefined {
  const anywhere = (): Point => [r.below(2 * POSITIONS) - POSITIONS, r.below(2 * POSITIONS) - POSITIONS]
  const [a, c] = [anywhere(), anywhere()]
  const at: Point = [r.below(MOST_PIXELS * 256), r.below(MOST_PIXELS * 256)]
  const along: Point = [at[0] - a[0], at[1] - a[1]]
  /** How often the way from the first corner fits between the place and the farthest position. */
  const room = (axis: 0 | 1): number => {
    const left = along[axis] > 0 ? POSITIONS - 1 - at[axis] : POSITIONS + at[axis]
    return along[axis] === 0 ? 1 : left / Math.abs(along[axis])
  }
  const times = (Math.min(room(0), room(1)) * (1 + r.below(256))) / 256
  const b: Point = [Math.round(at[0] + along[0] * times), Math.round(at[1] + along[1] * times)]
  return coverageAround(r, count, [a, b, c], at[0] >> 8, at[1] >> 8)
}

/** Looks at some rows of a triangle around a pixel. */
function coverageAround(r: Random, count: SampleCount, p: Corners, x: number, y: number): string | undefined {
  const before = r.below(50)
  // The whole row has so many pixels that what a division is rounded by might show.
  const isWholeRow = r.chance(0.05)
  const bounds = {
    left: isWholeRow ? 0 : Math.max(0, x - before),
    top: Math.max(0, y - r.below(3)),
    right: isWholeRow ? MOST_PIXELS : x + 50 - before,
    bottom: y + 2,
  }
  return coverage(p, bounds, count, r.chance(0.5))
}

/** With `takesRuns` quads that are covered as a whole may come together. */
function coverage(p: Corners, bounds: PixelRect, count: SampleCount, takesRuns: boolean): string | undefined {
  const offsets = sampleOffsets(count)
  const x = [p[0][0], p[1][0], p[2][0]] as const
  const y = [p[0][1], p[1][1], p[2][1]] as const
  const { masks, order } = collect((sink) => {
    const runs = (qx: number, qy: number, quads: number, mask: number): void => {
      for (let n = 0; n < quads; n++) sink(qx + n * 2, qy, new Uint32Array(4).fill(mask))
    }
    coverTriangle(x, y, areaOf(p), offsets, bounds, sink, takesRuns ? runs : undefined)
  }, bounds)
  if (order !== '') return order
  const covers = (sx: number, sy: number): boolean => polygonCovers(p, sx, sy)
  return compare(
    masks,
    (px, py) => maskOf(offsets, covers, px, py),
    () => `triangle ${text(p)} of ${count} samples`,
    bounds,
  )
}

function point(r: Random, count: SampleCount): string | undefined {
  const [x, y] = place(r)
  const offsets = sampleOffsets(count)
  const { masks, order } = collect((sink) => coverPoint(x, y, offsets, BOUNDS, sink))
  if (order !== '') return order
  const corners: Point[] = [
    [x - 128, y - 128],
    [x + 128, y - 128],
    [x + 128, y + 128],
    [x - 128, y + 128],
  ]
  const covers = (sx: number, sy: number): boolean => polygonCovers(corners, sx, sy)
  return compare(
    masks,
    (px, py) => maskOf(offsets, covers, px, py),
    () => `point (${x}, ${y}) of ${count} samples`,
  )
}

function line(r: Random, count: SampleCount): string | undefined {
  const ends = r.chance(0.5) ? near : place
  const [a, b] = [ends(r), ends(r)]
  const all = allSamples(count)
  const { masks, order } = collect((sink) => coverLine(a[0], a[1], b[0], b[1], all, BOUNDS, sink))
  if (order !== '') return order
  return compare(
    masks,
    (px, py) => (lineLights(a, b, px, py) ? all : 0),
    () => `line ${text([a, b])}`,
  )
}

function wideLine(r: Random, count: SampleCount): string | undefined {
  const [a, b] = [near(r), near(r)]
  const corners = wideLineCorners(a, b)
  if (corners === undefined) return undefined
  const offsets = sampleOffsets(count)
  const ends = [a[0] / 256, a[1] / 256, b[0] / 256, b[1] / 256] as const
  const { masks, order } = collect((sink) => coverQuadrilateralLine(ends, offsets, BOUNDS, sink))
  if (order !== '') return order
  const covers = (sx: number, sy: number): boolean => polygonCovers(corners, sx, sy)
  return compare(
    masks,
    (px, py) => maskOf(offsets, covers, px, py),
    () => `wide line ${text([a, b])} of ${count} samples`,
  )
}

/** Touched or not is certain but for squares that share no more than border: those may be either. */
function conservative(r: Random, count: SampleCount): string | undefined {
  const p = [place(r), place(r), place(r)] as const
  if (r.chance(0.1)) (p as unknown as Point[])[2] = p[r.below(2)]!
  const area2 = areaOf(p)
  const all = allSamples(count)
  const inner = new Set<number>()
  const x = [p[0][0], p[1][0], p[2][0]] as const
  const y = [p[0][1], p[1][1], p[2][1]] as const
  const { masks, order } = collect((sink) =>
    coverTriangleConservatively(x, y, area2, all, BOUNDS, (qx, qy, m, bits) => {
      for (let i = 0; i < 4; i++) if (((bits >> i) & 1) === 1) inner.add((qy + (i >> 1)) * SIZE + qx + (i & 1))
      sink(qx, qy, m)
    }),
  )
  if (order !== '') return order
  // Twice the coordinates, so that half a step is a whole number: squares are 257 to each side of a center.
  const twice = p.map(([px, py]): Point => [2 * px, 2 * py])
  for (let py = 0; py < SIZE; py++) {
    for (let px = 0; px < SIZE; px++) {
      const [cx, cy] = [px * 512 + 256, py * 512 + 256]
      const touch = touches(twice, [cx - 257, cy - 257, cx + 257, cy + 257])
      const mask = masks.get(py * SIZE + px) ?? 0
      const what = `conservative triangle ${text(p)}: pixel (${px}, ${py})`
      if (touch === 'yes' && mask !== all) return `${what} is touched and not covered`
      if (touch === 'no' && mask !== 0) return `${what} is not touched and covered`
      const corners = [-257, 257].flatMap((sx) => [-257, 257].map((sy): Point => [cx + sx, cy + sy]))
      const sides = corners.map((c) => sideOf(twice, c))
      const isInner = inner.has(py * SIZE + px)
      if (area2 !== 0 && sides.every((s) => s > 0) && !isInner) return `${what} lies inside as a whole`
      if ((area2 === 0 || sides.some((s) => s < 0)) && isInner) return `${what} does not lie inside as a whole`
    }
  }
  return undefined
}

/** 1 inside of a triangle of any winding, 0 on its border, -1 outside. */
function sideOf(corners: readonly Point[], p: Point): number {
  const signs = corners.map((a, i) => {
    const b = corners[(i + 1) % corners.length]!
    const e = BigInt(b[0] - a[0]) * BigInt(p[1] - a[1]) - BigInt(b[1] - a[1]) * BigInt(p[0] - a[0])
    return e > 0n ? 1 : e < 0n ? -1 : 0
  })
  if (signs.includes(1) && signs.includes(-1)) return -1
  return signs.includes(0) ? 0 : 1
}

export const COVERAGE_CASES = {
  triangles: triangle,
  'triangles with an edge through a sample': triangleAtSample,
  'wide triangles': wideTriangle,
  'huge triangles': hugeTriangle,
  points: point,
  'aliased lines': line,
  'quadrilateral lines': wideLine,
  'conservative triangles': conservative,
} as const satisfies Record<string, (r: Random, count: SampleCount) => string | undefined>
