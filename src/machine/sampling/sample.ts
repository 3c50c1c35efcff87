import { outsideBits } from '../format/index.ts'
import type { Sampler } from '../sampler.ts'
import type { TexelView, ViewLevel } from '../view.ts'
import { fillOutside } from './access.ts'
import { FRACTION_BITS, fixedFloor, fixedFraction, lerp, max, min, runningMean, toFixed } from './arithmetic.ts'
import { addCodes, filtersCodes, sumScale, WEIGHT_BITS } from './code-filter.ts'
import { compare, quantizeReference } from './compare.ts'
import {
  biasedLod,
  clampLod,
  type Footprint,
  footprint,
  isAnisotropic,
  isClampedOff,
  levelBounds,
  squaredLength,
} from './lod.ts'
import { quickHalfLog2 } from './quick-logarithm.ts'
import type { SampleRequest } from './request.ts'
import { fetchSquare, fetchTexel, prepareTaps, sampleLevel, TAP_BITS, type TapContext, tapContext } from './taps.ts'

const fround = Math.fround

/** One result in the making: four components as bits and as floats of the same memory. */
interface Texel {
  readonly bits: Uint32Array
  readonly floats: Float32Array
}
function texel(): Texel {
  const bits = new Uint32Array(4)
  return { bits, floats: new Float32Array(bits.buffer) }
}

const NEAR = texel()
const FAR = texel()
const TOTAL = texel()
const FOOTPRINT: Footprint = { lod: 0, taps: 1, lineU: 0, lineV: 0 }
let context: TapContext | undefined

/** Which mips a LOD selects, and by which filter each is sampled (7.18.10). */
interface MipChoice {
  near: number
  far: number
  /** Weight of `far`; 0 where one mip is enough. */
  fraction: number
  linear: boolean
}
const MIPS: MipChoice = { near: 0, far: 0, fraction: 0, linear: false }

const HALF = 1 << (FRACTION_BITS - 1)

function chooseMips(view: TexelView, sampler: Sampler, lod: number): void {
  const filterable = view.format.capabilities.filter !== 'none'
  const last = view.levels.length - 1
  const magnifying = lod <= 0
  MIPS.linear = filterable && (magnifying ? sampler.mag : sampler.min) === 'linear'
  MIPS.near = MIPS.far = MIPS.fraction = 0
  if (magnifying || last === 0) return
  const fixed = toFixed(lod)
  if (sampler.mip === 'point' || !filterable) {
    MIPS.near = Math.min(last, fixedFloor(Math.min(fixed, 2 ** 30) + HALF))
    return
  }
  MIPS.near = Math.min(last, fixedFloor(fixed))
  MIPS.far = Math.min(last, MIPS.near + 1)
  MIPS.fraction = MIPS.far === MIPS.near ? 0 : fixedFraction(fixed)
}

/** Whether samples of codes choose mips by `chooseQuickMips`: of several mips, without bias and anisotropy. */
export function hasQuickLevel(view: TexelView, sampler: Sampler): boolean {
  return view.levels.length > 1 && sampler.mipLodBias === 0 && !isAnisotropic(view, sampler)
}

/** The same choice by a LOD in float32, as `fast` has it. */
function chooseQuickMips(view: TexelView, sampler: Sampler, r: SampleRequest): void {
  const [least, most] = levelBounds(view, sampler)
  const lod = quickHalfLog2(squaredLength(view, r))
  const atLeast = lod > least ? lod : least
  const steps = toFixed(atLeast < most ? atLeast : most)
  const isPoint = sampler.mip === 'point'
  MIPS.near = fixedFloor(isPoint ? steps + HALF : steps)
  MIPS.far = Math.min(view.levels.length - 1, MIPS.near + 1)
  MIPS.fraction = isPoint ? 0 : fixedFraction(steps)
}

const SUMS = [0, 0, 0, 0]

/** The same as sums of whole numbers. */
function sampleCodes(c: TapContext): void {
  const { view, sampler, u, v } = c
  const far = MIPS.fraction * 2 ** WEIGHT_BITS
  const filter = { u, v, fetch: (level: ViewLevel, x: number, y: number) => fetchTexel(c, level, x, y) }
  SUMS.fill(0)
  addCodes(view, sampler, filter, view.levels[MIPS.near]!, 2 ** WEIGHT_BITS - far, SUMS)
  if (far > 0) addCodes(view, sampler, filter, view.levels[MIPS.far]!, far, SUMS)
  const scale = sumScale(view.format)
  for (let n = 0; n < 4; n++) NEAR.floats[n] = fround(SUMS[n]!) * scale
}

