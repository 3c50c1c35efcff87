import { describe, expect, it } from 'vitest'
import type { TessellatorDomain, TessellatorOutputPrimitive, TessellatorPartitioning } from '../../src/engine/index.ts'
import {
  FACTOR_COUNT,
  setDomainLocations,
  type Tessellation,
  tessellate,
} from '../../src/pipeline/tessellator/index.ts'
import { Random } from '../support/random/random.ts'

// Properties of the tessellator that follow from the functional specification (11.7) in closed form.

const ONE = 65536
/** Without pow2, which has a test of its own. */
const PARTITIONINGS: readonly TessellatorPartitioning[] = ['integer', 'fractional_odd', 'fractional_even']
const DOMAINS: readonly TessellatorDomain[] = ['isoline', 'triangle', 'quad']
const isInteger = (p: TessellatorPartitioning): boolean => p === 'integer' || p === 'pow2'

function run(
  domain: TessellatorDomain,
  partitioning: TessellatorPartitioning,
  factors: readonly number[],
  primitive: TessellatorOutputPrimitive = domain === 'isoline' ? 'line' : 'triangle_cw',
): Tessellation {
  const t = tessellate(domain, partitioning, primitive, Float32Array.from(factors))
  return { ...t, points: t.points.slice() }
}

const uniform = (domain: TessellatorDomain, f: number): number[] => new Array(FACTOR_COUNT[domain]).fill(f)

/** Segments of a side: the factor rounded up to the next integer of the parity that the partitioning has. */
function segments(p: TessellatorPartitioning, f: number): number {
  const fixed = Math.round(f * ONE) / ONE
  if (isInteger(p)) return Math.min(64, Math.max(1, Math.ceil(f)))
  if (p === 'fractional_odd') return 2 * Math.ceil((Math.min(63, Math.max(1, fixed)) - 1) / 2) + 1
  return 2 * Math.ceil(Math.min(64, Math.max(2, fixed)) / 2)
}

/** Points inside of a triangle whose inside is divided into `n` segments: rings of 6, 12, ... or of 3, 9, ... points. */
const insideOfTriangle = (n: number): number => (n % 2 === 0 ? 1 + (3 * n * (n - 2)) / 4 : (3 * (n - 1) ** 2) / 4)

/** Points and triangles of a patch of two dimensions: the triangles follow from Euler's formula for a disk. */
function expectedCounts(domain: 'triangle' | 'quad', edges: readonly number[], insides: readonly number[]) {
  const boundary = edges.reduce((sum, n) => sum + n, 0)
  const inner = domain === 'quad' ? (insides[0]! - 1) * (insides[1]! - 1) : insideOfTriangle(insides[0]!)
  return { points: boundary + inner, primitives: 2 * (boundary + inner) - 2 - boundary }
}

const counts = (t: Tessellation) => ({ points: t.pointCount, primitives: t.primitiveCount })

/** Segments of the inside, where any other factor than 1 occurs: 1 is divided so that the ring along the edges exists. */
function insideSegments(p: TessellatorPartitioning, f: number): number {
  const n = segments(p, f)
  if (n > 1) return n
  return p === 'fractional_odd' ? 3 : 2
}

/** Numbers from 0 to below 1. */
function uniformNumbers(seed: number): () => number {
  const random = new Random(seed)
  return () => random.next() / 2 ** 32
}

/** Factors near everything that can matter: integers, quarters, merge thresholds, bounds. */
function randomFactor(random: () => number): number {
  const kind = random()
  const n = 1 + Math.floor(random() * 64)
  if (kind < 0.3) return n
  if (kind < 0.4) return n + 1 / ONE
  if (kind < 0.5) return n - 1 / ONE
  if (kind < 0.6) return Math.fround(random() * 4 + 0.01)
  return Math.fround(random() * 66 + 0.01)
}

