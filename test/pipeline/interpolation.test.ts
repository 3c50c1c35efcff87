import { describe, expect, it } from 'vitest'
import { sampleOffsets } from '../../src/pipeline/raster/index.ts'
import { amount } from '../support/amount.ts'
import { differences } from '../support/differences.ts'
import { at, bits, draw, leftOf, type Scene } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'

// Attributes between vertices (functional specification 16.4, 16.5), against exact fractions.

/** A number as a fraction of whole numbers; every finite float32 has one. */
type Fraction = readonly [n: bigint, d: bigint]
const fraction = (x: number): Fraction => {
  let d = 1n
  let n = x
  while (!Number.isInteger(n)) {
    n *= 2
    d *= 2n
  }
  return [BigInt(n), d]
}
const add = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * d + c * b, b * d]
const mul = ([a, b]: Fraction, [c, d]: Fraction): Fraction => [a * c, b * d]
const div = ([a, b]: Fraction, [c, d]: Fraction): Fraction => (c < 0n ? [-a * d, -b * c] : [a * d, b * c])

/** Whether a float32 is one of the two next to a fraction: no more than one rounding away. */
function isNear(x: number, [n, d]: Fraction): boolean {
  const step = Math.max(2 ** -149, 2 ** (Math.floor(Math.log2(Math.abs(x) || 2 ** -149)) - 23))
  const [a, b] = fraction(x)
  const [s, t] = fraction(step)
  const distance = a * d - n * b
  const size = distance < 0n ? -distance : distance
  return size * t <= s * b * d
}

const psOf = (mode: string): string =>
  `ps_5_0\ndcl_input_ps ${mode} v1.xyzw\ndcl_output o0.xyzw\nmov o0.xyzw, v1.xyzw\nret\n`

interface Vertex {
  readonly x: number
  readonly y: number
  readonly w: number
  readonly a: number
}

/** The exact value of an attribute at a place, from the areas of the three triangles around it. */
function exact(v: readonly Vertex[], px: number, py: number, perspective: boolean): Fraction {
  const whole = (p: { x: number; y: number }) => [BigInt(Math.round(p.x * 256)), BigInt(Math.round(p.y * 256))] as const
  const area = (p: readonly [bigint, bigint], q: readonly [bigint, bigint], r: readonly [bigint, bigint]): bigint =>
    (q[0] - p[0]) * (r[1] - p[1]) - (r[0] - p[0]) * (q[1] - p[1])
  const p = whole({ x: px, y: py })
  const [a, b, c] = v.map(whole) as [readonly [bigint, bigint], readonly [bigint, bigint], readonly [bigint, bigint]]
  const weights = [area(p, b, c), area(a, p, c), area(a, b, p)]
  let sum: Fraction = [0n, 1n]
  let total: Fraction = [0n, 1n]
  for (const [i, vertex] of v.entries()) {
    const w: Fraction = perspective ? div([weights[i]!, 1n], fraction(vertex.w)) : [weights[i]!, 1n]
    sum = add(sum, mul(w, fraction(vertex.a)))
    total = add(total, w)
  }
  return div(sum, total)
}

const sceneOf = (v: readonly Vertex[], mode: string, more: Partial<Scene> = {}): Scene => ({
  vertices: v.map((p) => [...at(p.x, p.y, 8, 8, 0.5, p.w), p.a, 0, 0, 0]),
  width: 8,
  height: 8,
  ps: psOf(mode),
  state: { rasterizer: { cullMode: 'NONE' } },
  ...more,
})

/** Vertices whose positions are whole 1/256 pixels, w a power of two: division and viewport lose nothing. */
function randomVertex(r: Random): Vertex {
  const coordinate = (): number => (r.below(24 * 256) - 8 * 256) / 256
  return {
    x: coordinate(),
    y: coordinate(),
    w: 2 ** (r.below(6) - 2),
    a: Math.fround((r.below(20001) - 10000) / 2 ** r.below(20)),
  }
}

