import { FORMATS } from '../../../src/isa/formats/index.ts'
import { codecOf } from '../../../src/machine/index.ts'
import type {
  BoundIndexBuffer,
  BoundVertexBuffer,
  DrawCall,
  PipelineDescription,
  PrimitiveTopology,
} from '../../../src/pipeline/index.ts'
import { at, bits, wordsBuffer } from '../draw-text.ts'
import type { Random } from '../random/random.ts'
import { formatOf } from './formats.ts'
import type { Filled, FrameCall, FrameDraw } from './model.ts'

/** Random vertices of every format and class, indices, and calls. */

export const VERTEX_FORMATS = FORMATS.filter((f) => f.capabilities.resources.buffer !== 'none').map((f) => f.name)
const POSITION_FORMATS = [
  ...['R32G32B32A32_FLOAT', 'R32G32B32A32_FLOAT', 'R32G32B32A32_FLOAT', 'R32G32B32A32_FLOAT', 'R32G32B32_FLOAT'],
  ...['R16G16B16A16_FLOAT', 'R16G16B16A16_SNORM', 'R32G32_FLOAT'],
]
/** Attributes after the position, which vertex shaders read from v1 on. */
export const ATTRIBUTES = 2

const ADJACENCIES = ['LINELIST_ADJ', 'LINESTRIP_ADJ', 'TRIANGLELIST_ADJ', 'TRIANGLESTRIP_ADJ'] as const
const TOPOLOGIES_OF = {
  point: ['POINTLIST'],
  line: ['LINELIST', 'LINESTRIP', 'LINELIST_ADJ', 'LINESTRIP_ADJ'],
  triangle: ['TRIANGLELIST', 'TRIANGLESTRIP', 'TRIANGLELIST_ADJ', 'TRIANGLESTRIP_ADJ'],
  lineadj: ['LINELIST_ADJ', 'LINESTRIP_ADJ'],
  triangleadj: ['TRIANGLELIST_ADJ', 'TRIANGLESTRIP_ADJ'],
} as const
export const TOPOLOGIES: readonly PrimitiveTopology[] = [
  ...(['POINTLIST', 'LINELIST', 'LINESTRIP', 'TRIANGLELIST', 'TRIANGLESTRIP'] as const),
  ...ADJACENCIES,
]

/** A topology whose primitives a geometry shader or hull shader reads: `patch4` is four control points. */
export function topologyFor(r: Random, primitive: string): PrimitiveTopology {
  if (primitive.startsWith('patch')) return `${Number(primitive.slice(5))}_CONTROL_POINT_PATCHLIST`
  return r.pick<PrimitiveTopology>(TOPOLOGIES_OF[primitive as keyof typeof TOPOLOGIES_OF])
}

type Layout = NonNullable<PipelineDescription['inputLayout']>[number]
interface Slot {
  readonly number: number
  readonly perInstance: boolean
  readonly elements: Layout[]
}

export interface InputPlan {
  readonly layout: readonly Layout[]
  readonly slots: readonly Slot[]
}

/** Elements R1 for the position and R2, R3: in one slot or in several, of vertices or of instances. */
export function randomLayout(r: Random): InputPlan {
  const first: Slot = { number: r.chance(0.8) ? 0 : r.below(32), perInstance: false, elements: [] }
  const slots = [first]
  const layout: Layout[] = []
  for (let n = 0; n <= ATTRIBUTES; n++) {
    let slot = first
    if (n > 0 && r.chance(0.4)) {
      const number = r.below(32)
      const known = slots.find((s) => s.number === number)
      slot = known ?? { number, perInstance: r.chance(0.5), elements: [] }
      if (known === undefined) slots.push(slot)
    }
    const sibling = slot.elements[0]
    const step = sibling?.instanceDataStepRate ?? r.pick([0, 1, 1, 2])
    const element: Layout = {
      semanticName: 'R',
      semanticIndex: n + 1,
      format: n === 0 ? r.pick(POSITION_FORMATS) : r.pick(VERTEX_FORMATS),
      inputSlot: slot.number,
      ...(slot.perInstance ? { inputSlotClass: 'PER_INSTANCE_DATA', instanceDataStepRate: step } : {}),
    }
    slot.elements.push(element)
    layout.push(element)
  }
  return { layout, slots }
}

const alignmentOf = (size: number): number => (size >= 4 || size === 3 ? 4 : size)

/** A place around the target, in clip space with w other than 1, as words. */
function placeOf(r: Random, width: number, height: number, format: string): number[] {
  const range = r.pick([1, 1, 2, 4])
  const along = (size: number): number => (r.below(range * size * 256) - (range - 1) * size * 128) / 256
  const isSmall = format.includes('SNORM')
  const w = isSmall || !/A(16|32)/.test(format) ? 1 : r.chance(0.03) ? -0.5 : 0.25 + r.below(64) / 16
  const z = r.chance(0.8) ? r.below(257) / 256 : r.below(400) / 256 - 0.3
  const place = at(along(width), along(height), width, height, z, w)
  return place.map((x) => bits(isSmall ? Math.max(-1, Math.min(1, x)) : x))
}

