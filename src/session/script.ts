/** Scripts of the debugger: commands and what is expected at their stops, forward and then backward. */
import type { RecordedChange, RecordedFinding } from '../debug/index.ts'
import { type Diagnostic, diagnostic, type TextPlace } from '../diagnostic/index.ts'
import { instructionNumbers } from '../program/index.ts'
import {
  type CommandContext,
  type CommandOutput,
  type CommandResult,
  inOwnWords,
  runCommand,
} from './commands/index.ts'
import { stateDigest } from './digest.ts'
import { outputText } from './output-text.ts'
import type { DebugSession, SessionStop } from './session.ts'

/** What became of a script. */
export interface ScriptReport {
  /** Expectations that do not hold, commands that make no sense, states that differ on the way back. */
  readonly diagnostics: readonly Diagnostic[]
  /** Moments that were come to. */
  readonly stops: number
  readonly expectations: number
  /** Stops that were come to again on the way back, with the same state. */
  readonly repeated: number
}

/** Called with what happens, line by line. */
export interface ScriptListener {
  line?(text: string): void
  output?(outputs: readonly CommandOutput[]): void
}

interface Expectation {
  readonly line: number
  readonly text: string
}

/** A moment that a command came to, with what was expected there. */
interface ScriptStop {
  readonly line: number
  readonly clock: number
  readonly digest: number
  readonly focus: DebugSession['focus']
  readonly expectations: Expectation[]
}

interface Running {
  readonly context: CommandContext & { findings: readonly RecordedFinding[] }
  readonly lines: readonly string[]
  readonly found: Diagnostic[]
  stops: ScriptStop[]
  last: CommandResult
  expectations: number
}

const NOTHING: CommandResult = { outputs: [] }

/** A line of the script. */
function placeOf({ lines }: Running, line: number): TextPlace {
  const sourceLine = lines[line - 1] ?? ''
  return { kind: 'text', line, column: 1, length: Math.max(1, sourceLine.length), sourceLine }
}

function fail(r: Running, line: number, message: string): void {
  r.found.push(diagnostic('session-expectation', message, placeOf(r, line)))
}

/** What an expectation about the place or the stop is compared with; undefined where it is about an expression. */
function factNamed(session: DebugSession, name: string, stop: SessionStop | undefined): string | undefined {
  const { run, statement, focus } = session
  switch (name) {
    case 'line': {
      const range = statement === undefined ? undefined : run.map.linesOf(statement)?.statement
      return `${range?.line ?? 'none'}`
    }
    case 'instruction':
      return `${(statement === undefined ? undefined : instructionNumbers(run.program)[statement]) ?? 'none'}`
    case 'function':
      return (statement === undefined ? undefined : run.map.inlineStack(statement)[0]?.functionName) ?? 'none'
    case 'thread':
      return `${focus.thread}`
    case 'group':
      return focus.group.join(',')
    case 'clock':
      return `${session.timeLine.clock}`
    case 'stage':
      return run.stage ?? 'compute'
    case 'invocation':
      return run.draw?.line.batch.describe(focus.thread) ?? 'none'
    case 'reason':
      return stop?.reason ?? 'none'
    case 'finding':
      return stop?.findings[0]?.code ?? 'none'
    default:
      return undefined
  }
}

/** What is wrong with an expectation at the present moment; undefined where it holds. */
function problemOf(session: DebugSession, text: string, last: CommandResult, isBack: boolean): string | undefined {
  const output = /^output\s+(.*)$/s.exec(text)
  if (output !== null) {
    const printed = outputText(last.outputs)
    return isBack || printed.includes(output[1]!)
      ? undefined
      : `the output has no ${JSON.stringify(output[1])}:\n${printed}`
  }
  const m = /^(invocation)\s+(.+)$/.exec(text) ?? /^(\w+)\s+(\S+)$/.exec(text)
  const isOfStop = m?.[1] === 'reason' || m?.[1] === 'finding'
  const fact = m === null ? undefined : factNamed(session, m[1]!, last.stop)
  if (m !== null && fact !== undefined) {
    return (isBack && isOfStop) || fact === m[2] ? undefined : `${m[1]} is ${fact}, expected ${m[2]}`
  }
  const is = /^(.*?)\s+is\s+(.*)$/s.exec(text)
  const { value, diagnostics } = session.evaluate(is?.[1] ?? text)
  if (value === undefined) return `${is?.[1] ?? text}: ${diagnostics[0]?.message}`
  if (is !== null) {
    return value.node.value === is[2] ? undefined : `${is[1]} is ${value.node.value}, expected ${is[2]}`
  }
  return value.isTrue ? undefined : `${text} does not hold: it is ${value.node.value}`
}

function expectHere(r: Running, expectation: Expectation): void {
  r.expectations++
  const problem = problemOf(r.context.session, expectation.text, r.last, false)
  if (problem !== undefined) {
    fail(r, expectation.line, problem)
    return
  }
  const { session } = r.context
  const stop = r.stops.at(-1)
  if (stop?.clock === session.timeLine.clock && isSame(stop.focus, session.focus)) stop.expectations.push(expectation)
}

const isSame = (a: DebugSession['focus'], b: DebugSession['focus']): boolean =>
  a.thread === b.thread && a.group.every((at, axis) => at === b.group[axis])

