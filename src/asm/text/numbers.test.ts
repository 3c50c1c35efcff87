import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  autoText,
  DEFAULT_FLOAT_TEXT,
  doubleText,
  floatText,
  generalText,
  hexText,
  integerText,
  literalTexts,
} from './numbers.ts'

const f32 = new Float32Array(1)
const f64 = new Float64Array(1)
const bitsOf = (value: number): number => {
  f32[0] = value
  return new Uint32Array(f32.buffer)[0]!
}
const wordsOf = (value: number): [number, number] => {
  f64[0] = value
  const words = new Uint32Array(f64.buffer)
  return [words[0]!, words[1]!]
}
const asFloat = (value: number, text = DEFAULT_FLOAT_TEXT): string => floatText(bitsOf(value), text)
const asDouble = (value: number, text = DEFAULT_FLOAT_TEXT): string => doubleText(...wordsOf(value), text)

/** `%f` by integers alone: value = mantissa * 2^exponent, rounded to millionths with ties away from zero or to even. */
function exactText(value: number, ties: 'away' | 'even'): string {
  const [low, high] = wordsOf(Math.abs(value))
  const field = high >>> 20
  const mantissa = (BigInt(high & 0xfffff) << 32n) | BigInt(low) | (field === 0 ? 0n : 1n << 52n)
  const shift = BigInt(Math.max(field, 1) - 1075)
  const scaled = mantissa * 1_000_000n
  let millionths = shift >= 0n ? scaled << shift : scaled >> -shift
  if (shift < 0n) {
    const rest = scaled - (millionths << -shift)
    const half = 1n << (-shift - 1n)
    if (rest > half || (rest === half && (ties === 'away' || millionths % 2n === 1n))) millionths += 1n
  }
  const sign = value < 0 || Object.is(value, -0) ? '-' : ''
  return `${sign}${millionths / 1_000_000n}.${String(millionths % 1_000_000n).padStart(6, '0')}`
}

describe('floatText', () => {
  it('prints as C does with six decimals', () => {
    expect(asFloat(1)).toBe('1.000000')
    expect(asFloat(-0)).toBe('-0.000000')
    expect(asFloat(0.1)).toBe('0.100000')
    expect(asFloat(16777216)).toBe('16777216.000000')
    expect(asFloat(-1e-9)).toBe('-0.000000')
    expect(asFloat(3.4028234663852886e38)).toBe('340282346638528859811704183484516925440.000000')
  })

  it('rounds exact halves as asked', () => {
    const even = { ...DEFAULT_FLOAT_TEXT, ties: 'even' } as const
    expect(asFloat(0.0078125)).toBe('0.007813')
    expect(asFloat(-0.0078125)).toBe('-0.007813')
    expect(asFloat(0.0078125, even)).toBe('0.007812')
    expect(asFloat(0.0234375, even)).toBe('0.023438')
    expect(asDouble(0.0078125, even)).toBe('0.007812')
    expect(asDouble(0.0234375, even)).toBe('0.023438')
  })

  it('prints huge values with 17 digits where asked', () => {
    const old = { ...DEFAULT_FLOAT_TEXT, digits: '17' } as const
    expect(asFloat(3.4028234663852886e38, old)).toBe('340282346638528860000000000000000000000.000000')
    expect(asFloat(2 ** 53, old)).toBe('9007199254740992.000000')
    expect(asFloat(2 ** 70, old)).toBe('1180591620717411300000.000000')
  })

  it('names infinities and NaN as the old Microsoft runtimes do', () => {
    const byPayload = { ...DEFAULT_FLOAT_TEXT, negativeNan: 'by-payload' } as const
    expect(floatText(0x7f800000, DEFAULT_FLOAT_TEXT)).toBe('1.#INF00')
    expect(floatText(0xff800000, DEFAULT_FLOAT_TEXT)).toBe('-1.#INF00')
    expect(floatText(0x7fc00000, DEFAULT_FLOAT_TEXT)).toBe('1.#QNAN0')
    expect(floatText(0xffc00001, DEFAULT_FLOAT_TEXT)).toBe('-1.#IND00')
    expect(floatText(0xffc00001, byPayload)).toBe('-1.#QNAN0')
    expect(floatText(0xffc00000, byPayload)).toBe('-1.#IND00')
    expect(doubleText(1, 0xfff80000, byPayload)).toBe('-1.#QNAN0')
    expect(doubleText(0, 0xfff80000, byPayload)).toBe('-1.#IND00')
  })

  it('is exact for every float and double, both ways of rounding', () => {
    const numbers = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.double({ noNaN: true, min: -100, max: 100 }),
      fc.tuple(fc.integer({ min: -4095, max: 4095 }), fc.integer({ min: 0, max: 12 })).map(([n, e]) => n / 2 ** e),
    )
    fc.assert(
      fc.property(numbers, fc.constantFrom('away' as const, 'even' as const), (value, ties) => {
        const text = { ...DEFAULT_FLOAT_TEXT, ties }
        expect(asDouble(value, text)).toBe(exactText(value, ties))
        if (Math.abs(value) < 3.4e38) expect(asFloat(value, text)).toBe(exactText(Math.fround(value), ties))
      }),
      { numRuns: 3000 },
    )
  })
})

describe('generalText', () => {
  it('has six significant digits and exponents of three', () => {
    const cases: readonly (readonly [number, string])[] = [
      [0, '0'],
      [-0, '-0'],
      [1048576, '1.04858e+006'],
      [100000, '100000'],
      [999999.5, '1e+006'],
      [0.0001, '0.0001'],
      [0.00001, '1e-005'],
      [8.148733172674838e-7, '8.14873e-007'],
      [-0.11122231185436249, '-0.111222'],
      [Number.POSITIVE_INFINITY, '1.#INF'],
    ]
    for (const [value, text] of cases) expect(generalText(value)).toBe(text)
  })
})

describe('dwords', () => {
  it('are small integers in decimal and others in hexadecimal', () => {
    expect(integerText(10000)).toBe('10000')
    expect(integerText(10001)).toBe('0x00002711')
    expect(integerText(0xffffd8f0)).toBe('-10000')
    expect(integerText(0xffffd8ef)).toBe('0xffffd8ef')
    expect(hexText(0xdeadbeef)).toBe('0xdeadbeef')
  })

  it('of unknown type print as what they look like', () => {
    expect(autoText(0x3f800000, DEFAULT_FLOAT_TEXT)).toBe('1.000000')
    expect(autoText(0x80000000, DEFAULT_FLOAT_TEXT)).toBe('-0.000000')
    expect(autoText(0x80000001, DEFAULT_FLOAT_TEXT)).toBe('0x80000001')
    expect(autoText(0x007fffff, DEFAULT_FLOAT_TEXT)).toBe('0x007fffff')
    expect(autoText(0x7f800000, DEFAULT_FLOAT_TEXT)).toBe('0x7f800000')
    expect(autoText(5, DEFAULT_FLOAT_TEXT)).toBe('5')
  })

  it('print the same whether remembered or not', () => {
    const texts = literalTexts(DEFAULT_FLOAT_TEXT, false)
    fc.assert(
      fc.property(fc.array(fc.nat(0xffffffff), { maxLength: 40 }), (dwords) => {
        for (const d of [...dwords, ...dwords]) {
          expect(texts.float(d)).toBe(floatText(d, DEFAULT_FLOAT_TEXT))
          expect(texts.auto(d)).toBe(autoText(d, DEFAULT_FLOAT_TEXT))
          expect(texts.integer(d)).toBe(integerText(d))
        }
      }),
    )
  })
})
