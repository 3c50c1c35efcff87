/** The fixed seeds of every run of the tests, in Node and in browsers: frames of several pools. */
export const FRAME_SEEDS: readonly number[] = Array.from({ length: 96 }, (_, n) => 12 * 64 * (n % 2) + 24 + n)
