import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { f32OfBits } from '../../src/machine/format/index.ts'
import { createSrv } from '../../src/machine/make-view.ts'
import { createSampler, type Sampler, type SamplerOptions } from '../../src/machine/sampler.ts'
import { type SampleRequest, sampleRequest } from '../../src/machine/sampling/request.ts'
import { gatherTexels, sampleTexture } from '../../src/machine/sampling/sample.ts'
import { createTexture, type Texture, type TextureOptions } from '../../src/machine/texture.ts'
import type { TextureSrvOptions } from '../../src/machine/texture-view.ts'
import type { TextureSrv } from '../../src/machine/view.ts'

/** Helpers of the machine's tests: textures from lists of numbers, and results as numbers. */

/** An R32_FLOAT texture with the given texels, in the documented layout. */
export function floatTexture(options: Omit<TextureOptions, 'format' | 'data'>, texels: readonly number[]): Texture {
  return valueOrThrow(createTexture({ ...options, format: 'R32_FLOAT', data: Float32Array.from(texels) }))
}
export function texture(options: TextureOptions): Texture {
  return valueOrThrow(createTexture(options))
}
export function srvOf(t: Texture, options: TextureSrvOptions = {}): TextureSrv {
  return valueOrThrow(createSrv(t, options)) as TextureSrv
}
export function samplerOf(options: SamplerOptions): Sampler {
  return valueOrThrow(createSampler(options))
}
/** The four components of a sample as float32 numbers. */
export function sample(view: TextureSrv, sampler: Sampler, fields: Partial<SampleRequest>): number[] {
  const out = new Uint32Array(5)
  sampleTexture(view, sampler, sampleRequest(rounded(fields)), out, 1)
  return [...out.subarray(1)].map(f32OfBits)
}
export function gather(view: TextureSrv, sampler: Sampler, fields: Partial<SampleRequest>, component = 0): number[] {
  const out = new Uint32Array(5)
  gatherTexels(view, sampler, sampleRequest(rounded(fields)), component, out, 1)
  return [...out.subarray(1)].map(f32OfBits)
}
/** Registers hold float32. */
function rounded(fields: Partial<SampleRequest>): Partial<SampleRequest> {
  return Object.fromEntries(
    Object.entries(fields).map(([key, v]) => [key, typeof v === 'number' ? Math.fround(v) : v]),
  ) as Partial<SampleRequest>
}
