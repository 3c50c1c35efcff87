import { unicodeText } from '../../../src/asm/index.ts'
import { EXIT, worse } from '../exit.ts'
import { readBytes, systemReason, writeOutput } from '../files.ts'
import { type InputKind, inputFiles, STANDARD } from '../inputs.ts'
import { mergeProblems, mergeReports } from '../reports/merge.ts'
import { type CiReport, readReport } from '../reports/report.ts'
import { printError } from '../terminal.ts'

const REPORTS: InputKind = {
  plural: 'reports (.xml, .sarif, .json)',
  accepts: (path) => /\.(?:xml|sarif|json)$/i.test(path),
}

/** Reads a report; undefined, after a message, where it is none. */
function reportAt(path: string): CiReport | undefined {
  try {
    const report = readReport(path, unicodeText(readBytes(path)))
    if (typeof report !== 'string') return report
    printError(`${path}: ${report}`)
  } catch (e) {
    printError(`cannot read ${path}: ${systemReason(e)}`)
  }
  return undefined
}

/** `heddle merge`: the reports of all shards as one. */
export async function merge(args: readonly string[], options: { readonly output?: string }): Promise<void> {
  const { inputs, allFound } = await inputFiles(args, REPORTS)
  const read = inputs.map(({ path }) => reportAt(path))
  const reports = read.filter((r) => r !== undefined)
  process.exitCode = EXIT.usage
  if (!allFound || reports.length < read.length || reports.length === 0) return
  const problems = mergeProblems(reports)
  for (const problem of problems) printError(`${problem}; nothing was merged`)
  if (problems.length > 0) return
  const { text, hasFindings } = mergeReports(reports)
  const isWritten = writeOutput(options.output ?? STANDARD, Buffer.from(text))
  process.exitCode = worse(isWritten ? EXIT.fine : EXIT.usage, hasFindings ? EXIT.findings : EXIT.fine)
}
