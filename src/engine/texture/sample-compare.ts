import type { Format } from '../../isa/formats/index.ts'
import type { ComparisonFunction } from '../../machine/index.ts'
import type { Builder, Value } from '../ir/index.ts'
import { quantize } from './texel-format.ts'

/** Comparisons of samples as values: machine/sampling/compare. */

/** `a` against `b` as a mask; NaN differs from everything (3.1.3.1). */
function holds(o: Builder, fn: ComparisonFunction, a: Value, b: Value): Value {
  switch (fn) {
    case 'never':
      return o.constant(0)
    case 'less':
      return o.f32Less(a, b)
    case 'equal':
      return o.f32Equal(a, b)
    case 'less_equal':
      return o.f32LessEqual(a, b)
    case 'greater':
      return o.f32Less(b, a)
    case 'not_equal':
      return o.not(o.f32Equal(a, b))
    case 'greater_equal':
      return o.f32LessEqual(b, a)
    case 'always':
      return o.constant(0xffffffff)
    default:
      return fn satisfies never
  }
}

/** The comparison of texels with a reference value in the precision of the format's R (22.4.19): 1 or 0 as a float. */
export function comparer(
  o: Builder,
  format: Format,
  fn: ComparisonFunction,
  reference: Value,
): (texel: Value) => Value {
  const flush = (x: Value): Value => (o.facts(x).flushed ? x : o.make('flushDenormal', [x]))
  const red = format.components.find((c) => c.name === 'r')
  const quantized = flush(red === undefined ? reference : quantize(o, reference, red))
  return (texel) => o.and(holds(o, fn, quantized, flush(texel)), o.constant(0x3f800000))
}
