import { describe, expect, it } from 'vitest'
import { Builder, constantOf, floatOf } from '../../src/engine/ir/index.ts'
import { quickHalfLog2 } from '../../src/engine/texture/quick-level.ts'
import type { SamplerOptions } from '../../src/machine/index.ts'
import { sampledOnAll, samplingText } from '../support/sampling-run.ts'

/**
 * Levels of detail of compiled code, which works out only as much of a logarithm as chooses a mip and a weight: footprints at the
 * edges of steps, of mips and of clamps, against the reference engine.
 */

const FLOATS = new Float32Array(1)
const WORDS = new Int32Array(FLOATS.buffer)
const wordOf = (x: number): number => {
  FLOATS[0] = x
  return WORDS[0]!
}

it('a half of log2 is good to 10^-7, and what its sum is rounded by', () => {
  let worst = 0
  for (let exponent = 97; exponent <= 158; exponent++) {
    const o = new Builder({ threads: [1, 1, 1], keepDenormals: true, fused: false })
    for (let n = 0; n < 600; n++) {
      const bits = ((exponent << 23) | Math.floor((n / 599) * 0x7fffff)) >>> 0
      const got = floatOf(constantOf(quickHalfLog2(o, o.constant(bits)))!)
      const half = Math.log2(floatOf(bits)) / 2
      worst = Math.max(worst, Math.abs(got - half) - Math.abs(half) * 2 ** -24)
    }
  }
  expect(worst).toBeLessThan(1e-7)
})

const TEXT = samplingText(`ishl r0.x, vThreadID.x, l(2)
ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r1.x, r0.x, t1.xxxx
mov r1.yzw, l(0, 0, 0, 0)
sample_d_indexable(texture2d)(float,float,float,float) r2.x, l(0.5, 0.5, 0, 0), t0.xyzw, s0, r1.xyxx, r1.yyyy
store_raw u0.x, r0.x, r2.x`)

const SIZE = 256
/** Mips of one color each, so that a result says which two were blended, and how. */
const MIP_COLORS = [3.25, 1000.5, -77, 12, 0.3, 9, 1e6, -2.5, 41]

const TEXELS = MIP_COLORS.flatMap((color, mip) => Array<number>((SIZE >> mip) ** 2).fill(color))
const TEXTURE = {
  dimension: 'texture2d',
  format: 'R32_FLOAT',
  width: SIZE,
  height: SIZE,
  mipLevels: 0,
  data: new Uint8Array(Float32Array.from(TEXELS).buffer),
} as const

/** Numbers around the middle between two steps of a level of detail, where rounding turns, and what is no usual length. */
function lengthsAtEdges(): number[] {
  const found = [0, 1e-45, 1e-39, 1e-30, 1e-12, 0.5, 1, 2, 1e12, 1e30, 3e38, Number.POSITIVE_INFINITY, Number.NaN, -3]
  for (let level = 0; level <= 8; level++) {
    for (const step of [0, 1, 2, 777, 1023, 2047, 2048, 4094, 4095]) {
      for (const part of [0.5, 0.495, 0.4965, 0.4978, 0.4982, 0.4988, 0.4995, 0.5012, 0.505]) {
        const middle = wordOf(2 ** (level + (step + part) / 4096))
        for (let d = -4; d <= 4; d++) {
          WORDS[0] = middle + d
          found.push(FLOATS[0]!)
        }
      }
    }
  }
  return found
}

describe('levels of detail', () => {
  const samplers: readonly (readonly [string, SamplerOptions])[] = [
    ['trilinear', { filter: 'MIN_MAG_MIP_LINEAR' }],
    ['points of mips', { filter: 'MIN_MAG_LINEAR_MIP_POINT' }],
    ['clamped', { filter: 'MIN_MAG_MIP_LINEAR', minLod: 0.3, maxLod: 4.7 }],
    ['minLod above maxLod', { filter: 'MIN_MAG_MIP_LINEAR', minLod: 5.25, maxLod: 2 }],
    ['maxLod below 0', { filter: 'MIN_MAG_MIP_LINEAR', maxLod: -2 }],
    ['beyond the last mip', { filter: 'MIN_MAG_MIP_LINEAR', minLod: 40 }],
    ['biased', { filter: 'MIN_MAG_MIP_LINEAR', mipLodBias: 1.5 }],
    ['two filters', { filter: 'MIN_LINEAR_MAG_POINT_MIP_LINEAR' }],
  ]
  const lengths = lengthsAtEdges()
  it.each(samplers)('%s', async (_name, sampler) => {
    // A derivative in u of each length, in texels.
    const numbers = lengths.map((length) => [length / SIZE])
    const { reference, compiled } = await sampledOnAll({
      text: TEXT,
      texture: TEXTURE,
      sampler,
      numbers,
      resultWords: 1,
    })
    for (const words of compiled) expect(lengths.filter((_, n) => words[n] !== reference[n])).toEqual([])
    // Mips and weights differ from length to length.
    expect(new Set(reference).size).toBeGreaterThan(sampler.minLod === 40 || sampler.maxLod! <= 2 ? 0 : 8)
  })
})
