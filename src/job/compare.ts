import type { ContentsCheck } from './model.ts'
import { readScalar, SCALAR_BYTES, type ScalarType } from './scalars.ts'

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

/** Floats in their order as whole numbers, so that neighbours are 1 apart and both zeros are 0. */
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
