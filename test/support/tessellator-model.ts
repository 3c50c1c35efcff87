import type { TessellatorDomain, TessellatorPartitioning } from '../../src/engine/index.ts'

/**
 * A second tessellator, for tests: points and triangles as sets, found from the words of the functional specification (11.7)
 * and in no order. The inside of a quad is a grid whose cells have diagonals towards the nearest corner; which point splits
 * next comes from inserting them one after the other.
 */

/** U and V in 1/65536. */
export type Point = readonly [u: number, v: number]

export interface TessellationModel {
  readonly points: readonly Point[]
  /** Triangles, clockwise where U goes right and V down; lines for isolines. */
  readonly primitives: readonly (readonly Point[])[]
}

const ONE = 65536

/** Numbers of the segments of half a side, from the corner to the middle: each split inserts one after the next (11.7.5). */
const SPLIT_HISTORY: readonly number[] = (() => {
  const segments = [0]
  let made = 1
  while (made < 33) {
    for (const parent of [...segments]) {
      if (made < 33) segments.splice(segments.indexOf(parent) + 1, 0, made++)
    }
  }
  return segments
})()

/** A side: places of its points, and how many segments of the split history each half has besides a middle one. */
interface Division {
  readonly places: readonly number[]
  readonly half: number
  readonly hasMiddle: boolean
}

/** A factor in 1/65536. */
type Factor = readonly [fixed: number, odd: boolean]

/** The division lies between those of the two nearest numbers of segments. */
function divide([factor, odd]: Factor): Division {
  const middle = odd ? 0.5 : 0
  // Segments of half a side without the middle one; half a step of a factor is rounded up.
  const segments = Math.ceil(factor / 2) / ONE - middle
  const coarse = Math.floor(segments)
  const fine = Math.ceil(segments)
  const share = (segments - coarse) * ONE
  const step = (half: number): number => Math.round(ONE / (2 * (half + middle)))
  // The segment that the next split makes has no length in the coarse division.
  const present = SPLIT_HISTORY.filter((n) => n < fine)
  const splitting = coarse === fine ? fine : present.indexOf(coarse)
  const half = Array.from({ length: fine + (odd ? 1 : 0) }, (_, p) => {
    const before = p > splitting ? p - 1 : p
    return Math.floor((before * step(coarse) * (ONE - share) + p * step(fine) * share) / ONE + 0.5)
  })
  const mirrored = half.map((x) => ONE - x).reverse()
  return { places: [...half, ...(odd ? [] : [ONE / 2]), ...mirrored], half: fine, hasMiddle: odd }
}

/** Clamped to the range of the partitioning (11.7.10), rounded to an integer or to 1/65536. */
function factorOf(f: number, p: TessellatorPartitioning, least: number): Factor {
  const [low, high] = p === 'fractional_even' ? [2, 64] : p === 'fractional_odd' ? [1, 63] : [1, 64]
  const bounded = Number.isNaN(f) ? Math.max(low, least) : Math.min(high, Math.max(low, least, f))
  if (p === 'integer' || p === 'pow2') return [Math.ceil(bounded) * ONE, Math.ceil(bounded) % 2 === 1]
  const scaled = bounded * ONE
  const isTie = scaled % 1 === 0.5
  return [isTie ? 2 * Math.round(scaled / 2) : Math.round(scaled), p === 'fractional_odd']
}

/** Triangles between a side and the side inside it; numbers of points ascend along both. */
interface Triangle {
  readonly outer: readonly number[]
  readonly inner: readonly number[]
}

function placed(t: readonly Triangle[], outer: readonly Point[], inner: readonly Point[]): (readonly Point[])[] {
  return t.map((n) => [...n.outer.map((o) => outer[o]!), ...n.inner.toReversed().map((i) => inner[i]!)])
}

