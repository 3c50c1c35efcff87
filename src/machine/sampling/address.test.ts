import { describe, expect, test } from 'vitest'
import type { AddressMode } from '../sampler.ts'
import { applyAddress, BORDER, reduceRange } from './address.ts'
import { fixedFloor, fixedFraction, flush, lerp, log2, meanOf3, runningMean, toFixed } from './arithmetic.ts'

describe('address modes on a texture of 4 texels (7.18.9)', () => {
  const texels = [-9, -8, -5, -4, -2, -1, 0, 3, 4, 5, 7, 8, 12]
  const want: Readonly<Record<AddressMode, readonly number[]>> = {
    wrap: [3, 0, 3, 0, 2, 3, 0, 3, 0, 1, 3, 0, 0],
    mirror: [0, 0, 3, 3, 1, 0, 0, 3, 3, 2, 0, 0, 3],
    clamp: [0, 0, 0, 0, 0, 0, 0, 3, 3, 3, 3, 3, 3],
    mirror_once: [3, 3, 3, 3, 1, 0, 0, 3, 3, 3, 3, 3, 3],
    border: [BORDER, BORDER, BORDER, BORDER, BORDER, BORDER, 0, 3, BORDER, BORDER, BORDER, BORDER, BORDER],
  }
  for (const [mode, expected] of Object.entries(want)) {
    test(mode, () => {
      expect(texels.map((t) => applyAddress(t, 4, mode as AddressMode))).toEqual(expected)
    })
  }
})

describe('range reduction (7.18.6)', () => {
  test('wrap keeps the fraction', () => {
    expect([2.25, -0.25, -3, 0.5].map((u) => reduceRange(u, 'wrap'))).toEqual([0.25, 0.75, 0, 0.5])
  })
  test('mirror keeps the sign and the parity of the tile', () => {
    expect([2.25, -2.25, 3.5, -0.5].map((u) => reduceRange(u, 'mirror'))).toEqual([0.25, -0.25, 1.5, -0.5])
  })
  test('the rest clamps to 10', () => {
    for (const mode of ['clamp', 'border', 'mirror_once'] as const) {
      expect([1e30, -Infinity, 3.5].map((u) => reduceRange(u, mode))).toEqual([10, -10, 3.5])
    }
  })
  test('infinities become NaN under wrap and mirror, and NaN texel 0', () => {
    expect(reduceRange(Infinity, 'wrap')).toBeNaN()
    expect(reduceRange(-Infinity, 'mirror')).toBeNaN()
    expect(toFixed(Number.NaN)).toBe(0)
  })
})

describe('fixed point (3.2.4.1)', () => {
  test('floor and positive fraction, also below zero', () => {
    expect([2.75, -2.75, 0, -0.25].map((x) => [fixedFloor(toFixed(x)), fixedFraction(toFixed(x))])).toEqual([
      [2, 0.75],
      [-3, 0.25],
      [0, 0],
      [-1, 0.75],
    ])
  })
  test('nearest even in units of 2^-12', () => {
    expect([0.5, 1.5, 2.5, -0.5, -1.5].map((x) => toFixed(x / 4096) + 0)).toEqual([0, 2, 2, 0, -2])
  })
  test('saturates', () => {
    expect([Infinity, 1e20, -Infinity].map(toFixed)).toEqual([2147483647, 2147483647, -2147483648])
  })
})

describe('blending', () => {
  test('weight 0 passes the first value untouched, even beside NaN and infinity', () => {
    expect(lerp(1e-40, Number.NaN, 0)).toBe(1e-40)
    expect(lerp(3, Infinity, 0)).toBe(3)
  })
  test('denormals are flushed to zeros of their sign', () => {
    expect(Object.is(flush(-1e-40), -0)).toBe(true)
    expect(lerp(1e-40, 1, 0.5)).toBe(0.5)
    // The product -2^-127 is flushed, so the sum is the first value.
    expect(lerp(2 ** -126, 0, 0.5)).toBe(2 ** -126)
    expect(lerp(0, 2 ** -126, 0.5)).toBe(0)
  })
  test('infinities and overflow blend by weights', () => {
    expect(lerp(Infinity, Infinity, 0.5)).toBe(Infinity)
    expect(lerp(-Infinity, Infinity, 0.5)).toBeNaN()
    const big = Math.fround(3e38)
    expect(lerp(-big, big, 0.5)).toBe(0)
    expect(lerp(-big, big, 0.75)).toBeCloseTo(big / 2, -32)
    expect(meanOf3(Infinity, 1, 2)).toBe(Infinity)
    expect(runningMean(Infinity, Infinity, 2)).toBe(Infinity)
  })
  test('equal values keep their value', () => {
    for (const v of [0.1, 1 / 3, 0.7, 1e-20, -5.3].map(Math.fround)) {
      expect(lerp(v, v, 0.3)).toBe(v)
      expect(meanOf3(v, v, v)).toBe(v)
      let mean = v
      for (let i = 1; i <= 16; i++) mean = runningMean(mean, v, i)
      expect(mean).toBe(v)
    }
  })
})

describe('log2', () => {
  test('is exact for powers of two and rounded elsewhere', () => {
    for (let e = -126; e < 128; e++) expect(log2(2 ** e)).toBe(e)
    for (let x = 0.01; x < 5000; x *= 1.37) {
      const v = Math.fround(x)
      expect(Math.abs(log2(v) - Math.log2(v))).toBeLessThanOrEqual(Math.abs(Math.log2(v)) * 2 ** -23)
    }
  })
  test('specials', () => {
    expect([0, -0, 1e-40, Infinity, -1, Number.NaN].map(log2)).toEqual([
      -Infinity,
      -Infinity,
      -Infinity,
      Infinity,
      Number.NaN,
      Number.NaN,
    ])
  })
})
