import { constantOf } from '../lower/facts.ts'
import { V128 } from './assembler.ts'
import type { Emitter } from './emitter.ts'
import { OP, SIMD } from './opcodes.ts'
import { reportLanes } from './report.ts'
import {
  isAligned,
  isDwordwise,
  isSafeIndex,
  isSafeSite,
  offsetCheck,
  pushBase,
  pushByteLimit,
  pushLimit,
  type Site,
  staticOffset,
} from './site.ts'

/** Addresses that each lane has for itself. */

/** Byte addresses of part `i`, as a v128 local; 0 where out of bounds. `component` limits a raw check to one dword. */
export function laneAddresses(e: Emitter, site: Site, i: number, component?: number): number {
  const { f } = e
  const { address } = site
  const result = f.temp(V128)
  const ok = f.temp(V128)
  const offset = f.temp(V128)
  e.vector(address.offset, i)
  if (!isAligned(e, address.offset)) {
    e.pushConstant(~3)
    f.simd(SIMD.and)
  }
  f.set(offset)
  const checked = laneCheck(e, site, i, offset, component)
  if (checked) f.set(ok)
  reportBad(e, site, i, offset, checked ? ok : undefined)
  f.get(offset)
  pushBase(e, address)
  if (staticOffset(address) > 0) f.i32(staticOffset(address)).op(OP.i32Add)
  f.simd(SIMD.i32Splat).simd(SIMD.i32Add)
  if (address.index !== undefined) {
    e.vector(address.index, i)
    e.pushConstant(address.stride)
    f.simd(SIMD.i32Mul).simd(SIMD.i32Add)
  }
  if (component !== undefined && component > 0) {
    e.pushConstant(4 * component)
    f.simd(SIMD.i32Add)
  }
  if (checked) f.get(ok).simd(SIMD.and)
  f.set(result)
  f.release(V128, ok, offset)
  return result
}

/** Leaves a record of active lanes that are out of bounds, or whose address is no multiple of 4. */
function reportBad(e: Emitter, site: Site, i: number, offset: number, ok: number | undefined): void {
  const { f } = e
  const aligned = isAligned(e, site.address.offset)
  if (e.active === 'none' || (ok === undefined && aligned)) return
  const bad = f.temp(V128)
  if (ok === undefined) e.pushConstant(0)
  else f.get(ok).simd(SIMD.not)
  if (!aligned) {
    e.vector(site.address.offset, i)
    f.get(offset).simd(SIMD.i32Ne).simd(SIMD.or)
  }
  if (e.active !== 'full') f.get(e.active[i]!).simd(SIMD.and)
  f.set(bad)
  reportLanes(e, site, site.statement, i, bad)
  f.release(V128, bad)
}

/** Pushes which lanes of part `i` are in bounds; answers false, pushing nothing, where all are. */
function laneCheck(e: Emitter, site: Site, i: number, offset: number, component: number | undefined): boolean {
  const { valid } = site.address
  if (valid !== undefined) {
    if (constantOf(valid) === 0xffffffff) return false
    e.vector(valid, i)
    return true
  }
  if (isSafeSite(e, site)) return false
  if (isDwordwise(e, site)) return dwordCheck(e, site, i, offset, component ?? site.last)
  return structureCheck(e, site, i, offset)
}

/** Pushes lanes' bounds of a structured access; false where they are all in bounds. */
function structureCheck(e: Emitter, site: Site, i: number, offset: number): boolean {
  const { f } = e
  const { address } = site
  const check = offsetCheck(e, site)
  if (check === 'outside') {
    e.pushConstant(0)
    return true
  }
  const safe = isSafeIndex(e, address)
  if (!safe) {
    e.vector(address.index!, i)
    pushLimit(e, address)
    f.simd(SIMD.i32Splat).simd(SIMD.i32LtU)
  }
  if (check === 'dynamic') {
    f.get(offset)
    e.pushConstant(address.stride - 4 * site.last - 4)
    f.simd(SIMD.i32LeU)
    if (!safe) f.simd(SIMD.and)
  }
  return !safe || check === 'dynamic'
}

/** Pushes lanes' bounds of the dwords up to number `last`. */
function dwordCheck(e: Emitter, site: Site, i: number, offset: number, last: number): boolean {
  const { f } = e
  const { address } = site
  f.get(offset)
  pushByteLimit(e, address)
  f.simd(SIMD.i32Splat).simd(SIMD.i32LtU)
  if (address.index !== undefined) {
    e.vector(address.index, i)
    pushLimit(e, address)
    f.simd(SIMD.i32Splat).simd(SIMD.i32LtU).simd(SIMD.and)
  } else if (last === 0) return true
  f.get(offset)
  if (address.index !== undefined) {
    e.vector(address.index, i)
    e.pushConstant(address.stride)
    f.simd(SIMD.i32Mul).simd(SIMD.i32Add)
  }
  e.pushConstant(4 * last)
  f.simd(SIMD.i32Add)
  pushByteLimit(e, address)
  f.simd(SIMD.i32Splat).simd(SIMD.i32LtU).simd(SIMD.and)
  return true
}
