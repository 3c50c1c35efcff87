/** What became of one job of `heddle run`, as plain data: what one process sends to another, and what results are written from. */
import { type Diagnostic, hasErrors, placedMessage } from '../../../src/diagnostic/index.ts'
import type { FrameReport, JobReport } from '../../../src/job/index.ts'
import { EXIT, type ExitCode } from '../exit.ts'
import { frameLines, jsonFrame } from './frame-lines.ts'
import { checkSummary, isPassed, printedOf, reportLines, STOP_TEXTS } from './lines.ts'

export interface RunOutcome {
  readonly file: string
  readonly name: string
  readonly status: 'passed' | 'failed' | 'not run'
  /** From reading the description to the end of its checks. */
  readonly milliseconds: number
  /** For people. */
  readonly lines: readonly string[]
  /** Contents that are not as expected, each in a few words. */
  readonly differences: readonly string[]
  /** Everything that keeps the job from passing, each in a few words. */
  readonly problems: readonly string[]
  readonly diagnostics: readonly Diagnostic[]
  /** For programs. */
  readonly json: unknown
}

/** A report as programs read it. */
function jsonReport(file: string, report: JobReport): unknown {
  const { name, engine, diagnostics, run } = report
  const printed = printedOf(report).map(({ slot, label, what, values, first, total }) => ({
    slot,
    label,
    what,
    first,
    total,
    values,
  }))
  if (run === undefined) return { file, name, engine, ran: false, passed: false, diagnostics }
  const { groups, threads, milliseconds, threadInstructionCount, undefinedCount, stopped, checks } = run
  const counted = threadInstructionCount === undefined ? {} : { threadInstructionCount }
  const figures = { groups, threads, milliseconds, ...counted, undefinedCount }
  return {
    ...{ file, name, engine, ran: true, passed: isPassed(report) },
    ...(stopped === undefined ? {} : { stopped }),
    ...{ ...figures, checks, printed, diagnostics },
  }
}

/** The outcome of a report. A file that could not be written fails a job whose contents are right. */
export function outcomeOf(
  file: string,
  report: JobReport | FrameReport,
  milliseconds: number,
  isVerbose = false,
): RunOutcome {
  const { run, diagnostics } = report
  const isFine = isPassed(report) && !hasErrors(diagnostics)
  const differences = (run?.checks ?? []).filter((c) => !c.passed).map(checkSummary)
  const stopped = run?.stopped === undefined ? [] : [STOP_TEXTS[run.stopped]]
  const wrong = diagnostics.filter((d) => d.severity === 'error')
  // The lines show places in the description; places in a program must be printed here.
  const errors = wrong.map((d) => (d.place?.kind === 'statement' ? placedMessage(d) : d.message))
  return {
    file,
    name: report.name,
    status: run === undefined ? 'not run' : isFine ? 'passed' : 'failed',
    milliseconds,
    lines: 'kind' in report ? frameLines(report, isVerbose) : reportLines(report),
    differences,
    problems: isFine ? [] : [...stopped, ...differences, ...errors],
    diagnostics,
    json: 'kind' in report ? jsonFrame(file, report) : jsonReport(file, report),
  }
}

/** Refused descriptions count as bad input; stopped dispatches and differences are findings. */
export function exitOf({ status }: RunOutcome): ExitCode {
  return status === 'passed' ? EXIT.fine : status === 'failed' ? EXIT.findings : EXIT.usage
}
