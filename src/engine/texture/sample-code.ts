import { outsideBits } from '../../machine/format/index.ts'
import { hasQuickLevel, isAnisotropic, type Sampler, type Srv, type TextureSrv, type Uav } from '../../machine/index.ts'
import {
  type Builder,
  constantOf,
  type EffectItem,
  FILTER_NEEDS_EXACT,
  type TexelRequest,
  type Value,
  viewProperty,
} from '../ir/index.ts'
import { blendsTexels, type CopyKind } from './decoded-views.ts'
import { blend, blendAll, exactWhere, extreme, fullLerp, insteadWhere, plainLerp, reduceAll } from './filter-code.ts'
import { producesNoDenormal } from './normalized-filters.ts'
import { pack, unpackMips } from './packed-quads.ts'
import { fastMips, hasQuickMips, quickMips } from './quick-level.ts'
import { type Linear, sliceOf } from './sample-address.ts'
import { isOfCodes, sampleCodes } from './sample-codes.ts'
import { comparer } from './sample-compare.ts'
import { projectCube, type Vector } from './sample-cube.ts'
import { type Footprint, footprintOf, lodOfLength } from './sample-gradients.ts'
import { sampleLine } from './sample-line.ts'
import { biasedLod, chooseMips, clampLod, clampToMips, type MipChoice } from './sample-mips.ts'
import { sampleRows } from './sample-rows.ts'
import { type FetchedTaps, fetchTaps, isSame, placeTaps } from './sample-taps.ts'
import type { TapContext, TapPlaces } from './tap-context.ts'
import { storedFormat } from './texel-element.ts'
import { levelOf } from './texel-place.ts'

/**
 * Samples and gathers as values, for a view and sampler whose kinds are known: the machine's operations in the machine's
 * order (machine/sampling), so that results are equal bit for bit.
 */

type Texel = Extract<EffectItem, { kind: 'texel' }>

/** Arguments of a request by what they are (value.ts has their order). */
interface Arguments {
  readonly coordinates: readonly Value[]
  readonly offsets: readonly Value[]
  readonly lod: Value
  readonly bias: Value
  /** Derivatives in x and y, where the LOD comes from them. */
  readonly gradients: readonly [Vector, Vector] | undefined
  readonly reference: Value | undefined
  readonly lodClamp: Value | undefined
}

/** The six low bits of a word as a signed number (22.4.4). */
function programmableOffset(o: Builder, word: Value): Value {
  const count = o.constant(26)
  return o.shiftRightArithmetic(o.shiftLeft(word, count), count)
}

/** The LOD comes from derivatives, which the instruction has or the quad. */
const hasGradients = ({ lod }: TexelRequest): boolean => lod === 'gradients' || lod === 'derivatives' || lod === 'bias'

function argumentsOf(o: Builder, { args, request }: Texel): Arguments {
  let n = 4
  const next = (): Value => args[n++]!
  const fixed = request.offset.map((x) => o.constant(x))
  const offsets = request.computedOffset ? [0, 1].map(() => programmableOffset(o, next())) : fixed
  const lod = request.lod === 'explicit' ? next() : o.constant(0)
  const vector = (): Vector => [next(), next(), next()]
  const bias = request.lod === 'bias' ? next() : o.constant(0)
  const gradients = hasGradients(request) ? ([vector(), vector()] as const) : undefined
  const reference = request.compare ? next() : undefined
  const lodClamp = request.clamp ? next() : undefined
  return {
    coordinates: args.slice(0, 4),
    offsets: [...offsets, o.constant(0)],
    lod,
    bias,
    gradients,
    reference,
    lodClamp,
  }
}