/** The mip or mips of one tap into NEAR. */
function sampleMips(c: TapContext): void {
  if (c.codes) {
    sampleCodes(c)
    return
  }
  const { levels } = c.view
  sampleLevel(c, levels[MIPS.near]!, MIPS.linear, NEAR.bits, NEAR.floats)
  if (MIPS.fraction === 0) return
  sampleLevel(c, levels[MIPS.far]!, MIPS.linear, FAR.bits, FAR.floats)
  const { reduction } = c.sampler
  for (let n = 0; n < 4; n++) {
    const a = NEAR.floats[n]!
    const b = FAR.floats[n]!
    NEAR.floats[n] =
      reduction === 'minimum' ? min(a, b) : reduction === 'maximum' ? max(a, b) : lerp(a, b, MIPS.fraction)
  }
}

/** Tap `i` of `taps` stands at (i + 0.5) / taps - 0.5 of the line; the taps have equal weight, folded in order. */
function sampleLine(c: TapContext, line: Footprint): void {
  const { u, v } = c
  const { reduction } = c.sampler
  for (let i = 0; i < line.taps; i++) {
    const t = fround(fround((i + 0.5) / line.taps) - 0.5)
    c.u = fround(u + fround(line.lineU * t))
    c.v = fround(v + fround(line.lineV * t))
    sampleMips(c)
    for (let n = 0; n < 4; n++) {
      const value = NEAR.floats[n]!
      if (i === 0) TOTAL.floats[n] = value
      else if (reduction === 'minimum') TOTAL.floats[n] = min(TOTAL.floats[n]!, value)
      else if (reduction === 'maximum') TOTAL.floats[n] = max(TOTAL.floats[n]!, value)
      else TOTAL.floats[n] = runningMean(TOTAL.floats[n]!, value, i + 1)
    }
  }
}

function begin(view: TexelView, sampler: Sampler, r: SampleRequest): TapContext {
  context ??= tapContext(view, sampler)
  prepareTaps(context, view, sampler, r)
  context.compare = r.compare
  const hasOffset = r.offsetX !== 0 || r.offsetY !== 0 || r.offsetZ !== 0
  context.codes = r.codes && !r.compare && !hasOffset && filtersCodes(view, sampler)
  if (r.compare) context.reference = quantizeReference(view.format, r.reference)
  return context
}

/**
 * Every `sample*` instruction: the filtered texel into out[at..at+3] as register bits. Order of operations: LOD (7.18.11),
 * bias, clamps; min or mag filter by the sign of the clamped LOD; per tap of the line of anisotropy, per mip, per texel:
 * address, decode, compare; blends in u, v, w, mips, taps. With `request.compare` the result is one number in all four
 * components. Formats that cannot be filtered are point sampled. When clamps leave no mip: what is out of bounds (5.8.5).
 */
export function sampleTexture(
  view: TexelView,
  sampler: Sampler,
  request: SampleRequest,
  out: Uint32Array,
  at: number,
): void {
  if (isClampedOff(view, request.lodClamp)) {
    if (request.compare) out.fill(0, at, at + 4)
    else fillOutside(view.format, out, at)
    return
  }
  const c = begin(view, sampler, request)
  if (c.codes && request.plainLevel && hasQuickLevel(view, sampler)) {
    chooseQuickMips(view, sampler, request)
    FOOTPRINT.taps = 1
  } else {
    footprint(view, sampler, request, FOOTPRINT)
    const lod = clampLod(biasedLod(FOOTPRINT.lod, sampler, request.bias), view, sampler, request.lodClamp)
    chooseMips(view, sampler, lod)
  }
  let result = NEAR.bits
  if (FOOTPRINT.taps > 1 && MIPS.linear) {
    sampleLine(c, FOOTPRINT)
    result = TOTAL.bits
  } else {
    sampleMips(c)
  }
  out[at] = result[0]!
  out[at + 1] = result[1]!
  out[at + 2] = result[2]!
  out[at + 3] = result[3]!
}

/** Taps of the square in the order of gather4: lower left, lower right, upper right, upper left (22.4.2). */
const GATHER_ORDER = [2, 3, 1, 0] as const

/**
 * `gather4*`: one component of the four texels of the bilinear square of the view's first mip, into out[at..at+3], bit for
 * bit. `component` is 0 to 3, ignored when comparing. Where the first mip is clamped off, the
 * component of what is out of bounds (0 compared, when comparing).
 */
export function gatherTexels(
  view: TexelView,
  sampler: Sampler,
  request: SampleRequest,
  component: number,
  out: Uint32Array,
  at: number,
): void {
  const c = begin(view, sampler, request)
  if (isClampedOff(view, 0) || Math.floor(view.minLod) > 0) {
    const compared = compare(sampler.comparison, c.reference, 0) ? 0x3f800000 : 0
    out.fill(c.compare ? compared : outsideBits(view.format, component), at, at + 4)
    return
  }
  fetchSquare(c, view.levels[0]!)
  for (let i = 0; i < 4; i++) out[at + i] = TAP_BITS[GATHER_ORDER[i]! * 4 + (c.compare ? 0 : component)]!
}
