/** Counts of draws that are not given but lie in buffers when the draw begins (functional specification 8.7 to 8.9). */
import { diagnostic, failure, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import type { Buffer, Storage } from '../../machine/index.ts'
import type { DrawCall } from '../input/index.ts'

/** Bytes that stream output wrote to each buffer: only that makes the count of an automatic draw. */
const FILLED = new WeakMap<Storage, number>()

/** Bytes that stream output left in a buffer. */
export function filledBytes(storage: Storage): number {
  return FILLED.get(storage) ?? 0
}

export function setFilledBytes(storage: Storage, byteCount: number): void {
  FILLED.set(storage, byteCount)
}

function refuse(message: string): Outcome<DrawCall> {
  return failure([diagnostic('pipeline-draw', message)])
}

/** Arguments of DrawInstancedIndirect or DrawIndexedInstancedIndirect. */
export function indirectCall(buffer: Buffer, byteOffset: number, indexed: boolean): Outcome<DrawCall> {
  const count = indexed ? 5 : 4
  if (byteOffset % 4 !== 0 || byteOffset + count * 4 > buffer.byteLength) {
    return refuse(
      `indirect arguments were asked at byte ${byteOffset} of a buffer of ${buffer.byteLength} bytes; ${count * 4} bytes at a multiple of 4 must be there`,
    )
  }
  const w = buffer.storage.words.subarray(byteOffset / 4, byteOffset / 4 + count)
  const value: DrawCall = indexed
    ? { indexCount: w[0]!, instanceCount: w[1]!, startIndex: w[2]!, baseVertex: w[3]! | 0, startInstance: w[4]! }
    : { vertexCount: w[0]!, instanceCount: w[1]!, startVertex: w[2]!, startInstance: w[3]! }
  return outcomeOf(value)
}

/** The count of DrawAuto: whole vertices that stream output left behind the offset of vertex buffer 0. */
export function automaticCall(
  buffer: { readonly storage: Storage; readonly stride: number; readonly offset: number } | undefined,
): Outcome<DrawCall> {
  if (buffer === undefined) return refuse('an automatic draw takes its count from vertex buffer 0; none is bound')
  const { storage, stride, offset } = buffer
  const filled = filledBytes(storage)
  const vertexCount = stride > 0 && filled > offset ? Math.floor((filled - offset) / stride) : 0
  return outcomeOf({ vertexCount })
}
