import fc from 'fast-check'
import { expect, test } from 'vitest'
import { foldConstants } from '../ir/fold.ts'
import { Builder, floatOf, type Value } from '../ir/index.ts'
import { FloatRanges } from './float-ranges.ts'

const o = new Builder({ threads: [1, 1, 1], keepDenormals: false, fused: false })
/** A value of which nothing is known. */
const leaf = (n: number): Value => o.make('constantBuffer', [o.constant(n)], 0)

const float = fc.oneof(
  fc.constantFrom(0, 0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000, 1, 0x7f7fffff),
  fc.integer({ min: 0, max: 0xffffffff }),
)

/** Makes a value of those before it. */
type Step = (values: readonly Value[], a: number, b: number, word: number) => Value
const at = (values: readonly Value[], n: number): Value => values[n % values.length]!
const BINARY = ['f32Add', 'f32Sub', 'f32Mul', 'f32PseudoMax', 'f32PseudoMin'] as const
const STEPS: readonly Step[] = [
  ...BINARY.map(
    (op): Step =>
      (v, a, b) =>
        o.make(op, [at(v, a), at(v, b)]),
  ),
  (v, a, _, word) => o.make('f32PseudoMin', [o.constant(word), o.make('f32PseudoMax', [o.constant(0), at(v, a)])]),
  (v, a) => o.make('flushDenormal', [at(v, a)]),
  (v, a) => o.make('xor', [at(v, a), o.constant(0x80000000)]),
  (v, a) => o.make('i32ToF32', [o.make('and', [at(v, a), o.constant(255)])]),
  (v, a) => o.make('u32ToF32', [at(v, a)]),
  (v, a) => o.make('i32ToF32', [at(v, a)]),
]

test('what is computed lies in the range, and is no NaN where there is one', () => {
  let ranges = 0
  const step = fc.tuple(fc.nat(STEPS.length - 1), fc.nat(), fc.nat(), float)
  fc.assert(
    fc.property(
      fc.array(step, { minLength: 1, maxLength: 8 }),
      fc.array(float, { minLength: 2, maxLength: 2 }),
      (steps, words) => {
        const values = [leaf(0), leaf(1), o.constant(0x3f800000)]
        for (const [n, a, b, word] of steps) values.push(STEPS[n]!(values, a, b, word))
        const result = values.at(-1)!
        const computed = (v: Value): number => {
          if (v.op === 'constant') return v.imm
          if (v.op === 'constantBuffer') return words[v.args[0]!.imm]!
          return foldConstants(v.op, v.args.map(computed))!
        }
        const range = new FloatRanges((v) => o.facts(v)).of(result)
        if (range === undefined) return true
        ranges++
        const value = floatOf(computed(result))
        return value >= range.least && value <= range.greatest
      },
    ),
    { numRuns: 3000 },
  )
  expect(ranges).toBeGreaterThan(300)
})

test('a blend of clamped colors is a number', () => {
  const clamped = (n: number): Value =>
    o.make('f32PseudoMin', [o.constant(0x3f800000), o.make('f32PseudoMax', [o.constant(0), leaf(n)])])
  const [color, alpha] = [clamped(0), clamped(1)]
  const stored = o.make('i32ToF32', [o.make('and', [leaf(2), o.constant(255)])])
  const rest = o.make('f32Sub', [o.constant(0x3f800000), alpha])
  const blend = o.make('f32Add', [o.make('f32Mul', [color, alpha]), o.make('f32Mul', [stored, rest])])
  const ranges = new FloatRanges((v) => o.facts(v))
  expect(ranges.of(blend)).toEqual({ least: 0, greatest: 256 })
  expect(ranges.isNumber(o.make('f32Add', [blend, leaf(0)]))).toBe(false)
  expect(ranges.isNumber(o.make('f32PseudoMax', [leaf(0), o.constant(0)]))).toBe(false)
})
