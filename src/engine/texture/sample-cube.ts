import type { Builder, Value } from '../ir/index.ts'

/** TextureCube coordinates as values: machine/sampling/cube, operation by operation. */

const HALF = 0x3f000000
const SIGN = 0x80000000

/** Masks of one face number's properties. */
interface FaceMasks {
  /** The axis that the face stands on. */
  readonly onX: Value
  readonly onY: Value
  /** The face looks along the negative axis. */
  readonly negative: Value
}

function masksOf(o: Builder, face: Value): FaceMasks {
  const axis = o.shiftRightLogical(face, o.constant(1))
  return {
    onX: o.i32Equal(axis, o.constant(0)),
    onY: o.i32Equal(axis, o.constant(1)),
    negative: o.i32Equal(o.and(face, o.constant(1)), o.constant(1)),
  }
}

/** Arithmetic of the components of a vector: floats of a direction, or integers of a texel. */
interface Numbers {
  readonly negate: (x: Value) => Value
  readonly magnitude: (x: Value) => Value
  readonly atLeast: (a: Value, b: Value) => Value
  readonly isNegative: (x: Value) => Value
}

function floats(o: Builder): Numbers {
  return {
    negate: (x) => o.xor(x, o.constant(SIGN)),
    magnitude: (x) => o.and(x, o.constant(~SIGN)),
    atLeast: (a, b) => o.f32LessEqual(b, a),
    isNegative: (x) => o.f32Less(x, o.constant(0)),
  }
}

function integers(o: Builder): Numbers {
  const negate = (x: Value): Value => o.i32Sub(o.constant(0), x)
  return {
    negate,
    magnitude: (x) => o.make('i32Max', [x, negate(x)]),
    atLeast: (a, b) => o.not(o.i32Less(a, b)),
    isNegative: (x) => o.i32Less(x, o.constant(0)),
  }
}

export type Vector = readonly [Value, Value, Value]

/** The face that a direction meets; ties go to Z, then Y, then X. NaN loses every comparison. */
function selectFace(o: Builder, n: Numbers, [x, y, z]: Vector): Value {
  const [ax, ay, az] = [n.magnitude(x), n.magnitude(y), n.magnitude(z)]
  const face = (axis: number, c: Value): Value =>
    o.select(n.isNegative(c), o.constant(2 * axis + 1), o.constant(2 * axis))
  const isZ = o.and(n.atLeast(az, ax), n.atLeast(az, ay))
  return o.select(isZ, face(2, z), o.select(n.atLeast(ay, ax), face(1, y), face(0, x)))
}

/** The components of a vector that are u and v of a face, with their signs. */
function onFace(o: Builder, n: Numbers, m: FaceMasks, [x, y, z]: Vector): { u: Value; v: Value } {
  const { onX, onY, negative } = m
  const signed = (c: Value, where: Value): Value => o.select(where, n.negate(c), c)
  // u: -z, z, x, x, x, -x; v: -y, -y, z, -z, -y, -y.
  const u = o.select(onX, signed(z, o.not(negative)), o.select(onY, x, signed(x, negative)))
  return { u, v: o.select(onY, signed(z, negative), n.negate(y)) }
}

interface CubePlace {
  readonly face: Value
  /** Texture coordinates on the face. */
  readonly u: Value
  readonly v: Value
}

/** A direction as a face and texture coordinates: c / major * 0.5 + 0.5, each step in float32. */
export function projectCube(o: Builder, direction: Vector): CubePlace {
  const n = floats(o)
  const [x, y, z] = direction
  const face = selectFace(o, n, direction)
  const m = masksOf(o, face)
  const { u, v } = onFace(o, n, m, direction)
  const along = o.select(m.onX, x, o.select(m.onY, y, z))
  const major = o.select(m.negative, n.negate(along), along)
  const half = o.constant(HALF)
  const coordinate = (c: Value): Value => o.f32Add(o.f32Mul(o.f32Div(c, major), half), half)
  return { face, u: coordinate(u), v: coordinate(v) }
}

/** A derivative of a direction on the face that it meets: (major * d' - c' * dMajor) / major^2, half of it times the size. */
export function cubeDerivatives(o: Builder, direction: Vector, d: Vector, size: Value): readonly [Value, Value] {
  const n = floats(o)
  const m = masksOf(o, selectFace(o, n, direction))
  const along = ([x, y, z]: Vector): Value => {
    const c = o.select(m.onX, x, o.select(m.onY, y, z))
    return o.select(m.negative, n.negate(c), c)
  }
  const [at, by] = [onFace(o, n, m, direction), onFace(o, n, m, d)]
  const [major, dMajor] = [along(direction), along(d)]
  const derivative = (c: Value, dc: Value): Value => {
    const numerator = o.f32Sub(o.f32Mul(major, dc), o.f32Mul(c, dMajor))
    const quotient = o.f32Div(numerator, o.f32Mul(major, major))
    return o.f32Mul(o.f32Mul(o.constant(HALF), quotient), size)
  }
  return [derivative(at.u, by.u), derivative(at.v, by.v)]
}

export interface CubeTexel {
  readonly face: Value
  readonly x: Value
  readonly y: Value
}

/** A vector of integers with the given face components; the inverse of onFace. */
function vectorOf(o: Builder, face: Value, u: Value, v: Value, major: Value): Vector {
  const n = integers(o)
  const { onX, onY, negative } = masksOf(o, face)
  const m = o.select(negative, n.negate(major), major)
  const [minusU, minusV] = [n.negate(u), n.negate(v)]
  // X faces: m, -v, -u or u; Y faces: u, m, v or -v; Z faces: u or -u, -v, m.
  const x = o.select(onX, m, o.select(o.and(o.not(onY), negative), minusU, u))
  const y = o.select(onY, m, minusV)
  const overX = o.select(negative, u, minusU)
  const overY = o.select(negative, minusV, v)
  return [x, y, o.select(onX, overX, o.select(onY, overY, m))]
}

/** Lanes whose texel lies beyond an edge of its face, in u and in v. */
export function beyond(o: Builder, t: CubeTexel, size: Value): { readonly u: Value; readonly v: Value } {
  return { u: o.not(o.u32Less(t.x, size)), v: o.not(o.u32Less(t.y, size)) }
}

/** The texel itself, or the one that a step over one edge reaches on the neighboring face. */
export function acrossEdge(o: Builder, t: CubeTexel, size: Value): CubeTexel {
  const n = integers(o)
  const over = beyond(o, t, size)
  const inner = (c: Value): Value => o.i32Sub(o.i32Add(o.i32Add(c, c), o.constant(1)), size)
  const edge = (c: Value): Value => o.select(n.isNegative(c), n.negate(size), size)
  const u = o.select(over.u, edge(t.x), inner(t.x))
  const v = o.select(o.and(over.v, o.not(over.u)), edge(t.y), inner(t.y))
  const distance = o.i32Sub(size, o.constant(1))
  const vector = vectorOf(o, t.face, u, v, distance)
  // Only the component that left has magnitude `size` now, so it decides the face.
  const face = selectFace(o, n, vector)
  const next = onFace(o, n, masksOf(o, face), vector)
  const texel = (c: Value): Value => o.shiftRightArithmetic(o.i32Add(c, distance), o.constant(1))
  const moved = o.or(over.u, over.v)
  return {
    face: o.select(moved, face, t.face),
    x: o.select(moved, texel(next.u), t.x),
    y: o.select(moved, texel(next.v), t.y),
  }
}
