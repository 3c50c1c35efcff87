import { describe, expect, test } from 'vitest'
import { differences } from '../../../test/support/differences.ts'
import {
  acceptedCodes,
  bitsOfElement,
  componentOf,
  exactAdd,
  exactMax,
  exactMin,
  exactMul,
  floatOf,
  isNaNCode,
  wordOf,
} from '../../../test/support/exact-formats.ts'
import {
  destinationOf,
  fillRandomly,
  pick,
  type Random,
  RENDERABLE,
  randomFrom,
  SPECIAL,
  targetOf,
  toWords,
} from '../../../test/support/random-targets.ts'
import { numberOps } from '../../engine/reference/compile/number-ops.ts'
import { type Format, formatNamed } from '../../isa/formats/index.ts'
import { type RenderTargetView, targetOffset } from '../../machine/index.ts'
import { type BlendFactor, type BlendOp, DEFAULT_BLEND, DEFAULT_TARGET_BLEND, type TargetBlend } from '../state.ts'
import { blendWords, type ClampRange, createColorMerge } from './index.ts'

/** Random states of each format; raise it for a longer sweep: MERGE_CASES=20000. */
const CASES = Number(process.env.MERGE_CASES ?? 24)
const OPS = numberOps({ denormals: 'flush' })
const BLENDABLE = RENDERABLE.filter((f) => f.capabilities.blend !== 'none')
const FACTORS: readonly BlendFactor[] = [
  ...(['ZERO', 'ONE', 'SRC_COLOR', 'INV_SRC_COLOR', 'SRC_ALPHA', 'INV_SRC_ALPHA', 'DEST_ALPHA'] as const),
  ...(['INV_DEST_ALPHA', 'DEST_COLOR', 'INV_DEST_COLOR', 'SRC_ALPHA_SAT', 'BLEND_FACTOR', 'INV_BLEND_FACTOR'] as const),
  ...(['SRC1_COLOR', 'INV_SRC1_COLOR', 'SRC1_ALPHA', 'INV_SRC1_ALPHA'] as const),
]
const BLEND_OPS: readonly BlendOp[] = ['ADD', 'SUBTRACT', 'REV_SUBTRACT', 'MIN', 'MAX']
const anyValue = (random: Random): number => (random() < 0.5 ? pick(random, SPECIAL) : Math.fround(random() * 3 - 1))

interface Colors {
  readonly source: readonly number[]
  readonly source1: readonly number[]
  readonly destination: readonly number[]
  readonly blendFactor: readonly number[]
}

function clampTo(range: ClampRange, v: number): number {
  if (range === 'none') return v
  if (Number.isNaN(v)) return 0
  return Math.min(1, Math.max(range === 'unorm' ? 0 : -1, v))
}

/** Section 17.1 and 17.2 with exact arithmetic: the oracle. */
function blendExactly(b: TargetBlend, range: ClampRange, c: number, given: Colors): number {
  const clampAll = (list: readonly number[]): number[] => list.map((v) => clampTo(range, v))
  const [s, s1, k] = [clampAll(given.source), clampAll(given.source1), clampAll(given.blendFactor)]
  const d = given.destination
  const inverse = (v: number): number => exactAdd(1, -v)
  const values: Readonly<Record<BlendFactor, number>> = {
    ...{ ZERO: 0, ONE: 1, SRC_COLOR: s[c]!, SRC_ALPHA: s[3]!, DEST_ALPHA: d[3]!, DEST_COLOR: d[c]! },
    ...{ INV_SRC_COLOR: inverse(s[c]!), INV_SRC_ALPHA: inverse(s[3]!), INV_DEST_ALPHA: inverse(d[3]!) },
    ...{ INV_DEST_COLOR: inverse(d[c]!), BLEND_FACTOR: k[c]!, INV_BLEND_FACTOR: inverse(k[c]!) },
    ...{ SRC1_COLOR: s1[c]!, SRC1_ALPHA: s1[3]!, INV_SRC1_COLOR: inverse(s1[c]!), INV_SRC1_ALPHA: inverse(s1[3]!) },
    SRC_ALPHA_SAT: c === 3 ? 1 : exactMin(inverse(d[3]!), s[3]!),
  }
  const op = c === 3 ? b.blendOpAlpha : b.blendOp
  if (op === 'MIN') return clampTo(range, exactMin(s[c]!, d[c]!))
  if (op === 'MAX') return clampTo(range, exactMax(s[c]!, d[c]!))
  const source = exactMul(s[c]!, values[c === 3 ? b.srcBlendAlpha : b.srcBlend])
  const destination = exactMul(d[c]!, values[c === 3 ? b.destBlendAlpha : b.destBlend])
  if (op === 'ADD') return clampTo(range, exactAdd(source, destination))
  const [a, z] = op === 'SUBTRACT' ? [source, destination] : [destination, source]
  return clampTo(range, exactAdd(a, -z))
}

