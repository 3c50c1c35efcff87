/** Counts of draws that are not given but lie in buffers when the draw begins (functional specification 8.7 to 8.9). */
import { diagnostic, failure, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import type { Buffer, Storage } from '../../machine/index.ts'
import { type DrawCall, drawAutoVertexCount, readIndirectArguments } from '../input/index.ts'

/** Bytes that stream output wrote to each buffer: only that makes the count of an automatic draw. */
const FILLED = new WeakMap<Storage, number>()

/** Bytes that stream output left in a buffer. */
export function filledBytes(storage: Storage): number {
  return FILLED.get(storage) ?? 0
}

export function setFilledBytes(storage: Storage, byteCount: number): void {
  FILLED.set(storage, byteCount)
}

/** Arguments of DrawInstancedIndirect or DrawIndexedInstancedIndirect. */
export function indirectCall(buffer: Buffer, byteOffset: number, indexed: boolean): Outcome<DrawCall> {
  return readIndirectArguments(buffer, byteOffset, indexed ? 'indices' : 'vertices')
}

/** The count of DrawAuto: whole vertices that stream output left behind the offset of vertex buffer 0. */
export function automaticCall(
  buffer: { readonly storage: Storage; readonly stride: number; readonly offset: number } | undefined,
): Outcome<DrawCall> {
  if (buffer === undefined) {
    const text = 'an automatic draw takes its count from vertex buffer 0; none is bound'
    return failure([diagnostic('pipeline-draw', text)])
  }
  return outcomeOf({ vertexCount: drawAutoVertexCount(buffer, filledBytes(buffer.storage)) })
}
