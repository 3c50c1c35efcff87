import { type JunitCase, junitXml, type ShardMark } from '../../diagnostic/index.ts'
import { renderReport } from './render.ts'
import { isClean } from './report.ts'
import type { FileReport } from './sarif.ts'

function problemOf({ report, differences = [] }: FileReport): JunitCase['problem'] {
  const text = [renderReport(report), ...differences].join('\n')
  if (report.partial === 'refused') return { kind: 'error', type: 'refused', message: 'nothing ran', text }
  const [difference] = differences
  if (isClean(report)) {
    return difference === undefined ? undefined : { kind: 'failure', type: 'job-difference', message: difference, text }
  }
  const finding = report.findings.find((f) => f.severity !== 'hint')
  const type = finding?.code ?? 'check-stopped'
  const message = finding?.message ?? `the check is partial (${report.partial})`
  return { kind: 'failure', type, message, text }
}

function caseOf(r: FileReport): JunitCase {
  const problem = problemOf(r)
  return {
    className: 'heddle check',
    name: r.report.name ?? r.file,
    file: r.file,
    ...(r.milliseconds === undefined ? {} : { seconds: r.milliseconds / 1000 }),
    ...(problem === undefined ? {} : { problem }),
  }
}

/** JUnit XML of reports: a test case each, failed where there is an error or a warning or the check is partial or contents differ. */
export function reportsToJunit(reports: readonly FileReport[], mark?: ShardMark): string {
  return junitXml('heddle check', reports.map(caseOf), mark)
}
