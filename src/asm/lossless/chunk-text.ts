/** The parts of a container as text: models, or bytes in base64. */
import { type ChunkContent, encodeChunk } from '../../dxbc/index.ts'
import { encodeBase64 } from '../text/base64.ts'
import { parseModel, printModel } from './model-text.ts'

type ModelContent = Extract<ChunkContent, { readonly value: unknown }>

const MODEL_KINDS: readonly ModelContent['kind'][] = [
  'resource-definition',
  'signature',
  'statistics',
  'feature-info',
  'interfaces',
  'root-signature',
  'debug-name',
]

/** The kind of model that a word names. */
export function modelKindOf(word: string): ModelContent['kind'] | undefined {
  return MODEL_KINDS.find((kind) => kind === word)
}

export const MODEL_KIND_WORDS: readonly string[] = MODEL_KINDS

/** Bytes that a model may take for each character of its text; a layout full of gaps is written as bytes instead. */
const BYTES_PER_CHARACTER = 16
const BYTES_AT_LEAST = 1 << 20

const byteLimit = (text: string): number => BYTES_AT_LEAST + text.length * BYTES_PER_CHARACTER

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** The largest number anywhere in a layout: placements and lengths decide how much the encoder allocates. */
function largestNumber(value: unknown): number {
  if (typeof value === 'number') return value
  if (value instanceof Uint8Array || !isRecord(value)) return 0
  return Object.values(value).reduce<number>((most, v) => Math.max(most, largestNumber(v)), 0)
}

/** The text of a model, undefined for content that has none or whose text would not give the same bytes. */
export function modelText(content: ChunkContent, fourcc: string, data: Uint8Array): string | undefined {
  if (!('value' in content)) return undefined
  const text = printModel(content.value)
  const back = encodeModelText(content.kind, fourcc, text)
  if (back === undefined || back.length !== data.length) return undefined
  return back.every((byte, i) => byte === data[i]) ? text : undefined
}

/** The bytes of a part from the text of its model; undefined where the text does not say such a model. */
export function encodeModelText(kind: ModelContent['kind'], fourcc: string, text: string): Uint8Array | undefined {
  const value = parseModel(text)
  if (!isRecord(value) || largestNumber(value.layout) > byteLimit(text)) return undefined
  // The text may say anything; the encoder is written for the model's type and throws on what is not of it.
  const content = (kind === 'signature' ? { kind, fourcc, value } : { kind, value }) as unknown as ChunkContent
  try {
    const bytes = encodeChunk(content)
    return bytes.length <= byteLimit(text) ? bytes : undefined
  } catch {
    return undefined
  }
}

/** Bytes on a line of base64: a multiple of 3, so that every line stands for itself. */
const BYTES_PER_LINE = 84

export function bytesText(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let at = 0; at < bytes.length; at += BYTES_PER_LINE) {
    lines.push(`${encodeBase64(bytes.subarray(at, at + BYTES_PER_LINE))}\n`)
  }
  return lines.join('')
}
