import type { ContentsCheck } from '../model.ts'
import { readScalar, SCALAR_BYTES, type ScalarType } from '../values/scalars.ts'

/** What comparing two byte strings of one length gave. */
export interface Comparison {
  /** Values compared. */
  readonly total: number
  readonly different: number
  /** Byte offsets of the first values that differ. */
  readonly first: readonly number[]
  /** The values that are furthest off, allowed or not, of comparisons of numbers. */
  readonly greatest: readonly Greatest[]
}

/** The value that is furthest off by one measure. */
export interface Greatest {
  readonly by: 'abs' | 'rel' | 'ulps'
  readonly difference: number
  readonly at: number
}

type Bounds = Pick<ContentsCheck, 'compare' | 'abs' | 'rel' | 'ulps'>

/** Offsets kept: more than are shown, since several may lie in one texel. */
const MAX_FIRST = 64

type FloatType = 'f16' | 'f32' | 'f64'

/** Floats in their order as whole numbers, so that neighbors are 1 apart and both zeros are 0. */
function ordinal(view: DataView, at: number, type: FloatType): number | bigint {
  if (type === 'f64') {
    const bits = view.getBigUint64(at, true)
    const sign = 1n << 63n
    return bits >= sign ? -(bits - sign) : bits
  }
  const bits = type === 'f32' ? view.getUint32(at, true) : view.getUint16(at, true)
  const sign = type === 'f32' ? 0x80000000 : 0x8000
  return bits >= sign ? -(bits - sign) : bits
}

/** Steps of a type from one float to another. */
function ulpDistance(got: DataView, want: DataView, at: number, type: FloatType): number {
  const [a, b] = [ordinal(got, at, type), ordinal(want, at, type)]
  if (typeof a === 'bigint' && typeof b === 'bigint') return Number(a > b ? a - b : b - a)
  return Math.abs(Number(a) - Number(b))
}

/** Keeps the greatest of each measure. */
class Extremes {
  readonly #found = new Map<Greatest['by'], Greatest>()

