import { expect, it } from 'vitest'
import type { Region, Value } from '../ir/index.ts'
import { Builder } from '../ir/index.ts'
import { Uses } from './uses.ts'

const STEP = { keepDenormals: true, fused: false, threads: [1, 1, 1] as const }

const addressIn = (o: Builder) =>
  ({
    space: { kind: 'batch', part: 'outputs', byteOffset: 0, everyLane: true, readableWords: 1 },
    index: undefined,
    offset: o.constant(0),
    stride: 0,
    valid: o.constant(0xffffffff),
  }) as const

/** Whether the bits of a NaN matter in a float32 sum whose users `use` makes; what that answers is stored. */
function needsNan(use: (o: Builder, v: Value) => Value): boolean {
  const o = new Builder(STEP)
  const v = o.f32Add(o.make('input', [], 0), o.make('input', [], 1))
  const stored = use(o, v)
  o.push({ kind: 'store', statement: 0, address: addressIn(o), values: [stored] })
  return new Uses(o.root satisfies Region).needsCanonicalNan(v)
}

it('sees the bits of a NaN in the operand of an extreme that a comparison with it leaves', () => {
  expect(needsNan((_, v) => v)).toBe(true)
  for (const op of ['f32PseudoMax', 'f32PseudoMin'] as const) {
    expect(
      needsNan((o, v) => o.make(op, [v, o.constant(0)])),
      op,
    ).toBe(true)
    expect(
      needsNan((o, v) => o.make(op, [o.constant(0), v])),
      op,
    ).toBe(false)
  }
  // The definitions that are recognized as these.
  const zero = 0
  expect(needsNan((o, v) => o.select(o.f32Less(o.constant(zero), v), v, o.constant(zero)))).toBe(false)
  expect(needsNan((o, v) => o.select(o.f32Less(v, o.constant(zero)), o.constant(zero), v))).toBe(true)
  // The greater or less of a number and any word is no NaN, and nor is its sum with a constant; that of a NaN and a word may be one.
  for (const op of ['f32PseudoMax', 'f32PseudoMin'] as const) {
    const sum = (first: 'number' | 'nan') => {
      const o = new Builder(STEP)
      const bound = o.constant(first === 'number' ? 0x3f800000 : 0x7fc00000)
      const v = o.f32Add(o.make(op, [bound, o.make('input', [], 0)]), o.constant(0x45400000))
      o.push({ kind: 'store', statement: 0, address: addressIn(o), values: [o.i32Add(v, o.constant(1))] })
      return new Uses(o.root).needsCanonicalNan(v)
    }
    expect([sum('number'), sum('nan')]).toEqual([false, true])
  }
  // Another use sees them.
  expect(needsNan((o, v) => o.xor(o.make('f32PseudoMax', [o.constant(0), v]), v))).toBe(true)
})
