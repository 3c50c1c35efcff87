import type { Storage } from '../../machine/index.ts'

/** The vertices of a draw in the order in which the input assembler takes them (functional specification 8.6, 8.12). */

/** Arguments of Draw and DrawInstanced, or of DrawIndexed and DrawIndexedInstanced; what is left out is 0, instances 1. */
export type DrawCall =
  | {
      readonly vertexCount: number
      readonly instanceCount?: number | undefined
      readonly startVertex?: number | undefined
      readonly startInstance?: number | undefined
    }
  | {
      readonly indexCount: number
      readonly instanceCount?: number | undefined
      readonly startIndex?: number | undefined
      readonly baseVertex?: number | undefined
      readonly startInstance?: number | undefined
    }

export interface BoundIndexBuffer {
  readonly storage: Storage
  readonly byteLength: number
  readonly format: 'R16_UINT' | 'R32_UINT'
  /** Bytes from the start of the buffer. */
  readonly offset: number
}

/** The vertices of one instance; every instance has the same. */
export interface VertexSequence {
  readonly length: number
  /** Vertices among them, which statistics count: all that are no cuts. */
  readonly vertexCount: number
  /** SV_VertexID of each: without StartVertexLocation and BaseVertexLocation (8.16). */
  readonly ids: Uint32Array
  /** Added to the identifier for the address of vertex data, modulo 2^32. */
  readonly base: number
  /** 1 where the element is a cut and no vertex; absent where there is none. */
  readonly cuts: Uint8Array | undefined
  /** The draw has no indices: the identifiers are 0, 1, 2, ... */
  readonly isCounted: boolean
}

/** Whether the cut index acts on lists too, as the functional specification has it (8.12), or on strips alone. */
interface SequenceOptions {
  readonly cutActs: boolean
}

/** Reads the indices of a draw. Without an index buffer every index is 0; indices outside of it are 0 and never cuts. */
export function readSequence(
  call: DrawCall,
  indexBuffer: BoundIndexBuffer | undefined,
  options: SequenceOptions,
): VertexSequence {
  if ('vertexCount' in call) {
    return sequenceOf(countingFrom0(call.vertexCount), (call.startVertex ?? 0) >>> 0, true)
  }
  const ids = new Uint32Array(call.indexCount)
  const base = (call.baseVertex ?? 0) >>> 0
  if (indexBuffer === undefined) return sequenceOf(ids, base)
  const cuts = options.cutActs ? new Uint8Array(call.indexCount) : undefined
  const cutCount = readIndices(indexBuffer, call.startIndex ?? 0, ids, cuts)
  if (cutCount === 0) return sequenceOf(ids, base)
  return { length: ids.length, vertexCount: ids.length - cutCount, ids, base, cuts, isCounted: false }
}

/** Whether an index of a draw may be a cut. Indices whose addresses begin again at 0 are not looked at. */
export function mayHaveCuts(call: DrawCall, b: BoundIndexBuffer | undefined): boolean {
  if ('vertexCount' in call || b === undefined) return false
  const size = sizeOf(b)
  const first = b.offset + (call.startIndex ?? 0) * size
  if (first + call.indexCount * size > 2 ** 32) return true
  const end = Math.min(first + call.indexCount * size, b.byteLength)
  const from = size === 4 ? b.storage.words : b.storage.halves
  const cut = cutOf(size)
  return hasCut(from, first / size, Math.floor(end / size), cut)
}

/** Whether one of the elements from one up to another is a cut. A loop: `includes` takes three times as long over memory that threads share. */
function hasCut(from: Uint32Array | Uint16Array, first: number, end: number, cut: number): boolean {
  const highest = cut ^ (cut >>> 1)
  let i = first
  // Most indices are small: of eight together none has the highest bit, which a cut has.
  for (; i + 8 <= end; i += 8) {
    const low = from[i]! | from[i + 1]! | from[i + 2]! | from[i + 3]!
    const high = from[i + 4]! | from[i + 5]! | from[i + 6]! | from[i + 7]!
    if (((low | high) & highest) === 0) continue
    for (let n = i; n < i + 8; n++) if (from[n] === cut) return true
  }
  for (; i < end; i++) if (from[i] === cut) return true
  return false
}

