import { EMITTED_STREAM_BITS, type StreamSink } from '../../../batch.ts'
import type { Declarations } from '../../../declarations.ts'
import { onlyStream } from '../../../gather/emitted-stream.ts'
import { emittedWords, STAGE_OUTPUTS } from '../../../lower/index.ts'

/** What invocations of a geometry shader emitted, where its code left it: behind the columns of the outputs. */

/** Words from invocation to invocation, and from vertex to vertex. */
export interface EmittedStrides {
  readonly invocationStride: number
  readonly vertexStride: number
  /** The only stream that is emitted to; null where there are several. */
  readonly onlyStream: number | null
}

/** Of a shader whose outputs have so many slots; null for other stages. */
export function emittedStrides({ stage, program }: Declarations, slotCount: number): EmittedStrides | null {
  if (stage.kind !== 'geometry') return null
  const vertexStride = emittedWords(slotCount)
  return {
    invocationStride: stage.maxVertexCount * vertexStride,
    vertexStride,
    onlyStream: onlyStream(program) ?? null,
  }
}

/** The outputs of an entry. */
interface OutputColumns {
  readonly words: Int32Array
  readonly slotCount: number
  readonly capacity: number
}

/** Passes on what `count` invocations emitted, the first of which has the number `first`. */
export function passEmitted(
  { words, slotCount, capacity }: OutputColumns,
  { invocationStride, vertexStride, onlyStream }: EmittedStrides,
  streams: StreamSink,
  first: number,
  count: number,
): void {
  const counts = slotCount * capacity
  const start = (slotCount + STAGE_OUTPUTS) * capacity
  if (streams.emitted !== undefined) {
    streams.emitted({
      words,
      firstInvocation: first,
      invocationCount: count,
      counts,
      first: start,
      invocationStride,
      vertexStride,
      onlyStream: onlyStream ?? undefined,
    })
    return
  }
  for (let i = 0; i < count; i++) {
    const end = start + i * invocationStride + words[counts + i]! * vertexStride
    for (let at = start + i * invocationStride; at < end; at += vertexStride) {
      const header = words[at]!
      const stream = header & ((1 << EMITTED_STREAM_BITS) - 1)
      if (header >>> EMITTED_STREAM_BITS !== 0) streams.cut(first + i, stream)
      streams.vertex(first + i, stream, words.subarray(at + 1, at + vertexStride))
    }
  }
}
