import { DIMENSION_NUMBER } from './enumerations.ts'

const COORDINATES: Readonly<Record<number, number>> = {
  [DIMENSION_NUMBER.buffer]: 1,
  [DIMENSION_NUMBER.texture1d]: 1,
  [DIMENSION_NUMBER.texture1darray]: 2,
  [DIMENSION_NUMBER.texture2d]: 2,
  [DIMENSION_NUMBER.texture2darray]: 3,
  [DIMENSION_NUMBER.texture2dms]: 2,
  [DIMENSION_NUMBER.texture2dmsarray]: 3,
  [DIMENSION_NUMBER.texture3d]: 3,
  [DIMENSION_NUMBER.texturecube]: 3,
  [DIMENSION_NUMBER.texturecubearray]: 4,
  [DIMENSION_NUMBER.rawBuffer]: 1,
  [DIMENSION_NUMBER.structuredBuffer]: 2,
}

/** Dimensions whose texels have addresses of their own (cubes are sampled by direction), with the axes that have offsets. */
const OFFSET_AXES: Readonly<Record<number, number>> = {
  [DIMENSION_NUMBER.buffer]: 0,
  [DIMENSION_NUMBER.texture1d]: 1,
  [DIMENSION_NUMBER.texture1darray]: 1,
  [DIMENSION_NUMBER.texture2d]: 2,
  [DIMENSION_NUMBER.texture2darray]: 2,
  [DIMENSION_NUMBER.texture2dms]: 2,
  [DIMENSION_NUMBER.texture2dmsarray]: 2,
  [DIMENSION_NUMBER.texture3d]: 3,
}

/** Components of an address into a view of this dimension, array slice included; undefined for a number that is none. */
export function coordinateCount(dimension: number): number | undefined {
  return COORDINATES[dimension]
}

/** As `coordinateCount`, for loads and stores of single texels; undefined for cubes and for raw and structured buffers. */
export function texelCoordinateCount(dimension: number): number | undefined {
  return OFFSET_AXES[dimension] === undefined ? undefined : COORDINATES[dimension]
}

/** Coordinates that immediate texel offsets are added to: not the array slice, none of a buffer. */
export function offsetAxisCount(dimension: number): number {
  return OFFSET_AXES[dimension] ?? 0
}