describe('linear attributes', () => {
  it.each([
    ['linear', true],
    ['linear_noperspective', false],
  ] as const)('%s are the exact value rounded once', (mode, perspective) => {
    const random = new Random(77)
    const wrong = differences()
    let checked = 0
    for (let n = 0; n < 60; n++) {
      const v = [randomVertex(random), randomVertex(random), randomVertex(random)]
      const drawn = draw(sceneOf(v, mode, { targets: ['R32G32B32A32_FLOAT', undefined] }))
      const { psInvocations } = drawn.result.statistics
      if (psInvocations === 0) continue
      for (let i = 0; i < 64; i++) {
        const value = drawn.value(i % 8, i >> 3)
        if (value === 0) continue
        checked++
        const want = exact(v, (i % 8) + 0.5, (i >> 3) + 0.5, perspective)
        wrong.check(isNear(value, want), true, () => `${JSON.stringify(v)} at ${i % 8}, ${i >> 3}: ${value}`)
      }
    }
    expect(checked).toBeGreaterThan(500)
    expect(wrong.list).toEqual([])
  })

  it('of dyadic slopes are exact, and their derivatives are the slope everywhere', () => {
    const a = (x: number, y: number): number => 3 + x / 4 - y / 2
    const corner = (x: number, y: number): Vertex => ({ x, y, w: 1, a: a(x, y) })
    const v = [corner(-8, -8), corner(24, -8), corner(-8, 24)]
    const ps = `ps_5_0\ndcl_input_ps linear_noperspective v1.x\ndcl_output o0.xyzw\ndcl_output o1.xyzw\nmov o0.xyzw, v1.xxxx\nderiv_rtx_coarse o1.x, v1.x\nderiv_rty_coarse o1.y, v1.x\nderiv_rtx_fine o1.z, v1.x\nderiv_rty_fine o1.w, v1.x\nret\n`
    const format = 'R32G32B32A32_FLOAT'
    const drawn = draw(sceneOf(v, '', { ps, targets: [format, format] }))
    for (let i = 0; i < 64; i++) {
      const [x, y] = [i % 8, i >> 3]
      expect(drawn.value(x, y)).toBe(a(x + 0.5, y + 0.5))
      expect([0, 1, 2, 3].map((c) => drawn.value(x, y, c, 1))).toEqual([0.25, -0.5, 0.25, -0.5])
    }
  })

  it('that are equal at all vertices are that value everywhere, outside too', () => {
    const random = new Random(4)
    for (let n = 0; n < amount(10, 40); n++) {
      const a = random.pick([0.1, 1e-30, 3e38, Math.fround(1 / 3), Number.POSITIVE_INFINITY, 2 ** -149])
      const v = [0, 1, 2].map(() => ({ ...randomVertex(random), w: 1 + random.below(1000) / 7, a: Math.fround(a) }))
      for (const mode of ['linear', 'linear_noperspective', 'linear_centroid']) {
        const drawn = draw(sceneOf(v, mode, { sampleCount: 4 }))
        for (let i = 0; i < 64; i++) {
          for (let s = 0; s < 4; s++) {
            const value = drawn.value(i % 8, i >> 3, 0, 0, s)
            if (value !== 0) expect(value).toBe(Math.fround(a))
          }
        }
      }
    }
  })
})

describe('constant attributes', () => {
  it('are the bits of the leading vertex, through clipping too', () => {
    const words = [0x7f800001, 0xdeadbeef, 1, 0x80000000]
    const scene = (z: number): Scene => ({
      asBits: true,
      targets: ['R32G32B32A32_UINT'],
      ps: psOf('constant'),
      vertices: [at(-8, -8, 4, 4, z), at(24, -8, 4, 4, 0.5), at(-8, 24, 4, 4, 0.5)].map((p, i) => [
        ...p.map(bits),
        ...(i === 0 ? words : [1, 2, 3, 4]),
      ]),
    })
    // With z of -0.1 the leading vertex itself is cut away.
    for (const z of [0.5, -0.1]) {
      const drawn = draw(scene(z))
      expect([0, 1, 2, 3].map((c) => drawn.word(3, 3, c) >>> 0)).toEqual(words)
    }
  })
})

