import {
  type Diagnostic,
  type DiagnosticCode,
  DiagnosticCollector,
  type DiagnosticDetails,
  diagnostic,
  type TextPlace,
} from '../../diagnostic/index.ts'

/** After this many errors parsing stops: what follows is mostly the echo of the first ones, and time stays bounded. */
export const MAX_ERRORS = 100
/** Characters of a source line that a diagnostic keeps. */
export const MAX_SOURCE_LINE = 500

const TAB = 0x09
const NEWLINE = 0x0a
const RETURN = 0x0d
const SPACE = 0x20
const SLASH = 0x2f
/** Begins a comment, as in the assemblers of Direct3D 9. */
const SEMICOLON = 0x3b

/** Begins the annotation of a statement in the dialect `lossless` (`raw.ts`). */
export const STATEMENT_ANNOTATION = '{token'

/** Thrown by `Source.fail` and caught by the loop over statements: the statement cannot be read further. */
export const GIVE_UP = { giveUp: 'the statement cannot be read' }

/** Letters, digits and `_`: 1, digits 2 more. */
const CLASS = new Uint8Array(128)
for (let c = 0; c < 128; c++) {
  const character = String.fromCharCode(c)
  if (/[A-Za-z_]/.test(character)) CLASS[c] = 1
  else if (/[0-9]/.test(character)) CLASS[c] = 3
}

export const isWordCode = (code: number): boolean => code < 128 && CLASS[code]! !== 0
export const isLetterCode = (code: number): boolean => code < 128 && CLASS[code] === 1
export const isBlankCode = (code: number): boolean => code === SPACE || code === TAB || code === RETURN
export const isDigitCode = (code: number): boolean => code >= 0x30 && code <= 0x39

/**
 * A text with a position in it, read line by line: a position never passes the end of its line unless `nextLine` or
 * `skipToToken` says so. Keeps what is found wrong, with places.
 */
export class Source {
  readonly text: string
  readonly diagnostics = new DiagnosticCollector()
  position = 0
  /** Where the statement of this line begins, and the line. */
  statementStart = 0
  statementLine = 0
  /** Start and end of each operand of the text that has been read. */
  readonly operandEnds: number[] = []
  /** How many of those were there when the statement began. */
  firstOperandEnd = 0
  /** Number of the line, from 1; 0 before the first `nextLine`. */
  line = 0
  lineStart = 0
  /** Where the line ends, before its line break. */
  lineEnd = 0
  #nextLineStart = 0

  constructor(text: string) {
    this.text = text
  }

  /** A statement begins at the position. */
  beginStatement(): void {
    this.statementStart = this.position
    this.statementLine = this.line
    this.firstOperandEnd = this.operandEnds.length
  }

  /** Goes to the start of the next line; false at the end of the text. */
  nextLine(): boolean {
    const { text } = this
    const start = this.#nextLineStart
    if (start >= text.length) return false
    const newline = text.indexOf('\n', start)
    const end = newline < 0 ? text.length : newline
    this.#nextLineStart = end + 1
    this.lineStart = start
    this.lineEnd = end > start && text.charCodeAt(end - 1) === RETURN ? end - 1 : end
    this.position = start
    this.line++
    return true
  }

  /** Where the next line begins; behind the end of the text where this is the last. */
  get nextLineStart(): number {
    return this.#nextLineStart
  }

  /** Whether there is a line behind this one. */
  hasNextLine(): boolean {
    return this.#nextLineStart < this.text.length
  }

  /** The character at the position, 0 at the end of the line. */
  peek(): number {
    return this.position < this.lineEnd ? this.text.charCodeAt(this.position) : 0
  }

  /** The character `ahead` behind the position, 0 past the end of the line. */
  peekAt(ahead: number): number {
    const at = this.position + ahead
    return at < this.lineEnd ? this.text.charCodeAt(at) : 0
  }

  /** Where a text begins in what is left of the line, -1 for nowhere. The lines behind are not looked at. */
  find(wanted: string): number {
    const { text } = this
    const first = wanted.charCodeAt(0)
    const last = this.lineEnd - wanted.length
    for (let at = this.position; at <= last; at++) {
      if (text.charCodeAt(at) === first && text.startsWith(wanted, at)) return at
    }
    return -1
  }

  skipBlanks(): void {
    const { text, lineEnd } = this
    let at = this.position
    while (at < lineEnd) {
      const code = text.charCodeAt(at)
      if (code !== SPACE && code !== TAB) break
      at++
    }
    this.position = at
  }

  /** Skips blanks, line breaks and comments, for lists in braces that run over several lines. */
  skipToToken(): void {
    this.skipBlanks()
    while (this.atEnd() && this.nextLine()) this.skipBlanks()
  }

