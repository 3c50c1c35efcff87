import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseProgram } from '../index.ts'
import { floatText } from '../text/numbers.ts'
import { likelyNumber } from './likely-float.ts'

/** Bits of the literal that a text of six decimals is read as. */
function bitsOf(text: string): number | undefined {
  const { value } = parseProgram(`vs_5_0\ndcl_temps 1\nmul r0.x, r0.x, l(${text})\nret\n`)
  const statement = value?.statements[1]
  return statement?.kind === 'instruction' ? statement.operands[2]?.values[0] : undefined
}

describe('numbers that were printed with six decimals', () => {
  it.each([
    ['0.333333', 0x3eaaaaab, '1 / 3'],
    ['-0.666667', 0xbf2aaaab, '-2 / 3'],
    ['0.066667', 0x3d888889, '1 / 15'],
    ['0.003922', 0x3b808081, '1 / 255'],
    ['0.000978', 0x3a802008, '1 / 1023'],
    ['0.000015', 0x37800080, '1 / 65535'],
    ['0.007813', 0x3c000000, '1 / 128, a half printed upwards'],
    ['0.007812', 0x3c000000, '1 / 128, a half printed to even'],
    ['0.835938', 0x3f560000, '107 / 128'],
    ['3.141593', 0x40490fdb, 'pi'],
    ['0.017453', 0x3c8efa35, 'pi / 180'],
    ['0.318310', 0x3ea2f983, '1 / pi'],
    ['0.693147', 0x3f317218, 'ln 2'],
    ['1.570729', 0x3fc90da4, 'of acos'],
    ['1.929687', 0x3ff6fffc, 'the decimal: 247 / 128 prints as 1.929688 by either rule for halves'],
    ['7.523810', 0x40f0c30d, 'the decimal: the float nearest to 158 / 21 prints as 7.523809'],
  ])('%s is 0x%s: %s', (text, bits) => {
    expect(bitsOf(text)).toBe(bits)
  })

  it('are the decimal where nothing says more', () => {
    // The floats nearest to the decimals.
    expect(bitsOf('0.123457')).toBe(0x3dfcd706)
    expect(bitsOf('0.002500')).toBe(0x3b23d70a)
    expect(bitsOf('0.500000')).toBe(0x3f000000)
  })

  it('print as the text that they are read from, and are few of all texts', () => {
    let found = 0
    const count = 3000
    fc.assert(
      fc.property(fc.noBias(fc.integer({ min: 1, max: 7_999_999 })), (millionths) => {
        const likely = likelyNumber(millionths)
        if (likely === undefined) return
        found++
        const text = (millionths / 1e6).toFixed(6)
        const bits = new Uint32Array(Float32Array.of(likely).buffer)[0]!
        const texts = (['away', 'even'] as const).map((ties) =>
          floatText(bits, { digits: 'exact', ties, negativeNan: 'indefinite' }),
        )
        expect(texts).toContain(text)
      }),
      { numRuns: count },
    )
    expect(found / count).toBeLessThan(0.01)
  })
})
