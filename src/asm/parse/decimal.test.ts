import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DEFAULT_FLOAT_TEXT, doubleText, floatOfBits, floatText } from '../text/numbers.ts'
import { bitsOfFloat, isSharedDoubleText, isSharedFloatText, nearestFloat } from './decimal.ts'

const float = (text: string): number => bitsOfFloat(nearestFloat(Number(text), () => text))

/** The neighbors of a positive finite float. */
const neighbors = (bits: number): readonly number[] => [bits - 1, bits + 1].map(floatOfBits)

describe('nearestFloat', () => {
  it('rounds once where rounding to a double first would go wrong', () => {
    // 1 + 2^-24 lies between 1 and 1 + 2^-23 and goes to even; a digit far behind decides otherwise.
    const tie = '1.000000059604644775390625'
    expect(float(tie)).toBe(0x3f800000)
    expect(float(`${tie}0000000000000000000000001`)).toBe(0x3f800001)
    expect(float('1.0000000596046447753906249999999999999999999')).toBe(0x3f800000)
    expect(float('16777217')).toBe(0x4b800000)
    expect(float('16777217.0000000000000000000000001')).toBe(0x4b800001)
    expect(float('16777219')).toBe(0x4b800002)
  })

  it('reaches denormals and the largest float', () => {
    expect(float('1.401298464324817e-45')).toBe(1)
    expect(float('0.7006492321624086e-45')).toBe(1)
    expect(float('340282346638528859811704183484516925440')).toBe(0x7f7fffff)
    expect(float('1e39')).toBe(0x7f800000)
  })

  it('takes the nearest of three neighbors for any decimal', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 0x7f000000 }), fc.integer({ min: 1, max: 17 }), (bits, digits) => {
        const text = floatOfBits(bits).toPrecision(digits)
        const near = floatOfBits(float(text))
        const distance = (f: number): number => Math.abs(f - Number(text))
        for (const other of neighbors(bitsOfFloat(near))) {
          if (Number.isFinite(other)) expect(distance(near)).toBeLessThanOrEqual(distance(other))
        }
      }),
    )
  })
})

describe('isSharedFloatText', () => {
  it('says for every six-decimal text whether another float prints alike', () => {
    const anyFloat = fc.oneof(
      fc.integer({ min: 1, max: 0x7f000000 }),
      // Around 8 to 16, where both answers occur.
      fc.integer({ min: bitsOfFloat(7.9), max: bitsOfFloat(16.1) }),
    )
    fc.assert(
      fc.property(anyFloat, (bits) => {
        const text = floatText(bits, DEFAULT_FLOAT_TEXT)
        const near = float(text)
        const shared = isSharedFloatText(floatOfBits(near), Math.round(Number(text) * 1e6))
        const prints = [near - 1, near + 1].map((b) => floatText(b, DEFAULT_FLOAT_TEXT))
        // Two floats may print alike and the text lie between them as a tie: then it is shared too, so only one way holds.
        if (prints.includes(text)) expect(shared, text).toBe(true)
        if (!shared) expect(near, text).toBe(bits)
      }),
      { numRuns: 2000 },
    )
  })

  it('finds texts that stand for one float from 8 on, and for several below', () => {
    expect(isSharedFloatText(8, 8_000_000)).toBe(true)
    expect(isSharedFloatText(9.5, 9_500_000)).toBe(false)
    expect(isSharedFloatText(16, 16_000_000)).toBe(false)
    expect(isSharedFloatText(1, 1_000_000)).toBe(true)
  })
})

describe('isSharedDoubleText', () => {
  it('never calls a text unique that two doubles print as', () => {
    const words = new Uint32Array(2)
    const double = new Float64Array(words.buffer)
    const near = fc.double({ min: 2 ** 31, max: 2 ** 34, noNaN: true })
    fc.assert(
      fc.property(near, fc.integer({ min: -1, max: 1 }), (value, step) => {
        double[0] = value
        const [low, high] = [words[0]!, words[1]!]
        const text = doubleText(low, high, DEFAULT_FLOAT_TEXT)
        if (low === 0 || low === 0xffffffff || step === 0) return
        if (doubleText(low + step, high, DEFAULT_FLOAT_TEXT) === text) {
          expect(isSharedDoubleText(Number(text), text)).toBe(true)
        }
        if (!isSharedDoubleText(Number(text), text)) expect(Number(text)).toBe(value)
      }),
      { numRuns: 1000 },
    )
  })
})
