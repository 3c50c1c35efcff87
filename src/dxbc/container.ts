import {
  bytesFault,
  type Diagnostic,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
  valueOrThrow,
} from '../diagnostic/index.ts'
import { alignUp, latin1, latin1Bytes, sameBytes } from './bytes.ts'
import { computeChecksum, storedChecksum } from './checksum.ts'

/** One part of a container, its data uninterpreted. */
export interface DxbcChunk {
  /** Four characters, Latin-1. The same fourcc may come more than once. */
  readonly fourcc: string
  readonly data: Uint8Array
  /** Bytes between the part stored before this one (or the offset table) and this one; fxc leaves none. */
  readonly gapBefore?: Uint8Array
}

/**
 * The signature of a container. `computed`: the ordinary checksum of its bytes, worked out when it is written.
 * `stored`: 16 bytes that are something else, kept as they are. fxc signs a shader with printf, errorf or abort in
 * another way, which marks it as one for the debug layer only (cs/shader_message); containers without signature are also
 * seen.
 */
export type DxbcChecksum = { readonly kind: 'computed' } | { readonly kind: 'stored'; readonly bytes: Uint8Array }

/**
 * A DXBC container as plain data. The fields after `chunks` stand only where a file differs from what fxc writes: parts
 * back to back in the order of the offset table.
 */
export interface DxbcContainer {
  readonly checksum: DxbcChecksum
  /** The dword after the checksum: 1. */
  readonly version: number
  /** In the order of the offset table. */
  readonly chunks: readonly DxbcChunk[]
  /** Indices into `chunks` in the order in which they are stored. */
  readonly storageOrder?: readonly number[]
  /** Bytes of the container after its last part. */
  readonly tail?: Uint8Array
  /** Bytes after the end of the container that its size field states. */
  readonly trailing?: Uint8Array
}

const MAGIC = 'DXBC'
const HEADER_BYTES = 32
const CHUNK_HEADER_BYTES = 8

interface Span {
  readonly index: number
  readonly fourcc: string
  readonly start: number
  readonly end: number
}

/**
 * Reads a container. Only the frame is read: what is in the parts is for `decodeChunk`. No value when the bytes are not
 * a container, are cut short, or when parts overlap. The checksum is not judged here (see DxbcChecksum).
 */
export function readDxbc(bytes: Uint8Array): Outcome<DxbcContainer> {
  const fault = bytesFault('readDxbc', bytes)
  if (fault !== undefined) return failure([fault])
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const frame = checkFrame(bytes, view)
  if (frame !== undefined) return failure([frame])
  const size = view.getUint32(24, true)
  const body = bytes.subarray(0, size)
  const spans = readSpans(body, view)
  if (!Array.isArray(spans)) return failure([spans])
  const version = view.getUint32(20, true)
  const diagnostics: Diagnostic[] = []
  if (version !== 1) {
    const message = `The container's version is ${version}; every Direct3D 10 and 11 shader has 1.`
    diagnostics.push(diagnostic('dxbc-version', message, { kind: 'bytes', byteOffset: 20, byteLength: 4 }))
  }
  const stored = storedChecksum(bytes)
  const valid = sameBytes(stored, computeChecksum(body))
  const value: DxbcContainer = {
    checksum: valid ? { kind: 'computed' } : { kind: 'stored', bytes: stored },
    version,
    ...collectChunks(body, spans),
    ...(bytes.length > size ? { trailing: bytes.slice(size) } : {}),
  }
  return outcomeOf(value, diagnostics)
}

/** `readDxbc` that throws ShaderError. */
export function readDxbcOrThrow(bytes: Uint8Array): DxbcContainer {
  return valueOrThrow(readDxbc(bytes))
}

function checkFrame(bytes: Uint8Array, view: DataView): Diagnostic | undefined {
  const magic = latin1(bytes.subarray(0, 4))
  if (magic !== MAGIC) {
    const found = bytes.length === 0 ? 'there are no bytes' : `found ${JSON.stringify(magic)}`
    return diagnostic('dxbc-magic', `A container starts with "DXBC"; ${found}.`, { kind: 'bytes', byteOffset: 0 })
  }
  if (bytes.length < HEADER_BYTES) {
    const message = `A container's header has ${HEADER_BYTES} bytes; only ${bytes.length} are there.`
    return diagnostic('dxbc-truncated', message, { kind: 'bytes', byteOffset: bytes.length })
  }
  const size = view.getUint32(24, true)
  const place = { kind: 'bytes', byteOffset: 24, byteLength: 4 } as const
  if (size > bytes.length) {
    return diagnostic('dxbc-truncated', `The header states ${size} bytes; ${bytes.length} are there.`, place)
  }
  if (size < HEADER_BYTES) {
    return diagnostic('dxbc-size', `The header states ${size} bytes, less than the header itself has.`, place)
  }
  const count = view.getUint32(28, true)
  if (HEADER_BYTES + count * 4 > size) {
    const message = `The header states ${count} parts; their offset table would not fit into ${size} bytes.`
    return diagnostic('dxbc-chunk-count', message, { kind: 'bytes', byteOffset: 28, byteLength: 4 })
  }
  return undefined
}

