import { type Check, constantOf, isAlwaysValid } from '../../ir/index.ts'
import { V128 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { reportLanes } from '../report/records.ts'
import { assertInside } from './assertions.ts'
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
} from './bounds-check-site.ts'
import type { Emitter } from './emitter.ts'
import { ADDRESS_WORD, exchangeAt, putWord } from './vector-pairing.ts'

/** Addresses that each lane has for itself. */

/** Byte addresses of part `i`, as a v128 local; 0 where out of bounds. What is out of bounds or misaligned is recorded. */
export function laneAddresses(e: Emitter, site: Site, i: number): number {
  return addressesOf(e, site, i, undefined, true)
}

/** The same without records. `component` limits a check of dwords to one, whose addresses these are. */
export function quietAddresses(e: Emitter, site: Site, i: number, component?: number): number {
  return addressesOf(e, site, i, component, false)
}

function addressesOf(e: Emitter, site: Site, i: number, component: number | undefined, records: boolean): number {
  const { f } = e
  const { address } = site
  const result = f.temp(V128)
  const { offset, ok } = checkedOffset(e, site, i, component)
  if (records) reportPart(e, site, i, offset, ok)
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
  if (ok !== undefined) f.get(ok).simd(SIMD.and)
  f.set(result)
  f.release(V128, offset, ...(ok === undefined ? [] : [ok]))
  return result
}

/** Addresses of the lanes of one part. */
export interface PartAddresses {
  /** Pushes that of a lane. */
  readonly push: (l: number) => void
  readonly done: () => void
}

/**
 * The lanes' addresses by part, with records; `adjust` may change the local that holds a part's. Where the host packs
 * pairs, all parts are computed at once and read from memory.
 */
export function partAddresses(
  e: Emitter,
  site: Site,
  adjust: (addresses: number, i: number) => void = () => {},
): (i: number) => PartAddresses {
  const { f } = e
  if (!e.settings.pairs) {
    return (i) => {
      const addresses = laneAddresses(e, site, i)
      adjust(addresses, i)
      return isAlwaysValid(site.address) ? throughMemory(e, addresses, i) : extracted(e, addresses)
    }
  }
  // Records branch, and nothing is packed across branches: they come after all parts.
  putWord(e, ADDRESS_WORD, (i) => {
    const addresses = quietAddresses(e, site, i)
    adjust(addresses, i)
    f.get(addresses)
    f.release(V128, addresses)
  })
  for (let i = 0; i < e.width; i++) reportAddresses(e, site, i)
  return (i) => ({
    push: (l) => void f.get(e.scratch).memory(OP.i32Load, 2, exchangeAt(e, ADDRESS_WORD, i) + l * 4),
    done: () => {},
  })
}

/** Addresses in a local, which is given back, read from memory: to take lanes out of vectors is work for the few units that shuffle. */
function throughMemory(e: Emitter, addresses: number, i: number): PartAddresses {
  const at = exchangeAt(e, ADDRESS_WORD, i)
  e.f.get(e.scratch).get(addresses).simdMemory(SIMD.store, 4, at)
  e.f.release(V128, addresses)
  return { push: (l) => void e.f.get(e.scratch).memory(OP.i32Load, 2, at + l * 4), done: () => {} }
}

/** Addresses in a local, which is given back. */
export function extracted(e: Emitter, addresses: number): PartAddresses {
  return {
    push: (l) => void e.f.get(addresses).lane(SIMD.i32Extract, l),
    done: () => e.f.release(V128, addresses),
  }
}

/** Locals of the byte offsets, rounded down to dwords, and of which lanes are in bounds where not all are. */
function checkedOffset(
  e: Emitter,
  site: Site,
  i: number,
  component: number | undefined,
): { readonly offset: number; readonly ok: number | undefined } {
  const { f } = e
  const { address } = site
  const offset = f.temp(V128)
  e.vector(address.offset, i)
  if (!isAligned(e, address)) {
    e.pushConstant(~3)
    f.simd(SIMD.and)
  }
  f.set(offset)
  if (!laneCheck(e, site, i, offset, component)) return { offset, ok: undefined }
  const ok = f.temp(V128)
  f.set(ok)
  return { offset, ok }
}

