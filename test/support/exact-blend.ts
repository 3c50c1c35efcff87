/** Blending by exact arithmetic, and random states of it: what tests and `npm run blending` compare the output merger with. */

import type { Format } from '../../src/isa/formats/index.ts'
import { type RenderTargetView, targetOffset } from '../../src/machine/index.ts'
import { type ClampRange, createColorMerge } from '../../src/pipeline/merge/index.ts'
import {
  type BlendFactor,
  type BlendOp,
  DEFAULT_BLEND,
  DEFAULT_TARGET_BLEND,
  type TargetBlend,
} from '../../src/pipeline/state.ts'
import type { Check } from './differences.ts'
import {
  acceptedCodes,
  bitsOfElement,
  componentOf,
  exactAdd,
  exactMax,
  exactMin,
  exactMul,
  isNaNCode,
  wordOf,
} from './exact-formats.ts'
import { destinationOf, fillRandomly, pick, type Random, RENDERABLE, SPECIAL, toWords } from './random-targets.ts'
import { writeSample } from './write-sample.ts'

export const BLENDABLE = RENDERABLE.filter((f) => f.capabilities.blend !== 'none')
export const FACTORS: readonly BlendFactor[] = [
  ...(['ZERO', 'ONE', 'SRC_COLOR', 'INV_SRC_COLOR', 'SRC_ALPHA', 'INV_SRC_ALPHA', 'DEST_ALPHA'] as const),
  ...(['INV_DEST_ALPHA', 'DEST_COLOR', 'INV_DEST_COLOR', 'SRC_ALPHA_SAT', 'BLEND_FACTOR', 'INV_BLEND_FACTOR'] as const),
  ...(['SRC1_COLOR', 'INV_SRC1_COLOR', 'SRC1_ALPHA', 'INV_SRC1_ALPHA'] as const),
]
export const BLEND_OPS: readonly BlendOp[] = ['ADD', 'SUBTRACT', 'REV_SUBTRACT', 'MIN', 'MAX']
export const anyValue = (random: Random): number =>
  random() < 0.5 ? pick(random, SPECIAL) : Math.fround(random() * 3 - 1)

export interface Colors {
  readonly source: readonly number[]
  readonly source1: readonly number[]
  readonly destination: readonly number[]
  readonly blendFactor: readonly number[]
}

export function clampTo(range: ClampRange, v: number): number {
  if (range === 'none') return v
  if (Number.isNaN(v)) return 0
  return Math.min(1, Math.max(range === 'unorm' ? 0 : -1, v))
}

/** Section 17.1 and 17.2 with exact arithmetic: the oracle. */
export function blendExactly(b: TargetBlend, range: ClampRange, c: number, given: Colors): number {
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

/** One write of one state to one random pixel, compared with the oracle component by component. */
export function checkWrite(view: RenderTargetView, b: TargetBlend, random: Random, check: Check): void {
  fillRandomly(view, random)
  const { format, storage } = view
  const at = targetOffset(view, 1, 1, 0, 0)
  const before = storage.bytes.slice()
  const four = (): number[] => [0, 1, 2, 3].map(() => anyValue(random))
  const colors = { source: four(), source1: four(), destination: destinationOf(view), blendFactor: four() }
  const [k0, k1, k2, k3] = colors.blendFactor
  const blend = { ...DEFAULT_BLEND, renderTarget: [b] }
  const merge = createColorMerge([view], blend, [k0!, k1!, k2!, k3!])
  writeSample(merge, 0, { x: 1, y: 1, slice: 0, sample: 0 }, toWords(colors.source), toWords(colors.source1))
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

export function randomState(random: Random): TargetBlend {
  return {
    ...DEFAULT_TARGET_BLEND,
    blendEnable: true,
    ...{ srcBlend: pick(random, FACTORS), destBlend: pick(random, FACTORS), blendOp: pick(random, BLEND_OPS) },
    ...{ srcBlendAlpha: pick(random, FACTORS), destBlendAlpha: pick(random, FACTORS) },
    blendOpAlpha: pick(random, BLEND_OPS),
    renderTargetWriteMask: random() < 0.5 ? 15 : Math.floor(random() * 16),
  }
}
