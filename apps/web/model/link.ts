/** What is open, as the fragment of an address: `#v1=` and base64 of deflated JSON. It never leaves the browser. */
import { collected, fromBase64, toBase64Url } from './bytes.ts'

/** A shader in a link: its bytes, or a text with the bytes that everything but the code comes from. */
export interface SharedFile {
  readonly name: string
  readonly text?: string
  readonly bytes?: Uint8Array
}

/** What a link brings back. */
export interface SharedState {
  readonly files: readonly SharedFile[]
  /** Which of the files is looked at. */
  readonly active: number
  /** The run description. */
  readonly job?: string
  readonly view?: string
  /** A moment of the debugger, and its thread. */
  readonly clock?: number
  readonly thread?: number
}

/** Longer links are made, and a file is recommended in their place. */
export const PREFERRED_LINK_BYTES = 32 * 1024
/** What a link may inflate to: more is refused, whatever it claims. */
const MAX_STATE_BYTES = 2 << 20
/** Deflated text is hardly longer than the text itself, and base64 by a third. */
const MAX_LINK_CHARACTERS = MAX_STATE_BYTES * 1.5
const TOO_LONG = `it holds more than ${MAX_STATE_BYTES >> 20} MB`
const MAX_FILES = 32
const PREFIX = 'v1='

/** Whether a fragment is a link of this page: of this version, or of another one. */
export const isLink = (fragment: string): boolean => /^v\d+=/.test(fragment)

function through(bytes: Uint8Array, transform: unknown): ReadableStream<Uint8Array> {
  return new Blob([bytes as Uint8Array<ArrayBuffer>])
    .stream()
    .pipeThrough(transform as ReadableWritablePair<Uint8Array, Uint8Array>) as ReadableStream<Uint8Array>
}

/** The fragment for a state, without its `#`; undefined where it would be more than is read. */
export async function encodeLink(state: SharedState): Promise<string | undefined> {
  const files = state.files.map(({ name, text, bytes }) => ({
    name,
    ...(text === undefined ? {} : { text }),
    ...(bytes === undefined ? {} : { bytes: toBase64Url(bytes) }),
  }))
  const json = new TextEncoder().encode(JSON.stringify({ ...state, files }))
  if (json.length > MAX_STATE_BYTES) return undefined
  const deflated = await collected(through(json, new CompressionStream('deflate-raw')), Number.POSITIVE_INFINITY)
  return PREFIX + toBase64Url(deflated!)
}

/** A state, or why there is none. */
export type DecodedLink = { readonly state: SharedState } | { readonly reason: string }

const refused = (reason: string): DecodedLink => ({ reason })

type Fields = Readonly<Record<string, unknown>>
const isFields = (x: unknown): x is Fields => typeof x === 'object' && x !== null && !Array.isArray(x)
const isCount = (x: unknown): x is number => typeof x === 'number' && Number.isSafeInteger(x) && x >= 0

function sharedFile(x: unknown): SharedFile | undefined {
  if (!isFields(x) || typeof x.name !== 'string' || x.name.length > 256) return undefined
  const text = typeof x.text === 'string' ? x.text : undefined
  const bytes = typeof x.bytes === 'string' ? fromBase64(x.bytes) : undefined
  if (text === undefined && bytes === undefined) return undefined
  return { name: x.name, ...(text === undefined ? {} : { text }), ...(bytes === undefined ? {} : { bytes }) }
}

function stateOf(x: unknown): SharedState | undefined {
  if (!isFields(x) || !Array.isArray(x.files) || x.files.length === 0 || x.files.length > MAX_FILES) return undefined
  const files = x.files.map(sharedFile)
  if (!files.every((f) => f !== undefined)) return undefined
  const active = isCount(x.active) && x.active < files.length ? x.active : 0
  return {
    files,
    active,
    ...(typeof x.job === 'string' ? { job: x.job } : {}),
    ...(typeof x.view === 'string' ? { view: x.view } : {}),
    ...(isCount(x.clock) ? { clock: x.clock } : {}),
    ...(isCount(x.thread) ? { thread: x.thread } : {}),
  }
}

/**
 * Reads a fragment, which may come from anybody: it is bounded, checked, and never run by itself. The page has this done in a
 * worker, as it takes time that a stranger chooses.
 */
export async function decodeLink(fragment: string): Promise<DecodedLink> {
  const text = fragment.replace(/^#/, '')
  if (!text.startsWith(PREFIX)) return refused('it does not begin with v1=: it may be of a later version of this page')
  if (text.length > MAX_LINK_CHARACTERS) return refused(TOO_LONG)
  const deflated = fromBase64(text.slice(PREFIX.length))
  if (deflated === undefined) return refused('it is cut off, or characters of it were changed')
  try {
    const json = await collected(through(deflated, new DecompressionStream('deflate-raw')), MAX_STATE_BYTES)
    if (json === undefined) return refused(TOO_LONG)
    const state = stateOf(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(json)))
    return state === undefined ? refused('it names no shader') : { state }
  } catch {
    return refused('it is cut off, or characters of it were changed')
  }
}
