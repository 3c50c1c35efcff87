/** Bytes of a file to its text: encodings and string ends. For the command line and for jobs. */
import { latin1 } from '../dxbc/index.ts'

/** What begins a text in UTF-8 and UTF-16, as Windows writes it. */
const MARK_8 = [0xef, 0xbb, 0xbf]
const MARK_16_LITTLE = [0xff, 0xfe]
const MARK_16_BIG = [0xfe, 0xff]

const startsWith = (bytes: Uint8Array, mark: readonly number[]): boolean => mark.every((byte, i) => bytes[i] === byte)

/** A text in Unicode, as run descriptions are: UTF-8, or UTF-16 with a byte order mark. */
export function unicodeText(bytes: Uint8Array): string {
  if (startsWith(bytes, MARK_16_LITTLE)) return new TextDecoder('utf-16le').decode(bytes)
  if (startsWith(bytes, MARK_16_BIG)) return new TextDecoder('utf-16be').decode(bytes)
  return new TextDecoder().decode(bytes)
}

/** UTF-16 (what `>` of Windows PowerShell writes) as its UTF-8 bytes, which names in shaders have otherwise too. */
function fromUtf16(bytes: Uint8Array): string {
  return latin1(new TextEncoder().encode(unicodeText(bytes)))
}

/** A text without zeros at its end: what D3DDisassemble gives ends in one, and tools write it out. */
function withoutZeros(text: string): string {
  let length = text.length
  while (length > 0 && text.charCodeAt(length - 1) === 0) length--
  return text.slice(0, length)
}

/**
 * The text of a file for `assemble`: one character a byte, since names in shaders have no encoding. UTF-16 with a byte
 * order mark is decoded, the mark of UTF-8 is left out, and so are zero bytes at the end.
 */
export function assemblyText(bytes: Uint8Array): string {
  if (startsWith(bytes, MARK_16_LITTLE) || startsWith(bytes, MARK_16_BIG)) return withoutZeros(fromUtf16(bytes))
  return withoutZeros(latin1(startsWith(bytes, MARK_8) ? bytes.subarray(MARK_8.length) : bytes))
}

const BINARY_SAMPLE = 4096
/** Of random bytes a ninth are control characters; of text with some damage fewer. */
const MAX_CONTROL_SHARE = 1 / 20

/** Tabs, line ends and form feeds, and the 26 with which DOS ended files. */
const isTextControl = (code: number): boolean => (code >= 9 && code <= 13) || code === 26

/** Whether a file is binary data: an assembler's errors about its characters would be of no use. */
export function isBinary(text: string): boolean {
  if (text.includes('\0')) return true
  const length = Math.min(text.length, BINARY_SAMPLE)
  let controls = 0
  for (let i = 0; i < length; i++) if (text.charCodeAt(i) < 32 && !isTextControl(text.charCodeAt(i))) controls++
  return controls > length * MAX_CONTROL_SHARE
}