/** Which coordinates are which depends on the view's dimension (22.4.15). */
function placeIn(
  o: Builder,
  view: TextureSrv,
  binding: number,
  [x, y, z, w]: readonly Value[],
): Pick<TapContext, 'axes' | 'coordinates' | 'slice' | 'face'> {
  const zero = o.constant(0)
  const count = viewProperty(o, binding, 'arraySize')
  const flat = (axes: 1 | 2 | 3, coordinates: readonly Value[], slice = zero): ReturnType<typeof placeIn> => {
    return { axes, coordinates, slice, face: undefined }
  }
  switch (view.dimension) {
    case 'texture1d':
      return flat(1, [x!])
    case 'texture1darray':
      return flat(1, [x!], sliceOf(o, y!, count))
    case 'texture2d':
    case 'texture2dms':
      return flat(2, [x!, y!])
    case 'texture2darray':
    case 'texture2dmsarray':
      return flat(2, [x!, y!], sliceOf(o, z!, count))
    case 'texture3d':
      return flat(3, [x!, y!, z!])
    case 'texturecube':
    case 'texturecubearray': {
      const { face, u, v } = projectCube(o, [x!, y!, z!])
      const six = o.constant(6)
      const cube = view.dimension === 'texturecube' ? zero : sliceOf(o, w!, o.u32Div(count, six))
      return { axes: 2, coordinates: [u, v], slice: o.i32Mul(cube, six), face }
    }
    default:
      return view.dimension satisfies never
  }
}

/** What an access runs on. */
interface Bound {
  readonly view: TextureSrv
  readonly sampler: Sampler
  /** What the copy holds that code reads; texels are stored by the view's format where absent. */
  readonly copy: CopyKind | undefined
}

function contextOf(
  o: Builder,
  item: Texel,
  { view, sampler, copy }: Bound,
  given: Arguments,
  wanted: readonly boolean[],
): TapContext {
  const { binding } = item.request
  const { reference } = given
  return {
    o,
    statement: item.statement,
    binding,
    view,
    sampler,
    stored: storedFormat(view.format, copy === 'floats' || undefined),
    ...placeIn(o, view, binding, given.coordinates),
    offsets: given.offsets,
    wanted,
    compare: reference === undefined ? undefined : comparer(o, view.format, sampler.comparison, reference),
  }
}

/** Components that differ from tap to tap. */
const varyingOf = (taps: FetchedTaps): number[] =>
  [0, 1, 2, 3].filter((i) => taps[i] !== undefined && !isSame(taps[i]!))

function blendTaps(c: TapContext, places: TapPlaces, taps: FetchedTaps): (Value | undefined)[] {
  const varying = varyingOf(taps)
  const all = varying.map((i) => taps[i]!)
  const { reduction } = c.sampler
  const reduces = c.compare === undefined && (reduction === 'minimum' || reduction === 'maximum')
  const results = reduces
    ? reduceAll(c.o, all, places.weights, reduction === 'minimum')
    : blendAll(c.o, all, places.weights, c.compare !== undefined || producesNoDenormal(c.view.format, c.sampler))
  return taps.map((t, i) => (varying.includes(i) ? results[varying.indexOf(i)] : t?.[0]))
}

/** Four floats a texel, two axes, no border: the filter that works on whole texels. */
function isWhole(c: TapContext, linear: Linear): boolean {
  const fits = c.stored.blockByteLength === 16 && c.stored.components.every((x) => x.encoding === 'float')
  return (
    fits && linear === true && c.axes === 2 && c.face === undefined && blendsTexels(c.sampler, c.compare !== undefined)
  )
}

/** Filters of rows of a decoded copy, whose blends are no denormals. Of blocks there are copies for other filters alone. */
const readsRows = (c: TapContext, linear: Linear): boolean =>
  isWhole(c, linear) && c.stored !== c.view.format && c.view.format.layout === 'linear'

function filterWhole(c: TapContext, places: TapPlaces): (Value | undefined)[] {
  const { o } = c
  const base = viewProperty(o, c.binding, 'base')
  const taps = places.offsets.map((offset) => o.i32Add(base, offset))
  const [u, v] = places.weights as [Value, Value]
  const results = [0, 1, 2, 3, FILTER_NEEDS_EXACT].map((n) => o.result(n))
  o.push({ kind: 'filter', statement: c.statement, taps, u, v, far: undefined, codeBits: undefined, results })
  const wanted = [0, 1, 2, 3].filter((i) => c.wanted[i])
  const exactBlends = (): Value[] => {
    const fetched = fetchTaps(c, places)
    return wanted.map((i) => blend(fullLerp(o), fetched[i]!, [u, v]))
  }
  const usual = wanted.map((i) => results[i]!)
  const blended = exactWhere(o, results[FILTER_NEEDS_EXACT]!, usual, exactBlends)
  return [0, 1, 2, 3].map((i) => (c.wanted[i] ? blended[wanted.indexOf(i)] : undefined))
}

