import { type AccessAddress, isAlwaysValid, type Value } from '../../ir/index.ts'
import { I32 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { isAligned, isSafeIndex, isSafeRaw, offsetCheck, pushBase, pushLimit, type Site } from './bounds-check-site.ts'
import type { Emitter } from './emitter.ts'

/** Addresses that lie alike in every wave: one scalar address and the differences of the lanes from it. */

/**
 * How far apart in bytes the lanes of a pattern may lie. Patterns are known modulo 2^32; below this a difference that
 * wrapped would need a view of nearly 4 GiB, and no sum of immediate offsets passes 32 bits. Real patterns are far below.
 */
const MAX_SPAN = 2 ** 24

/** The distance from the lowest to the highest lane. */
const spanOf = (pattern: Int32Array): number => Math.max(...pattern) - Math.min(...pattern)

/** Differences of the lanes' byte addresses to the first lane's, where they are the same in every wave. */
export function addressPattern(e: Emitter, address: AccessAddress): Int32Array | undefined {
  const zeros = new Int32Array(e.uniformity.lanes)
  const of = (v: Value): Int32Array | undefined => (e.isVarying(v) ? e.uniformity.of(v).pattern : zeros)
  const offset = of(address.offset)
  const index = address.index === undefined ? zeros : of(address.index)
  if (offset === undefined || index === undefined) return undefined
  // The dword of an address is its offset rounded down: differences must be whole dwords and so must the first.
  const isWhole = address.valid !== undefined || offset.every((p) => (p & 3) === 0)
  if (e.isVarying(address.offset) && !(isAligned(e, address) && isWhole)) return undefined
  if (Math.max(spanOf(offset), spanOf(index) * address.stride) > MAX_SPAN) return undefined
  return offset.map((p, l) => p + index[l]! * address.stride)
}

/**
 * A check of the whole wave by its first lane; pushes 1 where every lane is in bounds and aligned. Undefined: no check
 * needed.
 */
export function waveCheck(e: Emitter, site: Site): (() => void) | 'never' | undefined {
  const { address } = site
  if (isAlwaysValid(address)) return undefined
  if (address.valid !== undefined) return () => allValid(e, address.valid!)
  const inside = insideCheck(e, site)
  if (inside === 'never' || isAligned(e, address)) return inside
  return () => {
    e.laneZero(address.offset)
    e.f.i32(3).op(OP.i32And).op(OP.i32Eqz)
    if (inside === undefined) return
    inside()
    e.f.op(OP.i32And)
  }
}

function insideCheck(e: Emitter, site: Site): (() => void) | 'never' | undefined {
  const { f } = e
  const { address } = site
  const index = address.index === undefined ? undefined : (e.uniformity.of(address.index).pattern ?? ZERO)
  const offset = e.uniformity.of(address.offset).pattern ?? ZERO
  if (index === undefined) {
    if (isSafeRaw(e, site)) return undefined
    return () => rangeCheck(e, address.offset, offset, () => pushLimit(e, address), 4 * site.last + 3)
  }
  const check = offsetCheck(e, site)
  const room = address.stride - 4 * site.last - 4
  if (check === 'outside' || room < 0) return 'never'
  const needsIndex = !isSafeIndex(e, address)
  if (!needsIndex && check === 'inside') return undefined
  return () => {
    if (needsIndex) rangeCheck(e, address.index!, index, () => pushLimit(e, address), 0)
    if (check === 'dynamic') {
      rangeCheck(e, address.offset, offset, () => void f.i32(room + 1), 0)
      if (needsIndex) f.op(OP.i32And)
    }
  }
}

/** Pushes whether a mask value holds for every lane. */
function allValid(e: Emitter, valid: Value): void {
  if (!e.isVarying(valid)) {
    e.scalarI(valid)
    e.f.i32(0).op(OP.i32Ne)
    return
  }
  for (let i = 0; i < e.width; i++) {
    e.vector(valid, i)
    if (i > 0) e.f.simd(SIMD.and)
  }
  e.f.simd(SIMD.i32AllTrue)
}

const ZERO = new Int32Array(1)

/** Pushes whether first + least >= 0 and first + greatest + extra < limit, in unsigned numbers that do not wrap. */
function rangeCheck(e: Emitter, v: Value, pattern: Int32Array, limit: () => void, extra: number): void {
  const { f } = e
  const least = Math.min(...pattern)
  const span = Math.max(...pattern) - least + extra
  const t = f.temp(I32)
  // limit > span, and first + least < limit - span.
  e.laneZero(v)
  if (least !== 0) f.i32(least).op(OP.i32Add)
  limit()
  f.tee(t).i32(span).op(OP.i32Sub).op(OP.i32LtU)
  if (span > 0) f.get(t).i32(span).op(OP.i32GtU).op(OP.i32And)
  f.release(I32, t)
}

/** The first lane's byte address into a local. */
export function firstAddress(e: Emitter, address: AccessAddress): number {
  const { f } = e
  const local = f.temp(I32)
  pushBase(e, address)
  if (address.index !== undefined) {
    e.laneZero(address.index)
    f.i32(address.stride).op(OP.i32Mul).op(OP.i32Add)
  }
  e.laneZero(address.offset)
  if (!isAligned(e, address)) f.i32(-4).op(OP.i32And)
  f.op(OP.i32Add).set(local)
  return local
}

/** Immediate offsets are unsigned: the local is moved to the lowest lane. */
export function lowestLane(e: Emitter, local: number, pattern: Int32Array, fixed: number): Int32Array {
  const least = Math.min(...pattern, 0)
  if (least < 0) e.f.get(local).i32(least).op(OP.i32Add).set(local)
  return pattern.map((p) => p - least + fixed)
}
