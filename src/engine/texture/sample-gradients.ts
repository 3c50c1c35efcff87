import type { Pair } from '../../isa/index.ts'
import type { TextureSrv } from '../../machine/index.ts'
import { type Builder, bitsOf, constantOf, type Value } from '../ir/index.ts'
import { cubeDerivatives, type Vector } from './sample-cube.ts'
import type { Level } from './texel-place.ts'

/**
 * Level of detail from derivatives as values: machine/sampling/lod step by step, each in float32 and without flushes
 * (7.18.11).
 */

/** Two derivative vectors in texels of the largest mip. */
interface Derivatives {
  readonly xu: Value
  readonly xv: Value
  readonly xw: Value
  readonly yu: Value
  readonly yv: Value
  readonly yw: Value
}

function arithmetic(o: Builder) {
  const mul = (a: Value, b: Value): Value => o.f32Mul(a, b)
  const dot2 = (a: Value, b: Value, c: Value, d: Value): Value => o.f32Add(mul(a, b), mul(c, d))
  // A sum of squares is not -0: nothing is added where there is no third.
  const squared = (u: Value, v: Value, w: Value): Value => {
    const plane = dot2(u, u, v, v)
    return constantOf(w) === 0 ? plane : o.f32Add(plane, mul(w, w))
  }
  const length3 = (u: Value, v: Value, w: Value): Value => o.f32Sqrt(squared(u, v, w))
  const number = (n: number): Value => o.constant(bitsOf(n))
  const isZero = (x: Value): Value => o.f32Equal(x, number(0))
  const isNumber = (x: Value): Value => o.f32LessEqual(o.and(x, o.constant(0x7fffffff)), o.constant(0x7f7fffff))
  return { mul, dot2, squared, length3, number, isZero, isNumber }
}

function derivativesOf(o: Builder, view: TextureSrv, level: Level, at: Vector, x: Vector, y: Vector): Derivatives {
  const zero = o.constant(0)
  const float = (n: Value): Value => o.i32ToF32(n)
  const [width, height, depth] = [float(level.width), float(level.height), float(level.depth)]
  if (view.dimension.startsWith('texturecube')) {
    const [xu, xv] = cubeDerivatives(o, at, x, width)
    const [yu, yv] = cubeDerivatives(o, at, y, width)
    return { xu, xv, xw: zero, yu, yv, yw: zero }
  }
  const line = view.dimension.startsWith('texture1d')
  const volume = view.dimension === 'texture3d'
  return {
    xu: o.f32Mul(x[0], width),
    yu: o.f32Mul(y[0], width),
    xv: line ? zero : o.f32Mul(x[1], height),
    yv: line ? zero : o.f32Mul(y[1], height),
    xw: volume ? o.f32Mul(x[2], depth) : zero,
    yw: volume ? o.f32Mul(y[2], depth) : zero,
  }
}

/** Chooses vectors where a mask has it. */
function choose(o: Builder, where: Value, a: Derivatives, b: Derivatives): Derivatives {
  const pick = (name: keyof Derivatives): Value => o.select(where, a[name], b[name])
  return { xu: pick('xu'), xv: pick('xv'), xw: pick('xw'), yu: pick('yu'), yv: pick('yv'), yw: pick('yw') }
}

/** The pair of plane vectors with the same lengths and angle as two in space, and where there is one. */
function flatten(o: Builder, d: Derivatives): { readonly d: Derivatives; readonly isPlane: Value } {
  const { mul, dot2, length3, isZero, isNumber } = arithmetic(o)
  const { xu, xv, xw, yu, yv, yw } = d
  const flat = o.and(isZero(xw), isZero(yw))
  const lengthX = length3(xu, xv, xw)
  const xy = o.f32Add(dot2(xu, yu, xv, yv), mul(xw, yw))
  const xx = o.f32Add(dot2(xu, xu, xv, xv), mul(xw, xw))
  const orthogonal = (a: Value, b: Value): Value => o.f32Sub(mul(a, xy), mul(b, xx))
  const [ou, ov, ow] = [orthogonal(xu, yu), orthogonal(xv, yv), orthogonal(xw, yw)]
  const along = o.f32Div(xy, lengthX)
  const across = o.f32Div(o.f32Add(dot2(yu, ou, yv, ov), mul(yw, ow)), length3(ou, ov, ow))
  const turned = o.and(isNumber(along), isNumber(across))
  const zero = o.constant(0)
  const plane = { xu: lengthX, xv: zero, xw: zero, yu: along, yv: across, yw: zero }
  const isTurned = o.and(turned, o.not(flat))
  return { d: choose(o, isTurned, plane, d), isPlane: o.or(flat, turned) }
}

