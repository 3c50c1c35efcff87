import type { TexelView } from '../machine/index.ts'

/** How addresses out of bounds are written: texels by all their coordinates, what wrapped below zero as negative. */

/** One coordinate of a texel, and how many the view has of it. */
export interface TexelAxis {
  readonly name: 'x' | 'y' | 'z' | 'slice' | 'mip' | 'sample'
  /** Signed: a coordinate that wrapped below zero is negative. */
  readonly at: number
  readonly extent: number
  readonly isOutside: boolean
}

/** The coordinates of an access to a texture, mip and sample where the instruction names them. */
export interface TexelCoordinates {
  readonly x: number
  readonly y: number
  readonly z: number
  readonly mip: number | undefined
  readonly sample: number | undefined
}

const axis = (name: TexelAxis['name'], at: number, extent: number, first = 0): TexelAxis => ({
  name,
  at: at | 0,
  extent,
  isOutside: at >>> 0 >= extent || at >>> 0 < first,
})

/** The coordinates that the view's dimension has, each with its extent in the mip that is meant. */
export function texelAxes(view: TexelView, c: TexelCoordinates): readonly TexelAxis[] {
  const { dimension, levels, arraySize, sampleCount, minLod } = view
  const mip = c.mip ?? 0
  const level = levels[Math.min(mip >>> 0, levels.length - 1)]!
  const axes: TexelAxis[] = [axis('x', c.x, level.width)]
  if (dimension === 'texture1darray') axes.push(axis('slice', c.y, arraySize))
  else if (dimension !== 'texture1d') axes.push(axis('y', c.y, level.height))
  if (dimension === 'texture3d') axes.push(axis('z', c.z, level.depth))
  else if (axes.length === 2 && /array$|cube$/.test(dimension) && dimension !== 'texture1darray') {
    axes.push(axis('slice', c.z, arraySize))
  }
  if (mip !== 0 || levels.length > 1 || minLod > 0) {
    // Mips below the resource's clamp are not there; a clamp beyond the last one leaves none.
    const first = minLod > levels.length - 1 ? levels.length : Math.floor(minLod)
    axes.push(axis('mip', mip, levels.length, first))
  }
  const sample = c.sample ?? 0
  if (sample !== 0 || sampleCount > 1) axes.push(axis('sample', sample, sampleCount))
  return axes
}

const COUNTED = { slice: 'slices', mip: 'mips', sample: 'samples' } as const

/** `at (0, 1) lies outside 2 x 1, in y`: all coordinates and all extents, and which of them is outside. */
export function texelText(axes: readonly TexelAxis[]): string {
  const isCoordinate = (a: TexelAxis): boolean => a.name !== 'mip' && a.name !== 'sample'
  const place = axes.filter(isCoordinate).map((a) => a.at)
  const further = axes.filter((a) => !isCoordinate(a)).map((a) => `, ${a.name} ${a.at},`)
  const extents = axes.filter((a) => a.name === 'x' || a.name === 'y' || a.name === 'z').map((a) => a.extent)
  const counts = axes.flatMap((a) => {
    if (a.name === 'x' || a.name === 'y' || a.name === 'z') return []
    return [`${a.extent} ${a.extent === 1 ? a.name : COUNTED[a.name]}`]
  })
  const size = counts.length === 0 ? extents.join(' x ') : `${extents.join(' x ')} with ${counts.join(' and ')}`
  // Where the mip is not there, nothing has been compared with its extents.
  const mip = axes.find((a) => a.name === 'mip' && a.isOutside)
  const outside = mip === undefined ? axes.filter((a) => a.isOutside) : [mip]
  const which = axes.length > 1 ? `, in ${outside.map((a) => a.name).join(' and ')}` : ''
  return `at (${place.join(', ')})${further.join('').replace(',,', ',')} lies outside ${size}${which}`
}

/** An address that a shader computed: one that wrapped below zero is a negative number to people. */
export function signedText(address: number, limit: number): string {
  const isNegative = address >= 2 ** 31 && address < 2 ** 32 && limit <= 2 ** 31
  return `${isNegative ? address - 2 ** 32 : address}`
}

/**
 * A byte of shared memory that lies outside of it, as reports give it: index and byte offset read as signed numbers, so that
 * it may be negative. Where that sum would lie inside, which the access did not, both are read as unsigned numbers.
 */
export function outsideByte(index: number, stride: number, byteOffset: number, byteLength: number): number {
  const signed = (index | 0) * stride + (byteOffset >= 2 ** 32 ? byteOffset : byteOffset | 0)
  return signed < 0 || signed + 4 > byteLength ? signed : index * stride + byteOffset
}
