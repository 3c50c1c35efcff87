/** What detectors find while a time line is walked over, held against what they found in a run that was gone over once. */
import { type Finding, watchFindings } from '../../../src/check/index.ts'
import type { RecordedFinding } from '../../../src/debug/index.ts'
import type { DispatchResult } from '../../../src/engine/index.ts'
import type { WalkedRun } from './moments.ts'
import { groupPosition, type WalkState } from './state.ts'

interface Where {
  readonly group: readonly number[]
  readonly thread: number
  readonly statement: number
}

const whereText = (w: Where | undefined): string =>
  w === undefined ? '' : `(${w.group.join()}) ${w.thread} at ${w.statement}`

const textOf = (f: Finding): string =>
  `${f.code}, ${f.severity}, ${whereText(f.site)}, ${whereText(f.other)}: ${f.message}`

const recordedText = (f: RecordedFinding): string => {
  const site = { ...f.thread, statement: f.statement }
  return `${f.code}, ${f.severity}, ${whereText(site)}, ${whereText(f.other)}: ${f.message}`
}

/** The first difference of two lists. */
export function difference(got: readonly string[], want: readonly string[]): string | undefined {
  for (let i = 0; i < Math.max(got.length, want.length); i++) {
    if (got[i] !== want[i]) return `finding ${i} of ${got.length} is "${got[i]}", not "${want[i]}" of ${want.length}`
  }
  return undefined
}

/** All findings with their moments, and where the other side of one is. */
export async function findingsStep(s: WalkState): Promise<string | undefined> {
  const { line, moments, random } = s
  const clock = line.clock
  const all = await line.findings()
  if (line.clock !== clock) return `findings moved the time line from ${clock} to ${line.clock}`
  const known = moments.length - 1
  const own = all.filter((f) => f.before < known)
  const wrong = difference(
    own.map((f) => `${f.before} ${recordedText(f)}`),
    moments.flatMap((m, c) => m.effects.findings.map((f) => `${c - 1} ${textOf(f)}`)),
  )
  if (wrong !== undefined || own.length === 0) return wrong
  const finding = random.pick(own)
  const at = await line.otherMoment(finding)
  if (line.clock !== clock) return `the other side of a finding moved the time line from ${clock} to ${line.clock}`
  if (at === undefined) return undefined
  const m = moments[at]!
  const sides = [{ ...finding.thread, statement: finding.statement }, ...(finding.other ? [finding.other] : [])]
  const isThere = sides.some(
    (side) =>
      m.statement === side.statement &&
      m.threads.includes(side.thread) &&
      groupPosition(s.run, m.group).join() === side.group.join(),
  )
  return isThere && at <= finding.before ? undefined : `the other side of "${recordedText(finding)}" is not at ${at}`
}

/** A run without a time line, watched by the same detectors: its answer and what they found. */
export async function plainRun({ engine, shader, bindings, groups, options }: WalkedRun): Promise<{
  readonly result: DispatchResult
  readonly findings: readonly string[]
}> {
  const found: string[] = []
  const watch = watchFindings({ loaded: shader, bindings, groups }, (f) => found.push(textOf(f)))
  const result = await engine.dispatch(shader, bindings, groups, { ...options, observer: watch.observer })
  watch.finish()
  return { result, findings: found }
}

/** What the time line found in the whole run, held against a run without it. */
export async function wrongFindings(
  { line }: Pick<WalkState, 'line'>,
  want: readonly string[],
): Promise<string | undefined> {
  return difference((await line.findings()).map(recordedText), want)
}
