/** The registers and memory of a moment, as expressions and trees of values read them. */
import { hasLane, type UndefinedMoment } from '../debug/index.ts'
import type { GroupState, WaveState } from '../engine/index.ts'
import { type Declarations, hasRanges, threadsOf } from '../engine/index.ts'
import { FILE, type RegisterFileName } from '../isa/index.ts'
import {
  type Cbv,
  loadElement,
  loadTexel,
  type ResolvedBindings,
  type Srv,
  slotKey,
  type Uav,
} from '../machine/index.ts'
import type { MemoryAddress, MemoryFile, ValueState } from '../source/index.ts'

/** What a dispatch is made of, for reading it. */
export interface StateSource {
  readonly declarations: Declarations
  readonly bindings: ResolvedBindings
}

/** The key of a binding that an operand names: a register, or in 5.1 a range and a register. */
function keyOf(
  d: Declarations,
  ranges: readonly { readonly id: number; readonly space: number }[],
  indices: readonly number[],
) {
  if (!hasRanges(d.program)) return slotKey(indices[0] ?? 0)
  const space = ranges.find((r) => r.id === indices[0])?.space ?? 0
  return slotKey(indices[1] ?? 0, space)
}

/** The view that an operand of a resource names. */
export function viewOfOperand(
  s: StateSource,
  file: 'resource' | 'uav',
  indices: readonly number[],
): Srv | Uav | undefined {
  const { declarations: d, bindings } = s
  return file === 'uav' ? bindings.u.get(keyOf(d, d.uavs, indices)) : bindings.t.get(keyOf(d, d.resources, indices))
}

function constantBufferOf({ declarations: d, bindings }: StateSource, indices: readonly number[]): Cbv | undefined {
  return bindings.b.get(keyOf(d, d.constantBuffers, indices))
}

function constant(s: StateSource, indices: readonly number[], component: number): number | undefined {
  const cbv = constantBufferOf(s, indices)
  if (cbv === undefined) return undefined
  const byteOffset = (indices.at(-1) ?? 0) * 16 + component * 4
  if (byteOffset < 0 || byteOffset + 4 > cbv.byteLength) return 0
  return cbv.storage.words[(cbv.byteOffset + byteOffset) >> 2]
}

/** Bytes of a view at an address; -1 outside of it. */
export function byteOffsetIn(view: Srv | Uav, address: MemoryAddress): number {
  if (view.shape === 'texture' || address.kind === 'texel') return -1
  const at =
    address.kind === 'bytes'
      ? address.byteOffset
      : address.element * (view.shape === 'structured' ? view.stride : 1) + address.byteOffset
  return at < 0 || at + 4 > view.byteLength ? -1 : view.byteOffset + at
}

const TEXEL = new Uint32Array(4)

function texel(view: Srv | Uav, address: Extract<MemoryAddress, { kind: 'texel' }>): number | undefined {
  const [x = 0, y = 0, z = 0, mip = 0] = address.coordinates
  if (view.shape === 'texture') {
    return loadTexel(view, x, y, z, mip, 0, TEXEL, 0) ? TEXEL[address.component] : undefined
  }
  if (view.shape !== 'typed') return undefined
  return loadElement(view, x, TEXEL, 0) ? TEXEL[address.component] : undefined
}

function viewWord(view: Srv | Uav, address: MemoryAddress): number | undefined {
  if (address.kind === 'texel') return texel(view, address)
  const at = byteOffsetIn(view, address)
  return at < 0 ? undefined : view.storage.words[at >> 2]
}

/** A byte of shared memory in the whole of its group; -1 outside of the register. */
export function sharedOffset(d: Declarations, register: number, address: MemoryAddress): number {
  const g = d.tgsm.find((t) => t.register === register)
  if (g === undefined || address.kind === 'texel') return -1
  const at = address.kind === 'bytes' ? address.byteOffset : address.element * g.stride + address.byteOffset
  return at < 0 || at + 4 > g.byteLength ? -1 : g.byteOffset + at
}

