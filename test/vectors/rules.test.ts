import { describe, expect, it } from 'vitest'
import { numberOps } from '../../src/engine/reference/number-ops.ts'
import { applyModifier, type ComponentType, rowOfMnemonic, saturate, type ValueOps } from '../../src/isa/index.ts'
import { amount } from '../support/amount.ts'
import {
  DENORMAL,
  HALF,
  INFINITY,
  INT_MAX,
  INT_MIN,
  LARGEST_DENORMAL,
  MINUS_DENORMAL,
  MINUS_INFINITY,
  MINUS_ONE,
  MINUS_ZERO,
  NAN,
  ONE,
  PAYLOAD_NAN,
  SIGNALING_NAN,
  SMALLEST_NORMAL,
  TWO,
} from './vector.ts'

const ops = numberOps({ denormals: 'flush' })
const keeping = numberOps({ denormals: 'keep' })
const fused = numberOps({ denormals: 'flush', fma: true })

function run(o: ValueOps<number>, mnemonic: string, ...sources: readonly number[]): number[] {
  const row = rowOfMnemonic(mnemonic)!
  if (row.traits.kind !== 'alu') throw new Error(mnemonic)
  return row.traits
    .semantics(
      o,
      sources.map((s) => s | 0),
    )
    .map((r) => r >>> 0)
}

describe('source modifiers (22.18)', () => {
  const NEG = 1
  const ABS = 2
  const ABSNEG = 3
  const cases: readonly (readonly [ComponentType, modifier: number, word: number, expected: number])[] = [
    ['f32', 0, MINUS_ONE, MINUS_ONE],
    ['f32', NEG, ONE, MINUS_ONE],
    ['f32', NEG, MINUS_ZERO, 0],
    ['f32', ABS, MINUS_ONE, ONE],
    ['f32', ABS, MINUS_INFINITY, INFINITY],
    ['f32', ABSNEG, ONE, MINUS_ONE],
    ['f32', ABSNEG, MINUS_ONE, MINUS_ONE],
    ['f32', NEG, DENORMAL, MINUS_DENORMAL],
    ['f32', ABS, PAYLOAD_NAN, PAYLOAD_NAN & 0x7fffffff],
    ['f32', NEG, SIGNALING_NAN, 0xff800001],
    ['bits', NEG, ONE, MINUS_ONE],
    ['bits', ABS, MINUS_DENORMAL, DENORMAL],
    ['i32', NEG, 5, 0xfffffffb],
    ['i32', NEG, INT_MIN, INT_MIN],
    ['i32', NEG, INT_MAX, 0x80000001],
    ['u32', NEG, 1, 0xffffffff],
    ['i32', 0, 5, 5],
    // The high word of a double.
    ['f64', NEG, 0x3ff00000, 0xbff00000],
    ['f64', ABS, 0xfff00000, 0x7ff00000],
    ['f64', ABSNEG, 0x00000001, 0x80000001],
    // A 16-bit float in the low half.
    ['f16', NEG, 0x3c00, 0xbc00],
    ['f16', ABS, 0xfc00, 0x7c00],
    ['f16', ABSNEG, 0x0001, 0x8001],
  ]
  it.each(cases)('%s, modifier %i of %i', (type, modifier, word, expected) => {
    expect(applyModifier(ops, type, modifier, word | 0) >>> 0).toBe(expected >>> 0)
  })

  it('ignores bits of the modifier field that mean nothing', () => {
    expect(applyModifier(ops, 'f32', 0xfd, ONE)).toBe(MINUS_ONE | 0)
    expect(applyModifier(ops, 'f32', 0xfc, ONE)).toBe(ONE)
  })

  it('reaches the instruction: f16tof32 of a negated source', () => {
    expect(run(ops, 'f16tof32', applyModifier(ops, 'f16', NEG, 0x3c00))).toEqual([MINUS_ONE])
  })
})

