import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { floatTexture, gather, sample, samplerOf, srvOf, texture } from '../../../test/support/machine-textures.ts'
import { bitsOfF32, f32OfBits } from '../format/index.ts'
import { FILTERS } from '../sampler.ts'
import { sampleRequest } from './request.ts'
import { sampleTexture } from './sample.ts'

const POINT = samplerOf({ filter: 'MIN_MAG_MIP_POINT', address: 'CLAMP' })
const LINEAR = samplerOf({ filter: 'MIN_MAG_MIP_LINEAR', address: 'CLAMP' })

describe('point sampling (7.18.7)', () => {
  const view = srvOf(floatTexture({ dimension: 'texture2d', width: 4, height: 2 }, [0, 1, 2, 3, 10, 11, 12, 13]))

  test('a texel center is its texel, exactly', () => {
    for (let y = 0; y < 2; y++) {
      for (let x = 0; x < 4; x++) {
        expect(sample(view, POINT, { x: (x + 0.5) / 4, y: (y + 0.5) / 2 })).toEqual([y * 10 + x, 0, 0, 1])
      }
    }
  })

  test('the texel boundary belongs to the right texel, and 1.0 is beyond the last', () => {
    const at = (x: number, address: string): number =>
      sample(view, samplerOf({ filter: 'MIN_MAG_MIP_POINT', address, borderColor: [99, 0, 0, 0] }), { x, y: 0.25 })[0]!
    expect([0, 0.25, 0.5, 0.75].map((x) => at(x, 'CLAMP'))).toEqual([0, 1, 2, 3])
    expect(['CLAMP', 'WRAP', 'MIRROR', 'MIRROR_ONCE', 'BORDER'].map((a) => at(1, a))).toEqual([3, 0, 3, 3, 99])
    expect(['CLAMP', 'WRAP', 'MIRROR', 'MIRROR_ONCE', 'BORDER'].map((a) => at(-0.1, a))).toEqual([0, 3, 0, 0, 99])
    expect(['CLAMP', 'WRAP', 'MIRROR', 'MIRROR_ONCE'].map((a) => at(-1.4, a))).toEqual([0, 2, 2, 3])
  })

  test('one texel is passed on bit for bit: denormals and NaN payloads', () => {
    const bits = [0x00000001, 0x7f812345]
    const t = srvOf(texture({ dimension: 'texture1d', width: 2, format: 'R32_FLOAT', data: Uint32Array.from(bits) }))
    const out = new Uint32Array(4)
    bits.forEach((b, i) => {
      sampleTexture(t, LINEAR, sampleRequest({ x: i / 2 + 0.25 }), out, 0)
      expect(out[0]).toBe(b)
    })
  })

  test('of blends, minima and maxima of NaNs the one NaN comes out, whatever their payloads', () => {
    const data = Uint32Array.of(0xffc12345, 0x7fd12345)
    const t = srvOf(texture({ dimension: 'texture1d', width: 2, format: 'R32_FLOAT', data }))
    const out = new Uint32Array(4)
    for (const filter of ['MIN_MAG_MIP_LINEAR', 'MINIMUM_MIN_MAG_MIP_LINEAR', 'MAXIMUM_MIN_MAG_MIP_LINEAR']) {
      sampleTexture(t, samplerOf({ filter, address: 'CLAMP' }), sampleRequest({ x: 0.5 }), out, 0)
      expect(out[0]).toBe(0x7fc00000)
    }
  })

  test('integer formats are point sampled whatever the filter', () => {
    const t = srvOf(texture({ dimension: 'texture1d', width: 2, format: 'R32_SINT', data: Int32Array.of(-7, 9) }))
    const out = new Uint32Array(4)
    sampleTexture(t, LINEAR, sampleRequest({ x: 0.45 }), out, 0)
    expect([...out]).toEqual([0xfffffff9, 0, 0, 1])
  })
})