const randomFactors = (domain: TessellatorDomain, random: () => number): number[] =>
  Array.from({ length: FACTOR_COUNT[domain] }, () => randomFactor(random))

const pointsOf = (t: Tessellation): [number, number][] =>
  Array.from({ length: t.pointCount }, (_, n) => [t.points[2 * n]!, t.points[2 * n + 1]!])

/** Places of the points on one edge, ascending. Edges follow each other in the list and share their ends. */
function edgePlaces(t: Tessellation, edgeSegments: readonly number[], edge: number): number[] {
  const first = edgeSegments.slice(0, edge).reduce((sum, n) => sum + n, 0)
  const border = edgeSegments.reduce((sum, n) => sum + n, 0)
  // Along U = 0 and U = 1 V changes, else U.
  const axis = edge === 0 || (edge === 2 && edgeSegments.length === 4) ? 1 : 0
  const on = Array.from({ length: edgeSegments[edge]! + 1 }, (_, n) => t.points[2 * ((first + n) % border) + axis]!)
  return on.sort((a, b) => a - b)
}

/** Text of everything in a tessellation: comparing texts is much faster than comparing arrays. */
const textOf = (t: Tessellation): string =>
  `${t.culled} ${t.pointCount} ${t.primitiveCount} ${t.verticesPerPrimitive}: ${t.points.join()}; ${t.indices.join()}`
const expectSame = (a: Tessellation, b: Tessellation): void => {
  expect(textOf(a) === textOf(b)).toBe(true)
}

describe('counts of points and primitives', () => {
  it.each(PARTITIONINGS)('are those of the closed forms for every factor, %s', (p) => {
    for (let f = 0.25; f <= 65; f += 0.5) {
      const n = segments(p, f)
      expect(counts(run('quad', p, uniform('quad', f))), `quad ${f}`).toEqual({
        points: (n + 1) ** 2,
        primitives: 2 * n * n,
      })
      const k = n >> 1
      const triangle =
        n % 2 === 0
          ? { points: 1 + 3 * k * (k + 1), primitives: 6 * k * k }
          : { points: 3 * ((n + 1) / 2) ** 2, primitives: 6 * k * (k + 1) + 1 }
      expect(counts(run('triangle', p, uniform('triangle', f))), `triangle ${f}`).toEqual(triangle)
      const lines = segments('integer', f)
      expect(counts(run('isoline', p, uniform('isoline', f))), `isoline ${f}`).toEqual({
        points: lines * (n + 1),
        primitives: lines * n,
      })
    }
  })

  it.each(PARTITIONINGS)("follow from Euler's formula where the factors differ, %s", (p) => {
    const random = uniformNumbers(11)
    for (const domain of ['triangle', 'quad'] as const) {
      const edgeCount = domain === 'quad' ? 4 : 3
      for (let n = 0; n < 80; n++) {
        const f = randomFactors(domain, random)
        const edges = f.slice(0, edgeCount).map((x) => segments(p, x))
        const insides = f.slice(edgeCount).map((x) => insideSegments(p, x))
        if (f.every((x) => segments(p, x) === 1)) continue
        expect(counts(run(domain, p, f)), `${domain} ${f}`).toEqual(expectedCounts(domain, edges, insides))
      }
    }
  })

  it('multiply on isolines, whose density is an integer in every partitioning', () => {
    const random = uniformNumbers(12)
    for (const p of PARTITIONINGS) {
      for (let n = 0; n < 40; n++) {
        const [detail, density] = [randomFactor(random), randomFactor(random)]
        const lines = segments('integer', density)
        const t = run('isoline', p, [detail, density])
        expect(counts(t)).toEqual({
          points: lines * (segments(p, detail) + 1),
          primitives: lines * segments(p, detail),
        })
        expect(pointsOf(t).every(([, v]) => v < ONE)).toBe(true)
      }
    }
  })
})

