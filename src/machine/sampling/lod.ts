import type { Sampler } from '../sampler.ts'
import type { TexelView } from '../view.ts'
import { log2, max, min } from './arithmetic.ts'
import { type FacePosition, onFace, selectFace } from './cube.ts'
import type { SampleRequest } from './request.ts'

const fround = Math.fround

/** What the footprint of a sample comes to: its LOD before bias and clamps, and the line of anisotropy. */
export interface Footprint {
  lod: number
  /** Taps along the line, 1 when isotropic. */
  taps: number
  /** The whole line of anisotropy in normalized coordinates. */
  lineU: number
  lineV: number
}

/** Two derivative vectors in texels of the largest mip. */
interface Derivatives {
  xu: number
  xv: number
  xw: number
  yu: number
  yv: number
  yw: number
}

const D: Derivatives = { xu: 0, xv: 0, xw: 0, yu: 0, yv: 0, yw: 0 }
const FACE: FacePosition = { face: 0, u: 0, v: 0, major: 0 }
const FACE_X: FacePosition = { face: 0, u: 0, v: 0, major: 0 }
const FACE_Y: FacePosition = { face: 0, u: 0, v: 0, major: 0 }

function mul(a: number, b: number): number {
  return fround(a * b)
}
function sum(a: number, b: number): number {
  return fround(a + b)
}
function root(a: number): number {
  return fround(Math.sqrt(a))
}
/** a * b + c * d, each step rounded. */
function dot2(a: number, b: number, c: number, d: number): number {
  return sum(mul(a, b), mul(c, d))
}
function length3(u: number, v: number, w: number): number {
  return root(sum(dot2(u, u, v, v), mul(w, w)))
}

/** One derivative on a cube face: (major * d' - c' * dMajor) / major^2, half of it times the size (7.18.11). */
function cubeDerivative(c: number, major: number, d: number, dMajor: number, size: number): number {
  const numerator = fround(mul(major, d) - mul(c, dMajor))
  return mul(mul(0.5, fround(numerator / mul(major, major))), size)
}

function loadCubeDerivatives(view: TexelView, r: SampleRequest): void {
  const size = view.levels[0]!.width
  const face = selectFace(r.x, r.y, r.z)
  onFace(face, r.x, r.y, r.z, FACE)
  onFace(face, r.ddxX, r.ddxY, r.ddxZ, FACE_X)
  onFace(face, r.ddyX, r.ddyY, r.ddyZ, FACE_Y)
  D.xu = cubeDerivative(FACE.u, FACE.major, FACE_X.u, FACE_X.major, size)
  D.xv = cubeDerivative(FACE.v, FACE.major, FACE_X.v, FACE_X.major, size)
  D.yu = cubeDerivative(FACE.u, FACE.major, FACE_Y.u, FACE_Y.major, size)
  D.yv = cubeDerivative(FACE.v, FACE.major, FACE_Y.v, FACE_Y.major, size)
  D.xw = D.yw = 0
}

function loadDerivatives(view: TexelView, r: SampleRequest): void {
  const { width, height, depth } = view.levels[0]!
  const { dimension } = view
  if (dimension === 'texturecube' || dimension === 'texturecubearray') {
    loadCubeDerivatives(view, r)
    return
  }
  const oneDimension = dimension === 'texture1d' || dimension === 'texture1darray'
  D.xu = mul(r.ddxX, width)
  D.yu = mul(r.ddyX, width)
  D.xv = oneDimension ? 0 : mul(r.ddxY, height)
  D.yv = oneDimension ? 0 : mul(r.ddyY, height)
  D.xw = dimension === 'texture3d' ? mul(r.ddxZ, depth) : 0
  D.yw = dimension === 'texture3d' ? mul(r.ddyZ, depth) : 0
}

/**
 * The pair of plane vectors with the same lengths and angle as two in space, for volume maps (7.18.11). Answers false,
 * changing nothing, for vectors that are zero, parallel or not finite.
 */
