/** Commands that say where to stop. */
import type { ThreadFilter } from '../../debug/index.ts'
import {
  type Breakpoint,
  type BreakpointFilter,
  type BreakpointPlace,
  codesInCondition,
  EXCEPTION_FILTERS,
  expressionsInMessage,
  isExceptionFilter,
  parseHitCondition,
} from '../breakpoints.ts'
import { rangesText } from '../lanes.ts'
import { placeText } from '../places.ts'
import type { DebugSession } from '../session.ts'
import {
  type Command,
  type CommandResult,
  counted,
  refuse,
  tableOf,
  text,
  wholeNumber,
  wordsOfText,
} from './command.ts'
import { dataPlace, groupOf, isAccess, statementsOf, threadRanges } from './targets.ts'

/** The words behind a place that narrow it down; `log` and `if` come last and take the rest. */
interface Narrowed {
  readonly words: readonly string[]
  readonly filter: BreakpointFilter
}

/** Takes `if EXPRESSION`, `hits N`, `thread 0-15`, `group 1,0,0`, `once` and `log TEXT` from behind a place. */
function narrowed(session: DebugSession, rest: string): Narrowed {
  const log = /(?:^|\s)log\s+(.*)$/s.exec(rest)
  const unlogged = log === null ? rest : rest.slice(0, log.index)
  const condition = /(?:^|\s)if\s+(.*)$/s.exec(unlogged)
  const plain = condition === null ? unlogged : unlogged.slice(0, condition.index)
  const words = [...wordsOfText(plain.replace(/(>=|>|==|%)\s+(?=\d)/g, '$1'))]
  const take = (name: string): string | undefined => {
    const at = words.indexOf(name)
    return at < 0 ? undefined : words.splice(at, 2)[1]
  }
  const [hits, threads, group] = [take('hits'), take('thread'), take('group')]
  const isTemporary = words.includes('once')
  if (isTemporary) words.splice(words.indexOf('once'), 1)
  const parsed = parseHitCondition(hits)
  if (typeof parsed === 'string') refuse(parsed)
  const where: ThreadFilter = {
    ...(threads && { threads: threadRanges(threads) }),
    ...(group && { group: groupOf(session, group) }),
  }
  return {
    words,
    filter: {
      ...(condition && { condition: condition[1]!.trim() }),
      ...(hits && { hitCondition: hits }),
      ...(log && { logMessage: log[1]! }),
      ...(Object.keys(where).length > 0 && { where }),
      ...(isTemporary && { isTemporary }),
    },
  }
}

function statementsText(
  session: DebugSession,
  { stage, statements }: Extract<BreakpointPlace, { kind: 'statements' }>,
): string {
  const program = session.programOf(stage)
  const places = statements.map((s) => placeText(program, s)).join('; ')
  return stage === undefined ? places : `${stage} shader, ${places}`
}

function describe(session: DebugSession, b: Breakpoint): string {
  const { place, condition, hitCondition, logMessage, where, isTemporary, isDisabled } = b
  const at = place.kind === 'statements' ? `: ${statementsText(session, place)}` : ''
  const parts = [
    ...(condition === undefined ? [] : [`if ${condition}`]),
    ...(hitCondition === undefined ? [] : [`hits ${hitCondition.replace(/^(\D+)/, '$1 ')}`]),
    ...(where?.threads === undefined ? [] : [`thread ${rangesText(where.threads)}`]),
    ...(where?.group === undefined ? [] : [`group ${where.group.join(',')}`]),
    ...(isTemporary === true ? ['once'] : []),
    ...(logMessage === undefined ? [] : [`log ${logMessage}`]),
    ...(isDisabled === true ? ['disabled'] : []),
  ]
  return `${b.label}${at}${parts.length === 0 ? '' : `, ${parts.join(', ')}`}`
}

/** Refuses an expression that can never be evaluated: a run that does not stop would not show why. */
function requireExpression(session: DebugSession, place: BreakpointPlace, expression: string, what: string): void {
  const fault = session.faultOf(place, expression)
  if (fault !== undefined) refuse(`the ${what} ${expression} cannot be evaluated: ${fault}`)
}

