/** Reports as the verbs write them: JUnit XML, SARIF, and the arrays that `--json` prints, read back. */
import { isRecord, type JunitCase, type SarifResult, type ShardMark } from '../../../src/diagnostic/index.ts'
import { readXml, type XmlElement } from './xml.ts'

interface Common {
  readonly path: string
  readonly verb: string
  readonly mark?: ShardMark
}

export interface JunitReport extends Common {
  readonly format: 'JUnit'
  readonly entries: readonly JunitCase[]
}

export interface SarifReport extends Common {
  readonly format: 'SARIF'
  readonly version: string
  readonly entries: readonly SarifResult[]
  /** How many files of its shard the report is of; undefined where it is of no shard. */
  readonly done: number | undefined
  readonly isSuccessful: boolean
  readonly notes: readonly string[]
}

/** A run as `run --json` or `check --json` prints it. */
interface JsonEntry {
  readonly file: string
  readonly [property: string]: unknown
}

export interface JsonReport extends Common {
  readonly format: 'JSON'
  readonly entries: readonly JsonEntry[]
}

export type CiReport = JunitReport | SarifReport | JsonReport

const isWhole = (x: unknown): x is number => Number.isSafeInteger(x)

function markOf(x: unknown): ShardMark | undefined {
  if (!isRecord(x)) return undefined
  const { verb, version, index, count, files, hash } = x
  const areTexts = [verb, version, hash].every((s) => typeof s === 'string')
  return areTexts && [index, count, files].every(isWhole) ? (x as unknown as ShardMark) : undefined
}

const withMark = (mark: ShardMark | undefined): { mark?: ShardMark } => (mark === undefined ? {} : { mark })

function caseOf({ attributes, children }: XmlElement): JunitCase {
  const { classname = '', name = '', file = '', time } = attributes
  const [problem] = children
  const kind = problem?.name === 'error' ? 'error' : 'failure'
  return {
    className: classname,
    name,
    file,
    ...(time === undefined ? {} : { seconds: Number(time) }),
    ...(problem === undefined
      ? {}
      : {
          problem: {
            kind,
            type: problem.attributes.type ?? '',
            message: problem.attributes.message ?? '',
            text: problem.text,
          },
        }),
  }
}

function junitMark(suite: XmlElement): ShardMark | undefined {
  const properties = suite.children.find((c) => c.name === 'properties')?.children ?? []
  const values = properties.map(({ attributes: { name = '', value = '' } }) => {
    const key = name.replace(/^heddle\./, '')
    return [key, ['index', 'count', 'files'].includes(key) ? Number(value) : value]
  })
  return markOf(Object.fromEntries(values))
}

function readJunit(path: string, text: string): JunitReport | string {
  const root = readXml(text)
  const [suite, ...others] = root?.children ?? []
  const verb = /^heddle (run|check)$/.exec(suite?.attributes.name ?? '')?.[1]
  if (root?.name !== 'testsuites' || suite === undefined || verb === undefined || others.length > 0)
    return 'this is no JUnit file of heddle run or heddle check'
  const entries = suite.children.filter((c) => c.name === 'testcase').map(caseOf)
  return { format: 'JUnit', path, verb, entries, ...withMark(junitMark(suite)) }
}

function readSarif(path: string, log: Readonly<Record<string, unknown>>): SarifReport | string {
  const [run] = log.runs as readonly unknown[]
  const tool = isRecord(run) && isRecord(run.tool) ? run.tool.driver : undefined
  if (!isRecord(run) || !isRecord(tool) || tool.name !== 'heddle' || !Array.isArray(run.results))
    return 'this is no SARIF file of heddle'
  const [invocation] = Array.isArray(run.invocations) ? run.invocations : []
  const { executionSuccessful = true, toolExecutionNotifications: notes = [] } = isRecord(invocation) ? invocation : {}
  const shard = isRecord(run.properties) ? run.properties.shard : undefined
  const mark = markOf(shard)
  return {
    format: 'SARIF',
    path,
    verb: mark?.verb ?? '',
    version: String(tool.semanticVersion),
    entries: run.results as SarifResult[],
    done: isRecord(shard) && isWhole(shard.done) ? shard.done : undefined,
    isSuccessful: executionSuccessful !== false,
    notes: (notes as { message: { text: string } }[]).map((n) => n.message.text),
    ...withMark(mark),
  }
}

function readEntries(path: string, entries: readonly unknown[]): JsonReport | string {
  const areEntries = entries.every((e): e is JsonEntry => isRecord(e) && typeof e.file === 'string')
  if (!areEntries) return 'this is no array of results, as heddle run --json and heddle check --json print'
  const [first] = entries
  const verb = first === undefined ? '' : 'report' in first ? 'check' : 'run'
  return { format: 'JSON', path, verb, entries, ...withMark(markOf(first?.shard)) }
}

/** A report, by what the text is; or a sentence on what is wrong with it. */
export function readReport(path: string, text: string): CiReport | string {
  if (/^\s*\uFEFF?</.test(text)) return readJunit(path, text)
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return 'this is neither XML nor JSON; reports are what --junit, --sarif and --json write'
  }
  if (Array.isArray(json)) return readEntries(path, json)
  if (isRecord(json) && Array.isArray(json.runs)) return readSarif(path, json)
  return 'this is JSON of another form; reports are what --junit, --sarif and --json write'
}
