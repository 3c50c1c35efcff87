import { describe, expect, it } from 'vitest'
import type { RasterizerState, Viewport } from '../../src/pipeline/index.ts'
import { amount } from '../support/amount.ts'
import { at, bits, draw, float, type Scene, viewportOf } from '../support/draw-text.ts'
import { Random } from '../support/random/random.ts'

// From clip space to the screen (functional specification 15): culling, clipping, viewports, facing, depth bias.

const full = (z = 0.5, w = 1): number[][] => [at(-8, -8, 4, 4, z, w), at(24, -8, 4, 4, z, w), at(-8, 24, 4, 4, z, w)]

/** A vertex shader with one clip or cull distance of two components beside the position. */
const distances = (name: string): string =>
  `vs_5_0\ndcl_input v0.xyzw\ndcl_input v1.xyzw\ndcl_output_siv o0.xyzw, position\ndcl_output_siv o1.xy, ${name}\nmov o0.xyzw, v0.xyzw\nmov o1.xy, v1.xyxx\nret\n`
/** The triangle of `full` with a distance at each vertex. */
const withDistances = (d: readonly (readonly [number, number])[], w = [1, 1, 1]): number[][] =>
  [at(-8, -8, 4, 4, 0.5, w[0]), at(24, -8, 4, 4, 0.5, w[1]), at(-8, 24, 4, 4, 0.5, w[2])].map((p, i) => [
    ...p,
    ...d[i]!,
    0,
    0,
  ])
const drawn = (scene: Scene): number => draw(scene).mask()

describe('cull distances', () => {
  const run = (...d: (readonly [number, number])[]): number =>
    drawn({ vs: distances('cull_distance'), vertices: withDistances(d) })

  it('drop a primitive where one component is outside at all vertices; NaN is outside', () => {
    expect(run([-1, 1], [-1, 1], [-1, 1])).toBe(0)
    expect(run([1, -1], [1, -1], [1, -2])).toBe(0)
    expect(run([-1, 1], [-1, -1], [1, -1])).toBe(0xffff)
    expect(run([-1, 0], [Number.NaN, 0], [-1, 0])).toBe(0)
    expect(run([Number.NaN, 0], [Number.NaN, 0], [0, 0])).toBe(0xffff)
    expect(run([-0, 0], [-0, 0], [-0, 0])).toBe(0xffff)
  })

  it('count in the clipper: it was reached, nothing left it', () => {
    const d = [[-1, 1] as const, [-1, 1] as const, [-1, 1] as const]
    const { statistics } = draw({ vs: distances('cull_distance'), vertices: withDistances(d) }).result
    expect([statistics.cInvocations, statistics.cPrimitives]).toEqual([1, 0])
  })
})

describe('clip distances', () => {
  const scene = (d: readonly (readonly [number, number])[], more: Partial<Scene> = {}, w?: number[]): Scene => ({
    vs: distances('clip_distance'),
    vertices: withDistances(d, w),
    ...more,
  })
  /** Distances of the plane x >= `edge` pixels at the vertices of `full`. */
  const from = (edge: number): (readonly [number, number])[] => [-8, 24, -8].map((x) => [x - edge, 1])

  it('cover where the interpolated distance is not negative, sample by sample', () => {
    expect(drawn(scene(from(2)))).toBe(0xcccc)
    // On the centers: 0 is inside.
    expect(drawn(scene(from(1.5)))).toBe(0xeeee)
    const samples = draw(scene(from(1.5), { sampleCount: 4 }))
    // x of the samples: -2, 6, -6 and 2 sixteenths from the center.
    expect([0, 1, 2, 3].map((s) => samples.value(1, 0, 0, 0, s))).toEqual([0, 1, 0, 1])
    const { statistics } = samples.result
    expect([statistics.cInvocations, statistics.cPrimitives]).toEqual([1, 1])
  })

  it('are interpolated in perspective: w does not move a plane that lies in space', () => {
    // A plane through clip space, x >= 0, cuts at the middle whatever the w of the vertices.
    for (const w of [
      [1, 1, 1],
      [1, 2, 4],
      [8, 1, 0.5],
    ]) {
      const positions = withDistances(from(0), w)
      const vertices = positions.map((p) => [p[0]!, p[1]!, p[2]!, p[3]!, p[0]!, 1, 0, 0])
      expect(drawn({ vs: distances('clip_distance'), vertices }), w.join()).toBe(0xcccc)
    }
  })

  it('of NaN at one vertex drop the primitive', () => {
    const d = from(0).map((p, i) => (i === 2 ? ([Number.NaN, 1] as const) : p))
    expect(drawn(scene(d))).toBe(0)
  })

  it('that are infinite, or 0, at all vertices keep the primitive where they are not negative', () => {
    for (const [distance, mask] of [
      [Number.POSITIVE_INFINITY, 0xffff],
      [0, 0xffff],
      [Number.NEGATIVE_INFINITY, 0],
    ] as const) {
      expect(drawn(scene(from(0).map(() => [distance, 1] as const)))).toBe(mask)
    }
    const mixed = [Number.POSITIVE_INFINITY, 0, 5].map((x) => [x, 1] as const)
    expect(drawn(scene(mixed))).toBe(0xffff)
  })

  it('of two components must both be kept', () => {
    const d = from(2).map(([x], i) => [x, [-8, -8, 24][i]! - 2] as const)
    expect(drawn(scene(d))).toBe(0xcc00)
  })
})

