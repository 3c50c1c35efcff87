import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import {
  createSampler,
  createSrv,
  createTexture,
  type SamplerOptions,
  subresource,
  type TextureOptions,
} from '../../src/machine/index.ts'
import { at, draw, type Scene } from '../support/draw-text.ts'

// Textures in pixel shaders: the level of detail comes from the quad.

const SIZE = 8
const FULL = [at(-SIZE, -SIZE, SIZE, SIZE), at(3 * SIZE, -SIZE, SIZE, SIZE), at(-SIZE, 3 * SIZE, SIZE, SIZE)]

function texture(o: Partial<TextureOptions>, texel: (mip: number, x: number, y: number, slice: number) => number) {
  const made = valueOrThrow(
    createTexture({ dimension: 'texture2d', format: 'R32_FLOAT', width: 64, height: 64, mipLevels: 0, ...o } as never),
  )
  for (let slice = 0; slice < made.arraySize; slice++) {
    for (let mip = 0; mip < made.mipLevels; mip++) {
      const s = subresource(made, mip, slice)!
      const floats = new Float32Array(made.storage.words.buffer, made.storage.words.byteOffset + s.byteOffset)
      for (let i = 0; i < s.width * s.height; i++) {
        floats[i] = texel(mip, i % s.width, Math.floor(i / s.width), slice)
      }
    }
  }
  return made
}

const TRILINEAR: SamplerOptions = { filter: 'MIN_MAG_MIP_LINEAR', address: 'WRAP' }

/** Runs lines of a pixel shader over a target of 8 x 8 pixels; v0 is the position. */
function shade(
  t: ReturnType<typeof texture>,
  body: readonly string[],
  s: SamplerOptions = TRILINEAR,
  more: Scene = {},
) {
  const comparison = s.filter?.toString().startsWith('COMPARISON') === true
  const ps = [
    'ps_5_0',
    `dcl_sampler s0, mode_${comparison ? 'comparison' : 'default'}`,
    'dcl_resource_texture2d (float,float,float,float) t0',
    'dcl_input_ps_siv linear_noperspective v0.xyzw, position',
    'dcl_output o0.xyzw',
    'dcl_temps 4',
    ...body,
    'ret',
    '',
  ].join('\n')
  const srv = valueOrThrow(createSrv(t, t.format.depthStencil ? { format: 'R32_FLOAT' } : {}))
  const bindings = { pixel: { t0: srv, s0: valueOrThrow(createSampler(s)) } }
  return draw({ vertices: FULL, width: SIZE, height: SIZE, ps, ...more, resources: { bindings } })
}

/** Coordinates that move `x` and `y` texels of the largest mip for each pixel. */
const coordinates = (x: number, y: number): string =>
  `mul r0.xyzw, v0.xyxx, l(${(x / 64).toFixed(8)},${(y / 64).toFixed(8)},0.0,0.0)`
const mipNumber = texture({}, (mip) => mip)

