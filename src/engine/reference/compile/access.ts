import { largest } from '../../../diagnostic/index.ts'
import { FILE } from '../../../isa/index.ts'
import { POISON_WORD } from '../../../machine/index.ts'
import { findRange, type ResourceDeclaration } from '../../declarations.ts'
import type { MemorySpace } from '../../observer.ts'
import { outsideByte } from '../../texel-axes.ts'
import { type AccessSite, report } from '../run/report.ts'
import type { ViewSlot, Wave } from '../run/state.ts'
import { type ViewReference, viewReference } from '../run/view-slot.ts'
import { refuse, type Statement, siteOf } from './statement.ts'

/**
 * Where raw, structured and shared memory is accessed. A locator turns the addresses of the active lanes into byte
 * offsets, row by row in `Wave.offsets`; what then reads or writes only follows them. The rules of bounds and alignment
 * stand here and nowhere else.
 */

/** Offset of an access that is dropped by rule: loads give 0. */
export const DROPPED = -1
/** Offset of an access whose outcome is undefined: loads give 0, or poison. */
export const UNDEFINED = -2

/** Columns of the address of a statement: byte offset alone (raw), or index and byte offset (structured). */
interface AddressColumns {
  readonly index: number | undefined
  readonly byteOffset: number
}

export interface Locator {
  readonly site: AccessSite
  readonly space: MemorySpace
  /** Entries of a row. */
  readonly width: number
  /** Fills `w.offsets`, and `w.rowSlots` where lanes choose their view. */
  readonly locate: (w: Wave) => void
  /** The view of all lanes; undefined for shared memory and where lanes choose. */
  readonly view: ViewReference | undefined
  /** Word at which the register's memory starts in the group's shared memory. */
  readonly tgsmFirst: number
}

/**
 * Everything undefined after a write with a bad byte offset to a UAV, or past the bounds of a group's shared memory, which
 * has no view (7.14, rule 4 of the semantics).
 */
function spoil(w: Wave, slot: ViewSlot | undefined): void {
  if (w.dispatch.policy !== 'poison') return
  if (slot === undefined) {
    w.group.tgsm.fill(POISON_WORD | 0)
    return
  }
  w.dispatch.pages?.willWrite(slot.storage, slot.byteOffset, slot.byteLength)
  const first = slot.byteOffset >> 2
  slot.words.fill(POISON_WORD | 0, first, first + (slot.byteLength >> 2))
}

interface Shape {
  readonly site: AccessSite
  /** Dwords from the address, one for each entry of a row. */
  readonly dwords: readonly number[]
  readonly writes: boolean
  /** Atomics return an undefined value where they are out of bounds. */
  readonly returns: boolean
}

/**
 * What a misaligned address stands for: rounded down to a multiple of 4, or nowhere (negative) where the result of a load
 * is to be poison.
 */
function aligned(w: Wave, shape: Shape, lane: number, byteOffset: number, slot: ViewSlot | undefined): number {
  if (shape.writes) spoil(w, slot)
  report(w, shape.site, lane, { reason: 'misaligned', address: byteOffset, limit: 4, defined: false })
  const poisoned = !shape.writes && w.dispatch.policy === 'poison'
  return poisoned ? -1 : byteOffset - (byteOffset & 3)
}

function fillRow(w: Wave, row: number, width: number, value: number): void {
  for (let i = 0; i < width; i++) w.offsets[row + i] = value
}

/** u# and t#: each dword by itself; the part in bounds is accessed. */
function locateRaw(shape: Shape, view: ViewReference, columns: AddressColumns): (w: Wave) => void {
  const { site, dwords, returns } = shape
  const width = dwords.length
  const dynamic = view.slot < 0
  return (w) => {
    const { I, lanes, activeCount, offsets } = w
    const fixed = dynamic ? undefined : w.dispatch.views[view.slot]
    for (let k = 0; k < activeCount; k++) {
      const l = lanes[k]!
      const slot = dynamic ? (w.rowSlots[k] = view.of(w, l, site)) : fixed
      const row = k * width
      let address = I[columns.byteOffset + l]! >>> 0
      if (slot === undefined) {
        fillRow(w, row, width, DROPPED)
        report(w, site, l, { reason: 'unbound', address, limit: 0, defined: true })
        continue
      }
      if ((address & 3) !== 0) address = aligned(w, shape, l, address, slot)
      if (address < 0) {
        fillRow(w, row, width, UNDEFINED)
        continue
      }
      for (let i = 0; i < width; i++) {
        const byte = address + dwords[i]! * 4
        if (byte + 4 <= slot.byteLength) offsets[row + i] = slot.byteOffset + byte
        else {
          offsets[row + i] = returns ? UNDEFINED : DROPPED
          report(w, site, l, { reason: 'out-of-bounds', address: byte, limit: slot.byteLength, defined: !returns })
        }
      }
    }
  }
}