/** Vertices or instances of a slot: positions where they may be seen, and any bytes beside. */
function fillSlot(r: Random, slot: Slot, count: number, width: number, height: number): Filled<BoundVertexBuffer> {
  let end = 0
  const placed = slot.elements.map((e) => {
    const format = formatOf(e.format)
    const size = format.blockByteLength
    const offset = Math.ceil(end / alignmentOf(size)) * alignmentOf(size)
    end = offset + size
    return { format, offset, isPosition: e.semanticIndex === 1 }
  })
  const stride = r.chance(0.04) ? 0 : 4 * Math.ceil(end / 4) + r.pick([0, 0, 4, 12])
  const offset = r.pick([0, 0, 0, 4, 16])
  const byteLength = Math.max(4, offset + stride * count + 16)
  const words = Array.from({ length: Math.ceil(byteLength / 4) }, () => dataWord(r))
  const { storage } = wordsBuffer(0, Uint32Array.from(words))
  for (const { format, offset: within, isPosition } of placed) {
    if (!isPosition) continue
    for (let i = 0; i < count; i++) {
      const place = Uint32Array.from(placeOf(r, width, height, format.name))
      const codec = codecOf(format)
      codec.encode!(storage, offset + i * stride + within, place, 0)
    }
  }
  // Now and then vertices lie beyond the end.
  const kept = r.chance(0.1)
    ? storage.words.slice(0, Math.ceil(words.length * 0.8))
    : storage.words.slice(0, words.length)
  return { words: Array.from(kept), stride, offset }
}

/** Floats of moderate size, which make sense in most formats, or anything. */
const dataWord = (r: Random): number =>
  r.chance(0.7) ? bits((r.below(2001) - 1000) / 64) >>> 0 : r.chance(0.5) ? r.next() >>> 0 : r.below(16)

/** Indices of 16 or 32 bits, some of them cuts, some beyond the vertices. */
function indices(r: Random, vertexCount: number, count: number): Filled<BoundIndexBuffer> {
  const isShort = r.chance(0.5)
  const offset = r.pick([0, 0, 4, isShort ? 2 : 8])
  const cuts = r.pick([0, 0.05, 0.15])
  const skipped = offset / (isShort ? 2 : 4)
  const all = Array.from({ length: skipped + count }, () =>
    r.chance(cuts) ? 0xffffffff : r.below(vertexCount + (r.chance(0.05) ? 3 : 0)),
  )
  const words = isShort ? new Uint32Array(Math.ceil(all.length / 2)) : Uint32Array.from(all)
  if (isShort) new Uint16Array(words.buffer).set(Uint16Array.from(all))
  return { words: Array.from(words), format: isShort ? 'R16_UINT' : 'R32_UINT', offset }
}

/** Words of the arguments of an indirect draw, behind others. */
export function indirectCall(r: Random, call: DrawCall): FrameCall {
  const { instanceCount = 1, startInstance = 0 } = call
  const own =
    'vertexCount' in call
      ? [call.vertexCount, instanceCount, call.startVertex ?? 0, startInstance]
      : [call.indexCount, instanceCount, call.startIndex ?? 0, (call.baseVertex ?? 0) >>> 0, startInstance]
  const before = Array.from({ length: r.below(3) }, () => r.next() >>> 0)
  return {
    kind: 'indirect',
    words: [...before, ...own],
    offset: before.length * 4,
    indexed: 'indexCount' in call,
  }
}

/** Vertices of primitives of `size` vertices, mostly a few whole ones. */
const countFor = (r: Random, size: number): number => size * (1 + r.below(size > 8 ? 3 : 10)) + (r.chance(0.1) ? 1 : 0)

export function randomInput(
  r: Random,
  plan: InputPlan,
  primitiveSize: number,
  width: number,
  height: number,
): Pick<FrameDraw, 'vertexBuffers' | 'indexBuffer' | 'call'> {
  const count = countFor(r, primitiveSize)
  const vertexBuffers: FrameDraw['vertexBuffers'][number][] = []
  for (const slot of plan.slots) {
    vertexBuffers[slot.number] = r.chance(0.01)
      ? undefined
      : fillSlot(r, slot, slot.perInstance ? 4 : count, width, height)
  }
  const buffers = Array.from(vertexBuffers)
  const instances = {
    instanceCount: r.pick([1, 1, 1, 2, 3]),
    ...(r.chance(0.2) ? { startInstance: r.below(3) } : {}),
  }
  const isIndexed = r.chance(0.5)
  const indexCount = countFor(r, primitiveSize)
  const call: DrawCall = isIndexed
    ? {
        indexCount,
        ...(r.chance(0.2) ? { startIndex: r.below(3) } : {}),
        ...(r.chance(0.2) ? { baseVertex: r.below(4) - 1 } : {}),
        ...instances,
      }
    : { vertexCount: count, ...(r.chance(0.2) ? { startVertex: r.below(3) } : {}), ...instances }
  const indexBuffer = isIndexed && !r.chance(0.02) ? indices(r, count, indexCount) : undefined
  const given: FrameCall = r.chance(0.15) ? indirectCall(r, call) : { kind: 'direct', call }
  return { vertexBuffers: buffers, indexBuffer, call: given }
}
