/** A short history of the words that findings are about: `heddle check --trace`. */
import type { FileReport, ReportFinding } from '../../../src/check/index.ts'
import type { RecordedAccess, RecordedFinding } from '../../../src/debug/index.ts'
import { tableLines } from '../../../src/job/index.ts'
import { type DebugSession, historyRow, placeText, rangeReference } from '../../../src/session/index.ts'
import type { RunOptions } from '../jobs/source.ts'
import { print } from '../print.ts'
import { openDebugger } from './open.ts'

/** Findings that are traced, and accesses of each. */
const MAX_FINDINGS = 8
const ACCESSES_BEFORE = 6
const ACCESSES_BEHIND = 2

/** The accesses around a moment. */
function around(accesses: readonly RecordedAccess[], { before }: RecordedFinding): readonly RecordedAccess[] {
  const now = accesses.filter((a) => a.before <= before).length
  return accesses.slice(Math.max(0, now - ACCESSES_BEFORE), now + ACCESSES_BEHIND)
}

async function traceLines(session: DebugSession, finding: RecordedFinding): Promise<readonly string[]> {
  const { memory } = finding
  if (memory === undefined) return []
  const group = finding.thread.group
  const range = memory.space === 'tgsm' ? { ...memory, group } : memory
  const accesses = (await session.timeLine.history(range, { loads: true })) ?? []
  const head = `history of ${rangeReference(session.run, memory)} [${finding.code}] ${placeText(session.programOf(finding.stage), finding.statement)}`
  if (accesses.length === 0) return [head, '  nothing in the whole run accesses it']
  const rows = around(accesses, finding).map((a) => [
    ...historyRow(session, a),
    a.before === finding.before ? '<- here' : '',
  ])
  const who = session.run.draw === undefined ? ['group', 'thread'] : ['stage', 'invocation']
  return [head, ...tableLines({ heads: ['clock', 'access', ...who, 'place', 'value', ''], rows })]
}

/** The commands of a frame that findings with memory are about; of one dispatch there is one without a number. */
function commandsOf(findings: readonly ReportFinding[]): readonly (string | undefined)[] {
  const own = findings.filter((f) => f.memory !== undefined && f.severity !== 'hint')
  return [...new Set(own.map((f) => /^\$\.commands\[(\d+)\]/.exec(f.command?.path ?? '')?.[1]))]
}

/** Prints the history of the memory of a report's findings. */
export async function printTrace(
  { file, report }: FileReport,
  flags: Omit<RunOptions, 'print' | 'out'>,
): Promise<void> {
  for (const command of commandsOf(report.findings)) {
    const { value: session } = await openDebugger(file, { ...flags, ...(command === undefined ? {} : { command }) })
    if (session === undefined) continue
    try {
      const findings = await session.timeLine.findings()
      const shown = findings.filter((f) => f.memory !== undefined && f.severity !== 'hint').slice(0, MAX_FINDINGS)
      for (const f of shown) print(`${(await traceLines(session, f)).join('\n')}\n\n`)
    } finally {
      session.timeLine.dispose()
    }
  }
}
