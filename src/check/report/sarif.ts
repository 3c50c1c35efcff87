import { type SarifResult, type ShardMark, sarifLevel, sarifLog, sarifUri } from '../../diagnostic/index.ts'
import {
  commandText,
  NO_STATEMENT,
  type Report,
  type ReportCommand,
  type ReportFinding,
  type ReportLine,
  type ReportSite,
  type SourceText,
  whoText,
} from './report.ts'
import { namedLine } from './source-lines.ts'

/** A report with the file that it is about, for reports of many. */
export interface FileReport {
  /** The shader or the run description, as the user named it. */
  readonly file: string
  readonly report: Report
  /** Time of the check, where it was taken. */
  readonly milliseconds?: number
  /** Contents that are not as expected, where they were compared. */
  readonly differences?: readonly string[]
}

/** A line of HLSL, with its text where that is known. */
function region({ line, text }: SourceText): object {
  return { startLine: line, ...(text === undefined ? {} : { snippet: { text } }) }
}

/** The HLSL line where debug information gives one, else the file; instruction and command are logical places. */
function location(file: string, line: ReportLine, command: ReportCommand | undefined): object {
  const source = line.source
  const physicalLocation =
    source === undefined
      ? { artifactLocation: { uri: sarifUri(file) }, region: { startLine: 1 } }
      : { artifactLocation: { uri: sarifUri(source.file) }, region: region(source) }
  const ofCommand = command === undefined ? [] : [{ name: command.path, kind: 'object' }]
  const ofLine = line.statement === NO_STATEMENT ? [] : [{ name: namedLine(line), kind: 'instruction' }]
  return { physicalLocation, logicalLocations: [...ofLine, ...ofCommand] }
}

function siteText(site: ReportSite, command: ReportCommand | undefined): string {
  const who = whoText(site, command)
  return site.statement === NO_STATEMENT ? who : `${who} at ${namedLine(site)}`
}

/** The part of a finding that is the same whenever a description is checked again. */
function fingerprint(file: string, { code, message, site, other, stage, command }: ReportFinding): string {
  const shader = [command?.pipeline, stage].flatMap((s) => s ?? [])
  const at = site.statement === NO_STATEMENT ? message : (site.instruction ?? site.statement)
  return [sarifUri(file), code, ...shader, at, other?.instruction ?? ''].join(' ')
}

function result(file: string, f: ReportFinding): SarifResult {
  const where = f.memory === undefined ? '' : ` (${f.memory.text})`
  const { command } = f
  const details = [
    ...(command === undefined ? [] : [`In ${commandText(command)}`]),
    siteText(f.site, command),
    ...(f.other === undefined ? [] : [siteText(f.other, command)]),
    ...f.notes,
  ]
  const further = [...(f.other === undefined ? [] : [f.other]), ...(f.places ?? []).flatMap((p) => [p.other, p.site])]
  const sites = further.map((site, n) => ({
    id: n + 1,
    ...location(file, site, command),
    message: { text: siteText(site, command) },
  }))
  const related = sites.length === 0 ? {} : { relatedLocations: sites }
  return {
    ruleId: f.code,
    level: sarifLevel(f.severity),
    message: { text: `${f.message}${where}.\n${details.join('\n')}` },
    locations: [location(file, f.site, command)],
    ...related,
    occurrenceCount: f.count,
    partialFingerprints: { 'heddle/v1': fingerprint(file, f) },
  }
}

function differenceResult(file: string, text: string): SarifResult {
  const physicalLocation = { artifactLocation: { uri: sarifUri(file) }, region: { startLine: 1 } }
  return { ruleId: 'job-difference', level: 'error', message: { text }, locations: [{ physicalLocation }] }
}

function resultsOf({ file, report, differences = [] }: FileReport): SarifResult[] {
  return [...report.findings.map((f) => result(file, f)), ...differences.map((text) => differenceResult(file, text))]
}

/** SARIF 2.1.0 of reports, for code scanning; one run with a rule for each code that was found. */
export function reportsToSarif(reports: readonly FileReport[], version: string, mark?: ShardMark): object {
  const partial = reports.filter((r) => r.report.partial !== undefined)
  return sarifLog(
    reports.flatMap(resultsOf),
    version,
    reports.every((r) => r.report.partial !== 'refused'),
    partial.map((r) => `${r.file}: the check is partial (${r.report.partial})`),
    { mark, done: reports.length },
  )
}
