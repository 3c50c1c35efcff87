/** A version of a text with what could be read of it. */
import {
  type EarlierVersion,
  isLossless,
  type ProgramText,
  parseAgain,
  readLossless,
  type TextRange,
} from '../asm/index.ts'
import { countLeading, type Diagnostic, type TextPlace } from '../diagnostic/index.ts'
import type { Program, Statement } from '../program/index.ts'
import { type Kept, perDocument } from './per-document.ts'

/** What a text is opened with. */
export interface DocumentOptions {
  /** The number that the editor gives this state of the text. */
  readonly version?: number | undefined
  /** The shader that the text is a listing of: names come from its reflection, and what the text leaves open from its parts. */
  readonly container?: Uint8Array | undefined
  /** An earlier version of the text: what did not change is taken over from it. */
  readonly before?: ShaderDocument | undefined
}

/** A text and what was read of it. Positions are UTF-16 code units from 0. */
export interface ShaderDocument {
  readonly text: string
  readonly version: number
  readonly container: Uint8Array | undefined
  readonly dialect: 'fxc' | 'lossless'
  /** The program as far as it could be read; undefined where the text names no profile. */
  readonly program: Program | undefined
  /** Nothing that the assembler reads is wrong: `program` is all of the text. */
  readonly isWhole: boolean
  readonly statements: readonly Statement[]
  readonly places: ProgramText
  /** What the assembler says. */
  readonly found: readonly Diagnostic[]
  /** What was worked out of earlier versions, for what is worked out of this one. */
  readonly kept: Kept
}

/** What is taken over of a version before, where it was in the same dialect. */
function earlierVersion(before: ShaderDocument | undefined): EarlierVersion | undefined {
  if (before?.dialect !== 'fxc') return undefined
  return { statements: before.statements, partial: before.program, places: before.places }
}

/** Reads a text. Never throws, whatever the text is. */
export function openDocument(text: string, options: DocumentOptions = {}): ShaderDocument {
  const { version = 0, container, before } = options
  const lossless = isLossless(text)
  const read = lossless ? readLossless(text) : parseAgain(text, earlierVersion(before))
  const { partial, places, diagnostics } = read
  return {
    text,
    version,
    container,
    dialect: lossless ? 'lossless' : 'fxc',
    program: partial,
    isWhole: read.ok,
    statements: partial?.statements ?? [],
    places,
    found: diagnostics,
    kept: new Map(before?.kept),
  }
}

/** Where each line begins: the assembler ends lines at line feeds alone. */
function startsOfLines(text: string): readonly number[] {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** Positions at which the lines of a document begin. */
export const lineStarts = perDocument((document: ShaderDocument) => startsOfLines(document.text))

/** The number of the line, from 0, that a position is on. */
export function lineAt(document: ShaderDocument, position: number): number {
  return Math.max(0, countLeading(lineStarts(document), (start) => start <= position) - 1)
}

/** The statement that a position is in or at the end of, by its index. */
export function statementAt({ places }: ShaderDocument, position: number): number | undefined {
  const at = countLeading(places.statements, (s) => s.start <= position) - 1
  const range = places.statements[at]
  return range !== undefined && position <= range.end ? at : undefined
}

/** The part of the text that a place of the assembler names. */
export function rangeOfPlace(document: ShaderDocument, place: TextPlace): TextRange {
  const starts = lineStarts(document)
  const start = Math.min(document.text.length, (starts[place.line - 1] ?? document.text.length) + place.column - 1)
  return { start, end: Math.min(document.text.length, start + place.length) }
}

/** Characters of a statement that lists show. */
const MOST_SHOWN = 100

/** A statement as it is written, in one line that is not long. */
export function statementText({ text, places }: ShaderDocument, statement: number): string {
  const range = places.statements[statement]
  if (range === undefined) return ''
  const line = text.slice(range.start, Math.min(range.end, range.start + 4 * MOST_SHOWN)).replace(/\s+/g, ' ')
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN)}...` : line
}
