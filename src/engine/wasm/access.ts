import { constantOf } from '../lower/facts.ts'
import type { AccessAddress, EffectItem, Value } from '../lower/value.ts'
import { I32, V128 } from './assembler.ts'
import type { Emitter, Mask } from './emitter.ts'
import { OP, SIMD } from './opcodes.ts'
import { reportLanes, reportWave } from './report.ts'
import { F32 } from './writer.ts'

/**
 * Loads and stores of raw and structured memory. Lanes that are out of bounds read the zero page at address 0; lanes
 * that are out of bounds or inactive write to a dump page in the wave's scratch memory.
 */

type Load = Extract<EffectItem, { kind: 'load' }>
type Store = Extract<EffectItem, { kind: 'store' }>

/** What is known of an address before code is made. */
export interface Site {
  readonly address: AccessAddress
  /** Dwords from the address on that are touched. */
  readonly components: readonly number[]
  readonly last: number
  readonly statement: number
}

export const siteOf = (
  statement: number,
  address: AccessAddress,
  components: readonly number[],
  last = Math.max(...components),
): Site => ({ address, components, last, statement })

/** The site of a load. Dwords of raw and of shared memory count one by one, those of a structure with all the instruction names. */
function loadSite(item: Load): Site {
  const { address, components } = item
  const isWhole = address.index !== undefined && address.space.kind === 'buffer'
  return siteOf(item.statement, address, components, isWhole ? item.last : undefined)
}

/** Pushes the address of byte 0 of the space. */
function pushBase(e: Emitter, address: AccessAddress): void {
  if (address.space.kind === 'buffer') e.pushDescriptor(address.space.binding, 'base')
  else e.f.get(e.tgsmBase)
}

/** Static part of every address in the space. */
const staticOffset = (address: AccessAddress): number => (address.space.kind === 'tgsm' ? address.space.byteOffset : 0)

/** The largest number whose bits may all be set. */
function bound(e: Emitter, v: Value): number {
  const { maybe } = e.facts(v)
  return maybe === 0 ? 0 : 0xffffffff >>> Math.clz32(maybe)
}
/** The largest dword address that an offset may be rounded down to. */
const boundDword = (e: Emitter, v: Value): number => (bound(e, v) & ~3) >>> 0

const isAligned = (e: Emitter, v: Value): boolean => (e.facts(v).maybe & 3) === 0

/** Pushes the number of structures, or bytes of a raw space. */
function pushLimit(e: Emitter, address: AccessAddress): void {
  const { space } = address
  if (space.kind === 'tgsm') e.f.i32(address.index === undefined ? space.byteLength : space.count)
  else e.pushDescriptor(space.binding, address.index === undefined ? 'byteLength' : 'elementCount')
}

/** The address needs no check: proven in bounds. */
function isSafeIndex(e: Emitter, address: AccessAddress): boolean {
  return address.space.kind === 'tgsm' && address.index !== undefined && bound(e, address.index) < address.space.count
}

/** Whether a byte offset, rounded down to a dword, stays in the structure: always, never, or by its value. */
function offsetCheck(e: Emitter, site: Site): 'inside' | 'outside' | 'dynamic' {
  const { offset, stride, space } = site.address
  const room = stride - 4 * site.last - 4
  // Shared memory ends with the register, not with the structure (22.4.12): there only the sum decides.
  const past = space.kind === 'tgsm' ? 'dynamic' : 'outside'
  const c = constantOf(offset)
  if (c !== undefined) return room >= 0 && (c & ~3) >>> 0 <= room ? 'inside' : past
  if (room < 0) return past
  return boundDword(e, offset) <= room ? 'inside' : 'dynamic'
}

/** Whether all of a raw access stays in a TGSM register. */
function isSafeRaw(e: Emitter, site: Site): boolean {
  const { space, offset } = site.address
  return space.kind === 'tgsm' && boundDword(e, offset) + 4 * site.last + 4 <= space.byteLength
}

