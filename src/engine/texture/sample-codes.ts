import {
  type AddressMode,
  codeScale,
  filtersCodes,
  POSITION_BITS,
  type Sampler,
  type Srv,
  sumScale,
  type TexelView,
  type Uav,
  WEIGHT_BITS,
} from '../../machine/index.ts'
import {
  type Builder,
  bitsOf,
  constantOf,
  type FilterTaps,
  type TexelRequest,
  type Value,
  viewProperty,
} from '../ir/index.ts'
import { fetchTexels } from './fetch-texels.ts'
import { chooseValues } from './filter-code.ts'
import { packedOf } from './packed-quads.ts'
import { applyAddress, hasPowersOfTwo } from './sample-address.ts'
import type { MipChoice } from './sample-mips.ts'
import type { TapContext, TapPlaces } from './tap-context.ts'
import { levelOf, rowLevelOf } from './texel-place.ts'

/**
 * Samples of the precision `fast` whose filters are sums of whole numbers (machine/sampling/code-filter.ts): of a copy of the texture's codes,
 * or of the texture as it is.
 */

/** Whether a request may be one of codes, but for its view and sampler: without comparison and offsets. */
export const mayBeOfCodes = ({ compare, computedOffset, offset }: TexelRequest): boolean =>
  !compare && !computedOffset && offset.every((n) => n === 0)

/** Whether a sample is a sum of codes. */
export function isOfCodes(o: Builder, request: TexelRequest, view: Srv | Uav, sampler: Sampler): boolean {
  if (o.options.fastSamples !== true || view.shape !== 'texture') return false
  return mayBeOfCodes(request) && filtersCodes(view, sampler)
}

/** Bits of a component in the copy of a texture of codes. */
export const codeBitsOf = ({ format }: TexelView): 8 | 16 => (codeScale(format) < 256 ? 8 : 16)

const HALF = 1 << (POSITION_BITS - 1)
/** Added to a float32 below 2^14, it leaves the number in units of 2^-8, nearest even, in the low bits. */
const TO_POSITION = bitsOf(1.5 * 2 ** 15)

/** A coordinate within the texture, or NaN. */
function reduced(o: Builder, u: Value, mode: AddressMode): Value {
  if (mode === 'wrap') return o.f32Sub(u, o.f32Floor(u))
  return o.make('f32PseudoMin', [o.constant(bitsOf(1)), o.make('f32PseudoMax', [o.constant(0), u])])
}

/** The position of the first texel on axis `n`, in units of 2^-8. */
function positionOf(c: TapContext, n: 0 | 1, size: Value, last: () => Value): Value {
  const { o, sampler } = c
  const mode = n === 0 ? sampler.addressU : sampler.addressV
  const scaled = o.f32Mul(reduced(o, c.coordinates[n]!, mode), size)
  // Of NaN this is the position of 0.
  const steps = o.make('f32PseudoMax', [o.constant(TO_POSITION), o.f32Add(scaled, o.constant(TO_POSITION))])
  const position = o.i32Sub(steps, o.constant(TO_POSITION + HALF))
  if (mode === 'wrap') return position
  const most = o.shiftLeft(last(), o.constant(POSITION_BITS))
  return o.make('i32Max', [o.constant(0), o.make('i32Min', [position, most])])
}

const wholeOf = (o: Builder, position: Value): Value => o.shiftRightArithmetic(position, o.constant(POSITION_BITS))

/** Where the filter of a mip begins in the copy, and its positions. */
function copiedTaps(c: TapContext, mip: Value): FilterTaps {
  const { o } = c
  const level = rowLevelOf(o, c.statement, c.binding, mip)
  const [u, v] = ([0, 1] as const).map((n) => positionOf(c, n, level.sizes[n], () => level.last[n])) as [Value, Value]
  const inRow = o.i32Mul(wholeOf(o, u), o.constant(codeBitsOf(c.view)))
  const row = o.i32Add(level.begin, o.i32Mul(wholeOf(o, v), level.rowPitch))
  // Slices are as far from each other on all mips.
  const slice = o.i32Mul(c.slice, viewProperty(o, c.binding, 'slicePitch'))
  return { taps: [o.i32Add(o.i32Add(row, inRow), slice)], u, v }
}

function copiedSums(c: TapContext, mips: MipChoice, fraction: Value | undefined): Value[] {
  const { o, statement } = c
  const near = copiedTaps(c, mips.near)
  const far = fraction === undefined ? undefined : { ...copiedTaps(c, mips.far), fraction }
  const results = [0, 1, 2, 3].map((n) => o.result(n))
  o.push({ kind: 'filter', statement, ...near, far, codeBits: codeBitsOf(c.view), results })
  return results
}

