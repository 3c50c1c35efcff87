/** Bytes as base64, in the alphabet of RFC 4648 with padding; without the functions that only some hosts have. */

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

const VALUES = new Int8Array(128).fill(-1)
for (let value = 0; value < 64; value++) VALUES[ALPHABET.charCodeAt(value)] = value

const PAD = '='

/** The text of the bytes. */
export function encodeBase64(bytes: Uint8Array): string {
  let text = ''
  for (let at = 0; at < bytes.length; at += 3) {
    const left = bytes.length - at
    const group = (bytes[at]! << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    text += ALPHABET[group >>> 18]! + ALPHABET[(group >>> 12) & 63]!
    text += (left > 1 ? ALPHABET[(group >>> 6) & 63]! : PAD) + (left > 2 ? ALPHABET[group & 63]! : PAD)
  }
  return text
}

/** The bytes of a text; undefined where it is not base64. */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0) return undefined
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  const digits = text.length - padding
  let to = 0
  let bits = 0
  let group = 0
  for (let at = 0; at < digits; at++) {
    const code = text.charCodeAt(at)
    const value = code < 128 ? VALUES[code]! : -1
    if (value < 0) return undefined
    group = (group << 6) | value
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[to++] = (group >>> bits) & 255
    group &= (1 << bits) - 1
  }
  // Bits that no byte takes must be 0, so that every byte string has one text.
  return group === 0 ? bytes : undefined
}
