/**
 * Half of log2 in float32, for levels of detail: 0.5 * log2((1 + s) / (1 - s)) as s * (a + b s^2 + c s^4), to 2 * 10^-8 for numbers between the
 * roots of 0.5 and 2.
 */
const fround = Math.fround

export const QUICK_SERIES = [1.4426956447046928, 0.48073540081636346, 0.29948706709948625] as const
/** Half of the root of 2, whose bits divide exponents: above it numbers are halved. */
export const HALF_ROOT = 0x3f3504f3

const FLOAT = new Float32Array(1)
const WORD = new Int32Array(FLOAT.buffer)
const [A, B, C] = QUICK_SERIES.map(fround) as [number, number, number]

/** Half of log2 of a float32 that is not negative and no NaN; of 0 and denormals less than -60, of infinity more than 60. */
export function quickHalfLog2(x: number): number {
  FLOAT[0] = x
  const exponent = (WORD[0]! - HALF_ROOT) >> 23
  WORD[0] = WORD[0]! - (exponent << 23)
  const m = FLOAT[0]!
  const s = fround(fround(m - 1) / fround(m + 1))
  const s2 = fround(s * s)
  const series = fround(A + fround(s2 * fround(B + fround(s2 * C))))
  return fround(fround(exponent * 0.5) + fround(s * series))
}
