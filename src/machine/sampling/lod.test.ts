import { describe, expect, test } from 'vitest'
import { floatTexture, gather, sample, samplerOf, srvOf, texture } from '../../../test/support/machine-textures.ts'
import type { Sampler } from '../sampler.ts'
import type { TextureSrv } from '../view.ts'
import { loadTexel } from './access.ts'
import { calculateLod } from './lod.ts'
import { type SampleRequest, sampleRequest } from './request.ts'

const TRILINEAR = samplerOf({ filter: 'MIN_MAG_MIP_LINEAR' })
const MIP_POINT = samplerOf({ filter: 'MIN_MAG_LINEAR_MIP_POINT' })

/** A chain where every texel of mip n is n. */
function levels(width: number, height: number, minLod = 0): TextureSrv {
  const texels: number[] = []
  let n = 0
  for (let w = width, h = height; ; w = Math.max(1, w >> 1), h = Math.max(1, h >> 1)) {
    for (let i = 0; i < w * h; i++) texels.push(n)
    n++
    if (w === 1 && h === 1) break
  }
  return srvOf(floatTexture({ dimension: 'texture2d', width, height, mipLevels: 0, minLod }, texels))
}
function lods(view: TextureSrv, sampler: Sampler, fields: Partial<SampleRequest>): number[] {
  const out = new Float32Array(2)
  calculateLod(view, sampler, sampleRequest({ derivatives: true, ...fields }), out, 0)
  return [...out]
}

describe('mip selection (7.18.10)', () => {
  const view = levels(16, 16)
  const at = (s: Sampler, lod: number): number => sample(view, s, { x: 0.5, y: 0.5, lod })[0]!

  test('point: the nearest mip, halves up', () => {
    expect([-3, 0, 0.25, 0.5, 1.4, 1.5, 4, 9, Infinity].map((l) => at(MIP_POINT, l))).toEqual([
      0, 0, 0, 1, 1, 2, 4, 4, 4,
    ])
  })
  test('linear: between two mips, clamped at both ends', () => {
    expect([-3, 0, 0.25, 2.5, 3.75, 4, 99, -Infinity].map((l) => at(TRILINEAR, l))).toEqual([
      0, 0, 0.25, 2.5, 3.75, 4, 4, 0,
    ])
  })
  test('a NaN LOD loses to the clamps and ends at the last mip', () => {
    expect(at(TRILINEAR, Number.NaN)).toBe(4)
    expect(at(samplerOf({ maxLod: 2 }), Number.NaN)).toBe(2)
  })
  test('at least eight fraction bits', () => {
    expect(Math.abs(at(TRILINEAR, 1 + 1 / 256) - (1 + 1 / 256))).toBeLessThan(1e-6)
  })
})

describe('bias and clamps (7.18.11)', () => {
  const view = levels(16, 16)
  test('bias of sampler and instruction come before the clamps', () => {
    const s = samplerOf({ mipLodBias: 1.5, maxLod: 3 })
    expect(sample(view, s, { x: 0.5, y: 0.5, lod: 0.5 })[0]).toBe(2)
    expect(sample(view, s, { x: 0.5, y: 0.5, lod: 0.5, bias: 0.5 })[0]).toBe(2.5)
    expect(sample(view, s, { x: 0.5, y: 0.5, lod: 9 })[0]).toBe(3)
  })
  test('minLod wins over maxLod', () => {
    expect(sample(view, samplerOf({ minLod: 3, maxLod: 1 }), { x: 0.5, y: 0.5, lod: 2 })[0]).toBe(3)
  })
  test('magnification is decided after the clamps', () => {
    const two = srvOf(floatTexture({ dimension: 'texture1d', width: 2, mipLevels: 1 }, [0, 1]))
    const s = { filter: 'MIN_POINT_MAG_LINEAR_MIP_POINT' }
    expect(sample(two, samplerOf(s), { x: 0.5, lod: -1 })[0]).toBe(0.5)
    expect(sample(two, samplerOf(s), { x: 0.5, lod: 0 })[0]).toBe(0.5)
    expect(sample(two, samplerOf(s), { x: 0.5, lod: 0.1 })[0]).toBe(1)
    expect(sample(two, samplerOf({ ...s, minLod: 0.1 }), { x: 0.5, lod: -1 })[0]).toBe(1)
    expect(sample(two, samplerOf({ ...s, maxLod: 0 }), { x: 0.5, lod: 4 })[0]).toBe(0.5)
  })
  test('the clamp of an instruction (5.9.4.5.4)', () => {
    expect(sample(view, TRILINEAR, { x: 0.5, y: 0.5, lod: 0, lodClamp: 2.5 })[0]).toBe(2.5)
    expect(sample(view, TRILINEAR, { x: 0.5, y: 0.5, lod: 3, lodClamp: 2.5 })[0]).toBe(3)
    expect(sample(view, TRILINEAR, { x: 0.5, y: 0.5, lod: 3, lodClamp: 4.5 })).toEqual([0, 0, 0, 1])
  })
})