describe('linear sampling (7.18.8)', () => {
  const view = srvOf(floatTexture({ dimension: 'texture2d', width: 2, height: 2 }, [0, 1, 2, 3]))

  test('halfway between texels, and quarters', () => {
    expect(sample(view, LINEAR, { x: 0.5, y: 0.25 })[0]).toBe(0.5)
    expect(sample(view, LINEAR, { x: 0.375, y: 0.25 })[0]).toBe(0.25)
    expect(sample(view, LINEAR, { x: 0.5, y: 0.5 })[0]).toBe(1.5)
    expect(sample(view, LINEAR, { x: 0.25, y: 0.625 })[0]).toBe(1.5)
  })

  test('address modes apply to each texel by itself', () => {
    const at = (address: string, x: number): number =>
      sample(view, samplerOf({ filter: 'MIN_MAG_MIP_LINEAR', address, borderColor: [8, 0, 0, 0] }), { x, y: 0.25 })[0]!
    expect(at('WRAP', 0)).toBe(0.5)
    expect(at('CLAMP', 0)).toBe(0)
    expect(at('MIRROR', 1)).toBe(1)
    expect(at('BORDER', 0)).toBe(4)
    expect(at('BORDER', -1)).toBe(8)
  })

  test('a Texture3D blends eight texels', () => {
    const t = srvOf(floatTexture({ dimension: 'texture3d', width: 2, height: 2, depth: 2 }, [0, 1, 2, 3, 4, 5, 6, 7]))
    expect(sample(t, LINEAR, { x: 0.5, y: 0.5, z: 0.5 })[0]).toBe(3.5)
    expect(sample(t, LINEAR, { x: 0.25, y: 0.25, z: 0.625 })[0]).toBe(3)
  })

  test('texel offsets are added after scaling, before the address mode', () => {
    const t = srvOf(floatTexture({ dimension: 'texture1d', width: 4 }, [0, 1, 2, 3]))
    const wrap = samplerOf({ filter: 'MIN_MAG_MIP_LINEAR', address: 'WRAP' })
    expect(sample(t, wrap, { x: 0.5, offsetX: 1 })[0]).toBe(2.5)
    expect(sample(t, wrap, { x: 0.5, offsetX: 2 })[0]).toBe(1.5)
    expect(sample(t, wrap, { x: 0.125, offsetX: -8 })[0]).toBe(0)
  })

  test('sRGB is linearized before it is filtered', () => {
    const t = srvOf(
      texture({
        dimension: 'texture1d',
        width: 2,
        format: 'R8G8B8A8_UNORM_SRGB',
        data: Uint8Array.of(0, 0, 0, 0, 255, 0, 0, 255),
      }),
    )
    expect(sample(t, LINEAR, { x: 0.5 })).toEqual([0.5, 0, 0, 0.5])
  })
})

describe('arrays', () => {
  test('the slice is rounded to nearest even and clamped', () => {
    const t = srvOf(floatTexture({ dimension: 'texture2d', width: 1, height: 1, arraySize: 4 }, [0, 1, 2, 3]))
    const slices = [0, 0.5, 0.51, 1.5, 2.5, 2.6, 9, -4, Number.NaN, Infinity]
    expect(slices.map((z) => sample(t, POINT, { x: 0.5, y: 0.5, z })[0])).toEqual([0, 0, 1, 2, 2, 3, 3, 0, 0, 3])
    const one = srvOf(floatTexture({ dimension: 'texture1d', width: 1, arraySize: 2 }, [5, 6]))
    expect(sample(one, POINT, { x: 0.5, y: 1 })[0]).toBe(6)
  })

  test('a view shows its own slices', () => {
    const t = floatTexture({ dimension: 'texture2d', width: 1, height: 1, arraySize: 4 }, [0, 1, 2, 3])
    const view = srvOf(t, { dimension: 'texture2darray', firstArraySlice: 1, arraySize: 2 })
    expect([0, 1, 2].map((z) => sample(view, POINT, { x: 0.5, y: 0.5, z })[0])).toEqual([1, 2, 2])
    const single = srvOf(t, { dimension: 'texture2d', firstArraySlice: 3 })
    expect(sample(single, POINT, { x: 0.5, y: 0.5, z: 9 })[0]).toBe(3)
  })
})

