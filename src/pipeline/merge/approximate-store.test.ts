import { describe, expect, it } from 'vitest'
import { amount } from '../../../test/support/amount.ts'
import { differences } from '../../../test/support/differences.ts'
import { randomState } from '../../../test/support/exact-blend.ts'
import { floatOf, wordOf } from '../../../test/support/exact-formats.ts'
import { type Random, randomFrom } from '../../../test/support/random-targets.ts'
import { numberOps } from '../../engine/reference/index.ts'
import { FORMATS } from '../../isa/formats/index.ts'
import { exactly, type FloatBounds } from '../../isa/index.ts'
import { DEFAULT_TARGET_BLEND, type TargetBlend } from '../state.ts'
import { approximateStore, doubtWord } from './approximate-store.ts'
import { approximateSum, sumError, wordSums } from './approximate-sums.ts'
import { storeProgram } from './blend-program.ts'
import { blendWords } from './blend-words.ts'
import { fieldCode, type SrgbTables } from './component-words.ts'
import { fieldsOf } from './element.ts'

// Codes by approximate sums against those of the exact store, where both get colors that differ as much as bounds allow.

const OPS = numberOps({ denormals: 'keep' })
const NAMES = ['R8G8B8A8_UNORM', 'B8G8R8A8_UNORM', 'B8G8R8X8_UNORM', 'R10G10B10A2_UNORM'] as const
const ERROR = 2 ** -22
const BOUNDS: FloatBounds = { least: 0, greatest: 1, error: ERROR }
const SOURCES = { source: () => BOUNDS, source1: () => BOUNDS }
/** No target here is of sRGB. */
const TABLES = {} as SrgbTables<number>

const formatOf = (name: string) => FORMATS.find((f) => f.name === name)!

/** States that draws have most, and any. */
function stateOf(random: Random): TargetBlend | undefined {
  const way = Math.floor(random() * 6)
  const base = { ...DEFAULT_TARGET_BLEND, blendEnable: true }
  if (way === 0) return undefined
  const over = { srcBlend: 'SRC_ALPHA', destBlend: 'INV_SRC_ALPHA' } as const
  const premultiplied = { srcBlend: 'ONE', destBlend: 'INV_SRC_ALPHA' } as const
  const alpha = { srcBlendAlpha: 'ONE', destBlendAlpha: 'INV_SRC_ALPHA' } as const
  if (way === 1) return { ...base, ...over, ...alpha }
  if (way === 2) return { ...base, ...premultiplied, ...alpha }
  return randomState(random)
}

interface Case {
  readonly name: string
  readonly blend: TargetBlend | undefined
  readonly source: number[]
  readonly source1: number[]
  readonly blendFactor: number[]
  readonly element: number
}

function randomCase(random: Random): Case {
  const color = (): number => {
    const way = random()
    if (way < 0.1) return Math.round(random())
    // A middle between two codes, and whole codes.
    if (way < 0.4) return Math.fround(Math.floor(random() * 511) / 510)
    return Math.fround(way < 0.5 ? random() * 2 ** -20 : random())
  }
  const four = (): number[] => [color(), color(), color(), color()]
  return {
    name: NAMES[Math.floor(random() * NAMES.length)]!,
    blend: stateOf(random),
    source: four(),
    source1: four(),
    blendFactor: four(),
    element: Math.floor(random() * 2 ** 32),
  }
}

const programOf = ({ name, blend }: Case) =>
  storeProgram({ format: formatOf(name), sampleCount: 1 } as Parameters<typeof storeProgram>[0], {
    blend: blend ?? DEFAULT_TARGET_BLEND,
    blends: blend !== undefined,
    range: 'unorm',
    precision: 'exact',
  })!

const bits = (values: readonly number[]): number[] => values.map((v) => wordOf(v))

/** The word that the exact store leaves. */
function exactWord(c: Case, source = c.source): number {
  const words = {
    source: bits(source),
    source1: bits(c.source1),
    blendFactor: bits(c.blendFactor),
    tables: TABLES,
  }
  return programOf(c).meaning(OPS, words, [c.element])[0]! >>> 0
}

/** The word by approximate sums of colors that are a little off; undefined where it is uncertain. */
function approximateWord(c: Case, source: readonly number[], source1: readonly number[]): number | undefined {
  const store = programOf(c).approximate(SOURCES)!
  const words = {
    source: (n: number) => wordOf(source[n]!),
    source1: (n: number) => wordOf(source1[n]!),
    scaled: (n: number, by: number) => wordOf(Math.fround(source[n]! * by)),
    blendFactor: bits(c.blendFactor),
  }
  const { words: stored, fractions } = store.meaning(OPS, words, [c.element])
  return doubtWord(OPS, [fractions]) >>> 31 === 1 ? undefined : stored[0]! >>> 0
}

/** A float32 that is off by the error at the most. */
function moved(random: Random, value: number): number {
  const by = random() < 0.5 ? ERROR * (random() < 0.5 ? 1 : -1) : ERROR * (random() * 2 - 1)
  const near = Math.fround(value + by)
  return Math.abs(near - value) <= ERROR ? near : value
}

const stepped = (value: number, steps: number): number => Math.max(0, Math.min(1, floatOf(wordOf(value) + steps)))

