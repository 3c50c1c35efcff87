import type { Format } from '../../isa/formats/index.ts'
import type { Sampler } from '../sampler.ts'
import type { TexelView, ViewLevel } from '../view.ts'
import { applyAddress } from './address.ts'

/**
 * Linear filters in whole numbers, which the precision `fast` has for textures of 8-bit UNORM: positions of texels have the 8 fraction bits that
 * Direct3D asks for (functional spec 7.18.16.1), texels are whole numbers of up to 15 bits, and the weights of all
 * texels are whole numbers that add up to 2^14. Sums of whole numbers do not depend on their order, so that engines that go other ways
 * to them agree bit for bit. What finds mips and their weights is the same as in `exact`.
 */
const fround = Math.fround

/** Fraction bits of positions, and of weights together. */
export const POSITION_BITS = 8
export const WEIGHT_BITS = 14
/** Added to a float32 below 2^14, it leaves the number in units of 2^-8, nearest even, in the low bits. */
const TO_POSITION = 1.5 * 2 ** 15
/** Beyond it, positions in units of 2^-8 would not fit. */
const MAX_SIZE = 8192

/** Whether texels become codes: 8-bit UNORM of one dword, sRGB or not. */
function hasCodes({ layout, blockByteLength, components }: Format): boolean {
  if (layout !== 'linear' || blockByteLength !== 4 || components.length < 3) return false
  const isCode = ({ encoding, bitCount }: Format['components'][number]): boolean =>
    bitCount === 8 && (encoding === 'unorm' || encoding === 'unorm-srgb' || encoding === 'typeless')
  return components.every(isCode)
}

/** Whether positions in all mips fit. */
export function isWithinCodes({ levels }: TexelView): boolean {
  const { width, height } = levels[0]!
  return width <= MAX_SIZE && height <= MAX_SIZE
}

/** Whether a filter of a view's texels is one of codes, where `fast` asks for those: a plain linear filter that reads no border. */
export function filtersCodes(view: TexelView, { min, mag, reduction, addressU, addressV }: Sampler): boolean {
  const { dimension, sampleCount, format } = view
  const isFlat = dimension === 'texture2d' || dimension === 'texture2darray'
  const isPlain = min === 'linear' && mag === 'linear' && reduction !== 'minimum' && reduction !== 'maximum'
  const isWithin = [addressU, addressV].every((mode) => mode === 'wrap' || mode === 'clamp')
  return isFlat && sampleCount === 1 && isWithinCodes(view) && isPlain && isWithin && hasCodes(format)
}

/** What the number 1 is as a texel of a format: codes themselves, or numbers of 15 bits where sRGB codes are not linear. */
export const codeScale = ({ components }: Format): number =>
  components.some((c) => c.encoding === 'unorm-srgb') ? 32767 : 255

/** What sums of codes times weights are multiplied with. */
export const sumScale = (format: Format): number => fround(1 / (codeScale(format) * 2 ** WEIGHT_BITS))

/** A texel's component as a whole number. */
export const codeOf = (component: number, scale: number): number => Math.round(component * scale)

/** A coordinate within the texture; NaN is 0. */
function reduced(u: number, mode: Sampler['addressU']): number {
  const x = mode === 'wrap' ? fround(u - Math.floor(u)) : u
  return x > 0 ? Math.min(x, 1) : 0
}

/** The position of the first texel, in units of 2^-8: under clamp it stays between the first texel and the last. */
export function codePosition(u: number, size: number, mode: Sampler['addressU']): number {
  const steps = fround(fround(reduced(u, mode) * size) + TO_POSITION) - TO_POSITION
  const position = steps * 2 ** POSITION_BITS - 2 ** (POSITION_BITS - 1)
  return mode === 'clamp' ? Math.max(0, Math.min(position, (size - 1) << POSITION_BITS)) : position
}

const part = (weight: number, position: number): number =>
  (weight * (position & (2 ** POSITION_BITS - 1))) >> POSITION_BITS

/** Weights of a square's texels, first in u, then in v, which add up to `whole`. */
export function codeWeights(x: number, y: number, whole: number, out: number[]): void {
  const lower = part(whole, y)
  const upper = whole - lower
  out[1] = part(upper, x)
  out[0] = upper - out[1]
  out[3] = part(lower, x)
  out[2] = lower - out[3]
}

const WEIGHTS = [0, 0, 0, 0]

/** What a filter of codes is of. */
interface CodeFilter {
  readonly u: number
  readonly v: number
  /** Puts the components of a texel of a mip into TEXEL. */
  readonly fetch: (level: ViewLevel, x: number, y: number) => Float32Array
}

/** Adds the texels of one mip, whose weights come to `whole`, to sums of the four components. */
export function addCodes(
  view: TexelView,
  sampler: Sampler,
  { u, v, fetch }: CodeFilter,
  level: ViewLevel,
  whole: number,
  sums: number[],
): void {
  const { addressU, addressV } = sampler
  const { width, height } = level
  const [x, y] = [codePosition(u, width, addressU), codePosition(v, height, addressV)]
  codeWeights(x, y, whole, WEIGHTS)
  const scale = codeScale(view.format)
  for (let tap = 0; tap < 4; tap++) {
    const tx = applyAddress((x >> POSITION_BITS) + (tap & 1), width, addressU)
    const ty = applyAddress((y >> POSITION_BITS) + (tap >> 1), height, addressV)
    const texel = fetch(level, tx, ty)
    for (let n = 0; n < 4; n++) sums[n]! += WEIGHTS[tap]! * codeOf(texel[n]!, scale)
  }
}
