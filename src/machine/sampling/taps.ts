import { codecOf, type TexelDecoder } from '../format/index.ts'
import type { Sampler } from '../sampler.ts'
import type { TexelView, ViewLevel } from '../view.ts'
import { elementOffset, placeInBlock } from './access.ts'
import { applyAddress, BORDER, reduceRange } from './address.ts'
import { fixedFloor, fixedFraction, lerp, max, meanOf3, min, toFixed } from './arithmetic.ts'
import { borderColor } from './border.ts'
import { compare } from './compare.ts'
import { acrossEdge, type FacePosition, type FaceTexel, faceToTexture, onFace, selectFace } from './cube.ts'
import type { SampleRequest } from './request.ts'

const fround = Math.fround

/**
 * The texels of one filter operation on one mip: up to eight, tap i at bit pattern zyx (bit 0: the right one in u, bit 1:
 * the lower one in v, bit 2: the farther one in w), four components each, as bits and as floats of the same memory.
 */
export const TAP_BITS = new Uint32Array(32)
const TAP_FLOATS = new Float32Array(TAP_BITS.buffer)

/** What stays the same over the taps of one access. */
export interface TapContext {
  view: TexelView
  sampler: Sampler
  decode: TexelDecoder
  /** First array slice of the access: the slice itself, or the first face of the cube. */
  slice: number
  /** Coordinates in normalized space; face coordinates 0 to 1 for cubes. */
  u: number
  v: number
  w: number
  face: number
  axes: 1 | 2 | 3
  cube: boolean
  offsetX: number
  offsetY: number
  offsetZ: number
  /** Filters are those of codes. */
  codes: boolean
  /** Compare the taps with `reference`, already in the format's precision. */
  compare: boolean
  reference: number
}

/** Texel positions of one axis: the first texel, and the weight of the one after it. */
interface Axis {
  first: number
  fraction: number
}
const U: Axis = { first: 0, fraction: 0 }
const V: Axis = { first: 0, fraction: 0 }
const W: Axis = { first: 0, fraction: 0 }

/** Point: the texel under the coordinate (7.18.7). Linear: the two around it, half a texel to the left (7.18.8). */
function locate(axis: Axis, reduced: number, size: number, offset: number, linear: boolean): void {
  const scaled = fround(reduced * size)
  const fixed = toFixed(linear ? fround(scaled - 0.5) : scaled)
  axis.first = fixedFloor(fixed) + offset
  axis.fraction = linear ? fixedFraction(fixed) : 0
}

const NEIGHBOR: FaceTexel = { face: 0, x: 0, y: 0 }

function fetchAt(c: TapContext, level: ViewLevel, x: number, y: number, slice: number, tap: number): void {
  c.decode(c.view.storage, elementOffset(c.view, level, x, y, slice), placeInBlock(c.view, x, y), TAP_BITS, tap * 4)
}

function fetchPlain(c: TapContext, level: ViewLevel, x: number, y: number, z: number, tap: number): void {
  const { sampler } = c
  const tx = applyAddress(x, level.width, sampler.addressU)
  const ty = c.axes > 1 ? applyAddress(y, level.height, sampler.addressV) : 0
  const tz = c.axes > 2 ? applyAddress(z, level.depth, sampler.addressW) : 0
  if (tx === BORDER || ty === BORDER || tz === BORDER) {
    TAP_BITS.set(borderColor(c.view.format, sampler), tap * 4)
    return
  }
  fetchAt(c, level, tx, ty, c.axes > 2 ? tz : c.slice, tap)
}

/** A cube tap; one step over an edge comes from the neighboring face. Answers false for the corner that does not exist. */
function fetchCube(c: TapContext, level: ViewLevel, x: number, y: number, tap: number): boolean {
  const size = level.width
  const overX = x < 0 || x >= size
  const overY = y < 0 || y >= size
  if (overX && overY) return false
  if (!overX && !overY) {
    fetchAt(c, level, x, y, c.slice + c.face, tap)
    return true
  }
  acrossEdge(c.face, x, y, size, NEIGHBOR)
  fetchAt(c, level, NEIGHBOR.x, NEIGHBOR.y, c.slice + NEIGHBOR.face, tap)
  return true
}