describe('borders (7.18.9.1)', () => {
  const border = samplerOf({ filter: 'MIN_MAG_MIP_POINT', address: 'BORDER', borderColor: [2, -3, 0.25, 0.5] })
  const at = (format: string): number[] =>
    sample(srvOf(texture({ dimension: 'texture2d', width: 4, height: 4, format })), border, { x: -1, y: 0.5 })

  test('only the components of the format, clamped to its range', () => {
    expect(at('R8G8B8A8_UNORM')).toEqual([1, 0, 0.25, 0.5])
    expect(at('R8_SNORM')).toEqual([1, 0, 0, 1])
    expect(at('R16G16_SNORM')).toEqual([1, -1, 0, 1])
    expect(at('R32G32_FLOAT')).toEqual([2, -3, 0, 1])
    expect(at('R11G11B10_FLOAT')).toEqual([2, 0, 0.25, 1])
    expect(at('BC4_UNORM')).toEqual([1, 0, 0, 1])
    expect(at('A8_UNORM')).toEqual([0, 0, 0, 0.5])
  })
})

describe('comparison (22.4.19)', () => {
  const depth = floatTexture({ dimension: 'texture2d', width: 2, height: 1 }, [0.25, 0.75])
  const compareAt = (comparison: string, reference: number, x = 0.25): number[] =>
    sample(srvOf(depth), samplerOf({ filter: 'COMPARISON_MIN_MAG_LINEAR_MIP_POINT', comparison }), {
      x,
      y: 0.5,
      compare: true,
      reference,
    })

  test.each([
    ['NEVER', 0, 0, 0],
    ['LESS', 1, 0, 0],
    ['EQUAL', 0, 1, 0],
    ['LESS_EQUAL', 1, 1, 0],
    ['GREATER', 0, 0, 1],
    ['NOT_EQUAL', 1, 0, 1],
    ['GREATER_EQUAL', 0, 1, 1],
    ['ALWAYS', 1, 1, 1],
  ])('%s: the reference is on the left', (fn, below, same, above) => {
    expect([0.1, 0.25, 0.4].map((r) => compareAt(fn, r)[0])).toEqual([below, same, above])
  })

  test('answers are filtered and go to every component', () => {
    expect(compareAt('LESS', 0.5, 0.5)).toEqual([0.5, 0.5, 0.5, 0.5])
    expect(compareAt('LESS', 0.5, 0.375)).toEqual([0.25, 0.25, 0.25, 0.25])
  })

  test('NaN differs from everything', () => {
    expect(compareAt('NOT_EQUAL', Number.NaN)[0]).toBe(1)
    expect(compareAt('LESS_EQUAL', Number.NaN)[0]).toBe(0)
  })

  test('the reference takes the precision and range of the format', () => {
    const t = srvOf(
      texture({ dimension: 'texture2d', width: 1, height: 1, format: 'R16_UNORM', data: Uint16Array.of(65535) }),
    )
    const equal = samplerOf({ filter: 'COMPARISON_MIN_MAG_MIP_POINT', comparison: 'EQUAL' })
    const at = (reference: number): number => sample(t, equal, { x: 0.5, y: 0.5, compare: true, reference })[0]!
    expect([1, 7, 0.999999, 0.99998, Number.NaN].map(at)).toEqual([1, 1, 1, 0, 0])
  })

  test('the border color is compared too', () => {
    const s = samplerOf({
      filter: 'COMPARISON_MIN_MAG_MIP_POINT',
      comparison: 'LESS',
      address: 'BORDER',
      borderColor: [1, 0, 0, 0],
    })
    expect(sample(srvOf(depth), s, { x: 5, y: 0.5, compare: true, reference: 0.9 })[0]).toBe(1)
  })
})

