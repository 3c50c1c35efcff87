/** Alpha to coverage (functional specification 17.18): which samples of a pixel the alpha of o0 keeps. */

/**
 * The first floor(alpha * n + 0.5) samples by index, without dithering: none for 0, negative numbers and NaN, all from 1
 * on. The caller ANDs it with the coverage, and leaves it out where the shader writes oMask (16.9.4).
 */
export function alphaToCoverage(alpha: number, sampleCount: number): number {
  if (!(alpha > 0)) return 0
  return 2 ** Math.floor(Math.min(alpha, 1) * sampleCount + 0.5) - 1
}