/** Records what is wrong with the addresses of part `i`. */
export function reportAddresses(e: Emitter, site: Site, i: number): void {
  const { offset, ok } = checkedOffset(e, site, i, undefined)
  reportPart(e, site, i, offset, ok)
  e.f.release(V128, offset, ...(ok === undefined ? [] : [ok]))
}

/** Keeps the active lanes of the mask on the stack. */
function maskActive(e: Emitter, i: number): void {
  if (e.active !== 'full') e.f.get(e.active[i]!).simd(SIMD.and)
}

/** Records active lanes that are out of bounds, or whose address is no multiple of 4. */
function reportPart(e: Emitter, site: Site, i: number, offset: number, ok: number | undefined): void {
  const { f } = e
  const { item } = site
  const raw = site.address.offset
  if (!isAligned(e, site.address)) {
    const bad = f.temp(V128)
    e.vector(raw, i)
    f.get(offset).simd(SIMD.i32Ne)
    maskActive(e, i)
    f.set(bad)
    reportLanes(e, { item, what: 'misaligned' }, i, bad)
    f.release(V128, bad)
  }
  if (ok === undefined) return
  const out = f.temp(V128)
  f.get(ok).simd(SIMD.not)
  maskActive(e, i)
  f.set(out)
  reportOutside(e, site, i, offset, out)
  f.release(V128, out)
}

/** Records the lanes of a local that are out of bounds, by what they are outside of. */
function reportOutside(e: Emitter, site: Site, i: number, offset: number, out: number): void {
  const { f } = e
  const { item, address } = site
  if (address.checks !== undefined) {
    whereAny(e, out, () => reportChecks(e, item, address.checks!, i, out))
    return
  }
  if (isDwordwise(e, site)) {
    reportLanes(e, { item, what: 'bounds' }, i, out, () => pushDwordCount(e, site, i, offset))
    return
  }
  const check = offsetCheck(e, site)
  if (check !== 'dynamic') {
    reportLanes(e, { item, what: check === 'inside' ? 'bounds' : 'offset' }, i, out)
    return
  }
  whereAny(e, out, () => {
    const past = f.temp(V128)
    // The byte offset decides where the index is out of bounds too (22.4.12).
    f.get(offset)
    e.pushConstant(address.stride - 4 * site.last - 4)
    f.simd(SIMD.i32LeU).simd(SIMD.not).get(out).simd(SIMD.and).set(past)
    reportLanes(e, { item, what: 'offset' }, i, past)
    f.get(out).get(past).simd(SIMD.andnot).set(past)
    reportLanes(e, { item, what: 'bounds' }, i, past)
    f.release(V128, past)
  })
}

/** Runs `body` where a mask holds for any lane; always where that is rare already, since branches cost registers. */
function whereAny(e: Emitter, mask: number, body: () => void): void {
  if (e.rare) {
    body()
    return
  }
  e.f.get(mask).simd(SIMD.anyTrue)
  e.f.if(() => e.scope(body))
}

/** Records each lane by the first check that finds it. */
function reportChecks(e: Emitter, item: Site['item'], checks: readonly Check[], i: number, out: number): void {
  const { f } = e
  const [found, left] = [f.temp(V128), f.temp(V128)]
  f.get(out).set(left)
  for (const what of checks) {
    f.get(left)
    e.vector(what.bad, i)
    f.simd(SIMD.and).set(found)
    reportLanes(e, { item, what }, i, found)
    f.get(left).get(found).simd(SIMD.andnot).set(left)
  }
  f.release(V128, found, left)
}

/** Pushes how many of the dwords that the active lanes name are out of bounds: each is a finding of its own. */
function pushDwordCount(e: Emitter, site: Site, i: number, offset: number): void {
  const { f } = e
  site.dwords.forEach((dword, n) => {
    dwordCheck(e, site, i, offset, dword)
    f.simd(SIMD.not)
    maskActive(e, i)
    f.simd(SIMD.i32Bitmask).op(OP.i32Popcnt)
    if (n > 0) f.op(OP.i32Add)
  })
}

/** Pushes which lanes of part `i` are in bounds; answers false, pushing nothing, where all are. */
function laneCheck(e: Emitter, site: Site, i: number, offset: number, component: number | undefined): boolean {
  const { valid } = site.address
  if (valid !== undefined) {
    if (constantOf(valid) === 0xffffffff) return false
    e.vector(valid, i)
    return true
  }
  if (isSafeSite(e, site)) {
    assertInside(e, site)
    return false
  }
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
