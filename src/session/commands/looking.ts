/** Commands that show the moment. */
import type { StatementEffects } from '../../debug/index.ts'
import { statementName } from '../../program/index.ts'
import { guessText } from '../format.ts'
import { isHelper, laneGrid, laneGroups, laneName, rangesText, statusText } from '../lanes.ts'
import { placeText } from '../places.ts'
import type { DebuggedProgram } from '../run.ts'
import { scopesOf } from '../scopes.ts'
import type { DebugSession } from '../session.ts'
import { rangeReference } from '../spaces.ts'
import { shownValue, type ValueNode } from '../values.ts'
import {
  type Command,
  type CommandContext,
  type CommandOutput,
  type CommandResult,
  refuse,
  type SourceLine,
  tableOf,
  text,
  wholeNumber,
  wordsOfText,
} from './command.ts'
import { whereLines } from './moving.ts'
import { currentFile, groupOf, threadOf } from './targets.ts'

/** Rows of trees and tables that are shown at once. */
const MAX_ROWS = 64
const MAX_DEPTH = 3
/** Parts of a value that are shown with it. */
const MAX_PARTS = 16

function nodeLines(node: ValueNode, indent: string, depth: number): string[] {
  const facts = [depth > 0 ? undefined : node.type, node.noValue].filter((fact) => fact !== undefined)
  const type = facts.length === 0 ? '' : `  (${facts.join(', ')})`
  const lines = [`${indent}${node.name} = ${node.value}${type}`]
  const parts = node.namedCount + node.indexedCount
  const isWorth = parts > 0 && !/^(?:\(|not available)/.test(node.value) && depth < MAX_DEPTH && node.isLazy !== true
  if (!isWorth) return lines
  for (const child of node.children(0, Math.min(parts, MAX_PARTS)))
    lines.push(nodeLines(child, `${indent}  `, depth + 1).join('\n'))
  if (parts > MAX_PARTS) lines.push(`${indent}  and ${parts - MAX_PARTS} more`)
  return lines
}

export function print(session: DebugSession, rest: string): CommandResult {
  const { value, diagnostics } = session.evaluate(rest)
  if (value === undefined) return refuse(diagnostics[0]?.message ?? 'nothing', ...(diagnostics[0]?.notes ?? []))
  const { node } = value
  return text(...nodeLines({ ...node, name: rest.trim() }, '', 0).flatMap((l) => l.split('\n')))
}

const SCOPES: Readonly<Record<string, readonly string[]>> = {
  variables: ['Locals', 'Parameters', 'Groupshared'],
  registers: ['Registers'],
  constants: ['Constants'],
  resources: ['Resources'],
}

function scopes(session: DebugSession, names: readonly string[]): CommandResult {
  const own = scopesOf(session.run, session.focus, session.level).filter((s) => names.includes(s.name))
  const lines = own.flatMap((s) => [
    `${s.name}`,
    ...s.node
      .children(0, MAX_ROWS)
      .filter((n) => n.name !== 'lane')
      .flatMap((n) => nodeLines(n, '  ', 0).flatMap((l) => l.split('\n'))),
  ])
  if (lines.length === 0) return text('nothing: the group of the thread does not run at this moment')
  return text(...lines, ...(session.timeLine.undefinedMoment === undefined ? [NOT_FOLLOWED] : []))
}

const NOT_FOLLOWED = 'what nothing has written is not marked so far in the run; undefined goes over it'

/** What nothing has written, however long it takes to know. */
async function undefinedValues({ session, options }: CommandContext): Promise<CommandResult> {
  const isKnown = await session.followUndefined(options, Number.POSITIVE_INFINITY)
  if (!isKnown) return refuse('canceled, or more than can be kept: what nothing has written is not known')
  const own = scopesOf(session.run, session.focus, session.level).filter((s) => UNDEFINED_SCOPES.includes(s.name))
  const nodes = own.flatMap((s) => s.node.children(0, MAX_ROWS))
  const found = nodes.flatMap((n) => (hasNoValue(n, 0) ? nodeLines(n, '  ', 0) : []))
  const lines = found.length === 0 ? ['all variables and registers of the thread have values'] : found
  return { ...text(...lines.flatMap((l) => l.split('\n'))), isChanged: true }
}

const UNDEFINED_SCOPES: readonly string[] = ['Locals', 'Parameters', 'Registers', 'Groupshared']

/** Whether a value, or a part of it that is shown, has none. */
const hasNoValue = (node: ValueNode, depth: number): boolean =>
  node.noValue !== undefined ||
  (depth < MAX_DEPTH && node.isLazy !== true && node.children(0, MAX_PARTS).some((n) => hasNoValue(n, depth + 1)))

/** Lines of the source before and behind the present one. */
const AROUND = 6
const MAX_LINES = 200

/** `12`, or `10,20` from one line to another. */
function linesAsked(word: string | undefined): readonly [from?: number, to?: number] {
  if (word === undefined || word === 'asm') return []
  const m = /^(\d+)(?:[,-](\d+))?$/.exec(word)
  if (m === null) return refuse(`a line is expected, or lines as 10,20; ${word} was given`)
  const from = wholeNumber(m[1], 'a line', 1)
  return m[2] === undefined ? [from] : [from, Math.min(wholeNumber(m[2], 'a line', from), from + MAX_LINES)]
}

function list(session: DebugSession, rest: string): CommandResult {
  const { run, statement } = session
  const [word] = wordsOfText(rest)
  const isListing = word === 'asm' || run.map.origin === 'listing'
  const map = isListing ? run.listingMap : run.map
  const range = statement === undefined ? undefined : map.linesOf(statement)?.statement
  const file = isListing ? 0 : (range?.file ?? currentFile(session))
  const all = (map.files[file]?.text ?? '').replace(/\n$/, '').split('\n')
  const [from, to] = linesAsked(word)
  const middle = from ?? range?.line ?? 1
  const stops = new Set(
    session.breakpoints.flatMap(({ place }) =>
      place.kind === 'statements' && (place.stage === undefined || place.stage === run.stage) ? place.statements : [],
    ),
  )
  const first = to === undefined ? Math.max(1, middle - AROUND) : middle
  const lines = all.slice(first - 1, to ?? middle + AROUND).map((t, i): SourceLine => {
    const line = first + i
    const hasBreakpoint = map.statementsOf(file, line).some((s) => stops.has(s))
    return { line, text: t.replace(/\r$/, ''), isCurrent: range?.file === file && range.line === line, hasBreakpoint }
  })
  return { outputs: [{ kind: 'source', title: map.files[file]?.name ?? 'source', lines }] }
}

function focusOn(session: DebugSession, thread: DebugSession['focus']): CommandResult {
  session.focus = thread
  return { ...text(...whereLines(session)), isChanged: true }
}

/** The group of the focus, or the first in flight. */
function ownGroup({ timeLine, focus }: DebugSession) {
  return (
    timeLine.groups.find((g) => g.position.every((at, axis) => at === focus.group[axis])) ??
    timeLine.groups[0] ??
    refuse('no group runs at this moment')
  )
}

/** What an expression is for threads of the focus' group. */
function valuesOf(
  session: DebugSession,
  threads: readonly number[],
  expression: string,
  textOf = shownValue,
): readonly string[] {
  const { position: group } = ownGroup(session)
  return threads.map((thread) => {
    const { value } = session.evaluateFor({ group, thread }, expression)
    return value === undefined ? '?' : textOf(value.node)
  })
}

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

/** Cells are narrow. */
const NO_VALUE = '-'
const cellText = ({ value, noValue }: Pick<ValueNode, 'value' | 'noValue'>): string =>
  noValue === undefined ? value : NO_VALUE

/** The group as a grid: by statement, or by an expression. */
export function gridOutput(session: DebugSession, expression: string): CommandOutput {
  const { run } = session
  const grid = laneGrid(run, ownGroup(session))
  const batch = run.draw?.line.batch
  const title = batch && {
    title: `${batch.stage} shader, lanes ${rangesText(grid.cells.map((c) => c.thread).sort((a, b) => a - b))}`,
  }
  if (expression !== '') {
    const threads = grid.cells.map((c) => c.thread)
    const texts = valuesOf(session, threads, expression, cellText)
    const distinct = [...new Set(texts)]
    const legend = distinct.slice(0, LETTERS.length).map((key) => {
      const why = key === NO_VALUE ? ', in which nothing has written it' : ''
      return { key, text: `${texts.filter((t) => t === key).length} threads${why}` }
    })
    return { kind: 'grid', ...title, grid, keys: texts, texts, legend: distinct.length > LETTERS.length ? [] : legend }
  }
  const keys = grid.cells.map((c) => `${c.status} ${c.statement}${c.isHelper ? ' helper' : ''}`)
  const distinct = [...new Set(keys)]
  const letterOf = (key: string): string => (key.startsWith('ended') ? '.' : (LETTERS[distinct.indexOf(key)] ?? '#'))
  const legend = distinct.map((key) => {
    const cells = grid.cells.filter((_, i) => keys[i] === key)
    const [cell] = cells
    const where = cell?.status === 'ended' ? 'ended' : `${STATUS[cell!.status]} ${placeText(run, cell!.statement)}`
    const who = cell?.isHelper === true ? 'helper lanes ' : ''
    return { key, text: `${letterOf(key)} ${who}${where} (${cells.length})` }
  })
  const texts = keys.map((key, i) => (grid.cells[i]!.status === 'idle' ? letterOf(key).toLowerCase() : letterOf(key)))
  return { kind: 'grid', ...title, grid, keys, texts, legend }
}

const STATUS = { active: 'at', barrier: 'waits at', idle: 'waits for other lanes at', ended: 'ended' } as const

function lanes(session: DebugSession): CommandResult {
  const rows = session.timeLine.groups.flatMap((group) =>
    group.waves.flatMap((wave) =>
      laneGroups(session.run, wave, true).map((l) => [
        `(${group.position.join(', ')})`,
        `${wave.wave}`,
        rangesText(l.threads),
        `${l.threads.length}`,
        statusText(session.run, l),
      ]),
    ),
  )
  if (rows.length === 0) return text('no group runs at this moment')
  const more = rows.length > MAX_ROWS ? `and ${rows.length - MAX_ROWS} more` : undefined
  return { outputs: [tableOf(['group', 'wave', 'threads', 'count', 'place'], rows.slice(0, MAX_ROWS), more)] }
}

function column(session: DebugSession, expression: string): CommandResult {
  if (expression === '') return refuse('an expression is expected, as r0.x or acc')
  const threads = ownGroup(session).waves.flatMap((w) =>
    Array.from({ length: w.laneCount }, (_, l) => w.firstThread + l),
  )
  const texts = valuesOf(session, threads, expression)
  const numbers = texts.map(Number).filter((n) => !Number.isNaN(n))
  const least = numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
  const most = numbers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
  const nan = texts.findIndex((t) => /^nan$/i.test(t))
  const facts = [
    `${new Set(texts).size} distinct`,
    ...(numbers.length === 0 ? [] : [`least ${least}`, `most ${most}`]),
    ...(nan < 0 ? [] : [`first nan in thread ${threads[nan]}`]),
  ]
  const rows: string[][] = []
  for (let i = 0; i < texts.length && rows.length < MAX_ROWS; ) {
    let end = i
    while (end + 1 < texts.length && texts[end + 1] === texts[i]) end++
    const [first, last] = [threads[i]!, threads[end]!]
    const helper = isHelper(session.run, first) ? ' (helper lane)' : ''
    const name = end === i ? `${first} ${laneName(session.run, first)}${helper}` : `${first}-${last}`
    rows.push([name, texts[i]!])
    i = end + 1
  }
  return { outputs: [tableOf(['threads', expression], rows, facts.join(', '))] }
}

async function effects({ session, options }: CommandContext, rest: string): Promise<CommandResult> {
  const { timeLine, focus } = session
  const done = await timeLine.effects(options)
  if (done === undefined) return text('nothing has run before this moment')
  const { run } = session
  const { program, listing, registers } = effectsProgram(session, done)
  const head = `${statementName(program, done.statement)} of wave ${done.wave}: ${listing(done.statement) ?? ''}`
  const variables = registers(done.statement)
  const own = focus.thread - done.firstThread
  const isAll = rest.trim() === 'all' || !done.lanes.includes(own)
  const isShown = ({ lane }: { readonly lane: number }): boolean => isAll || lane === own
  const rows = done.registers.filter(isShown).map((r) => {
    const name = `file ${r.place.file}[${r.place.indices.join('][')}].${'xyzw'[r.place.component]}`
    const what = registerText(variables, r.place) ?? name
    return [`${done.firstThread + r.lane}`, what, guessText(r.original), guessText(r.value)]
  })
  const memory = done.memory.filter(isShown).flatMap((m) => {
    const first = m.byteOffsets.find((b) => b >= 0)
    if (first === undefined) return []
    const place =
      m.space === 'tgsm' || m.resource === undefined
        ? `${m.space} ${first}`
        : rangeReference(run, { space: 'resource', resource: m.resource, byteOffset: first, byteLength: m.byteLength })
    const texts = (words: readonly number[]): string => words.map((w) => guessText(w)).join(' ')
    return [[`${done.firstThread + m.lane}`, `${m.access} ${place}`, texts(m.originals), texts(m.values)]]
  })
  const others = done.lanes.length - 1
  const note = isAll || others === 0 ? undefined : `and ${others} more lanes: effects all`
  const all = [...rows, ...memory].slice(0, MAX_ROWS)
  return { outputs: [{ kind: 'text', lines: [head] }, tableOf(['thread', 'what', 'before', 'after'], all, note)] }
}

/** The shader of the statement before this moment: at the begin of a batch of a draw, that of the batch before. */
function effectsProgram(session: DebugSession, { before }: StatementEffects): DebuggedProgram {
  const batch = session.run.draw?.line.batches.findLast((b) => b.first <= before && b.statements > 0)
  return session.programOf(batch?.stage)
}

function registerText(
  variables: ReturnType<DebugSession['run']['registers']>,
  place: { readonly file: number; readonly indices: readonly number[]; readonly component: number },
): string | undefined {
  const prefix = place.file === 0 ? 'r' : place.file === 3 ? 'x' : place.file === 2 ? 'o' : undefined
  const [first, second] = place.indices
  const name = `${prefix}${first}`
  if (prefix === undefined || !variables.some((v) => v.name === name)) return undefined
  return `${name}${second === undefined ? '' : `[${second}]`}.${'xyzw'[place.component]}`
}

const scopeCommand = (name: string, aliases: readonly string[], summary: string): Command => ({
  name,
  aliases,
  topic: 'look',
  summary,
  run: ({ session }) => scopes(session, SCOPES[name]!),
})

export const LOOKING: readonly Command[] = [
  {
    name: 'print',
    aliases: ['p'],
    usage: 'EXPRESSION',
    topic: 'look',
    summary: 'the value of an expression where the thread is',
    details: ['print color.rgb, print r0.xy, print acc@17 (in thread 17), print r0.x,x (in hexadecimal).'],
    run: ({ session }, rest) => print(session, rest),
  },
  {
    name: 'list',
    aliases: ['l'],
    usage: '[LINE | FROM,TO | asm]',
    topic: 'look',
    summary: 'the source around the thread; list asm the instructions',
    run: ({ session }, rest) => list(session, rest),
  },
  scopeCommand('variables', ['v'], 'all variables of the source that have a value here'),
  scopeCommand('registers', ['r'], 'registers of the thread'),
  {
    name: 'undefined',
    topic: 'look',
    summary: 'variables and registers of the thread that nothing has written, or that depend on such',
    details: [
      'Other commands mark them too, where the run is short enough to be gone over while they look; undefined goes over any.',
      'Behind it, all moments up to this one are marked.',
    ],
    run: undefinedValues,
  },
  scopeCommand('constants', [], 'constant buffers'),
  scopeCommand('resources', [], 'buffers and textures'),
  {
    name: 'effects',
    aliases: ['e'],
    topic: 'look',
    usage: '[all]',
    summary: 'what the statement before this moment wrote, in this thread or in all',
    run: effects,
  },
  {
    name: 'thread',
    aliases: ['t', 'lane'],
    usage: 'N | X,Y,Z',
    topic: 'lanes',
    summary: 'looks at another thread of the group',
    run: ({ session }, rest) => focusOn(session, threadOf(session, rest.trim())),
  },
  {
    name: 'focus',
    usage: 'X,Y,Z [THREAD]',
    topic: 'lanes',
    summary: 'looks at another group',
    run: ({ session }, rest) => {
      const [group = '', thread = '0'] = wordsOfText(rest)
      return focusOn(session, { group: groupOf(session, group), thread: threadOf(session, thread).thread })
    },
  },
  {
    name: 'lanes',
    topic: 'lanes',
    summary: 'where all threads are, those of one place together',
    run: ({ session }) => lanes(session),
  },
  {
    name: 'grid',
    aliases: ['g'],
    usage: '[EXPRESSION]',
    topic: 'lanes',
    summary: 'the group in the shape of its threads, by statement or by a value',
    details: ['Equal letters are at the same statement; small letters wait for other lanes, points have ended.'],
    run: ({ session }, rest) => ({ outputs: [gridOutput(session, rest.trim())] }),
  },
  {
    name: 'column',
    usage: 'EXPRESSION',
    topic: 'lanes',
    summary: 'a value in all threads of the group, with least, most and the first nan',
    run: ({ session }, rest) => column(session, rest.trim()),
  },
]
