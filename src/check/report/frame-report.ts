import type { Diagnostic } from '../../diagnostic/index.ts'
import {
  type DetectorName,
  NO_STATEMENT,
  type PartialReason,
  type Report,
  type ReportCommand,
  type ReportFinding,
  type ReportStats,
} from './report.ts'
import { RANK } from './report-finding.ts'
import type { Suppression } from './suppressions.ts'

/** One report of a frame, from those of its draws and dispatches. */

/** A draw or dispatch with what its check gave. */
export interface CommandCheck {
  readonly command: ReportCommand
  readonly report: Report
}

export interface FrameParts {
  readonly name: string
  readonly checks: readonly CommandCheck[]
  readonly diagnostics: readonly Diagnostic[]
  /** Why the frame was not carried out to its end. */
  readonly partial?: PartialReason | undefined
  /** Different findings kept. */
  readonly maxFindings: number
  readonly detectors: readonly DetectorName[]
}

/** The same text for findings of one pipeline that several draws share. */
function keyOf({ pipeline }: ReportCommand, { code, message, stage, site, other, memory }: ReportFinding): string {
  const at = site.statement === NO_STATEMENT ? message : site.statement
  const places = [at, other?.stage, other?.statement, memory?.space, memory?.register]
  return JSON.stringify([pipeline, code, stage, ...places])
}

interface Folded {
  readonly first: ReportFinding
  readonly command: ReportCommand
  readonly alsoIn: ReportCommand[]
  count: number
}

/** Findings of all commands: the same ones of one pipeline once, with the commands in which they were met. */
function fold(checks: readonly CommandCheck[]): ReportFinding[] {
  const folded = new Map<string, Folded>()
  for (const { command, report } of checks) {
    for (const first of report.findings) {
      const key = keyOf(command, first)
      const known = folded.get(key)
      if (known === undefined) folded.set(key, { first, command, alsoIn: [], count: first.count })
      else {
        known.count += first.count
        if (known.alsoIn.at(-1) !== command && known.command !== command) known.alsoIn.push(command)
      }
    }
  }
  return [...folded.values()].map(({ first, command, alsoIn, count }) => {
    const also = alsoIn.length === 0 ? {} : { alsoIn }
    return { ...first, count, command, ...also }
  })
}

function invocationsOf(checks: readonly CommandCheck[]): Record<string, number> {
  const sums: Record<string, number> = {}
  const add = (stage: string, count: number): void => {
    sums[stage] = (sums[stage] ?? 0) + count
  }
  for (const { report } of checks) {
    const { groups, threads, invocations } = report.stats
    if (invocations === undefined)
      add(
        'compute',
        [...groups, ...threads].reduce((product, n) => product * n, 1),
      )
    else for (const [stage, count] of Object.entries(invocations)) add(stage, count)
  }
  return sums
}

function statsOf({ checks, detectors }: FrameParts, droppedFindings: number): ReportStats {
  const sum = (of: (s: ReportStats) => number): number => checks.reduce((n, c) => n + of(c.report.stats), 0)
  const draws = checks.filter((c) => c.command.kind === 'draw').length
  return {
    groups: [0, 0, 0],
    threads: [0, 0, 0],
    invocations: invocationsOf(checks),
    commands: { draws, dispatches: checks.length - draws },
    threadInstructions: sum((s) => s.threadInstructions),
    shadowByteLength: checks.reduce((most, c) => Math.max(most, c.report.stats.shadowByteLength), 0),
    droppedFindings: droppedFindings + sum((s) => s.droppedFindings),
    suppressed: sum((s) => s.suppressed),
    detectors,
  }
}

export function frameReport(parts: FrameParts): Report {
  const { name, checks, diagnostics, maxFindings } = parts
  const all = fold(checks).sort((a, b) => RANK[a.severity] - RANK[b.severity])
  // Hints have a limit of their own, as in the report of one command.
  const [counted, hints] = [all.filter((f) => f.severity !== 'hint'), all.filter((f) => f.severity === 'hint')]
  const dropped = Math.max(0, counted.length - maxFindings)
  const isFull = dropped > 0 || checks.some((c) => c.report.partial === 'findings')
  const partial = parts.partial ?? (isFull ? 'findings' : undefined)
  return {
    name,
    findings: [...counted.slice(0, maxFindings), ...hints.slice(0, maxFindings)],
    ...(partial === undefined ? {} : { partial }),
    diagnostics,
    stats: statsOf(parts, dropped),
  }
}

/** Suppressions that apply to a command of a frame: those of all reports, of the frame, and of `FRAME/PIPELINE`. */
export function suppressionsOf(
  suppressions: readonly Suppression[],
  frame: string,
  { pipeline }: ReportCommand,
): Suppression[] {
  return suppressions
    .filter((s) => s.report === undefined || s.report === frame || s.report === `${frame}/${pipeline}`)
    .map(({ report: _report, ...s }) => s)
}