function note(r: Running, line: number): void {
  const { session } = r.context
  const { clock } = session.timeLine
  r.stops.push({ line, clock, digest: stateDigest(session.run), focus: session.focus, expectations: [] })
}

/** A run forward from a breakpoint to the next goes back to where it began, and comes again to where it ended. */
async function goBothWays(r: Running, line: number, before: ScriptStop, stop: SessionStop): Promise<void> {
  const { session, options } = r.context
  const { focus } = session
  const there = r.stops.at(-1)!
  const back = await session.continue('backward', options)
  if (back.stop.clock !== before.clock)
    fail(r, line, `backward it stops at clock ${back.stop.clock}, not at ${before.clock}`)
  else if (stateDigest(session.run) !== before.digest)
    fail(r, line, `backward the state at clock ${before.clock} is another one`)
  await session.goTo(stop.stop.clock, options)
  if (stateDigest(session.run) !== there.digest)
    fail(r, line, `forward again the state at clock ${there.clock} is another one`)
  session.focus = focus
}

/** A line in the words of this debugger; refusals are left to the command. */
function ownWords(text: string): string {
  try {
    return inOwnWords(text) ?? text
  } catch {
    return text
  }
}

const isHit = ({ reason }: SessionStop): boolean =>
  reason === 'breakpoint' || reason === 'data' || reason === 'finding' || reason === 'event'

/** The first moment that a change which came or went is of. */
function changedSince(before: readonly RecordedChange[], after: readonly RecordedChange[]): number | undefined {
  const other = [...before.filter((c) => !after.includes(c)), ...after.filter((c) => !before.includes(c))]
  return other.length === 0 ? undefined : other.reduce((least, c) => Math.min(least, c.clock), Number.POSITIVE_INFINITY)
}

async function command(r: Running, line: number, text: string, wasHit: boolean): Promise<boolean> {
  const before = r.stops.at(-1)
  const changes = [...r.context.session.timeLine.changes]
  const of = r.context.session.frame?.current
  const { value, diagnostics } = await runCommand(r.context, text)
  if (value === undefined) {
    for (const d of diagnostics) r.found.push({ ...d, place: placeOf(r, line) })
    r.last = NOTHING
    return false
  }
  r.last = value
  if (r.context.session.frame?.current !== of) {
    // The way back is that of one command.
    r.stops = []
    note(r, line)
    return false
  }
  const since = changedSince(changes, r.context.session.timeLine.changes)
  if (since !== undefined) {
    // A change makes another state of its moment, and of all behind it.
    r.stops = r.stops.filter((s) => s.clock < since)
    note(r, line)
  }
  const { stop } = value
  if (stop === undefined) return wasHit
  note(r, line)
  const isContinue = /^(?:c|continue)\s*$/.test(text)
  if (isContinue && wasHit && before !== undefined && isHit(stop)) await goBothWays(r, line, before, stop)
  // A breakpoint that was deleted by its hit stops no run on the way back.
  return isContinue && isHit(stop) && !stop.breakpoints.some((b) => b.isTemporary === true)
}

/** Comes to all stops again, the last first. */
async function backward(r: Running): Promise<number> {
  const { session, options } = r.context
  let repeated = 0
  for (const stop of [...r.stops].reverse()) {
    await session.goTo(stop.clock, options)
    session.focus = stop.focus
    if (stateDigest(session.run) !== stop.digest) {
      fail(r, stop.line, `on the way back the state at clock ${stop.clock} is another one`)
      continue
    }
    repeated++
    for (const e of stop.expectations) {
      const problem = problemOf(session, e.text, NOTHING, true)
      if (problem !== undefined) fail(r, e.line, `on the way back: ${problem}`)
    }
  }
  return repeated
}

/**
 * Runs a script: one command a line, `#` before comments, and `expect` lines that say what holds: `expect line 12`,
 * `expect instruction 7`, `expect thread 3`, `expect stage pixel`, `expect invocation vertex 3 of instance 0`, `expect reason end`, `expect finding check-race`, `expect r0.x is 18`,
 * `expect output TEXT`, `expect EXPRESSION`. After the last line it goes back over all stops.
 */
export async function runScript(
  session: DebugSession,
  script: string,
  listener: ScriptListener = {},
  options: CommandContext['options'] = undefined,
): Promise<ScriptReport> {
  const r: Running = {
    context: { session, findings: [], options },
    lines: script.split(/\r?\n/),
    found: [],
    stops: [],
    last: NOTHING,
    expectations: 0,
  }
  note(r, 0)
  let wasHit = false
  for (const [i, raw] of r.lines.entries()) {
    const text = raw.replace(/^\s*#.*$/, '').trim()
    if (text === '') continue
    listener.line?.(text)
    const expected = /^expect\s+(.*)$/s.exec(text)
    if (expected !== null) {
      expectHere(r, { line: i + 1, text: expected[1]! })
      continue
    }
    const isPoint = /^(?:break|br?|watch|catch|delete|d|disable|enable|condition|ignore)\b/.test(ownWords(text))
    wasHit = await command(r, i + 1, text, wasHit)
    if (isPoint) wasHit = false
    listener.output?.(r.last.outputs)
    if (r.last.isQuit === true) break
  }
  const repeated = await backward(r)
  return { diagnostics: r.found, stops: r.stops.length, expectations: r.expectations, repeated }
}
