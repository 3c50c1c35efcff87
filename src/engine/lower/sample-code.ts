import {
  type AddressMode,
  createSampler,
  type Sampler,
  type Srv,
  type TextureSrv,
  type Uav,
} from '../../machine/index.ts'
import type { Builder } from './builder.ts'
import { constantOf } from './facts.ts'
import { descriptorWord, isPlain, loadDwords } from './texel-code.ts'
import { canDecode, decodeElement, dwordsOf } from './texel-format.ts'
import type { EffectItem, IfPhi, Value } from './value.ts'

/**
 * Samples of a Texture2D with one mip, point or bilinear, as values: the machine's operations in the machine's order
 * (machine/sampling), so that results are equal bit for bit. Other views, mips, comparisons, minimum and maximum filters
 * are left to the host.
 */

type Texel = Extract<EffectItem, { kind: 'texel' }>

const FRACTION_BITS = 12
/** A slot without a sampler has Direct3D's default sampler state. */
const DEFAULT_SAMPLER: Sampler = createSampler().value!

const HALF = 0x3f000000
const TWO = 0x40000000
const TEN = 0x41200000
const MINUS_TEN = 0xc1200000
const STEPS = 0x45800000 // 4096
const STEP = 0x39800000 // 1 / 4096

/** A normalized coordinate brought near the texture (machine/sampling/address). NaN stays and ends as texel 0. */
function reduceRange(o: Builder, u: Value, mode: AddressMode): Value {
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

/** The texel an integer address stands for. Wrap and mirror see at most one texture's width beyond either end. */
function applyAddress(o: Builder, x: Value, size: Value, mode: AddressMode): Value {
  const zero = o.constant(0)
  const last = o.i32Sub(size, o.constant(1))
  const folded = (): Value => o.select(o.i32Less(x, zero), o.not(x), x)
  switch (mode) {
    case 'wrap': {
      const above = o.select(o.i32Less(x, zero), o.i32Add(x, size), x)
      return o.select(o.i32Less(above, size), above, o.i32Sub(above, size))
    }
    case 'mirror': {
      const t = folded()
      const twice = o.i32Add(size, size)
      const back = o.i32Sub(o.i32Sub(twice, o.constant(1)), t)
      const again = o.select(o.i32Less(t, twice), back, o.i32Sub(t, twice))
      return o.select(o.i32Less(t, size), t, again)
    }
    case 'mirror_once':
      return o.make('i32Min', [folded(), last])
    case 'clamp':
    case 'border':
      return o.make('i32Max', [zero, o.make('i32Min', [x, last])])
    default:
      return mode satisfies never
  }
}

/** Texel positions of one axis: the first texel, the one after it, and its weight. */
interface Axis {
  readonly texels: readonly [Value, Value]
  readonly fraction: Value
}

function locate(o: Builder, u: Value, size: Value, offset: number, mode: AddressMode, linear: boolean): Axis {
  const scaled = o.f32Mul(reduceRange(o, u, mode), o.u32ToF32(size))
  const position = linear ? o.f32Sub(scaled, o.constant(HALF)) : scaled
  const fixed = o.f32ToI32(o.f32RoundNearestEven(o.f32Mul(position, o.constant(STEPS))))
  const whole = o.shiftRightArithmetic(fixed, o.constant(FRACTION_BITS))
  const first = o.i32Add(whole, o.constant(offset))
  const second = o.i32Add(first, o.constant(1))
  const steps = o.and(fixed, o.constant(2 ** FRACTION_BITS - 1))
  return {
    texels: [applyAddress(o, first, size, mode), applyAddress(o, second, size, mode)],
    fraction: linear ? o.f32Mul(o.u32ToF32(steps), o.constant(STEP)) : o.constant(0),
  }
}

type Lerp = (a: Value, b: Value, t: Value) => Value

/** The blend of numbers that are known not to meet denormals or infinities. */
function plainLerp(o: Builder): Lerp {
  return (a, b, t) => {
    const blended = o.f32Add(a, o.f32Mul(o.f32Sub(b, a), t))
    return o.select(o.f32Equal(t, o.constant(0)), a, blended)
  }
}

/** The blend of any numbers: every operation flushes, and differences that are not finite are avoided. */
function fullLerp(o: Builder): Lerp {
  const flush = (x: Value): Value => (o.facts(x).flushed ? x : o.make('flushDenormal', [x]))
  const add = (a: Value, b: Value): Value => flush(o.f32Add(a, b))
  const mul = (a: Value, b: Value): Value => flush(o.f32Mul(flush(a), flush(b)))
  const largest = o.constant(0x7f7fffff)
  return (a, b, t) => {
    const from = flush(a)
    const to = flush(b)
    const difference = flush(o.f32Sub(to, from))
    const inRange = o.f32LessEqual(o.and(difference, o.constant(0x7fffffff)), largest)
    const near = add(from, mul(difference, t))
    const far = add(mul(from, o.f32Sub(o.constant(0x3f800000), t)), mul(to, t))
    return o.select(o.f32Equal(t, o.constant(0)), a, o.select(inRange, near, far))
  }
}

/** The four taps of one component, first in u. */
type Square = readonly [Value, Value, Value, Value]

function blend(lerp: Lerp, s: Square, u: Value, v: Value): Value {
  return lerp(lerp(s[0], s[1], u), lerp(s[2], s[3], u), v)
}

/** Twice the bits (so without the sign) of the numbers 2^-40 and 2^60. */
const SAFE_LEAST = 0x57000000
const SAFE_END = 0xbb000000

/**
 * Whether some tap is neither 0 nor of moderate size. Otherwise all taps are multiples of 2^-63, so that with weights in
 * steps of 2^-12 everything in a blend is a multiple of 2^-87, hence no denormal, and nothing overflows.
 */
function isDelicate(o: Builder, squares: readonly Square[]): Value {
  let greatest = o.constant(0)
  let least = o.constant(0xffffffff)
  for (const tap of squares.flat()) {
    const twice = o.i32Add(tap, tap)
    greatest = o.make('u32Max', [greatest, twice])
    // 0 becomes the greatest number and does not count.
    least = o.make('u32Min', [least, o.i32Sub(twice, o.constant(1))])
  }
  const inside = o.and(o.u32Less(greatest, o.constant(SAFE_END)), o.not(o.u32Less(least, o.constant(SAFE_LEAST - 1))))
  return o.not(inside)
}

/** Blends all squares, quickly where that is exact; the careful way is code that is nearly never entered. */
function blendAll(o: Builder, squares: readonly Square[], u: Value, v: Value, moderate: boolean): Value[] {
  const quick = squares.map((s) => blend(plainLerp(o), s, u, v))
  if (moderate) return quick
  let careful: Value[] = []
  const condition = isDelicate(o, squares)
  const taken = o.inside(false, () => {
    careful = squares.map((s) => blend(fullLerp(o), s, u, v))
  })
  const otherwise = o.inside(false, () => {})
  const phis: IfPhi[] = quick.map((q, i) => ({ value: o.phi(), taken: careful[i]!, otherwise: q }))
  o.push({ kind: 'if', condition, taken, otherwise, phis })
  return phis.map((p) => p.value)
}

/** Filters of one mip that do not depend on the level of detail, or undefined. */
function isLinear(view: TextureSrv, sampler: Sampler): boolean | undefined {
  if (view.format.capabilities.filter === 'none') return false
  return sampler.min === sampler.mag ? sampler.mag === 'linear' : undefined
}

function hasCode(item: Texel, view: Srv | Uav, sampler: Sampler): view is TextureSrv {
  const { request } = item
  if (view.shape !== 'texture' || view.kind !== 'srv' || view.dimension !== 'texture2d') return false
  if (!isPlain(view) || view.levels.length > 1 || !canDecode(view.format) || view.format.result !== 'float')
    return false
  if (request.compare || request.clamp || request.lod === 'gradients' || sampler.reduction !== 'standard') return false
  const [du, dv] = request.offset
  const repeats = (mode: AddressMode): boolean => mode === 'wrap' || mode === 'mirror'
  if ((repeats(sampler.addressU) && du !== 0) || (repeats(sampler.addressV) && dv !== 0)) return false
  return sampler.addressU !== 'border' && sampler.addressV !== 'border'
}

/** Code for a sample, or undefined where the host does it. */
export function expandSample(
  o: Builder,
  item: Texel,
  view: Srv | Uav,
  given: Sampler | undefined,
  wanted: readonly boolean[],
): readonly (Value | undefined)[] | undefined {
  const sampler = given ?? DEFAULT_SAMPLER
  if (!hasCode(item, view, sampler)) return undefined
  const linear = isLinear(view, sampler)
  if (linear === undefined) return undefined
  const { binding, offset } = item.request
  const { format } = view
  const word = (name: 'width' | 'height' | 'rowPitch'): Value => descriptorWord(o, binding, name)
  const u = locate(o, item.args[0]!, word('width'), offset[0], sampler.addressU, linear)
  const v = locate(o, item.args[1]!, word('height'), offset[1], sampler.addressV, linear)
  const dwords = dwordsOf(format, wanted)
  const tap = (x: 0 | 1, y: 0 | 1): (Value | undefined)[] => {
    const row = o.i32Mul(v.texels[y], word('rowPitch'))
    const place = o.i32Add(o.i32Mul(u.texels[x], o.constant(format.blockByteLength)), row)
    const address = {
      space: { kind: 'buffer', binding, writable: false },
      index: undefined,
      offset: place,
      stride: 0,
      valid: o.constant(0xffffffff),
    } as const
    return decodeElement(o, format, loadDwords(o, item.statement, address, dwords), wanted)
  }
  const first = tap(0, 0)
  if (!linear) return first
  const taps = [first, tap(1, 0), tap(0, 1), tap(1, 1)] as const
  // Missing components are constants, the same at every tap.
  const blended = [0, 1, 2, 3].filter((c) => first[c] !== undefined && constantOf(first[c]!) === undefined)
  const squares = blended.map((c) => taps.map((t) => t[c]!) as unknown as Square)
  const moderate = format.components.every((c) => c.encoding !== 'float')
  const results = blendAll(o, squares, u.fraction, v.fraction, moderate)
  return first.map((value, c) => (blended.includes(c) ? results[blended.indexOf(c)] : value))
}
