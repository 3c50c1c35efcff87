import type { Format } from '../../isa/formats/index.ts'
import { borderColor, type Sampler } from '../../machine/index.ts'
import { floatOf } from '../ir/index.ts'

/** Which blends of texels cannot make a denormal, so that `filter-code.ts` and its callers leave flushes out. */

/** Normalized numbers are 0 or at least 2^-16, at most 1, and never -0: their blends meet no denormals. */
const NORMALIZED: ReadonlySet<string> = new Set(['unorm', 'snorm', 'unorm-srgb', 'typeless'])

const isModerateNumber = (bits: number): boolean => bits === 0 || Math.abs(floatOf(bits)) >= 2 ** -16

/** Whether no texel of a format, nor the sampler's border color, can lead to a denormal, an infinity or a -0. */
export function producesNoDenormal(format: Format, sampler: Sampler): boolean {
  const isNormalized = format.components.every((c) => NORMALIZED.has(c.encoding) && c.bitCount <= 16)
  if (format.layout !== 'linear' || !isNormalized) return false
  const bordered = [sampler.addressU, sampler.addressV, sampler.addressW].includes('border')
  return !bordered || [...borderColor(format, sampler)].every(isModerateNumber)
}
