/** Reading a later version of a text: statements of lines that did not change are those of the version before. */
import { rowOfOpcode } from '../../isa/index.ts'
import type { Statement } from '../../program/index.ts'
import { NOTE, type NotedText, NUMBERS_PER_NOTE, type PlaceNotes } from './program-text.ts'
import type { Source } from './source.ts'

/** What differs between two versions of a text: a part of one stands in place of a part of the other. */
export interface ChangedPart {
  /** Where both begin to differ. */
  readonly start: number
  /** Where the parts end; behind them both are the same. */
  readonly endBefore: number
  readonly endAfter: number
}

/** The smallest part outside of which two texts are the same. */
export function changedPart(before: string, after: string): ChangedPart {
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let [endBefore, endAfter] = [before.length, after.length]
  while (endBefore > start && endAfter > start && before.charCodeAt(endBefore - 1) === after.charCodeAt(endAfter - 1)) {
    endBefore--
    endAfter--
  }
  return { start, endBefore, endAfter }
}

/** Whether the text of an instruction says all of it; the room behind some operands depends on declarations. */
function isGivenByItsLine(statement: Statement): boolean {
  return statement.kind === 'instruction' && rowOfOpcode(statement.opcode)?.slack === undefined
}

/** The statements of an earlier version, found by the lines of a later one as these are read from the first to the last. */
export class EarlierLines {
  readonly #statements: readonly Statement[]
  readonly #notes: PlaceNotes
  readonly #operandEnds: readonly number[]
  readonly #before: string
  /** The part that differs. */
  readonly #start: number
  readonly #endAfter: number
  /** How much further on the text behind that part stands. */
  readonly #shift: number
  /** The first statement that may stand on the line to come. */
  #next = 0

  constructor(before: NotedText, statements: readonly Statement[], text: string) {
    this.#statements = statements
    this.#notes = before.notes
    this.#operandEnds = before.operandEnds
    this.#before = before.text
    const { start, endBefore, endAfter } = changedPart(this.#before, text)
    this.#start = start
    this.#endAfter = endAfter
    this.#shift = endAfter - endBefore
  }

  /** Where the line of a source stood before; undefined where it was another. */
  #lineBefore(s: Source): number | undefined {
    const { lineStart } = s
    if (s.nextLineStart <= this.#start) return lineStart
    if (lineStart < this.#endAfter) return undefined
    const at = lineStart - this.#shift
    return at === 0 || this.#before.charCodeAt(at - 1) === LINE_FEED ? at : undefined
  }

  /** The statement that the line of a source was read as, by its number; -1 where it must be read by itself. */
  find(s: Source): number {
    const start = this.#lineBefore(s)
    if (start === undefined) return -1
    const notes = this.#notes
    let at = this.#next
    while (at < this.#statements.length && notes[at * NUMBERS_PER_NOTE + NOTE.start]! < start) at++
    this.#next = at
    const end = start + s.lineEnd - s.lineStart
    const isThere = at < this.#statements.length && notes[at * NUMBERS_PER_NOTE + NOTE.end]! <= end
    return isThere && isGivenByItsLine(this.#statements[at]!) ? at : -1
  }

  statement(at: number): Statement {
    return this.#statements[at]!
  }

  /** Whether nothing was found in a statement: there is nothing to say of it again. */
  isSound(at: number): boolean {
    return this.#notes[at * NUMBERS_PER_NOTE + NOTE.isSound] === 1
  }

  /** Notes the places of a statement where its line stands now. */
  copyPlaces(at: number, s: Source, notes: PlaceNotes): void {
    const from = at * NUMBERS_PER_NOTE
    const old = this.#notes
    const shift = s.lineStart < this.#start ? 0 : this.#shift
    const { operandEnds } = s
    const first = operandEnds.length
    for (let k = old[from + NOTE.firstOperandEnd]!; k < old[from + NOTE.lastOperandEnd]!; k++)
      operandEnds.push(this.#operandEnds[k]! + shift)
    notes.push(old[from + NOTE.start]! + shift, old[from + NOTE.end]! + shift, s.line, first, operandEnds.length, 1)
  }
}

const LINE_FEED = 0x0a
