import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Engine, matchBindings } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import {
  createBuffer,
  createSampler,
  createSrv,
  createTexture,
  createUav,
  type SamplerOptions,
} from '../../src/machine/index.ts'
import { programOf } from '../support/run-text.ts'

/** Lines of anisotropy in compiled code: footprints from round to longer than the limit, and what is none, against the reference engine. */

const TEXT = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_sampler s0, mode_default
dcl_resource_texture2d (float,float,float,float) t0
dcl_resource_raw t1
dcl_uav_raw u0
dcl_input vThreadID.x
dcl_temps 3
dcl_thread_group 16, 1, 1
ishl r0.x, vThreadID.x, l(4)
ld_raw_indexable(raw_buffer)(mixed,mixed,mixed,mixed) r1.xyzw, r0.x, t1.xyzw
utof r0.y, vThreadID.x
mul r0.y, r0.y, l(0.0137)
sample_d_indexable(texture2d)(float,float,float,float) r2.xyzw, r0.yyyy, t0.xyzw, s0, r1.xyxx, r1.zwzz
store_raw u0.xyzw, r0.x, r2.xyzw
ret
`

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

async function sampled(engine: Engine, format: string, sampler: SamplerOptions): Promise<number[]> {
  const rates = footprints()
  const count = Math.ceil(rates.length / 16) * 16
  const words = Float32Array.from({ length: count * 4 }, (_, n) => rates[(n >> 2) % rates.length]![n & 3]! / SIZE)
  const shared = engine.memory === undefined ? {} : { memory: engine.memory }
  const byteLength = Array.from({ length: LEVELS }, (_, mip) => (SIZE >> mip) ** 2 * 4).reduce((a, b) => a + b)
  const data = Uint8Array.from({ length: byteLength }, (_, n) => (n * 89 + (n >> 5) * 3) & 0x7f)
  const texture = { dimension: 'texture2d', format, width: SIZE, height: SIZE, mipLevels: 0, data, ...shared } as const
  const given = { byteLength: count * 16, data: new Uint8Array(words.buffer), ...shared }
  const out = valueOrThrow(createBuffer({ byteLength: count * 16, ...shared }))
  const shader = valueOrThrow(engine.load(programOf(TEXT)))
  const bound = {
    t0: valueOrThrow(createSrv(valueOrThrow(createTexture(texture)))),
    t1: valueOrThrow(createSrv(valueOrThrow(createBuffer(given)), { raw: true })),
    u0: valueOrThrow(createUav(out, { raw: true })),
    s0: valueOrThrow(createSampler({ address: 'WRAP', ...sampler })),
  }
  await engine.dispatch(shader, valueOrThrow(matchBindings(shader.declarations, bound)), [count / 16, 1, 1])
  return [...out.storage.words]
}

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
    const want = await sampled(createReferenceEngine({}), format, sampler)
    for (const width of [1, 2, 4] as const) {
      const engine = createWasmEngineWith({ width, threads: 1 })
      const got = await sampled(engine, format, sampler)
      engine.dispose?.()
      expect(want.filter((w, n) => w !== got[n])).toEqual([])
    }
    expect(new Set(want).size).toBeGreaterThan(50)
  })
})
