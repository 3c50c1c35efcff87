/** Memory by name: `u0`, `t3`, `b0`, `g` (shared memory of a group), each with bytes from 0. */
import { type Change, type GroupPosition, isGroup, type MemoryRange } from '../debug/index.ts'
import type { GroupState } from '../engine/index.ts'
import { type Buffer, parseSlot, printSlot, slotKey, slotOfKey, type Texture } from '../machine/index.ts'
import { type MemoryReference, targetNamed, viewAt } from './elements.ts'
import type { DebuggedRun } from './run.ts'

/** The memory behind a name, at the moment that is looked at. */
export interface MemorySpace {
  readonly name: string
  /** The HLSL name of what is bound there. */
  readonly label: string
  readonly bytes: Uint8Array
  /** Where the view begins in its resource: offsets of a space count from the start of the resource. */
  readonly viewByteOffset: number
  readonly resource?: Buffer | Texture
  readonly isWritable: boolean
}

export const SHARED_SPACE = 'g'

/** The label of what the output merger writes. */
export const TARGET_LABEL = 'target of the draw'

/** `u0+0x30` as a place; undefined where it is none. */
export function parseReference(text: string): MemoryReference | undefined {
  const m = /^\s*([a-z]\w*(?:,space\d+)?)\s*(?:\+\s*(0x[0-9a-f]+|\d+))?\s*$/i.exec(text)
  if (m === null) return undefined
  const byteOffset = Number(m[2] ?? 0)
  return Number.isSafeInteger(byteOffset) ? { space: m[1]!.toLowerCase(), byteOffset } : undefined
}

export const printReference = ({ space, byteOffset }: MemoryReference): string =>
  `${space}+0x${byteOffset.toString(16)}`

function groupAt({ timeLine }: DebuggedRun, position: GroupPosition): GroupState | undefined {
  return timeLine.groups.find((g) => isGroup(g.position, position))
}

/** The memory with a name; shared memory is that of the group given. */
export function spaceNamed(run: DebuggedRun, name: string, group: GroupPosition): MemorySpace | undefined {
  if (name === SHARED_SPACE) {
    const tgsm = groupAt(run, group)?.tgsm
    if (tgsm === undefined || run.declarations.tgsmByteLength === 0) return undefined
    const bytes = new Uint8Array(tgsm.buffer, tgsm.byteOffset, run.declarations.tgsmByteLength)
    return { name, label: 'shared memory', bytes, viewByteOffset: 0, isWritable: true }
  }
  const target = targetNamed(run, name)
  if (target !== undefined) {
    const { resource, storage } = target
    const bytes = storage.bytes.subarray(0, resource.byteLength)
    // What is drawn to changes between batches, by the output merger alone.
    return { name, label: TARGET_LABEL, bytes, viewByteOffset: target.byteOffset, resource, isWritable: false }
  }
  const slot = parseSlot(name)
  if (slot === undefined || slot.register === 's') return undefined
  const { bindings } = run.source
  const key = slotKey(slot.index, slot.space)
  const label = run.slotNames.get(printSlot(slot)) ?? printSlot(slot)
  if (slot.register === 'b') {
    const cbv = bindings.b.get(key)
    if (cbv === undefined) return undefined
    const bytes = cbv.storage.bytes.subarray(cbv.byteOffset, cbv.byteOffset + cbv.byteLength)
    return { name, label, bytes, viewByteOffset: 0, isWritable: false }
  }
  const view = viewAt(run, slot)
  if (view === undefined) return undefined
  const { resource, storage } = view
  const isWritable = slot.register === 'u' || [...bindings.u.values()].some((u) => u.resource === resource)
  const viewByteOffset = view.shape === 'texture' ? 0 : view.byteOffset
  return { name, label, bytes: storage.bytes.subarray(0, resource.byteLength), viewByteOffset, resource, isWritable }
}

/** The names of all memory that a run has. */
export function spaceNames({ source, declarations, draw }: DebuggedRun): readonly string[] {
  const { u, t, b } = source.bindings
  const ofDraw = (draw?.line.batches ?? []).flatMap((batch) => [...batch.bindings.u.keys()])
  const slots = [
    ...[...new Set([...u.keys(), ...ofDraw])].map((key) => printSlot(slotOfKey('u', key))),
    ...[...t.keys()].map((key) => printSlot(slotOfKey('t', key))),
    ...[...b.keys()].map((key) => printSlot(slotOfKey('b', key))),
  ]
  const { renderTargets = [], depthStencil } = draw?.source.resources ?? {}
  const targets = renderTargets.flatMap((view, i) => (view === undefined ? [] : [`rt${i}`]))
  if (depthStencil !== undefined) targets.push('depth')
  return [...slots, ...targets, ...(declarations.tgsmByteLength === 0 ? [] : [SHARED_SPACE])]
}

/** A range as time lines name it; undefined for constants, which no statement writes. */
export function rangeIn(
  space: MemorySpace,
  byteOffset: number,
  byteLength: number,
  group: GroupPosition,
): MemoryRange | undefined {
  if (space.name === SHARED_SPACE) return { space: 'tgsm', group, byteOffset, byteLength }
  return space.resource && { space: 'resource', resource: space.resource, byteOffset, byteLength }
}

/** The change that writes bytes; undefined where the memory is no part of what a moment has. */
export function changeOf(
  space: MemorySpace,
  byteOffset: number,
  bytes: Uint8Array,
  group: GroupPosition,
): Change | undefined {
  const range = space.isWritable ? rangeIn(space, byteOffset, bytes.length, group) : undefined
  return range && { kind: 'memory', range, bytes }
}

/** The name of a resource that is bound: `u0` before `t0`. */
function nameOfResource({ source, draw }: DebuggedRun, resource: Buffer | Texture): string | undefined {
  for (const [key, view] of source.bindings.u) if (view.resource === resource) return printSlot(slotOfKey('u', key))
  for (const [key, view] of source.bindings.t) if (view.resource === resource) return printSlot(slotOfKey('t', key))
  for (const { bindings } of draw?.line.batches ?? [])
    for (const [key, view] of bindings.u) if (view.resource === resource) return printSlot(slotOfKey('u', key))
  return undefined
}

/** A range as people write it. */
export function rangeReference(run: DebuggedRun, range: MemoryRange): string {
  if (range.space === 'tgsm') return printReference({ space: SHARED_SPACE, byteOffset: range.byteOffset })
  const space = nameOfResource(run, range.resource) ?? '?'
  return range.space === 'counter' ? `counter of ${space}` : printReference({ space, byteOffset: range.byteOffset })
}
