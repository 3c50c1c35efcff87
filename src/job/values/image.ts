import type { Format } from '../../isa/formats/index.ts'
import { subresource, type Texture } from '../../machine/index.ts'
import type { Image } from '../host.ts'
import { componentNames, eachTexel, isReadable, texelComponents, withoutCurve, writeTexel } from './texels.ts'

const RGBA = ['r', 'g', 'b', 'a']

const greatestOf = (pixels: Image['pixels']): number => 2 ** (pixels.BYTES_PER_ELEMENT * 8) - 1

/** Pixels to components of a format: fractions for float results, numbers as they are for integers. */
function fromPixel(format: Format, image: Image, index: number): number[] {
  const scale = format.result === 'float' ? greatestOf(image.pixels) : 1
  return componentNames(format).map((name) => image.pixels[index * 4 + RGBA.indexOf(name)]! / scale)
}

/** Fills a mip of a slice from an image of its extents; a sentence where it cannot. */
export function imageToTexture(image: Image, texture: Texture, mip: number, slice: number): string | undefined {
  const part = subresource(texture, mip, slice)
  const format = withoutCurve(texture.format)
  if (part === undefined) return `the texture has no mip ${mip} of slice ${slice}`
  if (part.depth !== 1 || texture.sampleCount !== 1) return 'an image fills textures of one sample and no depth'
  if (part.width !== image.width || part.height !== image.height) {
    return `the image has ${image.width} x ${image.height} pixels, the texture ${part.width} x ${part.height}`
  }
  if (format.layout !== 'linear' || !isReadable(format)) return `an image cannot fill texels of ${texture.format.name}`
  eachTexel(texture, mip, slice, (at, _, index) => {
    writeTexel(format, texture.storage, at, fromPixel(format, image, index))
  })
  return undefined
}

function toCode(format: Format, value: number, greatest: number): number {
  const scaled = format.result === 'float' ? value * greatest : value
  return Number.isNaN(scaled) ? 0 : Math.min(greatest, Math.max(0, Math.round(scaled)))
}

/**
 * A mip of a slice (of depth slice 0) as an image, or a sentence where it cannot be. One component gives gray, missing
 * ones are 0, missing alpha is opaque; values are clamped to what the bits of a component hold.
 */
export function textureToImage(
  texture: Texture,
  viewFormat: Format,
  mip: number,
  slice: number,
  bits: 8 | 16 = 8,
): Image | string {
  const part = subresource(texture, mip, slice)
  const format = withoutCurve(viewFormat)
  if (part === undefined) return `the texture has no mip ${mip} of slice ${slice}`
  if (texture.sampleCount !== 1) return 'a multisample texture is no image'
  if (!isReadable(format)) return `texels of ${viewFormat.name} have no colors`
  const count = part.width * part.height * 4
  const pixels = bits === 8 ? new Uint8Array(count) : new Uint16Array(count)
  const greatest = greatestOf(pixels)
  const names = componentNames(format)
  eachTexel(texture, mip, slice, (at, inBlock, index) => {
    if (index >= part.width * part.height) return
    const values = texelComponents(format, texture.storage, at, inBlock)
    const one = (names.length === 1 && names[0] !== 'a') || names[0] === 'd'
    RGBA.forEach((name, c) => {
      const from = one && c < 3 ? 0 : names.indexOf(name)
      pixels[index * 4 + c] = from >= 0 ? toCode(format, values[from]!, greatest) : c === 3 ? greatest : 0
    })
  })
  return { width: part.width, height: part.height, pixels }
}
