import { HALF_PIXEL, SUBPIXELS } from './fixed-point.ts'
import type { PixelRect, QuadSink } from './primitive.ts'

const MASKS = new Uint32Array(4)

/** Samples in the square of side 1 around a point, left and upper side included (functional specification 3.4.6). */
export function coverPoint(x: number, y: number, offsets: Int32Array, bounds: PixelRect, sink: QuadSink): void {
  const left = Math.max(bounds.left, Math.floor((x - HALF_PIXEL) / SUBPIXELS))
  const right = Math.min(bounds.right, Math.floor((x + HALF_PIXEL) / SUBPIXELS) + 1)
  const top = Math.max(bounds.top, Math.floor((y - HALF_PIXEL) / SUBPIXELS))
  const bottom = Math.min(bounds.bottom, Math.floor((y + HALF_PIXEL) / SUBPIXELS) + 1)
  for (let qy = top & ~1; qy < bottom; qy += 2) {
    for (let qx = left & ~1; qx < right; qx += 2) {
      let any = 0
      for (let i = 0; i < 4; i++) {
        const px = qx + (i & 1)
        const py = qy + (i >> 1)
        const inside = px >= left && px < right && py >= top && py < bottom
        const mask = inside ? pointMask(x - px * SUBPIXELS, y - py * SUBPIXELS, offsets) : 0
        MASKS[i] = mask
        any |= mask
      }
      if (any !== 0) sink(qx, qy, MASKS)
    }
  }
}

/** Samples of a pixel in the square around a point, whose position is relative to the pixel's corner. */
function pointMask(x: number, y: number, offsets: Int32Array): number {
  let mask = 0
  for (let s = 0; s < offsets.length; s += 2) {
    const dx = HALF_PIXEL + offsets[s]! - x
    const dy = HALF_PIXEL + offsets[s + 1]! - y
    if (dx >= -HALF_PIXEL && dx < HALF_PIXEL && dy >= -HALF_PIXEL && dy < HALF_PIXEL) mask |= 1 << (s >> 1)
  }
  return mask
}
