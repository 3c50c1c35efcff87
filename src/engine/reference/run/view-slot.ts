import { FILE } from '../../../isa/index.ts'
import { type Sampler, type Srv, slotKey, type Uav } from '../../../machine/index.ts'
import type { RegisterRange } from '../../declarations.ts'
import { findRange, hasRanges } from '../../declarations.ts'
import { type Index, indexOf } from '../compile/operand.ts'
import { refuse, type Statement, type StaticSlot } from '../compile/statement.ts'
import { type AccessSite, report } from './report.ts'
import type { Dispatch, ViewSlot, Wave } from './state.ts'

/** What a view slot holds, gathered once for a view. */
export function makeViewSlot(view: Srv | Uav): ViewSlot {
  const { storage } = view
  const texture = view.shape === 'texture'
  return {
    view,
    storage,
    words: new Int32Array(storage.buffer, storage.byteOffset, storage.words.length),
    byteOffset: texture ? 0 : view.byteOffset,
    byteLength: texture ? 0 : view.byteLength,
    stride: view.shape === 'structured' ? view.stride : 0,
    count: texture ? 0 : view.elementCount,
  }
}

/** The slot of a view in a dispatch; equal views share one. */
function viewSlotOf(d: Dispatch, view: Srv | Uav): ViewSlot {
  const known = d.viewCache.get(view)
  if (known !== undefined) return known
  const made = makeViewSlot(view)
  d.viewCache.set(view, made)
  return made
}

/** The view that an operand names: the same for all lanes, or chosen by a computed register. */
export interface ViewReference {
  /** Index in `Dispatch.views`; -1 where lanes choose. */
  readonly slot: number
  /** The view of a lane; reports where a register is outside its declared range. */
  readonly of: (w: Wave, lane: number, site: AccessSite) => ViewSlot | undefined
}

export interface SamplerReference {
  readonly slot: number
  readonly of: (w: Wave, lane: number, site: AccessSite) => Sampler | undefined
}

function staticSlot(slots: StaticSlot[], file: StaticSlot['file'], key: number): number {
  const at = slots.findIndex((s) => s.file === file && s.key === key)
  if (at >= 0) return at
  slots.push({ file, key })
  return slots.length - 1
}

interface Named {
  readonly register: Index
  readonly range: RegisterRange | undefined
  readonly space: number
}

/** The register that a t#, u# or s# operand names, and the declared range that it must lie in. */
function nameOf(s: Statement, operand: number, ranges: readonly RegisterRange[]): Named | undefined {
  const o = s.instruction.operands[operand]!
  const ranged = hasRanges(s.context.declarations.program)
  const register = indexOf(s, operand, o.indices[ranged ? 1 : 0])
  if (register === undefined) return undefined
  const id = o.indices[0]?.kind === 'immediate' ? o.indices[0].value : -1
  const range = findRange(ranges, id)
  // A register computed in Shader Model 5.0 comes from a this pointer and may name any.
  if (range === undefined && (ranged || register.column === undefined)) {
    refuse(s, operand, 'the register is not declared')
    return undefined
  }
  return { register, range: ranged ? range : undefined, space: ranged ? range!.space : 0 }
}

interface Lookup<T> {
  readonly slots: StaticSlot[]
  readonly file: StaticSlot['file']
  readonly bound: (d: Dispatch, slot: number) => T | undefined
  readonly find: (d: Dispatch, key: number) => T | undefined
}

function reference<T>(
  named: Named,
  lookup: Lookup<T>,
): { slot: number; of: (w: Wave, lane: number, site: AccessSite) => T | undefined } {
  const { register, range, space } = named
  const { base, column } = register
  const inside = (n: number): boolean => range === undefined || (n >= range.first && n <= range.last)
  if (column === undefined && inside(base)) {
    const slot = staticSlot(lookup.slots, lookup.file, slotKey(base, space))
    return { slot, of: (w) => lookup.bound(w.dispatch, slot) }
  }
  return {
    slot: -1,
    of: (w, lane, site) => {
      const n = (base + (column === undefined ? 0 : w.I[column + lane]!)) >>> 0
      if (!inside(n)) {
        report(w, site, lane, { reason: 'range-bounds', address: n, limit: range!.last, defined: false })
        return undefined
      }
      return lookup.find(w.dispatch, slotKey(n, space))
    },
  }
}

/** The view of a t# or u# operand. */
export function viewReference(s: Statement, operand: number): ViewReference | undefined {
  const { declarations, viewSlots } = s.context
  const uav = s.instruction.operands[operand]!.type === FILE.uav
  const named = nameOf(s, operand, uav ? declarations.uavs : declarations.resources)
  if (named === undefined) return undefined
  return reference<ViewSlot>(named, {
    slots: viewSlots,
    file: uav ? 'u' : 't',
    bound: (d, slot) => d.views[slot],
    find: (d, key) => {
      const view = uav ? d.bindings.u.get(key) : d.bindings.t.get(key)
      return view === undefined ? undefined : viewSlotOf(d, view)
    },
  })
}

/** The sampler of an s# operand. */
export function samplerReference(s: Statement, operand: number): SamplerReference | undefined {
  const named = nameOf(s, operand, s.context.declarations.samplers)
  if (named === undefined) return undefined
  return reference<Sampler>(named, {
    slots: s.context.samplerSlots,
    file: 's',
    bound: (d, slot) => d.samplers[slot],
    find: (d, key) => d.bindings.s.get(key),
  })
}
