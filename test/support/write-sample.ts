import type { ColorMerge } from '../../src/pipeline/merge/index.ts'

/** Writes the color of `words` from `at` on, and that of o1 for dual source blending, to one sample of one pixel. */
export function writeSample(
  merge: ColorMerge,
  target: number,
  x: number,
  y: number,
  slice: number,
  sample: number,
  words: Int32Array,
  at = 0,
  words1: Int32Array = new Int32Array(4),
  at1 = 0,
): void {
  const pixel = { x: Int32Array.of(x), y: Int32Array.of(y), slices: Int32Array.of(slice) }
  const colors = Int32Array.of(...words.subarray(at, at + 4), ...words1.subarray(at1, at1 + 4))
  const masks = Int32Array.of(2 ** sample)
  merge.write(target, { count: 1, ...pixel, masks }, { words: colors, first: 0, first1: 4, stride: 1 })
}
