import {
  bytesExpected,
  type Diagnostic,
  DiagnosticCollector,
  diagnostic,
  failure,
  isRecord,
  type Outcome,
  outcomeOf,
  showValue,
} from '../diagnostic/index.ts'
import type { Buffer } from './buffer.ts'
import type { Sampler } from './sampler.ts'
import type { Texture } from './texture.ts'
import type { Cbv, Srv, Uav } from './view.ts'

/** Anything that can stand in a slot. */
export type Bound = Srv | Uav | Cbv | Sampler
/** A bound thing, or what its maker returned: its diagnostics are then reported with the slot. */
export type BindingValue = Bound | Outcome<Bound>
/**
 * What a dispatch runs on, by slot: `t0` SRV, `u1` UAV, `b0` constant buffer, `s0` sampler; `t0,space1` in Shader
 * Model 5.1. An array fills the slots from the named one on; null or undefined leaves a slot unbound.
 */
export type Bindings = Readonly<
  Record<string, BindingValue | readonly (BindingValue | null | undefined)[] | null | undefined>
>

export type SlotRegister = 't' | 'u' | 'b' | 's'
/** A place where something can be bound. */
export interface Slot {
  readonly register: SlotRegister
  readonly index: number
  readonly space: number
}

/** Bindings by register, then by `slotKey`. Immutable plain maps. */
export interface ResolvedBindings {
  readonly t: ReadonlyMap<number, Srv>
  readonly u: ReadonlyMap<number, Uav>
  readonly b: ReadonlyMap<number, Cbv>
  readonly s: ReadonlyMap<number, Sampler>
}

/** Slots of a register space that an index can name. Shader Model 5.1 has no fixed number; this bounds the key. */
export const MAX_SLOT_INDEX = 0xfffff
/** Spaces are 32-bit numbers. */
const MAX_SPACE = 0xffffffff

const KIND_OF: Readonly<Record<SlotRegister, Bound['kind']>> = { t: 'srv', u: 'uav', b: 'cbv', s: 'sampler' }
const KIND_NAMES: Readonly<Record<Bound['kind'], string>> = {
  srv: 'a shader resource view',
  uav: 'an unordered access view',
  cbv: 'a constant buffer',
  sampler: 'a sampler',
}

/** Slots of names that were parsed: draws and dispatches name the same few again and again. */
const SLOTS = new Map<string, Slot>()
const MAX_SLOTS = 1024

/** The slot of a name such as `t0`, `U1` or `t0, space1`; undefined when the name is not of that form. */
export function parseSlot(name: string): Slot | undefined {
  const known = SLOTS.get(name)
  if (known !== undefined) return known
  const slot = slotOfName(name)
  if (slot !== undefined && SLOTS.size < MAX_SLOTS) SLOTS.set(name, slot)
  return slot
}

function slotOfName(name: string): Slot | undefined {
  const match = /^\s*([tubs])(\d{1,7})\s*(?:,\s*space(\d{1,10})\s*)?$/i.exec(name)
  if (match === null) return undefined
  const index = Number(match[2])
  const space = Number(match[3] ?? 0)
  if (index > MAX_SLOT_INDEX || space > MAX_SPACE) return undefined
  return { register: match[1]!.toLowerCase() as SlotRegister, index, space }
}

/** The name of a slot as parseSlot reads it; space 0 is not named. */
export function printSlot(slot: Slot): string {
  return `${slot.register}${slot.index}${slot.space === 0 ? '' : `,space${slot.space}`}`
}

/**
 * The key of a slot in ResolvedBindings: below 2^52, so exact as a number; -1, which nothing has, for an index past the
 * last slot, which ranges without end and computed indices can reach.
 */
export function slotKey(index: number, space = 0): number {
  return index > MAX_SLOT_INDEX ? -1 : space * (MAX_SLOT_INDEX + 1) + index
}

/** The slot of a key that slotKey made. */
export function slotOfKey(register: SlotRegister, key: number): Slot {
  return { register, index: key % (MAX_SLOT_INDEX + 1), space: Math.floor(key / (MAX_SLOT_INDEX + 1)) }
}

function isOutcome(value: BindingValue): value is Outcome<Bound> {
  return 'diagnostics' in value && Array.isArray(value.diagnostics)
}

function at(slot: string, d: Diagnostic): Diagnostic {
  return { ...d, place: { kind: 'path', path: slot }, message: `${slot}: ${d.message}` }
}

const MAKERS = 'srv, uav, cbv or sampler'

/** Whether a bound thing has what its maker gives it: callers without types give anything. */
function isMade(bound: Bound): boolean {
  const has = bound as unknown as Readonly<Record<string, unknown>>
  if (bound.kind === 'sampler') return typeof has.min === 'string' && typeof has.reduction === 'string'
  if (!isRecord(has.storage) || !ArrayBuffer.isView(has.storage.words)) return false
  if (has.shape === 'texture') return Array.isArray(has.levels) && isRecord(has.format)
  const isRange = has.shape === 'raw' || has.shape === 'structured' || has.shape === 'typed'
  return (bound.kind === 'cbv' || isRange) && typeof has.byteLength === 'number'
}

interface Resolution {
  /** Registers that nothing is bound to have none: each draw binds few. */
  readonly maps: Partial<Record<SlotRegister, Map<number, Bound>>>
  readonly diagnostics: DiagnosticCollector
}

const NOTHING: ReadonlyMap<number, never> = new Map<number, never>()

