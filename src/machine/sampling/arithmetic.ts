/**
 * The float32 arithmetic of filtering: every operation rounds to float32 and flushes denormals of its inputs and its result
 * to zero with their sign (functional spec 3.1.3.2, 7.18.16.2), in the order written here. Engines that sample by other
 * means follow the same order.
 */
const fround = Math.fround

const SMALLEST_NORMAL = 2 ** -126
const LARGEST = 3.4028234663852886e38

/** x with a denormal replaced by a zero of its sign. */
export function flush(x: number): number {
  return x < SMALLEST_NORMAL && x > -SMALLEST_NORMAL ? x * 0 : x
}
function add(a: number, b: number): number {
  return flush(fround(a + b))
}
function mul(a: number, b: number): number {
  return flush(fround(a * b))
}
function isFinite32(x: number): boolean {
  return x <= LARGEST && x >= -LARGEST
}

/** A result as it leaves this file: whatever NaNs went in, the one NaN 0x7fc00000 comes out, on every host. */
function settled(x: number): number {
  return Number.isNaN(x) ? Number.NaN : x
}

/**
 * From a to b by `t` in [0, 1): a + (b - a) * t, so that equal ends give that value and results stay between the ends
 * (7.18.16.3). t = 0 gives `a` untouched: b has no weight. Where b - a is not finite: a * (1 - t) + b * t.
 */
export function lerp(a: number, b: number, t: number): number {
  if (t === 0) return a
  const from = flush(a)
  const to = flush(b)
  const difference = flush(fround(to - from))
  if (isFinite32(difference)) return add(from, mul(difference, t))
  return settled(add(mul(from, fround(1 - t)), mul(to, t)))
}

/** The mean of three, exact for equal ones: a + ((b - a) + (c - a)) / 3; weighted by thirds where that is not finite. */
export function meanOf3(a: number, b: number, c: number): number {
  const [x, y, z] = [flush(a), flush(b), flush(c)]
  const sum = add(flush(fround(y - x)), flush(fround(z - x)))
  if (isFinite32(sum)) return add(x, flush(fround(sum / 3)))
  return settled(add(add(flush(fround(x / 3)), flush(fround(y / 3))), flush(fround(z / 3))))
}

/** Folds value number `count` (from 1) into the mean of those before it; equal values keep their value. */
export function runningMean(mean: number, value: number, count: number): number {
  if (count === 1) return value
  const m = flush(mean)
  const v = flush(value)
  const difference = flush(fround(v - m))
  if (isFinite32(difference)) return add(m, flush(fround(difference / count)))
  return settled(add(flush(fround(mul(m, count - 1) / count)), flush(fround(v / count))))
}

/** Minimum and maximum that prefer a number to NaN (3.1.3.1). */
export function min(a: number, b: number): number {
  return Number.isNaN(a) ? settled(b) : Number.isNaN(b) ? a : Math.min(a, b)
}
export function max(a: number, b: number): number {
  return Number.isNaN(a) ? settled(b) : Number.isNaN(b) ? a : Math.max(a, b)
}

/** Fraction bits of texel positions and of LODs; Direct3D requires at least 8 (7.18.16.1). */
export const FRACTION_BITS = 12
const ONE = 2 ** FRACTION_BITS

/** Adding and taking away 1.5 * 2^52 rounds a double below 2^51 to the nearest integer, ties to even. */
const ROUND = 6755399441055744

/** Float to fixed point in units of 2^-12, nearest even; NaN is 0; clamped to 20 integer bits (3.2.4.1). */
export function toFixed(x: number): number {
  const scaled = x * ONE
  if (scaled >= 2 ** 31) return 2 ** 31 - 1
  if (scaled <= -(2 ** 31)) return -(2 ** 31)
  return Number.isNaN(scaled) ? 0 : scaled + ROUND - ROUND
}
/** The integer part of a fixed point number: the floor. */
export function fixedFloor(fixed: number): number {
  return fixed >> FRACTION_BITS
}
/** The fraction of a fixed point number, exact as float32, in [0, 1). */
export function fixedFraction(fixed: number): number {
  return (fixed & (ONE - 1)) / ONE
}

const F32 = new Float32Array(1)
const U32 = new Uint32Array(F32.buffer)

/**
 * log2 of a float32, by a series in double precision rounded once: within half an ulp and a little, exact for powers of
 * two, and the same on every host. Zero and denormals give -Infinity, negative numbers NaN.
 */
export function log2(x: number): number {
  F32[0] = x
  const bits = U32[0]!
  if (Number.isNaN(x) || x <= -SMALLEST_NORMAL) return Number.NaN
  if (bits < 0x00800000 || bits > 0x7f800000) return -Infinity
  if (bits === 0x7f800000) return Infinity
  let exponent = (bits >>> 23) - 127
  let m = 1 + (bits & 0x7fffff) / 2 ** 23
  if (m > Math.SQRT2) {
    m /= 2
    exponent++
  }
  const s = (m - 1) / (m + 1)
  const s2 = s * s
  let series = 0
  for (let k = 23; k >= 1; k -= 2) series = series * s2 + 1 / k
  return fround(exponent + 2 * s * series * Math.LOG2E)
}