describe('_sat (22.19.1)', () => {
  const cases: readonly (readonly [word: number, expected: number])[] = [
    [NAN, 0],
    [PAYLOAD_NAN, 0],
    [MINUS_INFINITY, 0],
    [MINUS_ONE, 0],
    [MINUS_DENORMAL, 0],
    [MINUS_ZERO, 0],
    [0, 0],
    [DENORMAL, 0],
    [LARGEST_DENORMAL, 0],
    [SMALLEST_NORMAL, SMALLEST_NORMAL],
    [HALF, HALF],
    [0x3f7fffff, 0x3f7fffff],
    [ONE, ONE],
    [0x3f800001, ONE],
    [TWO, ONE],
    [INFINITY, ONE],
  ]
  it.each(cases)('float %i', (word, expected) => {
    expect(saturate(ops, 'f32', [word | 0])).toEqual([expected])
    expect(saturate(ops, 'bits', [word | 0])).toEqual([expected])
  })

  const doubles: readonly (readonly [low: number, high: number, expectedLow: number, expectedHigh: number])[] = [
    [0, 0x7ff80000, 0, 0],
    [1, 0x7ff00000, 0, 0],
    [0, 0xfff00000, 0, 0],
    [7, 0xbff00000, 0, 0],
    [0, 0x80000000, 0, 0],
    [1, 0x80000000, 0, 0],
    [1, 0, 1, 0],
    [0x12345678, 0x3fe00000, 0x12345678, 0x3fe00000],
    [0xffffffff, 0x3fefffff, 0xffffffff, 0x3fefffff],
    [0, 0x3ff00000, 0, 0x3ff00000],
    [1, 0x3ff00000, 0, 0x3ff00000],
    [0, 0x7ff00000, 0, 0x3ff00000],
  ]
  it.each(doubles)('double %i %i', (low, high, expectedLow, expectedHigh) => {
    expect(saturate(ops, 'f64', [low | 0, high | 0])).toEqual([expectedLow | 0, expectedHigh])
  })

  it('leaves results alone that are no floats', () => {
    expect(saturate(ops, 'i32', [-5])).toEqual([-5])
    expect(saturate(ops, 'u32', [5])).toEqual([5])
  })
})

describe('engines that keep denormals', () => {
  it('keep them in arithmetic, comparisons and conversions', () => {
    expect(run(keeping, 'add', DENORMAL, DENORMAL)).toEqual([2])
    expect(run(keeping, 'mul', SMALLEST_NORMAL, HALF)).toEqual([0x00400000])
    expect(run(keeping, 'lt', 0, DENORMAL)).toEqual([0xffffffff])
    expect(run(keeping, 'max', DENORMAL, MINUS_DENORMAL)).toEqual([DENORMAL])
    expect(run(keeping, 'round_pi', DENORMAL)).toEqual([ONE])
    expect(run(keeping, 'ftod', DENORMAL)).toEqual([0, 0x36a00000])
    expect(run(keeping, 'dtof', 0, 0x36a00000)).toEqual([DENORMAL])
  })

  it('take them for zeros in exp and log', () => {
    expect(run(keeping, 'log', DENORMAL)).toEqual([MINUS_INFINITY])
    expect(run(keeping, 'exp', 0xc2fe0000)).toEqual([0])
  })
})

describe('engines that fuse', () => {
  it('round mad once, others twice', () => {
    const sources = [0x3f800001, 0x3f800001, 0xbf800002]
    expect(run(fused, 'mad', ...sources)).toEqual([0x28800000])
    expect(run(ops, 'mad', ...sources)).toEqual([0])
  })

  it('let a finite product pass the range', () => {
    expect(run(fused, 'mad', 0x7f7fffff, TWO, 0xff7fffff)).toEqual([0x7f7fffff])
    expect(run(fused, 'mad', 0x7f7fffff, TWO, MINUS_INFINITY)).toEqual([MINUS_INFINITY])
    expect(run(ops, 'mad', 0x7f7fffff, TWO, MINUS_INFINITY)).toEqual([NAN])
  })
})

describe('f16tof32 and f32tof16 (22.13, 3.2.2)', () => {
  /** The value of a float16 by 3.1.5. */
  function halfValue(h: number): number {
    const sign = h >= 0x8000 ? -1 : 1
    const exponent = (h >> 10) & 31
    const fraction = h & 0x3ff
    if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
    return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
  }

  const floatValue = (word: number): number => new Float32Array(new Uint32Array([word]).buffer)[0]!

  it('give every code its value, and back', () => {
    for (let h = 0; h < 0x10000; h += amount(7, 1)) {
      const word = run(ops, 'f16tof32', h)[0]!
      expect(Object.is(floatValue(word), halfValue(h)), `f16tof32 ${h}`).toBe(true)
      if (!Number.isNaN(halfValue(h))) expect(run(ops, 'f32tof16', word)).toEqual([h])
    }
  })

  it('round towards zero between neighbors', () => {
    for (let h = 0; h < 0x7bff; h += 7) {
      const above = new Uint32Array(new Float32Array([halfValue(h + 1)]).buffer)[0]!
      expect(run(ops, 'f32tof16', above - 1)).toEqual([h])
      expect(run(ops, 'f32tof16', (above - 1) | 0x80000000)).toEqual([h | 0x8000])
    }
  })
})
