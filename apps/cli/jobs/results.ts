/** Results of `heddle run` for CI systems. */
import {
  type Annotation,
  type JunitCase,
  junitXml,
  placedMessage,
  type SarifResult,
  type Severity,
  type ShardMark,
  sarifLevel,
  sarifLog,
  sarifUri,
} from '../../../src/diagnostic/index.ts'
import { VERSION } from '../../../src/version.ts'
import type { RunOutcome } from './outcome.ts'

function caseOf(o: RunOutcome): JunitCase {
  const [first = 'not run'] = o.problems
  const text = [...o.lines, ...o.problems].join('\n')
  const kind = o.status === 'not run' ? 'error' : 'failure'
  const type = o.differences.length > 0 ? 'job-difference' : (errorOf(o)?.code ?? o.status)
  return {
    className: 'heddle run',
    name: o.name,
    file: o.file,
    seconds: o.milliseconds / 1000,
    ...(o.status === 'passed' ? {} : { problem: { kind, type, message: first, text } }),
  }
}

const errorOf = (o: RunOutcome) => o.diagnostics.find((d) => d.severity === 'error')

export function outcomesToJunit(outcomes: readonly RunOutcome[], mark?: ShardMark): string {
  return junitXml('heddle run', outcomes.map(caseOf), mark)
}

/** Something to show beside a description: a difference, or what a diagnostic says. */
interface Finding {
  readonly code: string
  readonly severity: Severity
  readonly message: string
}

function findingsOf(o: RunOutcome): Finding[] {
  const differences = o.differences.map((message): Finding => ({ code: 'job-difference', severity: 'error', message }))
  const others = o.diagnostics.filter((d) => d.severity !== 'hint')
  return [...differences, ...others.map((d) => ({ code: d.code, severity: d.severity, message: placedMessage(d) }))]
}

export function outcomesToSarif(outcomes: readonly RunOutcome[], mark?: ShardMark): object {
  const results = outcomes.flatMap((o) =>
    findingsOf(o).map((f): SarifResult => {
      const physicalLocation = { artifactLocation: { uri: sarifUri(o.file) }, region: { startLine: 1 } }
      const logicalLocations = [{ name: o.name, kind: 'object' }]
      return {
        ruleId: f.code,
        level: sarifLevel(f.severity),
        message: { text: `${o.name}: ${f.message}` },
        locations: [{ physicalLocation, logicalLocations }],
      }
    }),
  )
  const refused = outcomes.filter((o) => o.status === 'not run')
  const notes = refused.map((o) => `${o.file}: not run`)
  return sarifLog(results, VERSION, refused.length === 0, notes, { mark, done: outcomes.length })
}

/** Annotations for GitHub: errors and differences of jobs that did not pass, warnings of all. */
export function annotationsOf(outcomes: readonly RunOutcome[]): Annotation[] {
  return outcomes.flatMap((o) =>
    findingsOf(o).map(({ code, severity, message }) => ({
      severity,
      title: code,
      message: `${o.name}: ${message}`,
      file: o.file,
    })),
  )
}
