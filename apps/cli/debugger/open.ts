import { diagnostic, failure, type Outcome, outcomeOf } from '../../../src/diagnostic/index.ts'
import { debug } from '../../../src/host/index.ts'
import { instructionNumbers } from '../../../src/program/index.ts'
import type { DebugSession } from '../../../src/session/index.ts'
import { describedBy, hostOf, type RunOptions, sourceOf } from '../jobs/source.ts'

/** What `heddle debug` and `heddle dap` take beside the description. */
export interface DebugFlags extends Omit<RunOptions, 'print' | 'out'> {
  /** Of a frame: the number of the command. */
  readonly command?: string
  /** A finding to go to: `check-race@15`. */
  readonly finding?: string
}

/** Opens a session over what a file describes. */
export async function openDebugger(file: string, flags: DebugFlags): Promise<Outcome<DebugSession>> {
  const options: RunOptions = { ...flags, print: [], out: [] }
  const source = sourceOf(file, options)
  const described = describedBy(source, options)
  if (described.value === undefined) return failure(described.diagnostics)
  const { command } = flags
  if (command !== undefined && !/^\d+$/.test(command)) {
    return failure([diagnostic('job-flag', `--command takes the number of a command, from 0; ${command} was given`)])
  }
  const opened = await debug(
    described.value,
    hostOf(source, options),
    command === undefined ? {} : { command: Number(command) },
  )
  if (opened.value === undefined) return failure([...described.diagnostics, ...opened.diagnostics])
  const found = flags.finding === undefined ? [] : await goToFinding(opened.value, flags.finding)
  return outcomeOf(opened.value, [...described.diagnostics, ...opened.diagnostics, ...found])
}

/** Goes to the first finding of a code at an instruction: the moment before the statement that is wrong. */
async function goToFinding(session: DebugSession, text: string) {
  const [code, number] = text.split('@')
  const numbers = instructionNumbers(session.run.program)
  const findings = await session.timeLine.findings()
  const found =
    findings.find((f) => f.code === code && (number === undefined || `${numbers[f.statement]}` === number)) ??
    findings.find((f) => f.code === code)
  if (found === undefined) {
    return [
      diagnostic('session-command', `this run has no finding ${text}`, undefined, [
        'the command findings lists what it has',
      ]),
    ]
  }
  await session.goTo(found.before)
  session.focus = found.thread
  return []
}
