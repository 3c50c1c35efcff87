/** Pixel positions as whole 1/256 pixels: 16.8 fixed point (functional specification 3.4.1, 15.16). */

export const SUBPIXELS = 256
export const HALF_PIXEL = 128

export const LEAST_POSITION = -32768 * SUBPIXELS
export const MOST_POSITION = 32768 * SUBPIXELS - 1

/** A double of this size has no bits behind the point: to add it and take it away again rounds, ties to even. */
const WHOLE = 1.5 * 2 ** 52

/** A position rounded to the nearest 1/256, ties to even, saturating; NaN gives 0. */
export function snap(x: number): number {
  // The product is exact: a float32 times a power of two.
  const scaled = x * SUBPIXELS
  if (scaled >= MOST_POSITION) return MOST_POSITION
  if (scaled <= LEAST_POSITION) return LEAST_POSITION
  return (scaled + WHOLE - WHOLE) | 0
}
