import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Builder } from '../ir/builder.ts'
import { factsOf, NO_FACTS } from '../ir/facts.ts'
import { foldConstants } from '../ir/fold.ts'
import type { Op, Value } from '../ir/value.ts'
import { type Magnitude, magnitudeOf, withMinExponent } from './magnitude.ts'

/** Any float32 pattern; exponents at both ends of the range as often as all others together. */
const bits = fc
  .tuple(fc.boolean(), fc.oneof(fc.integer({ min: 0, max: 255 }), fc.integer({ min: 0, max: 60 })), fc.nat(0x7fffff))
  .chain(([sign, exponent, fraction]) =>
    fc
      .constantFrom(fraction, fraction & 0x7f0000, 0, 1, 0x7fffff)
      .map((f) => ((sign ? 1 << 31 : 0) | (exponent << 23) | f) >>> 0),
  )

const FLOAT = new Float32Array(1)
const WORD = new Uint32Array(FLOAT.buffer)
function floatOf(word: number): number {
  WORD[0] = word
  return FLOAT[0]!
}

/** What a magnitude says of a float, checked with exact doubles: 2^-149 and 2^128 are far inside their range. */
function holds(m: Magnitude, word: number): boolean {
  const size = Math.abs(floatOf(word))
  if (size === 0 || !Number.isFinite(size)) return true
  return size >= 2 ** m.minExponent && size <= 2 ** m.maxExponent && Number.isInteger(size / 2 ** m.granularityExponent)
}

/** Operations that are recognized as a whole are not folded: here they are on numbers, and NaN is exempt. */
const PICKS: { readonly [K in Op]?: (a: number, b: number) => boolean } = {
  f32Max: (a, b) => a >= b,
  f32PseudoMax: (a, b) => a >= b,
  f32Min: (a, b) => a <= b,
  f32PseudoMin: (a, b) => a <= b,
}
function result(op: Op, a: number, b: number): number {
  const isFirst = PICKS[op]?.(floatOf(a), floatOf(b))
  if (isFirst !== undefined) return isFirst ? a : b
  const folded = foldConstants(op, BINARY.includes(op) ? [a, b] : [a])
  if (folded === undefined) throw new Error(`${op} is not folded`)
  return folded
}

const BINARY: readonly Op[] = [
  'f32Add',
  'f32Sub',
  'f32Mul',
  'f32Div',
  'f32Max',
  'f32Min',
  'f32PseudoMax',
  'f32PseudoMin',
]
const UNARY: readonly Op[] = ['f32Sqrt', 'f32Floor', 'f32Ceil', 'f32Trunc', 'f32RoundNearestEven', 'flushDenormal']
const INTEGERS: readonly Op[] = ['i32ToF32', 'u32ToF32']

describe('sizes of floats', () => {
  const o = new Builder({ threads: [1, 1, 1], keepDenormals: false, fused: false })
  /** An operand of which no more is known than its own size. */
  const leaf = (n: number): Value => o.make('constantBuffer', [o.constant(n)], 0)
  const sizes = (words: readonly number[]): ((v: Value) => Magnitude) => {
    const known = words.map(
      (w, n) =>
        [
          leaf(n),
          magnitudeOf(o.constant(w), () => {
            throw new Error()
          }),
        ] as const,
    )
    return (v) => known.find(([l]) => l === v)![1]
  }

  test('a constant is what its size says', () => {
    fc.assert(fc.property(bits, (a) => holds(sizes([a])(leaf(0)), a)))
  })

  test.each([...BINARY])('%s', (op) => {
    fc.assert(
      fc.property(bits, bits, (a, b) => {
        const v = { ...leaf(0), op, args: [leaf(0), leaf(1)] }
        return holds(magnitudeOf(v, sizes([a, b])), result(op, a, b))
      }),
      { numRuns: 3000 },
    )
  })

  test.each([...UNARY, ...INTEGERS])('%s', (op) => {
    fc.assert(
      fc.property(bits, (a) => {
        const v = { ...leaf(0), op, args: [leaf(0)] }
        return holds(magnitudeOf(v, sizes([a])), result(op, a, 0))
      }),
      { numRuns: 3000 },
    )
  })

  test.each(['f32Add', 'f32Sub'] as const)('%s of a constant and what nothing is known of', (op) => {
    const unknown = { minExponent: -149, granularityExponent: -149, maxExponent: 128 }
    const of = (v: Value): Magnitude => (v.op === 'constant' ? magnitudeOf(v, of) : unknown)
    fc.assert(
      fc.property(bits, bits, fc.boolean(), (a, b, isFirst) => {
        const args = isFirst ? [o.constant(a), leaf(0)] : [leaf(0), o.constant(a)]
        const sum = isFirst ? result(op, a, b) : result(op, b, a)
        const v = { ...leaf(0), op, args }
        const isDenormal = (sum & 0x7f800000) === 0 && (sum & 0x7fffff) !== 0
        return holds(magnitudeOf(v, of), sum) && !(isDenormal && factsOf(v, () => NO_FACTS).flushed)
      }),
      { numRuns: 6000 },
    )
    // 1 is 2^0: what the sum leaves of a smaller term is a multiple of 2^-24.
    const one = { ...leaf(0), op, args: [leaf(0), o.constant(0x3f800000)] }
    expect(magnitudeOf(one, of).granularityExponent).toBe(-24)
    expect(factsOf(one, () => NO_FACTS).flushed).toBe(true)
  })

  test('factors of 2^-51 give products that sums cannot make denormal', () => {
    const factor = withMinExponent({ minExponent: -149, granularityExponent: -149, maxExponent: 128 }, -51)
    const product = magnitudeOf({ ...leaf(0), op: 'f32Mul', args: [leaf(0), leaf(1)] }, () => factor)
    expect(product).toEqual({ minExponent: -102, granularityExponent: -125, maxExponent: 128 })
    const sum = magnitudeOf({ ...leaf(0), op: 'f32Add', args: [leaf(0), leaf(1)] }, () => product)
    expect(sum.minExponent).toBe(-125)
    const unknown = { minExponent: -126, granularityExponent: -149, maxExponent: 128 }
    expect(magnitudeOf({ ...leaf(0), op: 'f32Add', args: [leaf(0), leaf(1)] }, () => unknown).minExponent).toBe(-149)
  })
})