  see(by: Greatest['by'], difference: number, at: number): void {
    if (difference > (this.#found.get(by)?.difference ?? 0)) this.#found.set(by, { by, difference, at })
  }

  list(): Greatest[] {
    return [...this.#found.values()]
  }
}

/** The two contents of a comparison. */
interface Sides {
  readonly got: DataView
  readonly want: DataView
  readonly extremes: Extremes
}

function floatFits({ got, want, extremes }: Sides, at: number, type: FloatType, b: Bounds): boolean {
  const g = readScalar(got, at, type)
  const w = readScalar(want, at, type)
  // One NaN is as good as another: Direct3D does not keep payloads.
  if (Number.isNaN(w) || Number.isNaN(g)) return Number.isNaN(w) && Number.isNaN(g)
  if (g === w) return true
  if (!Number.isFinite(g) || !Number.isFinite(w)) return false
  const difference = Math.abs(g - w)
  const distance = ulpDistance(got, want, at, type)
  extremes.see('abs', difference, at)
  if (w !== 0) extremes.see('rel', difference / Math.abs(w), at)
  extremes.see('ulps', distance, at)
  return difference <= b.abs + b.rel * Math.abs(w) || distance <= b.ulps
}

/**
 * Values from the start on that differ by more than the bounds allow. `exact` compares 32-bit words (a rest of 1 to 3
 * bytes counts as one), `u8` bytes, the float types floats: `|got - want| <= abs + rel * |want|`, or at most `ulps` steps.
 */
export function compareBytes(got: Uint8Array, want: Uint8Array, b: Bounds): Comparison {
  const size = b.compare === 'exact' ? 4 : b.compare === 'u8' ? 1 : SCALAR_BYTES[b.compare satisfies ScalarType]
  const sides = { got: viewOf(got), want: viewOf(want), extremes: new Extremes() }
  const first: number[] = []
  let different = 0
  const total = Math.ceil(want.length / size)
  for (let i = 0; i < total; i++) {
    const at = i * size
    if (at + size > want.length ? restFits(got, want, at) : valueFits(sides, at, b)) continue
    different++
    if (first.length < MAX_FIRST) first.push(at)
  }
  return { total, different, first, greatest: sides.extremes.list() }
}

function valueFits(sides: Sides, at: number, b: Bounds): boolean {
  const { got, want, extremes } = sides
  switch (b.compare) {
    case 'exact':
      return got.getUint32(at) === want.getUint32(at)
    case 'u8': {
      const difference = Math.abs(got.getUint8(at) - want.getUint8(at))
      extremes.see('abs', difference, at)
      return difference <= b.abs
    }
    default:
      return floatFits(sides, at, b.compare, b)
  }
}

function restFits(got: Uint8Array, want: Uint8Array, at: number): boolean {
  return want.subarray(at).every((byte, i) => byte === got[at + i])
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

/** How values are compared that belong together: the components of a texel, the words of a record. */
export interface GroupBounds {
  readonly compare: ContentsCheck['compare'] | 'u16'
  /** Bounds of each component in turn; one for all where there is one. */
  readonly abs: readonly number[]
  readonly rel: readonly number[]
  /** Bytes that are one: they differ where any value of them does. */
  readonly groupBytes: number
  /** Words of each record of `stride` bytes that must be equal. */
  readonly exactWords: readonly number[]
  readonly stride: number
}

const isExactWord = (b: GroupBounds, at: number): boolean =>
  b.exactWords.length > 0 && b.exactWords.includes(Math.floor((at % b.stride) / 4))

function u16Fits({ got, want, extremes }: Sides, at: number, abs: number): boolean {
  const difference = Math.abs(got.getUint16(at, true) - want.getUint16(at, true))
  extremes.see('abs', difference, at)
  return difference <= abs
}

/** Calls back for each value of two contents of one length, with whether it lies within its bounds. */
function eachValue(sides: Sides, b: GroupBounds, visit: (at: number, fits: boolean) => void): void {
  // Contents that must be equal are compared byte by byte, since texels may have any length.
  const compare = b.compare === 'exact' ? 'u8' : b.compare
  const size = SCALAR_BYTES[compare]
  const isExact = b.compare === 'exact'
  for (let at = 0; at + size <= sides.want.byteLength; at += size) {
    const i = at / size
    const bounds = { abs: isExact ? 0 : b.abs[i % b.abs.length]!, rel: b.rel[i % b.rel.length]!, ulps: 0 }
    if (isExactWord(b, at)) visit(at, sides.got.getUint32(at - (at % 4)) === sides.want.getUint32(at - (at % 4)))
    else if (compare === 'u16') visit(at, u16Fits(sides, at, bounds.abs))
    else visit(at, valueFits(sides, at, { compare, ...bounds }))
  }
}

/** As compareBytes, with the groups counted instead of the values. */
export function compareGroups(got: Uint8Array, want: Uint8Array, b: GroupBounds): Comparison {
  const sides = { got: viewOf(got), want: viewOf(want), extremes: new Extremes() }
  const first: number[] = []
  let [different, last] = [0, -1]
  eachValue(sides, b, (at, fits) => {
    const group = Math.floor(at / b.groupBytes)
    if (fits || group === last) return
    last = group
    different++
    if (first.length < MAX_FIRST) first.push(at)
  })
  const greatest = b.compare === 'exact' ? [] : sides.extremes.list()
  return { total: Math.ceil(want.length / b.groupBytes), different, first, greatest }
}

/** How each group compares: 0 equal, 1 different within the bounds, 2 different by more. */
export function groupStates(got: Uint8Array, want: Uint8Array, b: GroupBounds): Uint8Array {
  const sides = { got: viewOf(got), want: viewOf(want), extremes: new Extremes() }
  const states = new Uint8Array(Math.ceil(want.length / b.groupBytes))
  eachValue(sides, b, (at, fits) => {
    const group = Math.floor(at / b.groupBytes)
    const size = SCALAR_BYTES[b.compare === 'exact' ? 'u8' : b.compare]
    const isSame = want.subarray(at, at + size).every((byte, i) => byte === got[at + i])
    const state = !fits ? 2 : isSame ? 0 : 1
    if (state > states[group]!) states[group] = state
  })
  return states
}
