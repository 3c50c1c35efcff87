import { describe, expect, test } from 'vitest'
import { f32OfBits, floatToSrgb8, SRGB8_TABLES } from './index.ts'

/** A finite positive float32 as `m / 2^e`. */
function fraction(value: number): { readonly m: bigint; readonly e: number } {
  let e = 0
  let v = value
  while (!Number.isInteger(v)) {
    v *= 2
    e++
  }
  return { m: BigInt(v), e }
}

/**
 * Whether the ideal curve of 3.2.3.8 gives a linear value `code` or more, in integers. On the straight part
 * 12.92 v >= (code - 1/2) / 255. On the curve 1.055 v^(1 / 2.4) - 0.055 >= (code - 1/2) / 255, which is
 * v^5 >= (((code - 1/2) / 255 + 0.055) / 1.055)^12, and over one denominator v^5 * 538050^12 >= (1000 (2 code - 1) + 28050)^12.
 */
function reaches(value: number, code: number): boolean {
  const { m, e } = fraction(value)
  const twice = BigInt(2 * code - 1)
  if (10_000_000n * m <= 31_308n << BigInt(e)) return 2n * 255n * 1292n * m >= (100n * twice) << BigInt(e)
  return m ** 5n * 538_050n ** 12n >= ((1000n * twice + 28_050n) ** 12n) << BigInt(5 * e)
}

describe('linear to sRGB', () => {
  test('changes from each code to the next at exactly the float32 where the ideal curve does', () => {
    const wrong: number[] = []
    for (let code = 1; code <= 255; code++) {
      let below = 1
      let from = 0x3f800000
      while (from - below > 1) {
        const middle = (from + below) >> 1
        if (reaches(f32OfBits(middle), code)) from = middle
        else below = middle
      }
      if (floatToSrgb8(f32OfBits(from)) !== code || floatToSrgb8(f32OfBits(below)) !== code - 1) wrong.push(code)
    }
    expect(wrong).toEqual([])
  })

  test('is found in the tables of words in one step at most', () => {
    const { start, least } = SRGB8_TABLES
    const wrong: number[] = []
    for (let i = 0; i < 4096; i++) {
      // The last float32 below the next multiple.
      const last = i === 4095 ? f32OfBits(0x3f7fffff) : Math.fround((i + 1 - 2 ** -12) / 4096)
      for (const value of [i / 4096, last]) {
        const step = value >= f32OfBits(least[start[i]! + 1]!) ? 1 : 0
        if (floatToSrgb8(value) !== start[i]! + step) wrong.push(value)
      }
    }
    expect(wrong).toEqual([])
  })

  test('clamps, and makes NaN 0', () => {
    expect([NaN, -Infinity, -0, 0, 1, 2, Infinity].map(floatToSrgb8)).toEqual([0, 0, 0, 0, 255, 255, 255])
  })
})
