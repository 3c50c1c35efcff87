import { describe, expect, test } from 'vitest'
import { differences } from '../../../test/support/differences.ts'
import { componentValue, floatOf, wordOf } from '../../../test/support/exact-formats.ts'
import { randomFrom, SPECIAL } from '../../../test/support/random-targets.ts'
import { numberOps } from '../../engine/reference/number-ops.ts'
import type { FormatComponent } from '../../isa/formats/index.ts'
import { createElement } from './element.ts'
import { fastCodeWord, fastComponentCode, fastUnorm, fastUnormWord } from './fast-codes.ts'

// What functional specification 3.2.3 asks of any conversion: codes within 0.6 of the ideal, never falling, and what was read is
// stored as it was.

const OPS = numberOps({ denormals: 'keep' })

const COMPONENTS = [
  ['unorm', 1],
  ['unorm', 2],
  ['unorm', 4],
  ['unorm', 5],
  ['unorm', 6],
  ['unorm', 8],
  ['unorm', 10],
  ['unorm', 16],
  ['snorm', 8],
  ['snorm', 16],
] as const

const componentOf = (encoding: 'unorm' | 'snorm', bitCount: number): FormatComponent => ({
  name: 'r',
  bitOffset: 0,
  bitCount,
  encoding,
})

/** The code that a value would have if codes had fractions. */
function idealCode({ encoding, bitCount }: FormatComponent, value: number): number {
  if (Number.isNaN(value)) return 0
  const limited = Math.min(1, Math.max(encoding === 'snorm' ? -1 : 0, value))
  if (encoding === 'snorm') return limited * (2 ** (bitCount - 1) - 1)
  return limited * (2 ** bitCount - 1)
}

const signed = ({ encoding, bitCount }: FormatComponent, code: number): number =>
  encoding === 'snorm' && code >= 2 ** (bitCount - 1) ? code - 2 ** bitCount : code

function codesOf(component: FormatComponent) {
  const element = createElement()
  const code = fastComponentCode(component)!
  const field = { component: 0, word: 0, shift: 0, bitCount: component.bitCount, source: component }
  return {
    number(value: number): number {
      element.floats[0] = value
      return code(element, 0)
    },
    word: (value: number): number => fastCodeWord(OPS, field, wordOf(value) >>> 0)! >>> 0,
  }
}

describe('codes of the precision fast', () => {
  test.each(COMPONENTS)('of %s %i are within 0.6 of the ideal, and never fall', (encoding, bitCount) => {
    const component = componentOf(encoding, bitCount)
    const { number, word } = codesOf(component)
    const random = randomFrom(bitCount)
    const drawn = Array.from({ length: 20_000 }, () => Math.fround(random() * 2.2 - 1.1))
    const small = Array.from({ length: 5000 }, () => Math.fround(random() * 0.01))
    const { check, list } = differences()
    let [last, at] = [Number.NEGATIVE_INFINITY, Number.NaN]
    for (const value of [...SPECIAL, ...drawn, ...small].map(Math.fround).sort((a, b) => a - b)) {
      const code = number(value)
      check(word(value), code, () => `${value} as words`)
      const found = signed(component, code)
      check(Math.abs(found - idealCode(component, value)) <= 0.6, true, () => `${value} gave ${found}`)
      if (Number.isNaN(value)) continue
      check(found >= last, true, () => `${value} gave ${found}, ${at} gave ${last}`)
      ;[last, at] = [found, value]
    }
    expect(list).toEqual([])
  })

  test.each(COMPONENTS)('of every value of %s %i are the code that it has', (encoding, bitCount) => {
    const component = componentOf(encoding, bitCount)
    const { number } = codesOf(component)
    const wrong: number[] = []
    for (let code = 0; code < 2 ** bitCount; code++) {
      // The lowest code of SNORM has the value of the one above it.
      const wanted = encoding === 'snorm' && code === 2 ** (bitCount - 1) ? code + 1 : code
      if (number(Math.fround(componentValue(component, code))) !== wanted) wrong.push(code)
    }
    expect(wrong).toEqual([])
  })

  test.each([1, 2, 4, 5, 6, 8, 10, 16])('of %i bits become numbers within one unit of the last place', (bitCount) => {
    const component = componentOf('unorm', bitCount)
    const { number } = codesOf(component)
    const { check, list } = differences()
    for (let code = 0; code < 2 ** bitCount; code++) {
      const exact = Math.fround(code / (2 ** bitCount - 1))
      const value = floatOf(fastUnormWord(OPS, code, bitCount))
      check(fastUnorm(exact, bitCount), value, () => `${code} as a number`)
      check(Math.abs(wordOf(value) - wordOf(exact)) <= 1, true, () => `${code} gave ${value}`)
      check(number(value), code, () => `${code} there and back`)
    }
    expect(list).toEqual([])
    expect(floatOf(fastUnormWord(OPS, 2 ** bitCount - 1, bitCount))).toBe(1)
  })
})