export const SYSTEM_FILES: ReadonlySet<RegisterFileName> = new Set([
  'thread-id',
  'thread-group-id',
  'thread-id-in-group',
  'thread-id-in-group-flattened',
])

/** System values that the shader does not declare, from the thread's place. */
function systemValue(
  d: Declarations,
  group: GroupState,
  thread: number,
  file: RegisterFileName,
  component: number,
): number | undefined {
  if (file === 'thread-id-in-group-flattened') return component === 0 ? thread : undefined
  if (component > 2) return undefined
  const size = threadsOf(d)
  const inGroup = [thread % size[0], Math.floor(thread / size[0]) % size[1], Math.floor(thread / (size[0] * size[1]))]
  const own = group.position[component]!
  if (file === 'thread-group-id') return own
  return file === 'thread-id-in-group' ? inGroup[component] : own * size[component]! + inGroup[component]!
}

export function waveOf(group: GroupState, thread: number): WaveState | undefined {
  return group.waves.find((w) => thread >= w.firstThread && thread < w.firstThread + w.laneCount)
}

/** Where no group is in flight: memory and constants alone. */
export function stateOfMemory(s: StateSource): ValueState {
  const { declarations: d } = s
  return {
    lanes: () => [],
    readRegister(_, file, indices, component) {
      if (file === 'constant-buffer') return constant(s, indices, component)
      return file === 'immediate-constant-buffer' ? d.immediateConstants[(indices[0] ?? 0) * 4 + component] : undefined
    },
    readMemory(file, indices, address) {
      const view = file === 'tgsm' ? undefined : viewOfOperand(s, file, indices)
      return view === undefined ? undefined : viewWord(view, address)
    },
  }
}

/** What nothing has written, as values show it; words of resources have the contents that were bound. */
function noValueIn(d: Declarations, { position }: GroupState, moment: UndefinedMoment): ValueState['noValue'] {
  return (lane, place) => {
    if (place.kind === 'register') {
      const { file, indices, component } = place
      return moment.register({ group: position, thread: lane }, { file: FILE[file], indices, component })
    }
    if (place.kind === 'literal' || place.file !== 'tgsm') return undefined
    const at = sharedOffset(d, place.indices[0] ?? 0, place.address)
    return at < 0 ? undefined : moment.shared(position, at)
  }
}

/** A group in flight: lanes are its threads, by vThreadIDInGroupFlattened. `moment` says what nothing has written, where that is known. */
export function stateOfGroup(s: StateSource, group: GroupState, moment?: UndefinedMoment): ValueState {
  const { declarations: d } = s
  const noValue = moment && noValueIn(d, group, moment)
  const memory = stateOfMemory(s)
  return {
    ...(noValue && { noValue }),
    lanes: () => group.waves.flatMap((w) => Array.from({ length: w.laneCount }, (_, l) => w.firstThread + l)),
    statementOf(lane) {
      const wave = waveOf(group, lane)
      return wave === undefined || hasLane(wave.ended, lane - wave.firstThread) ? undefined : wave.statement
    },
    readRegister(lane, file, indices, component) {
      const shared = memory.readRegister(lane, file, indices, component)
      if (shared !== undefined) return shared
      const wave = waveOf(group, lane)
      const place = { file: FILE[file], indices, component }
      const bits = wave?.register(place, lane - wave.firstThread)
      if (bits !== undefined || wave === undefined) return bits
      return SYSTEM_FILES.has(file) ? systemValue(d, group, lane, file, component) : undefined
    },
    readMemory(file: MemoryFile, indices, address) {
      if (file === 'tgsm') {
        const at = sharedOffset(d, indices[0] ?? 0, address)
        return at < 0 ? undefined : group.tgsm[at >> 2]
      }
      return memory.readMemory(file, indices, address)
    },
  }
}
