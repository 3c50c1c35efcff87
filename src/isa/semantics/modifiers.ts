import type { ComponentType } from '../row.ts'
import type { ValueOps } from './value-ops.ts'

/**
 * Operand modifiers and `_sat` (functional specification 22.18, 22.19). They stand outside the meaning of a row: whoever
 * runs an instruction applies modifiers to each source word that it passes in and `_sat` to each result that it gets.
 */

/** Modifier bits of an extended operand token: 1 negates, 2 takes the absolute value; with both that comes first. */
const NEGATE = 1
const ABSOLUTE = 2

/** The sign bit of a type in the word that holds it. Moves copy `bits`, yet their modifiers are those of floats. */
function signBit(type: 'f32' | 'f64' | 'f16' | 'bits'): number {
  return type === 'f16' ? 0x8000 : 0x80000000
}

/**
 * One word with a source modifier applied: 0 none, 1 negate, 2 absolute value, 3 the negated absolute value; other bits
 * of `modifier` are ignored. For `f64` it is the high word, and the low word stays as it is. Floats change their sign
 * bit and nothing else: denormals and NaN payloads stay. Integers have only negation, in two's complement.
 */
export function applyModifier<V>(o: ValueOps<V>, type: ComponentType, modifier: number, word: V): V {
  if (type === 'i32' || type === 'u32') return (modifier & NEGATE) === 0 ? word : o.i32Sub(o.constant(0), word)
  const sign = signBit(type)
  switch (modifier & (NEGATE | ABSOLUTE)) {
    case NEGATE:
      return o.xor(word, o.constant(sign))
    case ABSOLUTE:
      return o.and(word, o.constant(~sign >>> 0))
    case NEGATE | ABSOLUTE:
      return o.or(word, o.constant(sign))
    default:
      return word
  }
}

/** min(1, max(0, v)) of a float32: denormals, negative numbers, -0 and NaN become +0. */
export function saturateFloat<V>(o: ValueOps<V>, word: V): V {
  const zero = o.constant(0)
  const one = o.constant(0x3f800000)
  const v = o.flushDenormal(word)
  return o.select(o.f32Less(zero, v), o.select(o.f32Less(v, one), v, one), zero)
}

/** min(1, max(0, v)) of a double: negative numbers, -0 and NaN become +0; denormals stay. */
function saturateDouble<V>(o: ValueOps<V>, v: readonly [low: V, high: V]): readonly V[] {
  const [low, high] = v
  const zero = o.constant(0)
  const oneHigh = o.constant(0x3ff00000)
  const positive = o.f64Less([zero, zero], v)
  const below = o.f64Less(v, [zero, oneHigh])
  return [o.select(o.and(positive, below), low, zero), o.select(positive, o.select(below, high, oneHigh), zero)]
}

/**
 * The words of one result (two for `f64`, one otherwise) saturated. Moves of `bits` become floats by it (22.9.1).
 * Results that are no floats stay as they are.
 */
export function saturate<V>(o: ValueOps<V>, type: ComponentType, words: readonly V[]): readonly V[] {
  if (type === 'f64') return saturateDouble(o, [words[0]!, words[1]!])
  return type === 'f32' || type === 'bits' ? [saturateFloat(o, words[0]!)] : words
}
