/** The parts of a container as text: models, or bytes in base64. */
import { type ChunkContent, decodeChunk, encodeChunk } from '../../dxbc/index.ts'
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
  if (back.kind !== 'bytes' || back.bytes.length !== data.length) return undefined
  return back.bytes.every((byte, i) => byte === data[i]) ? text : undefined
}

/** Where two models differ, as a path; undefined where they do not. Layouts may: an edit moves parts. */
function difference(a: unknown, b: unknown, path: string): string | undefined {
  if (a instanceof Uint8Array && b instanceof Uint8Array) {
    return a.length === b.length && a.every((byte, i) => byte === b[i]) ? undefined : path
  }
  if (!isRecord(a) || !isRecord(b)) return Object.is(a, b) ? undefined : path
  for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
    if (path === '' && key === LAYOUT) continue
    const found = difference(a[key], b[key], Array.isArray(a) ? `${path}[${key}]` : `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

const LAYOUT = 'layout'

type EncodedModel =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  /** What is wrong, as the end of a sentence. */
  | { readonly kind: 'wrong'; readonly why: string }

const wrong = (why: string): EncodedModel => ({ kind: 'wrong', why })

/** The bytes of a part from the text of its model. A text that says more or less than the model holds is wrong. */
export function encodeModelText(kind: ModelContent['kind'], fourcc: string, text: string): EncodedModel {
  const value = parseModel(text)
  if (!isRecord(value)) return wrong('it is no JSON object')
  if (largestNumber(value[LAYOUT]) > byteLimit(text)) return wrong('its layout would be mostly empty')
  const bytes = tryEncode(kind, fourcc, value)
  if (bytes === undefined || bytes.length > byteLimit(text)) return wrong('fields are missing or of another type')
  const back = decodeChunk({ fourcc, data: bytes }).value
  const place = 'value' in back ? difference(value, back.value, '') : ''
  return place === undefined
    ? { kind: 'bytes', bytes }
    : wrong(`the part cannot hold ${place.replace(/^\./, '') || 'it'}`)
}

function tryEncode(kind: ModelContent['kind'], fourcc: string, value: unknown): Uint8Array | undefined {
  // The text may say anything; the encoder is written for the model's type and throws on what is not of it.
  const content = (kind === 'signature' ? { kind, fourcc, value } : { kind, value }) as unknown as ChunkContent
  try {
    return encodeChunk(content)
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
