import {
  assertNever,
  type Diagnostic,
  DiagnosticCollector,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
  valueOrThrow,
} from '../diagnostic/index.ts'
import { sameBytes } from './bytes.ts'
import type { DxbcChunk, DxbcContainer } from './container.ts'
import { type DebugName, decodeDebugName, encodeDebugName } from './debug-name.ts'
import { decodeFeatureInfo, encodeFeatureInfo, type FeatureInfo } from './feature-info.ts'
import { decodeInterfaces, encodeInterfaces, type InterfaceData } from './interfaces.ts'
import { decodeResourceDefinition } from './rdef/decode.ts'
import { encodeResourceDefinition } from './rdef/encode.ts'
import type { ResourceDefinition } from './rdef/model.ts'
import { decodeRootSignature, encodeRootSignature, type RootSignature } from './root-signature.ts'
import {
  decodeSignature,
  encodeSignature,
  isSignatureFourcc,
  type Signature,
  type SignatureFourcc,
} from './signature.ts'
import { decodeStatistics, encodeStatistics, type Statistics } from './stat.ts'

/**
 * What a part holds. Parts as raw bytes have no codec here: the program (its codec is in the room `program`), debug
 * information, private data, Direct3D 9 code, and whatever is unknown. `raw` is a part that should have a model and
 * whose bytes do not fit one.
 */
export type ChunkContent =
  | { readonly kind: 'resource-definition'; readonly value: ResourceDefinition }
  | { readonly kind: 'signature'; readonly fourcc: SignatureFourcc; readonly value: Signature }
  | { readonly kind: 'statistics'; readonly value: Statistics }
  | { readonly kind: 'feature-info'; readonly value: FeatureInfo }
  | { readonly kind: 'interfaces'; readonly value: InterfaceData }
  | { readonly kind: 'root-signature'; readonly value: RootSignature }
  | { readonly kind: 'debug-name'; readonly value: DebugName }
  | { readonly kind: 'program'; readonly bytes: Uint8Array }
  | { readonly kind: 'debug-info'; readonly bytes: Uint8Array }
  | { readonly kind: 'private-data'; readonly bytes: Uint8Array }
  | { readonly kind: 'level9'; readonly bytes: Uint8Array }
  | { readonly kind: 'unknown'; readonly bytes: Uint8Array }
  | { readonly kind: 'raw'; readonly bytes: Uint8Array }

/**
 * A part's content. When the bytes do not decode, or encoding the model would not give them back, the content is `raw`
 * and a warning says why, so that no byte is ever lost.
 */
export function decodeChunk(
  chunk: Pick<DxbcChunk, 'fourcc' | 'data'>,
): Outcome<ChunkContent> & { value: ChunkContent } {
  const decoded = decodeContent(chunk.fourcc, chunk.data)
  if (decoded.value === undefined) return rawContent(chunk, decoded.diagnostics[0]?.message ?? 'It does not decode.')
  if (!sameBytes(encodeChunk(decoded.value), chunk.data)) {
    return rawContent(chunk, 'Encoding what was decoded gives other bytes.')
  }
  return { ...decoded, value: decoded.value }
}

/** As `decodeChunk`. It does not throw, as there is always a content: `raw` where the bytes do not decode. */
export function decodeChunkOrThrow(chunk: Pick<DxbcChunk, 'fourcc' | 'data'>): ChunkContent {
  return valueOrThrow(decodeChunk(chunk))
}

function rawContent(
  chunk: Pick<DxbcChunk, 'fourcc' | 'data'>,
  why: string,
): Outcome<ChunkContent> & { value: ChunkContent } {
  const place = { kind: 'bytes', chunk: chunk.fourcc, byteOffset: 0, byteLength: chunk.data.length } as const
  const warning = diagnostic('dxbc-chunk-unusual', `${chunk.fourcc} is kept as raw bytes. ${why}`, place)
  const value: ChunkContent = { kind: 'raw', bytes: chunk.data }
  return { ...outcomeOf(value, [warning]), value }
}

function tagged<K extends ChunkContent['kind'], T>(
  kind: K,
  { value, diagnostics }: Outcome<T>,
): Outcome<{ kind: K; value: T }> {
  return value === undefined ? failure(diagnostics) : outcomeOf({ kind, value }, diagnostics)
}

function decodeContent(fourcc: string, data: Uint8Array): Outcome<ChunkContent> {
  if (isSignatureFourcc(fourcc)) {
    const { value, diagnostics } = decodeSignature(data, fourcc)
    return value === undefined ? failure(diagnostics) : outcomeOf({ kind: 'signature', fourcc, value }, diagnostics)
  }
  switch (fourcc) {
    case 'RDEF':
      return tagged('resource-definition', decodeResourceDefinition(data))
    case 'STAT':
      return tagged('statistics', decodeStatistics(data))
    case 'SFI0':
      return tagged('feature-info', decodeFeatureInfo(data))
    case 'IFCE':
      return tagged('interfaces', decodeInterfaces(data))
    case 'RTS0':
      return tagged('root-signature', decodeRootSignature(data))
    case 'ILDN':
      return tagged('debug-name', decodeDebugName(data))
    default:
      return outcomeOf({ kind: rawKind(fourcc), bytes: data })
  }
}

function rawKind(fourcc: string): 'program' | 'debug-info' | 'private-data' | 'level9' | 'unknown' {
  switch (fourcc) {
    case 'SHDR':
    case 'SHEX':
      return 'program'
    case 'SDBG':
    case 'SPDB':
    case 'ILDB':
      return 'debug-info'
    case 'PRIV':
      return 'private-data'
    case 'Aon9':
    case 'XNAP':
    case 'XNAS':
      return 'level9'
    default:
      return 'unknown'
  }
}

/** The data of a part from its content. */
export function encodeChunk(content: ChunkContent): Uint8Array {
  switch (content.kind) {
    case 'resource-definition':
      return encodeResourceDefinition(content.value)
    case 'signature':
      return encodeSignature(content.value, content.fourcc)
    case 'statistics':
      return encodeStatistics(content.value)
    case 'feature-info':
      return encodeFeatureInfo(content.value)
    case 'interfaces':
      return encodeInterfaces(content.value)
    case 'root-signature':
      return encodeRootSignature(content.value)
    case 'debug-name':
      return encodeDebugName(content.value)
    case 'program':
    case 'debug-info':
    case 'private-data':
    case 'level9':
    case 'unknown':
    case 'raw':
      return content.bytes
    default:
      return assertNever(content)
  }
}

/** Every part of a container decoded, in the order of the offset table, with everything that was found. */
export function decodeChunks(container: DxbcContainer): {
  readonly contents: readonly ChunkContent[]
  readonly diagnostics: readonly Diagnostic[]
} {
  const found = new DiagnosticCollector()
  const contents = container.chunks.map((chunk) => {
    const { value, diagnostics } = decodeChunk(chunk)
    found.pushAll(diagnostics)
    return value
  })
  return { contents, diagnostics: found.finish() }
}