describe('minimum and maximum (5.9.4.5.6)', () => {
  const view = srvOf(floatTexture({ dimension: 'texture2d', width: 2, height: 2 }, [4, 1, 3, 2]))
  const of = (kind: string, x: number, y: number): number =>
    sample(view, samplerOf({ filter: `${kind}_MIN_MAG_MIP_LINEAR` }), { x, y })[0]!

  test('of the texels that would have weight', () => {
    expect([of('MINIMUM', 0.5, 0.5), of('MAXIMUM', 0.5, 0.5)]).toEqual([1, 4])
    expect([of('MINIMUM', 0.3, 0.25), of('MAXIMUM', 0.3, 0.25)]).toEqual([1, 4])
    expect([of('MINIMUM', 0.25, 0.4), of('MAXIMUM', 0.75, 0.4)]).toEqual([3, 2])
    expect([of('MINIMUM', 0.25, 0.25), of('MAXIMUM', 0.75, 0.75)]).toEqual([4, 2])
  })

  test('over both mips of a linear mip filter, by component, NaN losing', () => {
    const t = texture({
      dimension: 'texture1d',
      width: 2,
      mipLevels: 2,
      format: 'R32G32_FLOAT',
      data: Float32Array.of(5, Number.NaN, 6, 2, 1, 9),
    })
    const s = samplerOf({ filter: 'MINIMUM_MIN_MAG_POINT_MIP_LINEAR' })
    expect(sample(srvOf(t), s, { x: 0.25, lod: 0.5 })).toEqual([1, 9, 0, 1])
    expect(sample(srvOf(t), s, { x: 0.25, lod: 0 }).slice(0, 1)).toEqual([5])
  })
})

describe('gather (22.4.2)', () => {
  const view = srvOf(floatTexture({ dimension: 'texture2d', width: 3, height: 3 }, [0, 1, 2, 10, 11, 12, 20, 21, 22]))

  test('counter-clockwise from the lower left', () => {
    expect(gather(view, POINT, { x: 0.5, y: 0.5 })).toEqual([21, 22, 12, 11])
    expect(gather(view, POINT, { x: 1 / 3, y: 1 / 3 })).toEqual([10, 11, 1, 0])
  })

  test('address modes, offsets, border', () => {
    const wrap = samplerOf({ address: 'WRAP' })
    expect(gather(view, wrap, { x: 0, y: 0 })).toEqual([2, 0, 20, 22])
    expect(gather(view, wrap, { x: 1 / 3, y: 1 / 3, offsetX: 1, offsetY: -1 })).toEqual([1, 2, 22, 21])
    const border = samplerOf({ address: 'BORDER', borderColor: [7, 0, 0, 0] })
    expect(gather(view, border, { x: 0, y: 0 })).toEqual([7, 0, 7, 7])
  })

  test('a component, with the defaults of those that are missing', () => {
    const t = srvOf(
      texture({ dimension: 'texture2d', width: 1, height: 1, format: 'R8G8_UNORM', data: Uint8Array.of(255, 51) }),
    )
    const at = (c: number): number => gather(t, LINEAR, { x: 0.5, y: 0.5 }, c)[0]!
    expect([0, 1, 2, 3].map(at)).toEqual([1, Math.fround(0.2), 0, 1])
  })

  test('comparing gives each answer', () => {
    const s = samplerOf({ filter: 'COMPARISON_MIN_MAG_MIP_POINT', comparison: 'GREATER' })
    expect(gather(view, s, { x: 0.5, y: 0.5, compare: true, reference: 15 }, 3)).toEqual([0, 0, 1, 1])
  })

  test('bits are returned unaltered', () => {
    const t = srvOf(
      texture({ dimension: 'texture2d', width: 1, height: 1, format: 'R32_FLOAT', data: Uint32Array.of(1) }),
    )
    expect(gather(t, LINEAR, { x: 0.1, y: 0.9 })).toEqual([1, 1, 1, 1].map(f32OfBits))
  })
})

