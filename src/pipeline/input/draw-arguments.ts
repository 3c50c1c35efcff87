import { diagnostic, failure, type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import type { Storage } from '../../machine/index.ts'
import type { DrawCall } from './sequence.ts'

/** Arguments of draws that stand in buffers: indirect draws, and DrawAuto (functional specification 8.7 to 8.9). */

/** A buffer that holds the arguments of indirect draws. */
export interface ArgumentBuffer {
  readonly storage: Storage
  readonly byteLength: number
}

/** Words of D3D11_DRAW_INSTANCED_INDIRECT_ARGS and D3D11_DRAW_INDEXED_INSTANCED_INDIRECT_ARGS. */
const ARGUMENT_COUNT = { vertices: 4, indices: 5 } as const

/**
 * Reads the arguments of DrawInstancedIndirect (`vertices`) or DrawIndexedInstancedIndirect (`indices`). Direct3D leaves
 * undefined what a draw does whose arguments are not in the buffer; here it is refused.
 */
export function readIndirectArguments(
  buffer: ArgumentBuffer,
  byteOffset: number,
  kind: 'vertices' | 'indices',
): Outcome<DrawCall> {
  const byteLength = ARGUMENT_COUNT[kind] * 4
  const isAligned = Number.isInteger(byteOffset) && byteOffset >= 0 && byteOffset % 4 === 0
  if (!isAligned || byteOffset + byteLength > buffer.byteLength) {
    const wanted = isAligned ? `end inside of the buffer's ${buffer.byteLength} bytes` : 'begin at a multiple of 4'
    const text = `the ${byteLength} bytes of indirect arguments at byte ${byteOffset} do not ${wanted}; nothing is drawn`
    return failure([diagnostic('pipeline-draw', text, { kind: 'path', path: 'byteOffset' })])
  }
  const argument = (n: number): number => buffer.storage.words[byteOffset / 4 + n]!
  const [count, instanceCount] = [argument(0), argument(1)]
  const value: DrawCall =
    kind === 'vertices'
      ? { vertexCount: count, instanceCount, startVertex: argument(2), startInstance: argument(3) }
      : {
          indexCount: count,
          instanceCount,
          startIndex: argument(2),
          baseVertex: argument(3),
          startInstance: argument(4),
        }
  return outcomeOf(value)
}

/**
 * Vertices that DrawAuto draws: those that stream output left in the buffer of slot 0, from the bound offset on. `filled`
 * is the buffer's filled size in bytes. A stride of 0 has no number of vertices, and draws nothing.
 */
export function drawAutoVertexCount(
  slot0: { readonly stride: number; readonly offset: number },
  filled: number,
): number {
  if (filled <= slot0.offset || slot0.stride === 0) return 0
  return Math.floor((filled - slot0.offset) / slot0.stride)
}
