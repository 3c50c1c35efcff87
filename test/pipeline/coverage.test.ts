import { describe, expect, it } from 'vitest'
import {
  allSamples,
  coverAlphaLine,
  coverLine,
  coverQuadrilateralLine,
  coverTriangle,
  type PixelRect,
  sampleOffsets,
  snap,
} from '../../src/pipeline/raster/index.ts'
import { amount } from '../support/amount.ts'
import { COVERAGE_CASES, SAMPLE_COUNTS } from '../support/coverage-cases.ts'
import type { Point } from '../support/coverage-oracle.ts'
import { differences } from '../support/differences.ts'
import { Random } from '../support/random/random.ts'

// Which samples primitives cover, against exact geometry and closed forms. `npm run coverage` runs more of the same.

const BOUNDS: PixelRect = { left: 0, top: 0, right: 4, bottom: 4 }

describe.each(Object.entries(COVERAGE_CASES))('%s cover what exact geometry says', (_name, run) => {
  it.each(SAMPLE_COUNTS)('with %i samples', (count) => {
    const random = new Random(count)
    const wrong = Array.from({ length: amount(40, 150) }, () => run(random, count)).filter((w) => w !== undefined)
    expect(wrong.slice(0, 3)).toEqual([])
  })
})

/** Pixels of 4x4 as bits, row by row from the top. */
function bitsOf(run: (sink: (x: number, y: number, masks: Uint32Array) => void) => void): number {
  let mask = 0
  run((x, y, masks) => {
    for (let i = 0; i < 4; i++) if (masks[i] !== 0) mask |= 1 << ((y + (i >> 1)) * 4 + x + (i & 1))
  })
  return mask
}

const aliased = (a: Point, b: Point): number =>
  bitsOf((sink) => coverLine(snap(a[0]), snap(a[1]), snap(b[0]), snap(b[1]), 1, BOUNDS, sink))

describe('lines in closed form', () => {
  // (-1, -0.55) to (1, 0.55) in clip space on 4x4 pixels: y goes from 3.1 down to 0.9.
  const line = [0, 3.1, 4, 0.9] as const

  it('aliased: 0x03c0, quadrilateral: 0x17e8', () => {
    expect(aliased([line[0], line[1]], [line[2], line[3]]).toString(16)).toBe('3c0')
    expect(bitsOf((sink) => coverQuadrilateralLine(line, sampleOffsets(1), BOUNDS, sink)).toString(16)).toBe('17e8')
  })

  it('a closed line lights the pixel of each joint once', () => {
    const random = new Random(5)
    for (let n = 0; n < amount(50, 200); n++) {
      // Joints at the centers of pixels: the pixel belongs to the line that leaves it.
      const corners = Array.from(
        { length: 3 + random.below(4) },
        (): Point => [random.below(16) + 0.5, random.below(16) + 0.5],
      )
      const bounds = { left: 0, top: 0, right: 16, bottom: 16 }
      const lit = new Map<string, number>()
      corners.forEach((a, i) => {
        const b = corners[(i + 1) % corners.length]!
        coverLine(a[0] * 256, a[1] * 256, b[0] * 256, b[1] * 256, 1, bounds, (x, y, masks) => {
          for (let k = 0; k < 4; k++) {
            if (masks[k] === 0) continue
            const at = `${x + (k & 1)},${y + (k >> 1)}`
            // How often as a joint: lines may cross elsewhere.
            const isEnd = [a, b].some((p) => `${Math.floor(p[0])},${Math.floor(p[1])}` === at)
            if (isEnd) lit.set(at, (lit.get(at) ?? 0) + 1)
          }
        })
      })
      for (const [i, p] of corners.entries()) {
        const next = corners[(i + 1) % corners.length]!
        const at = `${Math.floor(p[0])},${Math.floor(p[1])}`
        const times = corners.filter((q, k) => {
          const after = corners[(k + 1) % corners.length]!
          return q[0] === p[0] && q[1] === p[1] && (after[0] !== q[0] || after[1] !== q[1])
        }).length
        expect(lit.get(at) ?? 0, `joint ${at} before ${next} of ${JSON.stringify(corners)}`).toBe(times)
      }
    }
  })

  it('of a pixel with a slope of 1 are x-major; ends exactly on a border count for the pixel above and left', () => {
    // Along the diagonal through pixel centers, and back.
    expect(aliased([0.5, 0.5], [3.5, 3.5])).toBe(0b0000_0100_0010_0001)
    expect(aliased([3.5, 3.5], [0.5, 0.5])).toBe(0b1000_0100_0010_0000)
    // On the border between rows 0 and 1: the row above.
    expect(aliased([0, 1], [4, 1])).toBe(0x000f)
    // On the border between columns 0 and 1: the column to the left.
    expect(aliased([1, 0], [1, 4])).toBe(0x1111)
  })

  it('of no length light nothing', () => {
    expect(aliased([1.5, 1.5], [1.5, 1.5])).toBe(0)
    expect(bitsOf((sink) => coverQuadrilateralLine([1, 1, 1, 1], sampleOffsets(4), BOUNDS, sink))).toBe(0)
  })
})