/** One filter operation on one mip. Comparisons give one component. */
function sampleLevel(c: TapContext, mip: Value, linear: Linear): (Value | undefined)[] {
  const level = levelOf(c.o, c.statement, c.binding, mip)
  const places = placeTaps(c, level, linear)
  if (isWhole(c, linear)) return filterWhole(c, places)
  const taps = fetchTaps(c, places)
  return linear === false ? taps.map((t) => t?.[0]) : blendTaps(c, places, taps)
}

/** The mip or mips of a sample. */
function sampleMips(c: TapContext, mips: MipChoice): (Value | undefined)[] {
  const { o } = c
  if (readsRows(c, mips.linear)) return sampleRows(c, mips)
  const near = sampleLevel(c, mips.near, mips.linear)
  if (constantOf(mips.fraction) === 0) return near
  const { reduction } = c.sampler
  const needed = [0, 1, 2, 3].filter((i) => near[i] !== undefined && constantOf(near[i]!) === undefined)
  const blends = o.not(o.f32Equal(mips.fraction, o.constant(0)))
  const lerp = c.compare !== undefined || producesNoDenormal(c.view.format, c.sampler) ? plainLerp(o) : fullLerp(o)
  const reduces = c.compare === undefined && (reduction === 'minimum' || reduction === 'maximum')
  // A weight of 0 leaves what is near, so that lanes need no choice of their own.
  const blended = insteadWhere(
    o,
    reduces ? blends : o.make('anyLane', [blends]),
    needed.map((i) => near[i]!),
    () => {
      const far = sampleLevel(c, mips.far, mips.linear)
      return needed.map((i) => {
        if (reduction === 'minimum' || reduction === 'maximum') {
          return extreme(o, near[i]!, far[i]!, reduction === 'minimum')
        }
        return lerp(near[i]!, far[i]!, mips.fraction)
      })
    },
  )
  return near.map((v, i) => (needed.includes(i) ? blended[needed.indexOf(i)] : v))
}

/** Taps of the longest line of an anisotropic filter; undefined where the filter is none. */
function mostTaps(request: TexelRequest, view: TextureSrv, sampler: Sampler): number | undefined {
  return hasGradients(request) && isAnisotropic(view, sampler) ? Math.max(1, sampler.maxAnisotropy) : undefined
}

/** Views that have code. */
const hasCode = (view: Srv | Uav): view is TextureSrv => view.shape === 'texture' && view.kind === 'srv'

/** The footprint, where the LOD comes from derivatives. */
function footprint(
  o: Builder,
  item: Texel,
  view: TextureSrv,
  sampler: Sampler,
  given: Arguments,
): Footprint | undefined {
  const { gradients } = given
  if (gradients === undefined) return undefined
  const { request } = item
  const level = levelOf(o, item.statement, request.binding, o.constant(0))
  const [x, y, z] = given.coordinates as [Value, Value, Value]
  const most = mostTaps(request, view, sampler)
  return footprintOf(o, view, level, [x, y, z], gradients, request.lod !== 'gradients', most)
}

/** The LOD before bias and clamps. */
const lodOf = (o: Builder, found: Footprint | undefined, given: Arguments): Value =>
  found === undefined ? given.lod : lodOfLength(o, found.length())

/** The mips of a sample. */
function mipsOf(
  o: Builder,
  view: TextureSrv,
  sampler: Sampler,
  given: Arguments,
  found: Footprint | undefined,
): MipChoice {
  const exact = (): MipChoice => {
    const biased = biasedLod(o, lodOf(o, found, given), sampler, given.bias)
    return chooseMips(o, view, sampler, biased, given.lodClamp)
  }
  const isQuick = found !== undefined && isPlain(given) && hasQuickMips(view, sampler)
  return isQuick ? quickMips(o, view, sampler, found.square, exact) : exact()
}

/** The LOD is that of the footprint. */
const isPlain = ({ bias, lodClamp }: Arguments): boolean => constantOf(bias) === 0 && lodClamp === undefined

/** Whether all that follows from the derivatives is the same in each quad, and ends in a choice of mips. */
function isOncePerQuad(item: Texel, view: TextureSrv, sampler: Sampler, given: Arguments): boolean {
  const isImplicit = item.request.lod === 'derivatives' && !view.dimension.startsWith('texturecube')
  const hasLine = mostTaps(item.request, view, sampler) !== undefined
  return isImplicit && !hasLine && isPlain(given) && hasQuickMips(view, sampler)
}