function flatten(d: Derivatives): boolean {
  const { xu, xv, xw, yu, yv, yw } = d
  if (xw === 0 && yw === 0) return true
  const lengthX = length3(xu, xv, xw)
  // dX x (dX x dY) = dX (dX . dY) - dY (dX . dX)
  const xy = sum(dot2(xu, yu, xv, yv), mul(xw, yw))
  const xx = sum(dot2(xu, xu, xv, xv), mul(xw, xw))
  const ou = fround(mul(xu, xy) - mul(yu, xx))
  const ov = fround(mul(xv, xy) - mul(yv, xx))
  const ow = fround(mul(xw, xy) - mul(yw, xx))
  const along = fround(xy / lengthX)
  const across = fround(sum(dot2(yu, ou, yv, ov), mul(yw, ow)) / length3(ou, ov, ow))
  if (!Number.isFinite(along) || !Number.isFinite(across)) return false
  d.xu = lengthX
  d.xv = d.xw = d.yw = 0
  d.yu = along
  d.yv = across
  return true
}

/**
 * Replaces the derivatives by the axes of the ellipse they span (Heckbert's transform). Skipped, as the section lists, for
 * vectors that are zero, parallel, perpendicular or not finite, and where the arithmetic overflows. The section's formulas
 * take differences of nearly equal numbers; with q^2 - t^2 = 4F and t^2 - p^2 = B^2 these are the same without them.
 */
function orthogonalize(d: Derivatives): void {
  const { xu, xv, yu, yv } = d
  const cross = fround(mul(xu, yv) - mul(yu, xv))
  const across = dot2(xu, yu, xv, yv)
  const b = mul(-2, dot2(xu, xv, yu, yv))
  if (cross === 0 || across === 0 || !Number.isFinite(cross) || !Number.isFinite(across)) return
  const a = dot2(xv, xv, yv, yv)
  const c = dot2(xu, xu, yu, yu)
  const p = fround(a - c)
  const t = root(dot2(p, p, b, b))
  const qt = sum(sum(a, c), t)
  const plus = p >= 0 ? sum(t, p) : fround(mul(b, b) / fround(t - p))
  const minus = p >= 0 ? fround(mul(b, b) / sum(t, p)) : fround(t - p)
  const sign = b < 0 ? -1 : b > 0 ? 1 : 0
  const f = mul(cross, cross)
  const first = fround(f / mul(t, qt))
  const second = fround(qt / mul(4, t))
  const nxu = root(mul(first, plus))
  const nxv = mul(root(mul(first, minus)), sign)
  const nyu = mul(root(mul(second, minus)), -sign)
  const nyv = root(mul(second, plus))
  if (!Number.isFinite(nxu + nxv + nyu + nyv)) return
  d.xu = nxu
  d.xv = nxv
  d.yu = nyu
  d.yv = nyv
}

function isotropic(d: Derivatives, out: Footprint): void {
  out.taps = 1
  out.lineU = out.lineV = 0
  out.lod = log2(max(length3(d.xu, d.xv, d.xw), length3(d.yu, d.yv, d.yw)))
}

/** The anisotropic footprint, step by step as 7.18.11 gives it, without the clamp of LOD to 0 it withdraws. */
function anisotropic(view: TexelView, sampler: Sampler, d: Derivatives, out: Footprint): void {
  const squaredX = dot2(d.xu, d.xu, d.xv, d.xv)
  const squaredY = dot2(d.yu, d.yu, d.yv, d.yv)
  const determinant = Math.abs(fround(mul(d.xu, d.yv) - mul(d.xv, d.yu)))
  const majorX = squaredX > squaredY
  const squaredMajor = majorX ? squaredX : squaredY
  const lengthMajor = root(squaredMajor)
  const limit = Math.max(1, sampler.maxAnisotropy)
  let ratio = fround(squaredMajor / determinant)
  let lengthMinor: number
  if (ratio > limit) {
    ratio = limit
    lengthMinor = fround(lengthMajor / ratio)
  } else {
    lengthMinor = fround(determinant / lengthMajor)
  }
  if (lengthMinor < 1) ratio = mul(ratio, lengthMinor)
  if (!(ratio > 0 && lengthMinor > 0)) {
    // No extent, or no number: nothing to be anisotropic about.
    isotropic(d, out)
    return
  }
  out.lod = log2(lengthMinor)
  // A sixty-fourth of slack, so that rounding does not double the taps of a round footprint.
  out.taps = Math.max(1, Math.ceil(ratio - 1 / 64))
  out.lineU = fround((majorX ? d.xu : d.yu) / view.levels[0]!.width)
  out.lineV = fround((majorX ? d.xv : d.yv) / view.levels[0]!.height)
}

