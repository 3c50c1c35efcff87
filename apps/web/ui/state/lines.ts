/** Lines of the listing: which of them mention a register, and which are marked. */
import type { LineMark, OpenFile } from './store.ts'
import { store } from './store.ts'

/** Lines, from 1, of the code in which a pattern is found. */
function linesMatching(file: OpenFile, pattern: RegExp): readonly number[] {
  return file.text
    .split('\n')
    .flatMap((line, i) => (!line.trimStart().startsWith('//') && pattern.test(line) ? [i + 1] : []))
}

/** Chooses a row of a table: the lines that it is about are marked, and the first is scrolled to. */
export function selectRow(key: string, file: OpenFile, pattern: RegExp): void {
  const isSame = store.selectedKey === key
  store.selectedKey = isSame ? '' : key
  store.selectedLines = isSame ? [] : linesMatching(file, pattern)
  store.changed()
}

/** The line of a statement, from 1; undefined where the text does not have it. */
export const lineOf = (file: OpenFile, statement: number): number | undefined => file.lines[statement]

/** The statement that begins on a line, or else the next one below. */
export function statementAt(file: OpenFile, line: number): number | undefined {
  const exact = file.lines.indexOf(line)
  if (exact >= 0) return exact
  const below = file.lines.findIndex((l) => l > line)
  return below < 0 ? undefined : below
}

function mark(file: OpenFile, statement: number | undefined, kind: LineMark['kind']): LineMark[] {
  const line = statement === undefined ? undefined : lineOf(file, statement)
  return line === undefined ? [] : [{ line, kind }]
}

/** Whether the moment is in this shader: of a draw, in its stage. */
function isStepped(file: OpenFile): boolean {
  const { moment } = store.debug
  const isStepping = (store.view === 'listing' ? store.listingOf : store.view) === 'step'
  return isStepping && moment !== undefined && (moment.stage ?? file.inspection?.stage) === file.inspection?.stage
}

/** What is marked in the active listing, the most important last. */
export function lineMarks(file: OpenFile): readonly LineMark[] {
  const { check, debug } = store
  const finding =
    check.selected === undefined || check.of !== file.text ? undefined : check.answer?.report.findings[check.selected]
  return [
    ...store.selectedLines.map((line): LineMark => ({ line, kind: 'selected' })),
    ...mark(file, finding?.other?.statement, 'other'),
    ...mark(file, finding?.site.statement, 'finding'),
    ...mark(file, isStepped(file) ? debug.moment?.statement : undefined, 'next'),
  ]
}
