/** Several reports as one, where they belong together. */
import { junitXml, type SarifResult, type ShardMark, sarifLog } from '../../../src/diagnostic/index.ts'
import { plural } from '../jobs/lines.ts'
import { filesOfPart } from '../jobs/shard.ts'
import type { CiReport, JsonReport, JunitReport, SarifReport } from './report.ts'

interface Merged {
  readonly text: string
  /** Whether a report holds a failure or a finding. */
  readonly hasFindings: boolean
}

/** The name of what two reports differ in, where they do not belong together. */
function difference(a: CiReport, b: CiReport): string | undefined {
  if (a.format !== b.format) return `${a.path} is ${a.format}, ${b.path} ${b.format}`
  if (a.verb !== b.verb && a.verb !== '' && b.verb !== '')
    return `${a.path} is of heddle ${a.verb}, ${b.path} of heddle ${b.verb}`
  const [m, n] = [a.mark, b.mark]
  if (m === undefined || n === undefined) {
    if (m === n || isEmptyArray(a) || isEmptyArray(b)) return undefined
    return `${(m === undefined ? b : a).path} is of a shard, ${(m === undefined ? a : b).path} is not`
  }
  if (m.version !== n.version) return `${a.path} was written by heddle ${m.version}, ${b.path} by ${n.version}`
  if (m.count !== n.count) return `${a.path} is shard ${m.index} of ${m.count}, ${b.path} ${n.index} of ${n.count}`
  return m.hash === n.hash
    ? undefined
    : `${a.path} and ${b.path} are of other files: ${m.files} and ${n.files} were named, or not the same ones`
}

/** A shard without files prints an empty array, which cannot say what it is. */
const isEmptyArray = (r: CiReport): boolean => r.format === 'JSON' && r.entries.length === 0

/** How many files the ith of n parts has. */
const sizeOf = ({ index, count, files }: ShardMark): number => Math.floor((files - index) / count) + 1

/** What keeps reports of shards from being the whole. */
function shardProblems(reports: readonly CiReport[]): string[] {
  const marked = reports.filter((r) => r.mark !== undefined)
  const [first] = marked
  if (first?.mark === undefined) return []
  const { count, files } = first.mark
  const problems: string[] = []
  const seen = new Map<number, CiReport>()
  for (const report of marked) {
    const mark = report.mark!
    const other = seen.get(mark.index)
    if (other !== undefined) problems.push(`${other.path} and ${report.path} are both shard ${mark.index} of ${count}`)
    seen.set(mark.index, report)
    const done = report.format === 'SARIF' ? report.done : report.entries.length
    if (done !== sizeOf(mark))
      problems.push(
        `${report.path} has ${done ?? 0} of the ${plural(sizeOf(mark), 'file')} of shard ${mark.index} of ${count}: it was ended early`,
      )
  }
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((i) => i <= files && !seen.has(i))
  if (missing.length > 0)
    problems.push(`${missing.length === 1 ? 'shard' : 'shards'} ${missing.join(', ')} of ${count} missing`)
  return problems
}

/** What an entry is about, for reports that do not say which shard they are of. */
function keyOf(report: CiReport, i: number): string {
  const entry = report.entries[i]!
  return report.format === 'SARIF' ? JSON.stringify(entry) : (entry as { readonly file: string }).file
}

function overlapProblems(reports: readonly CiReport[]): string[] {
  const seen = new Map<string, CiReport>()
  const problems = new Set<string>()
  for (const report of reports) {
    report.entries.forEach((_, i) => {
      const other = seen.get(keyOf(report, i))
      if (other !== undefined && other !== report) {
        const what = report.format === 'SARIF' ? 'the same results' : keyOf(report, i)
        problems.add(`${other.path} and ${report.path} overlap: both have ${what}`)
      }
      seen.set(keyOf(report, i), report)
    })
  }
  return [...problems]
}

/** Why reports cannot be merged, a sentence each. */
export function mergeProblems(reports: readonly CiReport[]): string[] {
  const [first, ...others] = reports
  const different = others.flatMap((r) => difference(first!, r) ?? [])
  if (different.length > 0) return different
  const shards = shardProblems(reports)
  return shards.length > 0 ? shards : overlapProblems(reports)
}

/** Entries in the order of the files before they were divided. */
function inOrder<T>(reports: readonly { readonly entries: readonly T[]; readonly mark?: ShardMark }[]): T[] {
  const total = reports.find((r) => r.mark !== undefined)?.mark?.files
  if (total === undefined) return reports.flatMap((r) => r.entries)
  const order = Array.from({ length: total }, (_, i) => i)
  const merged: T[] = []
  for (const { entries, mark } of reports) {
    if (mark === undefined) continue
    filesOfPart(order, mark).forEach((at, i) => {
      merged[at] = entries[i]!
    })
  }
  return merged
}

function mergeJunit(reports: readonly JunitReport[]): Merged {
  const cases = inOrder(reports)
  const suite = `heddle ${reports[0]!.verb}`
  return { text: junitXml(suite, cases), hasFindings: cases.some((c) => c.problem !== undefined) }
}

function mergeSarif(reports: readonly SarifReport[]): Merged {
  const sorted = [...reports].sort((a, b) => (a.mark?.index ?? 0) - (b.mark?.index ?? 0))
  const results = sorted.flatMap((r) => r.entries.map(({ ruleIndex: _, ...result }) => result as SarifResult))
  const isSuccessful = reports.every((r) => r.isSuccessful)
  const notes = sorted.flatMap((r) => r.notes)
  const log = sarifLog(results, reports[0]!.version, isSuccessful, notes)
  return { text: `${JSON.stringify(log, null, 2)}\n`, hasFindings: !isSuccessful || results.some(isFinding) }
}

const isFinding = (r: SarifResult): boolean => r.level !== 'note'

/** An entry of `check` passes when it has no error and no warning; one of `run` says whether it passed. */
function isFine(entry: JsonReport['entries'][number]): boolean {
  if (typeof entry.passed === 'boolean') return entry.passed
  const { findings = [], partial } = entry.report as { findings?: { severity: string }[]; partial?: string }
  const differences = (entry.differences as readonly string[] | undefined) ?? []
  return partial === undefined && differences.length === 0 && findings.every((f) => f.severity === 'hint')
}

function mergeJson(reports: readonly JsonReport[]): Merged {
  const entries = inOrder(reports).map(({ shard: _, ...entry }) => entry as JsonReport['entries'][number])
  const lines = entries.map((e) => JSON.stringify(e))
  return { text: `[\n${lines.join(',\n')}\n]\n`, hasFindings: !entries.every(isFine) }
}

const areAll = <F extends CiReport['format']>(
  reports: readonly CiReport[],
  format: F,
): reports is readonly Extract<CiReport, { format: F }>[] => reports.every((r) => r.format === format)

/** One report of those that `mergeProblems` found nothing against. */
export function mergeReports(reports: readonly CiReport[]): Merged {
  if (areAll(reports, 'JUnit')) return mergeJunit(reports)
  if (areAll(reports, 'SARIF')) return mergeSarif(reports)
  if (areAll(reports, 'JSON')) return mergeJson(reports)
  throw new TypeError('reports of several formats')
}
