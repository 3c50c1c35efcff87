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

const FLOATS = new Float32Array(1)
const WORDS = new Uint32Array(FLOATS.buffer)
const floatOf = (word: number): number => {
  WORDS[0] = word
  return FLOATS[0]!
}

describe('sums of codes', () => {
  const cases: readonly (readonly [string, [string, number, number, number], SamplerOptions])[] = [
    ['wrap, powers of two', ['R8G8B8A8_UNORM', 32, 16, 6], { address: 'WRAP' }],
    ['clamp, sRGB', ['R8G8B8A8_UNORM_SRGB', 16, 32, 6], { address: 'CLAMP' }],
    ['wrap, other sizes', ['B8G8R8A8_UNORM', 20, 13, 4], { address: 'WRAP' }],
    ['clamp, other sizes, no alpha', ['B8G8R8X8_UNORM', 13, 20, 4], { address: 'CLAMP' }],
    ['wrap across, clamp along', ['R8G8B8A8_UNORM', 5, 8, 3], { addressU: 'CLAMP', addressV: 'WRAP' }],
    ['one texel', ['R8G8B8A8_UNORM', 1, 1, 1], { address: 'WRAP' }],
    ['the largest', ['B8G8R8A8_UNORM_SRGB', 8192, 2, 14], { address: 'WRAP' }],
    ['nearest mip', ['R8G8B8A8_UNORM', 32, 32, 6], { address: 'WRAP', filter: 'MIN_MAG_LINEAR_MIP_POINT' }],
  ]
  it.each(cases)(
    '%s: of a copy, of the texture and of the reference engine',
    async (_name, [format, ...size], sampler) => {
      const [width, height, mips] = size
      const texture = textureOf(format, width, height, mips)
      const numbers = points(width, height)
      const run = { text: PLAIN, texture, sampler, numbers, resultWords: 4, load: { sampling: 'fast' } } as const
      const { reference, compiled } = await sampledOnAll(run)
      const copied = await sampledOnAll({ ...run, alwaysDecodes: true })
      for (const words of [...compiled, ...copied.compiled]) {
        expect(reference.filter((w, n) => w !== words[n])).toEqual([])
      }
      const exact = await sampledOnAll({ ...run, load: {} })
      // Neighboring texels differ by 1 at the most: half a step of 2^-8 in each of two mips' u and v, and what weights and codes are rounded by.
      const isPlain = (n: number): boolean => numbers[(n >> 2) % numbers.length]!.every(Number.isFinite)
      const errors = reference.map((w, n) => (isPlain(n) ? Math.abs(floatOf(w) - floatOf(exact.reference[n]!)) : 0))
      expect(Math.max(...errors)).toBeLessThan(2 * 2 ** -9 + 2 ** -11)
      if (width > 1) expect(Math.max(...errors)).toBeGreaterThan(2 ** -12)
    },
  )

  it.each([
    ['a format of more bits', ['R10G10B10A2_UNORM', 16, 16, 5], { address: 'WRAP' }, PLAIN],
    ['numbers with a sign', ['R8G8B8A8_SNORM', 16, 16, 5], { address: 'WRAP' }, PLAIN],
    ['mirrored coordinates', ['R8G8B8A8_UNORM', 16, 16, 5], { address: 'MIRROR' }, PLAIN],
    ['offsets', ['R8G8B8A8_UNORM', 16, 16, 5], { address: 'WRAP' }, OFFSET],
    ['a larger texture', ['R8G8B8A8_UNORM', 16384, 1, 1], { address: 'WRAP' }, PLAIN],
  ] as const)(
    'not of %s, which is sampled as in exact',
    async (_name, [format, width, height, mips], sampler, text) => {
      const texture = textureOf(format, width, height, mips)
      const run = { text, texture, sampler, numbers: points(width, height), resultWords: 4, alwaysDecodes: true }
      const exact = await sampledOnAll(run)
      const fast = await sampledOnAll({ ...run, load: { sampling: 'fast' } })
      for (const words of [fast.reference, ...fast.compiled]) expect(words).toEqual(exact.reference)
    },
  )
})
