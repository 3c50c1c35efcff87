import type { ValueOps } from '../../isa/index.ts'
import type { ComparisonFunc, StencilOp } from '../state.ts'

/**
 * Depth and stencil tests as operations on words (functional specification 17.8 to 17.12): the definition. A compiler puts
 * them around a pixel shader; `depth-stencil.ts` has the same with numbers, and tests hold the two together.
 */

/** All ones where the comparison holds. NaN fulfills NOT_EQUAL and ALWAYS alone. */
function compare<V>(o: ValueOps<V>, func: ComparisonFunc, less: V, equal: V, greater: V): V {
  switch (func) {
    case 'NEVER':
      return o.constant(0)
    case 'LESS':
      return less
    case 'EQUAL':
      return equal
    case 'LESS_EQUAL':
      return o.or(less, equal)
    case 'GREATER':
      return greater
    case 'NOT_EQUAL':
      return o.not(equal)
    case 'GREATER_EQUAL':
      return o.or(greater, equal)
    case 'ALWAYS':
      return o.constant(0xffffffff)
  }
}

/** min(max, max(min, z)): the larger first, so that NaN becomes `min` (17.10). */
export function clampDepthWord<V>(o: ValueOps<V>, z: V, min: V, max: V): V {
  const low = o.select(o.f32Less(min, z), z, min)
  return o.select(o.f32Less(low, max), low, max)
}

/** Whether the new depth passes against the stored one: float32 words, or codes of a UNORM format, of 24 bits at most. Denormals count. */
export function depthPassesWord<V>(o: ValueOps<V>, func: ComparisonFunc, isFloat: boolean, z: V, stored: V): V {
  if (isFloat) return compare(o, func, o.f32Less(z, stored), o.f32Equal(z, stored), o.f32Less(stored, z))
  return compare(o, func, o.i32Less(z, stored), o.i32Equal(z, stored), o.i32Less(stored, z))
}

/** Whether the reference passes against the stored stencil, both masked; 8-bit values. */
export function stencilPassesWord<V>(o: ValueOps<V>, func: ComparisonFunc, readMask: V, reference: V, stored: V): V {
  const a = o.and(reference, readMask)
  const b = o.and(stored, readMask)
  return compare(o, func, o.i32Less(a, b), o.i32Equal(a, b), o.i32Less(b, a))
}

/** What an operation makes of an 8-bit stencil value. */
export function stencilResultWord<V>(o: ValueOps<V>, op: StencilOp, reference: V, stored: V): V {
  const zero = o.constant(0)
  const one = o.constant(1)
  const byte = o.constant(0xff)
  switch (op) {
    case 'KEEP':
      return stored
    case 'ZERO':
      return zero
    case 'REPLACE':
      return o.and(reference, byte)
    case 'INCR_SAT':
      return o.select(o.i32Less(stored, byte), o.i32Add(stored, one), byte)
    case 'DECR_SAT':
      return o.select(o.i32Less(zero, stored), o.i32Sub(stored, one), zero)
    case 'INVERT':
      return o.xor(stored, byte)
    case 'INCR':
      return o.and(o.i32Add(stored, one), byte)
    case 'DECR':
      return o.and(o.i32Sub(stored, one), byte)
  }
}

/** The stored value with the bits of the write mask replaced. */
export function stencilMergeWord<V>(o: ValueOps<V>, writeMask: V, stored: V, result: V): V {
  return o.xor(stored, o.and(o.xor(stored, result), writeMask))
}
