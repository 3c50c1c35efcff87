import type { Srv, TexelView, Uav } from '../view.ts'

/**
 * `resinfo` as integers into out[at..at+3]: width, height, depth or array size, and mips of the view (22.4.14). A mip out of
 * range gives 0, 0, 0 and the count. An unbound slot is the caller's: all 0. Cube arrays report their number of cubes.
 */
export function resourceInfo(view: TexelView, mip: number, out: Uint32Array, at: number): void {
  const level = view.levels[mip]
  out.fill(0, at, at + 3)
  out[at + 3] = view.levels.length
  if (level === undefined) return
  out[at] = level.width
  switch (view.dimension) {
    case 'texture1d':
      break
    case 'texture1darray':
      out[at + 1] = view.arraySize
      break
    case 'texture2d':
    case 'texture2dms':
    case 'texturecube':
      out[at + 1] = level.height
      break
    case 'texture2darray':
    case 'texture2dmsarray':
      out[at + 1] = level.height
      out[at + 2] = view.arraySize
      break
    case 'texturecubearray':
      out[at + 1] = level.height
      out[at + 2] = view.arraySize / 6
      break
    case 'texture3d':
      out[at + 1] = level.height
      out[at + 2] = level.depth
      break
  }
}

/** `bufinfo`: typed elements, structures, or bytes of a raw view (22.4.1); 0 for a texture. */
export function bufferInfo(view: Srv | Uav): number {
  return view.shape === 'texture' ? 0 : view.elementCount
}

/** `sampleinfo`: samples of a view (22.4.21). */
export function sampleInfo(view: TexelView): number {
  return view.sampleCount
}

/** The standard patterns in sixteenths of a pixel from its center, x and y in turn (19.2.4). */
const PATTERNS: Readonly<Record<number, readonly number[]>> = {
  1: [0, 0],
  2: [4, 4, -4, -4],
  4: [-2, -6, 6, -2, -6, 2, 2, 6],
  8: [1, -3, -1, 3, 5, 1, -3, -5, -5, 5, -7, -1, 3, 7, 7, -7],
  16: [1, 1, -1, -3, -3, 2, 4, -1, -5, -2, 2, 5, 5, 3, 3, -5, -2, 6, 0, -7, -4, -6, -6, 4, -8, 0, 7, -4, 6, 7, -7, -8],
}

/** `samplepos`: place of a sample from the pixel's center, in pixels (22.4.22); 0, 0 for a sample that is not there. */
export function samplePosition(sampleCount: number, sample: number): readonly [number, number] {
  const pattern = PATTERNS[sampleCount]
  const x = pattern?.[sample * 2]
  const y = pattern?.[sample * 2 + 1]
  return x === undefined || y === undefined ? [0, 0] : [x / 16, y / 16]
}