/** Every address of the site is known to be in bounds, so that its static part can stand in the instruction. */
function isSafeSite(e: Emitter, site: Site): boolean {
  if (site.address.valid !== undefined) return false
  if (site.address.index === undefined) return isSafeRaw(e, site)
  return isSafeIndex(e, site.address) && offsetCheck(e, site) === 'inside'
}

/** Static offset for instructions at addresses of scalarAddresses. */
const fixedOffset = (e: Emitter, site: Site): number => (isSafeSite(e, site) ? staticOffset(site.address) : 0)

/** Scalar addresses, one a component; `missing` is pushed for what is out of bounds. */
function scalarAddresses(e: Emitter, site: Site, missing: () => void): number[] {
  const { f } = e
  const { address } = site
  const start = f.temp(I32)
  const ok = f.temp(I32)
  const pushOffset = (): void => {
    e.scalarI(address.offset)
    if (!isAligned(e, address.offset)) f.i32(-4).op(OP.i32And)
  }
  pushBase(e, address)
  if (address.index !== undefined) {
    e.scalarI(address.index)
    f.i32(address.stride).op(OP.i32Mul).op(OP.i32Add)
  }
  pushOffset()
  f.op(OP.i32Add)
  if (isSafeSite(e, site)) {
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
    reportWave(e, site, site.statement)
    f.release(I32, ok)
    return site.components.map(() => start)
  }
  if (address.index === undefined || address.space.kind === 'tgsm') {
    return dwordAddresses(e, site, start, ok, pushOffset, missing)
  }
  scalarStructureCheck(e, site, pushOffset)
  f.tee(ok).op(OP.i32Eqz)
  pushMisaligned(e, address)
  reportWave(e, site, site.statement)
  f.get(start)
  missing()
  f.get(ok).op(OP.select).set(start)
  f.release(I32, ok)
  return site.components.map(() => start)
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

/** Or-s to the condition on the stack whether the offset is no multiple of 4. */
function pushMisaligned(e: Emitter, address: AccessAddress): void {
  if (isAligned(e, address.offset)) return
  e.scalarI(address.offset)
  e.f.i32(3).op(OP.i32And).op(OP.i32Or)
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
  f.get(total)
    .i32(4 * site.last)
    .op(OP.i32Add)
  pushByteLimit(e, address)
  f.op(OP.i32GeU).op(OP.i32Or)
  pushMisaligned(e, address)
  reportWave(e, site, site.statement)
  const locals = site.components.map((c) => {
    const local = f.temp(I32)
    f.get(start)
    missing()
    f.get(ok)
      .get(total)
      .i32(4 * c)
      .op(OP.i32Add)
    pushByteLimit(e, address)
    f.op(OP.i32LtU).op(OP.i32And)
    f.op(OP.select).set(local)
    return local
  })
  f.release(I32, start, ok, total)
  return locals
}

/** Pushes the bytes of a raw view or of a register of shared memory. */
function pushByteLimit(e: Emitter, { space }: AccessAddress): void {
  if (space.kind === 'tgsm') e.f.i32(space.byteLength)
  else e.pushDescriptor(space.binding, 'byteLength')
}

const isUniformSite = (e: Emitter, address: AccessAddress): boolean =>
  [address.offset, address.index, address.valid].every((v) => v === undefined || !e.isVarying(v))

function uniformLoad(e: Emitter, item: Load, site: Site): void {
  const { f } = e
  const addresses = scalarAddresses(e, site, () => f.i32(0))
  item.results.forEach((r, n) => {
    const offset = item.components[n]! * 4 + fixedOffset(e, site)
    f.get(addresses[n]!)
    if (e.isVarying(r)) {
      f.simdMemory(SIMD.load32Splat, 2, offset)
      const [first, ...rest] = e.vectorLocals(r)
      f.set(first!)
      for (const local of rest) f.get(first!).set(local)
      return
    }
    f.memory(e.scalarType(r) === F32 ? OP.f32Load : OP.i32Load, 2, offset).set(e.scalarLocal(r))
    e.splatEarly(r)
  })
  f.release(I32, ...new Set(addresses))
}

/** Differences of the lanes' byte addresses to the first lane's, where they are the same in every wave. */
function addressPattern(e: Emitter, address: AccessAddress): Int32Array | undefined {
  const zeros = new Int32Array(e.uniformity.lanes)
  const of = (v: Value): Int32Array | undefined => (e.isVarying(v) ? e.uniformity.of(v).pattern : zeros)
  const offset = of(address.offset)
  const index = address.index === undefined ? zeros : of(address.index)
  if (offset === undefined || index === undefined) return undefined
  // The dword of an address is its offset rounded down: differences must be whole dwords and so must the first.
  if (e.isVarying(address.offset) && !(isAligned(e, address.offset) && offset.every((p) => (p & 3) === 0)))
    return undefined
  return offset.map((p, l) => (p + Math.imul(index[l]!, address.stride)) | 0)
}

/** A range check of the whole wave by its first lane; pushes 1 where every lane is in bounds. Undefined: no check needed. */
function waveCheck(e: Emitter, site: Site): (() => void) | 'never' | undefined {
  const { f } = e
  const { address } = site
  if (address.valid !== undefined) return () => allValid(e, address.valid!)
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
function firstAddress(e: Emitter, address: AccessAddress): number {
  const { f } = e
  const local = f.temp(I32)
  pushBase(e, address)
  if (address.index !== undefined) {
    e.laneZero(address.index)
    f.i32(address.stride).op(OP.i32Mul).op(OP.i32Add)
  }
  e.laneZero(address.offset)
  if (!isAligned(e, address.offset)) f.i32(-4).op(OP.i32And)
  f.op(OP.i32Add).set(local)
  return local
}

/** Immediate offsets are unsigned: the local is moved to the lowest lane. */
function lowestLane(e: Emitter, local: number, pattern: Int32Array, fixed: number): Int32Array {
  const least = Math.min(...pattern, 0)
  if (least < 0) e.f.get(local).i32(least).op(OP.i32Add).set(local)
  return pattern.map((p) => p - least + fixed)
}

/** Byte addresses of part `i`, as a v128 local; 0 where out of bounds. `component` limits a raw check to one dword. */
function laneAddresses(e: Emitter, site: Site, i: number, component?: number): number {
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

/** Dwords are in bounds one by one, and nothing says that all are. */
function isDwordwise(e: Emitter, site: Site): boolean {
  if (site.address.valid !== undefined) return false
  return (site.address.index === undefined || site.address.space.kind === 'tgsm') && !isSafeSite(e, site)
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

/** Four vectors of four lanes' consecutive dwords become vectors by component; only those wanted are pushed and set. */
function transposeInto(e: Emitter, rows: readonly number[], wanted: readonly (number | undefined)[]): void {
  const { f } = e
  const [a, b, c, d] = rows as [number, number, number, number]
  const pair = (x: 0 | 2): [number, number] => {
    const [p, q] = [f.temp(V128), f.temp(V128)]
    f.get(a)
      .get(b)
      .shuffle(x, x + 4, x + 1, x + 5)
      .set(p)
    f.get(c)
      .get(d)
      .shuffle(x, x + 4, x + 1, x + 5)
      .set(q)
    return [p, q]
  }
  for (const half of [0, 2] as const) {
    const [first, second] = [wanted[half], wanted[half + 1]]
    if (first === undefined && second === undefined) continue
    const [p, q] = pair(half)
    if (first !== undefined) f.get(p).get(q).shuffle(0, 1, 4, 5).set(first)
    if (second !== undefined) f.get(p).get(q).shuffle(2, 3, 6, 7).set(second)
    f.release(V128, p, q)
  }
}

/** Loads part `i` from addresses that `lane` pushes with an immediate offset, into the results' locals. */
function loadLanes(
  e: Emitter,
  components: readonly number[],
  targets: readonly number[],
  lane: (l: number) => number,
): void {
  const { f } = e
  const first = components[0]!
  const isNarrow = components[components.length - 1]! - first < 4
  if (components.length >= 2 && isNarrow) {
    const rows = [0, 1, 2, 3].map((l) => {
      const row = f.temp(V128)
      const offset = lane(l)
      f.simdMemory(SIMD.load, 2, offset + first * 4).set(row)
      return row
    })
    const wanted = [0, 1, 2, 3].map((c) => targets[components.indexOf(c + first)])
    transposeInto(e, rows, wanted)
    f.release(V128, ...rows)
    return
  }
  components.forEach((c, n) => {
    let offset = lane(0)
    f.simdMemory(SIMD.load32Zero, 2, offset + c * 4)
    const partial = f.temp(V128)
    f.set(partial)
    for (let l = 1; l < 4; l++) {
      offset = lane(l)
      f.get(partial)
      f.laneMemory(SIMD.load32Lane, l, 2, offset + c * 4).set(partial)
    }
    f.get(partial).set(targets[n]!)
    f.release(V128, partial)
  })
}

/** Loads by a static pattern from one scalar address. */
function patternLoad(e: Emitter, item: Load, site: Site, pattern: Int32Array): void {
  const { f } = e
  const address = firstAddress(e, site.address)
  const deltas = lowestLane(e, address, pattern, staticOffset(site.address))
  for (let i = 0; i < e.width; i++) {
    const part = deltas.subarray(i * 4, i * 4 + 4)
    const targets = item.results.map((r) => e.vectorLocals(r)[i]!)
    const steps = [part[1]! - part[0]!, part[2]! - part[1]!, part[3]! - part[2]!]
    if (steps.every((s) => s === 0)) {
      item.components.forEach((c, n) => {
        f.get(address)
          .simdMemory(SIMD.load32Splat, 2, part[0]! + c * 4)
          .set(targets[n]!)
      })
    } else if (steps.every((s) => s === 4)) {
      item.components.forEach((c, n) => {
        f.get(address)
          .simdMemory(SIMD.load, 2, part[0]! + c * 4)
          .set(targets[n]!)
      })
    } else {
      loadLanes(e, item.components, targets, (l) => {
        f.get(address)
        return part[l]!
      })
    }
  }
  f.release(I32, address)
}

/** Loads by addresses in vectors. */
function gatherLoad(e: Emitter, item: Load, site: Site): void {
  if (isDwordwise(e, site) && site.components.length > 1) {
    // Raw components are in bounds one by one.
    item.components.forEach((c, n) => {
      for (let i = 0; i < e.width; i++) gatherPart(e, item, siteOf(site.statement, site.address, [c]), i, [n], c)
    })
    return
  }
  for (let i = 0; i < e.width; i++)
    gatherPart(
      e,
      item,
      site,
      i,
      item.components.map((_, n) => n),
      undefined,
    )
}

function gatherPart(
  e: Emitter,
  item: Load,
  site: Site,
  i: number,
  which: readonly number[],
  single: number | undefined,
): void {
  const { f } = e
  const addresses = laneAddresses(e, site, i, single)
  const components = single === undefined ? item.components : [0]
  const targets = which.map((n) => e.vectorLocals(item.results[n]!)[i]!)
  loadLanes(e, components, targets, (l) => {
    f.get(addresses).lane(SIMD.i32Extract, l)
    return 0
  })
  f.release(V128, addresses)
}

/** All lanes of a raw access with several components are in bounds: the usual case of a computed address. */
function rawGather(e: Emitter, item: Load, site: Site): void {
  const { f } = e
  if (!isDwordwise(e, site) || site.components.length === 1) {
    gatherLoad(e, item, site)
    return
  }
  // Nothing is recorded here: the slow way looks at each dword.
  const { active } = e
  e.active = 'none'
  const addresses = Array.from({ length: e.width }, (_, i) => laneAddresses(e, site, i))
  e.active = active
  addresses.forEach((a, i) => {
    f.get(a)
    e.pushConstant(0)
    f.simd(SIMD.i32Ne)
    if (i > 0) f.simd(SIMD.and)
    if (isAligned(e, site.address.offset)) return
    e.vector(site.address.offset, i)
    e.pushConstant(3)
    f.simd(SIMD.and)
    e.pushConstant(0)
    f.simd(SIMD.i32Eq).simd(SIMD.and)
  })
  f.simd(SIMD.i32AllTrue)
  f.if(
    () =>
      e.scope(() => {
        addresses.forEach((a, i) => {
          const targets = item.results.map((r) => e.vectorLocals(r)[i]!)
          loadLanes(e, item.components, targets, (l) => {
            f.get(a).lane(SIMD.i32Extract, l)
            return 0
          })
        })
      }),
    () => e.scope(() => gatherLoad(e, item, site)),
  )
  f.release(V128, ...addresses)
}

/** Code of the other way of an access that nearly always takes the quick one. */
function rarely(e: Emitter, body: () => void): void {
  const outer = e.rare
  e.rare = true
  e.scope(body)
  e.rare = outer
}

export function emitLoad(e: Emitter, item: Load): void {
  const { f } = e
  const site = loadSite(item)
  if (isUniformSite(e, item.address)) {
    uniformLoad(e, item, site)
    return
  }
  const pattern = addressPattern(e, item.address)
  const check = pattern === undefined ? 'never' : waveCheck(e, site)
  if (pattern === undefined || check === 'never') {
    rawGather(e, item, site)
    return
  }
  for (const r of item.results) e.vectorLocals(r)
  if (check === undefined) {
    patternLoad(e, item, site, pattern)
    return
  }
  check()
  f.if(
    () => e.scope(() => patternLoad(e, item, site, pattern)),
    () => rarely(e, () => rawGather(e, item, site)),
  )
}

/** Pushes the mask of part `i`. */
export function pushActive(e: Emitter, mask: Mask, i: number): void {
  if (mask === 'full') e.pushConstant(0xffffffff)
  else e.f.get(mask[i]!)
}

/** Stores part `i` of values to the addresses that `lane` pushes, in lane order. */
function storeLanes(e: Emitter, values: readonly number[], lane: (l: number) => number): void {
  const { f } = e
  if (values.length === 4) {
    const rows = [0, 1, 2, 3].map(() => f.temp(V128))
    transposeInto(e, values, rows)
    rows.forEach((row, l) => {
      const offset = lane(l)
      f.get(row).simdMemory(SIMD.store, 2, offset)
    })
    f.release(V128, ...rows)
    return
  }
  for (let l = 0; l < 4; l++) {
    values.forEach((v, c) => {
      const offset = lane(l)
      f.get(v).laneMemory(SIMD.store32Lane, l, 2, offset + c * 4)
    })
  }
}

function valueLocals(e: Emitter, values: readonly Value[], i: number): number[] {
  return values.map((v) => {
    const local = e.f.temp(V128)
    e.vector(v, i)
    e.f.set(local)
    return local
  })
}

function patternStore(e: Emitter, item: Store, site: Site, pattern: Int32Array): void {
  const { f } = e
  const address = firstAddress(e, site.address)
  const deltas = lowestLane(e, address, pattern, staticOffset(site.address))
  for (let i = 0; i < e.width; i++) {
    const part = deltas.subarray(i * 4, i * 4 + 4)
    const isRow = [1, 2, 3].every((l) => part[l]! - part[l - 1]! === 4)
    if (item.values.length === 1 && isRow) {
      f.get(address)
      e.vector(item.values[0]!, i)
      f.simdMemory(SIMD.store, 2, part[0]!)
      continue
    }
    const locals = valueLocals(e, item.values, i)
    storeLanes(e, locals, (l) => {
      f.get(address)
      return part[l]!
    })
    f.release(V128, ...locals)
  }
  f.release(I32, address)
}

/** Stores lane by lane; what must not be written goes to the dump page. */
function scatterStore(e: Emitter, item: Store, site: Site, mask: Mask): void {
  const { f } = e
  const isRawMany = isDwordwise(e, site) && site.components.length > 1
  for (let i = 0; i < e.width; i++) {
    const locals = valueLocals(e, item.values, i)
    const targets = (s: Site, component?: number): number => {
      const addresses = laneAddresses(e, s, i, component)
      f.get(addresses).get(e.dumpSplat)
      f.get(addresses)
      e.pushConstant(0)
      f.simd(SIMD.i32Ne)
      if (mask !== 'full') f.get(mask[i]!).simd(SIMD.and)
      f.simd(SIMD.bitselect).set(addresses)
      return addresses
    }
    const scatter = (values: readonly number[], addresses: number): void => {
      storeLanes(e, values, (l) => {
        f.get(addresses).lane(SIMD.i32Extract, l)
        return 0
      })
      f.release(V128, addresses)
    }
    if (isRawMany) locals.forEach((v, c) => void scatter([v], targets(siteOf(site.statement, site.address, [c]), c)))
    else scatter(locals, targets(site))
    f.release(V128, ...locals)
  }
}

/** Pushes whether every lane of a mask is active. */
export function pushAllActive(e: Emitter, mask: readonly number[]): void {
  mask.forEach((m, i) => {
    e.f.get(m)
    if (i > 0) e.f.simd(SIMD.and)
  })
  e.f.simd(SIMD.i32AllTrue)
}

/** Pushes whether any lane of a mask is active. */
export function pushAnyActive(e: Emitter, mask: readonly number[]): void {
  mask.forEach((m, i) => {
    e.f.get(m)
    if (i > 0) e.f.simd(SIMD.or)
  })
  e.f.simd(SIMD.anyTrue)
}

export function emitStore(e: Emitter, item: Store, mask: Mask): void {
  const { f } = e
  const site = siteOf(
    item.statement,
    item.address,
    item.values.map((_, c) => c),
  )
  const uniformValues = item.values.every((v) => !e.isVarying(v))
  if (isUniformSite(e, item.address) && uniformValues) {
    uniformStore(e, item, site, mask)
    return
  }
  const pattern = addressPattern(e, item.address)
  const check = pattern === undefined ? 'never' : waveCheck(e, site)
  if (pattern === undefined || check === 'never' || pattern.every((p) => p === 0)) {
    scatterStore(e, item, site, mask)
    return
  }
  const fast = (): void => e.scope(() => patternStore(e, item, site, pattern))
  const conditions: (() => void)[] = []
  if (check !== undefined) conditions.push(check)
  if (mask !== 'full') conditions.push(() => pushAllActive(e, mask))
  if (conditions.length === 0) {
    fast()
    return
  }
  conditions.forEach((push, n) => {
    push()
    if (n > 0) f.op(OP.i32And)
  })
  f.if(fast, () => rarely(e, () => scatterStore(e, item, site, mask)))
}

/** One store for all lanes: they write the same. */
function uniformStore(e: Emitter, item: Store, site: Site, mask: Mask): void {
  const { f } = e
  const write = (): void => {
    const addresses = scalarAddresses(e, site, () => f.get(e.dump))
    item.values.forEach((v, c) => {
      f.get(addresses[c]!)
      e.scalarI(v)
      f.memory(OP.i32Store, 2, c * 4 + fixedOffset(e, site))
    })
    f.release(I32, ...new Set(addresses))
  }
  if (mask === 'full') write()
  else {
    pushAnyActive(e, mask)
    f.if(() => e.scope(write))
  }
}

export { fixedOffset, isUniformSite, laneAddresses, scalarAddresses }
