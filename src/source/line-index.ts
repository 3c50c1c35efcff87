import type { SourceFrame, SourceMap } from './model.ts'

/** Statements by line, made when first requested. */
export function indexLines(
  statementCount: number,
  inlineStack: (statement: number) => readonly SourceFrame[],
): Pick<SourceMap, 'statementsOf' | 'linesWithStatements'> {
  let index: Map<number, Map<number, number[]>> | undefined
  const byFile = (): Map<number, Map<number, number[]>> => {
    if (index !== undefined) return index
    index = new Map()
    for (let statement = 0; statement < statementCount; statement++) {
      for (const { range } of inlineStack(statement)) {
        const lines = index.get(range.file) ?? new Map<number, number[]>()
        index.set(range.file, lines)
        const statements = lines.get(range.line)
        if (statements === undefined) lines.set(range.line, [statement])
        else if (statements.at(-1) !== statement) statements.push(statement)
      }
    }
    return index
  }
  return {
    statementsOf: (file, line) => byFile().get(file)?.get(line) ?? [],
    linesWithStatements: (file) => [...(byFile().get(file)?.keys() ?? [])].sort((a, b) => a - b),
  }
}
