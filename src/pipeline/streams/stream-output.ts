import { DiagnosticCollector, diagnostic, type Outcome } from '../../diagnostic/index.ts'
import type { Storage } from '../../machine/index.ts'
import type { VertexArray } from '../geometry.ts'
import { type SignatureRegister, sameSemantic } from '../shader.ts'
import type { StreamOutputState } from '../state.ts'

/** Stream output (functional specification 14): declared words of each vertex, to at most four buffers. */

const SLOTS = 4
const MAX_STRIDE = 2048

/** Words of one vertex that go to a buffer: where they stand in the vertex, and where in the buffer's vertex. */
interface Copy {
  /** register * 4 + component. */
  readonly word: number
  readonly byteOffset: number
}

interface SlotLayout {
  readonly stream: number
  readonly stride: number
  readonly copies: readonly Copy[]
}

export interface StreamOutputLayout {
  readonly slots: readonly (SlotLayout | undefined)[]
  readonly rasterizedStream: number | null
}

const path = (i: number, field: string) => ({ kind: 'path', path: `streamOutput.declaration[${i}].${field}` }) as const

/** Matches a stream output declaration with the outputs of the stage before it. */
export function streamOutputLayout(
  state: StreamOutputState,
  outputs: readonly SignatureRegister[],
): Outcome<StreamOutputLayout> {
  const found = new DiagnosticCollector()
  const slots: ({ stream: number; stride: number; copies: Copy[] } | undefined)[] = new Array(SLOTS).fill(undefined)
  state.declaration.forEach((e, i) => {
    if (!(Number.isInteger(e.outputSlot) && e.outputSlot >= 0 && e.outputSlot < SLOTS)) {
      found.push(
        diagnostic('pipeline-state', `the output slot is ${e.outputSlot}; slots are 0 to 3`, path(i, 'outputSlot')),
      )
      return
    }
    const slot = (slots[e.outputSlot] ??= { stream: e.stream, stride: 0, copies: [] })
    if (slot.stream !== e.stream) {
      const text = `slot ${e.outputSlot} takes stream ${slot.stream} already; a buffer takes one stream (14.2)`
      found.push(diagnostic('pipeline-state', text, path(i, 'stream')))
    }
    const bytes = e.componentCount * 4
    if (e.semanticName !== null) addCopies(e, i, slot, outputs, found)
    slot.stride += bytes
  })
  slots.forEach((slot, n) => {
    if (slot === undefined) return
    const stride = state.strides[n] ?? slot.stride
    if (stride < slot.stride || stride % 4 !== 0 || stride > MAX_STRIDE) {
      const text = `the stride of slot ${n} is ${stride} bytes; its entries take ${slot.stride}, and it must be a multiple of 4 up to ${MAX_STRIDE}`
      found.push(diagnostic('pipeline-state', text, { kind: 'path', path: `streamOutput.strides[${n}]` }))
    }
    slot.stride = stride
  })
  const diagnostics = found.finish()
  if (found.errorCount > 0) return { diagnostics }
  return { value: { slots, rasterizedStream: state.rasterizedStream }, diagnostics }
}

function addCopies(
  e: StreamOutputState['declaration'][number],
  i: number,
  slot: { stride: number; copies: Copy[] },
  outputs: readonly SignatureRegister[],
  found: DiagnosticCollector,
): void {
  const element = outputs.find((o) => o.stream === e.stream && sameSemantic(o, e.semanticName!, e.semanticIndex))
  if (element === undefined) {
    const text = `${e.semanticName}${e.semanticIndex} is no output of stream ${e.stream}`
    found.push(diagnostic('pipeline-state', text, path(i, 'semanticName')))
    return
  }
  // Components count from the first of the element, wherever it stands in its register.
  const first = 31 - Math.clz32(element.mask & -element.mask)
  for (let c = 0; c < e.componentCount; c++) {
    const component = first + e.startComponent + c
    if (component > 3 || (element.mask & (1 << component)) === 0) {
      const text = `${e.semanticName}${e.semanticIndex} does not have component ${e.startComponent + c}`
      found.push(diagnostic('pipeline-state', text, path(i, 'componentCount')))
      return
    }
    slot.copies.push({ word: element.register * 4 + component, byteOffset: slot.stride + c * 4 })
  }
}

/** A buffer bound for stream output. */
export interface StreamBuffer {
  readonly storage: Storage
  readonly byteLength: number
  /** Bytes written so far: where the next vertex goes. Kept by the resource from draw to draw. */
  filled: number
}

/** D3D11_QUERY_DATA_SO_STATISTICS of one stream. */
export interface StreamStatistics {
  primitivesWritten: number
  primitivesStorageNeeded: number
}

export interface StreamOutput {
  readonly statistics: readonly StreamStatistics[]
  /** Takes a complete primitive of a stream, adjacent vertices left out. */
  write(stream: number, vertices: VertexArray, primitive: readonly number[]): void
}

/** Stream output of one draw. A slot that the declaration uses and nobody bound is a full buffer (14.6). */
export function createStreamOutput(
  layout: StreamOutputLayout,
  buffers: readonly (StreamBuffer | undefined)[],
): StreamOutput {
  const statistics = Array.from({ length: SLOTS }, () => ({ primitivesWritten: 0, primitivesStorageNeeded: 0 }))
  const ended = [false, false, false, false]
  const slotsOf = [0, 1, 2, 3].map((stream) =>
    layout.slots.flatMap((s, n) => (s !== undefined && s.stream === stream ? [{ slot: s, buffer: buffers[n] }] : [])),
  )
  return {
    statistics,
    write(stream, vertices, primitive) {
      const slots = slotsOf[stream]!
      if (slots.length === 0) return
      const counts = statistics[stream]!
      counts.primitivesStorageNeeded++
      if (ended[stream]!) return
      const fits = slots.every(
        ({ slot, buffer }) =>
          buffer !== undefined && buffer.filled + slot.stride * primitive.length <= buffer.byteLength,
      )
      if (!fits) {
        ended[stream] = true
        return
      }
      counts.primitivesWritten++
      for (const { slot, buffer } of slots) {
        for (const v of primitive) {
          writeVertex(slot, buffer!, vertices, v)
          buffer!.filled += slot.stride
        }
      }
    },
  }
}

function writeVertex(slot: SlotLayout, buffer: StreamBuffer, vertices: VertexArray, vertex: number): void {
  const from = vertex * vertices.registerCount * 4
  for (const { word, byteOffset } of slot.copies) {
    buffer.storage.words[(buffer.filled + byteOffset) >> 2] = vertices.words[from + word]! >>> 0
  }
}
