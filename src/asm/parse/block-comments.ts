/** Block comments, which people write and no listing has. */

const OPENER = '/*'

/** What a block comment cannot begin in: the rest of a line behind `//`, and text in quotes; or a block comment. */
const TOKEN = /\/\/[^\n]*|"[^"\n]*"?|\/\*[\s\S]*?(?:\*\/|$)/g

export const hasBlockComments = (text: string): boolean => text.includes(OPENER)

/** The text with spaces for the characters of block comments, so that lines and columns stay as they are. */
export function blankBlockComments(text: string): string {
  if (!hasBlockComments(text)) return text
  return text.replace(TOKEN, (token) => (token.startsWith(OPENER) ? token.replace(/[^\r\n]/g, ' ') : token))
}
