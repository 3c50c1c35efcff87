/** Formatting: indents by blocks and blanks between words, as the listing of fxc has them. Order, comments and literals stay. */

import { statementIndents, type TextRange } from '../asm/index.ts'
import { lineAt, lineStarts, type ShaderDocument } from './document.ts'
import type { TextEdit } from './rename.ts'

interface StatementLines {
  /** The blanks in front of the first line of each statement, by line. */
  readonly indentOf: ReadonlyMap<number, string>
  /** Lines that continue a statement, which stay as they are. */
  readonly continued: ReadonlySet<number>
}

function statementLines(d: ShaderDocument): StatementLines {
  const indentOf = new Map<number, string>()
  const continued = new Set<number>()
  const indents = d.program === undefined ? [] : statementIndents(d.program)
  d.places.statements.forEach(({ start, end }, at) => {
    const first = lineAt(d, start)
    indentOf.set(first, indents[at] ?? '')
    for (let line = first + 1; line <= lineAt(d, end); line++) continued.add(line)
  })
  return { indentOf, continued }
}

const COMMENT_OR_STRING = /"[^"]*"?|\/\/.*|;.*|\/\*.*?(?:\*\/|$)/

/** A statement with one blank between words and behind commas outside of parentheses. */
function spaced(text: string): string {
  let result = ''
  let rest = text
  while (rest.length > 0) {
    const kept = COMMENT_OR_STRING.exec(rest)
    const plain = kept === null ? rest : rest.slice(0, kept.index)
    const isComment = kept !== null && !kept[0].startsWith('"')
    // Comments stay in the columns that someone gave them.
    result += isComment ? spacedPlain(plain.trimEnd()) + plain.slice(plain.trimEnd().length) : spacedPlain(plain)
    if (kept === null) break
    result += kept[0]
    rest = rest.slice(kept.index + kept[0].length)
  }
  return result
}

function spacedPlain(text: string): string {
  let depth = 0
  let result = ''
  for (const c of text.replace(/[ \t]+/g, ' ')) {
    if (c === '(' || c === '[' || c === '{') depth++
    if (c === ')' || c === ']' || c === '}') depth--
    if (depth <= 0 && c === ' ' && result.endsWith(' ')) continue
    if (depth <= 0 && c === ',') {
      result = `${result.trimEnd()}, `
      continue
    }
    result += c
  }
  return result
}

/** One line with its indent. The listing has a blank behind some lines; one that is there stays. */
function formattedLine(line: string, indent: string): string {
  const prefix = /^\s*(?:(?:\d+|0x[0-9A-Fa-f]+):\s)+/.exec(line)?.[0] ?? ''
  const body = spaced(line.slice(prefix.length).trimStart())
  const trimmed = body.trimEnd()
  const tail = trimmed === body ? '' : ' '
  return `${prefix}${indent}${trimmed}${tail}`
}

/** Lines that a block comment goes on over. */
function commentLines(d: ShaderDocument): ReadonlySet<number> {
  const lines = new Set<number>()
  if (!d.text.includes('/*')) return lines
  for (const match of d.text.matchAll(/\/\/[^\n]*|"[^"\n]*"?|\/\*[\s\S]*?(?:\*\/|$)/g)) {
    if (!match[0].startsWith('/*')) continue
    const last = lineAt(d, match.index + match[0].length)
    for (let line = lineAt(d, match.index); line <= last; line++) lines.add(line)
  }
  return lines
}

/** The changes that format the lines of a part of the text. */
export function formatEdits(
  d: ShaderDocument,
  range: TextRange = { start: 0, end: d.text.length },
): readonly TextEdit[] {
  const starts = lineStarts(d)
  const { indentOf, continued } = statementLines(d)
  const comments = commentLines(d)
  const edits: TextEdit[] = []
  const last = lineAt(d, range.end)
  for (let line = lineAt(d, range.start); line <= last; line++) {
    const indent = indentOf.get(line)
    const start = starts[line]!
    if (indent === undefined || continued.has(line) || continued.has(line + 1) || comments.has(line)) continue
    const end = (starts[line + 1] ?? d.text.length + 1) - 1
    const own = d.text.slice(start, end).replace(/\r$/, '')
    const text = formattedLine(own, indent)
    if (text !== own) edits.push({ range: { start, end: start + own.length }, text })
  }
  return edits
}
