/**
 * Fused multiply-add, rounded once, for what WebAssembly has no instruction that promises it. Exact: numbers are whole
 * multiples of powers of two, summed as big integers and rounded to nearest even.
 */

const DOUBLE = new Float64Array(1)
const BITS = new BigUint64Array(DOUBLE.buffer)

/** A finite double as mantissa * 2^exponent. */
function split(x: number): [bigint, number] {
  DOUBLE[0] = x
  const bits = BITS[0]!
  const biased = Number((bits >> 52n) & 0x7ffn)
  const fraction = bits & 0xfffffffffffffn
  const mantissa = biased === 0 ? fraction : fraction | 0x10000000000000n
  return [bits >> 63n === 1n ? -mantissa : mantissa, Math.max(biased, 1) - 1075]
}

/** The float of `precision` bits and least exponent `least` that is nearest to mantissa * 2^exponent, ties to even. */
function round(mantissa: bigint, exponent: number, precision: number, least: number): number {
  const negative = mantissa < 0n
  let m = negative ? -mantissa : mantissa
  let e = exponent
  const drop = Math.max(m.toString(2).length - precision, least - e)
  if (drop > 0) {
    const shift = BigInt(drop)
    const rest = m & ((1n << shift) - 1n)
    const half = 1n << (shift - 1n)
    m >>= shift
    e += drop
    if (rest > half || (rest === half && (m & 1n) === 1n)) m += 1n
  }
  const value = scale(Number(m), e)
  return negative ? -value : value
}

/** x * 2^e without rounding twice: x has at most 53 bits and the result is representable or overflows. */
function scale(x: number, e: number): number {
  let value = x
  let left = e
  for (; left > 1000; left -= 1000) value *= 2 ** 1000
  for (; left < -1000; left += 1000) value *= 2 ** -1000
  return value * 2 ** left
}

function fused(a: number, b: number, c: number, precision: number, least: number): number {
  const product = a * b
  if (!Number.isFinite(a) || !Number.isFinite(b)) return product + c
  // A product of numbers is a number, however large: against an infinity it counts for nothing.
  if (!Number.isFinite(c)) return c
  if (a === 0 || b === 0) return product + c
  const [ma, ea] = split(a)
  const [mb, eb] = split(b)
  const [mc, ec] = split(c)
  const exponent = Math.min(ea + eb, ec)
  const sum = ((ma * mb) << BigInt(ea + eb - exponent)) + (mc << BigInt(ec - exponent))
  // An exact zero of numbers with different signs is +0.
  if (sum === 0n) return 0
  return round(sum, exponent, precision, least)
}

/** a * b + c of float32 values, to a float32 that may be denormal. */
export function fusedFloat(a: number, b: number, c: number): number {
  return Math.fround(fused(a, b, c, 24, -149))
}

/** a * b + c of doubles. */
export function fusedDouble(a: number, b: number, c: number): number {
  return fused(a, b, c, 53, -1074)
}
