/** Float conversions on bit patterns, so that NaN payloads and denormals never pass through a host's float register. */

const F32 = new Float32Array(1)
const U32 = new Uint32Array(F32.buffer)

/** The bits of a number rounded to float32. */
export function bitsOfF32(value: number): number {
  F32[0] = value
  return U32[0]!
}

/** The float32 of 32 bits. */
export function f32OfBits(bits: number): number {
  U32[0] = bits
  return F32[0]!
}

/**
 * A small float with 5 exponent bits (bias 15) as float32 bits: denormals become normal numbers, infinities and NaNs stay
 * (functional spec 3.1.5, 3.1.6, 3.2.2). `magnitude` has no sign bit.
 */
function expandSmallFloat(magnitude: number, fractionBits: number): number {
  const exponent = magnitude >>> fractionBits
  const fraction = magnitude & ((1 << fractionBits) - 1)
  const shifted = fraction << (23 - fractionBits)
  if (exponent === 31) return (0x7f800000 | shifted) >>> 0
  if (exponent !== 0) return (((exponent + 112) << 23) | shifted) >>> 0
  if (fraction === 0) return 0
  // Normalize: the leading one of the fraction becomes the hidden bit.
  const up = Math.clz32(fraction) - (31 - fractionBits)
  return ((113 - up) << 23) | ((fraction << (up + 23 - fractionBits)) & 0x7fffff)
}

/** float16 as float32 bits. The NaN payload moves to the top of the fraction, the sign is kept. */
export function float16ToBits(half: number): number {
  return (((half & 0x8000) << 16) | expandSmallFloat(half & 0x7fff, 10)) >>> 0
}
/** The 11-bit float of R11G11B10 as float32 bits. */
export function float11ToBits(code: number): number {
  return expandSmallFloat(code & 0x7ff, 6)
}
/** The 10-bit float of R11G11B10 as float32 bits. */
export function float10ToBits(code: number): number {
  return expandSmallFloat(code & 0x3ff, 5)
}

/**
 * The magnitude of a float32 as a small float with 5 exponent bits, rounded toward zero: what functional spec 3.2.2 requires of
 * every conversion to a float format of lower range. Too large finite values give the largest finite one, infinity
 * stays, NaN stays NaN (its quiet bit set so that no payload is lost to infinity), tiny ones become denormals or 0.
 */
function shrinkFloat(magnitude: number, fractionBits: number): number {
  const infinity = 31 << fractionBits
  if (magnitude > 0x7f800000) {
    return infinity | (1 << (fractionBits - 1)) | ((magnitude >>> (23 - fractionBits)) & ((1 << fractionBits) - 1))
  }
  if (magnitude === 0x7f800000) return infinity
  const exponent = (magnitude >>> 23) - 112
  if (exponent >= 31) return infinity - 1
  if (exponent >= 1) return (exponent << fractionBits) | ((magnitude & 0x7fffff) >>> (23 - fractionBits))
  const shift = 23 - fractionBits + 1 - exponent
  return shift > 24 ? 0 : ((magnitude & 0x7fffff) | 0x800000) >>> shift
}

/** float32 bits to float16, rounding toward zero (the rule of stores to a format and of f32tof16, 3.2.2 and 22.13.2). */
export function bitsToFloat16(bits: number): number {
  return ((bits >>> 16) & 0x8000) | shrinkFloat(bits & 0x7fffffff, 10)
}

/** float32 bits to an unsigned small float: negative numbers, -0 and -infinity included, become 0 (3.1.6). */
function bitsToUnsignedFloat(bits: number, fractionBits: number): number {
  const magnitude = bits & 0x7fffffff
  if (bits >>> 31 === 1 && magnitude <= 0x7f800000) return 0
  return shrinkFloat(magnitude, fractionBits)
}
/** float32 bits to the 11-bit float of R11G11B10. */
export function bitsToFloat11(bits: number): number {
  return bitsToUnsignedFloat(bits, 6)
}
/** float32 bits to the 10-bit float of R11G11B10. */
export function bitsToFloat10(bits: number): number {
  return bitsToUnsignedFloat(bits, 5)
}