/** Twice the area of a triangle in 1/65536 squared, positive where it is clockwise with V downwards. */
function doubleArea(t: Tessellation, triangle: number): number {
  const at = (corner: number, axis: number): number => t.points[2 * t.indices[3 * triangle + corner]! + axis]!
  return (at(1, 0) - at(0, 0)) * (at(2, 1) - at(0, 1)) - (at(1, 1) - at(0, 1)) * (at(2, 0) - at(0, 0))
}

/**
 * No area is negative, but at factors where a point has split by less than the rounding of the reciprocals (32 steps of 1/2
 * at most): the reference tessellator has the same points there.
 */
function leastArea(factors: readonly number[]): number {
  const hasJustSplit = factors.some((f) => f % 1 !== 0 && f % 1 < 0.001)
  return hasJustSplit ? -32 * ONE : 0
}

describe('triangles', () => {
  it.each(PARTITIONINGS)('cover the domain exactly, none is reversed, and each inner edge has two, %s', (p) => {
    const random = uniformNumbers(13)
    for (const domain of ['triangle', 'quad'] as const) {
      for (let n = 0; n < 25; n++) {
        const f = randomFactors(domain, random)
        const t = run(domain, p, f)
        let sum = 0
        const open = new Set<number>()
        for (let i = 0; i < t.primitiveCount; i++) {
          const area = doubleArea(t, i)
          if (area < leastArea(f)) expect.fail(`${domain} ${f}: triangle ${i} is counterclockwise`)
          sum += area
          for (let c = 0; c < 3; c++) {
            const [a, b] = [t.indices[3 * i + c]!, t.indices[3 * i + ((c + 1) % 3)]!]
            if (a === b || open.has(a * ONE + b)) expect.fail(`${domain} ${f}: edge ${a}-${b} occurs twice`)
            if (!open.delete(b * ONE + a)) open.add(a * ONE + b)
          }
        }
        expect(sum, `${domain} ${f}`).toBe(domain === 'quad' ? 2 * ONE * ONE : ONE * ONE)
        // What is left open are the segments of the domain's edges: as many as its border has points.
        const border = [0, 1, 2, 3].slice(0, domain === 'quad' ? 4 : 3)
        const expected = border.reduce((all, edge) => all + segments(p, f[edge]!), 0)
        expect(open.size).toBe(expected)
        const onBorder = ([u, v]: [number, number]): boolean =>
          u === 0 || v === 0 || (domain === 'quad' ? u === ONE || v === ONE : u + v === ONE)
        const points = pointsOf(t)
        expect([...open].every((e) => onBorder(points[Math.floor(e / ONE)]!) && onBorder(points[e % ONE]!))).toBe(true)
      }
    }
  })

  it('are the same with their last vertices exchanged where counterclockwise ones are wanted', () => {
    const random = uniformNumbers(14)
    for (const p of PARTITIONINGS) {
      for (const domain of ['triangle', 'quad'] as const) {
        for (const f of [uniform(domain, 1), ...Array.from({ length: 20 }, () => randomFactors(domain, random))]) {
          const clockwise = run(domain, p, f)
          const other = run(domain, p, f, 'triangle_ccw')
          const exchanged = clockwise.indices.map(
            (_, n) => clockwise.indices[n % 3 === 0 ? n : n % 3 === 1 ? n + 1 : n - 1]!,
          )
          expect(other.indices.join() === exchanged.join()).toBe(true)
          expect(other.points.join() === clockwise.points.join()).toBe(true)
        }
      }
    }
  })
})