describe('the view volume', () => {
  const clip = (positions: number[][], state: Partial<RasterizerState> = {}): ReturnType<typeof draw> =>
    draw({
      vertices: positions,
      depth: 'D32_FLOAT',
      state: { rasterizer: state, depthStencil: { depthFunc: 'ALWAYS' } },
    })

  it('keeps z of exactly 0 and exactly w, and drops what is before and behind', () => {
    expect(clip(full(0)).mask()).toBe(0xffff)
    expect(clip(full(1)).mask()).toBe(0xffff)
    expect(clip(full(-(2 ** -20))).mask()).toBe(0)
    expect(clip(full(1 + 2 ** -20)).mask()).toBe(0)
    expect(clip(full(-0.5)).result.statistics).toMatchObject({ cInvocations: 1, cPrimitives: 0 })
  })

  it('without depth clip draws all z, clamped where it is tested and not before', () => {
    const seen = (z: number): readonly number[] => {
      const text =
        'ps_5_0\ndcl_input_ps_siv linear_noperspective v0.z, position\ndcl_output o0.xyzw\nmov o0.xyzw, v0.zzzz\nret\n'
      const state = { rasterizer: { depthClipEnable: false }, depthStencil: { depthFunc: 'ALWAYS' } } as const
      const d = draw({ vertices: full(z), depth: 'D32_FLOAT', ps: text, state })
      return [d.value(1, 1), float(d.depthWord(1, 1))]
    }
    expect(seen(-0.5)).toEqual([-0.5, 0])
    expect(seen(1.5)).toEqual([1.5, 1])
  })

  it('needs a w above 0, and finite positions', () => {
    for (const w of [0, -1]) {
      const behind = full().map((p) => [p[0]!, p[1]!, 0, w])
      expect(clip(behind, { depthClipEnable: false }).mask(), `w ${w}`).toBe(0)
    }
    for (const bad of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const vertices = full()
      vertices[1]![0] = bad
      expect(clip(vertices).mask(), `${bad}`).toBe(0)
    }
  })

  it('a corner that is 0 in all components, as missing vertex data gives it, adds nothing', () => {
    // All sums of two corners and it lie on the line through these two: no area. A line from a point to it stays at the point.
    const [a, b] = [at(3, 1, 4, 4, 0.5), at(1.3, 3.6, 4, 4, 0.25, 2)]
    const none = [0, 0, 0, 0]
    for (const vertices of [
      [a, b, none],
      [none, a, b],
      [b, none, a],
    ]) {
      for (const depthClipEnable of [false, true]) expect(clip(vertices, { depthClipEnable }).mask()).toBe(0)
    }
    expect(draw({ vertices: [a, none], state: { topology: 'LINELIST' } }).mask()).toBe(0)
    // The edge through the viewer is seen as one point, so the triangle as a line.
    const through = [
      [0, 0, 0.5, 1],
      [0, 0, -0.5, -1],
      [0.5, 0.3, 0.5, 1],
    ]
    expect(clip(through, { depthClipEnable: false }).mask()).toBe(0)
  })

  it('cuts a triangle into a fan, and counts it', () => {
    // One vertex in front of the near plane: a quadrilateral; two: a triangle.
    const one = full(0.5)
    one[0]![2] = -0.5
    expect(clip(one).result.statistics.cPrimitives).toBe(2)
    const two = full(0.5)
    two[0]![2] = -0.5
    two[1]![2] = -0.5
    expect(clip(two).result.statistics.cPrimitives).toBe(1)
  })

  it('near: what is left is where z is not negative', () => {
    // z grows with x from -1 to 1 on the target: the left half is cut away.
    const z = (x: number): number => (x - 2) / 2
    const vertices = [at(-8, -8, 4, 4, z(-8)), at(24, -8, 4, 4, z(24)), at(-8, 24, 4, 4, z(-8))]
    const rows = clip(vertices)
    expect(rows.mask() & 0x3333).toBe(0)
    expect(rows.mask() & 0xcccc).toBe(0xcccc)
  })

  it('triangles that share an edge are cut at the same places: no cracks, nothing twice', () => {
    const random = new Random(8)
    const add = { renderTarget: [{ blendEnable: true, srcBlend: 'ONE', destBlend: 'ONE' }] } as const
    let cut = 0
    for (let n = 0; n < amount(20, 80); n++) {
      // A plane in space, as clip-space vectors: its origin is seen, and it reaches far outside and behind the viewer.
      const part = (): number => (random.below(2001) - 1000) / 1000
      const across = [1 + part() / 2, part() / 2, part() / 4, part() / 3]
      const down = [part() / 2, -1 + part() / 2, part() / 4, part() / 3]
      const on = (u: number, v: number): number[] =>
        [part() / 99, part() / 99, 0.5, 1].map((origin, i) =>
          Math.fround((i < 2 ? 0 : origin) + u * across[i]! + v * down[i]!),
        )
      const far = (): number => 2 ** random.below(20)
      const ring = [on(-far(), -far()), on(far(), -far()), on(far(), far()), on(-far(), far())]
      const fan = ring.flatMap((a, i) => [on(0, 0), a, ring[(i + 1) % 4]!])
      const drawn = draw({
        vertices: fan,
        width: 16,
        height: 16,
        state: { rasterizer: { cullMode: 'NONE' }, blend: add },
      })
      const times = (x: number, y: number): number => drawn.value(x, y)
      let most = 0
      for (let y = 0; y < 16; y++) {
        for (let x = 0; x < 16; x++) {
          most = Math.max(most, times(x, y))
          if (x === 0 || y === 0 || x === 15 || y === 15 || times(x, y) > 0) continue
          const around = times(x - 1, y) * times(x + 1, y) * times(x, y - 1) * times(x, y + 1)
          expect(around, `a hole at ${x}, ${y} of ${JSON.stringify(fan)}`).toBe(0)
        }
      }
      expect(most, JSON.stringify(fan)).toBe(1)
      if (drawn.result.statistics.cPrimitives > 4) cut++
    }
    expect(cut).toBeGreaterThan(amount(10, 40))
  })

  it('beyond the guard band lines keep their slope', () => {
    // From the middle of the target to a place 2^20 pixels to the right and as many up.
    const far = [at(0, 4, 4, 4), at(2 ** 20, 4 - 2 ** 20, 4, 4)]
    expect(draw({ vertices: far, state: { topology: 'LINELIST' } }).mask()).toBe(
      draw({ vertices: [at(0, 4, 4, 4), at(16, -12, 4, 4)], state: { topology: 'LINELIST' } }).mask(),
    )
  })
})