const rangeOf = (f: Format): ClampRange =>
  f.name.includes('SNORM') ? 'snorm' : f.name.includes('UNORM') ? 'unorm' : 'none'

type Check = ReturnType<typeof differences>['check']

/** One write of one state to one random pixel, compared with the oracle component by component. */
function checkWrite(view: RenderTargetView, b: TargetBlend, random: Random, check: Check): void {
  fillRandomly(view, random)
  const { format, storage } = view
  const at = targetOffset(view, 1, 1, 0, 0)
  const before = storage.bytes.slice()
  const four = (): number[] => [0, 1, 2, 3].map(() => anyValue(random))
  const colors = { source: four(), source1: four(), destination: destinationOf(view), blendFactor: four() }
  const [k0, k1, k2, k3] = colors.blendFactor
  const blend = { ...DEFAULT_BLEND, renderTarget: [b] }
  const merge = createColorMerge([view], blend, [k0!, k1!, k2!, k3!])
  merge.write(0, 1, 1, 0, 0, toWords([9, ...colors.source]), 1, toWords(colors.source1), 0)
  const what = (c: number) => (): string => `${format.name} ${'rgba'[c]} ${JSON.stringify({ b, ...colors })}`
  for (let c = 0; c < 4; c++) {
    const component = componentOf(format, c)
    if (component === undefined) continue
    const { bitOffset, bitCount } = component
    const code = bitsOfElement(storage.bytes, at, bitOffset, bitCount)
    if (((b.renderTargetWriteMask >> c) & 1) === 0) {
      check(code, bitsOfElement(before, at, bitOffset, bitCount), what(c))
      continue
    }
    const value = b.blendEnable ? blendExactly(b, rangeOf(format), c, colors) : colors.source[c]!
    if (Number.isNaN(value) && component.encoding === 'float') check(isNaNCode(component, code), true, what(c))
    else check(acceptedCodes(component, wordOf(value)).includes(code), true, () => `${what(c)()} ${code} of ${value}`)
  }
  check(
    storage.bytes.subarray(0, at).every((v, i) => v === before[i]),
    true,
    'the other pixels',
  )
}

function randomState(random: Random): TargetBlend {
  return {
    ...DEFAULT_TARGET_BLEND,
    blendEnable: true,
    ...{ srcBlend: pick(random, FACTORS), destBlend: pick(random, FACTORS), blendOp: pick(random, BLEND_OPS) },
    ...{ srcBlendAlpha: pick(random, FACTORS), destBlendAlpha: pick(random, FACTORS) },
    blendOpAlpha: pick(random, BLEND_OPS),
    renderTargetWriteMask: random() < 0.5 ? 15 : Math.floor(random() * 16),
  }
}

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
    merge.write(0, 0, 0, 0, 0, toWords([NaN, -1, 1, Infinity]), 0)
    // NaN * 0 is NaN; -1 * 0 + -0 is -0; 1 * 0 + -0 is +0; infinity * 0 is NaN.
    expect([...view.storage.words.slice(0, 4)]).toEqual([0x7fc00000, 0x80000000, 0, 0x7fc00000])
  })

  test('trap 8: sources are clamped before blending, so NaN * 0 is 0 and 5 * 0.5 is 0.5 on UNORM targets', () => {
    const view = targetOf(formatNamed('R8G8B8A8_UNORM'))
    const b = { ...DEFAULT_TARGET_BLEND, blendEnable: true, srcBlend: 'BLEND_FACTOR', destBlend: 'ONE' } as const
    const merge = createColorMerge([view], { ...DEFAULT_BLEND, renderTarget: [b] }, [0, 0.5, 7, -1])
    view.storage.words[0] = 0x00000020
    merge.write(0, 0, 0, 0, 0, toWords([NaN, 5, 0.25, 1]), 0)
    expect([...view.storage.bytes.slice(0, 4)]).toEqual([0x20, 128, 64, 255])
  })

  test('reads missing destination components as 0, 0, 0, 1', () => {
    const view = targetOf(formatNamed('R11G11B10_FLOAT'))
    const b = { ...DEFAULT_TARGET_BLEND, blendEnable: true, srcBlend: 'DEST_ALPHA' } as const
    const merge = createColorMerge([view], { ...DEFAULT_BLEND, renderTarget: [b] }, [0, 0, 0, 0])
    merge.write(0, 0, 0, 0, 0, toWords([1, 2, 4, 0]), 0)
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
      for (const i of [0, 1]) merge.write(i, 0, 0, 0, 0, toWords([1, 1, 1, 1]), 0)
      expect(views.map((v) => v.storage.bytes[0])).toEqual([255, second])
    }
  })
})
