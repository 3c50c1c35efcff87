import type { ValueOps } from '../isa/index.ts'

/**
 * `minPrecision: 'round'`: results for registers of minimum precision are rounded to it (functional specification 3.1.4,
 * "min precision"), so that a shader that loses by 16 bits shows it. Numbers of MIN_PRECISION_WORD.
 */
const MIN16F = 1
const MIN2_8F = 2
const MIN16I = 4
const MIN16U = 5

const bits = new Uint32Array(1)
const float = new Float32Array(bits.buffer)

function literal<V>(o: ValueOps<V>, value: number): V {
  float[0] = value
  return o.constant(bits[0]!)
}

/** To float16 and back, to nearest even; from 65520 on to infinity. */
function roundToHalf<V>(o: ValueOps<V>, x: V): V {
  const magnitude = o.and(x, o.constant(0x7fffffff))
  // 13 bits of the fraction go: half of the last bit kept, less one where that bit is 0, carries into the exponent.
  const odd = o.and(o.shiftRightLogical(magnitude, o.constant(13)), o.constant(1))
  const carried = o.i32Add(magnitude, o.i32Add(o.constant(0x0fff), odd))
  const normal = o.and(carried, o.constant(0xffffe000))
  // Around 0.75 floats are 2^-24 apart, the unit of float16 denormals.
  const denormal = o.f32Sub(o.f32Add(magnitude, literal(o, 0.75)), literal(o, 0.75))
  const small = o.f32Less(magnitude, literal(o, 2 ** -14))
  const finite = o.select(small, denormal, normal)
  const large = o.f32LessEqual(literal(o, 65520), magnitude)
  const number = o.select(large, o.constant(0x7f800000), finite)
  const kept = o.select(o.f32Equal(x, x), number, o.constant(0x7fc00000))
  return o.or(kept, o.and(x, o.constant(0x80000000)))
}

/** Fixed point with 2 bits before and 8 after the point, clamped to [-2, 2 - 1/256]; NaN to 0. */
function roundToFixed<V>(o: ValueOps<V>, x: V): V {
  const scaled = o.f32RoundNearestEven(o.f32Mul(x, literal(o, 256)))
  const atLeast = o.select(o.f32Less(scaled, literal(o, -512)), literal(o, -512), scaled)
  const within = o.select(o.f32Less(literal(o, 511), atLeast), literal(o, 511), atLeast)
  const number = o.select(o.f32Equal(x, x), within, o.constant(0))
  return o.f32Mul(number, literal(o, 1 / 256))
}

/** A word rounded to the minimum precision of the operand it is written to; unchanged for others. */
export function roundToPrecision<V>(o: ValueOps<V>, minPrecision: number, x: V): V {
  switch (minPrecision) {
    case MIN16F:
      return roundToHalf(o, x)
    case MIN2_8F:
      return roundToFixed(o, x)
    case MIN16I:
      return o.shiftRightArithmetic(o.shiftLeft(x, o.constant(16)), o.constant(16))
    case MIN16U:
      return o.and(x, o.constant(0xffff))
    default:
      return x
  }
}
