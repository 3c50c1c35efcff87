import { describe, expect, test } from 'vitest'
import { f32OfBits, floatToSrgb8, SRGB8_LEAST_BITS, SRGB8_TABLES } from './index.ts'

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

  test('is found in the table of words, by the sum of one of them and the lower half of the bits', () => {
    const { steps } = SRGB8_TABLES
    const wrong: number[] = []
    steps.forEach((word, i) => {
      const from = SRGB8_LEAST_BITS + i * 0x10000
      const carries = 0x10000 - (word & 0xffff)
      // Where the code changes, on either side of it, and at both ends; and only 1 has the upper half of 1.
      const all = i === steps.length - 1 ? [0] : [0, 1, carries - 1, carries, 0x8000, 0xffff]
      for (const low of all.filter((n) => n < 0x10000)) {
        if ((word + low) >>> 16 !== floatToSrgb8(f32OfBits(from + low))) wrong.push(from + low)
      }
    })
    expect(wrong).toEqual([])
    expect(steps.length).toBe(13 * 128 + 1)
    expect(floatToSrgb8(f32OfBits(SRGB8_LEAST_BITS))).toBe(0)
  })

  test('clamps, and makes NaN 0', () => {
    expect([NaN, -Infinity, -0, 0, 1, 2, Infinity].map(floatToSrgb8)).toEqual([0, 0, 0, 0, 255, 255, 255])
  })
})