describe('alpha lines', () => {
  const energy = (line: readonly [number, number, number, number]): number => {
    let sum = 0
    coverAlphaLine(line, 1, { left: 0, top: 0, right: 64, bottom: 64 }, (_x, _y, masks, alphas) => {
      for (let i = 0; i < 4; i++) {
        expect(masks[i] !== 0).toBe(alphas[i]! > 0)
        expect(alphas[i]).toBeLessThanOrEqual(1)
        sum += alphas[i]!
      }
    })
    return sum
  }

  it('give as much light as they have area', () => {
    // Whole lengths along an axis: each place of the line lies in as many squares of the kernel as any other, on average.
    for (const y of [20, 20.25, 20.5, 20.9]) expect(energy([8.3, y, 28.3, y])).toBeCloseTo(20, 6)
    for (const x of [20, 20.5]) expect(energy([x, 30, x, 10])).toBeCloseTo(20, 6)
    const random = new Random(3)
    for (let i = 0; i < 50; i++) {
      const at = (): number => 8 + random.below(48 * 256) / 256
      const line = [at(), at(), at(), at()] as const
      const length = Math.hypot(line[2] - line[0], line[3] - line[1])
      if (length > 5) expect(Math.abs(energy(line) / length - 1), line.join()).toBeLessThan(0.08)
    }
  })

  it('of a pixel inside of a line as wide as its kernel cover it by what they share', () => {
    // Along a row of pixels through their centers: side 1 whole, of side 1.5 two thirds.
    coverAlphaLine([-8, 1.5, 12, 1.5], 1, { left: 0, top: 0, right: 4, bottom: 4 }, (x, y, _masks, alphas) => {
      for (let i = 0; i < 4; i++) {
        const row = y + (i >> 1)
        const want = row === 1 ? (1 + 2 / 3) / 2 : row === 3 ? 0 : 0.25 / 1.5 / 2
        expect(alphas[i], `(${x}, ${row})`).toBeCloseTo(want, 9)
      }
    })
  })
})