describe('the per-resource clamp: the examples of 5.8.6', () => {
  const sampler = samplerOf({ minLod: 1.2, maxLod: 4 })
  // Mips 1 to 6 of eight; mip n of the resource holds n.
  const view = (minLod: number): TextureSrv =>
    srvOf(levels(128, 128, minLod).resource, { mostDetailedMip: 1, mipLevels: 6 })
  const at = (minLod: number, lod: number): number[] => sample(view(minLod), sampler, { x: 0.5, y: 0.5, lod })
  const load = (minLod: number, mip: number): number[] => {
    const out = new Float32Array(4)
    const ok = loadTexel(view(minLod), 0, 0, 0, mip, 0, new Uint32Array(out.buffer), 0)
    return ok ? [out[0]!] : [...out]
  }
  const derivatives = { ddxX: 1 / 256, ddyY: 1 / 256 }

  test('case 1: within view and sampler', () => {
    expect(at(3.5, -2)[0]).toBe(3.5)
    expect(at(3.5, 2)[0]).toBe(3.5)
    expect(lods(view(3.5), sampler, derivatives)).toEqual([2.5, -2])
    expect(load(3.5, 2)).toEqual([3])
    expect(load(3.5, 1)).toEqual([0, 0, 0, 1])
    expect(gather(view(3.5), sampler, { x: 0.5, y: 0.5 })).toEqual([0, 0, 0, 0])
    expect(gather(view(3.5), sampler, { x: 0.5, y: 0.5 }, 3)).toEqual([1, 1, 1, 1])
    const less = samplerOf({ filter: 'COMPARISON_MIN_MAG_MIP_POINT', comparison: 'LESS_EQUAL' })
    expect(gather(view(3.5), less, { x: 0.5, y: 0.5, compare: true, reference: 0 })).toEqual([1, 1, 1, 1])
    expect(gather(view(3.5), less, { x: 0.5, y: 0.5, compare: true, reference: 1 })).toEqual([0, 0, 0, 0])
  })
  test('case 2: within the view, beyond the sampler', () => {
    expect(at(5.5, -2)[0]).toBe(5.5)
    expect(lods(view(5.5), sampler, derivatives)).toEqual([4.5, -2])
    expect(load(5.5, 4)).toEqual([5])
    expect(load(5.5, 3)).toEqual([0, 0, 0, 1])
  })
  test('case 3: beyond the view', () => {
    expect(at(6.5, 2)).toEqual([0, 0, 0, 1])
    expect(lods(view(6.5), sampler, derivatives)).toEqual([0, -2])
    expect(load(6.5, 5)).toEqual([0, 0, 0, 1])
  })
  test('a clamp of 0.1 leaves mip 0 to ld and gather', () => {
    const t = srvOf(
      floatTexture({ dimension: 'texture2d', width: 2, height: 2, mipLevels: 2, minLod: 0.1 }, [1, 2, 3, 4, 9]),
    )
    expect(gather(t, sampler, { x: 0.5, y: 0.5 })).toEqual([3, 4, 2, 1])
  })
})

describe('LOD from derivatives (7.18.11)', () => {
  test('isotropic: the longer of the two, in texels of mip 0', () => {
    const view = levels(64, 32)
    expect(lods(view, TRILINEAR, { ddxX: 4 / 64, ddyY: 1 / 32 })).toEqual([2, 2])
    expect(lods(view, TRILINEAR, { ddxX: 1 / 64, ddyY: 8 / 32 })).toEqual([3, 3])
    expect(lods(view, TRILINEAR, { ddxX: 3 / 64, ddxY: 4 / 32 })[1]).toBe(Math.fround(Math.log2(5)))
  })
  test('no change of coordinates: minus infinity, magnified', () => {
    expect(lods(levels(4, 4), TRILINEAR, {})).toEqual([0, -Infinity])
  })
  test('bias counts, clamps do not, in the second answer', () => {
    const s = samplerOf({ mipLodBias: 1, maxLod: 1.5 })
    expect(lods(levels(64, 64), s, { ddxX: 4 / 64 })).toEqual([1.5, 3])
    expect(lods(levels(64, 64), TRILINEAR, { ddxX: 2 ** 20 })).toEqual([6, 26])
  })
  test('oblique derivatives: the long axis of their ellipse', () => {
    // dX = (4, 0), dY = (3, 2): largest singular value of the 2x2 matrix.
    const [, lod] = lods(levels(64, 64), TRILINEAR, { ddxX: 4 / 64, ddyX: 3 / 64, ddyY: 2 / 64 })
    const [e, f, g] = [4 ** 2 + 3 ** 2, 2 * 3, 2 ** 2]
    const largest = Math.sqrt((e + g + Math.sqrt((e - g) ** 2 + 4 * f ** 2)) / 2)
    expect(lod).toBeCloseTo(Math.log2(largest), 5)
  })
  test('a Texture3D counts depth, obliquely too', () => {
    const t = srvOf(
      texture({ dimension: 'texture3d', width: 8, height: 8, depth: 8, mipLevels: 0, format: 'R32_FLOAT' }),
    )
    expect(lods(t, TRILINEAR, { ddxZ: 4 / 8 })).toEqual([2, 2])
    // The vectors of the test above, turned into the plane of v and w.
    const [, lod] = lods(t, TRILINEAR, { ddxZ: 4 / 8, ddyZ: 3 / 8, ddyY: 2 / 8 })
    const largest = Math.sqrt((29 + Math.sqrt(21 ** 2 + 144)) / 2)
    expect(lod).toBeCloseTo(Math.log2(largest), 5)
  })
  test('a Texture1D looks at u alone', () => {
    const t = srvOf(floatTexture({ dimension: 'texture1d', width: 8 }, [0, 0, 0, 0, 0, 0, 0, 0]))
    expect(lods(t, TRILINEAR, { ddxX: 2 / 8, ddyY: 100 })[1]).toBe(1)
  })
  test('a TextureCube projects the derivatives onto its face', () => {
    const t = srvOf(texture({ dimension: 'texturecube', width: 64, mipLevels: 0, format: 'R32_FLOAT' }))
    // At the middle of +Z: a change of 1/8 in x is 1/16 of the face, 4 texels of 64.
    expect(lods(t, TRILINEAR, { x: 0, y: 0, z: 1, ddxX: 1 / 8 })).toEqual([2, 2])
    expect(lods(t, TRILINEAR, { x: 0, y: 0, z: 2, ddxX: 1 / 4 })).toEqual([2, 2])
    // Off the middle the major axis counts: c' = 1/2, dc = (0 - 1/2 * 1/4) = -1/8, again 4 texels.
    expect(lods(t, TRILINEAR, { x: 0.5, y: 0, z: 1, ddxZ: 1 / 4 })).toEqual([2, 2])
  })
})

