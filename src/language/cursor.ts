/** Where a cursor stands in a line that may not be whole: behind which word, in which operand. */
import { type Head, resolveMnemonic } from '../asm/index.ts'
import { PROFILE_PREFIXES } from '../isa/index.ts'
import { lineAt, lineStarts, type ShaderDocument } from './document.ts'

/** What stands in front of a cursor in its line. */
export interface Cursor {
  readonly position: number
  /** The text of the line up to the cursor, from its first word on. */
  readonly before: string
  /** Where that begins. */
  readonly start: number
  /** The word at the cursor, from its beginning to the cursor. */
  readonly word: string
  /** The first word; empty where the cursor is in it. */
  readonly mnemonic: string
  readonly isFirstWord: boolean
  readonly head: Head | undefined
  /** Commas between operands in front of the cursor. */
  readonly operand: number
  /** What encloses the cursor: brackets of an index, parentheses, braces; undefined for none. */
  readonly enclosed: '[' | '(' | '{' | undefined
  readonly isComment: boolean
}

interface Nesting {
  operand: number
  readonly open: ('[' | '(' | '{')[]
}

const CLOSES: Readonly<Record<string, string>> = { ']': '[', ')': '(', '}': '{' }

function nestingOf(text: string): Nesting {
  const nesting: Nesting = { operand: 0, open: [] }
  let isString = false
  for (const c of text) {
    if (c === '"') isString = !isString
    else if (isString) continue
    else if (c === '[' || c === '(' || c === '{') nesting.open.push(c)
    else if (CLOSES[c] !== undefined && nesting.open.at(-1) === CLOSES[c]) nesting.open.pop()
    else if (c === ',' && nesting.open.length === 0) nesting.operand++
  }
  return nesting
}

/** Lines of more are no lines that someone types in. */
const MOST_READ = 4000

/** The cursor in its line. */
export function cursorAt(d: ShaderDocument, position: number): Cursor {
  const lineStart = lineStarts(d)[lineAt(d, position)]!
  const from = Math.max(lineStart, position - MOST_READ)
  const line = d.text.slice(from, position)
  const indent = /^\s*(?:(?:\d+|0x[0-9A-Fa-f]+):\s*)*/.exec(line)![0].length
  const before = line.slice(indent)
  const word = /[\w.]*$/.exec(before)![0]
  const first = /^[\w.]+/.exec(before)?.[0] ?? ''
  const mnemonic = first.length === before.length ? '' : first
  const { operand, open } = nestingOf(before.slice(mnemonic.length))
  return {
    position,
    before,
    start: from + indent,
    word,
    mnemonic,
    isFirstWord: first.length === before.length,
    head: first.length === before.length ? undefined : resolveMnemonic(first),
    operand,
    enclosed: open.at(-1),
    isComment: /\/\/|;/.test(before),
  }
}

/** Whether a program has begun in front of a position. */
export function hasProfileBefore(d: ShaderDocument, position: number): boolean {
  return PROFILE.test(d.text.slice(0, position))
}

const PROFILE = new RegExp(`^[ \\t]*(?:${PROFILE_PREFIXES.join('|')})_\\d_\\d`, 'm')
