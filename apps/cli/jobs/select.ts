/** Which runs `--filter` takes, and numbers of options. */
import { printError } from '../terminal.ts'

/** A whole number of 1 or more; `bad`, after a message, for anything else. */
export function countOf(flag: string, text: string | undefined): number | 'bad' | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 1) return value
  printError(`${flag} takes a whole number of 1 or more; ${JSON.stringify(text)} was given`)
  return 'bad'
}

/** Whether a text has a pattern in it: plain letters in any case, and * for anything. */
export function matchesPattern(text: string, pattern: string): boolean {
  const parts = pattern.toLowerCase().split('*')
  let at = 0
  for (const part of parts) {
    const found = text.toLowerCase().indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return true
}