function add(session: DebugSession, label: string, place: BreakpointPlace, filter: BreakpointFilter): CommandResult {
  const { condition, logMessage } = filter
  if (condition !== undefined) requireExpression(session, place, condition, 'condition')
  for (const logged of expressionsInMessage(logMessage)) requireExpression(session, place, logged, 'logged expression')
  const b = session.add(label, place, filter)
  return text(`breakpoint ${b.id}, ${describe(session, b)}`)
}

function breakAt(session: DebugSession, rest: string): CommandResult {
  const { words, filter } = narrowed(session, rest)
  const [place] = words
  if (place === undefined && session.statement === undefined) return refuse('the thread does not run: name a place')
  const { stage } = session.run
  const at = place === undefined ? { stage, statements: [session.statement!] } : statementsOf(session, place)
  return add(session, place ?? 'here', { kind: 'statements', ...at }, filter)
}

function watch(session: DebugSession, rest: string): CommandResult {
  const { words, filter } = narrowed(session, rest)
  const [what, access = 'write'] = words
  if (what === undefined) return refuse('memory or a register is expected, as u0+0x30, g+16:64 or r0.x')
  if (!isAccess(access)) return refuse(`${access} is no access: there are read, write, change, any`)
  return add(session, `${what} ${access}`, dataPlace(session, what, access), filter)
}

function catchEvents(session: DebugSession, rest: string): CommandResult {
  const { words, filter } = narrowed(session, rest)
  const [name = '', ...codes] = words
  if (!isExceptionFilter(name)) {
    const names = Object.entries(EXCEPTION_FILTERS).map(([n, { label }]) => `${n}: ${label}`)
    return refuse(`${name === '' ? 'the name of a filter is expected' : `there is no filter ${name}`}`, ...names)
  }
  const named = codesInCondition(codes.join(' '))
  return add(session, name, { kind: 'filter', filter: name, ...(named && { codes: named }) }, filter)
}

function remove(session: DebugSession, rest: string): CommandResult {
  const [word] = wordsOfText(rest)
  if (word === undefined) {
    const all = [...session.breakpoints, ...session.waiting]
    for (const b of all) session.remove(b.id)
    return text(`${counted(all.length, 'breakpoint')} deleted`)
  }
  if (/^\d+$/.test(word)) {
    const id = wholeNumber(word, 'the number of a breakpoint', 1)
    return session.remove(id) ? text(`breakpoint ${id} deleted`) : refuse(`there is no breakpoint ${id}`)
  }
  const found = breakpointsAt(session, word)
  if (found.length === 0) return refuse(`there is no breakpoint at ${word}`)
  for (const { id } of found) session.remove(id)
  return text(`${found.length === 1 ? 'breakpoint' : 'breakpoints'} ${found.map((b) => b.id).join(', ')} deleted`)
}

/** Breakpoints at a place, or that were set with its words; `here` is the next statement of the thread. */
function breakpointsAt(session: DebugSession, word: string): readonly Breakpoint[] {
  const labeled = session.breakpoints.filter((b) => b.label === word || b.label.startsWith(`${word} `))
  if (labeled.length > 0 || (word === 'here' && session.statement === undefined)) return labeled
  const { stage, statements } =
    word === 'here' ? { stage: session.run.stage, statements: [session.statement!] } : statementsOf(session, word)
  const isThere = ({ place }: Breakpoint): boolean =>
    place.kind === 'statements' && place.stage === stage && place.statements.some((s) => statements.includes(s))
  return session.breakpoints.filter(isThere)
}

/** The breakpoints that a command is about: one by its number, or all. */
function chosen(session: DebugSession, word: string | undefined): readonly Breakpoint[] {
  if (word === undefined || word === 'all') return session.breakpoints
  const id = wholeNumber(word, 'the number of a breakpoint', 1)
  const found = session.breakpoints.find((b) => b.id === id)
  return found === undefined ? refuse(`there is no breakpoint ${id}`) : [found]
}

const numbersOf = (found: readonly Breakpoint[]): string =>
  found.length === 0
    ? 'no breakpoints'
    : `${found.length === 1 ? 'breakpoint' : 'breakpoints'} ${found.map((b) => b.id).join(', ')}`

function turn(session: DebugSession, rest: string, isDisabled: boolean): CommandResult {
  const found = chosen(session, wordsOfText(rest)[0])
  for (const { id } of found) session.edit(id, { isDisabled })
  return text(`${numbersOf(found)} ${isDisabled ? 'disabled' : 'enabled'}`)
}