/** A side of the frame around the inside: every segment connects to the point that its parents connect to (11.7.6.2). */
function frameSide(outer: readonly Point[], outerSide: Division, inner: readonly Point[], innerSide: Division) {
  const outerHas = (n: number): boolean => n < outerSide.half
  // The inner segment at the corner is the frame of the neighboring side.
  const innerHas = (n: number): boolean => n < innerSide.half && n !== 0
  const half: Triangle[] = []
  SPLIT_HISTORY.forEach((n, k) => {
    const o = SPLIT_HISTORY.slice(0, k).filter(outerHas).length
    const i = SPLIT_HISTORY.slice(0, k).filter(innerHas).length
    if (innerHas(n)) half.push({ outer: [o], inner: [i, i + 1] })
    if (outerHas(n)) half.push({ outer: [o, o + 1], inner: [innerHas(n) ? i + 1 : i] })
  })
  const mirror = (numbers: readonly number[], length: number): number[] => numbers.map((n) => length - 1 - n).reverse()
  const triangles = half.flatMap((t) => [
    t,
    { outer: mirror(t.outer, outer.length), inner: mirror(t.inner, inner.length) },
  ])
  const o = outerSide.half
  const i = Math.max(0, innerSide.half - 1)
  if (innerSide.hasMiddle) triangles.push({ outer: [o], inner: [i, i + 1] })
  // Between two corners the diagonal runs inwards along the direction of the side: a spiral around the center.
  if (outerSide.hasMiddle) triangles.push({ outer: [o, o + 1], inner: [innerSide.hasMiddle ? i + 1 : i] })
  return placed(triangles, outer, inner)
}

/** Diagonals of a cell by where it is from the center: towards its corner, else a spiral, and a Z in the center (11.7.6). */
function cell(corners: readonly [Point, Point, Point, Point], fromCenterU: number, fromCenterV: number) {
  const [a, b, c, d] = corners
  const isMain = fromCenterV !== 0 && (fromCenterU === 0 || Math.sign(fromCenterU) === Math.sign(fromCenterV))
  return isMain
    ? [
        [a, b, c],
        [a, c, d],
      ]
    : [
        [a, b, d],
        [b, c, d],
      ]
}

function quad(edges: readonly Division[], [u, v]: readonly [Division, Division]): TessellationModel {
  const [e0, e1, e2, e3] = edges.map((e) => e.places) as [number[], number[], number[], number[]]
  const outer: Point[][] = [
    e0.map((y): Point => [0, y]).reverse(),
    e1.map((x): Point => [x, 0]),
    e2.map((y): Point => [ONE, y]),
    e3.map((x): Point => [x, ONE]).reverse(),
  ]
  const us = u.places.slice(1, -1)
  const vs = v.places.slice(1, -1)
  const inner: Point[][] = [
    vs.map((y): Point => [us[0]!, y]).reverse(),
    us.map((x): Point => [x, vs[0]!]),
    vs.map((y): Point => [us.at(-1)!, y]),
    us.map((x): Point => [x, vs.at(-1)!]).reverse(),
  ]
  const primitives = outer.flatMap((o, s) => frameSide(o, edges[s]!, inner[s]!, s % 2 === 0 ? v : u))
  for (let i = 0; i + 1 < us.length; i++) {
    for (let j = 0; j + 1 < vs.length; j++) {
      const [left, right, top, bottom] = [us[i]!, us[i + 1]!, vs[j]!, vs[j + 1]!]
      const corners = [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
      ] as const
      primitives.push(...cell(corners, 2 * i + 2 - us.length, 2 * j + 2 - vs.length))
    }
  }
  const points = [...outer.flatMap((side) => side.slice(1)), ...us.flatMap((x) => vs.map((y): Point => [x, y]))]
  return { points, primitives }
}

/** Sides of an inner ring of a triangle without their last points, by barycentric coordinates. */
function triangleRing(inside: Division, ring: number): Point[][] {
  const places = inside.places.slice(ring, inside.places.length - ring)
  const kept = Math.floor((inside.places[ring]! * 0xaaaa) / ONE + 0.5)
  const along = places.map((x) => x - Math.ceil(kept / 2))
  return [
    along
      .slice(1)
      .map((v): Point => [kept, v])
      .reverse(),
    along.slice(0, -1).map((u): Point => [u, kept]),
    along
      .slice(1)
      .map((u): Point => [u, ONE - kept - u])
      .reverse(),
  ]
}