/** A color of a component around which the exact code changes, by bisection over float32; undefined where it never does. */
function turnOf(c: Case, component: number): number | undefined {
  const wordFor = (color: number): number =>
    exactWord(
      c,
      c.source.map((v, n) => (n === component ? floatOf(color) : v)),
    )
  let [low, high] = [wordOf(0), wordOf(1)]
  const first = wordFor(low)
  if (wordFor(high) === first) return undefined
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (wordFor(middle) === first) low = middle
    else high = middle
  }
  return floatOf(high)
}

describe('codes by approximate sums', () => {
  it('are those of the exact store wherever they are certain', () => {
    const random = randomFrom(77)
    const { check, list } = differences()
    let certain = 0
    const count = amount(1500, 10_000)
    for (let i = 0; i < count; i++) {
      const c = randomCase(random)
      if (programOf(c).approximate(SOURCES) === undefined) continue
      const got = approximateWord(
        c,
        c.source.map((v) => moved(random, v)),
        c.source1.map((v) => moved(random, v)),
      )
      if (got === undefined) continue
      certain++
      check(got, exactWord(c), () => JSON.stringify(c))
    }
    expect(list).toEqual([])
    expect(certain).toBeGreaterThan(count / 3)
  })

  it('are so next to colors around which a code changes', () => {
    const random = randomFrom(5)
    const { check, list } = differences()
    let [certain, uncertain] = [0, 0]
    for (let i = 0; i < amount(200, 1000); i++) {
      const c = randomCase(random)
      const component = Math.floor(random() * 4)
      const turn = programOf(c).approximate(SOURCES) && turnOf(c, component)
      if (turn === undefined) continue
      for (let k = 0; k < 24; k++) {
        const source = c.source.map((v, n) => (n === component ? stepped(turn, Math.floor(random() * 161) - 80) : v))
        const got = approximateWord(
          { ...c, source },
          source.map((v) => moved(random, v)),
          c.source1.map((v) => moved(random, v)),
        )
        if (got === undefined) uncertain++
        else {
          certain++
          check(got, exactWord(c, source), () => JSON.stringify({ ...c, source }))
        }
      }
    }
    expect(list).toEqual([])
    expect(certain).toBeGreaterThan(100)
    expect(uncertain).toBeGreaterThan(100)
  })

  it('come from sums within the bounds of exact fractions', () => {
    const random = randomFrom(11)
    const { check, list } = differences()
    let largest = 0
    for (let i = 0; i < amount(2000, 10_000); i++) {
      const c = randomCase(random)
      const fields = fieldsOf(formatOf(c.name))
      const fieldFor = (n: number) => fields.find((f) => f.component === n)
      const near = [c.source, c.source1].map((list) => list.map((v) => wordOf(moved(random, v)))) as [
        number[],
        number[],
      ]
      const destination = [0, 1, 2, 3].map((n) => {
        const field = fieldFor(n)
        if (field === undefined) return n === 3 ? 1 : 0
        return Math.fround(fieldCode(OPS, field, [c.element]) / (2 ** field.bitCount - 1))
      })
      const inputs = { source: bits(c.source), source1: bits(c.source1), blendFactor: bits(c.blendFactor) }
      const exact =
        c.blend === undefined
          ? inputs.source
          : blendWords(OPS, c.blend, 'unorm', { ...inputs, destination: bits(destination) })
      for (const field of fields) {
        if (field.bitCount === 1) continue
        const greatest = 2 ** field.bitCount - 1
        const words = {
          source: (n: number) => near[0][n]!,
          source1: (n: number) => near[1][n]!,
          scaled: (n: number, by: number) => OPS.f32Mul(near[0][n]!, wordOf(by)),
          blendFactor: (n: number) => inputs.blendFactor[n]!,
          destination: (n: number) => {
            const f = fieldFor(n)
            if (f === undefined) return wordOf(n === 3 ? 1 : 0)
            return wordOf(Math.fround(fieldCode(OPS, f, [c.element]) * Math.fround(1 / (2 ** f.bitCount - 1))))
          },
        }
        const code = (): number => wordOf(fieldCode(OPS, field, [c.element]))
        const sum = approximateSum(wordSums(OPS), c.blend, field, words, code)
        const bound = sumError(c.blend, field, SOURCES, fieldFor)
        // Exact, in units of 2^-149.
        const of = (v: number): bigint => BigInt(v * 2 ** 149)
        const off = of(floatOf(sum)) - BigInt(greatest) * of(floatOf(exact[field.component]!))
        const size = Number(off < 0n ? -off : off) / 2 ** 149
        largest = Math.max(largest, size / bound)
        check(size <= bound, true, () => `${size} above ${bound}: ${JSON.stringify({ c, field })}`)
      }
    }
    expect(list).toEqual([])
    // Bounds are not much larger than what happens.
    expect(largest).toBeGreaterThan(0.5)
  })

  it('are not looked for where sums would be uncertain too often', () => {
    const fields = fieldsOf(formatOf('R8G8B8A8_UNORM'))
    const far = { source: () => ({ ...BOUNDS, error: 2 ** -14 }), source1: () => exactly(0) }
    expect(approximateStore({ present: fields, written: fields, blend: undefined }, far)).toBeUndefined()
    const unknown = {
      source: () => ({ least: -Infinity, greatest: Infinity, error: Infinity }),
      source1: () => exactly(0),
    }
    expect(approximateStore({ present: fields, written: fields, blend: undefined }, unknown)).toBeUndefined()
    expect(approximateStore({ present: fields, written: fields, blend: undefined }, SOURCES)).toBeDefined()
  })
})
