/** The listing as the source of a program that has no debug data. */
import { statementIndents, statementLister } from '../asm/index.ts'
import type { Reflection } from '../dxbc/index.ts'
import type { Declarations } from '../engine/index.ts'
import { instructionNumbers, type Program } from '../program/index.ts'
import { constantVariables, resourceVariables, sharedVariables, unnamedResources } from './globals.ts'
import type { SourceFrame, SourceMap, SourceRange, SourceVariable, StatementLines } from './model.ts'
import { registerVariables } from './registers.ts'
import { remembered } from './remembered.ts'

interface ListingText {
  readonly text: string
  readonly ranges: readonly SourceRange[]
}

function listingText(program: Program): ListingText {
  const lister = statementLister(program)
  const indents = statementIndents(program)
  const lines: string[] = []
  const ranges = program.statements.map((_, at): SourceRange => {
    const own = (lister(at) ?? '').split('\n').map((text) => (indents[at] ?? '') + text)
    const line = lines.length + 1
    for (const text of own) lines.push(text)
    const column = (indents[at] ?? '').length + 1
    return { file: 0, line, column, endLine: lines.length, endColumn: Math.max(1, own.at(-1)!.length) }
  })
  return { text: `${lines.join('\n')}\n`, ranges }
}

/** The functions of a listing: statements of one phase or subroutine have the name of its function. */
const ENTRY = 'main'

/** A map whose one file is the listing, with names from reflection. */
export function listingMap(program: Program, reflection: Reflection, d: Declarations | undefined): SourceMap {
  const { text, ranges } = listingText(program)
  const numbers = instructionNumbers(program)
  const isCode = (at: number): boolean => numbers[at] !== undefined
  const statementsByLine = new Map<number, number>()
  ranges.forEach((r, at) => {
    if (isCode(at)) for (let line = r.line; line <= r.endLine; line++) statementsByLine.set(line, at)
  })
  const globals: readonly SourceVariable[] =
    d === undefined
      ? []
      : [
          ...constantVariables(reflection, d),
          ...resourceVariables(reflection, d),
          ...unnamedResources(reflection, d),
          ...sharedVariables(d),
        ]
  const linesOf = (at: number): StatementLines | undefined => (isCode(at) ? { statement: ranges[at]! } : undefined)
  return {
    origin: 'listing',
    files: [{ name: 'listing.asm', text }],
    functions: [{ name: ENTRY, isEntry: true }],
    ...(reflection.creator === undefined ? {} : { compiler: reflection.creator }),
    settings: new Map(),
    linesOf,
    statementsOf: (file, line) => {
      const found = file === 0 ? statementsByLine.get(line) : undefined
      return found === undefined ? [] : [found]
    },
    linesWithStatements: (file) => (file === 0 ? [...statementsByLine.keys()] : []),
    inlineStack(at): readonly SourceFrame[] {
      const lines = linesOf(at)
      return lines === undefined ? [] : [{ functionName: ENTRY, range: lines.statement, site: 0 }]
    },
    variablesAt: remembered((at) => (d === undefined ? [] : [...registerVariables(d, at), ...globals])),
  }
}