describe('viewports', () => {
  const over = (viewport: Partial<Viewport>, more: Partial<Scene> = {}): number =>
    drawn({
      vertices: full().map((p) => [p[0]! * 4, p[1]! * 4, p[2]!, p[3]!]),
      resources: { viewports: [viewportOf(4, 4, viewport)] },
      ...more,
    })

  it('limit what is drawn to the whole pixels from the floor of their sides', () => {
    expect(over({ topLeftX: 1, topLeftY: 2, width: 2, height: 1 })).toBe(0b0000_0110_0000_0000)
    expect(over({ topLeftX: 0.75, width: 2.5, height: 1 })).toBe(0b0111)
    expect(over({ topLeftX: -0.3, width: 4, height: 1 })).toBe(0b0111)
    expect(over({ width: 0 })).toBe(0)
  })

  it('move and scale by float32 steps, y down', () => {
    // A triangle over the viewport's upper left quarter.
    const quarter = [
      [-1, 1, 0, 1],
      [1, 1, 0, 1],
      [-1, -1, 0, 1],
    ]
    const half = draw({
      vertices: quarter,
      width: 8,
      height: 4,
      resources: { viewports: [viewportOf(4, 4, { topLeftX: 4 })] },
    })
    // The hypotenuse passes through the centers of the diagonal, whose lower right side does not own them.
    expect(half.mask()).toBe(maskOf(8, 4, (x, y) => x >= 4 && x - 4 + y < 3))
  })

  it('scissors cut; without a rectangle nothing is drawn', () => {
    const scissor = { rasterizer: { scissorEnable: true } } as const
    const rect = { left: 1, top: 1, right: 3, bottom: 4 }
    expect(drawn({ vertices: full(), state: scissor, resources: { scissors: [rect] } })).toBe(0x6660)
    expect(drawn({ vertices: full(), state: scissor })).toBe(0)
    expect(drawn({ vertices: full(), resources: { scissors: [rect] } })).toBe(0xffff)
  })

  it('and slices are chosen by the leading vertex; what is out of range goes to the first', () => {
    const vs =
      'vs_5_0\ndcl_input v0.xyzw\ndcl_input v1.xyzw\ndcl_output_siv o0.xyzw, position\ndcl_output_siv o1.x, rendertarget_array_index\ndcl_output_siv o1.y, viewport_array_index\nmov o0.xyzw, v0.xyzw\nmov o1.xy, v1.xyxx\nret\n'
    const ps =
      'ps_5_0\ndcl_input_ps_siv constant v1.x, rendertarget_array_index\ndcl_input_ps_siv constant v1.y, viewport_array_index\ndcl_output o0.xyzw\nmov o0.xy, v1.xyxx\nmov o0.zw, l(0,0,7,7)\nret\n'
    const run = (slice: number, viewport: number): { slices: number[]; word: number[]; lit: boolean[] } => {
      const leading = [slice, viewport, 0, 0]
      const vertices = full().map((p, i) => [...p.map(bits), ...(i === 0 ? leading : [0, 0, 0, 0])])
      const d = draw({
        vs,
        ps,
        vertices,
        asBits: true,
        arraySize: 3,
        targets: ['R32G32B32A32_UINT'],
        resources: { viewports: [viewportOf(2, 4), viewportOf(2, 4, { topLeftX: 2 })] },
      })
      const hit = [0, 1, 2].map((s) => [0, 2].some((x) => d.word(x, 0, 3, 0, 0, s) === 7))
      const s = hit.indexOf(true)
      const lit = [0, 2].map((x) => s >= 0 && d.word(x, 0, 3, 0, 0, s) === 7)
      const x = lit[0] === true ? 0 : 2
      return {
        slices: hit.flatMap((h, i) => (h ? [i] : [])),
        word: s < 0 ? [] : [d.word(x, 0, 0, 0, 0, s), d.word(x, 0, 1, 0, 0, s)],
        lit,
      }
    }
    expect(run(0, 0)).toEqual({ slices: [0], word: [0, 0], lit: [true, false] })
    expect(run(2, 1)).toEqual({ slices: [2], word: [2, 1], lit: [false, true] })
    expect(run(3, 16)).toEqual({ slices: [0], word: [3, 16], lit: [true, false] })
    expect(run(0xffffffff, 0xffffffff)).toEqual({ slices: [0], word: [0xffffffff, 0xffffffff], lit: [true, false] })
    // In range and not set: an empty viewport.
    expect(run(1, 5).slices).toEqual([])
  })
})