/** The axes of the ellipse that two vectors span, where they are not zero, parallel, perpendicular or not finite. */
function orthogonalize(o: Builder, d: Derivatives, isPlane: Value): Derivatives {
  const { mul, dot2, number, isZero, isNumber } = arithmetic(o)
  const { xu, xv, yu, yv } = d
  const zero = number(0)
  const root = (x: Value): Value => o.f32Sqrt(x)
  const cross = o.f32Sub(mul(xu, yv), mul(yu, xv))
  const across = dot2(xu, yu, xv, yv)
  const b = mul(number(-2), dot2(xu, xv, yu, yv))
  const a = dot2(xv, xv, yv, yv)
  const c = dot2(xu, xu, yu, yu)
  const p = o.f32Sub(a, c)
  const t = root(dot2(p, p, b, b))
  const qt = o.f32Add(o.f32Add(a, c), t)
  const rising = o.f32LessEqual(zero, p)
  const [sum, difference] = [o.f32Add(t, p), o.f32Sub(t, p)]
  const bb = mul(b, b)
  const plus = o.select(rising, sum, o.f32Div(bb, difference))
  const minus = o.select(rising, o.f32Div(bb, sum), difference)
  const sign = o.select(o.f32Less(b, zero), number(-1), o.select(o.f32Less(zero, b), number(1), zero))
  const f = mul(cross, cross)
  const first = o.f32Div(f, mul(t, qt))
  const second = o.f32Div(qt, mul(number(4), t))
  const nxu = root(mul(first, plus))
  const nxv = mul(root(mul(first, minus)), sign)
  const nyu = mul(root(mul(second, minus)), o.xor(sign, o.constant(0x80000000)))
  const nyv = root(mul(second, plus))
  const isSkipped = [cross, across].map((x) => o.or(isZero(x), o.not(isNumber(x)))).reduce((x, y) => o.or(x, y))
  const isSound = [nxu, nxv, nyu, nyv].map(isNumber).reduce((x, y) => o.and(x, y))
  const isTurned = o.and(isPlane, o.and(isSound, o.not(isSkipped)))
  return choose(o, isTurned, { ...d, xu: nxu, xv: nxv, yu: nyu, yv: nyv }, d)
}

const DOUBLE = new Float64Array(1)
const WORDS = new Uint32Array(DOUBLE.buffer)

/** log2 of a number that is not negative, by the machine's series in doubles. Zero and denormals give -infinity. */
function log2(o: Builder, x: Value): Value {
  const double = (n: number): Pair<Value> => {
    DOUBLE[0] = n
    return [o.constant(WORDS[0]!), o.constant(WORDS[1]!)]
  }
  const fractionBits = o.and(x, o.constant(0x007fffff))
  // Above the square root of 2: half of it, and one more in the exponent.
  const above = o.i32Less(o.constant(0x003504f3), fractionBits)
  const m = o.f32ToF64(o.or(fractionBits, o.select(above, o.constant(0x3f000000), o.constant(0x3f800000))))
  const whole = o.i32Sub(o.i32Sub(o.shiftRightLogical(x, o.constant(23)), o.constant(127)), above)
  const s = o.f64Div(o.f64Add(m, double(-1)), o.f64Add(m, double(1)))
  const s2 = o.f64Mul(s, s)
  let series = double(1 / 23)
  for (let k = 21; k >= 1; k -= 2) series = o.f64Add(o.f64Mul(series, s2), double(1 / k))
  const part = o.f64Mul(o.f64Mul(o.f64Mul(double(2), s), series), double(Math.LOG2E))
  const finite = o.f64ToF32(o.f64Add(o.i32ToF64(whole), part))
  const infinity = o.constant(0x7f800000)
  const small = o.select(o.u32Less(x, o.constant(0x00800000)), o.constant(0xff800000), finite)
  const number = o.select(o.i32Equal(x, infinity), infinity, small)
  return o.select(o.f32Equal(x, x), number, o.constant(0x7fc00000))
}

