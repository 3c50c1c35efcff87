import { PNG } from 'pngjs'
import { largest } from '../../diagnostic/index.ts'
import { latin1 } from '../../dxbc/index.ts'
import type { HostFailure, Image } from '../../job/index.ts'

/** Extents in the header of a PNG: what decoding would have to hold, checked before it does. */
function headerExtents(bytes: Uint8Array): readonly [number, number] | undefined {
  if (bytes.length < 24 || bytes[0] !== 0x89 || latin1(bytes.subarray(1, 4)) !== 'PNG') return undefined
  const view = new DataView(bytes.buffer, bytes.byteOffset)
  return [view.getUint32(16), view.getUint32(20)]
}

/** The largest texture is 16384 a side, so no larger image can be used. */
const MAX_EXTENT = 16384

/** A PNG file's pixels, or why there are none. 16-bit images are scaled to 8 bits. */
export function decodePng(bytes: Uint8Array): Image | HostFailure {
  const extents = headerExtents(bytes)
  if (extents === undefined) return { reason: 'it is no PNG file' }
  if (largest(0, extents) > MAX_EXTENT) {
    return { reason: `it has ${extents.join(' x ')} pixels; a texture has at most ${MAX_EXTENT} a side` }
  }
  try {
    const { width, height, data } = PNG.sync.read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    return { width, height, pixels: new Uint8Array(data.buffer, data.byteOffset, data.byteLength) }
  } catch (e) {
    return { reason: `it cannot be decoded: ${(e as Error).message}` }
  }
}

/** A PNG file of an image. */
export function encodePng({ width, height, pixels }: Image): Uint8Array {
  const png = new PNG({ width, height })
  png.data.set(pixels)
  return new Uint8Array(PNG.sync.write(png))
}