describe('SV_Position', () => {
  const ps = (mode: string): string =>
    `ps_5_0\ndcl_input_ps_siv ${mode} v0.xyzw, position\ndcl_output o0.xyzw\nmov o0.xyzw, v0.xyzw\nret\n`
  const vertices = [at(-8, -8, 4, 4, 0.5, 1), at(24, -8, 4, 4, 0.5, 2), at(-8, 24, 4, 4, 0.5, 4)]

  it('is the center, with a w that is the reciprocal of the interpolated 1/w', () => {
    const drawn = draw({ vertices, ps: ps('linear_noperspective') })
    for (let i = 0; i < 16; i++) {
      const [x, y] = [i % 4, i >> 2]
      expect([drawn.value(x, y, 0), drawn.value(x, y, 1)]).toEqual([x + 0.5, y + 0.5])
      const [l1, l2] = [(x + 8.5) / 32, (y + 8.5) / 32]
      expect(drawn.value(x, y, 3)).toBe(Math.fround(1 / (1 - l1 - l2 + l1 / 2 + l2 / 4)))
    }
  })

  it('changes by one a pixel', () => {
    const text =
      'ps_5_0\ndcl_input_ps_siv linear_noperspective v0.xy, position\ndcl_output o0.xyzw\nderiv_rtx o0.xy, v0.xyxx\nderiv_rty o0.zw, v0.xxxy\nret\n'
    const drawn = draw({ vertices, ps: text })
    expect([0, 1, 2, 3].map((c) => drawn.value(2, 1, c))).toEqual([1, 0, 0, 1])
  })

  it('at the centroid is the center where all samples are covered, else the first covered one', () => {
    const offsets = sampleOffsets(4)
    // The left part of the target, up to x = 1.5: samples 0 and 2 of pixels in column 1.
    const left = leftOf(1.5)
    const drawn = draw({ vertices: left, sampleCount: 4, ps: ps('linear_noperspective_centroid') })
    expect([drawn.value(0, 2, 0), drawn.value(0, 2, 1)]).toEqual([0.5, 2.5])
    const first = [1.5 + offsets[0]! / 256, 2.5 + offsets[1]! / 256]
    expect([drawn.value(1, 2, 0), drawn.value(1, 2, 1)]).toEqual(first)
    // Without sample 0 in the mask it is the next that is covered.
    const masked = draw({
      vertices: left,
      sampleCount: 4,
      ps: ps('linear_noperspective_centroid'),
      state: { sampleMask: 0b1100 },
    })
    expect([masked.value(1, 2, 0, 0, 2), masked.value(1, 2, 1, 0, 2)]).toEqual([
      1.5 + offsets[4]! / 256,
      2.5 + offsets[5]! / 256,
    ])
  })

  it('at the centroid is the same point for all samples of a pixel at sample frequency', () => {
    const text = `ps_5_0\ndcl_input_ps_siv linear_noperspective_centroid v0.xy, position\ndcl_input_ps_sgv constant v1.x, sampleIndex\ndcl_output o0.xyzw\nmov o0.xyzw, v0.xyxy\nret\n`
    const left = leftOf(1.5)
    const drawn = draw({ vertices: left, sampleCount: 4, ps: text })
    expect(drawn.value(1, 2, 0, 0, 2)).toBe(drawn.value(1, 2, 0, 0, 0))
    expect(drawn.value(0, 2, 0, 0, 3)).toBe(0.5)
  })
})

