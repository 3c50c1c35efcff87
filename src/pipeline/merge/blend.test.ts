import { describe, expect, test } from 'vitest'
import { differences } from '../../../test/support/differences.ts'
import {
  anyValue,
  BLEND_OPS,
  BLENDABLE,
  blendExactly,
  checkWrite,
  clampTo,
  FACTORS,
  randomState,
} from '../../../test/support/exact-blend.ts'
import { floatOf, wordOf } from '../../../test/support/exact-formats.ts'
import { pick, randomFrom, targetOf, toWords } from '../../../test/support/random-targets.ts'
import { FIRST_SAMPLE, writeSample } from '../../../test/support/write-sample.ts'
import { numberOps } from '../../engine/reference/number-ops.ts'
import { formatNamed } from '../../isa/formats/index.ts'
import { DEFAULT_BLEND, DEFAULT_TARGET_BLEND, type TargetBlend } from '../state.ts'
import { blendWords, createColorMerge } from './index.ts'

/** Random states of each format; `npm run blending` goes further. */
const CASES = 24
const OPS = numberOps({ denormals: 'flush' })

describe('blending', () => {
  test.each(BLENDABLE.map((f) => f.name))('into %s is exact arithmetic, rounded once at the end', (name) => {
    const view = targetOf(formatNamed(name as 'R8_UNORM'))
    const random = randomFrom(view.format.number + 1)
    const { check, list } = differences()
    for (let i = 0; i < CASES; i++) checkWrite(view, randomState(random), random, check)
    expect(list).toEqual([])
  })

  test.each(['R32G32B32A32_FLOAT', 'R8G8B8A8_UNORM', 'R8G8B8A8_SNORM'] as const)(
    'into %s has every factor with every factor by every operation',
    (name) => {
      const view = targetOf(formatNamed(name))
      const random = randomFrom(77)
      const { check, list } = differences()
      for (const srcBlend of FACTORS)
        for (const destBlend of FACTORS)
          for (const blendOp of BLEND_OPS) {
            const alpha = { srcBlendAlpha: destBlend, destBlendAlpha: srcBlend, blendOpAlpha: blendOp }
            const b = { ...DEFAULT_TARGET_BLEND, blendEnable: true, srcBlend, destBlend, blendOp, ...alpha }
            checkWrite(view, b, random, check)
          }
      expect(list).toEqual([])
    },
  )

  test('as operations on words gives the same', () => {
    const random = randomFrom(5)
    const { check, list } = differences()
    for (let i = 0; i < 40 * CASES; i++) {
      const b = randomState(random)
      const range = pick(random, ['unorm', 'snorm', 'none'] as const)
      const four = (): number[] => [0, 1, 2, 3].map(() => anyValue(random))
      const destination = four().map((v) => clampTo(range, v))
      const colors = { source: four(), source1: four(), destination, blendFactor: four() }
      const words = blendWords(OPS, b, range, {
        source: colors.source.map(wordOf),
        source1: colors.source1.map(wordOf),
        destination: colors.destination.map(wordOf),
        blendFactor: colors.blendFactor.map(wordOf),
      })
      for (let c = 0; c < 4; c++) {
        const wanted = blendExactly(b, range, c, colors)
        const what = (): string => `${range} ${c} ${JSON.stringify({ b, ...colors })}`
        // The sign of zero is lost in fixed point.
        if (range === 'none') check(words[c], Number.isNaN(wanted) ? 0x7fc00000 : wordOf(wanted), what)
        else check(floatOf(words[c]!) + 0, wanted + 0, what)
      }
    }
    expect(list).toEqual([])
  })

  test('trap 8: NaN and signed zeros go through a factor of ZERO on float targets', () => {
    const view = targetOf(formatNamed('R32G32B32A32_FLOAT'))
    const b: TargetBlend = { ...DEFAULT_TARGET_BLEND, blendEnable: true, srcBlend: 'ZERO', srcBlendAlpha: 'ZERO' }
    const blend = { ...DEFAULT_BLEND, renderTarget: [{ ...b, destBlend: 'ONE', destBlendAlpha: 'ONE' } as const] }
    const merge = createColorMerge([view], blend, [0, 0, 0, 0])
    view.storage.words.set([0x3f800000, 0x80000000, 0x80000000, 0x3f800000])
    writeSample(merge, 0, FIRST_SAMPLE, toWords([NaN, -1, 1, Infinity]))
    // NaN * 0 is NaN; -1 * 0 + -0 is -0; 1 * 0 + -0 is +0; infinity * 0 is NaN.
    expect([...view.storage.words.slice(0, 4)]).toEqual([0x7fc00000, 0x80000000, 0, 0x7fc00000])
  })

  test('trap 8: sources are clamped before blending, so NaN * 0 is 0 and 5 * 0.5 is 0.5 on UNORM targets', () => {
    const view = targetOf(formatNamed('R8G8B8A8_UNORM'))
    const b = { ...DEFAULT_TARGET_BLEND, blendEnable: true, srcBlend: 'BLEND_FACTOR', destBlend: 'ONE' } as const
    const merge = createColorMerge([view], { ...DEFAULT_BLEND, renderTarget: [b] }, [0, 0.5, 7, -1])
    view.storage.words[0] = 0x00000020
    writeSample(merge, 0, FIRST_SAMPLE, toWords([NaN, 5, 0.25, 1]))
    expect([...view.storage.bytes.slice(0, 4)]).toEqual([0x20, 128, 64, 255])
  })

  test('reads missing destination components as 0, 0, 0, 1', () => {
    const view = targetOf(formatNamed('R11G11B10_FLOAT'))
    const b = { ...DEFAULT_TARGET_BLEND, blendEnable: true, srcBlend: 'DEST_ALPHA' } as const
    const merge = createColorMerge([view], { ...DEFAULT_BLEND, renderTarget: [b] }, [0, 0, 0, 0])
    writeSample(merge, 0, FIRST_SAMPLE, toWords([1, 2, 4, 0]))
    expect(view.storage.words[0]).toBe(((15 << 6) | (16 << 17) | (17 << 27)) >>> 0)
  })

  test('takes entry 0 for all targets, its mask too, unless blending is independent', () => {
    const views = [targetOf(formatNamed('R8_UNORM')), targetOf(formatNamed('R8_UNORM'))]
    const other = { ...DEFAULT_TARGET_BLEND, renderTargetWriteMask: 0 }
    const renderTarget = [{ ...DEFAULT_TARGET_BLEND, blendEnable: true, destBlend: 'ONE' } as const, other]
    for (const [independentBlendEnable, second] of [
      [false, 255],
      [true, 100],
    ] as const) {
      for (const v of views) v.storage.bytes.fill(100)
      const merge = createColorMerge(views, { ...DEFAULT_BLEND, independentBlendEnable, renderTarget }, [0, 0, 0, 0])
      for (const i of [0, 1]) writeSample(merge, i, FIRST_SAMPLE, toWords([1, 1, 1, 1]))
      expect(views.map((v) => v.storage.bytes[0])).toEqual([255, second])
    }
  })
})