/** `condition 2 r0.x > 1` gives a breakpoint another condition, `condition 2` takes it away. */
function setCondition(session: DebugSession, rest: string): CommandResult {
  const m = /^(\S*)\s*(?:if\s+)?(.*)$/s.exec(rest)!
  const [b] = chosen(session, m[1] === '' ? 'nothing' : m[1])
  const condition = m[2] === '' ? undefined : m[2]
  if (condition !== undefined) requireExpression(session, b!.place, condition, 'condition')
  session.edit(b!.id, { condition })
  return text(
    condition === undefined ? `breakpoint ${b!.id} stops always` : `breakpoint ${b!.id} stops if ${condition}`,
  )
}

function ignore(session: DebugSession, rest: string): CommandResult {
  const [number, times] = wordsOfText(rest)
  const [b] = chosen(session, number ?? 'nothing')
  const count = wholeNumber(times, 'a number of times', 0)
  session.edit(b!.id, { hitCondition: count === 0 ? undefined : `>= ${count + 1}` })
  return text(`breakpoint ${b!.id} stops from time ${count + 1} on, counted from the start of the run`)
}

function list(session: DebugSession): CommandResult {
  const rows = [
    ...session.breakpoints.map((b) => [`${b.id}`, describe(session, b)]),
    ...session.waiting.map((b) => [`${b.id}`, `${b.label}, of another command`]),
  ]
  return rows.length === 0
    ? text('no breakpoints; break PLACE sets one')
    : { outputs: [tableOf(['n', 'breakpoint'], rows)] }
}

const NARROWING =
  'Behind it may stand: hits 5 (or hits >= 5, hits % 5), thread 0-15,40, group 1,0,0, once, if EXPRESSION, and last log TEXT.'

export const POINTS: readonly Command[] = [
  {
    name: 'break',
    aliases: ['b', 'br'],
    usage: '[PLACE] [hits N] [thread T] [group G] [once] [if EXPRESSION] [log TEXT]',
    topic: 'stop',
    summary: 'stops before a line (12, file:12), an instruction (i7) or a function',
    details: [
      NARROWING,
      'Of a draw, places are those of the present stage; break pixel:i7 and break vertex:main name another.',
      'log prints and goes on: break i7 log r0 is {r0.x}',
    ],
    run: ({ session }, rest) => breakAt(session, rest),
  },
  {
    name: 'watch',
    usage: 'MEMORY|REGISTER [read|write|change|any] [thread T] [if EXPRESSION]',
    topic: 'stop',
    summary: 'stops behind accesses to memory (u0+0x30, g+16:64) or writes to a register (r0.x)',
    details: [NARROWING, 'watch g+16 any stops behind every access to those four bytes of shared memory.'],
    run: ({ session }, rest) => watch(session, rest),
  },
  {
    name: 'catch',
    usage: 'FILTER [CODES] [thread T] [if EXPRESSION]',
    topic: 'stop',
    summary: `stops at findings and events: ${Object.keys(EXCEPTION_FILTERS).join(', ')}`,
    details: [NARROWING, 'catch races check-race-atomic stops for that code alone.'],
    run: ({ session }, rest) => catchEvents(session, rest),
  },
  {
    name: 'breakpoints',
    aliases: ['bl'],
    topic: 'stop',
    summary: 'lists what is set',
    run: ({ session }) => list(session),
  },
  {
    name: 'delete',
    aliases: ['d'],
    usage: '[N | PLACE]',
    topic: 'stop',
    summary: 'deletes a breakpoint, those at a place, or all',
    run: ({ session }, rest) => remove(session, rest),
  },
  {
    name: 'disable',
    usage: '[N]',
    topic: 'stop',
    summary: 'keeps a breakpoint, or all, without stopping there',
    run: ({ session }, rest) => turn(session, rest, true),
  },
  {
    name: 'enable',
    usage: '[N]',
    topic: 'stop',
    summary: 'stops there again',
    run: ({ session }, rest) => turn(session, rest, false),
  },
  {
    name: 'condition',
    usage: 'N [EXPRESSION]',
    topic: 'stop',
    summary: 'gives a breakpoint another condition, or none',
    run: ({ session }, rest) => setCondition(session, rest),
  },
  {
    name: 'ignore',
    usage: 'N TIMES',
    topic: 'stop',
    summary: 'lets a breakpoint pass so many times',
    run: ({ session }, rest) => ignore(session, rest),
  },
]
