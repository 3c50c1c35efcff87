import { describe, expect, it } from 'vitest'
import type { SamplerOptions } from '../../src/machine/index.ts'
import { sampledOnAll, samplingText } from '../support/sampling-run.ts'

/** Lines of anisotropy in compiled code: footprints from round to longer than the limit, and what is none, against the reference engine. */

const TEXT = samplingText(`ishl r0.x, vThreadID.x, l(4)
ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r1.xyzw, r0.x, t1.xyzw
utof r0.y, vThreadID.x
mul r0.y, r0.y, l(0.0137)
sample_d_indexable(texture2d)(float,float,float,float) r2.xyzw, r0.yyyy, t0.xyzw, s0, r1.xyxx, r1.zwzz
store_raw u0.xyzw, r0.x, r2.xyzw`)

const SIZE = 64
const LEVELS = 7

/** Pairs of derivatives in texels: the longer one, how many times as long it is, the angle between them and of both. */
function footprints(): number[][] {
  const found: number[][] = [
    [0, 0, 0, 0],
    [4, 0, 0, 0],
    [4, 2, 4, 2],
    [Number.NaN, 1, 1, 1],
    [1, 1, Number.POSITIVE_INFINITY, 0],
    [1e30, 0, 0, 1e-30],
    [1e-25, 0, 0, 1e-25],
  ]
  for (const longer of [0.2, 0.9, 1, 3, 16, 40, 300]) {
    for (const ratio of [1, 1.01, 1.0157, 1.9, 2, 2.5, 4.0156, 7.99, 8.2, 16, 16.5, 90]) {
      for (const turn of [0, 0.4, 1.57, 2.9]) {
        for (const angle of [Math.PI / 2, 0.7]) {
          const shorter = longer / ratio
          const [x, y] = [longer * Math.cos(turn), longer * Math.sin(turn)]
          const [z, w] = [shorter * Math.cos(turn + angle), shorter * Math.sin(turn + angle)]
          found.push(found.length % 2 === 0 ? [x, y, z, w] : [z, w, x, y])
        }
      }
    }
  }
  return found
}

const BYTE_LENGTH = Array.from({ length: LEVELS }, (_, mip) => (SIZE >> mip) ** 2 * 4).reduce((a, b) => a + b)
const DATA = Uint8Array.from({ length: BYTE_LENGTH }, (_, n) => (n * 89 + (n >> 5) * 3) & 0x7f)

describe('lines of anisotropy', () => {
  const cases: readonly (readonly [string, string, SamplerOptions])[] = [
    ['8 taps', 'R8G8B8A8_UNORM', { filter: 'ANISOTROPIC', maxAnisotropy: 8 }],
    ['16 taps, sRGB, mirrored', 'R8G8B8A8_UNORM_SRGB', { filter: 'ANISOTROPIC', maxAnisotropy: 16, address: 'MIRROR' }],
    ['one tap', 'R8G8B8A8_UNORM', { filter: 'ANISOTROPIC', maxAnisotropy: 1 }],
    ['floats of every kind', 'R32_FLOAT', { filter: 'ANISOTROPIC', maxAnisotropy: 5 }],
    ['biased and clamped', 'R16G16_FLOAT', { filter: 'ANISOTROPIC', maxAnisotropy: 4, mipLodBias: -0.7, maxLod: 3.5 }],
    ['the least', 'R8G8B8A8_UNORM', { filter: 'MINIMUM_ANISOTROPIC', maxAnisotropy: 6 }],
    ['a border', 'R8G8B8A8_SNORM', { filter: 'ANISOTROPIC', maxAnisotropy: 8, address: 'BORDER' }],
  ]
  it.each(cases)('%s', async (_name, format, sampler) => {
    const texture = { dimension: 'texture2d', format, width: SIZE, height: SIZE, mipLevels: 0, data: DATA } as const
    const numbers = footprints().map((f) => f.map((texels) => texels / SIZE))
    const { reference, compiled } = await sampledOnAll({
      text: TEXT,
      texture,
      sampler: { address: 'WRAP', ...sampler },
      numbers,
      resultWords: 4,
    })
    for (const words of compiled) expect(reference.filter((w, n) => w !== words[n])).toEqual([])
    expect(new Set(reference).size).toBeGreaterThan(50)
  })
})