/** Whether a sampler filters this view anisotropically: Texture2D and its arrays only (7.18.11). */
export function isAnisotropic(view: TexelView, sampler: Sampler): boolean {
  return sampler.anisotropic && (view.dimension === 'texture2d' || view.dimension === 'texture2darray')
}

/** LOD and line of anisotropy of a request, before bias and clamps; an explicit LOD is isotropic. */
export function footprint(view: TexelView, sampler: Sampler, r: SampleRequest, out: Footprint): void {
  out.taps = 1
  out.lineU = out.lineV = 0
  if (!r.derivatives) {
    out.lod = r.lod
    return
  }
  loadDerivatives(view, r)
  const anisotropy = isAnisotropic(view, sampler)
  // Differences of a quad are an approximation themselves: without anisotropy the longer one counts as it is, which the
  // section allows and rasterizers do (docs/decisions/implicit-level-of-detail.md).
  if ((anisotropy || !r.implicit) && flatten(D)) orthogonalize(D)
  if (anisotropy) anisotropic(view, sampler, D, out)
  else isotropic(D, out)
}

/**
 * The square of the longer derivative of a request that is a quad's difference, by which samples of the precision `fast` choose their mips; of
 * NaN 0.
 */
export function squaredLength(view: TexelView, r: SampleRequest): number {
  loadDerivatives(view, r)
  const x = dot2(D.xu, D.xu, D.xv, D.xv)
  const y = dot2(D.yu, D.yu, D.yv, D.yv)
  const positive = x > 0 ? x : 0
  return y > positive ? y : positive
}

/** LOD with the biases of sampler and instruction, each addition in float32. */
export function biasedLod(lod: number, sampler: Sampler, bias: number): number {
  return fround(fround(lod + sampler.mipLodBias) + bias)
}

/**
 * A biased LOD under the clamps of sampler, resource and instruction, in that order (7.18.11, 5.8, 5.9.4.5.4). Never NaN:
 * min and max prefer the number, so a NaN LOD becomes the sampler's maxLod. `lodClamp` 0 clamps nothing that matters.
 */
export function clampLod(biased: number, view: TexelView, sampler: Sampler, lodClamp: number): number {
  const bySampler = max(sampler.minLod, min(sampler.maxLod, biased))
  if (view.minLod === 0 && lodClamp === 0) return bySampler
  const byResource = view.minLod > 0 ? Math.max(view.minLod, bySampler) : bySampler
  return lodClamp > 0 ? Math.max(lodClamp, byResource) : byResource
}

/**
 * Bounds of a level of detail that choose as the clamps of sampler and resource do: below 0 and beyond the last mip nothing
 * changes any more, and minLod wins over maxLod.
 */
export function levelBounds(view: TexelView, sampler: Sampler): readonly [number, number] {
  const last = view.levels.length - 1
  const least = Math.max(0, sampler.minLod, view.minLod)
  return [Math.min(last, least), Math.min(last, Math.max(least, sampler.maxLod))]
}

/** Whether the clamps of resource and instruction leave no mip of the view: then every access is out of bounds (5.8.5). */
export function isClampedOff(view: TexelView, lodClamp: number): boolean {
  const last = view.levels.length - 1
  return view.minLod > last || lodClamp > last
}

const FOOTPRINT: Footprint = { lod: 0, taps: 1, lineU: 0, lineV: 0 }

/**
 * The `lod` instruction: out[at] is the clamped LOD that a sample would use, out[at+1] the LOD before any clamp (22.5.6).
 * Both float32 in a Float32Array. With all mips clamped off the first is 0.
 */
export function calculateLod(
  view: TexelView,
  sampler: Sampler,
  request: SampleRequest,
  out: Float32Array,
  at: number,
): void {
  footprint(view, sampler, request, FOOTPRINT)
  const biased = biasedLod(FOOTPRINT.lod, sampler, request.bias)
  const last = view.levels.length - 1
  const clamped = Math.max(0, Math.min(last, clampLod(biased, view, sampler, 0)))
  out[at] = isClampedOff(view, 0) ? 0 : clamped
  out[at + 1] = biased
}