describe('edges', () => {
  it.each(PARTITIONINGS)('have points that mirror each other and depend on their own factor alone, %s', (p) => {
    const random = uniformNumbers(15)
    for (let n = 0; n < 40; n++) {
      const f = randomFactor(random)
      // The detail of a single line is the division of a side by itself.
      const line = pointsOf(run('isoline', p, [f, 1])).map(([u]) => u)
      expect(line.map((x) => ONE - x).reverse()).toEqual(line)
      // Where a point has just split, rounding may put it a step behind the one that it came from.
      const expected = line.sort((a, b) => a - b)
      expect(expected.length).toBe(segments(p, f) + 1)
      for (const domain of ['triangle', 'quad'] as const) {
        const edge = Math.floor(random() * (domain === 'quad' ? 4 : 3))
        const factors = randomFactors(domain, random)
        factors[edge] = f
        const t = run(domain, p, factors)
        const edges = factors.slice(0, domain === 'quad' ? 4 : 3).map((x) => segments(p, x))
        expect(edgePlaces(t, edges, edge), `${domain} ${factors} edge ${edge}`).toEqual(expected)
      }
    }
  })

  it('are divided evenly by integer factors, to the rounding of one reciprocal', () => {
    for (const p of ['integer', 'fractional_even', 'fractional_odd'] as const) {
      for (let n = 1; n <= 64; n++) {
        if (segments(p, n) !== n) continue
        const places = pointsOf(run('isoline', p, [n, 1])).map(([u]) => u)
        places.forEach((x, k) => {
          expect(Math.abs(x - (k * ONE) / n), `${p} ${n} point ${k}`).toBeLessThanOrEqual(Math.min(k, n - k) / 2)
        })
      }
    }
  })

  it('grow without jumps: a step of 1/256 of the factor moves no point by more than that share of a segment', () => {
    for (const p of ['fractional_even', 'fractional_odd'] as const) {
      for (let f = 3; f < 12; f += 1 / 256) {
        const before = pointsOf(run('isoline', p, [f, 1])).map(([u]) => u)
        const after = pointsOf(run('isoline', p, [f + 1 / 256, 1])).map(([u]) => u)
        if (before.length !== after.length) continue
        const most = Math.max(...before.map((x, k) => Math.abs(x - after[k]!)))
        expect(most, `${p} ${f}`).toBeLessThanOrEqual(ONE / 256 / (f - 2) + 2)
      }
    }
  })
})

