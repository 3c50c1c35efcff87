import type { AddressMode } from '../sampler.ts'

const fround = Math.fround

/** Answer of applyAddress for a texel that takes the border color. */
export const BORDER = -1

/**
 * A normalized coordinate brought near the texture without a change of texel (functional spec 7.18.6). Infinities become NaN
 * under wrap and mirror and then texel 0.
 */
export function reduceRange(u: number, mode: AddressMode): number {
  switch (mode) {
    case 'wrap':
      return fround(u - Math.floor(u))
    case 'mirror': {
      const half = fround(u / 2)
      return fround(fround(half - Math.trunc(half)) * 2)
    }
    case 'clamp':
    case 'border':
    case 'mirror_once':
      return Math.max(-10, Math.min(u, 10))
  }
}

/** The texel an integer address stands for under an address mode, or BORDER (7.18.9). */
export function applyAddress(texel: number, size: number, mode: AddressMode): number {
  if (texel >= 0 && texel < size) return texel
  switch (mode) {
    case 'wrap': {
      const rest = (texel % size) | 0
      return rest < 0 ? rest + size : rest
    }
    case 'mirror': {
      const t = texel < 0 ? -texel - 1 : texel
      const flip = (Math.floor(t / size) & 1) === 1
      return flip ? size - 1 - (t % size) : t % size
    }
    case 'clamp':
      return texel < 0 ? 0 : size - 1
    case 'mirror_once': {
      const t = texel < 0 ? -texel - 1 : texel
      return Math.min(t, size - 1)
    }
    case 'border':
      return BORDER
  }
}
