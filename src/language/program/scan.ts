/** Registers in the text of an operand, by their letters alone: where the name, the brackets and the components stand. */
import { registerFileOfPrefix, type TextRange } from '../../asm/index.ts'
import type { RegisterFile } from '../../isa/index.ts'

/** A register as it is written. */
export interface WrittenRegister {
  readonly file: RegisterFile
  /** The number against the prefix; undefined where there is none (`vThreadID`, `v[2][0]`). */
  readonly number: number | undefined
  /** `r3`, `cb0`, `vThreadID`. */
  readonly name: TextRange
  /** With brackets and components. */
  readonly whole: TextRange
  /** The letters behind the point. */
  readonly components: TextRange | undefined
  /** Inside the brackets of how many registers. */
  readonly depth: number
}

const NAME = /[A-Za-z_]+|\d+/y
const LETTERS = /[A-Za-z_]+/y
const DIGITS = /\d+/y
const COMPONENTS = /\.[A-Za-z]*/y
const ABS = '_abs'

/** The end of what a sticky pattern matches at a position; the position itself where it does not match. */
function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  const match = pattern.exec(text)
  return match === null ? at : at + match[0].length
}

const skipTo = (text: string, at: number, end: number, closing: string): number => {
  const found = text.indexOf(closing, at)
  return found < 0 || found >= end ? end : found + 1
}

interface Scan {
  readonly text: string
  readonly end: number
  readonly found: WrittenRegister[]
}

/** Reads one register behind its letters; gives the position behind it. Its place in the list is before those inside it. */
function scanRegister(s: Scan, start: number, lettersEnd: number, depth: number): number {
  const { text, end } = s
  let nameEnd = lettersEnd
  if (text.startsWith(ABS, nameEnd - ABS.length)) nameEnd -= ABS.length
  const file = registerFileOfPrefix(text.slice(start, nameEnd))
  if (file === undefined) return lettersEnd
  const digits = nameEnd === lettersEnd ? endOf(DIGITS, text, nameEnd) : nameEnd
  const number = digits > nameEnd ? Number(text.slice(nameEnd, digits)) : undefined
  const place = s.found.length
  const name = { start, end: digits }
  s.found.push({ file, number, name, whole: name, components: undefined, depth })
  let at = text.startsWith(ABS, digits) ? digits + ABS.length : digits
  while (text[at] === '[' && at < end) at = scanBrackets(s, at + 1, depth + 1)
  if (text.startsWith(ABS, at)) at += ABS.length
  const componentsEnd = Math.min(end, endOf(COMPONENTS, text, at))
  const components = componentsEnd > at + 1 ? { start: at + 1, end: componentsEnd } : undefined
  s.found[place] = { file, number, name, whole: { start, end: Math.max(at, componentsEnd) }, components, depth }
  return Math.max(at, componentsEnd)
}

/** Braces hold annotations (`{min16f}`), which name no registers. */
function skipOther(s: Scan, at: number): number {
  return s.text[at] === '{' ? skipTo(s.text, at, s.end, '}') : at + 1
}

/** Up to the bracket that closes; gives the position behind it. */
function scanBrackets(s: Scan, start: number, depth: number): number {
  let at = start
  while (at < s.end && s.text[at] !== ']') at = scanNext(s, at, depth)
  return Math.min(s.end, at + 1)
}

const MAX_DEPTH = 9

function scanNext(s: Scan, at: number, depth: number): number {
  NAME.lastIndex = at
  const word = NAME.exec(s.text)?.[0]
  if (word === undefined) return skipOther(s, at)
  const wordEnd = at + word.length
  const isLiteral = (word === 'l' || word === 'd') && s.text[wordEnd] === '('
  if (isLiteral) return skipTo(s.text, wordEnd, s.end, ')')
  if (/\d/.test(word[0]!)) {
    // `0x1f`: the letters belong to the number.
    const x = s.text[wordEnd]
    return word === '0' && (x === 'x' || x === 'X') ? endOf(/[A-Za-z0-9]+/y, s.text, wordEnd) : wordEnd
  }
  if (depth > MAX_DEPTH) return wordEnd
  return scanRegister(s, at, endOf(LETTERS, s.text, at), depth)
}

/** The registers of a part of a text, each before those in its brackets. */
export function writtenRegisters(text: string, { start, end }: TextRange): readonly WrittenRegister[] {
  const s: Scan = { text, end, found: [] }
  for (let at = start; at < end; ) at = scanNext(s, at, 0)
  return s.found
}
