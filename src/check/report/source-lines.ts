import type { DebugInfo } from '../../dxbc/index.ts'
import { instructionNumbers, type Program, statementByteOffsets } from '../../program/index.ts'
import type { ReportLine, SourceText } from './report.ts'

/** Longer lines are cut in reports: generated code has all of a function on one. */
const MAX_CHARACTERS = 200

/** Source lines by statement: the debug data names positions, which are byte offsets or instruction numbers. */
function sourceLines(
  program: Program,
  numbers: readonly (number | undefined)[],
  debug: DebugInfo,
): Map<number, SourceText> {
  const texts = new Map(debug.sources?.map(({ file, text }) => [file, text.split(/\r?\n/)]))
  const textOf = (file: string, line: number): Pick<SourceText, 'text'> => {
    const text = texts.get(file)?.[line - 1]?.trim().slice(0, MAX_CHARACTERS)
    return text === undefined || text === '' ? {} : { text }
  }
  const byPosition = new Map(
    debug.lines.map((l) => [l.position, { file: l.file, line: l.line, ...textOf(l.file, l.line) }]),
  )
  const found = new Map<number, SourceText>()
  const positions = debug.positions === 'instructions' ? numbers : statementByteOffsets(program)
  let last: SourceText | undefined
  numbers.forEach((number, at) => {
    if (number === undefined) return
    last = byPosition.get(positions[at]!) ?? last
    if (last !== undefined) found.set(at, last)
  })
  return found
}

/** `14: sync_g_t`: the instruction's number and text. */
export function lineText(line: ReportLine): string {
  const number = line.instruction === undefined ? '' : `${line.instruction}: `
  return `${number}${line.listing ?? `statement ${line.statement}`}`
}

/** `instruction 14: sync_g_t`: the same where a number alone would not say what it counts. */
export function namedLine({ instruction, statement, listing }: ReportLine): string {
  const number = instruction === undefined ? `statement ${statement}` : `instruction ${instruction}`
  return listing === undefined ? number : `${number}: ${listing}`
}

/** How statements are named in reports. */
export interface Lines {
  readonly lineOf: (statement: number) => ReportLine
}

export function linesOf(
  program: Program,
  listing: ((statement: number) => string | undefined) | undefined,
  debug: DebugInfo | undefined,
): Lines {
  const numbers = instructionNumbers(program)
  const sources = debug === undefined ? new Map<number, SourceText>() : sourceLines(program, numbers, debug)
  return {
    lineOf(statement) {
      const instruction = numbers[statement]
      const text = listing?.(statement)?.trim()
      const source = sources.get(statement)
      return {
        statement,
        ...(instruction === undefined ? {} : { instruction }),
        ...(text === undefined ? {} : { listing: text }),
        ...(source === undefined ? {} : { source }),
      }
    },
  }
}
