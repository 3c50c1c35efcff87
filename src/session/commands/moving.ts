/** Commands that go to another moment. */
import type { Direction, RecordedFinding, StopCondition } from '../../debug/index.ts'
import { statementName } from '../../program/index.ts'
import { threadText } from '../lanes.ts'
import { lineText, placeText } from '../places.ts'
import type { DebugSession, SessionStop, StepRequest } from '../session.ts'
import { rangeReference } from '../spaces.ts'
import { shownValue } from '../values.ts'
import {
  type Command,
  type CommandContext,
  type CommandResult,
  counted,
  refuse,
  text,
  wholeNumber,
  wordsOfText,
} from './command.ts'
import { untilCondition } from './targets.ts'

const WHY: Readonly<Record<SessionStop['reason'], string>> = {
  entry: 'start',
  step: 'step',
  breakpoint: 'breakpoint',
  data: 'access',
  finding: 'finding',
  event: 'event',
  moment: 'moment',
  start: 'start of the run',
  end: 'end of the run',
  canceled: 'canceled',
}

/** What a stop without a breakpoint is for: `until` stops for what it waits for. */
const whyText = ({ reason: of }: SessionStop['stop'], reason: SessionStop['reason']): string =>
  of === 'condition' && (reason === 'breakpoint' || reason === 'event') ? 'reached' : WHY[reason]

const GROUP_ENDED = 'step: the thread has nothing more to execute that way; who executes next is looked at'

/** Where a session stands, in a line or three. */
export function whereLines(session: DebugSession): readonly string[] {
  const { run, timeLine, statement } = session
  const at = `clock ${timeLine.clock}`
  if (statement === undefined)
    return [`${at}, ${timeLine.next === undefined ? 'the run has ended' : 'the group of the thread does not run'}`]
  const range = run.map.linesOf(statement)?.statement
  const hlsl = run.map.origin === 'listing' || range === undefined ? undefined : lineText(run, range)
  return [
    `${at}, ${threadText(run, session.focus)}, ${placeText(run, statement)}`,
    ...(hlsl === undefined ? [] : [`  | ${hlsl}`]),
    `  ${statementName(run.program, statement).replace('instruction ', '')}: ${run.listing(statement) ?? ''}`,
  ]
}

/** Expressions that are shown at each stop. */
export const displayLines = (session: DebugSession): readonly string[] =>
  [...session.displays].map(([n, expression]) => {
    const { value, diagnostics } = session.evaluate(expression)
    return `  ${n}: ${expression} = ${value === undefined ? (diagnostics[0]?.message ?? 'nothing') : shownValue(value.node)}`
  })

/** What a stop is for, and where. */
export function stopLines(
  session: DebugSession,
  { reason, stop, breakpoints, findings, logs }: SessionStop,
): readonly string[] {
  const hit = breakpoints.map((b) => `${b.id} (${b.label})`).join(', ')
  const events = stop.hits.filter((h) => h.condition.kind !== 'statement' && h.condition.kind !== 'finding')
  const hitLines = events.map(({ statement, lanes, condition }) => {
    const who = counted(lanes.length, 'lane')
    const program = session.programOf(condition.stage)
    return `  behind ${placeText(program, statement)}: ${program.listing(statement) ?? ''} (${who})`
  })
  return [
    ...logs,
    stop.reason === 'group' && reason === 'step'
      ? GROUP_ENDED
      : hit === ''
        ? whyText(stop, reason)
        : `${WHY[reason]} ${hit}`,
    ...findings.map((f) => `  ${findingText(session, f)}`),
    ...hitLines,
    ...whereLines(session),
    ...displayLines(session),
  ]
}

export const stopped = (session: DebugSession, stop: SessionStop): CommandResult => ({
  outputs: [{ kind: 'text', lines: stopLines(session, stop) }],
  stop,
})

type StepKind = Pick<StepRequest, 'unit' | 'depth'>

/** Commands of steps: forward by their name, backward behind `back`. */
const STEPS: Readonly<Record<string, StepKind>> = {
  step: { unit: 'line', depth: 'in' },
  next: { unit: 'line', depth: 'over' },
  out: { unit: 'line', depth: 'out' },
  stepi: { unit: 'statement', depth: 'in' },
  nexti: { unit: 'statement', depth: 'over' },
  wave: { unit: 'wave' },
  group: { unit: 'group' },
  any: { unit: 'any' },
}

const STEP_ALIASES: Readonly<Record<string, string>> = {
  ...{ s: 'step', n: 'next', o: 'out', si: 'stepi', ni: 'nexti', c: 'continue', u: 'until', finish: 'out' },
}

const isEnd = ({ reason }: SessionStop): boolean => reason === 'start' || reason === 'end' || reason === 'canceled'

async function steps(
  c: CommandContext,
  kind: StepKind,
  direction: Direction,
  count: string | undefined,
): Promise<CommandResult> {
  const wanted = count === undefined ? 1 : wholeNumber(count, 'a number of steps', 1)
  let stop = await c.session.step({ ...kind, direction }, c.options)
  for (let i = 1; i < wanted && !isEnd(stop); i++) stop = await c.session.step({ ...kind, direction }, c.options)
  return stopped(c.session, stop)
}

/** Runs, with what they stop for beside the breakpoints. */
const RUNS: Readonly<Record<string, (session: DebugSession, rest: readonly string[]) => readonly StopCondition[]>> = {
  continue: () => [],
  until: (session, rest) => [untilCondition(session, rest)],
}

