/** Where the statements and operands of a program stand in the text that it was read from. For findings in that text. */
import { type Diagnostic, type Place, type StatementPlace, type TextPlace, withPlaces } from '../../diagnostic/index.ts'
import { isBlankCode, MAX_SOURCE_LINE, type Source } from './source.ts'

/** Positions in a text, in UTF-16 code units from 0; the end is not part of the range. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** Where a statement stands in a text, with its operands. */
export interface StatementRange extends TextRange {
  /** The line that the statement begins on, from 1. */
  readonly line: number
  /** One for each operand in the order of the statement; empty where the text does not have them all. */
  readonly operands: readonly TextRange[]
}

/** A text and where it has the statements of its program, by index into `Program.statements`. */
export interface ProgramText {
  readonly text: string
  readonly statements: readonly StatementRange[]
}

/**
 * What is noted of each statement while a text is read: start, end, line, where its operands begin and end in
 * `Source.operandEnds`, and 1 where nothing was found in it. Numbers, because the places in most texts are never needed.
 */
export type PlaceNotes = number[]

/** Notes the statement that begins where the source says and ends at its position. */
export function notePlace(notes: PlaceNotes, s: Source, operandCount: number, isSound: boolean): void {
  const { operandEnds: ends, firstOperandEnd: first } = s
  const isWhole = ends.length - first === 2 * operandCount
  notes.push(s.statementStart, Math.max(s.statementStart, s.position), s.statementLine, first)
  notes.push(isWhole ? ends.length : first, isSound ? 1 : 0)
}

export const NUMBERS_PER_NOTE = 6
/** Which of them is what. */
export const NOTE = { start: 0, end: 1, line: 2, firstOperandEnd: 3, lastOperandEnd: 4, isSound: 5 } as const

/** Where a part of a text ends without the blanks behind it. */
function trimmedEnd(text: string, start: number, limit: number): number {
  let end = limit
  while (end > start && isBlankCode(text.charCodeAt(end - 1))) end--
  return end
}

function statementRanges({ text, operandEnds, notes }: NotedText): StatementRange[] {
  const ranges: StatementRange[] = []
  for (let i = 0; i < notes.length; i += NUMBERS_PER_NOTE) {
    const operands: TextRange[] = []
    for (let k = notes[i + NOTE.firstOperandEnd]!; k < notes[i + NOTE.lastOperandEnd]!; k += 2) {
      const start = operandEnds[k]!
      operands.push({ start, end: trimmedEnd(text, start, operandEnds[k + 1]!) })
    }
    const start = notes[i + NOTE.start]!
    const end = trimmedEnd(text, start, notes[i + NOTE.end]!)
    ranges.push({ start, end, line: notes[i + NOTE.line]!, operands })
  }
  return ranges
}

/** A text with the places that were noted in it, which are made when they are first needed. */
export class NotedText implements ProgramText {
  readonly text: string
  readonly operandEnds: readonly number[]
  readonly notes: PlaceNotes
  #statements: readonly StatementRange[] | undefined

  constructor(text: string, { operandEnds }: Source, notes: PlaceNotes) {
    this.text = text
    this.operandEnds = operandEnds
    this.notes = notes
  }

  get statements(): readonly StatementRange[] {
    this.#statements ??= statementRanges(this)
    return this.#statements
  }
}

/** The range of a statement, or of the operand that the place names. */
export function textRangeOf({ statements }: ProgramText, place: StatementPlace): TextRange | undefined {
  const statement = statements[place.index]
  return place.operand === undefined ? statement : (statement?.operands[place.operand] ?? statement)
}

/** The place in the text for a place in the program; undefined where the text does not have that statement. */
export function textPlaceOf(program: ProgramText, place: StatementPlace): TextPlace | undefined {
  const range = textRangeOf(program, place)
  const statement = program.statements[place.index]
  if (range === undefined || statement === undefined) return undefined
  const { text } = program
  const lineStart = text.lastIndexOf('\n', range.start - 1) + 1
  const newline = text.indexOf('\n', lineStart)
  const lineEnd = newline < 0 ? text.length : newline
  let { line } = statement
  for (let at = text.indexOf('\n', statement.start); at >= 0 && at < lineStart; at = text.indexOf('\n', at + 1)) line++
  return {
    kind: 'text',
    line,
    column: range.start - lineStart + 1,
    length: Math.max(1, Math.min(range.end, lineEnd) - range.start),
    sourceLine: text.slice(lineStart, Math.min(lineEnd, lineStart + MAX_SOURCE_LINE)).replace(/\r$/, ''),
  }
}

/** Findings of a program with the places in its text, where the text has them. */
export function inText(program: ProgramText, findings: readonly Diagnostic[]): readonly Diagnostic[] {
  const inLines = (place: Place): Place =>
    (place.kind === 'statement' ? textPlaceOf(program, place) : undefined) ?? place
  return findings.map((d) => withPlaces(d, inLines))
}
