/** The words of an expression. */
import type { ScalarType } from '../type.ts'
import { fail } from './fault.ts'
import type { Span } from './tree.ts'

export type Token = Span &
  (
    | { readonly kind: 'number'; readonly scalar: ScalarType; readonly words: readonly number[] }
    | { readonly kind: 'name'; readonly text: string }
    | { readonly kind: 'mark'; readonly text: string }
    | { readonly kind: 'end'; readonly text: '' }
  )

const NAME = /[A-Za-z_$][\w$]*(?:::[A-Za-z_$][\w$]*)*/y
const HEX = /0[xX][0-9a-fA-F]+[uU]?/y
const NUMBER = /(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?[uUfFhHlL]?/y
const MARK = /<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%<>&^|!~?:.,()[\]@]/y
/** Names that the compiler makes, such as `<main return value>`. */
const ANGLED = /<[\w ]+ return value>/y

const SCRATCH = new DataView(new ArrayBuffer(8))

function floatWord(value: number): number {
  SCRATCH.setFloat32(0, value, true)
  return SCRATCH.getInt32(0, true)
}

export function doubleWords(value: number): readonly number[] {
  SCRATCH.setFloat64(0, value, true)
  return [SCRATCH.getInt32(0, true), SCRATCH.getInt32(4, true)]
}

const MAX_UINT = 0xffffffff
const MAX_INT = 0x7fffffff

function integer(text: string, value: number, span: Span): Token {
  if (value > MAX_UINT) {
    fail('source-syntax', `${text} is more than 32 bits hold`, span, 'write a float: the number with a point')
  }
  const isUnsigned = /u$/i.test(text) || value > MAX_INT
  return { kind: 'number', scalar: isUnsigned ? 'uint' : 'int', words: [value | 0], ...span }
}

function numberToken(text: string, span: Span): Token {
  if (/^0x/i.test(text)) return integer(text, Number.parseInt(text.slice(2), 16), span)
  const value = Number.parseFloat(text)
  if (/l$/i.test(text)) return { kind: 'number', scalar: 'double', words: doubleWords(value), ...span }
  if (/^\d+u?$/i.test(text)) return integer(text, value, span)
  if (/u$/i.test(text))
    fail('source-syntax', `${text} has a point and the suffix of an integer`, span, 'leave out the u')
  return { kind: 'number', scalar: 'float', words: [floatWord(value)], ...span }
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}

/** The tokens of a text, one `end` behind them. */
export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  for (let at = 0; at < text.length; ) {
    if (/\s/.test(text[at]!)) {
      at++
      continue
    }
    const span = (found: string): Span => ({ start: at, end: at + found.length })
    const angled = match(ANGLED, text, at)
    const name = angled ?? match(NAME, text, at)
    const number = name === undefined ? (match(HEX, text, at) ?? match(NUMBER, text, at)) : undefined
    const mark = name === undefined && number === undefined ? match(MARK, text, at) : undefined
    const found = name ?? number ?? mark
    if (found === undefined) {
      fail('source-syntax', `'${text[at]}' has no meaning in an expression`, { start: at, end: at + 1 })
    }
    if (name !== undefined) tokens.push({ kind: 'name', text: name, ...span(name) })
    else if (number !== undefined) tokens.push(numberToken(number, span(number)))
    else tokens.push({ kind: 'mark', text: found, ...span(found) })
    at += found.length
  }
  tokens.push({ kind: 'end', text: '', start: text.length, end: text.length })
  return tokens
}