describe('triangles', () => {
  const rectangle = (x0: number, y0: number, x1: number, y1: number): Map<number, number> => {
    const times = new Map<number, number>()
    const bounds = { left: 0, top: 0, right: 16, bottom: 16 }
    const corners: Point[] = [
      [x0, y0],
      [x1, y0],
      [x1, y1],
      [x0, y1],
    ]
    for (const [i, k, l] of [
      [0, 1, 2],
      [2, 3, 0],
    ] as const) {
      const p = [corners[i]!, corners[k]!, corners[l]!] as const
      const area2 = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1])
      coverTriangle(
        [p[0][0], p[1][0], p[2][0]],
        [p[0][1], p[1][1], p[2][1]],
        area2,
        sampleOffsets(1),
        bounds,
        (x, y, m) => {
          for (let n = 0; n < 4; n++) {
            if (m[n] !== 0)
              times.set((y + (n >> 1)) * 16 + x + (n & 1), (times.get((y + (n >> 1)) * 16 + x + (n & 1)) ?? 0) + 1)
          }
        },
      )
    }
    return times
  }

  it('of a rectangle cover pixels ceil(x0 - 1/2) to ceil(x1 - 1/2) - 1, each once', () => {
    const random = new Random(9)
    const wrong = differences()
    for (let n = 0; n < amount(80, 300); n++) {
      const step = random.pick([1, 128, 256])
      const c = (): number => random.below((16 * 256) / step + 1) * step
      const [xa, xb, ya, yb] = [c(), c(), c(), c()]
      const [x0, x1, y0, y1] = [Math.min(xa, xb), Math.max(xa, xb), Math.min(ya, yb), Math.max(ya, yb)]
      const times = rectangle(x0, y0, x1, y1)
      const first = (v: number): number => Math.ceil(v / 256 - 0.5)
      for (let y = 0; y < 16; y++) {
        for (let x = 0; x < 16; x++) {
          const want = x >= first(x0) && x < first(x1) && y >= first(y0) && y < first(y1) ? 1 : 0
          wrong.check(times.get(y * 16 + x) ?? 0, want, () => `(${x}, ${y}) of ${[x0, y0, x1, y1]}`)
        }
      }
    }
    expect(wrong.list).toEqual([])
  })

  it.each(SAMPLE_COUNTS)('of a random triangulation cover each of its %i samples a pixel once', (count) => {
    const random = new Random(count + 100)
    const offsets = sampleOffsets(count)
    const bounds = { left: 0, top: 0, right: 16, bottom: 16 }
    for (let n = 0; n < 12; n++) {
      const triangles = triangulation(random, offsets)
      const seen = new Uint32Array(256)
      let twice = 0
      for (const p of triangles) {
        const area2 = (p[1][0] - p[0][0]) * (p[2][1] - p[0][1]) - (p[2][0] - p[0][0]) * (p[1][1] - p[0][1])
        coverTriangle(
          [p[0][0], p[1][0], p[2][0]],
          [p[0][1], p[1][1], p[2][1]],
          area2,
          offsets,
          bounds,
          (x, y, masks) => {
            for (let i = 0; i < 4; i++) {
              const at = (y + (i >> 1)) * 16 + x + (i & 1)
              twice |= seen[at]! & masks[i]!
              seen[at]! |= masks[i]!
            }
          },
        )
      }
      expect(twice).toBe(0)
      expect(new Set(seen)).toEqual(new Set([allSamples(count)]))
    }
  })
})

type Triangle = readonly [Point, Point, Point]

/** Triangles that fill 16x16 pixels: a square, divided at random points, of which many are samples. */
function triangulation(random: Random, offsets: Int32Array): Triangle[] {
  const size = 16 * 256
  const [a, b, c, d]: readonly Point[] = [
    [0, 0],
    [size, 0],
    [size, size],
    [0, size],
  ] as const
  let triangles: Triangle[] = [
    [a!, b!, c!],
    [c!, d!, a!],
  ]
  for (let i = 0; i < 24; i++) {
    const s = random.below(offsets.length / 2) * 2
    const p: Point = random.chance(0.6)
      ? [random.below(16) * 256 + 128 + offsets[s]!, random.below(16) * 256 + 128 + offsets[s + 1]!]
      : [random.below(size + 1), random.below(size + 1)]
    // A triangle that holds the point, on its sides too, becomes up to three; sides are divided on both sides.
    triangles = triangles.flatMap((t): Triangle[] => {
      const sides = t.map((q, k) => cross(q, t[(k + 1) % 3]!, p))
      if (sides.some((n) => n < 0)) return [t]
      return t.flatMap((q, k): Triangle[] => (sides[k]! > 0 ? [[q, t[(k + 1) % 3]!, p]] : []))
    })
  }
  // Either winding: each is turned at random.
  return triangles.map(([x, y, z]) => (random.chance(0.5) ? [x, y, z] : [z, y, x]))
}

function cross(a: Point, b: Point, p: Point): number {
  return (b[0] - a[0]) * (p[1] - a[1]) - (p[0] - a[0]) * (b[1] - a[1])
}

describe('snapping', () => {
  it('is to the nearest 1/256 pixel, ties to even, and saturates', () => {
    const cases: readonly (readonly [number, number])[] = [
      [0.5 / 256, 0],
      [1.5 / 256, 2],
      [2.5 / 256, 2],
      [-0.5 / 256, 0],
      [-1.5 / 256, -2],
      [1 / 256, 1],
      [40000, 32768 * 256 - 1],
      [-40000, -32768 * 256],
      [Number.POSITIVE_INFINITY, 32768 * 256 - 1],
      [Number.NEGATIVE_INFINITY, -32768 * 256],
    ]
    for (const [x, want] of cases) expect(snap(x) + 0, `${x}`).toBe(want)
  })
})