/** The components of a texel of the access's slice. */
export function fetchTexel(c: TapContext, level: ViewLevel, x: number, y: number): Float32Array {
  fetchAt(c, level, x, y, c.slice, 0)
  return TAP_FLOATS
}

function compareTap(c: TapContext, tap: number): void {
  TAP_FLOATS[tap * 4] = compare(c.sampler.comparison, c.reference, TAP_FLOATS[tap * 4]!) ? 1 : 0
}

/** The tap that a cube's corner lacks: the mean of the other three of the square, after comparison (7.18.12, 22.4.3). */
function synthesizeCorner(c: TapContext, tap: number): void {
  const [i, j, k] = [0, 1, 2, 3].filter((t) => t !== tap).map((t) => t * 4) as [number, number, number]
  const integer = c.view.format.result !== 'float'
  for (let n = 0; n < 4; n++) {
    if (integer) {
      const signed = c.view.format.result === 'sint'
      const at = (p: number): number => (signed ? TAP_BITS[p + n]! | 0 : TAP_BITS[p + n]!)
      TAP_BITS[tap * 4 + n] = Math.trunc((at(i) + at(j) + at(k)) / 3)
    } else {
      TAP_FLOATS[tap * 4 + n] = meanOf3(TAP_FLOATS[i + n]!, TAP_FLOATS[j + n]!, TAP_FLOATS[k + n]!)
    }
  }
}

/** Finds the texel square (line, cube) of a linear filter, or the one texel of a point filter. */
function locateAll(c: TapContext, level: ViewLevel, linear: boolean): void {
  const { sampler } = c
  if (c.cube) {
    locate(U, c.u, level.width, 0, linear)
    locate(V, c.v, level.width, 0, linear)
    W.first = W.fraction = 0
    // Point sampling stays on the face it projects to; a filter leaves it by one texel, also where a NaN among the
    // direction's components has left the others anywhere.
    const least = linear ? -1 : 0
    U.first = Math.max(least, Math.min(level.width - 1, U.first))
    V.first = Math.max(least, Math.min(level.width - 1, V.first))
    return
  }
  locate(U, reduceRange(c.u, sampler.addressU), level.width, c.offsetX, linear)
  V.first = V.fraction = W.first = W.fraction = 0
  if (c.axes > 1) locate(V, reduceRange(c.v, sampler.addressV), level.height, c.offsetY, linear)
  if (c.axes > 2) locate(W, reduceRange(c.w, sampler.addressW), level.depth, c.offsetZ, linear)
}

/** Fetches (and compares) the taps whose bits lie in `mask`. */
function fetchTaps(c: TapContext, level: ViewLevel, mask: number): void {
  let missing = -1
  for (let tap = 0; tap <= mask; tap++) {
    if ((tap & ~mask) !== 0) continue
    const x = U.first + (tap & 1)
    const y = V.first + ((tap >> 1) & 1)
    if (!c.cube) fetchPlain(c, level, x, y, W.first + (tap >> 2), tap)
    else if (!fetchCube(c, level, x, y, tap)) {
      missing = tap
      continue
    }
    if (c.compare) compareTap(c, tap)
  }
  if (missing >= 0) synthesizeCorner(c, missing)
}

/** The four taps of one depth, blended in u and then in v. `base` is the float index of the first one. */
function blendSquare(base: number): number {
  let near = TAP_FLOATS[base]!
  if (U.fraction > 0) near = lerp(near, TAP_FLOATS[base + 4]!, U.fraction)
  if (V.fraction === 0) return near
  let far = TAP_FLOATS[base + 8]!
  if (U.fraction > 0) far = lerp(far, TAP_FLOATS[base + 12]!, U.fraction)
  return lerp(near, far, V.fraction)
}

/** Blends the taps: u first, then v, then w. Taps of no weight were not fetched and are not looked at. */
function blendTaps(components: number, out: Float32Array): void {
  for (let n = 0; n < components; n++) {
    const near = blendSquare(n)
    out[n] = W.fraction === 0 ? near : lerp(near, blendSquare(n + 16), W.fraction)
  }
}

