/** Strings of printf and errorf as the listing writes them; the listing and the parser use it. */

/** What is written as a backslash and a letter. Quotes are not: a string ends at the last quote of its line. */
const ESCAPES: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\r', '\\r'],
  ['\\', '\\\\'],
])

const CHARACTERS: ReadonlyMap<string, string> = new Map(
  [...ESCAPES].map(([character, sequence]) => [sequence, character]),
)

const DELETE = 0x7f

/** Other control characters are a point: the text does not say which (quirks/cs_printf_escapes). */
function characterText(character: string): string {
  const sequence = ESCAPES.get(character)
  if (sequence !== undefined) return sequence
  const code = character.charCodeAt(0)
  return code < 0x20 || code === DELETE ? '.' : character
}

/** A string as it stands between the quotes. */
export function messageText(characters: string): string {
  return Array.from(characters, characterText).join('')
}

/** The string that stands between the quotes; a backslash before any other character stands for itself. */
export function messageCharacters(text: string): string {
  return text.replace(/\\[ntr\\]/g, (sequence) => CHARACTERS.get(sequence) ?? sequence)
}