/** Weights of a square's texels, first in u, then in v, which add up to `whole`. */
function weightsOf(o: Builder, u: Value, v: Value, whole: Value): Value[] {
  const part = (weight: Value, position: Value): Value =>
    o.shiftRightLogical(o.i32Mul(weight, o.and(position, o.constant(2 * HALF - 1))), o.constant(POSITION_BITS))
  const lower = part(whole, v)
  const upper = o.i32Sub(whole, lower)
  const [b, d] = [part(upper, u), part(lower, u)]
  return [o.i32Sub(upper, b), b, o.i32Sub(lower, d), d]
}

/** The texels of a mip's square where they lie in the texture, and their weights. */
function placesOf(c: TapContext, mip: Value, whole: Value): TapPlaces {
  const { o, sampler } = c
  const level = levelOf(o, c.statement, c.binding, mip)
  const sizes = [level.width, level.height] as const
  const modes = [sampler.addressU, sampler.addressV] as const
  const one = o.constant(1)
  const reach = { near: true, powers: hasPowersOfTwo(c.view) }
  const [x, y] = ([0, 1] as const).map((n) => {
    const position = positionOf(c, n, o.i32ToF32(sizes[n]), () => o.i32Sub(sizes[n], one))
    const first = wholeOf(o, position)
    const texels = [first, o.i32Add(first, one)].map((t) => applyAddress(o, t, sizes[n], modes[n], reach).texel)
    return { position, texels }
  }) as [{ position: Value; texels: Value[] }, { position: Value; texels: Value[] }]
  const slice = o.i32Add(level.offset, o.i32Mul(c.slice, level.slicePitch))
  const rows = y.texels.map((t) => o.i32Add(slice, o.i32Mul(t, level.rowPitch)))
  const bytes = o.constant(c.view.format.blockByteLength)
  return {
    offsets: rows.flatMap((row) => x.texels.map((t) => o.i32Add(row, o.i32Mul(t, bytes)))),
    weights: weightsOf(o, x.position, y.position, whole),
    outside: [],
    neighbors: o.i32Equal(x.texels[1]!, o.i32Add(x.texels[0]!, one)),
    corners: undefined,
  }
}

/** 1.5 * 2^23: added to a smaller number, it leaves the nearest whole number in the low bits. */
const TO_WHOLE = bitsOf(1.5 * 2 ** 23)

function addTexels(c: TapContext, mip: Value, whole: Value, sums: readonly Value[]): Value[] {
  const { o } = c
  const places = placesOf(c, mip, whole)
  const scale = o.constant(bitsOf(codeScale(c.view.format)))
  const codeOf = (component: Value): Value =>
    o.i32Sub(o.f32Add(o.f32Mul(component, scale), o.constant(TO_WHOLE)), o.constant(TO_WHOLE))
  let all = sums
  fetchTexels(c, places, c.wanted).forEach((texel, tap) => {
    const weight = places.weights[tap]!
    all = all.map((sum, n) => {
      const component = texel[n]
      return component === undefined ? sum : o.i32Add(sum, o.i32Mul(weight, codeOf(component)))
    })
  })
  return [...all]
}

function fetchedSums(c: TapContext, mips: MipChoice, fraction: Value | undefined): Value[] {
  const { o } = c
  const whole = o.constant(1 << WEIGHT_BITS)
  const none = [0, 1, 2, 3].map(() => o.constant(0))
  if (fraction === undefined) return addTexels(c, mips.near, whole, none)
  return addTexels(c, mips.far, fraction, addTexels(c, mips.near, o.i32Sub(whole, fraction), none))
}

/** 1.5 * 2^9: added to a weight that is a multiple of 2^-12 below 1, it leaves it in units of 2^-14 in the low bits. */
const TO_WEIGHT = bitsOf(1.5 * 2 ** (23 - WEIGHT_BITS))

/** The weight of the second mip in units of 2^-14. */
function weightOf(o: Builder, { fraction, isWeight }: MipChoice): Value {
  if (isWeight) return fraction
  const packed = packedOf(fraction)
  const weight = o.i32Sub(o.f32Add(packed, o.constant(TO_WEIGHT)), o.constant(TO_WEIGHT))
  return packed === fraction ? weight : o.make('unpackQuads', [weight])
}

/** A sample's components; `isCopied` where the code reads a copy of codes. */
export function sampleCodes(c: TapContext, mips: MipChoice, isCopied: boolean): (Value | undefined)[] {
  const { o } = c
  const sums = isCopied ? copiedSums : fetchedSums
  const near = (): Value[] => sums(c, mips, undefined)
  const hasWeight = (): Value => o.make('anyLane', [o.not(o.i32Equal(packedOf(mips.fraction), o.constant(0)))])
  const both = (): Value[] => sums(c, mips, weightOf(o, mips))
  const all = constantOf(mips.fraction) === 0 ? near() : chooseValues(o, hasWeight(), both, near)
  const scale = o.constant(bitsOf(sumScale(c.view.format)))
  return all.map((sum, n) => {
    if (!c.wanted[n]) return undefined
    const component = o.f32Mul(o.i32ToF32(sum), scale)
    o.addFacts(component, { flushed: true })
    return component
  })
}