  /** Whether nothing but a comment is left of the line. Call after `skipBlanks`. */
  atEnd(): boolean {
    const code = this.peek()
    if (code === 0) return this.position >= this.lineEnd
    return code === SEMICOLON || (code === SLASH && this.peekAt(1) === SLASH)
  }

  /** Whether the statement is at its end: nothing, a comment or an annotation of the whole statement is left. */
  atStatementEnd(): boolean {
    return this.atEnd() || this.text.startsWith(STATEMENT_ANNOTATION, this.position)
  }

  /** Whether an annotation of the whole statement is further on in the line. */
  hasStatementAnnotation(): boolean {
    return this.find(STATEMENT_ANNOTATION) >= 0
  }

  /** Skips blanks, then one character if it is the given one. */
  accept(code: number): boolean {
    this.skipBlanks()
    if (this.peek() !== code) return false
    this.position++
    return true
  }

  expect(code: number, purpose: string): void {
    if (this.accept(code)) return
    this.failExpected(`'${String.fromCharCode(code)}'${purpose === '' ? '' : ` ${purpose}`}`)
  }

  /** End of the run of letters, digits and `_` at the position. */
  wordEnd(): number {
    const { text, lineEnd } = this
    let at = this.position
    while (at < lineEnd && isWordCode(text.charCodeAt(at))) at++
    return at
  }

  /** The run of letters, digits and `_` at the position, which may be empty. */
  word(): string {
    const start = this.position
    this.position = this.wordEnd()
    return this.text.slice(start, this.position)
  }

  /** What stands at the position, for messages: a word, a character, or the end of the line. */
  found(): string {
    if (this.atEnd()) return 'the end of the line'
    const end = this.wordEnd()
    const shown = end > this.position ? this.text.slice(this.position, Math.min(end, this.position + 40)) : undefined
    return shown === undefined ? `'${String.fromCodePoint(this.text.codePointAt(this.position)!)}'` : `'${shown}'`
  }

  /** A place on the current line. */
  placeOf(start: number, end: number): TextPlace {
    const { lineStart, lineEnd } = this
    return {
      kind: 'text',
      line: Math.max(1, this.line),
      column: start - lineStart + 1,
      length: Math.max(1, Math.min(end, lineEnd) - start),
      sourceLine: this.text.slice(lineStart, Math.min(lineEnd, lineStart + MAX_SOURCE_LINE)),
    }
  }

  report(
    code: DiagnosticCode,
    message: string,
    start: number,
    end: number,
    notes: readonly string[] = [],
    details?: DiagnosticDetails,
  ): void {
    this.diagnostics.push({ ...diagnostic(code, message, this.placeOf(start, end), notes), ...details })
  }

  /** Reports an error and gives the statement up. */
  fail(...error: Parameters<Source['report']>): never {
    this.report(...error)
    throw GIVE_UP
  }

  /** Reports a word that is none of those that may stand there, with the one that was most likely meant. */
  failWord(
    code: DiagnosticCode,
    message: string,
    start: number,
    end: number,
    meant: string | undefined,
    notes: readonly string[] = [],
  ): never {
    if (meant === undefined) return this.fail(code, message, start, end, notes)
    const fixes = [{ kind: 'replace', texts: [meant] }] as const
    return this.fail(code, message, start, end, [`did you mean '${meant}'?`, ...notes], { fixes })
  }

  /** Reports what was expected at the position and what is there. */
  failExpected(expected: string, notes: readonly string[] = []): never {
    this.skipBlanks()
    const end = Math.max(this.wordEnd(), this.position + 1)
    return this.fail('asm-syntax', `expected ${expected}, found ${this.found()}`, this.position, end, notes)
  }

  get errorCount(): number {
    return this.diagnostics.errorCount
  }

  /** Everything that was found, with a last note where there were too many errors to go on. */
  finish(): readonly Diagnostic[] {
    const found = this.diagnostics.finish()
    if (this.errorCount >= MAX_ERRORS)
      found.push(diagnostic('asm-too-many-errors', `parsing stopped after ${MAX_ERRORS} errors`))
    return found
  }
}

export const CODE = {
  newline: NEWLINE,
  space: SPACE,
  quote: 0x22,
  hash: 0x23,
  open: 0x28,
  close: 0x29,
  star: 0x2a,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  slash: SLASH,
  zero: 0x30,
  colon: 0x3a,
  less: 0x3c,
  equals: 0x3d,
  greater: 0x3e,
  question: 0x3f,
  openBracket: 0x5b,
  closeBracket: 0x5d,
  underscore: 0x5f,
  openBrace: 0x7b,
  bar: 0x7c,
  closeBrace: 0x7d,
} as const
