/** Texels as a picture: which components, which range, what stands under the cursor. */
import type { TexelImage } from './run.ts'

interface PictureOptions {
  /** `rgba`: all of them as they are; a letter: that component in gray. */
  readonly channel: string
  readonly least: number
  readonly most: number
}

/** The least and greatest finite value of the components that are shown; 0 to 1 for fractions. */
export function rangeOf({ components, values, isFraction }: TexelImage, channel: string): readonly [number, number] {
  if (isFraction) return [0, 1]
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const only = channel.length === 1 ? components.indexOf(channel) : -1
  for (let i = 0; i < values.length; i++) {
    const c = i % components.length
    const value = values[i]!
    if (!Number.isFinite(value) || (only >= 0 ? c !== only : components[c] === 'a')) continue
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  if (least > most) return [0, 1]
  return least === most ? [least, least + 1] : [least, most]
}

/** Colors of 8 bits, RGBA, rows from the top. */
export function pictureOf(image: TexelImage, { channel, least, most }: PictureOptions): Uint8ClampedArray<ArrayBuffer> {
  const { components, values, width, height } = image
  const pixels = new Uint8ClampedArray(width * height * 4)
  const scale = 255 / (most - least)
  const only = components.length === 1 ? 0 : channel.length === 1 ? components.indexOf(channel) : -1
  const at = ['r', 'g', 'b'].map((name) => components.indexOf(name))
  const alpha = channel === 'rgba' ? components.indexOf('a') : -1
  for (let i = 0; i < width * height; i++) {
    const base = i * components.length
    for (let c = 0; c < 3; c++) {
      const from = only >= 0 ? only : at[c]!
      pixels[i * 4 + c] = from < 0 ? 0 : Math.round((values[base + from]! - least) * scale)
    }
    pixels[i * 4 + 3] = alpha < 0 || !image.isFraction ? 255 : Math.round(values[base + alpha]! * 255)
  }
  return pixels
}

const numberText = (value: number): string => (Number.isInteger(value) ? `${value}` : value.toPrecision(6))

/** `(12, 40): r 0.5, g 0.25`. */
export function texelText({ width, components, values }: TexelImage, x: number, y: number): string {
  const base = (y * width + x) * components.length
  const parts = [...components].map((name, c) => `${name} ${numberText(values[base + c]!)}`)
  return `(${x}, ${y}): ${parts.join(', ')}`
}
