import { expect, it } from 'vitest'
import type { Region, Value } from '../ir/index.ts'
import { Builder } from '../ir/index.ts'
import { Uses } from './uses.ts'

const STEP = { keepDenormals: true, fused: false, threads: [1, 1, 1] as const }

/** Whether the bits of a NaN matter in a float32 sum whose users `use` makes; what that answers is stored. */
function needsNan(use: (o: Builder, v: Value) => Value): boolean {
  const o = new Builder(STEP)
  const v = o.f32Add(o.make('input', [], 0), o.make('input', [], 1))
  const stored = use(o, v)
  const address = {
    space: { kind: 'batch', part: 'outputs', byteOffset: 0, everyLane: true, readableWords: 1 },
    index: undefined,
    offset: o.constant(0),
    stride: 0,
    valid: o.constant(0xffffffff),
  } as const
  o.push({ kind: 'store', statement: 0, address, values: [stored] })
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
  // Another use sees them.
  expect(needsNan((o, v) => o.xor(o.make('f32PseudoMax', [o.constant(0), v]), v))).toBe(true)
})