describe('factors', () => {
  it('of edges that are 0, negative or NaN cull the patch; those of the inside never do', () => {
    for (const p of PARTITIONINGS) {
      for (const domain of DOMAINS) {
        const edgeCount = { isoline: 2, triangle: 3, quad: 4 }[domain]
        for (let n = 0; n < FACTOR_COUNT[domain]; n++) {
          for (const bad of [0, -0, -1, Number.NaN, Number.NEGATIVE_INFINITY]) {
            const f = uniform(domain, 5)
            f[n] = bad
            const t = run(domain, p, f)
            expect(t.culled).toBe(n < edgeCount)
            if (n < edgeCount)
              expect([t.pointCount, t.primitiveCount, t.points.length, t.indices.length]).toEqual([0, 0, 0, 0])
            else {
              f[n] = p === 'fractional_even' ? 2 : 1
              expectSame(t, run(domain, p, f))
            }
          }
        }
      }
    }
  })

  it('are clamped to the range of their partitioning', () => {
    const bounds = { integer: [1, 64], pow2: [1, 64], fractional_odd: [1, 63], fractional_even: [2, 64] } as const
    for (const p of PARTITIONINGS) {
      const [low, high] = bounds[p]
      for (const domain of DOMAINS) {
        for (let n = 0; n < FACTOR_COUNT[domain]; n++) {
          const withFactor = (x: number): Tessellation => {
            const f = uniform(domain, 5)
            f[n] = x
            return run(domain, p, f)
          }
          const isDensity = domain === 'isoline' && n === 1
          for (const x of [65, 1e30, Number.POSITIVE_INFINITY])
            expectSame(withFactor(x), withFactor(isDensity ? 64 : high))
          for (const x of [0.5, 1e-30, 2 ** -149]) expectSame(withFactor(x), withFactor(isDensity ? 1 : low))
        }
      }
    }
  })

  it('round up in integer partitioning, and pow2 is the same', () => {
    const random = uniformNumbers(16)
    for (const domain of DOMAINS) {
      for (let n = 0; n < 20; n++) {
        const f = randomFactors(domain, random)
        expectSame(run(domain, 'integer', f), run(domain, 'integer', f.map(Math.ceil)))
        expectSame(run(domain, 'pow2', f), run(domain, 'integer', f))
      }
    }
  })

  it('that are integers give fractional partitionings the same lists as integer partitioning', () => {
    const random = uniformNumbers(17)
    for (const [p, odd] of [
      ['fractional_odd', 1],
      ['fractional_even', 0],
    ] as const) {
      for (const domain of DOMAINS) {
        for (let n = 0; n < 20; n++) {
          // An inside factor of 1 is 2 segments as an integer and 3 as an odd fraction: begin with 3 there.
          const f = randomFactors(domain, random).map(() => 2 + 2 * Math.floor(random() * 31) + odd)
          if (domain === 'isoline' && odd === 1 && n === 0) f[0] = 1
          expectSame(run(domain, p, f), run(domain, 'integer', f))
        }
      }
    }
    for (const domain of DOMAINS) {
      expectSame(run(domain, 'fractional_odd', uniform(domain, 1)), run(domain, 'integer', uniform(domain, 1)))
    }
  })

  it('of the inside that are 1 make a ring of two segments as soon as an edge is divided', () => {
    // 3 + 2 * 1 border points and the middle one; Euler: 2 * 6 - 2 - 5 triangles.
    expect(counts(run('triangle', 'integer', [3, 1, 1, 1]))).toEqual({ points: 6, primitives: 5 })
    expectSame(run('triangle', 'integer', [3, 1, 1, 1]), run('triangle', 'integer', [3, 1, 1, 2]))
    expectSame(run('quad', 'integer', [1, 1, 1, 3, 1, 1]), run('quad', 'integer', [1, 1, 1, 3, 2, 2]))
    // One inside factor of 1 beside a larger one is even too: 4 border points, 1 * 2 points inside.
    expect(counts(run('quad', 'integer', [1, 1, 1, 1, 1, 3]))).toEqual({ points: 6, primitives: 6 })
  })

  it('just above 1 of fractional_odd divide the inside: above 1 + 2^-17, which is the first that rounds up', () => {
    const below = 1 + 2 ** -17
    const above = 1 + 3 * 2 ** -18
    const corners = { points: 4, primitives: 2 }
    expect(counts(run('quad', 'fractional_odd', uniform('quad', below)))).toEqual(corners)
    expect(counts(run('triangle', 'fractional_odd', uniform('triangle', below)))).toEqual({ points: 3, primitives: 1 })
    // One edge of 3 segments, 2 * 2 points inside; Euler: 2 * 10 - 2 - 6.
    expect(counts(run('quad', 'fractional_odd', [above, 1, 1, 1, 1, 1]))).toEqual({ points: 10, primitives: 12 })
    // A quad's inside factor divides the other one, too: 4 border points.
    expect(counts(run('quad', 'fractional_odd', [1, 1, 1, 1, 1, above]))).toEqual({ points: 8, primitives: 10 })
    // 5 border points and 3 inside; Euler: 2 * 8 - 2 - 5.
    expect(counts(run('triangle', 'fractional_odd', [1, 1, above, 1]))).toEqual({ points: 8, primitives: 9 })
  })
})