function maskOf(width: number, height: number, lit: (x: number, y: number) => boolean): number {
  let mask = 0
  for (let i = 0; i < width * height; i++) if (lit(i % width, Math.floor(i / width))) mask |= 1 << i
  return mask >>> 0
}

describe('facing', () => {
  const clockwise = full()
  const counter = [clockwise[0]!, clockwise[2]!, clockwise[1]!]
  const ps =
    'ps_5_0\ndcl_input_ps_sgv constant v1.x, is_front_face\ndcl_output o0.xyzw\nmovc o0.xyzw, v1.xxxx, l(1,1,1,1), l(2,2,2,2)\nret\n'
  const run = (vertices: number[][], rasterizer: Partial<RasterizerState>): number =>
    draw({ vertices, ps, targets: ['R32G32B32A32_UINT'], state: { rasterizer } }).word(1, 1)

  it.each([
    // cull, front is counterclockwise, what is seen of a clockwise triangle and of a counterclockwise one
    ['NONE', false, 1, 2],
    ['FRONT', false, 0, 2],
    ['BACK', false, 1, 0],
    ['NONE', true, 2, 1],
    ['FRONT', true, 2, 0],
    ['BACK', true, 0, 1],
  ] as const)('cull %s, front counterclockwise %s', (cullMode, frontCounterClockwise, cw, ccw) => {
    expect(run(clockwise, { cullMode, frontCounterClockwise })).toBe(cw)
    expect(run(counter, { cullMode, frontCounterClockwise })).toBe(ccw)
  })

  it('of lines and points is front; they are never culled', () => {
    for (const cullMode of ['FRONT', 'BACK'] as const) {
      const line = [at(0, 1.5, 4, 4), at(4, 1.5, 4, 4)]
      const state = { rasterizer: { cullMode } }
      const scene = { ps, targets: ['R32G32B32A32_UINT'], state }
      expect(draw({ ...scene, vertices: line, state: { ...state, topology: 'LINELIST' } }).word(1, 1)).toBe(1)
      expect(
        draw({ ...scene, vertices: [at(1.5, 1.5, 4, 4)], state: { ...state, topology: 'POINTLIST' } }).word(1, 1),
      ).toBe(1)
    }
  })

  it("of wireframe lines is the triangle's; one of no area is back facing, and drawn", () => {
    const flat = [at(0, 1.5, 4, 4), at(4, 1.5, 4, 4), at(2, 1.5, 4, 4)]
    const wire = { fillMode: 'WIREFRAME' } as const
    expect(run(flat, { ...wire, cullMode: 'NONE' })).toBe(2)
    expect(run(flat, { ...wire, cullMode: 'BACK' })).toBe(0)
    expect(run(flat, { cullMode: 'NONE' })).toBe(0)
    const edge = [at(0, 1.5, 4, 4), at(4, 1.5, 4, 4), at(4, 8, 4, 4)]
    expect(run(edge, { ...wire, cullMode: 'NONE' })).toBe(1)
    expect(run([edge[0]!, edge[2]!, edge[1]!], { ...wire, cullMode: 'NONE' })).toBe(2)
  })
})

