import type { Format } from '../../isa/formats/index.ts'
import { codecOf, outsideBits } from '../format/index.ts'
import type { TexelView, TextureUav, TypedBufferRange, ViewLevel } from '../view.ts'

/** Byte offset in the view's storage of the element, or the block, that holds a texel which is known to be in bounds. */
export function elementOffset(view: TexelView, level: ViewLevel, x: number, y: number, slice: number): number {
  const { format } = view
  const bytes = format.blockByteLength * view.sampleCount
  const pitch = view.dimension === 'texture3d' ? level.slicePitch : view.arrayPitch
  const base = level.byteOffset + slice * pitch
  if (format.layout === 'linear') return base + y * level.rowPitch + x * bytes
  const row = format.blockHeight === 4 ? y >>> 2 : y
  const column = format.blockWidth === 4 ? x >>> 2 : x >>> 1
  return base + row * level.rowPitch + column * bytes
}

/** Place of a texel in its block: row by row, 0 for linear formats. */
export function placeInBlock(view: TexelView, x: number, y: number): number {
  const { format } = view
  if (format.layout === 'linear') return 0
  return format.blockWidth === 4 ? ((y & 3) << 2) | (x & 3) : x & 1
}

/** Rows and slices by dimension: `y` is the slice of a Texture1D array; unused coordinates are ignored, as `ld` does. */
interface Place {
  y: number
  slice: number
  slices: number
}
const PLACE: Place = { y: 0, slice: 0, slices: 1 }

function place(view: TexelView, level: ViewLevel, y: number, z: number): Place {
  PLACE.y = y
  PLACE.slice = 0
  PLACE.slices = 1
  switch (view.dimension) {
    case 'texture1d':
      PLACE.y = 0
      break
    case 'texture1darray':
      PLACE.y = 0
      PLACE.slice = y
      PLACE.slices = view.arraySize
      break
    case 'texture2d':
    case 'texture2dms':
      break
    case 'texture3d':
      PLACE.slice = z
      PLACE.slices = level.depth
      break
    case 'texture2darray':
    case 'texture2dmsarray':
    case 'texturecube':
    case 'texturecubearray':
      PLACE.slice = z
      PLACE.slices = view.arraySize
      break
  }
  return PLACE
}

/**
 * Byte offset of a texel from the start of the view's storage, or -1 out of bounds. The coordinates are unsigned 32-bit
 * numbers as `ld` takes them: x, then y (the slice of a Texture1D array), then z (depth or slice). Mips below the
 * per-resource clamp do not exist (functional spec 5.8.5).
 */
export function texelOffset(view: TexelView, x: number, y: number, z: number, mip: number, sample: number): number {
  const level = view.levels[mip]
  if (level === undefined || mip < Math.floor(view.minLod) || view.minLod > view.levels.length - 1) return -1
  const p = place(view, level, y, z)
  if (x >= level.width || p.y >= level.height || p.slice >= p.slices || sample >= view.sampleCount) return -1
  return elementOffset(view, level, x, p.y, p.slice) + sample * view.format.blockByteLength
}

/** What is read where there is no texel, into out[at..at+3]: 0, and 1 for the A that a format lacks. */
export function fillOutside(format: Format, out: Uint32Array, at: number): void {
  for (let n = 0; n < 4; n++) out[at + n] = outsideBits(format, n)
}

/**
 * `ld`, `ld2dms` and `ld_uav_typed` of a texture: the texel at unsigned coordinates into out[at..at+3]; out of bounds
 * what fillOutside gives. Answers whether it was in bounds. `mip` counts in the view, `sample` is 0 unless multisample.
 */
export function loadTexel(
  view: TexelView,
  x: number,
  y: number,
  z: number,
  mip: number,
  sample: number,
  out: Uint32Array,
  at: number,
): boolean {
  const byteOffset = texelOffset(view, x, y, z, mip, sample)
  if (byteOffset < 0) {
    fillOutside(view.format, out, at)
    return false
  }
  codecOf(view.format).decode(view.storage, byteOffset, placeInBlock(view, x, y), out, at)
  return true
}

/** `store_uav_typed` to a texture; out of bounds nothing is written. Answers whether it was in bounds. */
export function storeTexel(
  view: TextureUav,
  x: number,
  y: number,
  z: number,
  values: Uint32Array,
  at: number,
): boolean {
  const byteOffset = texelOffset(view, x, y, z, 0, 0)
  if (byteOffset < 0) return false
  codecOf(view.format).encode!(view.storage, byteOffset, values, at)
  return true
}

/** `ld` and `ld_uav_typed` of a typed buffer: element `index` into out[at..at+3]; out of bounds what fillOutside gives. */
export function loadElement(view: TypedBufferRange, index: number, out: Uint32Array, at: number): boolean {
  if (index >= view.elementCount) {
    fillOutside(view.format, out, at)
    return false
  }
  codecOf(view.format).decode(view.storage, view.byteOffset + index * view.stride, 0, out, at)
  return true
}

/** `store_uav_typed` to a typed buffer; out of bounds nothing is written. */
export function storeElement(view: TypedBufferRange, index: number, values: Uint32Array, at: number): boolean {
  if (index >= view.elementCount) return false
  codecOf(view.format).encode!(view.storage, view.byteOffset + index * view.stride, values, at)
  return true
}
