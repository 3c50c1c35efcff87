import type { AddressMode, TexelView } from '../../machine/index.ts'
import { type Builder, constantOf, type Value } from '../ir/index.ts'

/** Coordinates of samples become texels: machine/sampling/address and the positions of machine/sampling/taps as values. */

const FRACTION_BITS = 12
const HALF = 0x3f000000
const TWO = 0x40000000
const TEN = 0x41200000
const MINUS_TEN = 0xc1200000
const STEPS = 0x45800000 // 4096
const STEP = 0x39800000 // 1 / 4096

/** A normalized coordinate brought near the texture. NaN stays and ends as texel 0. */
export function reduceRange(o: Builder, u: Value, mode: AddressMode): Value {
  switch (mode) {
    case 'wrap':
      return o.f32Sub(u, o.f32Floor(u))
    case 'mirror': {
      const half = o.f32Mul(u, o.constant(HALF))
      return o.f32Mul(o.f32Sub(half, o.f32Trunc(half)), o.constant(TWO))
    }
    case 'clamp':
    case 'border':
    case 'mirror_once': {
      const [low, high] = [o.constant(MINUS_TEN), o.constant(TEN)]
      return o.select(o.f32Less(u, low), low, o.select(o.f32Less(high, u), high, u))
    }
    default:
      return mode satisfies never
  }
}

/** x - floor(x / size) * size; the quotient of numbers below 2^22 never rounds up to the next integer. */
function modulo(o: Builder, x: Value, size: Value): Value {
  const quotient = o.f32ToI32(o.f32Floor(o.f32Div(o.i32ToF32(x), o.i32ToF32(size))))
  return o.i32Sub(x, o.i32Mul(quotient, size))
}

/** Texels of an axis: where they are and, under `border`, where there is none. */
export interface AxisTexel {
  readonly texel: Value
  readonly outside: Value | undefined
}

/** Where the first texel of a position may lie, before an address mode. */
interface Reach {
  /** Without offsets, wrap leaves at most one texel before the first and one after the last. */
  readonly near: boolean
  /** The size is a power of two. */
  readonly powers: boolean
}

/** Whether all extents of a view, and so those of its mips, are powers of two. */
export function hasPowersOfTwo(view: TexelView): boolean {
  const { width, height, depth } = view.levels[0]!
  return [width, height, depth].every((n) => (n & (n - 1)) === 0)
}

/** Whether an address mode takes the low bits of a texel's number. */
export const isMasked = (mode: AddressMode, { powers }: Pick<Reach, 'powers'>): boolean => mode === 'wrap' && powers

function wrapped(o: Builder, x: Value, size: Value, { near, powers }: Reach): Value {
  if (powers) return o.and(x, o.i32Sub(size, o.constant(1)))
  if (!near) return modulo(o, x, size)
  // -1 becomes the last texel, and the one after the last the first.
  const above = o.i32Add(x, o.and(size, o.shiftRightArithmetic(x, o.constant(31))))
  return o.and(above, o.i32Less(above, size))
}

function mirrored(o: Builder, x: Value, size: Value, reach: Reach): Value {
  const twice = o.i32Add(size, size)
  const back = (t: Value): Value => o.i32Sub(o.i32Sub(twice, o.constant(1)), t)
  if (!reach.near) {
    const t = modulo(o, x, twice)
    return o.select(o.i32Less(t, size), t, back(t))
  }
  // Within two textures' widths and a texel of 0 on either side.
  const t = o.xor(x, o.shiftRightArithmetic(x, o.constant(31)))
  const again = o.select(o.i32Less(t, twice), back(t), o.i32Sub(t, twice))
  return o.select(o.i32Less(t, size), t, again)
}

/** The texel an integer address stands for. */
export function applyAddress(o: Builder, x: Value, size: Value, mode: AddressMode, reach: Reach): AxisTexel {
  const zero = o.constant(0)
  const last = o.i32Sub(size, o.constant(1))
  const inside = (texel: Value): AxisTexel => ({ texel, outside: undefined })
  switch (mode) {
    case 'wrap':
      return inside(wrapped(o, x, size, reach))
    case 'mirror':
      return inside(mirrored(o, x, size, reach))
    case 'mirror_once':
      return inside(o.make('i32Min', [o.xor(x, o.shiftRightArithmetic(x, o.constant(31))), last]))
    case 'clamp':
      return inside(o.make('i32Max', [zero, o.make('i32Min', [x, last])]))
    case 'border': {
      const texel = o.make('i32Max', [zero, o.make('i32Min', [x, last])])
      return { texel, outside: o.not(o.i32Equal(texel, x)) }
    }
    default:
      return mode satisfies never
  }
}