describe('wireframe', () => {
  it('draws the edges that the triangle had, and none that clipping made', () => {
    // The right corner is cut off by the far plane: its two sides end there, and no line joins them.
    const z = (x: number): number => x / 8
    const p = (x: number, y: number): number[] => at(x, y, 16, 16, z(x))
    const triangle = [p(0.5, 0.5), p(15.5, 0.5), p(0.5, 15.5)]
    const lit = (vertices: number[][], state: Partial<RasterizerState>, topology: 'TRIANGLELIST' | 'LINELIST') =>
      draw({ vertices, width: 16, height: 16, state: { rasterizer: { cullMode: 'NONE', ...state }, topology } })
    const wire = lit(triangle, { fillMode: 'WIREFRAME' }, 'TRIANGLELIST')
    for (let y = 1; y < 15; y++) {
      for (let x = 1; x < 16; x++) {
        // The left side and the slant are further below; inside of the triangle nothing is lit.
        if (x > 1 && x + y < 14) expect(wire.value(x, y), `(${x}, ${y})`).toBe(0)
      }
    }
    // The upper side up to where z is 1, at x = 8.
    expect(Array.from({ length: 16 }, (_, x) => wire.value(x, 0))).toEqual(
      Array.from({ length: 16 }, (_, x) => (x < 8 ? 1 : 0)),
    )
  })
})

