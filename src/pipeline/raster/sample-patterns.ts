/**
 * Standard sample patterns (functional specification 19.2.4, figures MSAAPatterns): offsets from the pixel's center in
 * sixteenths of a pixel, x to the right and y down, in the order of sample indices.
 */

export type SampleCount = 1 | 2 | 4 | 8 | 16

const PATTERNS: Readonly<Record<SampleCount, readonly number[]>> = {
  1: [0, 0],
  2: [4, 4, -4, -4],
  4: [-2, -6, 6, -2, -6, 2, 2, 6],
  8: [1, -3, -1, 3, 5, 1, -3, -5, -5, 5, -7, -1, 3, 7, 7, -7],
  16: [1, 1, -1, -3, -3, 2, 4, -1, -5, -2, 2, 5, 5, 3, 3, -5, -2, 6, 0, -7, -4, -6, -6, 4, -8, 0, 7, -4, 6, 7, -7, -8],
}

const OFFSETS = new Map<SampleCount, Int32Array>()

/** x and y of each sample in 1/256 pixel from the center, in turn; the same array for every draw. */
export function sampleOffsets(count: SampleCount): Int32Array {
  const known = OFFSETS.get(count)
  if (known !== undefined) return known
  const offsets = Int32Array.from(PATTERNS[count], (n) => n * 16)
  OFFSETS.set(count, offsets)
  return offsets
}

export const isSampleCount = (n: number): n is SampleCount => n === 1 || n === 2 || n === 4 || n === 8 || n === 16

/** All samples of a pixel, as bits. */
export const allSamples = (count: SampleCount): number => (count === 16 ? 0xffff : (1 << count) - 1)
