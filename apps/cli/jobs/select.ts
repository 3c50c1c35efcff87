/** Which of the files named `run` and `check` take, and numbers of their options. */
import { sayError } from '../terminal.ts'

/** A whole number of 1 or more; `bad`, after a message, for anything else. */
export function countOf(flag: string, text: string | undefined): number | 'bad' | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isSafeInteger(value) && value >= 1) return value
  sayError(`${flag} takes a whole number of 1 or more; ${JSON.stringify(text)} was given`)
  return 'bad'
}

/** The files of one shard of several: every nth, so that neighbors of like size are divided evenly. */
export function shardOf(files: readonly string[], shard: string | undefined): readonly string[] | undefined {
  if (shard === undefined) return files
  const m = /^(\d+)\/(\d+)$/.exec(shard)
  const [part, of] = [Number(m?.[1]), Number(m?.[2])]
  if (m === null || part < 1 || part > of) {
    sayError(`--shard takes i/n with i from 1 to n; ${JSON.stringify(shard)} was given`)
    return undefined
  }
  return files.filter((_, i) => i % of === part - 1)
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
