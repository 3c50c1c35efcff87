/** SARIF 2.1.0, the format of code scanning: the checker and `heddle run` put their results into one frame. */
import { CODES, type CodeInfo } from '../codes/index.ts'
import type { Severity } from '../diagnostic.ts'
import { withSlashes } from '../slashes.ts'
import type { ShardMark } from './shard.ts'

/** A result as SARIF has it, without what the frame adds. */
export interface SarifResult {
  readonly ruleId: string
  readonly level: SarifLevel
  readonly [property: string]: unknown
}

type SarifLevel = 'error' | 'warning' | 'note'

const LEVELS: Readonly<Record<Severity, SarifLevel>> = { error: 'error', warning: 'warning', hint: 'note' }
const REGISTRY: Readonly<Record<string, CodeInfo>> = CODES

export function sarifLevel(severity: Severity): SarifLevel {
  return LEVELS[severity]
}

/** Relative paths stay relative, as code scanning requires them; absolute ones, of either system, become file URIs. */
export function sarifUri(path: string): string {
  const slashed = withSlashes(path).replace(/^\.\//, '')
  // Of network names the URI has the server where it begins.
  const isNetwork = slashed.startsWith('//')
  const prefix = /^[A-Za-z]:\//.test(slashed)
    ? 'file:///'
    : isNetwork
      ? 'file:'
      : slashed.startsWith('/')
        ? 'file://'
        : ''
  return prefix + encodeURI(slashed)
}

/** Rules of the codes that were found, from the registry. */
function rulesOf(codes: readonly string[]): object[] {
  return codes.map((code) => {
    const info = REGISTRY[code]!
    return {
      id: code,
      shortDescription: { text: info.title },
      fullDescription: { text: info.explanation },
      ...(info.source === undefined ? {} : { help: { text: `${info.explanation}\n\nSource: ${info.source}` } }),
      defaultConfiguration: { level: sarifLevel(info.severity) },
    }
  })
}

/** The part of a run that a report is of. Files without results leave no trace in SARIF: their number says whether all ran. */
interface ShardPart {
  readonly mark: ShardMark | undefined
  /** How many files of the shard the report is of. */
  readonly done: number
}

/** One run: a rule for each code that was found, and notes on what did not run as it should. */
export function sarifLog(
  results: readonly SarifResult[],
  version: string,
  executionSuccessful: boolean,
  notifications: readonly string[],
  part?: ShardPart,
): object {
  const codes = [...new Set(results.map((r) => r.ruleId))].sort()
  const notes = notifications.map((text) => ({ level: 'warning', message: { text } }))
  const invocation = {
    executionSuccessful,
    ...(notes.length === 0 ? {} : { toolExecutionNotifications: notes }),
  }
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'heddle', semanticVersion: version, rules: rulesOf(codes) } },
        invocations: [invocation],
        results: results.map((r) => ({ ...r, ruleIndex: codes.indexOf(r.ruleId) })),
        ...(part?.mark === undefined ? {} : { properties: { shard: { ...part.mark, done: part.done } } }),
      },
    ],
  }
}
