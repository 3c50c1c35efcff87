import { CODES, type CodeInfo, type Severity } from '../../diagnostic/index.ts'
import type { Report, ReportFinding, ReportLine, ReportSite } from './report.ts'

/** A report with the file that it is about, for reports of many. */
export interface FileReport {
  /** The shader or the run description, as the user named it. */
  readonly file: string
  readonly report: Report
}

const LEVEL: Readonly<Record<Severity, 'error' | 'warning' | 'note'>> = {
  error: 'error',
  warning: 'warning',
  hint: 'note',
}
const REGISTRY: Readonly<Record<string, CodeInfo>> = CODES

/** Relative paths stay relative, as code scanning wants them; absolute ones, of either system, become file URIs. */
function uriOf(path: string): string {
  const slashed = path.replace(/\\/g, '/').replace(/^\.\//, '')
  const prefix = /^[A-Za-z]:\//.test(slashed) ? 'file:///' : slashed.startsWith('/') ? 'file://' : ''
  return prefix + encodeURI(slashed)
}

function lineText(line: ReportLine): string {
  const number = line.instruction === undefined ? `statement ${line.statement}` : `instruction ${line.instruction}`
  return line.listing === undefined ? number : `${number}: ${line.listing}`
}

/** The HLSL line where debug information gives one, else the file with the instruction as a logical place. */
function location(file: string, line: ReportLine): object {
  const source = line.source
  const physicalLocation =
    source === undefined
      ? { artifactLocation: { uri: uriOf(file) }, region: { startLine: 1 } }
      : { artifactLocation: { uri: uriOf(source.file) }, region: { startLine: source.line } }
  return { physicalLocation, logicalLocations: [{ name: lineText(line), kind: 'instruction' }] }
}

function siteText(site: ReportSite): string {
  return `thread (${site.thread.join(', ')}) of group (${site.group.join(', ')}) at ${lineText(site)}`
}

function result(file: string, f: ReportFinding, ruleIndex: number): object {
  const where = f.memory === undefined ? '' : ` (${f.memory.text})`
  const details = [siteText(f.site), ...(f.other === undefined ? [] : [siteText(f.other)]), ...f.notes]
  const related =
    f.other === undefined
      ? {}
      : { relatedLocations: [{ id: 1, ...location(file, f.other), message: { text: siteText(f.other) } }] }
  return {
    ruleId: f.code,
    ruleIndex,
    level: LEVEL[f.severity],
    message: { text: `${f.message}${where}.\n${details.join('\n')}` },
    locations: [location(file, f.site)],
    ...related,
    occurrenceCount: f.count,
    partialFingerprints: {
      'heddle/v1': `${uriOf(file)} ${f.code} ${f.site.instruction ?? f.site.statement} ${f.other?.instruction ?? ''}`,
    },
  }
}

/** SARIF 2.1.0 of reports, for code scanning; one run with a rule for each code that was found. */
export function reportsToSarif(reports: readonly FileReport[], version: string): object {
  const codes = [...new Set(reports.flatMap((r) => r.report.findings.map((f) => f.code)))].sort()
  const rules = codes.map((code) => {
    const info = REGISTRY[code]!
    return {
      id: code,
      shortDescription: { text: info.title },
      fullDescription: { text: info.explanation },
      ...(info.source === undefined ? {} : { help: { text: `${info.explanation}\n\nSource: ${info.source}` } }),
      defaultConfiguration: { level: LEVEL[info.severity] },
    }
  })
  const notifications = reports
    .filter((r) => r.report.partial !== undefined)
    .map((r) => ({ level: 'warning', message: { text: `${r.file}: the check is partial (${r.report.partial})` } }))
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'heddle', semanticVersion: version, rules } },
        invocations: [
          {
            executionSuccessful: reports.every((r) => r.report.partial !== 'refused'),
            ...(notifications.length === 0 ? {} : { toolExecutionNotifications: notifications }),
          },
        ],
        results: reports.flatMap(({ file, report }) =>
          report.findings.map((f) => result(file, f, codes.indexOf(f.code))),
        ),
      },
    ],
  }
}
