import { isAlwaysValid } from '../../ir/index.ts'
import { I32 } from '../encode/assembler.ts'
import { OP } from '../encode/opcodes.ts'
import { reportWave } from '../report/records.ts'
import { assertInside } from './assertions.ts'
import {
  isAligned,
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

/** Addresses that are the same for all lanes of a wave. */

/** Scalar addresses, one a component; `missing` is pushed for what is out of bounds. */
export function scalarAddresses(e: Emitter, site: Site, missing: () => void): number[] {
  const { f } = e
  const { address } = site
  const start = f.temp(I32)
  const ok = f.temp(I32)
  const pushOffset = (): void => {
    e.scalarI(address.offset)
    if (!isAligned(e, address)) f.i32(-4).op(OP.i32And)
  }
  pushBase(e, address)
  if (address.index !== undefined) {
    e.scalarI(address.index)
    f.i32(address.stride).op(OP.i32Mul).op(OP.i32Add)
  }
  pushOffset()
  f.op(OP.i32Add)
  if (address.valid === undefined) reportMisaligned(e, site)
  if (isSafeSite(e, site) || isAlwaysValid(address)) {
    assertInside(e, site)
    f.set(start)
    f.release(I32, ok)
    return site.components.map(() => start)
  }
  if (staticOffset(address) > 0) f.i32(staticOffset(address)).op(OP.i32Add)
  f.set(start)
  if (address.valid !== undefined) {
    f.get(start)
    missing()
    e.scalarI(address.valid)
    f.op(OP.select).set(start)
    e.scalarI(address.valid)
    f.op(OP.i32Eqz)
    f.if(() => e.scope(() => reportChecks(e, site)))
    f.release(I32, ok)
    return site.components.map(() => start)
  }
  if (address.index === undefined || address.space.kind === 'tgsm') {
    return dwordAddresses(e, site, start, ok, pushOffset, missing)
  }
  scalarStructureCheck(e, site, pushOffset)
  f.tee(ok).op(OP.i32Eqz)
  f.if(() => e.scope(() => reportStructure(e, site, pushOffset)))
  f.get(start)
  missing()
  f.get(ok).op(OP.select).set(start)
  f.release(I32, ok)
  return site.components.map(() => start)
}

/** Records an access that is out of bounds: the byte offset decides where the index is too (22.4.12). */
function reportStructure(e: Emitter, site: Site, pushOffset: () => void): void {
  const { f } = e
  const { item, address } = site
  const check = offsetCheck(e, site)
  if (check !== 'dynamic') {
    f.i32(1)
    reportWave(e, { item, what: check === 'inside' ? 'bounds' : 'offset' })
    return
  }
  const past = (opcode: number): void => {
    pushOffset()
    f.i32(address.stride - 4 * site.last - 4).op(opcode)
  }
  past(OP.i32GtU)
  reportWave(e, { item, what: 'offset' })
  past(OP.i32LeU)
  reportWave(e, { item, what: 'bounds' })
}

/** Records an access by the first check that finds it. */
function reportChecks(e: Emitter, { item, address }: Site): void {
  const { f } = e
  const left = f.temp(I32)
  f.i32(1).set(left)
  for (const what of address.checks ?? []) {
    e.scalarI(what.bad)
    f.i32(0).op(OP.i32Ne).get(left).op(OP.i32And)
    reportWave(e, { item, what })
    e.scalarI(what.bad)
    f.op(OP.i32Eqz).get(left).op(OP.i32And).set(left)
  }
  f.release(I32, left)
}

/** Pushes whether a structured access is in bounds. */
function scalarStructureCheck(e: Emitter, site: Site, pushOffset: () => void): void {
  const { f } = e
  const { address } = site
  const check = offsetCheck(e, site)
  if (check === 'outside') {
    f.i32(0)
    return
  }
  if (isSafeIndex(e, address)) f.i32(1)
  else {
    e.scalarI(address.index!)
    pushLimit(e, address)
    f.op(OP.i32LtU)
  }
  if (check !== 'dynamic') return
  pushOffset()
  f.i32(address.stride - 4 * site.last - 4)
    .op(OP.i32LeU)
    .op(OP.i32And)
}

/** Records an offset that is no multiple of 4. */
function reportMisaligned(e: Emitter, { item, address }: Site): void {
  if (isAligned(e, address)) return
  e.scalarI(address.offset)
  e.f.i32(3).op(OP.i32And)
  reportWave(e, { item, what: 'misaligned' })
}

/** Addresses where every dword is in bounds or not by itself: raw memory, and shared memory of structures. */
function dwordAddresses(
  e: Emitter,
  site: Site,
  start: number,
  ok: number,
  pushOffset: () => void,
  missing: () => void,
): number[] {
  const { f } = e
  const { address } = site
  const total = f.temp(I32)
  pushOffset()
  f.tee(total)
  pushByteLimit(e, address)
  // The first test excludes offsets whose sum would wrap.
  f.op(OP.i32LtU)
  if (address.index !== undefined) {
    e.scalarI(address.index)
    pushLimit(e, address)
    f.op(OP.i32LtU).op(OP.i32And)
    e.scalarI(address.index)
    f.i32(address.stride).op(OP.i32Mul).get(total).op(OP.i32Add).set(total)
  }
  f.tee(ok).op(OP.i32Eqz)
  const pushInside = (dword: number): void => {
    f.get(total)
      .i32(4 * dword)
      .op(OP.i32Add)
    pushByteLimit(e, address)
    f.op(OP.i32LtU)
  }
  pushInside(site.last)
  f.op(OP.i32Eqz).op(OP.i32Or)
  reportWave(e, { item: site.item, what: 'bounds' }, () =>
    site.dwords.forEach((dword, n) => {
      pushInside(dword)
      f.get(ok).op(OP.i32And).op(OP.i32Eqz)
      if (n > 0) f.op(OP.i32Add)
    }),
  )
  const locals = site.components.map((c) => {
    const local = f.temp(I32)
    f.get(start)
    missing()
    f.get(ok)
    pushInside(c)
    f.op(OP.i32And).op(OP.select).set(local)
    return local
  })
  f.release(I32, start, ok, total)
  return locals
}