/**
 * u# and t#: a byte offset past the structure, components included, wins over an index past the view; nothing is written
 * and the whole result is undefined. An index past the view drops the access.
 */
function locateStructured(shape: Shape, view: ViewReference, columns: AddressColumns): (w: Wave) => void {
  const { site, dwords, returns } = shape
  const width = dwords.length
  const reach = (largest(0, dwords) + 1) * 4
  const dynamic = view.slot < 0
  const indexColumn = columns.index!
  return (w) => {
    const { I, lanes, activeCount, offsets } = w
    const fixed = dynamic ? undefined : w.dispatch.views[view.slot]
    for (let k = 0; k < activeCount; k++) {
      const l = lanes[k]!
      const slot = dynamic ? (w.rowSlots[k] = view.of(w, l, site)) : fixed
      const row = k * width
      const index = I[indexColumn + l]! >>> 0
      let inside = I[columns.byteOffset + l]! >>> 0
      if (slot === undefined) {
        fillRow(w, row, width, DROPPED)
        report(w, site, l, { reason: 'unbound', address: index, limit: 0, defined: true })
        continue
      }
      if ((inside & 3) !== 0) inside = aligned(w, shape, l, inside, slot)
      if (inside < 0) fillRow(w, row, width, UNDEFINED)
      else if (inside + reach > slot.stride) {
        fillRow(w, row, width, UNDEFINED)
        if (shape.writes) spoil(w, slot)
        report(w, site, l, {
          reason: 'structure-offset',
          address: inside + reach - 1,
          limit: slot.stride,
          defined: false,
        })
      } else if (index >= slot.count) {
        fillRow(w, row, width, returns ? UNDEFINED : DROPPED)
        report(w, site, l, { reason: 'out-of-bounds', address: index, limit: slot.count, defined: !returns })
      } else {
        const base = slot.byteOffset + index * slot.stride + inside
        for (let i = 0; i < width; i++) offsets[row + i] = base + dwords[i]! * 4
      }
    }
  }
}

/** g#: each dword by itself, against the bounds of the register; the structure's end is none (22.4.12, 22.4.13). */
function locateTgsm(shape: Shape, byteLength: number, stride: number, columns: AddressColumns): (w: Wave) => void {
  const { site, dwords } = shape
  const width = dwords.length
  const indexColumn = columns.index
  return (w) => {
    const { I, lanes, activeCount, offsets } = w
    for (let k = 0; k < activeCount; k++) {
      const l = lanes[k]!
      const row = k * width
      let address = I[columns.byteOffset + l]! >>> 0
      if ((address & 3) !== 0) address = aligned(w, shape, l, address, undefined)
      if (address < 0) {
        fillRow(w, row, width, UNDEFINED)
        continue
      }
      const index = indexColumn === undefined ? 0 : I[indexColumn + l]! >>> 0
      for (let i = 0; i < width; i++) {
        const inside = address + dwords[i]! * 4
        const byte = index * stride + inside
        if (byte + 4 <= byteLength) offsets[row + i] = byte
        else {
          offsets[row + i] = UNDEFINED
          if (shape.writes) spoil(w, undefined)
          report(w, site, l, {
            reason: 'tgsm-bounds',
            address: outsideByte(index, stride, inside, byteLength),
            limit: byteLength,
            defined: false,
          })
        }
      }
    }
  }
}

interface LocatorRequest {
  /** Operand that names the memory. */
  readonly operand: number
  readonly access: 'load' | 'store' | 'atomic'
  readonly addressing: 'raw' | 'structured'
  readonly columns: AddressColumns
  readonly dwords: readonly number[]
  readonly returns: boolean
}