describe('the level of detail of a sample', () => {
  it.each([
    [1, 1, 0],
    [2, 2, 1],
    [4, 1, 2],
    [1, 8, 3],
    [0.5, 0.5, -1],
    [64, 64, 6],
    [128, 16, 7],
  ])('is that of the longer step: %d by %d texels', (x, y, lod) => {
    const value = Math.min(6, Math.max(0, lod))
    const drawn = shade(mipNumber, [
      coordinates(x, y),
      'sample o0.x, r0.xyxx, t0.xxxx, s0',
      'lod o0.y, r0.xyxx, t0.xyxx, s0',
      'lod o0.z, r0.xyxx, t0.xxxx, s0',
      'sample_b o0.w, r0.xyxx, t0.xxxx, s0, l(1.0)',
    ])
    const biased = Math.min(6, Math.max(0, lod + 1))
    for (const [px, py] of [
      [0, 0],
      [5, 2],
      [7, 7],
    ] as const) {
      const got = [0, 1, 2, 3].map((c) => drawn.value(px, py, c))
      // lod gives the number without its clamp in y, and clamped in x.
      expect(got).toEqual([value, lod, value, biased])
    }
  })

  it('obeys bias and limits of the sampler, and the mips of the view', () => {
    const sample = ['sample o0.x, r0.xyxx, t0.xxxx, s0', 'mov o0.yzw, l(0,0,0,0)']
    const value = (s: SamplerOptions) => shade(mipNumber, [coordinates(4, 4), ...sample], s).value(3, 3)
    expect(value(TRILINEAR)).toBe(2)
    expect(value({ ...TRILINEAR, mipLodBias: 1.5 })).toBe(3.5)
    expect(value({ ...TRILINEAR, maxLod: 1 })).toBe(1)
    expect(value({ ...TRILINEAR, minLod: 4 })).toBe(4)
    expect(value({ ...TRILINEAR, filter: 'MIN_MAG_LINEAR_MIP_POINT', mipLodBias: 0.75 })).toBe(3)
    const bindings = (o: object) => ({
      pixel: { t0: valueOrThrow(createSrv(mipNumber, o)), s0: valueOrThrow(createSampler(TRILINEAR)) },
    })
    const viewed = (o: object) =>
      draw({
        vertices: FULL,
        width: SIZE,
        height: SIZE,
        ps: `ps_5_0\ndcl_sampler s0, mode_default\ndcl_resource_texture2d (float,float,float,float) t0\ndcl_input_ps_siv linear_noperspective v0.xyzw, position\ndcl_output o0.xyzw\ndcl_temps 1\n${coordinates(4, 4)}\n${sample.join('\n')}\nret\n`,
        resources: { bindings: bindings(o) },
      }).value(3, 3)
    // A step of four texels of mip 0 is a step of one texel of mip 2.
    expect(viewed({ mostDetailedMip: 2 })).toBe(2)
    expect(viewed({ mostDetailedMip: 1, mipLevels: 1 })).toBe(1)
    expect(viewed({ mostDetailedMip: 3 })).toBe(3)
  })

  it('is the same for the four pixels of a quad: that of the upper row and the left column', () => {
    // The coordinate is x * x / 2 texels: steps of 2 k + 1 between pixels 2 k and 2 k + 1.
    const drawn = shade(mipNumber, [
      'mul r0.xyzw, v0.xxxx, v0.xxxx',
      `mul r0.xyzw, r0.xxxx, l(${0.5 / 64},0.0,0.0,0.0)`,
      'lod o0.xyzw, r0.xyxx, t0.yyyy, s0',
    ])
    for (let x = 0; x < SIZE; x++) {
      const step = (x & ~1) + 1
      expect(Math.abs(drawn.value(x, 3) - Math.log2(step)), `pixel ${x}`).toBeLessThan(1e-3)
      expect(drawn.value(x, 3)).toBe(drawn.value(x ^ 1, 2))
    }
  })

  it('takes helpers and pixels that are discarded for neighbors', () => {
    // One pixel of the quad is covered; its neighbors go on with coordinates of their own.
    const one = [at(2, 2, SIZE, SIZE), at(3.25, 2, SIZE, SIZE), at(2, 3.25, SIZE, SIZE)]
    const body = [coordinates(4, 4), 'sample o0.xyzw, r0.xyxx, t0.xxxx, s0']
    const small = shade(mipNumber, body, TRILINEAR, { vertices: one })
    expect([small.value(2, 2), small.result.statistics.psInvocations]).toEqual([2, 1])
    const discarding = [
      'ftou r1.x, v0.x',
      'and r1.x, r1.x, l(1)',
      'discard_nz r1.x',
      coordinates(4, 4),
      'sample o0.xyzw, r0.xyxx, t0.xxxx, s0',
    ]
    const half = shade(mipNumber, discarding)
    expect([0, 1, 2, 3].map((x) => half.value(x, 1))).toEqual([2, 0, 2, 0])
  })
})

