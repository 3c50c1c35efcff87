/**
 * The progress line of long work on standard error, where that is a terminal. It has one line, narrower than the terminal,
 * and changes no setting of the terminal, so that a process may be ended while it is shown.
 */
import { isChild } from './is-child.ts'

/** Back to the start of the line, and clear to its end. */
const CLEAR_LINE = '\r\u001b[K'

/** Width that is assumed of terminals that do not report theirs. */
const DEFAULT_COLUMNS = 80

/** The narrowest terminals that have room for a bar, and how wide it is there. */
const BARS = [
  { columns: 80, width: 30 },
  { columns: 40, width: 10 },
]

/** Columns that a text takes at most: two for each character outside ASCII. */
const widthOf = (text: string): number => [...text].reduce((sum, c) => sum + (c <= '~' ? 1 : 2), 0)

const DOTS = '...'

/** The text, or its end behind dots where it is too long: names of files differ at their ends. */
function endOf(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  if (columns <= DOTS.length) return ''
  const characters = [...text]
  while (widthOf(characters.join('')) > columns - DOTS.length) characters.shift()
  return `${DOTS}${characters.join('')}`
}

/** `[===   ] 12/40 shaders/a.dxbc`, with at least one column free, so that terminals do not begin a new line. */
export function progressText(done: number, total: number, file: string, columns: number): string {
  const width = BARS.find((b) => columns >= b.columns)?.width ?? 0
  const bar = `[${'='.repeat(Math.floor((done / total) * width)).padEnd(width)}] `
  const start = `${width === 0 ? '' : bar}${String(done).padStart(String(total).length)}/${total} `
  const name = file.replace(/\p{Cc}/gu, '?')
  return `${start}${endOf(name, columns - 1 - start.length)}`.slice(0, columns - 1).trimEnd()
}

let isShown = false

/** Clears the progress line before something else is printed. */
export function hideProgress(): void {
  if (isShown) process.stderr.write(CLEAR_LINE)
  isShown = false
}

export interface Progress {
  /** Shows how many files are done and which one is being worked on. */
  show(done: number, file: string): void
  end(): void
}

/**
 * Progress through `total` files. Nothing is shown for fewer than `least` files, where standard error is no terminal, or
 * in a child process, whose parent shows the progress of all.
 */
export function progressThrough(total: number, least: number): Progress {
  const { stderr, env } = process
  const isSeen = total >= least && stderr.isTTY === true && env.TERM !== 'dumb' && !isChild()
  return {
    show(done, file) {
      if (!isSeen) return
      stderr.write(`${CLEAR_LINE}${progressText(done, total, file, stderr.columns || DEFAULT_COLUMNS)}`)
      isShown = true
    },
    end: hideProgress,
  }
}
