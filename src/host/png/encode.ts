import { encode } from 'fast-png'
import type { Image } from '../../job/index.ts'

/** A PNG file of an image, of 16 bits where its pixels have them. */
export function encodePng({ width, height, pixels }: Image): Uint8Array {
  const depth = pixels.BYTES_PER_ELEMENT === 1 ? 8 : 16
  return encode({ width, height, data: pixels, channels: 4, depth }, { zlib: { level: 6 } })
}