describe('points', () => {
  it('are one primitive each when points are put out, in the same order', () => {
    const random = uniformNumbers(18)
    for (const p of PARTITIONINGS) {
      for (const domain of DOMAINS) {
        for (const f of [uniform(domain, 1), randomFactors(domain, random), randomFactors(domain, random)]) {
          const t = run(domain, p, f, 'point')
          expect(t.verticesPerPrimitive).toBe(1)
          expect(t.points).toEqual(run(domain, p, f).points)
          expect([...t.indices]).toEqual(Array.from({ length: t.pointCount }, (_, n) => n))
        }
      }
    }
  })

  it('differ from each other, away from the factors at which a point splits', () => {
    const random = uniformNumbers(19)
    for (const p of PARTITIONINGS) {
      for (const domain of DOMAINS) {
        for (let n = 0; n < 30; n++) {
          const f = randomFactors(domain, random).map((x) => Math.max(3, Math.floor(x)) + 0.25 + random() / 2)
          const t = run(domain, p, f)
          expect(new Set(pointsOf(t).map(([u, v]) => u * 0x20000 + v)).size, `${p} ${f}`).toBe(t.pointCount)
        }
      }
    }
  })

  it('inside of triangles keep the rounding of their fixed-point steps', () => {
    // 1.5 places 5461 (1/4 of the way to 21845, a third) and 65536 - 5461. Two thirds of it, 3640.7, round to 3641, half of
    // that to 1821: the corners stand at 5461 - 1821 = 3640 and 60075 - 1821 = 58254, 3641 from the edge.
    const inner = pointsOf(run('triangle', 'fractional_odd', uniform('triangle', 1.5))).slice(9)
    expect(inner).toEqual([
      [3641, 58254],
      [3640, 3641],
      [58254, 3641],
    ])
    expect(pointsOf(run('triangle', 'integer', uniform('triangle', 2))).at(-1)).toEqual([0x5555, 0x5555])
  })

  it('have the same triangles where only the place of points differs', () => {
    const [first, ...others] = [5.2, 5.9, 5.2].map((f) => run('quad', 'fractional_odd', uniform('quad', f)))
    for (const t of others) expect([...t.indices]).toEqual([...first!.indices])
    expect(pointsOf(others[0]!)).not.toEqual(pointsOf(first!))
    expect(pointsOf(others[1]!)).toEqual(pointsOf(first!))
    // As many points, other winding.
    const turned = run('quad', 'fractional_odd', uniform('quad', 5.2), 'triangle_ccw')
    expect([...turned.indices]).not.toEqual([...run('quad', 'fractional_odd', uniform('quad', 5.2)).indices])
  })

  it('have coordinates that float32 holds exactly, so that 1 - (1 - u) is u', () => {
    const t = run('triangle', 'fractional_odd', [7.3, 21.9, 40.1, 33.3])
    const floats = new Float32Array(6)
    for (const [n, [u, v]] of pointsOf(t).entries()) {
      setDomainLocations('triangle', { points: t.points, first: n, count: 1 }, { floats, columnLength: 2 }, 1)
      const [x, y, w] = [floats[1]!, floats[3]!, floats[5]!]
      expect([x, y, w].map((n) => n * ONE)).toEqual([u, v, ONE - u - v])
      expect(Math.fround(1 - Math.fround(1 - x))).toBe(x)
      expect(Math.fround(Math.fround(1 - x) - y)).toBe(w)
      expect(x + y + w).toBe(1)
    }
    const two = { points: Int32Array.of(7, 7, ONE, 1, 1, ONE), first: 1, count: 2 }
    setDomainLocations('quad', two, { floats, columnLength: 2 }, 0)
    expect([...floats]).toEqual([1, 2 ** -16, 2 ** -16, 1, 0, 0])
  })

  it('of isolines run along U on lines of equal V: detail is the first factor, density the second', () => {
    const t = run('isoline', 'integer', [2, 4])
    expect(pointsOf(t)).toEqual([0, 1 / 4, 1 / 2, 3 / 4].flatMap((v) => [0, 1 / 2, 1].map((u) => [u * ONE, v * ONE])))
    expect([...t.indices]).toEqual([0, 1, 1, 2, 3, 4, 4, 5, 6, 7, 7, 8, 9, 10, 10, 11])
  })
})
