import type { ContentsCheck } from './model.ts'
import { readScalar, SCALAR_BYTES, type ScalarType } from './scalars.ts'

/** What comparing two byte strings of one length gave. */
export interface Comparison {
  /** Values compared. */
  readonly total: number
  readonly different: number
  /** Byte offsets of the first values that differ. */
  readonly first: readonly number[]
}

type Bounds = Pick<ContentsCheck, 'compare' | 'abs' | 'rel' | 'ulps'>

/** Offsets kept: more than are shown, since several may lie in one texel. */
const MAX_FIRST = 64

/** Floats in their order as whole numbers, so that neighbours are 1 apart and both zeros are 0. */
function ordinal(view: DataView, at: number, type: 'f16' | 'f32' | 'f64'): bigint {
  const bytes = SCALAR_BYTES[type]
  const bits =
    type === 'f64'
      ? view.getBigUint64(at, true)
      : BigInt(type === 'f32' ? view.getUint32(at, true) : view.getUint16(at, true))
  const sign = 1n << BigInt(bytes * 8 - 1)
  return bits >= sign ? -(bits - sign) : bits
}

function floatFits(got: DataView, want: DataView, at: number, type: 'f16' | 'f32' | 'f64', b: Bounds): boolean {
  const g = readScalar(got, at, type)
  const w = readScalar(want, at, type)
  // One NaN is as good as another: Direct3D does not keep payloads.
  if (Number.isNaN(w) || Number.isNaN(g)) return Number.isNaN(w) && Number.isNaN(g)
  if (g === w) return true
  if (!Number.isFinite(g) || !Number.isFinite(w)) return false
  if (Math.abs(g - w) <= b.abs + b.rel * Math.abs(w)) return true
  if (b.ulps === 0) return false
  const distance = ordinal(got, at, type) - ordinal(want, at, type)
  return Number(distance < 0n ? -distance : distance) <= b.ulps
}

/**
 * Values from the start on that differ by more than the bounds allow. `exact` compares 32-bit words (a rest of 1 to 3
 * bytes counts as one), `u8` bytes, the float types floats: `|got - want| <= abs + rel * |want|`, or at most `ulps` steps.
 */
export function compareBytes(got: Uint8Array, want: Uint8Array, b: Bounds): Comparison {
  const size = b.compare === 'exact' ? 4 : b.compare === 'u8' ? 1 : SCALAR_BYTES[b.compare satisfies ScalarType]
  const [gotView, wantView] = [viewOf(got), viewOf(want)]
  const first: number[] = []
  let different = 0
  const total = Math.ceil(want.length / size)
  for (let i = 0; i < total; i++) {
    const at = i * size
    if (at + size > want.length ? restFits(got, want, at) : valueFits(gotView, wantView, at, b)) continue
    different++
    if (first.length < MAX_FIRST) first.push(at)
  }
  return { total, different, first }
}

function valueFits(got: DataView, want: DataView, at: number, b: Bounds): boolean {
  switch (b.compare) {
    case 'exact':
      return got.getUint32(at) === want.getUint32(at)
    case 'u8':
      return Math.abs(got.getUint8(at) - want.getUint8(at)) <= b.abs
    default:
      return floatFits(got, want, at, b.compare, b)
  }
}

function restFits(got: Uint8Array, want: Uint8Array, at: number): boolean {
  return want.subarray(at).every((byte, i) => byte === got[at + i])
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}
