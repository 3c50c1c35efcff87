/** What `heddle run` prints of a report, for people. */
import type { Stop } from '../../../src/engine/index.ts'
import {
  type CheckReport,
  type FrameReport,
  type JobReport,
  type Printed,
  printResource,
  printTable,
  tableLines,
} from '../../../src/job/index.ts'
import { printSlot } from '../../../src/machine/index.ts'

export const STOP_TEXTS: Readonly<Record<Stop, string>> = {
  trap: 'stopped at the first undefined operation (policy trap)',
  budget: 'stopped: the budget of instructions is used up',
  abort: 'stopped: the shader executed abort',
  time: 'stopped: its time is up',
  canceled: 'stopped: canceled',
  lost: 'stopped: a thread that ran groups died; contents are undefined',
  refused: 'refused',
}

export function plural(n: number, word: string): string {
  return `${n.toLocaleString('en-US')} ${word}${n === 1 ? '' : 's'}`
}

/** Lines about one comparison. */
export function checkLines(check: CheckReport): string[] {
  const head = `  ${check.label}  ${check.how}: `
  if (check.problem !== undefined) return [`${head}WRONG: ${check.problem}`]
  if (check.recorded !== undefined) return [`${head}recorded, ${check.total} bytes in ${check.recorded}`]
  if (check.passed) {
    const but = check.different > 0 ? `, ${check.different} of them outliers (${check.allowed} allowed)` : ''
    return [`${head}as expected, ${check.total} ${check.unit}${but}`, ...greatestLine(check)]
  }
  const allowed = check.allowed > 0 ? ` (${check.allowed} allowed)` : ''
  const count =
    check.total === 1 ? 'DIFFERENT' : `DIFFERENT, ${check.different} of ${check.total} ${check.unit}${allowed}`
  const rows = check.first.map((d) => [d.where, d.type, d.got, d.expected])
  const table = tableLines({ heads: ['element', 'type', 'got', 'expected'], rows }).map((line) => `  ${line}`)
  const more = check.more > 0 ? [`    and ${check.more.toLocaleString('en-US')} more ${check.unit}`] : []
  const image = check.differenceImage === undefined ? [] : [`    what differs: ${check.differenceImage}`]
  return [`${head}${count}`, ...table, ...more, ...greatestLine(check), ...image]
}

const MEASURES = { abs: '', rel: ' of the expected value', ulps: ' ulps' } as const

/** `greatest difference: 0.5 at [3].x, 12 ulps at [3].x`. */
function greatestLine(check: CheckReport): string[] {
  const texts = (check.greatest ?? []).map(
    (g) => `${Number(g.difference.toPrecision(4))}${MEASURES[g.by]} at ${g.where} (${g.got}, expected ${g.expected})`,
  )
  return texts.length === 0 ? [] : [`    greatest difference: ${texts.join('; ')}`]
}

/** A check in a few words, for summaries. */
export function checkSummary(check: CheckReport): string {
  if (check.problem !== undefined) return `${check.label}: ${check.problem}`
  const [first] = check.first
  if (check.total === 1 && first !== undefined) {
    return `${check.label}: ${first.where} is ${first.got}, expected ${first.expected}`
  }
  return `${check.label}: ${check.different} of ${check.total} ${check.unit} differ`
}

function runLine(report: JobReport & { run: NonNullable<JobReport['run']> }): string {
  const { run } = report
  const count = run.threadInstructionCount
  const counted = count === undefined ? '' : `, ${plural(count, 'thread-instruction')}`
  const undefinedText = run.undefinedCount > 0 ? `, ${plural(run.undefinedCount, 'undefined operation')}` : ''
  const groups = `${run.groups.join(' x ')} groups of ${run.threads.join(' x ')} threads`
  const time = run.milliseconds < 10 ? run.milliseconds.toFixed(1) : run.milliseconds.toFixed(0)
  return `${report.name}: ${groups}${counted}${undefinedText}, ${time} ms (${report.engine})`
}

export function isPassed(report: JobReport | FrameReport): boolean {
  return report.run !== undefined && report.run.stopped === undefined && report.run.checks.every((c) => c.passed)
}

export function printedOf(report: JobReport): Printed[] {
  const { run } = report
  return (run?.prepared.job.print ?? []).flatMap((request) => {
    const r = run!.prepared.resources.find((x) => printSlot(x.slot) === printSlot(request.slot))
    return (r === undefined ? undefined : printResource(r, request)) ?? []
  })
}

/** All lines of a report. */
export function reportLines(report: JobReport): string[] {
  const { run } = report
  if (run === undefined) return [`${report.name}: not run`]
  return [
    runLine({ ...report, run }),
    ...(run.stopped === undefined ? [] : [`  ${STOP_TEXTS[run.stopped]}`]),
    ...run.checks.flatMap(checkLines),
    ...printedOf(report).flatMap((p) => ['', ...printTable(p)]),
  ]
}