/** The least or greatest of the taps that have weight, by component (5.9.4.5.6). */
function reduceTaps(mask: number, least: boolean, out: Float32Array): void {
  for (let n = 0; n < 4; n++) {
    let value = TAP_FLOATS[n]!
    for (let tap = 1; tap <= mask; tap++) {
      if ((tap & ~mask) !== 0) continue
      const other = TAP_FLOATS[tap * 4 + n]!
      value = least ? min(value, other) : max(value, other)
    }
    out[n] = value
  }
}

/**
 * One filter operation on one mip into out[0..3], bits and floats of the same memory. A single texel is passed on bit for
 * bit. Comparisons give their scalar in all four components.
 */
export function sampleLevel(
  c: TapContext,
  level: ViewLevel,
  linear: boolean,
  outBits: Uint32Array,
  outFloats: Float32Array,
): void {
  locateAll(c, level, linear)
  const mask = (U.fraction > 0 ? 1 : 0) | (V.fraction > 0 ? 2 : 0) | (W.fraction > 0 ? 4 : 0)
  fetchTaps(c, level, mask)
  const { reduction } = c.sampler
  if (c.compare) {
    blendTaps(1, outFloats)
    outFloats[1] = outFloats[2] = outFloats[3] = outFloats[0]!
  } else if (mask === 0) {
    for (let n = 0; n < 4; n++) outBits[n] = TAP_BITS[n]!
  } else if (reduction === 'minimum' || reduction === 'maximum') {
    reduceTaps(mask, reduction === 'minimum', outFloats)
  } else {
    blendTaps(4, outFloats)
  }
}

/** Fetches the whole 2x2 square of the linear filter, whatever the weights: what gather4 returns (22.4.2). */
export function fetchSquare(c: TapContext, level: ViewLevel): void {
  locateAll(c, level, true)
  fetchTaps(c, level, 3)
}

const FACE: FacePosition = { face: 0, u: 0, v: 0, major: 0 }

/** A context to be filled by prepareTaps; one per caller, reused. */
export function tapContext(view: TexelView, sampler: Sampler): TapContext {
  return {
    view,
    sampler,
    decode: codecOf(view.format).decode,
    slice: 0,
    u: 0,
    v: 0,
    w: 0,
    face: 0,
    axes: 2,
    cube: false,
    offsetX: 0,
    offsetY: 0,
    offsetZ: 0,
    codes: false,
    compare: false,
    reference: 0,
  }
}

/** An array slice from a float: nearest even, clamped to the view (22.4.15). */
function sliceOf(value: number, count: number): number {
  // The common cases first; NaN fails both comparisons and ends as 0.
  const last = count - 1
  if (!(value > 0.5)) return 0
  if (value >= last) return last
  return value + 6755399441055744 - 6755399441055744
}

/** Fills a context from a request: which coordinates are which depends on the view's dimension (22.4.15). */
export function prepareTaps(c: TapContext, view: TexelView, sampler: Sampler, r: SampleRequest): void {
  c.view = view
  c.sampler = sampler
  c.decode = codecOf(view.format).decode
  c.slice = 0
  c.cube = false
  c.axes = 2
  c.u = r.x
  c.v = r.y
  c.w = 0
  c.offsetX = r.offsetX
  c.offsetY = r.offsetY
  c.offsetZ = r.offsetZ
  switch (view.dimension) {
    case 'texture1d':
      c.axes = 1
      break
    case 'texture1darray':
      c.axes = 1
      c.slice = sliceOf(r.y, view.arraySize)
      break
    case 'texture2d':
    case 'texture2dms':
      break
    case 'texture2darray':
    case 'texture2dmsarray':
      c.slice = sliceOf(r.z, view.arraySize)
      break
    case 'texture3d':
      c.axes = 3
      c.w = r.z
      break
    case 'texturecube':
    case 'texturecubearray':
      prepareCube(c, view, r)
      break
  }
}

function prepareCube(c: TapContext, view: TexelView, r: SampleRequest): void {
  c.cube = true
  c.face = selectFace(r.x, r.y, r.z)
  onFace(c.face, r.x, r.y, r.z, FACE)
  c.u = faceToTexture(FACE.u, FACE.major)
  c.v = faceToTexture(FACE.v, FACE.major)
  c.slice = view.dimension === 'texturecubearray' ? sliceOf(r.w, view.arraySize / 6) * 6 : 0
}
