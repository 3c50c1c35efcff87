/** Statements and lines: where a run is in its source. */
import type { SourcePlaces } from '../debug/index.ts'
import { largest } from '../diagnostic/index.ts'
import { instructionNumbers, statementName } from '../program/index.ts'
import type { SourceFileOfMap, SourceRange } from '../source/index.ts'
import type { DebuggedProgram } from './run.ts'

/** Lines as steps distinguish them; undefined where the listing is the source, whose lines are statements. */
export function sourcePlaces({ map }: Pick<DebuggedProgram, 'map'>): SourcePlaces | undefined {
  if (map.origin === 'listing') return undefined
  return {
    placeOf(statement) {
      const range = map.linesOf(statement)?.statement
      if (range === undefined) return undefined
      const outermostFirst = [...map.inlineStack(statement)].reverse()
      return { line: `${range.file}:${range.line}`, inlined: outermostFirst.slice(1).map((f) => f.site) }
    },
  }
}

/**
 * Index of the file that a path means: that which has most of its last parts in common with it, the file's own name at least, in
 * any case and with either slash.
 */
export function fileNamed(files: readonly Pick<SourceFileOfMap, 'name'>[], path: string): number | undefined {
  const partsOf = (name: string): string[] => name.replaceAll('\\', '/').toLowerCase().split('/').reverse()
  const wanted = partsOf(path)
  const common = files.map(({ name }) => {
    const parts = partsOf(name)
    const differs = parts.findIndex((part, i) => part !== wanted[i])
    // Of two that end alike, the one that is whole in the path is meant.
    return differs < 0 ? parts.length + 0.5 : differs
  })
  const most = largest(0, common)
  return most === 0 ? undefined : common.indexOf(most)
}

/** Where the code of a line begins: of statements in a row the first. A line may lie in several pieces. */
export function lineStarts({ map }: Pick<DebuggedProgram, 'map'>, file: number, line: number): readonly number[] {
  const statements = map.statementsOf(file, line)
  const own = new Set(statements)
  return statements.filter((s) => !own.has(s - 1))
}

/** The line itself, or the next one that has code. */
export function lineWithCode({ map }: Pick<DebuggedProgram, 'map'>, file: number, line: number): number | undefined {
  return map.linesWithStatements(file).find((l) => l >= line)
}

/** The first statement of each function with a name: of every inlined copy, of every subroutine. */
export function functionStarts({ map, program }: DebuggedProgram, name: string): readonly number[] {
  const starts: number[] = []
  let before: readonly number[] = []
  program.statements.forEach((_, at) => {
    const own = map.inlineStack(at).filter((f) => f.functionName === name)
    const sites = own.map((f) => f.site)
    if (sites.some((site) => !before.includes(site))) starts.push(at)
    if (map.linesOf(at) !== undefined) before = sites
  })
  // An entry is begun once, however often its code goes on behind inlined functions.
  const isEntry = map.functions.some((f) => f.isEntry && f.name === name)
  return isEntry ? starts.slice(0, 1) : starts
}

/** The statement that has a number in the listing. */
export function statementOfInstruction(
  { program }: Pick<DebuggedProgram, 'program'>,
  number: number,
): number | undefined {
  const at = instructionNumbers(program).indexOf(number)
  return at < 0 ? undefined : at
}

export function rangeText({ map }: Pick<DebuggedProgram, 'map'>, range: SourceRange): string {
  const name = map.files[range.file]?.name.replaceAll('\\', '/').split('/').at(-1) ?? '?'
  return `${name}:${range.line}`
}

/** `blur.hlsl:12, instruction 31`, or the instruction alone where the listing is the source. */
export function placeText(run: DebuggedProgram, statement: number): string {
  if (statement < 0) return 'the pipeline, no statement'
  const range = run.map.origin === 'listing' ? undefined : run.map.linesOf(statement)?.statement
  const name = statementName(run.program, statement)
  return range === undefined ? name : `${rangeText(run, range)}, ${name}`
}

/** A line of a file, without the blanks around it. */
export function lineText({ map }: Pick<DebuggedProgram, 'map'>, range: SourceRange): string | undefined {
  const { text } = map.files[range.file] ?? {}
  return text?.split('\n')[range.line - 1]?.trim()
}
