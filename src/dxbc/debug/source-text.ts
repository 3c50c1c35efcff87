/** The text of a file of HLSL as debug data holds it, for the readers of both kinds. */

/** UTF-8 as editors write it; bytes that are none, of older code pages, become replacement characters. */
export function sourceText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes)
}