describe('depth bias', () => {
  const depthOf = (
    format: string,
    rasterizer: Partial<RasterizerState>,
    z: readonly [number, number, number] = [1 / 64, 1 / 64, 1 / 64],
  ): number => {
    const vertices = [at(0, 0, 4, 4, z[0]), at(4, 0, 4, 4, z[1]), at(0, 4, 4, 4, z[2])]
    return draw({ vertices, depth: format, ps: null, state: { rasterizer } }).depthWord(0, 0)
  }

  it('of float depth counts in steps of the largest z of the triangle', () => {
    expect(depthOf('D32_FLOAT', { depthBias: 1 })).toBe(0x3c800001)
    expect(depthOf('D32_FLOAT', { depthBias: 5 })).toBe(0x3c800005)
    // The largest z is 1/2, whose steps are 2^-24: 2^-24 * 3 above 1/64 everywhere.
    const words = depthOf('D32_FLOAT', { depthBias: 3 }, [1 / 64, 1 / 2, 1 / 64])
    const flat = depthOf('D32_FLOAT', {}, [1 / 64, 1 / 2, 1 / 64])
    expect(float(words) - float(flat)).toBeCloseTo(3 * 2 ** -24, 9)
    expect(depthOf('D32_FLOAT', { depthBias: 1000 }, [0, 0, 0])).toBe(0)
  })

  it('of UNORM depth counts in steps of the format', () => {
    for (const bias of [0, 1, 2, 100, -3]) {
      const d16 = depthOf('D16_UNORM', { depthBias: bias }, [0.25, 0.25, 0.25]) & 0xffff
      const d24 = depthOf('D24_UNORM_S8_UINT', { depthBias: bias }, [0.25, 0.25, 0.25]) & 0xffffff
      expect(d16).toBe(Math.floor(0.25 * 65535 + bias + 0.5))
      // Between steps of 2^-26 the sum is rounded to float32: at most one code away.
      expect(Math.abs(d24 - Math.floor(0.25 * 0xffffff + bias + 0.5))).toBeLessThanOrEqual(1)
    }
  })

  it('by slope adds the steeper of both, a pixel', () => {
    // z rises by 1/16 a pixel in x and 1/32 in y; at the center of pixel (0, 0) it is 3/64.
    const slope = [0, 4 / 16, 4 / 32] as const
    const flat = float(depthOf('D32_FLOAT', {}, slope))
    expect(flat).toBe(3 / 64)
    expect(float(depthOf('D32_FLOAT', { slopeScaledDepthBias: 1 }, slope)) - flat).toBe(1 / 16)
    expect(float(depthOf('D32_FLOAT', { slopeScaledDepthBias: 2 }, slope)) - flat).toBe(1 / 8)
    const clamped = { slopeScaledDepthBias: 2, depthBiasClamp: 1 / 32 }
    expect(float(depthOf('D32_FLOAT', clamped, slope)) - flat).toBe(1 / 32)
    expect(float(depthOf('D32_FLOAT', { slopeScaledDepthBias: -0.25, depthBiasClamp: -1 / 128 }, slope)) - flat).toBe(
      -1 / 128,
    )
    // A clamp of the other sign does nothing.
    expect(float(depthOf('D32_FLOAT', { slopeScaledDepthBias: 1, depthBiasClamp: -1 / 128 }, slope)) - flat).toBe(
      1 / 16,
    )
  })

  it('is seen by the shader, and without a depth buffer counts 24 bits', () => {
    const ps =
      'ps_5_0\ndcl_input_ps_siv linear_noperspective v0.z, position\ndcl_output o0.xyzw\nmov o0.xyzw, v0.zzzz\nret\n'
    const d = draw({ vertices: full(0.25), ps, state: { rasterizer: { depthBias: 16 } } })
    expect(d.value(0, 0)).toBe(Math.fround(0.25 + 16 / (2 ** 24 - 1)))
    // The step is a float32, 2^-24 (1 + 2^-23); three of them lie between two floats, and go to the even one.
    const three = draw({ vertices: full(0), ps, state: { rasterizer: { depthBias: 3 } } })
    expect(bits(three.value(0, 0))).toBe(0x34400002)
  })

  it('leaves lines and points alone, and comes after clipping', () => {
    const state = { rasterizer: { depthBias: 1 << 20 } } as const
    const line = [at(0, 1.5, 4, 4, 0.5), at(4, 1.5, 4, 4, 0.5)]
    expect(
      draw({ vertices: line, depth: 'D32_FLOAT', state: { ...state, topology: 'LINELIST' } }).depthWord(1, 1),
    ).toBe(bits(0.5))
    const behind = draw({
      vertices: full(1),
      depth: 'D32_FLOAT',
      depthValue: 0.5,
      state: { ...state, depthStencil: { depthFunc: 'ALWAYS' } },
    })
    expect(behind.depthWord(1, 1)).toBe(bits(1))
  })
})