describe('invariants (7.18.16.3)', () => {
  const anyFloat = fc.oneof(fc.float(), fc.float({ min: -3, max: 3, noNaN: true }))
  const filters = [...FILTERS.keys()].filter((f) => !f.startsWith('COMPARISON'))
  const addresses = ['WRAP', 'MIRROR', 'CLAMP', 'MIRROR_ONCE']

  test('a texture of one color always gives that color, at any coordinates and LOD', () => {
    const word = 0x7f33c811
    const dims = [
      { dimension: 'texture2d', width: 8, height: 4, mipLevels: 0 },
      { dimension: 'texture3d', width: 4, height: 4, depth: 4, mipLevels: 0 },
      { dimension: 'texturecube', width: 4, mipLevels: 0 },
    ] as const
    const views = dims.map((d) => {
      const t = texture({ ...d, format: 'R8G8B8A8_UNORM' })
      t.storage.words.fill(word)
      return srvOf(t)
    })
    const color = [0x11, 0xc8, 0x33, 0x7f].map((c) => Math.fround(c / 255))
    fc.assert(
      fc.property(
        fc.constantFrom(...views),
        fc.constantFrom(...filters),
        fc.constantFrom(...addresses),
        fc.tuple(anyFloat, anyFloat, anyFloat, anyFloat),
        fc.boolean(),
        fc.tuple(anyFloat, anyFloat),
        (view, filter, address, [x, y, z, lod], derivatives, [ddxX, ddyY]) => {
          const s = samplerOf({ filter, address })
          expect(sample(view, s, { x, y, z, lod, derivatives, ddxX, ddyY })).toEqual(color)
        },
      ),
      { numRuns: 400 },
    )
  })

  test('results lie between the least and the greatest texel', () => {
    fc.assert(
      fc.property(
        fc.array(fc.float({ min: -100, max: 100, noNaN: true }), { minLength: 16, maxLength: 16 }),
        fc.tuple(anyFloat, anyFloat),
        fc.constantFrom(...addresses),
        (texels, [x, y], address) => {
          const view = srvOf(floatTexture({ dimension: 'texture2d', width: 4, height: 4 }, texels))
          const [got] = sample(view, samplerOf({ filter: 'MIN_MAG_MIP_LINEAR', address }), { x, y })
          const flushed = texels.map((t) => (Math.abs(t) < 2 ** -126 ? 0 : Math.fround(t)))
          expect(got).toBeGreaterThanOrEqual(Math.min(...flushed, ...texels))
          expect(got).toBeLessThanOrEqual(Math.max(...flushed, ...texels))
        },
      ),
    )
  })

  test('NaN and infinite coordinates pick defined texels', () => {
    const view = srvOf(floatTexture({ dimension: 'texture2d', width: 2, height: 2 }, [1, 2, 3, 4]))
    for (const address of addresses) {
      const s = samplerOf({ filter: 'MIN_MAG_MIP_POINT', address })
      expect(sample(view, s, { x: Number.NaN, y: Number.NaN })[0]).toBe(1)
      const atInfinity = address === 'CLAMP' || address === 'MIRROR_ONCE' ? 2 : 1
      expect(sample(view, s, { x: Infinity, y: 0.25 })[0], address).toBe(atInfinity)
    }
  })

  test('texel weights increase monotonically', () => {
    const view = srvOf(floatTexture({ dimension: 'texture1d', width: 2 }, [0.1, 0.7]))
    let last = -1
    for (let i = 0; i <= 3000; i++) {
      const [v] = sample(view, LINEAR, { x: 0.2 + (i / 3000) * 0.6 })
      expect(v).toBeGreaterThanOrEqual(last)
      last = v!
    }
    expect(last).toBe(Math.fround(0.7))
  })

  test('out[at] on: nothing else of the array is written', () => {
    const out = new Uint32Array(6).fill(bitsOfF32(-1))
    const view = srvOf(floatTexture({ dimension: 'texture1d', width: 1 }, [3]))
    sampleTexture(view, POINT, sampleRequest({ x: 0.5 }), out, 1)
    expect([...out].map(f32OfBits)).toEqual([-1, 3, 0, 0, 1, -1])
  })
})
