/** Bytes as text: base64 in the alphabet of addresses, hexadecimal digits, dumps. */

const PART = 0x8000

/** Base64 without padding, with - and _ in place of + and /. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i < bytes.length; i += PART)
    text += String.fromCharCode.apply(null, bytes.subarray(i, i + PART) as unknown as number[])
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}

/** Bytes of base64 in either alphabet, with or without padding and blanks; undefined for anything else. */
export function fromBase64(text: string): Uint8Array | undefined {
  const plain = text.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/').replace(/=+$/, '')
  if (!/^[A-Za-z0-9+/]*$/.test(plain) || plain.length % 4 === 1) return undefined
  const characters = atob(plain)
  const bytes = new Uint8Array(characters.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = characters.charCodeAt(i)
  return bytes
}

/** The digits of one line of a dump: an offset in front and characters behind are left out. */
function digitsOfLine(line: string): string {
  const withoutOffset = line
    .replace(/^\s*(?:0x)?[0-9a-f]{4,16}\s*[:|]\s*/i, '')
    .replace(/^\s*[0-9a-f]{7,16}\s+(?=(?:[0-9a-f]{2,8}\s+){2})/i, '')
  const withoutText = withoutOffset.replace(/\s+\|.*$/, '').replace(/\s{2,}(?![0-9a-f]{2}\b).*$/i, '')
  return withoutText.replace(/\b0x/gi, '').replace(/[\s,;{}[\]]+/g, '')
}

/** Bytes of hexadecimal digits: in a row, with blanks or commas, with 0x, or as hexdump -C and xxd print them. */
export function fromHex(text: string): Uint8Array | undefined {
  const lines = text.split('\n').filter((l) => l.trim() !== '')
  // hexdump ends with a line that has the length alone.
  const last = lines.at(-1)
  if (lines.length > 1 && last !== undefined && /^\s*[0-9a-f]{7,8}\s*$/i.test(last)) lines.pop()
  const digits = lines.map(digitsOfLine).join('')
  if (digits === '' || digits.length % 2 !== 0 || !/^[0-9a-f]+$/i.test(digits)) return undefined
  return Uint8Array.from({ length: digits.length / 2 }, (_, i) => Number.parseInt(digits.slice(2 * i, 2 * i + 2), 16))
}

/** `44 58 42 43`, for a line of a dump. */
export const hexOf = (bytes: Uint8Array): string => Array.from(bytes, (b) => b.toString(16).padStart(2, '0')).join(' ')

/** The characters of bytes that can be shown, points for the others. */
export const charactersOf = (bytes: Uint8Array): string =>
  Array.from(bytes, (b) => (b >= 0x20 && b < 0x7f ? String.fromCharCode(b) : '.')).join('')

/** The bytes of a stream; undefined, and nothing more is read, where they are more than the limit. */
export async function collected(stream: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = []
  let length = 0
  const reader = stream.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    if (done) break
    length += value.length
    if (length > limit) {
      await reader.cancel()
      return undefined
    }
    parts.push(value)
  }
  const bytes = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}
