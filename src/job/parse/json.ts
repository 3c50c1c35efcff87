import {
  type Diagnostic,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
  type TextPlace,
} from '../../diagnostic/index.ts'

/** Objects and arrays nested deeper than this are refused: no description is, and the stack is finite. */
const MAX_DEPTH = 100

export interface Cursor {
  readonly text: string
  at: number
}

/** Where reading stopped, and why. Thrown inside this file only. */
interface Fault {
  readonly fault: string
  readonly at: number
}

function stop(at: number, fault: string): never {
  throw { fault, at } satisfies Fault
}

function isFault(e: unknown): e is Fault {
  return typeof e === 'object' && e !== null && 'fault' in e
}

const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const LITERAL = /true|false|null/y

function match(c: Cursor, pattern: RegExp): string | undefined {
  pattern.lastIndex = c.at
  const found = pattern.exec(c.text)?.[0]
  if (found !== undefined) c.at += found.length
  return found
}

const QUOTE = 0x22
const BACKSLASH = 0x5c

/** A text in quotes. Walked by hand: an expression that repeats a choice needs stack for each character. */
function matchText(c: Cursor): string | undefined {
  const start = c.at
  let hasEscape = false
  for (let at = start + 1; at < c.text.length; at++) {
    const code = c.text.charCodeAt(at)
    if (code === QUOTE) {
      c.at = at + 1
      return hasEscape ? (JSON.parse(c.text.slice(start, at + 1)) as string) : c.text.slice(start + 1, at)
    }
    if (code < 0x20) return undefined
    if (code !== BACKSLASH) continue
    ESCAPE.lastIndex = at
    const found = ESCAPE.exec(c.text)?.[0]
    if (found === undefined) return undefined
    hasEscape = true
    at += found.length - 1
  }
  return undefined
}

const DIGIT_0 = 0x30
/** Whole numbers of up to this many digits are exact in 32 bits. */
const SHORT_DIGITS = 9

/** A short whole number, by far the commonest; undefined for any other, which the expression judges. */
function matchShortNumber(c: Cursor): number | undefined {
  let value = 0
  let at = c.at
  for (; at - c.at <= SHORT_DIGITS; at++) {
    const digit = c.text.charCodeAt(at) - DIGIT_0
    if (!(digit >= 0 && digit <= 9)) break
    value = value * 10 + digit
  }
  const next = c.text[at]
  const isWhole = next === ',' || next === ']' || next === '\n' || next === ' ' || next === '}'
  const isCanonical = at - c.at === 1 || c.text.charCodeAt(c.at) !== DIGIT_0
  if (at === c.at || !isWhole || !isCanonical) return undefined
  c.at = at
  return value
}

export function skipSpace(c: Cursor): string | undefined {
  match(c, SPACE)
  return c.text[c.at]
}

export function nameOf(c: Cursor): string {
  if (skipSpace(c) !== '"') stop(c.at, 'a member name in double quotes is expected')
  const start = c.at
  return matchText(c) ?? stop(start, 'this text does not end on its line, or has an escape that JSON does not know')
}

function readObject(c: Cursor, depth: number): Record<string, unknown> {
  const members = new Map<string, unknown>()
  c.at++
  if (skipSpace(c) === '}') c.at++
  else {
    for (;;) {
      skipSpace(c)
      const start = c.at
      const name = nameOf(c)
      if (members.has(name)) stop(start, `the member ${JSON.stringify(name)} is given twice`)
      if (skipSpace(c) !== ':') stop(c.at, `a colon is expected behind ${JSON.stringify(name)}`)
      c.at++
      members.set(name, readValue(c, depth + 1))
      const next = skipSpace(c)
      if (next === '}') break
      if (next !== ',') stop(c.at, 'a comma or } is expected')
      c.at++
      if (skipSpace(c) === '}') stop(c.at, 'no comma goes before }')
    }
    c.at++
  }
  // No prototype: a member named __proto__ is a member like any other.
  return Object.assign(Object.create(null) as Record<string, unknown>, Object.fromEntries(members))
}

function readArray(c: Cursor, depth: number): unknown[] {
  const items: unknown[] = []
  c.at++
  if (skipSpace(c) === ']') {
    c.at++
    return items
  }
  for (;;) {
    items.push(readValue(c, depth + 1))
    const next = skipSpace(c)
    if (next === ']') break
    if (next !== ',') stop(c.at, 'a comma or ] is expected')
    c.at++
    if (skipSpace(c) === ']') stop(c.at, 'no comma goes before ]')
  }
  c.at++
  return items
}

export function readValue(c: Cursor, depth: number): unknown {
  const first = skipSpace(c)
  if (depth > MAX_DEPTH) stop(c.at, `values nest deeper than ${MAX_DEPTH}`)
  if (first === '{') return readObject(c, depth)
  if (first === '[') return readArray(c, depth)
  const start = c.at
  if (first === undefined) stop(c.text.length, 'the text ends where a value is expected')
  if (first === '"') {
    return matchText(c) ?? stop(start, 'this text does not end on its line, or has an escape that JSON does not know')
  }
  const short = matchShortNumber(c)
  if (short !== undefined) return short
  const token = match(c, LITERAL) ?? match(c, NUMBER)
  if (token !== undefined && !/\w/.test(c.text[c.at] ?? '')) return JSON.parse(token)
  stop(start, first === '/' ? 'JSON has no comments' : 'a value is expected')
}

/** A line longer than this is a minified file, and not shown. */
const MAX_SHOWN_LINE = 200

/** The place of a character. */
export function placeAt(text: string, at: number): TextPlace {
  const before = text.slice(0, at).split('\n')
  const line = before.length
  const column = before.at(-1)!.length + 1
  const sourceLine = text.split('\n', line)[line - 1]!.replace(/\r$/, '')
  return { kind: 'text', line, column, length: 1, sourceLine }
}

function faultAt(text: string, fault: string, at: number): Diagnostic {
  const place = placeAt(text, at)
  const { line, column, sourceLine } = place
  if (sourceLine.length > MAX_SHOWN_LINE) {
    return diagnostic('job-json', `this is not JSON: ${fault} (line ${line}, column ${column})`)
  }
  return diagnostic('job-json', `this is not JSON: ${fault}`, place)
}

/** A JSON text to its value, or the place where it stops being JSON. A name given twice is an error. */
export function readJson(text: string): Outcome<unknown> {
  const c: Cursor = { text, at: text.startsWith('\ufeff') ? 1 : 0 }
  try {
    const value = readValue(c, 0)
    if (skipSpace(c) !== undefined) stop(c.at, 'nothing goes behind the value')
    return outcomeOf(value)
  } catch (e) {
    if (!isFault(e)) throw e
    return failure([faultAt(text, e.fault, e.at)])
  }
}