function readSpans(body: Uint8Array, view: DataView): Span[] | Diagnostic {
  const count = view.getUint32(28, true)
  const tableEnd = HEADER_BYTES + count * 4
  const spans: Span[] = []
  for (let index = 0; index < count; index++) {
    const start = view.getUint32(HEADER_BYTES + index * 4, true)
    if (start < tableEnd || start + CHUNK_HEADER_BYTES > body.length) {
      const message = `Part ${index} starts at byte ${start} by the offset table, outside ${tableEnd}..${body.length}.`
      const place = { kind: 'bytes', byteOffset: HEADER_BYTES + index * 4, byteLength: 4 } as const
      return diagnostic('dxbc-chunk-range', message, place)
    }
    const fourcc = latin1(body.subarray(start, start + 4))
    const length = view.getUint32(start + 4, true)
    const end = start + CHUNK_HEADER_BYTES + length
    if (end > body.length) {
      const message = `Part ${index} (${fourcc}) states ${length} bytes; ${body.length - start - CHUNK_HEADER_BYTES} are left.`
      return diagnostic('dxbc-chunk-range', message, { kind: 'bytes', byteOffset: start + 4, byteLength: 4 })
    }
    spans.push({ index, fourcc, start, end })
  }
  return overlap(spans) ?? spans
}

function overlap(spans: readonly Span[]): Diagnostic | undefined {
  const sorted = [...spans].sort((a, b) => a.start - b.start)
  for (let i = 1; i < sorted.length; i++) {
    const [before, after] = [sorted[i - 1]!, sorted[i]!]
    if (after.start >= before.end) continue
    const message = `Part ${after.index} (${after.fourcc}) starts inside part ${before.index} (${before.fourcc}).`
    return diagnostic('dxbc-chunk-overlap', message, { kind: 'bytes', byteOffset: after.start })
  }
  return undefined
}

function collectChunks(
  body: Uint8Array,
  spans: readonly Span[],
): Pick<DxbcContainer, 'chunks' | 'storageOrder' | 'tail'> {
  const sorted = [...spans].sort((a, b) => a.start - b.start)
  const chunks = new Array<DxbcChunk>(spans.length)
  let end = HEADER_BYTES + spans.length * 4
  for (const span of sorted) {
    const data = body.slice(span.start + CHUNK_HEADER_BYTES, span.end)
    const gap = span.start > end ? { gapBefore: body.slice(end, span.start) } : {}
    chunks[span.index] = { fourcc: span.fourcc, data, ...gap }
    end = span.end
  }
  const inOrder = sorted.every((span, i) => span.index === i)
  return {
    chunks,
    ...(inOrder ? {} : { storageOrder: sorted.map((span) => span.index) }),
    ...(body.length > end ? { tail: body.slice(end) } : {}),
  }
}

/** Chunk indices in storage order; the table's order where the model's list does not name each chunk once. */
function storageOrder(container: DxbcContainer): readonly number[] {
  const tableOrder = container.chunks.map((_, i) => i)
  const order = container.storageOrder
  if (order === undefined || order.length !== tableOrder.length) return tableOrder
  return [...order].sort((a, b) => a - b).every((index, i) => index === i) ? order : tableOrder
}

/**
 * Writes a container, signing it unless it says that its checksum is `stored`. `writeDxbc(readDxbc(x).value)` is x.
 * Parts are not padded: fxc keeps their sizes multiples of 4 itself, except for debug data and private data.
 */
export function writeDxbc(container: DxbcContainer): Uint8Array {
  const { chunks } = container
  const offsets = new Array<number>(chunks.length).fill(0)
  let size = HEADER_BYTES + chunks.length * 4
  for (const index of storageOrder(container)) {
    const chunk = chunks[index]!
    offsets[index] = size + (chunk.gapBefore?.length ?? 0)
    size = offsets[index]! + CHUNK_HEADER_BYTES + chunk.data.length
  }
  const end = size
  size += container.tail?.length ?? 0
  const bytes = new Uint8Array(size + (container.trailing?.length ?? 0))
  const view = new DataView(bytes.buffer)
  bytes.set(latin1Bytes(MAGIC), 0)
  view.setUint32(20, container.version, true)
  view.setUint32(24, size, true)
  view.setUint32(28, chunks.length, true)
  chunks.forEach((chunk, index) => {
    const start = offsets[index]!
    view.setUint32(HEADER_BYTES + index * 4, start, true)
    if (chunk.gapBefore !== undefined) bytes.set(chunk.gapBefore, start - chunk.gapBefore.length)
    bytes.set(latin1Bytes(chunk.fourcc.padEnd(4).slice(0, 4)), start)
    view.setUint32(start + 4, chunk.data.length, true)
    bytes.set(chunk.data, start + CHUNK_HEADER_BYTES)
  })
  if (container.tail !== undefined) bytes.set(container.tail, end)
  if (container.trailing !== undefined) bytes.set(container.trailing, size)
  const checksum =
    container.checksum.kind === 'stored' ? container.checksum.bytes : computeChecksum(bytes.subarray(0, size))
  bytes.set(checksum.subarray(0, 16), 4)
  return bytes
}

/** A container with the given parts, to be signed when written. Data is padded with zeros to a multiple of 4. */
export function makeDxbc(chunks: readonly DxbcChunk[]): DxbcContainer {
  return { checksum: { kind: 'computed' }, version: 1, chunks: chunks.map(padChunk) }
}

function padChunk(chunk: DxbcChunk): DxbcChunk {
  if (chunk.data.length % 4 === 0) return chunk
  const data = new Uint8Array(alignUp(chunk.data.length, 4))
  data.set(chunk.data)
  return { ...chunk, data }
}
