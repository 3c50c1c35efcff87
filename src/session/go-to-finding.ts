import type { RecordedFinding, RunOptions } from '../debug/index.ts'
import { type Diagnostic, diagnostic } from '../diagnostic/index.ts'
import { instructionNumbers } from '../program/index.ts'
import type { DebugSession } from './session.ts'

/**
 * Goes to the first finding of a code at an instruction, to the moment before the statement that is wrong: `check-race@15`, of a
 * draw `check-uninitialized-temp@pixel:7`.
 */
export async function goToFinding(
  session: DebugSession,
  text: string,
  options?: RunOptions,
): Promise<readonly Diagnostic[]> {
  const [, code, stage, number] = /^([^@]*)(?:@(?:(\w+):)?(\d+)?)?$/.exec(text) ?? []
  const findings = await session.timeLine.findings(options)
  const ofCode = findings.filter((f) => f.code === code && (stage === undefined || f.stage === stage))
  const instructionOf = ({ stage: own, statement }: RecordedFinding): string =>
    `${instructionNumbers(session.programOf(own).program)[statement]}`
  const found = ofCode.find((f) => number === undefined || instructionOf(f) === number) ?? ofCode[0]
  if (found === undefined) {
    const notes = ['the command findings lists what it has']
    return [diagnostic('session-command', `this run has no finding ${text}`, undefined, notes)]
  }
  await session.goTo(found.before, options)
  session.focus = found.thread
  return []
}
