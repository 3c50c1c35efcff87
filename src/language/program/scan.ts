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

const ABS = '_abs'
const UNDERSCORE = 0x5f
const DOT = 0x2e
const OPEN_BRACKET = 0x5b

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39
function isLetter(code: number): boolean {
  const lower = code | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || code === UNDERSCORE
}
const isWord = (code: number): boolean => isLetter(code) || isDigit(code)

/** The end of a run of characters. Codes are compared: an operand is read for each of some ten thousand. */
function endOf(is: (code: number) => boolean, text: string, at: number): number {
  let end = at
  while (end < text.length && is(text.charCodeAt(end))) end++
  return end
}

/** The end of a point and the letters behind it; the position itself where there is no point. */
const componentsEnd = (text: string, at: number): number =>
  text.charCodeAt(at) === DOT ? endOf(isLetter, text, at + 1) : at

const skipTo = (text: string, at: number, end: number, closing: string): number => {
  const found = text.indexOf(closing, at)
  return found < 0 || found >= end ? end : found + 1
}

interface Scan {
  readonly text: string
  readonly end: number
  /** A register takes its place in the list before those in its brackets, and is put there when it has been read. */
  readonly found: (WrittenRegister | undefined)[]
}

/** Reads one register behind its letters; gives the position behind it. */
function scanRegister(s: Scan, start: number, lettersEnd: number, depth: number): number {
  const { text, end } = s
  let nameEnd = lettersEnd
  if (text.startsWith(ABS, nameEnd - ABS.length)) nameEnd -= ABS.length
  const file = registerFileOfPrefix(text.slice(start, nameEnd))
  if (file === undefined) return lettersEnd
  const digits = nameEnd === lettersEnd ? endOf(isDigit, text, nameEnd) : nameEnd
  const number = digits > nameEnd ? Number(text.slice(nameEnd, digits)) : undefined
  const place = s.found.length
  s.found.push(undefined)
  let at = text.startsWith(ABS, digits) ? digits + ABS.length : digits
  while (text.charCodeAt(at) === OPEN_BRACKET && at < end) at = scanBrackets(s, at + 1, depth + 1)
  if (text.startsWith(ABS, at)) at += ABS.length
  const wholeEnd = Math.max(at, Math.min(end, componentsEnd(text, at)))
  const components = wholeEnd > at + 1 ? { start: at + 1, end: wholeEnd } : undefined
  const name = { start, end: digits }
  const whole = wholeEnd === digits ? name : { start, end: wholeEnd }
  s.found[place] = { file, number, name, whole, components, depth }
  return wholeEnd
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

const isLiteralPrefix = (text: string, at: number): boolean =>
  (text[at] === 'l' || text[at] === 'd') && text[at + 1] === '('

function scanNext(s: Scan, at: number, depth: number): number {
  const { text } = s
  const code = text.charCodeAt(at)
  // The letters of `0x1f` belong to the number.
  if (isDigit(code)) return endOf(isWord, text, at)
  if (!isLetter(code)) return skipOther(s, at)
  if (isLiteralPrefix(text, at)) return skipTo(text, at + 1, s.end, ')')
  const lettersEnd = endOf(isLetter, text, at)
  return depth > MAX_DEPTH ? lettersEnd : scanRegister(s, at, lettersEnd, depth)
}

/** The registers of a part of a text, each before those in its brackets. */
export function writtenRegisters(text: string, { start, end }: TextRange): readonly WrittenRegister[] {
  const found: WrittenRegister[] = []
  const s: Scan = { text, end, found }
  for (let at = start; at < end; ) at = scanNext(s, at, 0)
  return found
}
