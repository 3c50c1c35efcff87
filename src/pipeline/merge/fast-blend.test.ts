import { describe, expect, test } from 'vitest'
import { differences } from '../../../test/support/differences.ts'
import { wordOf } from '../../../test/support/exact-formats.ts'
import { randomFrom, SPECIAL } from '../../../test/support/random-targets.ts'
import { numberOps } from '../../engine/reference/number-ops.ts'
import type { TargetBlend } from '../state.ts'
import type { BlendRegisters } from './blend-numbers.ts'
import { createElement, type FormatField } from './element.ts'
import { blendsInCodes, codeSums, codeSumWord } from './fast-blend.ts'
import { wholeWord } from './fast-codes.ts'

// Sums in units of a code against real numbers: within the 0.6 of a code that functional specification 3.2.3 allows.

const OPS = numberOps({ denormals: 'keep' })

const BASE: TargetBlend = {
  blendEnable: true,
  logicOpEnable: false,
  srcBlend: 'SRC_ALPHA',
  destBlend: 'INV_SRC_ALPHA',
  blendOp: 'ADD',
  srcBlendAlpha: 'ONE',
  destBlendAlpha: 'INV_SRC_ALPHA',
  blendOpAlpha: 'ADD',
  logicOp: 'NOOP',
  renderTargetWriteMask: 15,
}

const fieldOf = (component: number, bitCount: number): FormatField => ({
  component,
  word: 0,
  shift: 0,
  bitCount,
  source: { name: (['r', 'g', 'b', 'a'] as const)[component]!, bitOffset: 0, bitCount, encoding: 'unorm' },
})

type Numbers = readonly number[]

/** Red and alpha of a state, as real numbers between 0 and 1: what the equation of 17.5 gives. */
const CASES: readonly [string, Partial<TargetBlend>, number, (s: Numbers, d: Numbers, factor: Numbers) => number][] = [
  ['over', {}, 0, (s, d) => s[0]! * s[3]! + d[0]! * (1 - s[3]!)],
  ['alpha of over', {}, 3, (s, d) => s[3]! + d[3]! * (1 - s[3]!)],
  ['a product', { srcBlend: 'DEST_COLOR', destBlend: 'ZERO' }, 0, (s, d) => s[0]! * d[0]!],
  ['a screen', { srcBlend: 'ONE', destBlend: 'INV_SRC_COLOR' }, 0, (s, d) => s[0]! + d[0]! * (1 - s[0]!)],
  ['under', { srcBlend: 'INV_DEST_COLOR', destBlend: 'ONE' }, 0, (s, d) => s[0]! * (1 - d[0]!) + d[0]!],
  [
    'a mix',
    { srcBlend: 'BLEND_FACTOR', destBlend: 'INV_BLEND_FACTOR' },
    0,
    (s, d, f) => s[0]! * f[0]! + d[0]! * (1 - f[0]!),
  ],
  [
    'by what is there',
    { srcBlend: 'INV_DEST_ALPHA', destBlend: 'DEST_ALPHA' },
    0,
    (s, d) => s[0]! * (1 - d[3]!) + d[0]! * d[3]!,
  ],
  ['nothing', { srcBlend: 'ZERO', destBlend: 'ZERO' }, 0, () => 0],
  ['what is there', { srcBlend: 'ZERO', destBlend: 'ONE' }, 0, (_, d) => d[0]!],
  ['what comes', { srcBlend: 'ONE', destBlend: 'ZERO' }, 0, (s) => s[0]!],
]

const clamped = (value: number): number => (value > 0 ? Math.min(value, 1) : 0)

describe('sums in units of a code', () => {
  test.each(CASES)('%s: words and numbers are the same, within 0.6 of a code', (_, state, component, idealOf) => {
    const random = randomFrom(component + 11)
    const blend = { ...BASE, ...state }
    const { check, list } = differences()
    for (const bitCount of [2, 8, 10, 16]) {
      const [field, greatest] = [fieldOf(component, bitCount), 2 ** bitCount - 1]
      expect(blendsInCodes(field, blend)).toBe(true)
      const sums = codeSums(blend, [field])
      for (let i = 0; i < 4000; i++) {
        const one = (): number =>
          Math.fround(i < 200 ? SPECIAL[Math.floor(random() * SPECIAL.length)]! : random() * 1.2 - 0.1)
        const given = [0, 1, 2, 3].map(one)
        const factor = [0, 1, 2, 3].map(() => Math.fround(random()))
        const codes = [0, 1, 2, 3].map(() => Math.floor(random() * (greatest + 1)))
        const there = codes.map((code) => Math.fround(code / greatest))
        const ideal =
          idealOf(
            given.map(clamped),
            codes.map((c) => c / greatest),
            factor,
          ) * greatest
        const words = (numbers: Numbers): number[] => numbers.map((n) => wordOf(n) >>> 0)
        const inputs = {
          source: words(given),
          source1: words(given),
          destination: words(there),
          blendFactor: words(factor),
        }
        const { sum, isChange } = codeSumWord(OPS, blend, field, inputs, codes[component]!)
        const elements = [given.map(clamped), there, factor].map((floats) => {
          const element = createElement()
          element.floats.set(floats)
          return element
        })
        const [source, destination, blendFactor] = elements as [
          BlendRegisters['source'],
          BlendRegisters['source'],
          BlendRegisters['source'],
        ]
        const registers: BlendRegisters = { source, source1: source, destination, blendFactor, result: createElement() }
        sums(registers)
        const about = (): string => `${bitCount} bits, ${given} over codes ${codes} by ${factor}`
        const code = (sum + (isChange ? codes[component]! : 0)) & greatest
        const ofNumbers = wholeWord(OPS, wordOf(registers.result.floats[component]!)) & greatest
        check(ofNumbers, code, () => `numbers of ${about()}`)
        check(Math.abs(code - ideal) <= 0.6, true, () => `${code}, ideal ${ideal}, of ${about()}`)
      }
    }
    expect(list).toEqual([])
  })

  test('are left to blending in real numbers where they may leave the range', () => {
    const red = fieldOf(0, 8)
    expect(blendsInCodes(red, { ...BASE, srcBlend: 'ONE', destBlend: 'ONE' })).toBe(false)
    expect(blendsInCodes(red, { ...BASE, blendOp: 'REV_SUBTRACT' })).toBe(false)
    expect(blendsInCodes(red, { ...BASE, blendOp: 'MAX' })).toBe(false)
    expect(blendsInCodes({ ...red, source: { ...red.source, encoding: 'unorm-srgb' } }, BASE)).toBe(false)
  })
})