async function move(c: CommandContext, direction: Direction, words: readonly string[]): Promise<CommandResult> {
  const { session, options } = c
  const name = STEP_ALIASES[words[0] ?? ''] ?? words[0] ?? 'stepi'
  const run = RUNS[name]
  if (run !== undefined) {
    const from = session.timeLine.clock
    const { thread } = session.focus
    const stop = await session.continue(direction, options, run(session, words.slice(1)))
    if (name !== 'until' || (stop.reason !== 'end' && stop.reason !== 'start')) return stopped(session, stop)
    const missed = `${words.slice(1).join(' ')} is not come to from there by thread ${thread}; go ${from} goes back`
    return stopped(session, { ...stop, logs: [...stop.logs, missed] })
  }
  const kind = STEPS[name]
  if (kind !== undefined) return steps(c, kind, direction, words[1])
  if (/^\d+$/.test(name)) return steps(c, STEPS.stepi!, direction, name)
  return refuse(
    `there is no way back by ${name}`,
    `ways are ${[...Object.keys(STEPS), ...Object.keys(RUNS)].join(', ')}`,
  )
}

const stepCommand = (name: string, aliases: readonly string[], summary: string): Command => ({
  name,
  aliases,
  usage: '[COUNT]',
  topic: 'move',
  summary,
  details: [`back ${name} does the same backward.`],
  run: (c, rest) => move(c, 'forward', [name, ...wordsOfText(rest)]),
})

async function go(c: CommandContext, rest: string): Promise<CommandResult> {
  const { session, options } = c
  const [word = '', second, third] = wordsOfText(rest)
  if (word === 'start') return stopped(session, await session.goTo(0, options))
  if (word === 'end') return stopped(session, await session.goTo(Number.MAX_SAFE_INTEGER, options))
  if (word !== 'finding')
    return stopped(session, await session.goTo(wholeNumber(word, 'a clock, start, end or finding N'), options))
  if (c.findings.length === 0) c.findings = await session.timeLine.findings(options)
  const number = wholeNumber(second, 'the number of a finding')
  const finding = c.findings[number]
  if (finding === undefined)
    return refuse(`there is no finding ${number}`, `the run has ${c.findings.length}; findings lists them`)
  const isOther = third === 'other' || third === 'first'
  const clock = isOther ? await session.timeLine.otherMoment(finding, options) : finding.before
  if (clock === undefined) return refuse('the finding has no other moment')
  const stop = await session.goTo(clock, options)
  const { thread } = isOther && finding.other !== undefined ? { thread: finding.other } : finding
  session.focus = { group: thread.group, thread: thread.thread }
  return stopped(session, { ...stop, logs: [`finding ${number}: ${findingText(session, finding)}`] })
}

const findingText = ({ run }: DebugSession, f: RecordedFinding): string =>
  `${f.severity}: ${f.message} [${f.code}]${f.memory === undefined ? '' : ` ${rangeReference(run, f.memory)}`}`

export const MOVING: readonly Command[] = [
  stepCommand('step', ['s'], 'to the next line of the thread, into inlined functions and calls'),
  stepCommand('next', ['n'], 'to the next line of the thread, over functions'),
  stepCommand('out', ['o'], 'to the line behind the function'),
  stepCommand('stepi', ['si'], 'to the next instruction of the thread'),
  stepCommand('nexti', ['ni'], 'to the next instruction of the thread, over calls'),
  stepCommand('wave', [], 'to the next instruction of the thread’s wave'),
  stepCommand('group', [], 'to the next instruction of the thread’s group'),
  stepCommand('any', [], 'to the next instruction of any wave: one tick of the clock'),
  {
    name: 'continue',
    aliases: ['c'],
    topic: 'move',
    summary: 'to the next breakpoint, or to the end',
    details: ['back continue goes to the one before.'],
    run: (c) => move(c, 'forward', ['continue']),
  },
  {
    name: 'run',
    topic: 'move',
    summary: 'from the start of the run to the first breakpoint, or to the end',
    run: async (c) => {
      await c.session.goTo(0, c.options)
      return move(c, 'forward', ['continue'])
    },
  },
  {
    name: 'back',
    aliases: ['bk'],
    usage: '[WAY] [COUNT]',
    topic: 'move',
    summary: 'backward: back step, back next, back out, back wave, back continue, back until PLACE',
    details: [
      'back alone is one instruction of the thread; back 10 are ten.',
      'Both directions stop at the same moments.',
    ],
    run: (c, rest) => move(c, 'backward', wordsOfText(rest)),
  },
  {
    name: 'until',
    aliases: ['u'],
    usage: 'PLACE [any]',
    topic: 'move',
    summary: 'to a place, once: a line, i7, a function, barrier, finding, nan, infinity, divergence, group-end',
    details: [
      'until 12 waits for this thread; until 12 any for any thread.',
      'until finding check-race stops at the next race.',
    ],
    run: (c, rest) => move(c, 'forward', ['until', ...wordsOfText(rest)]),
  },
  {
    name: 'go',
    aliases: ['goto'],
    usage: 'CLOCK | start | end | finding N [other]',
    topic: 'move',
    summary: 'to a moment: a clock, either end, a finding, or the other access of a race',
    details: ['findings lists findings with their numbers; go finding 0 stands before the statement that is wrong.'],
    run: go,
  },
  {
    name: 'where',
    aliases: ['w'],
    topic: 'look',
    summary: 'the moment, the thread and its next statement',
    run: ({ session }) => text(...whereLines(session)),
  },
]
