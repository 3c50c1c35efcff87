import type { ColorMerge } from '../../src/pipeline/merge/index.ts'

/** A sample of a render target, with its slice. */
interface SamplePlace {
  readonly x: number
  readonly y: number
  readonly slice: number
  readonly sample: number
}

export const FIRST_SAMPLE: SamplePlace = { x: 0, y: 0, slice: 0, sample: 0 }

/** Writes the four words of a color, and those of o1 for dual source blending, to one sample of a target. */
export function writeSample(
  merge: ColorMerge,
  target: number,
  { x, y, slice, sample }: SamplePlace,
  color: Int32Array,
  color1: Int32Array = new Int32Array(4),
): void {
  const pixel = { x: Int32Array.of(x), y: Int32Array.of(y), slices: Int32Array.of(slice) }
  const words = Int32Array.of(...color, ...color1)
  const masks = Int32Array.of(2 ** sample)
  merge.write(target, { count: 1, ...pixel, masks }, { words, first: 0, first1: 4, stride: 1 })
}
