import { type Report, type ReportFinding, reportDiagnostics } from '../check/index.ts'
import type { Diagnostic } from '../diagnostic/index.ts'
import type { DescribedShader } from '../job/index.ts'

/** What a check of a description found about one of its shaders, at its statements. */
export function shaderFindings(report: Report, { uses }: DescribedShader): readonly Diagnostic[] {
  if (uses === undefined) return reportDiagnostics(report)
  const isAbout = ({ command, stage }: ReportFinding): boolean =>
    uses.some((use) => use.pipeline === command?.pipeline && use.stage === stage)
  return reportDiagnostics(report, isAbout)
}