/** The arguments with the derivatives of packed quads. */
function packed(o: Builder, given: Arguments): Arguments {
  const vector = ([x, y, z]: Vector): Vector => [pack(o, x), pack(o, y), pack(o, z)]
  const [x, y] = given.gradients!
  return { ...given, gradients: [vector(x), vector(y)] }
}

/** Code for a sample, or undefined where the host does it. */
export function expandSample(
  o: Builder,
  item: Texel,
  view: Srv | Uav,
  sampler: Sampler,
  copy: CopyKind | undefined,
  wanted: readonly boolean[],
): readonly (Value | undefined)[] | undefined {
  if (!hasCode(view)) return undefined
  if (!wanted.includes(true)) return []
  const { compare } = item.request
  // What reads where clamps leave no mip (5.8.5).
  const outside = (n: number): Value => o.constant(compare ? 0 : outsideBits(view.format, n))
  if (view.minLod > view.levels.length - 1) return wanted.map((w, n) => (w ? outside(n) : undefined))
  const given = argumentsOf(o, item)
  const c = contextOf(o, item, { view, sampler, copy }, given, wanted)
  const isPacked = isOncePerQuad(item, view, sampler, given)
  const found = footprint(o, item, view, sampler, isPacked ? packed(o, given) : given)
  const ofCodes = isOfCodes(o, item.request, view, sampler)
  const isFast = ofCodes && isPacked && hasQuickLevel(view, sampler)
  const chosen = isFast ? fastMips(o, view, sampler, found!.squares!) : mipsOf(o, view, sampler, given, found)
  const mips = isPacked ? unpackMips(o, chosen) : chosen
  const tap = (at: TapContext): (Value | undefined)[] =>
    ofCodes ? sampleCodes(at, mips, copy === 'codes') : sampleMips(at, mips)
  const isLine = found?.line !== undefined && mips.linear !== false
  const sampled = isLine ? sampleLine(c, mips.linear, found.line, tap) : tap(c)
  const results = c.compare === undefined ? sampled : wanted.map(() => sampled[0])
  const { off } = mips
  return results.map((v, n) => (v === undefined || off === undefined ? v : o.select(off, outside(n), v)))
}

/** The level of detail that a sample would use, clamped and not (22.5.6); undefined where the host works it out. */
export function expandLod(o: Builder, item: Texel, view: Srv | Uav, sampler: Sampler): readonly Value[] | undefined {
  if (!hasCode(view)) return undefined
  const zero = o.constant(0)
  const given = argumentsOf(o, item)
  const biased = biasedLod(o, lodOf(o, footprint(o, item, view, sampler, given), given), sampler, zero)
  const last = view.levels.length - 1
  const clamped = view.minLod > last ? zero : clampToMips(o, clampLod(o, biased, view, sampler, undefined), last)
  return [clamped, biased, zero, zero]
}

/** Taps of the square in the order of gather4: lower left, lower right, upper right, upper left (22.4.2). */
const GATHER_ORDER = [2, 3, 1, 0] as const

/** Code for a gather, or undefined where the host does it. */
export function expandGather(
  o: Builder,
  item: Texel,
  view: Srv | Uav,
  sampler: Sampler,
  wanted: readonly boolean[],
): readonly (Value | undefined)[] | undefined {
  const { request } = item
  if (!hasCode(view)) return undefined
  if (!wanted.includes(true)) return []
  const component = request.compare ? 0 : request.component
  const picked = [0, 1, 2, 3].map((i) => i === component)
  const c = contextOf(o, item, { view, sampler, copy: undefined }, argumentsOf(o, item), picked)
  if (Math.floor(view.minLod) > 0 || view.minLod > view.levels.length - 1) {
    const outside = o.constant(outsideBits(view.format, component))
    const nothing = c.compare === undefined ? outside : c.compare(o.constant(0))
    return wanted.map((w) => (w ? nothing : undefined))
  }
  const places = placeTaps(c, levelOf(o, item.statement, request.binding, o.constant(0)), true)
  // The line of a Texture1D is both rows of the square.
  const taps = fetchTaps(c, places)[component]!
  return wanted.map((w, i) => (w ? taps[GATHER_ORDER[i]! % taps.length] : undefined))
}