describe('evaluation where the shader asks', () => {
  const a = (x: number, y: number): number => x / 16 + y * 64
  const vertices = (
    [
      [-8, -8],
      [24, -8],
      [-8, 24],
    ] as const
  ).map(([x, y]) => [...at(x, y, 4, 4), a(x, y), 0, 0, 0])
  const run = (body: string, mode = 'linear_noperspective', more: Partial<Scene> = {}) =>
    draw({
      vertices,
      sampleCount: 4,
      ps: `ps_5_0\ndcl_input_ps ${mode} v1.xyzw\ndcl_output o0.xyzw\n${body}\nret\n`,
      ...more,
    })

  it('snapped: sixteenths of a pixel by the low four bits', () => {
    for (let u = -8; u < 8; u++) {
      const v = 7 - ((u + 8) % 16)
      for (const [gu, gv] of [
        [u, v],
        [u + 16, v - 64],
      ] as const) {
        const drawn = run(`eval_snapped o0.xyzw, v1.xxxx, l(${gu >>> 0},${gv >>> 0},0,0)`)
        expect(drawn.value(2, 1), `${gu}, ${gv}`).toBe(a(2.5 + u / 16, 1.5 + v / 16))
      }
    }
  })

  it('at samples, and at the centroid', () => {
    const offsets = sampleOffsets(4)
    for (let s = 0; s < 4; s++) {
      const drawn = run(`eval_sample_index o0.xyzw, v1.xxxx, l(${s})`, 'linear_noperspective_centroid')
      expect(drawn.value(2, 1)).toBe(a(2.5 + offsets[s * 2]! / 256, 1.5 + offsets[s * 2 + 1]! / 256))
    }
    expect(run('eval_centroid o0.xyzw, v1.xxxx').value(2, 1)).toBe(a(2.5, 1.5))
    const outside = run('eval_sample_index o0.xyzw, v1.xxxx, l(4)')
    expect([outside.value(2, 1), outside.codes]).toEqual([a(2.5, 1.5), ['engine-sample-index']])
  })

  it('of an attribute that a register chooses; outside of the range it is 0, with a report', () => {
    const second = vertices.map((v, i) => [...v, 100 * (i + 1), 0, 0, 0])
    const chosen = (register: number) =>
      draw({
        vertices: second,
        sampleCount: 4,
        ps: `ps_5_0\ndcl_input_ps linear_noperspective v1.xyzw\ndcl_input_ps linear_noperspective v2.xyzw\ndcl_output o0.xyzw\ndcl_temps 1\ndcl_indexrange v1.xyzw 2\nmov r0.x, l(${register})\neval_snapped o0.x, v[r0.x + 1].xxxx, l(4,-4,0,0)\neval_sample_index o0.y, v[r0.x + 1].yxyy, l(1)\neval_centroid o0.z, v[r0.x + 1].wyxw\nret\n`,
      })
    const values = (drawn: ReturnType<typeof chosen>) => [0, 1, 2].map((c) => drawn.value(2, 1, c))
    const [sx, sy] = Array.from(sampleOffsets(4).subarray(2, 4), (n) => n / 256) as [number, number]
    expect(values(chosen(0))).toEqual([a(2.75, 1.25), a(2.5 + sx, 1.5 + sy), a(2.5, 1.5)])
    // 100, 200 and 300 at the corners (-8, -8), (24, -8) and (-8, 24).
    const b = (x: number, y: number): number => 100 + ((x + 8) * 100) / 32 + ((y + 8) * 200) / 32
    expect(values(chosen(1))).toEqual([b(2.75, 1.25), b(2.5 + sx, 1.5 + sy), b(2.5, 1.5)])
    const outside = chosen(2)
    expect(values(outside)).toEqual([0, 0, 0])
    expect(new Set(outside.codes)).toEqual(new Set(['engine-register-bounds']))
  })

  it('of a constant is the constant', () => {
    expect(run('eval_sample_index o0.xyzw, v1.xxxx, l(3)', 'constant').value(2, 1)).toBe(a(-8, -8))
  })
})

describe('lines and points', () => {
  it('points have one value', () => {
    const drawn = draw({
      vertices: [[...at(2, 2, 4, 4, 0.5, 3), 0.1, 0, 0, 0]],
      ps: psOf('linear'),
      state: { topology: 'POINTLIST' },
    })
    expect(drawn.mask()).toBe(1 << 5)
    expect(drawn.value(1, 1)).toBe(Math.fround(0.1))
  })

  it('lines vary along their length alone, and not beyond their ends', () => {
    for (const rasterizer of [{}, { multisampleEnable: true }]) {
      const vertices = [
        [...at(1, 2.5, 8, 8), 0, 0, 0, 0],
        [...at(5, 2.5, 8, 8), 1, 0, 0, 0],
      ]
      const drawn = draw({
        vertices,
        width: 8,
        height: 8,
        ps: psOf('linear'),
        state: { topology: 'LINELIST', rasterizer },
      })
      expect([1, 2, 3, 4].map((x) => drawn.value(x, 2))).toEqual([0.125, 0.375, 0.625, 0.875])
    }
  })
})