/** What was put in maps; `bindOne` puts no other kind than that of the register in one. */
function resolvedOf({ t, u, b, s }: Resolution['maps']): ResolvedBindings {
  const as = <T extends Bound>(map: Map<number, Bound> | undefined): ReadonlyMap<number, T> =>
    (map as Map<number, T> | undefined) ?? NOTHING
  return { t: as<Srv>(t), u: as<Uav>(u), b: as<Cbv>(b), s: as<Sampler>(s) }
}

function bindOne(out: Resolution, slot: Slot, value: BindingValue): void {
  const report = (d: Diagnostic): void => void out.diagnostics.push(at(printSlot(slot), d))
  const wanted = KIND_OF[slot.register]
  if (!isRecord(value) || ArrayBuffer.isView(value)) {
    const isBytes = slot.register === 'b' && bytesExpected(value) === undefined
    const notes = isBytes ? ['cbv(data) makes one of bytes'] : []
    const text = `${showValue(value)} was given; ${KIND_NAMES[wanted]} goes here.`
    report(diagnostic('machine-binding-kind', text, undefined, notes))
    return
  }
  if (isOutcome(value)) value.diagnostics.forEach(report)
  const bound = isOutcome(value) ? value.value : value
  if (bound === undefined) return
  if (bound.kind !== wanted || !isMade(bound)) {
    const isNamed = bound.kind !== wanted && Object.hasOwn(KIND_NAMES, bound.kind)
    const given = isNamed ? KIND_NAMES[bound.kind] : `something that ${MAKERS} did not make`
    report(diagnostic('machine-binding-kind', `${given} was given; ${KIND_NAMES[wanted]} goes here.`))
    return
  }
  const map = (out.maps[slot.register] ??= new Map<number, Bound>())
  const key = slotKey(slot.index, slot.space)
  if (map.has(key)) {
    report(diagnostic('machine-binding-slot', 'the slot is bound twice.'))
    return
  }
  map.set(key, bound)
}

/** Of no bindings at all. */
const NOTHING_BOUND: Outcome<ResolvedBindings> = outcomeOf({ t: NOTHING, u: NOTHING, b: NOTHING, s: NOTHING }, [])

/** Bindings sorted into slots. A value is given even with errors, holding what could be bound. */
export function resolveBindings(bindings: Bindings): Outcome<ResolvedBindings> {
  if (!isRecord(bindings)) {
    const text = `bindings are an object of slots, such as { t0: srv(buffer) }; ${showValue(bindings)} was given.`
    return failure([diagnostic('machine-binding-kind', text)])
  }
  const names = Object.keys(bindings)
  return names.length === 0 ? NOTHING_BOUND : resolveAll(bindings, names)
}

function resolveAll(bindings: Bindings, names: readonly string[]): Outcome<ResolvedBindings> {
  const out: Resolution = { maps: {}, diagnostics: new DiagnosticCollector() }
  for (const name of names) {
    const value = bindings[name]
    const slot = parseSlot(name)
    if (slot === undefined) {
      out.diagnostics.push(
        at(name, diagnostic('machine-binding-slot', 'is not a slot; write t0, u0, b0, s0, or t0,space1.')),
      )
      continue
    }
    if (!Array.isArray(value)) {
      if (value !== null && value !== undefined) bindOne(out, slot, value as BindingValue)
      continue
    }
    const items = value as readonly (BindingValue | null | undefined)[]
    items.forEach((item, i) => {
      if (item !== null && item !== undefined) bindOne(out, { ...slot, index: slot.index + i }, item)
    })
  }
  const resolved = resolvedOf(out.maps)
  hazards(resolved, out.diagnostics)
  return outcomeOf(resolved, out.diagnostics.finish())
}

/** Byte range of what a view shows, in its buffer. */
function span(view: Srv | Uav): { from: number; to: number } {
  const { storage } = view
  if (view.shape !== 'texture') {
    const from = storage.byteOffset + view.byteOffset
    return { from, to: from + view.byteLength }
  }
  const first = view.levels[0]!
  const last = view.levels.at(-1)!
  const end = last.byteOffset + last.depth * last.slicePitch + (view.arraySize - 1) * view.arrayPitch
  return { from: storage.byteOffset + first.byteOffset, to: storage.byteOffset + end }
}

/**
 * Direct3D unbinds an SRV whose memory is bound for writing, and ignores a call that binds one subresource to two UAVs
 * (5.3.9.4). The machine runs what was given and warns; buffers are one subresource, whatever ranges the views show.
 */
function hazards({ t, u }: ResolvedBindings, found: DiagnosticCollector): void {
  if (u.size === 0) return
  const warn = (slot: string, other: string): void =>
    void found.push(
      at(slot, diagnostic('machine-binding-hazard', `shows memory that ${other} writes; Direct3D would unbind one.`)),
    )
  // Memory belongs to one resource, so that only views of the same one can overlap.
  const writers = new Map<Buffer | Texture, Writer[]>()
  for (const [key, view] of u) {
    const name = `u${key % (MAX_SLOT_INDEX + 1)}`
    const others = writers.get(view.resource) ?? []
    writers.set(view.resource, others)
    const other = overlapping(others, view)
    if (other !== undefined) warn(name, other.name)
    others.push({ name, ...span(view) })
  }
  for (const [key, view] of t) {
    const writer = overlapping(writers.get(view.resource) ?? [], view)
    if (writer !== undefined) warn(`t${key % (MAX_SLOT_INDEX + 1)}`, writer.name)
  }
}

/** A UAV with the bytes that it shows. */
interface Writer {
  readonly name: string
  readonly from: number
  readonly to: number
}

function overlapping(writers: readonly Writer[], view: Srv | Uav): Writer | undefined {
  if (view.resource.kind === 'buffer') return writers[0]
  const { from, to } = span(view)
  return writers.find((w) => w.from < to && from < w.to)
}
