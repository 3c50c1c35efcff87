/**
 * Models of chunks as text: JSON, where an object or list that fits stands on one line, and bytes are
 * `{ "base64": "..." }`. Outside ASCII everything is escaped.
 */
import { decodeBase64, encodeBase64 } from '../text/base64.ts'

const LINE_LENGTH = 150
const BYTES_KEY = 'base64'
/** Models nest as deep as a part's decoder goes; hostile text must not go deeper. */
const MAX_DEPTH = 64

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

function escaped(text: string): string {
  const quoted = JSON.stringify(text)
  return quoted.replace(/[^\x20-\x7e]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** A model as JSON has it: bytes wrapped, fields that are undefined left out. */
function toJson(value: unknown): Json {
  if (value instanceof Uint8Array) return { [BYTES_KEY]: encodeBase64(value) }
  if (Array.isArray(value)) return value.map(toJson)
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value).filter(([, v]) => v !== undefined)
    return Object.fromEntries(entries.map(([key, v]) => [key, toJson(v)]))
  }
  if (typeof value === 'string' || typeof value === 'boolean') return value
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}

function flat(value: Json): string {
  if (typeof value === 'string') return escaped(value)
  if (Array.isArray(value)) return `[${value.map(flat).join(', ')}]`
  if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).map(([key, v]) => `${escaped(key)}: ${flat(v)}`)
    return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
  }
  return String(value)
}

function print(value: Json, indent: string, lead: string): string {
  const line = flat(value)
  const isBranch = typeof value === 'object' && value !== null
  if (!isBranch || indent.length + lead.length + line.length <= LINE_LENGTH) return lead + line
  const inner = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const items = Array.isArray(value)
    ? value.map((v) => print(v, inner, ''))
    : Object.entries(value).map(([key, v]) => print(v, inner, `${escaped(key)}: `))
  return `${lead}${open}\n${items.map((item) => inner + item).join(',\n')}\n${indent}${close}`
}

/** The text of a model, without a line end behind it. */
export function printModel(model: unknown): string {
  return print(toJson(model), '', '')
}

function fromJson(value: unknown, depth: number): unknown {
  if (depth > MAX_DEPTH) return undefined
  if (Array.isArray(value)) return value.map((v) => fromJson(v, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value)
  if (entries.length === 1 && entries[0]![0] === BYTES_KEY) return decodeBase64(String(entries[0]![1]))
  return Object.fromEntries(entries.map(([key, v]) => [key, fromJson(v, depth + 1)]))
}

/** What the text of a model says; undefined where it is no JSON. Nothing is known of its shape. */
export function parseModel(text: string): unknown {
  try {
    return fromJson(JSON.parse(text), 0)
  } catch {
    // JSON.parse reports by throwing; its messages differ between hosts.
    return undefined
  }
}
