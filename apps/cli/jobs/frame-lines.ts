/** What `heddle run` prints of a frame, for people and for programs. */
import type { CommandReport, FrameReport } from '../../../src/job/index.ts'
import { checkLines, isPassed, plural, STOP_TEXTS } from './lines.ts'
import { previewLines } from './preview.ts'

type Ran = NonNullable<FrameReport['run']>

function millisecondsText(ms: number): string {
  return ms < 10 ? ms.toFixed(1) : ms.toFixed(0)
}

/** The statistics that say something: those that are not 0. */
function statisticsText(c: CommandReport): string {
  if (c.draw === undefined) return c.groups === undefined ? '' : `${c.groups.join(' x ')} groups`
  const counts = Object.entries(c.draw.statistics).filter(([, count]) => count > 0)
  const streams = c.draw.streamOutput.flatMap((s, i) =>
    s.primitivesStorageNeeded > 0
      ? [`stream ${i}: ${s.primitivesWritten} of ${s.primitivesStorageNeeded} written`]
      : [],
  )
  const passed = c.draw.samplesPassed > 0 ? [`samples passed ${c.draw.samplesPassed}`] : []
  return [...counts.map(([name, count]) => `${name} ${count}`), ...passed, ...streams].join(', ')
}

function commandLine(c: CommandReport): string {
  const figures = statisticsText(c)
  const time = `${millisecondsText(c.milliseconds)} ms`
  return `    ${c.kind} ${c.of}: ${figures === '' ? '' : `${figures}, `}${time}`
}

function headLine(report: FrameReport, run: Ran): string {
  const count = (kind: CommandReport['kind']): number => run.commands.filter((c) => c.kind === kind).length
  const [draws, dispatches] = [count('draw'), count('dispatch')]
  const others = run.commands.length - draws - dispatches
  const parts = [
    ...(draws > 0 ? [plural(draws, 'draw')] : []),
    ...(dispatches > 0 ? [plural(dispatches, 'dispatch').replace(/dispatchs$/, 'dispatches')] : []),
    ...(others > 0 ? [plural(others, 'other command')] : []),
  ]
  const undefinedText = run.undefinedCount > 0 ? [plural(run.undefinedCount, 'undefined operation')] : []
  const what = [...(parts.length === 0 ? ['no commands'] : parts), ...undefinedText].join(', ')
  return `${report.name}: ${what}, ${millisecondsText(run.milliseconds)} ms (${report.engine})`
}

/** All lines of a frame's report. */
export function frameLines(report: FrameReport, isVerbose: boolean): string[] {
  const { run } = report
  if (run === undefined) return [`${report.name}: not run`]
  const at = run.stoppedAt === undefined ? '' : `, at ${run.stoppedAt}`
  return [
    headLine(report, run),
    ...(isVerbose ? run.commands.map(commandLine) : []),
    ...(run.stopped === undefined ? [] : [`  ${STOP_TEXTS[run.stopped]}${at}`]),
    ...run.checks.flatMap(checkLines),
    ...run.previews.flatMap(({ name, image }) => [
      `  ${name}:`,
      ...(typeof image === 'string' ? [`  ${image}`] : previewLines(image, process.stdout)),
    ]),
  ]
}

/** A frame's report as programs read it. */
export function jsonFrame(file: string, report: FrameReport): unknown {
  const { name, engine, diagnostics, run } = report
  if (run === undefined) return { file, name, engine, ran: false, passed: false, diagnostics }
  const { milliseconds, undefinedCount, threadInstructionCount, stopped, stoppedAt, checks } = run
  const commands = run.commands.map(({ draw, ...c }) => ({ ...c, ...draw }))
  return {
    ...{ file, name, engine, ran: true, passed: isPassed(report) },
    ...(stopped === undefined ? {} : { stopped, stoppedAt }),
    ...(threadInstructionCount === undefined ? {} : { threadInstructionCount }),
    ...{ milliseconds, undefinedCount, commands, checks, diagnostics },
  }
}
