import { describe, expect, it } from 'vitest'
import type { SamplerOptions, TextureOptions } from '../../src/machine/index.ts'
import { sampledOnAll, samplingText } from '../support/sampling-run.ts'

/**
 * Filters of decoded copies, which read what stands before and behind rows of texels, and rows before and behind them: coordinates at and
 * beyond all edges, on one mip and between two, against the reference engine, which finds each texel by itself.
 */

const NUMBERS = `ishl r0.x, vThreadID.x, l(4)
ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r1.xyzw, r0.x, t1.xyzw
`
const PLAIN =
  samplingText(`${NUMBERS}sample_l_indexable(texture2d)(float,float,float,float) r2.xyzw, r1.xyxx, t0.xyzw, s0, r1.z
store_raw u0.xyzw, r0.x, r2.xyzw`)
const OFFSET = PLAIN.replace('sample_l_indexable(', 'sample_l_aoffimmi_indexable(-3,2,0)(')

/** Coordinates of texels, half texels and what lies just beside them, for the sizes of some mips, and what is no number. */
function coordinates(size: number): number[] {
  const steps = [size, size >> 1, size >> 2].filter((n) => n > 0)
  const near = steps.flatMap((n) => [0, 0.5, 1, n / 2, n - 1, n - 0.5, n].map((texel) => texel / n))
  const beside = near.flatMap((u) => [u, u - 1e-4, u + 1e-4, -u - 1e-8, 1 + u, u - 3])
  return [...beside, 1e-30, 12.5, -11, 40000.25, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
}

const LEVELS = [0, 0.25, 1, 1.5, 2.75, 3, 20, -1]

function points(width: number, height: number): number[][] {
  const [us, vs] = [coordinates(width), coordinates(height)]
  const along = us.map((u, n) => [u, vs[(n * 7) % vs.length]!, LEVELS[n % LEVELS.length]!, 0])
  const across = vs.map((v, n) => [us[(n * 11 + 3) % us.length]!, v, LEVELS[(n * 3 + 1) % LEVELS.length]!, 0])
  return [...along, ...across]
}

function textureOf(format: string, width: number, height: number, mipLevels: number): Omit<TextureOptions, 'memory'> {
  let texels = 0
  for (let mip = 0; mip < mipLevels; mip++) texels += Math.max(1, width >> mip) * Math.max(1, height >> mip)
  const data = Uint8Array.from({ length: texels * 4 }, (_, n) => (n * 89 + (n >> 5) * 37) & 0xff)
  return { dimension: 'texture2d', format, width, height, mipLevels, data } as Omit<TextureOptions, 'memory'>
}

describe('filters of rows', () => {
  const cases: readonly (readonly [string, [string, number, number, number], SamplerOptions])[] = [
    ['wrap, powers of two', ['R8G8B8A8_UNORM', 32, 16, 6], { address: 'WRAP' }],
    ['clamp, sRGB', ['R8G8B8A8_UNORM_SRGB', 16, 32, 6], { address: 'CLAMP' }],
    ['wrap, other sizes', ['R8G8B8A8_SNORM', 20, 13, 4], { address: 'WRAP' }],
    ['clamp across, wrap along', ['R10G10B10A2_UNORM', 8, 64, 7], { addressU: 'WRAP', addressV: 'CLAMP' }],
    ['wrap across, clamp along', ['R8G8B8A8_UNORM', 5, 8, 3], { addressU: 'CLAMP', addressV: 'WRAP' }],
    ['one texel', ['R8G8B8A8_UNORM', 1, 1, 1], { address: 'WRAP' }],
    ['more than 1024 texels', ['R8G8B8A8_UNORM', 2048, 4, 12], { address: 'WRAP' }],
    ['nearest mip', ['R8G8B8A8_UNORM', 32, 32, 6], { address: 'WRAP', filter: 'MIN_MAG_LINEAR_MIP_POINT' }],
  ]
  it.each(cases)('%s', async (_name, [format, width, height, mips], sampler) => {
    const texture = textureOf(format, width, height, mips)
    const numbers = points(width, height)
    for (const text of [PLAIN, OFFSET]) {
      const run = { text, texture, sampler, numbers, resultWords: 4, alwaysDecodes: true }
      const { reference, compiled } = await sampledOnAll(run)
      for (const words of compiled) expect(reference.filter((w, n) => w !== words[n])).toEqual([])
      expect(new Set(reference).size).toBeGreaterThan(width === 1 ? 3 : 50)
    }
  })
})
