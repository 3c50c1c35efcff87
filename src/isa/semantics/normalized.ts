import type { ValueOps } from './value-ops.ts'

/** Conversions of normalized components of formats (functional specification 3.2.3). */

/**
 * 1 / (2^n - 1) as two floats: the product of a code with the first is exact, and the sum of both products is the
 * correctly rounded quotient for every code (a test tries them all).
 */
export const UNORM_RECIPROCALS: Readonly<Record<number, readonly [number, number]>> = {
  8: [0x3b808100, 0xb37efeff],
  10: [0x3a802000, 0x30802008],
  16: [0x37800000, 0x2f800080],
}

/** A UNORM code of at most 24 bits as float32, correctly rounded. */
export function unormToFloat<V>(o: ValueOps<V>, code: V, bitCount: number): V {
  // The conversion of signed numbers is one operation.
  const number = o.i32ToF32(code)
  const parts = UNORM_RECIPROCALS[bitCount]
  if (parts === undefined) return o.f32Div(number, o.i32ToF32(o.constant(2 ** bitCount - 1)))
  return o.f32Add(o.f32Mul(number, o.constant(parts[0])), o.f32Mul(number, o.constant(parts[1])))
}
