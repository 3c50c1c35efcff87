/** The debugger's calls over one session. */
import type { RecordedAccess, RecordedFinding, RunOptions } from '../../../src/debug/index.ts'
import { debug } from '../../../src/host/index.ts'
import { parseDescriptionText } from '../../../src/job/index.ts'
import {
  type CommandContext,
  type DebugSession,
  historyRow,
  outputLines,
  placeText,
  rangeIn,
  runCommand,
  type SessionStop,
  SHARED_SPACE,
  spaceNamed,
  spaceNames,
  unwrittenText,
} from '../../../src/session/index.ts'
import type { CallContext } from '../model/calls.ts'
import type {
  DebugCalls,
  DebugMove,
  DebugOpened,
  DebugTimes,
  DebugView,
  MemoryPage,
  MemoryWord,
} from '../model/debug.ts'
import { hostOf } from './host.ts'
import { momentOf } from './moment.ts'
import { statementOfBreakpoint } from './points.ts'
import { withBudget } from './run.ts'

interface Opened {
  readonly session: DebugSession
  /** Commands keep what they listed last: the same object goes to all of them. */
  readonly commands: { -readonly [K in keyof CommandContext]: CommandContext[K] }
  lastStop: SessionStop | undefined
}

/** One session at a time: opening another one forgets it. */
let opened: Opened | undefined

function sessionOf(): Opened {
  if (opened === undefined) throw new Error('nothing is being debugged: press Start')
  return opened
}

const optionsOf = ({ signal, progress }: CallContext): RunOptions => ({ signal, onProgress: progress })

function shown(view: DebugView) {
  const { session, lastStop } = sessionOf()
  return momentOf(session, view, lastStop)
}

const open: DebugCalls['open'] = async ({ job, files, ...view }) => {
  opened?.session.timeLine.dispose()
  opened = undefined
  const { value: description, diagnostics } = parseDescriptionText(job)
  const none: DebugOpened = { name: '', diagnostics, spaces: [], moment: undefined, sources: [] }
  if (description === undefined) return none
  const { value: session, diagnostics: found } = await debug(withBudget(description), hostOf(files))
  const all = [...diagnostics, ...found]
  if (session === undefined) return { ...none, diagnostics: all }
  opened = { session, commands: { session, findings: [] }, lastStop: undefined }
  const sources = session.run.map.origin === 'listing' ? [] : session.run.map.files
  return {
    name: session.run.name,
    diagnostics: all,
    spaces: spaceNames(session.run),
    moment: await shown(view),
    sources: sources.map(({ name, text }) => ({ name, text: text ?? '' })),
  }
}

async function moved({ kind, direction, unit, depth }: DebugMove, session: DebugSession, options: RunOptions) {
  return kind === 'continue' ? session.continue(direction, options) : session.step({ direction, unit, depth }, options)
}

const move: DebugCalls['move'] = async (request, c) => {
  const o = sessionOf()
  o.lastStop = await moved(request, o.session, optionsOf(c))
  return shown(request)
}

const goTo: DebugCalls['goTo'] = async ({ clock, ...view }, c) => {
  const o = sessionOf()
  o.lastStop = await o.session.goTo(clock, optionsOf(c))
  return shown(view)
}

const focus = ({ thread, group, ...view }: Parameters<DebugCalls['focus']>[0]) => {
  sessionOf().session.focus = { group, thread }
  return shown(view)
}

const toggle = ({ statement, label, ...view }: Parameters<DebugCalls['toggle']>[0]) => {
  const { session } = sessionOf()
  const own = session.breakpoints.filter((b) => statementOfBreakpoint(b) === statement)
  for (const b of own) session.remove(b.id)
  if (own.length === 0) session.add(label, { kind: 'statements', statements: [statement] })
  return shown(view)
}

/** Findings whose other moment is looked for: each takes a search. */
const MAX_OTHERS = 20

async function findingOf(session: DebugSession, f: RecordedFinding, isSearched: boolean, options: RunOptions) {
  const other = isSearched && f.other !== undefined ? await session.timeLine.otherMoment(f, options) : undefined
  const { thread, group } = f.thread
  return { code: f.code, message: f.message, clock: f.before, other, thread, group }
}

const MAX_BARRIERS = 400

/** Moments at which barriers were passed, up to a number of them; the present moment is come back to. */
async function barriersOf({ timeLine }: DebugSession, options: RunOptions): Promise<readonly number[]> {
  const found: number[] = []
  await timeLine.goTo(0, options)
  while (found.length < MAX_BARRIERS && options.signal?.aborted !== true) {
    const stop = await timeLine.run('forward', [{ kind: 'barrier', at: 'release' }], options)
    if (stop.reason !== 'condition') break
    found.push(stop.clock)
  }
  return found
}

