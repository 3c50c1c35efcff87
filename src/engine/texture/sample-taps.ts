import type { Format } from '../../isa/formats/index.ts'
import { borderColor } from '../../machine/index.ts'
import { type Builder, constantOf, type Value } from '../ir/index.ts'
import { fetchTexels } from './fetch-texels.ts'
import { insteadWhere, meanOf3 } from './filter-code.ts'
import { producesNoDenormal } from './normalized-filters.ts'
import {
  type AxisTexel,
  applyAddress,
  hasPowersOfTwo,
  isMasked,
  isNear,
  isNoOffset,
  type Linear,
  locate,
  reduceRange,
  sizeClassOf,
} from './sample-address.ts'
import { acrossEdge, beyond, type CubeTexel } from './sample-cube.ts'
import type { TapContext, TapPlaces } from './tap-context.ts'
import type { Level } from './texel-place.ts'

/** The texels of one filter operation on one mip, as machine/sampling/taps finds, fetches and compares them. */

interface Axis {
  readonly texels: readonly AxisTexel[]
  readonly fraction: Value
}

const SIZES = ['width', 'height', 'depth'] as const
const MODES = ['addressU', 'addressV', 'addressW'] as const

function axisOf(c: TapContext, level: Level, n: number, linear: Linear): Axis {
  const { o } = c
  const mode = c.sampler[MODES[n]!]
  const size = level[SIZES[n]!]
  const offset = c.offsets[n]!
  // Where a single texel or moderate numbers are asked for, the weight beyond an edge does not matter.
  const exact = linear !== false && !(c.compare !== undefined || producesNoDenormal(c.view.format, c.sampler))
  const near = isNear(sizeClassOf(c.view), mode, exact)
  const reach = { near: isNoOffset(offset), powers: hasPowersOfTwo(c.view) }
  const reduced = reduceRange(o, c.coordinates[n]!, mode)
  const { first, fraction } = locate(o, reduced, o.i32ToF32(size), offset, linear, near, isMasked(mode, reach))
  const at = (x: Value): AxisTexel => applyAddress(o, x, size, mode, reach)
  const texels = linear === false ? [at(first)] : [at(first), at(o.i32Add(first, o.constant(1)))]
  return { texels, fraction }
}

const either = (o: Builder, a: Value | undefined, b: Value | undefined): Value | undefined =>
  a === undefined ? b : b === undefined ? a : o.or(a, b)

function neighborsOf(o: Builder, { texels }: Axis): Value | undefined {
  const [first, second] = texels
  return second === undefined ? undefined : o.i32Equal(second.texel, o.i32Add(first!.texel, o.constant(1)))
}

function plainPlaces(c: TapContext, level: Level, linear: Linear): TapPlaces {
  const { o } = c
  const axes = Array.from({ length: c.axes }, (_, n) => axisOf(c, level, n, linear))
  const pitches = [o.constant(c.stored.blockByteLength * c.view.sampleCount), level.rowPitch]
  if (c.axes === 3) pitches.push(level.slicePitch)
  const { offset: begin } = level
  const start = c.axes === 3 ? begin : o.i32Add(begin, o.i32Mul(c.slice, level.slicePitch))
  // From the farthest axis on, so that what rows share is computed once.
  let places: { offset: Value; outside: Value | undefined }[] = [{ offset: start, outside: undefined }]
  for (let n = axes.length - 1; n >= 0; n--) {
    places = places.flatMap((p) =>
      axes[n]!.texels.map((t) => ({
        offset: o.i32Add(p.offset, o.i32Mul(t.texel, pitches[n]!)),
        outside: either(o, p.outside, t.outside),
      })),
    )
  }
  return {
    offsets: places.map((p) => p.offset),
    outside: places.map((p) => p.outside),
    weights: axes.map((a) => a.fraction),
    neighbors: neighborsOf(o, axes[0]!),
    corners: undefined,
  }
}

