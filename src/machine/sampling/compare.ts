import type { Format } from '../../isa/formats/index.ts'
import {
  bitsOfF32,
  bitsToFloat16,
  f32OfBits,
  float16ToBits,
  floatToSnorm,
  floatToUnorm,
  snormToFloat,
  unormToFloat,
} from '../format/index.ts'
import type { ComparisonFunction } from '../sampler.ts'
import { flush } from './arithmetic.ts'

/** `reference` against `texel` by a comparison function; IEEE rules, NaN differs from everything (3.1.3.1). */
export function compare(fn: ComparisonFunction, reference: number, texel: number): boolean {
  const a = flush(reference)
  const b = flush(texel)
  switch (fn) {
    case 'never':
      return false
    case 'less':
      return a < b
    case 'equal':
      return a === b
    case 'less_equal':
      return a <= b
    case 'greater':
      return a > b
    case 'not_equal':
      return a !== b
    case 'greater_equal':
      return a >= b
    case 'always':
      return true
  }
}

/** The reference value in the precision and range of the format's R component, as depth would be stored (22.4.19). */
export function quantizeReference(format: Format, reference: number): number {
  const red = format.components.find((c) => c.name === 'r')
  switch (red?.encoding) {
    case 'unorm':
      return unormToFloat(floatToUnorm(reference, red.bitCount), red.bitCount)
    case 'snorm':
      return snormToFloat(floatToSnorm(reference, red.bitCount), red.bitCount)
    case 'float':
      if (red.bitCount === 16) return f32OfBits(float16ToBits(bitsToFloat16(bitsOfF32(reference))))
      return reference
    default:
      return reference
  }
}
