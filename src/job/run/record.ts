/** Writes expected contents from what a run left: `heddle run --update`. */
import { type Diagnostic, diagnostic } from '../../diagnostic/index.ts'
import { printSlot } from '../../machine/index.ts'
import type { JobHost } from '../host.ts'
import { bytesOf, type CheckReport, type PreparedCheck, reportsOf } from './check.ts'
import { listWords } from './lists.ts'

type Recordable = Exclude<PreparedCheck, { kind: 'counter' }>

/** The contents that a check would expect: those of its part, or its lists one after the other; a sentence without lists. */
function actualContents(p: Recordable): Uint8Array | string {
  if (p.kind === 'contents') {
    const bytes = bytesOf(p.resource)
    const length = p.check.byteLength ?? p.want?.length ?? bytes.length - p.byteOffset
    return bytes.subarray(p.byteOffset, p.byteOffset + length)
  }
  const lists = listWords(bytesOf(p.heads), bytesOf(p.nodes), p.check.stride)
  if (typeof lists === 'string') return lists
  const payload = p.check.stride / 4 - 1
  const total = lists.reduce((sum, list) => sum + 1 + list.length, 0)
  const words = new Uint32Array(total)
  let at = 0
  for (const list of lists) {
    words[at] = list.length / payload
    words.set(list, at + 1)
    at += 1 + list.length
  }
  return new Uint8Array(words.buffer)
}

function recordedReport(p: Recordable, file: string, byteLength: number): CheckReport {
  const label = p.kind === 'contents' ? p.resource.label : p.heads.label
  return {
    ...{ slot: printSlot(p.check.slot), label, how: p.kind === 'contents' ? p.check.compare : 'lists' },
    ...{ passed: true, total: byteLength, different: 0, allowed: 0, unit: 'bytes', first: [], more: 0 },
    recorded: file,
  }
}

/** Whether a report is about contents, which a file can hold; counters stand in the description itself. */
const isOfContents = (r: CheckReport): boolean => r.how !== 'counter'

/**
 * Compares, and writes the files whose contents are missing or not as expected. Files that are as expected, within the
 * tolerances, stay as they are.
 */
export function recordChecks(
  checks: readonly PreparedCheck[],
  host: JobHost,
): { readonly checks: CheckReport[]; readonly diagnostics: Diagnostic[] } {
  const diagnostics: Diagnostic[] = []
  const recorded = checks.flatMap((p): CheckReport[] => {
    const reports = reportsOf(p)
    if (p.kind === 'counter' || p.record === undefined) return reports
    if (p.want !== undefined && reports.filter(isOfContents).every((r) => r.passed)) return reports
    const bytes = actualContents(p)
    if (typeof bytes === 'string') return reports
    const failure = host.writeFile(p.record, bytes)
    if (failure !== undefined) {
      const message = `cannot write ${p.record}: ${failure.reason}`
      diagnostics.push(diagnostic('job-file', message, { kind: 'path', path: p.check.path }, failure.notes))
      return reports
    }
    return [recordedReport(p, p.record, bytes.length), ...reports.filter((r) => !isOfContents(r))]
  })
  return { checks: recorded, diagnostics }
}