describe('texels around a pixel', () => {
  const numbered = texture({ mipLevels: 1 }, (_, x, y) => x + 100 * y)
  const POINT: SamplerOptions = { filter: 'MIN_MAG_MIP_POINT', address: 'CLAMP' }

  it('are gathered counterclockwise from the lower left, with offsets in texels', () => {
    // The point between texels (x, y) and (x + 1, y + 1).
    const corner = (dx: number, dy: number, offset: string) =>
      shade(
        numbered,
        [
          'round_ni r0.xy, v0.xyxx',
          `add r0.xy, r0.xyxx, l(${dx + 1}.0,${dy + 1}.0,0.0,0.0)`,
          'mul r0.xy, r0.xyxx, l(0.015625,0.015625,0.0,0.0)',
          `gather4${offset === '' ? '' : `_aoffimmi(${offset})`} o0.xyzw, r0.xyxx, t0.xyzw, s0.x`,
        ],
        POINT,
      )
    const four = (drawn: ReturnType<typeof corner>) => [0, 1, 2, 3].map((c) => drawn.value(3, 5, c))
    const around = (x: number, y: number): number[] => {
      const n = (i: number, j: number): number => Math.max(0, i) + 100 * Math.max(0, j)
      return [n(x, y + 1), n(x + 1, y + 1), n(x + 1, y), n(x, y)]
    }
    expect(four(corner(0, 0, ''))).toEqual(around(3, 5))
    expect(four(corner(10, 20, '3,-2,0'))).toEqual(around(16, 23))
    expect(four(corner(-3, -5, '-8,-8,0'))).toEqual(around(-8, -8))
  })

  it('of a sample without a level lie at the offset, and are blended where it is linear', () => {
    const drawn = shade(
      numbered,
      [
        'mul r0.xy, v0.xyxx, l(0.015625,0.015625,0.0,0.0)',
        'sample_l_aoffimmi(2,-1,0) o0.x, r0.xyxx, t0.xxxx, s0, l(0.0)',
        'add r0.xy, r0.xyxx, l(0.0078125,0.0,0.0,0.0)',
        'sample_l o0.y, r0.xyxx, t0.xxxx, s0, l(0.0)',
        'sample_d o0.z, r0.xyxx, t0.xxxx, s0, l(0,0,0,0), l(0,0,0,0)',
        'mov o0.w, l(0)',
      ],
      { filter: 'MIN_MAG_MIP_LINEAR', address: 'CLAMP' },
    )
    expect([0, 1, 2].map((c) => drawn.value(4, 3, c))).toEqual([6 + 200, 4.5 + 300, 4.5 + 300])
  })

  it('of depth are compared with a reference: each of them, then blended', () => {
    // Depth 0.25 in even columns, 0.75 in odd ones.
    const depth = texture({ format: 'D32_FLOAT', mipLevels: 1 }, (_, x) => (x % 2 === 0 ? 0.25 : 0.75))
    const body = (reference: number) => [
      'mul r0.xy, v0.xyxx, l(0.015625,0.015625,0.0,0.0)',
      `sample_c_lz o0.x, r0.xyxx, t0.xxxx, s0, l(${reference})`,
      'add r0.xy, r0.xyxx, l(0.00390625,0.0,0.0,0.0)',
      `sample_c o0.y, r0.xyxx, t0.xxxx, s0, l(${reference})`,
      `gather4_c o0.zw, r0.xyxx, t0.xxzy, s0.x, l(${reference})`,
    ]
    const s: SamplerOptions = { filter: 'COMPARISON_MIN_MAG_MIP_LINEAR', address: 'CLAMP', comparison: 'LESS_EQUAL' }
    const values = (reference: number, x: number) => {
      const drawn = shade(depth, body(reference), s)
      return [0, 1, 2, 3].map((c) => drawn.value(x, 2, c))
    }
    // A quarter of a texel to the right of the center of column 2: three quarters of it, one of column 3.
    expect(values(0.5, 2)).toEqual([0, 0.25, 1, 1])
    expect(values(0.5, 3)).toEqual([1, 0.75, 0, 0])
    expect(values(0.25, 2)).toEqual([1, 1, 1, 1])
    expect(values(0.875, 2)).toEqual([0, 0, 0, 0])
  })
})