/**
 * The elements of a draw without cuts from `from` up to, not including, `to`; identifiers lie in an array that is given, which has room
 * for them.
 */
export function readPart(
  call: DrawCall,
  indexBuffer: BoundIndexBuffer | undefined,
  [from, to]: readonly [number, number],
  into: Uint32Array,
): VertexSequence {
  const ids = into.subarray(0, to - from)
  if ('vertexCount' in call) {
    for (let i = 0; i < ids.length; i++) ids[i] = from + i
    return sequenceOf(ids, (call.startVertex ?? 0) >>> 0, true)
  }
  ids.fill(0)
  if (indexBuffer !== undefined) readIndices(indexBuffer, (call.startIndex ?? 0) + from, ids, undefined)
  return sequenceOf(ids, (call.baseVertex ?? 0) >>> 0)
}

const sizeOf = ({ format }: BoundIndexBuffer): 2 | 4 => (format === 'R32_UINT' ? 4 : 2)
const cutOf = (size: 2 | 4): number => (size === 4 ? 0xffffffff : 0xffff)

/** 0, 1, 2 and so on, as far as any draw has needed them. */
let counting = new Uint32Array(0)
/** The last part that was taken of it. */
let counted: Uint32Array = counting

/** The numbers from 0 up to, not including, `count`. The array is shared between draws: read-only. */
export function countingFrom0(count: number): Uint32Array {
  if (counted.length === count) return counted
  const made = newCounting(count)
  if (count <= MAX_KEPT) counted = made
  return made
}

function newCounting(count: number): Uint32Array {
  if (counting.length < count) {
    const from = counting.length
    const made = new Uint32Array(Math.max(count, 256))
    made.set(counting)
    for (let i = from; i < made.length; i++) made[i] = i
    if (count > MAX_KEPT) return made.subarray(0, count)
    counting = made
  }
  return counting.subarray(0, count)
}

/** Numbers that are kept at the most. */
const MAX_KEPT = 2 ** 18

function sequenceOf(ids: Uint32Array, base: number, isCounted = false): VertexSequence {
  return { length: ids.length, vertexCount: ids.length, ids, base, cuts: undefined, isCounted }
}

/** Fills in indices and cuts; returns the number of cuts. */
function readIndices(b: BoundIndexBuffer, start: number, ids: Uint32Array, cuts: Uint8Array | undefined): number {
  const size = sizeOf(b)
  const cut = cutOf(size)
  const from = size === 4 ? b.storage.words : b.storage.halves
  const first = b.offset + start * size
  let there = ids.length
  if (first + ids.length * size <= 2 ** 32) {
    there = Math.max(0, Math.min(there, Math.floor((b.byteLength - first) / size)))
    ids.set(from.subarray(first / size, first / size + there))
  } else readWrapped(b, start, size, ids)
  if (cuts === undefined) return 0
  let cutCount = 0
  for (let i = 0; i < there; i++) {
    if (ids[i] !== cut) continue
    cuts[i] = 1
    cutCount++
  }
  return cutCount
}

/** Reads indices whose addresses, which count modulo 2^32, begin again at 0. */
function readWrapped(b: BoundIndexBuffer, start: number, size: 2 | 4, ids: Uint32Array): void {
  const from = size === 4 ? b.storage.words : b.storage.halves
  for (let i = 0; i < ids.length; i++) {
    const at = (b.offset + (((start + i) * size) >>> 0)) >>> 0
    if (at >= b.offset && at + size <= b.byteLength) ids[i] = from[at / size]!
  }
}
