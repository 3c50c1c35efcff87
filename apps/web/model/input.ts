/** What was dropped, picked or pasted: a compiled shader, a listing, a run description, an image, a link. */
import { fromBase64, fromHex } from './bytes.ts'

/** One thing that was opened. */
export type Opened =
  | { readonly kind: 'container'; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: 'listing'; readonly name: string; readonly text: string }
  | { readonly kind: 'job'; readonly name: string; readonly text: string }
  /** Contents for a resource: a PNG file, or bytes. */
  | { readonly kind: 'contents'; readonly name: string; readonly bytes: Uint8Array }
  | { readonly kind: 'link'; readonly fragment: string }
  | { readonly kind: 'unknown'; readonly name: string; readonly reason: string }

const MAGIC = [0x44, 0x58, 0x42, 0x43]
const PNG = [0x89, 0x50, 0x4e, 0x47]
/** Larger inputs are refused: nothing that a compiler makes comes near. */
const MAX_INPUT_BYTES = 64 << 20

const beginsWith = (bytes: Uint8Array, magic: readonly number[]): boolean => magic.every((b, i) => bytes[i] === b)

const isListing = (text: string): boolean =>
  /^(?:\s*\/\/[^\n]*\n|\s*\n)*\s*(?:[vpghdc]s_[45]_[01]|\.lossless\b)/.test(text)

/** A text by what it looks like. */
export function openText(text: string, name: string): Opened {
  const trimmed = text.trim()
  const fragment = /#(v\d+=[A-Za-z0-9_-]+)/.exec(trimmed)?.[1]
  if (fragment !== undefined && !trimmed.includes('\n')) return { kind: 'link', fragment }
  if (isListing(text)) return { kind: 'listing', name, text }
  if (trimmed.startsWith('{')) return { kind: 'job', name, text }
  for (const read of [fromHex, fromBase64]) {
    const bytes = read(trimmed)
    if (bytes !== undefined && beginsWith(bytes, MAGIC)) return { kind: 'container', name, bytes }
  }
  // Assembly that begins otherwise than fxc's does is shown with its errors.
  if (/\.(?:asm|dxasm|dxbcasm|txt)$/i.test(name) || /^\s*dcl_/m.test(text)) return { kind: 'listing', name, text }
  const reason =
    'it is no compiled shader (DXBC), no listing, no run description, and no hexadecimal or base64 text of one'
  return { kind: 'unknown', name, reason }
}

const isUtf8Text = (bytes: Uint8Array): string | undefined => {
  if (bytes.includes(0)) return undefined
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** Bytes by what they begin with. */
export function openBytes(bytes: Uint8Array, name: string): Opened {
  if (bytes.length > MAX_INPUT_BYTES)
    return { kind: 'unknown', name, reason: `it has ${bytes.length} bytes; at most ${MAX_INPUT_BYTES} are opened` }
  if (bytes.length === 0) return { kind: 'unknown', name, reason: 'it is empty' }
  if (beginsWith(bytes, MAGIC)) return { kind: 'container', name, bytes }
  if (beginsWith(bytes, PNG)) return { kind: 'contents', name, bytes }
  const text = isUtf8Text(bytes)
  if (text !== undefined) {
    const opened = openText(text, name)
    if (opened.kind !== 'unknown' && opened.kind !== 'link') return opened
  }
  if (/\.(?:bin|raw|dat|png)$/i.test(name)) return { kind: 'contents', name, bytes }
  return { kind: 'unknown', name, reason: unknownBytes(bytes) }
}

/** Compiled things that people take for what the page reads. */
function unknownBytes(bytes: Uint8Array): string {
  const word = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0, true)
  if (bytes.length >= 4 && (word === 0xfeff0901 || word === 0xfeff2001 || word === 0x46583031))
    return 'it is a compiled effect (fx_2 to fx_5); effects hold many shaders, and are not read'
  if (bytes.length >= 4 && (word >>> 16 === 0xfffe || word >>> 16 === 0xffff) && (word & 0xffff) <= 0x0300)
    return 'it is a shader of Direct3D 9 without a container; shaders of Direct3D 10 and later are read'
  return 'it is no compiled shader: it does not begin with DXBC'
}