function ellipseOf(o: Builder, view: TextureSrv, given: Derivatives): Derivatives {
  const always = { d: given, isPlane: o.constant(0xffffffff) }
  const { d: plane, isPlane } = view.dimension === 'texture3d' ? flatten(o, given) : always
  return orthogonalize(o, plane, isPlane)
}

/** What the derivatives of a sample come to (machine/sampling/lod). */
export interface Footprint {
  /** The length whose logarithm is the LOD before bias and clamps, and its square, which may overflow. */
  readonly length: () => Value
  readonly square: Value
  /** Squares of both derivatives where neither is an axis of an ellipse. */
  readonly squares: readonly [Value, Value] | undefined
  readonly line: Line | undefined
}

/** A line of anisotropy: how many taps there are along it, 1 to 16, and all of it in normalized coordinates. */
export interface Line {
  readonly taps: Value
  readonly u: Value
  readonly v: Value
}

function squaresOf(o: Builder, d: Derivatives): readonly [Value, Value] {
  const { squared } = arithmetic(o)
  return [squared(d.xu, d.xv, d.xw), squared(d.yu, d.yv, d.yw)]
}

/** The square of the length of a footprint that is sampled isotropically. */
function isotropic(o: Builder, d: Derivatives): Value {
  const [a, b] = squaresOf(o, d)
  // The greater, and a number rather than NaN: roots keep the order.
  const greater = o.select(o.f32Less(a, b), b, a)
  return o.select(o.f32Equal(a, a), greater, b)
}

/** The anisotropic footprint, for up to `most` taps. */
function anisotropic(o: Builder, level: Level, d: Derivatives, most: number): Footprint {
  const { mul, dot2, number } = arithmetic(o)
  const [zero, one, limit] = [number(0), number(1), number(most)]
  const [x, y] = [dot2(d.xu, d.xu, d.xv, d.xv), dot2(d.yu, d.yu, d.yv, d.yv)]
  const determinant = o.and(o.f32Sub(mul(d.xu, d.yv), mul(d.xv, d.yu)), o.constant(0x7fffffff))
  const isX = o.f32Less(y, x)
  const square = o.select(isX, x, y)
  const major = o.f32Sqrt(square)
  const full = o.f32Div(square, determinant)
  const isLong = o.f32Less(limit, full)
  const minor = o.select(isLong, o.f32Div(major, limit), o.f32Div(determinant, major))
  const kept = o.select(isLong, limit, full)
  const ratio = o.select(o.f32Less(minor, one), mul(kept, minor), kept)
  // No extent, or no number: nothing to be anisotropic about.
  const isLine = o.and(o.f32Less(zero, ratio), o.f32Less(zero, minor))
  const whole = o.f32ToI32(o.f32Ceil(o.f32Sub(ratio, number(1 / 64))))
  const count = o.constant(1)
  const length = o.select(isLine, minor, o.f32Sqrt(isotropic(o, d)))
  return {
    length: () => length,
    square: mul(length, length),
    squares: undefined,
    line: {
      taps: o.select(isLine, o.make('i32Max', [whole, count]), count),
      u: o.f32Div(o.select(isX, d.xu, d.yu), o.i32ToF32(level.width)),
      v: o.f32Div(o.select(isX, d.xv, d.yv), o.i32ToF32(level.height)),
    },
  }
}

/** The footprint of a sample whose derivatives were given or, `isImplicit`, are the quad's; `most` taps where it is anisotropic. */
export function footprintOf(
  o: Builder,
  view: TextureSrv,
  level: Level,
  at: Vector,
  [x, y]: readonly [Vector, Vector],
  isImplicit: boolean,
  most: number | undefined,
): Footprint {
  const given = derivativesOf(o, view, level, at, x, y)
  // Differences of a quad count as they are (docs/decisions/implicit-level-of-detail.md).
  const d = isImplicit && most === undefined ? given : ellipseOf(o, view, given)
  if (most !== undefined) return anisotropic(o, level, d, most)
  const square = isotropic(o, d)
  return { length: () => o.f32Sqrt(square), square, squares: squaresOf(o, d), line: undefined }
}

/** The LOD of a length, before bias and clamps. */
export const lodOfLength = (o: Builder, length: Value): Value => log2(o, length)
