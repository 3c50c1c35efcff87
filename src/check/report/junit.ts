import { renderReport } from './render.ts'
import { isClean } from './report.ts'
import type { FileReport } from './sarif.ts'

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text for XML: characters that it cannot hold are left out. */
function xmlText(text: string): string {
  return [...text]
    .filter((c) => c >= ' ' || c === '\n' || c === '\t')
    .map((c) => ENTITIES[c] ?? c)
    .join('')
}

function testCase({ file, report }: FileReport): string {
  const head = `    <testcase classname="heddle check" name="${xmlText(report.name ?? file)}" file="${xmlText(file)}">`
  const text = xmlText(renderReport(report))
  if (report.partial === 'refused') {
    return `${head}\n      <error type="refused" message="the dispatch did not start">${text}</error>\n    </testcase>`
  }
  const findings = report.findings.filter((f) => f.severity !== 'hint')
  if (isClean(report)) return `${head}</testcase>`
  const type = findings[0]?.code ?? 'check-stopped'
  const message = findings[0]?.message ?? `the check is partial (${report.partial})`
  return `${head}\n      <failure type="${type}" message="${xmlText(message)}">${text}</failure>\n    </testcase>`
}

/** JUnit XML of reports: a test case each, failed where there is an error or a warning or the check is partial. */
export function reportsToJunit(reports: readonly FileReport[]): string {
  const refused = reports.filter((r) => r.report.partial === 'refused').length
  const failed = reports.filter((r) => r.report.partial !== 'refused' && !isClean(r.report))
  const counts = `tests="${reports.length}" failures="${failed.length}" errors="${refused}"`
  const cases = reports.map(testCase).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${counts}>\n  <testsuite name="heddle check" ${counts}>\n${cases}\n  </testsuite>\n</testsuites>\n`
}
