import { largest } from '../../../diagnostic/index.ts'
import { type AccessAddress, constantOf, type EffectItem, isAlwaysValid, type Value } from '../../ir/index.ts'
import { SRGB_TABLE } from './descriptor-layout.ts'
import type { Emitter } from './emitter.ts'
import { HEADER } from './kernel-layout.ts'

/** Places of raw and structured memory that an instruction accesses, and what is known of them before code is made. */

type Access = Extract<EffectItem, { kind: 'load' | 'store' | 'atomic' }>

/** What is known of an address before code is made. */
export interface Site {
  readonly item: Access
  readonly address: AccessAddress
  /** Dwords from the address on that are touched. */
  readonly components: readonly number[]
  /** Dwords that the instruction names, each as often as it does, and the last of them: what bounds are checked for. */
  readonly dwords: readonly number[]
  readonly last: number
}

export function siteOf(item: Access, components: readonly number[], dwords = components): Site {
  return { item, address: item.address, components, dwords, last: largest(0, dwords) }
}

/** Pushes the address of byte 0 of the space. */
export function pushBase(e: Emitter, address: AccessAddress): void {
  const { space } = address
  if (space.kind === 'buffer') e.pushDescriptor(space.binding, 'base')
  else if (space.kind === 'tgsm') e.f.get(e.tgsmBase)
  else if (space.kind === 'mip-table') e.pushDescriptor(space.binding, 'levels')
  else if (space.kind === 'batch') e.f.get(e.headerLocal(HEADER[space.part]))
  else e.f.i32(SRGB_TABLE)
}

/** Static part of every address in the space. */
export const staticOffset = (address: AccessAddress): number =>
  address.space.kind === 'tgsm' || address.space.kind === 'batch' ? address.space.byteOffset : 0

/** The largest number whose bits may all be set. */
function bound(e: Emitter, v: Value): number {
  const { maybe } = e.facts(v)
  return maybe === 0 ? 0 : 0xffffffff >>> Math.clz32(maybe)
}
/** The largest dword address that an offset may be rounded down to. */
const boundDword = (e: Emitter, v: Value): number => (bound(e, v) & ~3) >>> 0

/** The byte offset is a multiple of 4; elements of texels may lie anywhere. */
export const isAligned = (e: Emitter, { offset, valid }: AccessAddress): boolean =>
  valid !== undefined || (e.facts(offset).maybe & 3) === 0

/** Pushes the number of structures, or bytes of a raw space. */
export function pushLimit(e: Emitter, address: AccessAddress): void {
  const { space } = address
  if (space.kind === 'tgsm') e.f.i32(address.index === undefined ? space.byteLength : space.count)
  else if (space.kind === 'buffer')
    e.pushDescriptor(space.binding, address.index === undefined ? 'byteLength' : 'elementCount')
}

/** The address needs no check: proven in bounds. */
export function isSafeIndex(e: Emitter, address: AccessAddress): boolean {
  return address.space.kind === 'tgsm' && address.index !== undefined && bound(e, address.index) < address.space.count
}

/** Whether a byte offset, rounded down to a dword, stays in the structure: always, never, or by its value. */
export function offsetCheck(e: Emitter, site: Site): 'inside' | 'outside' | 'dynamic' {
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
export function isSafeRaw(e: Emitter, site: Site): boolean {
  const { space, offset } = site.address
  return space.kind === 'tgsm' && boundDword(e, offset) + 4 * site.last + 4 <= space.byteLength
}

/** Every address of the site is known to be in bounds, so that its static part can stand in the instruction. */
export function isSafeSite(e: Emitter, site: Site): boolean {
  if (site.address.valid !== undefined) return false
  if (site.address.index === undefined) return isSafeRaw(e, site)
  return isSafeIndex(e, site.address) && offsetCheck(e, site) === 'inside'
}

/** Static offset for instructions at addresses of scalarAddresses. */
export const fixedOffset = (e: Emitter, site: Site): number =>
  isSafeSite(e, site) || isAlwaysValid(site.address) ? staticOffset(site.address) : 0
/** Pushes the bytes of a raw view or of a register of shared memory. */
export function pushByteLimit(e: Emitter, { space }: AccessAddress): void {
  if (space.kind === 'tgsm') e.f.i32(space.byteLength)
  else if (space.kind === 'buffer') e.pushDescriptor(space.binding, 'byteLength')
}

export const isUniformSite = (e: Emitter, address: AccessAddress): boolean =>
  [address.offset, address.index, address.valid].every((v) => v === undefined || !e.isVarying(v))

/** Dwords are checked one by one, since it is not known that all are in bounds. */
export function isDwordwise(e: Emitter, site: Site): boolean {
  if (site.address.valid !== undefined) return false
  return (site.address.index === undefined || site.address.space.kind === 'tgsm') && !isSafeSite(e, site)
}
