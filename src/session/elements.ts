/** Elements and texels of what is bound, as people name them: `u0[5]`, `u1[3,4]`, `rt0[10,20]`. */
import { texelPlace } from '../job/index.ts'
import {
  parseSlot,
  type Slot,
  type Srv,
  slotKey,
  subresource,
  type TargetView,
  type TextureSrv,
  type TextureUav,
  targetOffset,
  type Uav,
} from '../machine/index.ts'
import type { DebuggedRun } from './run.ts'

/** A place in memory: a space and a byte of it. */
export interface MemoryReference {
  readonly space: string
  readonly byteOffset: number
}

/** Bytes in a space. */
export interface ElementPlace extends MemoryReference {
  readonly byteLength: number
}

/** A target of the draw by its name: `rt0`, or `depth`. */
export function targetNamed({ draw }: Pick<DebuggedRun, 'draw'>, name: string): TargetView | undefined {
  if (draw === undefined) return undefined
  const { renderTargets, depthStencil } = draw.source.resources
  const slot = /^rt([0-7])$/.exec(name)
  return slot === null ? (name === 'depth' ? depthStencil : undefined) : renderTargets[Number(slot[1])]
}

/** What is bound to a slot: of a draw, unordered access is the same for all stages, whether the present one declares it or not. */
export function viewAt({ source, draw }: Pick<DebuggedRun, 'source' | 'draw'>, slot: Slot): Srv | Uav | undefined {
  const key = slotKey(slot.index, slot.space)
  if (slot.register === 't') return source.bindings.t.get(key)
  if (slot.register !== 'u') return undefined
  const own = source.bindings.u.get(key)
  if (own !== undefined || draw === undefined) return own
  return draw.line.batches.find((b) => b.bindings.u.has(key))?.bindings.u.get(key)
}

function texelOf(space: string, view: TextureSrv | TextureUav, at: readonly number[]): ElementPlace | undefined {
  const { resource, levels, firstArraySlice } = view
  const [x = 0, y = 0, z = 0, mip = 0] = at
  const is3d = resource.dimension === 'texture3d'
  const first = view.kind === 'uav' ? view.mipSlice : view.mostDetailedMip
  const part = subresource(resource, first + mip, is3d ? 0 : firstArraySlice + z)
  const level = levels[mip]
  if (part === undefined || level === undefined || x >= level.width || y >= level.height) return undefined
  const depth = is3d ? z + (view.kind === 'uav' ? firstArraySlice : 0) : 0
  const [byteOffset] = texelPlace(resource, part, x, y, depth)
  const byteLength = resource.format.blockByteLength
  return byteOffset + byteLength <= resource.byteLength ? { space, byteOffset, byteLength } : undefined
}

function elementOf(space: string, view: Srv | Uav, at: readonly number[]): ElementPlace | undefined {
  if (view.shape === 'texture') return texelOf(space, view, at)
  const [element = 0] = at
  if (at.length > 1) return undefined
  const byteLength = view.shape === 'raw' ? 4 : view.stride
  const byteOffset = view.byteOffset + element * byteLength
  const end = view.byteOffset + view.byteLength
  return byteOffset + byteLength <= end ? { space, byteOffset, byteLength } : undefined
}

/** Shared memory by its register: `g0+0x30`; `g[3]` and `g0[3]` are elements, words where the register is raw. */
function sharedPlace({ declarations: { tgsm } }: DebuggedRun, text: string): ElementPlace | undefined {
  const m = /^\s*g(\d*)\s*(?:\+\s*(0x[0-9a-f]+|\d+)|\[\s*(\d+)\s*\])?\s*$/i.exec(text)
  const [, register = '', bytes, element] = m ?? []
  const own = register === '' && tgsm.length === 1 ? tgsm[0] : tgsm.find((g) => `${g.register}` === register)
  if (m === null || own === undefined || (register === '' && element === undefined)) return undefined
  const stride = own.shape === 'raw' ? 4 : own.stride
  const at = element === undefined ? Number(bytes ?? 0) : Number(element) * stride
  const byteLength = element !== undefined ? stride : bytes !== undefined ? 4 : own.byteLength
  return at + Math.min(4, byteLength) > own.byteLength
    ? undefined
    : { space: 'g', byteOffset: own.byteOffset + at, byteLength }
}

/** The bytes of an element or texel; undefined where a text names none that is there. */
export function elementNamed(run: DebuggedRun, text: string): ElementPlace | undefined {
  const shared = sharedPlace(run, text)
  if (shared !== undefined) return shared
  const m = /^\s*(\w+)\s*\[\s*(\d+(?:\s*,\s*\d+){0,3})\s*\]\s*$/.exec(text)
  if (m === null) return undefined
  const space = m[1]!.toLowerCase()
  const at = m[2]!.split(',').map(Number)
  const target = targetNamed(run, space)
  if (target !== undefined) {
    const [x = 0, y = 0, slice = 0, sample = 0] = at
    if (x >= target.width || y >= target.height || slice >= target.arraySize || sample >= target.sampleCount)
      return undefined
    return { space, byteOffset: targetOffset(target, x, y, slice, sample), byteLength: target.bytesPerTexel }
  }
  const slot = parseSlot(space)
  const view = slot && viewAt(run, slot)
  return view && elementOf(space, view, at)
}