/** A position on one axis: the first texel, and the weight of the one after it. */
export interface Position {
  readonly first: Value
  readonly fraction: Value
}

/** Whether a filter is linear: for all lanes, or by a mask. */
export type Linear = boolean | Value

/**
 * How far from 0 positions may be on an axis of a view's size, for the quick way to find their texels: 1024 texels. Code
 * is made for a class, so that views of all its sizes share it.
 */
type SizeClass = 0 | 1 | 2 | 3
export function sizeClassOf(view: TexelView): SizeClass {
  const { width, height, depth } = view.levels[0]!
  const largest = Math.max(width, height, depth)
  return largest <= 500 ? 0 : largest <= 960 ? 1 : largest <= 1024 ? 2 : 3
}

/**
 * Whether positions can be found the quick way. Wrap reduces them to one width of the texture, mirror to two on either side.
 * The others may be ten widths off: then the texel is still that of the edge, offset and all, but not the weight, which
 * matters where an edge's texel is not a plain number (`exact`).
 */
export function isNear(sizes: SizeClass, mode: AddressMode, exact: boolean): boolean {
  if (mode === 'wrap') return sizes <= 2
  return mode === 'mirror' ? sizes === 0 : sizes <= 1 && !exact
}

/** 1.5 * 2^11: added to a number below 2^10, it leaves the number in units of 2^-12, nearest even, in the low bits. */
const TO_STEPS = 0x45400000

/** The same as `locate` finds, in half the operations, for positions below 2^10; `wraps` as there. */
function locateNear(o: Builder, position: Value, offset: Value, linear: Linear, wraps: boolean): Position {
  const zero = o.constant(0)
  const number = o.select(o.f32Equal(position, position), position, zero)
  const steps = o.f32Add(number, o.constant(TO_STEPS))
  // What TO_STEPS adds to the whole texels is a multiple of 2^10.
  const added = wraps ? 0 : TO_STEPS >> FRACTION_BITS
  const whole = o.i32Sub(o.shiftRightArithmetic(steps, o.constant(FRACTION_BITS)), o.constant(added))
  const fraction = (): Value => o.f32Sub(steps, o.and(steps, o.constant(-(1 << FRACTION_BITS))))
  const weight = linear === false ? zero : linear === true ? fraction() : o.and(fraction(), linear)
  return { first: o.i32Add(whole, offset), fraction: weight }
}

/**
 * The texel under a reduced coordinate, or the two around it (7.18.7, 7.18.8), on an axis whose size is a float; `near` as isNear says.
 * With `wraps` the first texel is right but for a multiple of 2^10, which a mask of up to ten bits takes away.
 */
export function locate(
  o: Builder,
  reduced: Value,
  size: Value,
  offset: Value,
  linear: Linear,
  near: boolean,
  wraps = false,
): Position {
  const scaled = o.f32Mul(reduced, size)
  const half = o.constant(HALF)
  const back = linear === true ? half : linear === false ? undefined : o.and(linear, half)
  const position = back === undefined ? scaled : o.f32Sub(scaled, back)
  if (near) return locateNear(o, position, offset, linear, wraps)
  const fixed = o.f32ToI32(o.f32RoundNearestEven(o.f32Mul(position, o.constant(STEPS))))
  const first = o.i32Add(o.shiftRightArithmetic(fixed, o.constant(FRACTION_BITS)), offset)
  if (linear === false) return { first, fraction: o.constant(0) }
  const steps = o.and(fixed, o.constant(2 ** FRACTION_BITS - 1))
  const used = linear === true ? steps : o.and(steps, linear)
  return { first, fraction: o.f32Mul(o.i32ToF32(used), o.constant(STEP)) }
}

/** An array slice from a float: nearest even, clamped to the view (22.4.15). NaN is slice 0. */
export function sliceOf(o: Builder, value: Value, count: Value): Value {
  const nearest = o.f32ToI32(o.f32RoundNearestEven(value))
  const last = o.i32Sub(count, o.constant(1))
  return o.make('i32Max', [o.constant(0), o.make('i32Min', [nearest, last])])
}

/** Whether an offset is surely none. */
export const isNoOffset = (offset: Value): boolean => constantOf(offset) === 0