/** Rings of a triangle's inside have two points less on each side: pairs of triangles, and one triangle at either end. */
function ringSide(outer: readonly Point[], inner: readonly Point[]): (readonly Point[])[] {
  const last = inner.length - 1
  const triangles: Triangle[] = [
    { outer: [0, 1], inner: [0] },
    { outer: [last + 1, last + 2], inner: [last] },
  ]
  for (let p = 0; p < last; p++) {
    // The diagonal points to the nearer corner; in the middle it goes inwards along the side.
    const isNearFirst = 2 * p + 1 <= last
    triangles.push(
      { outer: [p + 1, p + 2], inner: [isNearFirst ? p + 1 : p] },
      { outer: [isNearFirst ? p + 1 : p + 2], inner: [p, p + 1] },
    )
  }
  return placed(triangles, outer, inner)
}

function triangle(edges: readonly Division[], inside: Division): TessellationModel {
  const [e0, e1, e2] = edges.map((e) => e.places) as [number[], number[], number[]]
  const rings: Point[][][] = [
    [
      e0
        .slice(1)
        .map((v): Point => [0, v])
        .reverse(),
      e1.slice(0, -1).map((u): Point => [u, 0]),
      e2
        .slice(1)
        .map((u): Point => [u, ONE - u])
        .reverse(),
    ],
  ]
  const count = Math.floor(inside.places.length / 2)
  for (let ring = 1; ring < count; ring++) rings.push(triangleRing(inside, ring))
  const closed = rings.map((sides) => sides.map((side, s) => [...side, sides[(s + 1) % 3]![0]!]))
  const center: Point = [Math.floor(ONE / 3), Math.floor(ONE / 3)]
  if (!inside.hasMiddle) closed.push([[center], [center], [center]])
  const primitives: (readonly Point[])[] = []
  closed.slice(1).forEach((sides, r) => {
    sides.forEach((inner, s) => {
      const outer = closed[r]![s]!
      primitives.push(...(r === 0 ? frameSide(outer, edges[s]!, inner, inside) : ringSide(outer, inner)))
    })
  })
  if (inside.hasMiddle) primitives.push(rings.at(-1)!.map((side) => side[0]!))
  const points = [...rings.flat(2), ...(inside.hasMiddle ? [] : [center])]
  return { points, primitives }
}

function isolines(detail: Division, lines: number): TessellationModel {
  const step = divide([lines * ONE, lines % 2 === 1]).places
  const all = step.slice(0, lines).map((v) => detail.places.map((u): Point => [u, v]))
  return { points: all.flat(), primitives: all.flatMap((line) => line.slice(1).map((p, n) => [line[n]!, p])) }
}

/** Tessellates a patch whose edge factors are positive. */
export function modelTessellation(
  domain: TessellatorDomain,
  p: TessellatorPartitioning,
  f: readonly number[],
): TessellationModel {
  if (domain === 'isoline') {
    const lines = Math.ceil(Math.min(64, Math.max(1, f[1]!)))
    return isolines(divide(factorOf(f[0]!, p, 0)), lines)
  }
  const edgeCount = domain === 'quad' ? 4 : 3
  const edges = f.slice(0, edgeCount).map((x) => factorOf(x, p, 0))
  const plain = f.slice(edgeCount).map((x) => factorOf(x, p, 0))
  if ([...edges, ...plain].every(([fixed]) => fixed === ONE)) {
    const [a, b, c, d] = [
      [0, 0],
      [ONE, 0],
      [ONE, ONE],
      [0, ONE],
    ] as [Point, Point, Point, Point]
    if (domain === 'quad') return { points: [a, b, c, d], primitives: cell([a, b, c, d], 0, 0) }
    return { points: [a, b, d], primitives: [[a, b, d]] }
  }
  // Inside factors of 1 make room for a frame: the smallest odd fraction above 1, or the even integer.
  const insides = f.slice(edgeCount).map((x): Factor => {
    const [fixed, odd] = factorOf(x, p, p === 'fractional_odd' ? 1 + 1 / ONE : 0)
    return fixed === ONE ? [2 * ONE, false] : [fixed, odd]
  })
  const divisions = insides.map(divide)
  if (domain === 'triangle') return triangle(edges.map(divide), divisions[0]!)
  return quad(edges.map(divide), divisions as [Division, Division])
}