/** The taps of a cube: those over an edge come from the neighboring face, which few lanes need. */
function cubePlaces(c: TapContext, level: Level, linear: Linear): TapPlaces {
  const { o } = c
  const face = c.face!
  const size = level.width
  const zero = o.constant(0)
  const last = o.i32Sub(size, o.constant(1))
  // A NaN among a direction's components may leave the others anywhere.
  const [u, v] = c.coordinates.map((x) => locate(o, x, o.i32ToF32(size), zero, linear, false)) as [Located, Located]
  const between = (least: Value, x: Value): Value => o.make('i32Max', [least, o.make('i32Min', [x, last])])
  const inside = (x: Value): Value => between(zero, x)
  const offsetOf = (t: CubeTexel): Value => {
    const slice = o.i32Add(c.slice, t.face)
    const start = o.i32Add(level.offset, o.i32Mul(slice, level.slicePitch))
    const bytes = o.constant(c.stored.blockByteLength)
    return o.i32Add(o.i32Add(start, o.i32Mul(t.y, level.rowPitch)), o.i32Mul(t.x, bytes))
  }
  if (linear === false) {
    // Point sampling stays on the face it projects to.
    const offset = offsetOf({ face, x: inside(u.first), y: inside(v.first) })
    return { offsets: [offset], weights: [], outside: [undefined], neighbors: undefined, corners: undefined }
  }
  // A filter leaves the face by one texel; where a lane's is a point after all, its one texel is in the face. The mask of
  // linear lanes is -1 there and 0 elsewhere.
  const least = linear === true ? o.constant(-1) : linear
  const first = (p: Located): Value => between(least, p.first)
  const [x, y] = [first(u), first(v)]
  const one = o.constant(1)
  const square = (px: readonly Value[], py: readonly Value[]): CubeTexel[] =>
    [0, 1, 2, 3].map((n) => ({ face, x: px[n & 1]!, y: py[n >> 1]! }))
  const [xs, ys] = [
    [x, o.i32Add(x, one)],
    [y, o.i32Add(y, one)],
  ]
  const texels = square(xs, ys)
  // Kept on the face for lanes that are not active: nothing corrects their addresses.
  const held = square(xs.map(inside), ys.map(inside))
  const over = texels.map((t) => beyond(o, t, size))
  const any = over.map((b) => o.or(b.u, b.v)).reduce((a, b) => o.or(a, b))
  const offsets = insteadWhere(o, any, held.map(offsetOf), () =>
    texels.map((t, n) => {
      const moved = acrossEdge(o, t, size)
      // The corner that does not exist is not read from anywhere: it is made of the others.
      const corner = o.and(over[n]!.u, over[n]!.v)
      const safe = (value: Value): Value => o.and(value, o.not(corner))
      return offsetOf({ face: safe(moved.face), x: safe(moved.x), y: safe(moved.y) })
    }),
  )
  return {
    offsets,
    weights: [u.fraction, v.fraction],
    outside: texels.map(() => undefined),
    neighbors: undefined,
    corners: over.map((b) => o.and(b.u, b.v)),
  }
}

type Located = ReturnType<typeof locate>

/** Finds the texels of an access on a mip. */
export function placeTaps(c: TapContext, level: Level, linear: Linear): TapPlaces {
  return c.face === undefined ? plainPlaces(c, level, linear) : cubePlaces(c, level, linear)
}

/** Sums of three integers have 34 bits; doubles hold them, and their quotient truncates as it should. */
function integerMean(o: Builder, texels: readonly Value[], signed: boolean): Value {
  const [a, b, c] = texels.map((t) => (signed ? o.i32ToF64(t) : o.u32ToF64(t)))
  const third = o.f64Div(o.f64Add(o.f64Add(a!, b!), c!), o.i32ToF64(o.constant(3)))
  return signed ? o.f64ToI32(third) : o.f64ToU32(third)
}

/** The tap that a cube's corner lacks: the mean of the other three, after comparison (7.18.12, 22.4.3). */
function synthesizeCorners(
  o: Builder,
  format: Format,
  components: readonly (readonly Value[])[],
  corners: readonly Value[],
): Value[][] {
  const mean = (t: readonly Value[]): Value =>
    format.result === 'float' ? meanOf3(o, t[0]!, t[1]!, t[2]!) : integerMean(o, t, format.result === 'sint')
  const any = corners.reduce((a, b) => o.or(a, b))
  const flat = insteadWhere(o, any, components.flat(), () =>
    components.flatMap((taps) =>
      taps.map((tap, n) => o.select(corners[n]!, mean(taps.filter((_, i) => i !== n)), tap)),
    ),
  )
  return components.map((_, c) => flat.slice(c * 4, c * 4 + 4))
}

/** A component of all taps; what the format does not store is a constant and the same everywhere. */
export type FetchedTaps = readonly (readonly Value[] | undefined)[]

/** Fetches the taps: four lists of values by component, undefined where it is not wanted. */
export function fetchTaps(c: TapContext, places: TapPlaces): FetchedTaps {
  const { o, view } = c
  const border = borderColor(view.format, c.sampler)
  const wanted = c.compare === undefined ? c.wanted : [true, false, false, false]
  const texels = fetchTexels(c, places, wanted).map((words, n) => {
    const outside = places.outside[n]
    const inside = words.map((w, i) =>
      w === undefined || outside === undefined ? w : o.select(outside, o.constant(border[i]!), w),
    )
    return c.compare === undefined ? inside : [c.compare(inside[0]!), undefined, undefined, undefined]
  })
  const components = [0, 1, 2, 3].map((i) => (texels[0]![i] === undefined ? undefined : texels.map((t) => t[i]!)))
  const { corners } = places
  if (corners === undefined) return components
  const present = [0, 1, 2, 3].filter((i) => components[i] !== undefined && !isSame(components[i]!))
  const kept = synthesizeCorners(
    o,
    view.format,
    present.map((i) => components[i]!),
    corners,
  )
  return components.map((taps, i) => (present.includes(i) ? kept[present.indexOf(i)] : taps))
}

/** The taps of a component that the format does not store. */
export const isSame = (taps: readonly Value[]): boolean =>
  constantOf(taps[0]!) !== undefined && taps.every((t) => t === taps[0])