describe('anisotropic filtering', () => {
  const view = levels(64, 64)
  const aniso = (maxAnisotropy: number): Sampler => samplerOf({ filter: 'ANISOTROPIC', maxAnisotropy, address: 'WRAP' })

  test('LOD by the short axis, until the ratio is clamped', () => {
    const footprint = { ddxX: 16 / 64, ddyY: 2 / 64 }
    expect(lods(view, aniso(16), footprint)).toEqual([1, 1])
    expect(lods(view, aniso(4), footprint)).toEqual([2, 2])
    expect(lods(view, aniso(1), footprint)).toEqual([4, 4])
    expect(lods(view, TRILINEAR, footprint)).toEqual([4, 4])
  })
  test('a short axis below one texel: a negative LOD, so that bias can bring it back', () => {
    expect(lods(view, aniso(16), { ddxX: 2 / 64, ddyY: 0.5 / 64 })).toEqual([0, -1])
  })
  test('a line without width is the clamped ratio', () => {
    expect(lods(view, aniso(8), { ddxX: 16 / 64 })).toEqual([1, 1])
  })
  test('taps lie evenly on the long axis, weighed alike', () => {
    const ramp = Array.from({ length: 64 * 64 }, (_, i) => i % 64)
    const t = srvOf(floatTexture({ dimension: 'texture2d', width: 64, height: 64 }, ramp))
    const at = (x: number, ddxX: number): number =>
      sample(t, aniso(16), { x, y: 0.5, derivatives: true, ddxX, ddyY: 1 / 64 })[0]!
    // Symmetric taps on a linear ramp give the middle.
    expect(at(0.5, 8 / 64)).toBeCloseTo(31.5, 5)
    // Four taps at -1.5, -0.5, 0.5 and 1.5 texels round the seam between texel 63 and texel 0: 62, 63, 0, 1.
    expect(at(0, 4 / 64)).toBeCloseTo((62 + 63 + 0 + 1) / 4, 5)
  })
  test('an explicit LOD is isotropic; dimensions other than 2D are trilinear', () => {
    expect(sample(view, aniso(16), { x: 0.5, y: 0.5, lod: 2.5 })[0]).toBe(2.5)
    const t = srvOf(
      texture({ dimension: 'texture3d', width: 8, height: 8, depth: 8, mipLevels: 0, format: 'R32_FLOAT' }),
    )
    expect(lods(t, aniso(16), { ddxX: 4 / 8, ddyY: 1 / 8 })).toEqual([2, 2])
  })
  test('minimum and maximum over all taps', () => {
    const ramp = Array.from({ length: 64 * 64 }, (_, i) => i % 64)
    const t = srvOf(floatTexture({ dimension: 'texture2d', width: 64, height: 64 }, ramp))
    const at = (filter: string): number =>
      sample(t, samplerOf({ filter, maxAnisotropy: 16 }), {
        x: 32.5 / 64,
        y: 0.5 / 64,
        derivatives: true,
        ddxX: 4 / 64,
        ddyY: 1 / 64,
      })[0]!
    // Taps at 31, 32, 33, 34 on the texel grid of centers, half a texel off: from texel 30 or 31 to 34 or 33.
    expect(at('MINIMUM_ANISOTROPIC')).toBe(30)
    expect(at('MAXIMUM_ANISOTROPIC')).toBe(34)
  })
})