function tgsmLocator(s: Statement, r: LocatorRequest): Locator | undefined {
  const o = s.instruction.operands[r.operand]!
  const register = o.indices[0]?.kind === 'immediate' ? o.indices[0].value : -1
  const declared = s.context.declarations.tgsm.find((t) => t.register === register)
  if (declared === undefined || declared.shape !== r.addressing) {
    refuse(s, r.operand, `g${register} is not declared as ${r.addressing} shared memory`)
    return undefined
  }
  const site = siteOf(s, r.operand, r.access, 'tgsm')
  const shape: Shape = { site, dwords: r.dwords, writes: r.access !== 'load', returns: r.returns }
  return {
    site,
    space: 'tgsm',
    width: r.dwords.length,
    locate: locateTgsm(shape, declared.byteLength, declared.stride, r.columns),
    view: undefined,
    tgsmFirst: declared.byteOffset >> 2,
  }
}

/** How a statement finds its memory; undefined after a complaint. */
export function createLocator(s: Statement, r: LocatorRequest): Locator | undefined {
  const o = s.instruction.operands[r.operand]!
  if (o.type === FILE.tgsm) return tgsmLocator(s, r)
  const uav = o.type === FILE.uav
  const space = uav ? 'uav' : 'srv'
  const declared = declaredShape(s, r.operand)
  if (declared !== undefined && declared !== r.addressing) {
    refuse(s, r.operand, `the register is declared as ${declared}, the instruction takes ${r.addressing} memory`)
    return undefined
  }
  const view = viewReference(s, r.operand)
  if (view === undefined) return undefined
  const site = siteOf(s, r.operand, r.access, space)
  const shape: Shape = { site, dwords: r.dwords, writes: r.access !== 'load', returns: r.returns }
  const locate = r.addressing === 'raw' ? locateRaw(shape, view, r.columns) : locateStructured(shape, view, r.columns)
  return { site, space, width: r.dwords.length, locate, view, tgsmFirst: 0 }
}

/** How the t# or u# of an operand is declared. */
export function declaredShape(s: Statement, operand: number): 'typed' | 'raw' | 'structured' | undefined {
  const o = s.instruction.operands[operand]!
  const id = o.indices[0]?.kind === 'immediate' ? o.indices[0].value : -1
  const { uavs, resources } = s.context.declarations
  const ranges = o.type === FILE.uav ? uavs : resources
  return findRange<ResourceDeclaration>(ranges, id)?.shape
}

/** Words of a row's memory: the group's, its view's, or none. */
export function wordsOf(w: Wave, locator: Locator, row: number): Int32Array | undefined {
  const { view } = locator
  if (view === undefined) return w.group.tgsm
  return view.slot >= 0 ? w.dispatch.views[view.slot]?.words : w.rowSlots[row]?.words
}

/** Before a statement writes `byteLength` bytes at each place that its locator found: where pages are kept, they are as they were. */
export function keepPages(w: Wave, { view, width }: Locator, byteLength: number): void {
  const { pages, views } = w.dispatch
  if (pages === undefined || view === undefined) return
  const fixed = view.slot >= 0 ? views[view.slot] : undefined
  const own = fixed === undefined ? undefined : pages.of(fixed.storage)
  for (let k = 0; k < w.activeCount; k++) {
    const storage = w.rowSlots[k]?.storage
    const kept = own ?? (storage === undefined ? undefined : pages.of(storage))
    for (let entry = k * width; entry < (k + 1) * width; entry++) {
      const at = w.offsets[entry]!
      if (at > DROPPED) kept?.willWrite(at, byteLength)
    }
  }
}

/** Tells the observer of the accesses that a statement made; values and originals have been filled in. */
export function memoryEvent(w: Wave, locator: Locator, byteLength: number, valuesPerRow: number): void {
  const observer = w.dispatch.observer
  if (observer?.memory === undefined) return
  const { site, space, view, width } = locator
  const dynamic = view !== undefined && view.slot < 0
  const event = w.observed!.access
  event.operand = site.operand
  event.access = site.access === 'other' ? 'load' : site.access
  event.space = space
  event.register = site.register
  event.view = view === undefined || dynamic ? undefined : w.dispatch.views[view.slot]?.view
  event.views = dynamic ? w.rowSlots.slice(0, w.activeCount).map((slot) => slot?.view) : undefined
  event.width = width
  event.byteLength = byteLength
  event.valuesPerRow = valuesPerRow
  observer.memory(event)
}
