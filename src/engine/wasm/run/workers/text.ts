/** Texts in the memory that threads share, in code units of 16 bits. */

/** Units that become a text in one call, which must not have too many arguments. */
const UNITS_OF_A_CALL = 4096

export function writeText(buffer: ArrayBufferLike, byteOffset: number, text: string): void {
  const units = new Uint16Array(buffer, byteOffset, text.length)
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i)
}

export function readText(buffer: ArrayBufferLike, byteOffset: number, length: number): string {
  const units = new Uint16Array(buffer, byteOffset, length)
  let text = ''
  for (let i = 0; i < length; i += UNITS_OF_A_CALL) {
    text += String.fromCharCode.apply(null, units.subarray(i, i + UNITS_OF_A_CALL) as unknown as number[])
  }
  return text
}
