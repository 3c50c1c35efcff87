import { isPlainSeed } from './plain.ts'

/** The fixed seeds of every run of the tests, in Node and in browsers: frames of several pools, and plain ones of another. */
export const FRAME_SEEDS: readonly number[] = [
  ...Array.from({ length: 96 }, (_, n) => 12 * 64 * (n % 2) + 24 + n),
  ...Array.from({ length: 64 }, (_, n) => 41 * 64 + n).filter(isPlainSeed),
  // Points of a geometry shader that go to stream output alone.
  2948,
  // Colors near the middle between two codes.
  2938,
  // Small triangles that are tested without helpers.
  748,
  // Samples that are resolved by code.
  3108,
  // A hull shader whose first finding depends on which patches run together.
  88405,
]

/** Frames that are compared with the precision `fast`: runs with and without clamps, and linear filters as sums of whole numbers. */
export const FAST_FRAME_SEEDS: readonly number[] = [9100009, 9100011, 9100012, 9100018, 9100072, 9100098, 9100118]