const times: DebugCalls['times'] = async (_, c): Promise<DebugTimes> => {
  const { session } = sessionOf()
  const options = optionsOf(c)
  const { timeLine } = session
  const [now, focusBefore] = [timeLine.clock, session.focus]
  try {
    const findings = await timeLine.findings(options)
    const barriers = await barriersOf(session, options)
    const { clock: end } = await timeLine.goTo(Number.MAX_SAFE_INTEGER, options)
    const marks = []
    for (const [i, f] of findings.entries()) marks.push(await findingOf(session, f, i < MAX_OTHERS, options))
    return { end, barriers, findings: marks, isWhole: !c.signal.aborted }
  } finally {
    // Also where the search was ended early: who ended it goes on from here.
    await timeLine.goTo(now)
    session.focus = focusBefore
  }
}

/** The last write to each word before a moment. */
function writersOf(accesses: readonly RecordedAccess[], clock: number): ReadonlyMap<number, RecordedAccess> {
  const last = new Map<number, RecordedAccess>()
  for (const a of accesses) {
    if (a.access !== 'load' && a.before < clock) last.set(a.byteOffset & ~3, a)
  }
  return last
}

const memory: DebugCalls['memory'] = async ({ space: name, byteOffset, wordCount }, c) => {
  const { session } = sessionOf()
  const { run, timeLine } = session
  const { group } = session.focus
  const space = spaceNamed(run, name, group)
  if (space === undefined) return undefined
  const first = Math.min(byteOffset & ~3, Math.max(0, space.bytes.length - 4) & ~3)
  const byteLength = Math.min(wordCount * 4, space.bytes.length - first)
  const range = rangeIn(space, first, byteLength, group)
  const accesses = range === undefined ? [] : ((await timeLine.history(range, optionsOf(c))) ?? [])
  const writers = writersOf(accesses, timeLine.clock)
  await session.followUndefined(optionsOf(c))
  const { bytes } = spaceNamed(run, name, group) ?? space
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const words: MemoryWord[] = []
  for (let at = first; at + 4 <= first + byteLength; at += 4) {
    const a = writers.get(at)
    const writer = a && { clock: a.before, thread: a.thread, group: a.group, place: placeText(run, a.statement) }
    // Of runs that are too long to be gone over for it, who wrote is known all the same.
    const neverWritten = name === SHARED_SPACE && writer === undefined ? 'never written' : undefined
    const unwritten = unwrittenText(session, space, at) ?? neverWritten
    const isUndefined = name === SHARED_SPACE && unwritten !== undefined
    words.push({ byteOffset: at, bits: view.getUint32(at, true), unwritten, isUndefined, writer })
  }
  return { space: name, label: space.label, byteLength: space.bytes.length, words } satisfies MemoryPage
}

const HISTORY_HEADS = ['clock', 'access', 'group', 'thread', 'place', 'value']
const MAX_HISTORY = 400

const history: DebugCalls['history'] = async ({ space: name, byteOffset }, c) => {
  const { session } = sessionOf()
  const space = spaceNamed(session.run, name, session.focus.group)
  const range = space && rangeIn(space, byteOffset, 4, session.focus.group)
  const accesses = range && (await session.timeLine.history(range, { ...optionsOf(c), loads: true }))
  return { heads: HISTORY_HEADS, rows: (accesses ?? []).slice(0, MAX_HISTORY).map((a) => historyRow(session, a)) }
}

const command: DebugCalls['command'] = async ({ line, ...view }, c) => {
  const o = sessionOf()
  o.commands.options = optionsOf(c)
  const { value, diagnostics } = await runCommand(o.commands, line)
  if (value?.stop !== undefined) o.lastStop = value.stop
  const said = value?.outputs.flatMap((output) => outputLines(output)) ?? []
  const wrong = diagnostics.flatMap((d) => [d.message, ...d.notes])
  return { lines: [...said, ...wrong], isWrong: value === undefined, moment: await shown(view) }
}

let last: Promise<unknown> = Promise.resolve()

/** One call after the other: each may leave the present moment for a while. */
function inTurn<A, R>(call: (argument: A, c: CallContext) => R): (argument: A, c: CallContext) => Promise<Awaited<R>> {
  return (argument, c) => {
    const turn = last.then(() => call(argument, c)) as Promise<Awaited<R>>
    last = turn.catch(() => undefined)
    return turn
  }
}

export const DEBUG_CALLS: DebugCalls = {
  open: inTurn(open),
  move: inTurn(move),
  goTo: inTurn(goTo),
  focus: inTurn(focus),
  show: inTurn(shown),
  toggle: inTurn(toggle),
  times: inTurn(times),
  memory: inTurn(memory),
  history: inTurn(history),
  command: inTurn(command),
}
