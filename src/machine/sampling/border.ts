import type { Format, FormatComponent } from '../../isa/formats/index.ts'
import { bitsOfF32, oneBits } from '../format/index.ts'
import type { Sampler } from '../sampler.ts'

/** A border component in the range of the format (functional spec 7.18.9.1); integers are the truncated, clamped number. */
function borderBits(value: number, c: FormatComponent, format: Format): number {
  const number = Number.isNaN(value) ? 0 : value
  switch (c.encoding) {
    case 'unorm':
    case 'unorm-srgb':
      return bitsOfF32(Math.max(0, Math.min(1, number)))
    case 'snorm':
      return bitsOfF32(Math.max(-1, Math.min(1, number)))
    case 'sharedexp':
      return bitsOfF32(Math.max(0, Math.min(65408, number)))
    case 'uint':
      return Math.trunc(Math.max(0, Math.min(2 ** c.bitCount - 1, number)))
    case 'sint':
      return Math.trunc(Math.max(-(2 ** (c.bitCount - 1)), Math.min(2 ** (c.bitCount - 1) - 1, number))) >>> 0
    case 'float':
    case 'xr-bias':
    case 'typeless': {
      // R11G11B10_FLOAT and BC6H_UF16 have no sign bit.
      const unsigned = c.bitCount < 16 || format.name === 'BC6H_UF16'
      return bitsOfF32(unsigned && value < 0 ? 0 : value)
    }
  }
}

const CACHE = new WeakMap<Sampler, Map<number, Uint32Array>>()

/** The border color as register bits: components of the format from the sampler, missing ones 0, 0, 0, 1. */
export function borderColor(format: Format, sampler: Sampler): Uint32Array {
  const byFormat = CACHE.get(sampler) ?? new Map<number, Uint32Array>()
  const known = byFormat.get(format.number)
  if (known !== undefined) return known
  const bits = Uint32Array.of(0, 0, 0, oneBits(format.components))
  for (const c of format.components) {
    const i = 'rgba'.indexOf(c.name)
    if (i >= 0 && c.encoding !== 'typeless') bits[i] = borderBits(sampler.borderColor[i]!, c, format)
  }
  byFormat.set(format.number, bits)
  CACHE.set(sampler, byFormat)
  return bits
}
