/**
 * Coverage in exact whole numbers, worked out another way than the rasterizer does: polygons by counting crossings of a ray
 * from a sample moved by a hair, lines by looking at every place where they can enter or leave a diamond. For the tests and
 * the script of coverage.
 */

export type Point = readonly [x: number, y: number]

/**
 * Whether a polygon covers a sample; coordinates in 1/256 pixel. The top-left rule is the same as a test of a sample that
 * lies right of its place by something very small, and below it by something very much smaller still.
 */
export function polygonCovers(corners: readonly Point[], sx: number, sy: number): boolean {
  let inside = false
  for (const [i, a] of corners.entries()) {
    const b = corners[(i + 1) % corners.length]!
    const [upper, lower] = a[1] <= b[1] ? [a, b] : [b, a]
    if (!(upper[1] <= sy && sy < lower[1])) continue
    // Does the ray to the left meet this edge? Its x at the height of the sample, times its height.
    const left = BigInt(lower[0] - upper[0]) * BigInt(sy - upper[1])
    const right = BigInt(sx - upper[0]) * BigInt(lower[1] - upper[1])
    if (left <= right) inside = !inside
  }
  return inside
}

const H = 128n

/** Membership of the diamond around the origin, of a place (u / d, v / d): inside, or on a lower side (3.4.3). */
function inDiamond(u: bigint, v: bigint, d: bigint, yMajor: boolean): boolean {
  const size = (u < 0n ? -u : u) + (v < 0n ? -v : v)
  if (size < H * d) return true
  if (size > H * d) return false
  return v > 0n || (yMajor && u > 0n && v === 0n)
}

/** Whether a line from a to b, in 1/256 pixel, leaves the diamond of a pixel. */
export function lineLights(a: Point, b: Point, px: number, py: number): boolean {
  const u0 = BigInt(a[0] - px * 256 - 128)
  const v0 = BigInt(a[1] - py * 256 - 128)
  const du = BigInt(b[0] - a[0])
  const dv = BigInt(b[1] - a[1])
  const abs = (n: bigint): bigint => (n < 0n ? -n : n)
  const yMajor = abs(dv) > abs(du)
  const contains = (n: bigint, d: bigint): boolean => inDiamond(u0 * d + du * n, v0 * d + dv * n, d, yMajor)
  if (contains(1n, 1n)) return false
  // Parameters n / d where the line meets the lines of the four sides.
  const places: (readonly [n: bigint, d: bigint])[] = [[0n, 1n]]
  for (const [su, sv] of [
    [1n, 1n],
    [1n, -1n],
    [-1n, 1n],
    [-1n, -1n],
  ] as const) {
    const slope = su * du + sv * dv
    if (slope === 0n) continue
    const rest = H - (su * u0 + sv * v0)
    const [n, d] = slope > 0n ? [rest, slope] : [-rest, -slope]
    if (n >= 0n && n <= d) places.push([n, d])
  }
  places.sort(([n, d], [m, e]) => (n * e < m * d ? -1 : n * e > m * d ? 1 : 0))
  places.push([1n, 1n])
  return places.some(([n, d], i) => {
    if (contains(n, d)) return true
    const next = places[i + 1]
    return next !== undefined && contains(n * next[1] + next[0] * d, 2n * d * next[1])
  })
}

/** Twice the area that a convex polygon has in a box, as a fraction; -1 where they do not even touch. Exact. */
export function touches(
  corners: readonly Point[],
  box: readonly [number, number, number, number],
): 'no' | 'edge' | 'yes' {
  // Separating axes of convex shapes: the normals of all sides.
  const square: Point[] = [
    [box[0], box[1]],
    [box[2], box[1]],
    [box[2], box[3]],
    [box[0], box[3]],
  ]
  const axes: (readonly [bigint, bigint])[] = [
    [1n, 0n],
    [0n, 1n],
  ]
  for (const [i, a] of corners.entries()) {
    const b = corners[(i + 1) % corners.length]!
    axes.push([BigInt(a[1] - b[1]), BigInt(b[0] - a[0])])
  }
  let answer: 'edge' | 'yes' = 'yes'
  for (const [nx, ny] of axes) {
    if (nx === 0n && ny === 0n) continue
    const along = (points: readonly Point[]): [bigint, bigint] => {
      const all = points.map(([x, y]) => nx * BigInt(x) + ny * BigInt(y))
      return [all.reduce((m, n) => (n < m ? n : m)), all.reduce((m, n) => (n > m ? n : m))]
    }
    const [low, high] = along(corners)
    const [least, most] = along(square)
    if (high < least || most < low) return 'no'
    if (high === least || most === low) answer = 'edge'
  }
  return answer
}

/** The square root of a whole number, rounded down. */
export function rootOf(n: bigint): bigint {
  if (n < 2n) return n
  let x = 1n << BigInt((n.toString(2).length + 1) >> 1)
  for (;;) {
    const y = (x + n / x) >> 1n
    if (y >= x) return x
    x = y
  }
}

const PRECISION = 80n

/**
 * Corners of the rectangle of half width 0.7 pixels around a line, in 1/256 pixel and rounded to the nearest, from ends in
 * 1/256 pixel. Undefined where a corner is so near a tie that the last bit of any computation decides.
 */
export function wideLineCorners(a: Point, b: Point): readonly Point[] | undefined {
  const dx = BigInt(b[0] - a[0])
  const dy = BigInt(b[1] - a[1])
  const one = 1n << PRECISION
  const length = rootOf((dx * dx + dy * dy) * one * one)
  if (length === 0n) return undefined
  // 0.7 pixels are 179.2 steps.
  const across = (n: bigint): bigint => (n * 1792n * one * one) / (10n * length)
  const nx = across(-dy)
  const ny = across(dx)
  const round = (n: bigint): number | undefined => {
    const floor = n >> PRECISION
    const rest = n - (floor << PRECISION) - one / 2n
    const near = rest < 0n ? -rest : rest
    if (near < one >> 5n) return undefined
    return Number(floor) + (rest > 0n ? 1 : 0)
  }
  const corners: Point[] = []
  for (const [p, sign] of [
    [a, -1n],
    [b, -1n],
    [b, 1n],
    [a, 1n],
  ] as const) {
    const x = round((BigInt(p[0]) << PRECISION) + sign * nx)
    const y = round((BigInt(p[1]) << PRECISION) + sign * ny)
    if (x === undefined || y === undefined) return undefined
    corners.push([x, y])
  }
  return corners
}
