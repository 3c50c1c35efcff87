/** Running, checking and stepping: what the buttons do. */

import { StoppedError } from '../../model/calls.ts'
import type { DebugFinding, DebugMoment, DebugMove, DebugView, Triple } from '../../model/debug.ts'
import { countsText } from '../../model/finding-counts.ts'
import type { NamedFile, RunRequest } from '../../model/run.ts'
import { readingAll } from './files.ts'
import { emptyDebug, type OpenFile, type Project, type ShownOutput, say, sayError, store, type Work } from './store.ts'
import { debuggerCalls, engine } from './workers.ts'

/** Rows of a table that are requested at once. */
export const TABLE_ROWS = 64
/** Outputs that are opened by themselves after a run. */
const OPEN_OUTPUTS = 2
/** A run that is stopped may still end well for so long; then its worker ends. */
const GRACE_MILLISECONDS = 100

const GRAPHICS = new Set(['vertex', 'hull', 'domain', 'geometry', 'pixel'])

/** The shaders of a pipeline are run together: of those that are open, one of each stage. */
function pipelineOf(file: OpenFile): readonly OpenFile[] {
  if (!GRAPHICS.has(file.inspection?.stage ?? '')) return [file]
  const stages = new Map<string, OpenFile>([[file.inspection!.stage!, file]])
  for (const other of store.files) {
    const stage = other.inspection?.stage ?? ''
    if (GRAPHICS.has(stage) && !stages.has(stage) && other.project.job === undefined) stages.set(stage, other)
  }
  return [...stages.values()]
}

const named = ({ name, bytes }: OpenFile): NamedFile => ({ name, bytes })

/** What descriptions may name: own shaders first, then everything else that is open. */
function filesFor(project: Project): readonly NamedFile[] {
  const own = store.files.filter((f) => f.project === project)
  const others = store.files.filter((f) => f.project !== project)
  return [...own.map(named), ...project.contents, ...others.map(named)]
}

/** A description for the active shader, made of what it declares where there is none yet. */
export async function ensureJob(): Promise<Project | undefined> {
  const file = store.active
  if (file === undefined) return undefined
  // The stages of shaders that are still read are not known: a pipeline made now would be without them.
  await readingAll()
  const { project } = file
  if (project.job !== undefined || file.bytes === undefined) return project
  const together = pipelineOf(file)
  const { job, diagnostics } = await engine.call('template', { shaders: together.map(named) })
  project.diagnostics = diagnostics
  if (job !== undefined && project.job === undefined) {
    project.job = job
    for (const f of together) f.project = project
  }
  store.changed()
  return project
}

/** What is run, checked or stepped through; nothing where another file was chosen before it was read. */
async function request(): Promise<RunRequest | undefined> {
  const file = store.active
  if (file === undefined) return undefined
  await readingAll()
  if (store.active !== file) return undefined
  if (file.bytes === undefined) {
    sayError(`${file.name} has errors; fix them to run it`)
    return undefined
  }
  const project = await ensureJob()
  if (project?.job === undefined) {
    sayError(project?.diagnostics[0]?.message ?? 'there is no run description')
    return undefined
  }
  return { job: project.job, files: filesFor(project) }
}

const newWork = (what: string): Work => ({ what, done: 0, total: undefined })

function progressOf(work: Work) {
  return (done: number, total: number | undefined): void => {
    work.done = done
    work.total = total
    store.changed()
  }
}

const textOf = (e: unknown): string => (e instanceof Error ? e.message : String(e))

export async function showOutput(shown: ShownOutput): Promise<void> {
  const { output, first, as, pixels } = shown
  if (pixels !== undefined) shown.image = await engine.call('image', { id: output.id, mip: 0, slice: 0, pixels })
  if (output.isTexture && shown.image === undefined)
    shown.image = await engine.call('image', { id: output.id, mip: 0, slice: 0 })
  if (!output.isTexture || as !== undefined)
    shown.table = await engine.call('rows', { id: output.id, first, count: TABLE_ROWS, as })
  store.changed()
}

export function toggleOutput(id: number): void {
  const { shown, answer } = store.run
  const output = answer?.outputs.find((o) => o.id === id)
  store.changed()
  if (shown.delete(id) || output === undefined) return
  const made: ShownOutput = { output, image: undefined, table: undefined, first: 0, as: undefined, pixels: undefined }
  shown.set(id, made)
  void showOutput(made)
}

/** Runs the description of the active shader. */
export async function runNow(): Promise<void> {
  if (store.run.work !== undefined) return
  const requested = await request()
  if (requested === undefined || store.run.work !== undefined) return
  const work = newWork('running')
  store.run.work = work
  store.run.failure = undefined
  store.changed()
  const { run } = store
  try {
    const answer = await engine.call('run', requested, progressOf(work))
    run.answer = answer
    run.shown.clear()
    const open = answer.outputs.filter((o) => o.isWritten).slice(0, OPEN_OUTPUTS)
    for (const output of open)
      run.shown.set(output.id, {
        output,
        image: undefined,
        table: undefined,
        first: 0,
        as: undefined,
        pixels: undefined,
      })
    await Promise.all([...run.shown.values()].map(showOutput))
    const errors = answer.diagnostics.filter((d) => d.severity === 'error').length
    if (answer.summary === undefined) sayError(`nothing ran: ${errors} ${errors === 1 ? 'error' : 'errors'}`)
    else say(`ran: ${answer.summary}`)
  } catch (e) {
    run.failure = e instanceof StoppedError ? 'stopped' : textOf(e)
    say(run.failure)
  }
  run.work = undefined
  store.changed()
}

/** Checks the description of the active shader. */
export async function checkNow(): Promise<void> {
  if (store.check.work !== undefined) return
  const requested = await request()
  if (requested === undefined || store.check.work !== undefined) return
  const { check } = store
  const work = newWork('checking')
  check.work = work
  check.failure = undefined
  store.changed()
  try {
    const suppressions = store.project?.suppressions ?? ''
    check.answer = await engine.call('check', { ...requested, suppressions }, progressOf(work))
    check.of = store.active?.text
    check.selected = undefined
    const { findings, partial } = check.answer.report
    say(partial === 'refused' ? 'the check was refused' : `checked: ${countsText(findings)}`)
  } catch (e) {
    check.failure = e instanceof StoppedError ? 'stopped' : textOf(e)
    say(check.failure)
  }
  check.work = undefined
  store.changed()
}

const viewOf = (): DebugView => ({ watches: store.debug.watches, gridExpression: store.debug.gridExpression })

/** What a screen reader says of a stop. */
function spoken(m: DebugMoment): string {
  const active = m.grid?.cells.filter((c) => c.status === 'active').length ?? 0
  const at = m.grid?.places.find((p) => p.statement === m.statement)?.place
  return `${m.reason}: clock ${m.clock}${at === undefined ? '' : `, ${at}`}, ${active} lanes active`
}

/** The listing of the stage that a draw has come to. */
function followStage({ stage }: DebugMoment): void {
  if (stage === undefined || store.active?.inspection?.stage === stage) return
  const file = store.files.find((f) => f.project === store.project && f.inspection?.stage === stage)
  if (file !== undefined) store.activeId = file.id
}

function takeMoment(moment: DebugMoment): void {
  const { debug } = store
  debug.before = debug.moment
  debug.moment = moment
  followStage(moment)
  say(spoken(moment))
  if (debug.memory !== undefined) void showMemory(debug.space, debug.byteOffset)
}

/** One call of the debugger at a time; what it gives is the moment that is shown. */
async function debugWork(what: string, call: (progress: Work) => Promise<DebugMoment | undefined>): Promise<void> {
  const { debug } = store
  if (debug.work !== undefined) return
  if (debug.search !== undefined) debuggerCalls.abort()
  const work = newWork(what)
  debug.work = work
  debug.failure = undefined
  store.changed()
  try {
    const moment = await call(work)
    if (moment !== undefined) takeMoment(moment)
  } catch (e) {
    if (e instanceof StoppedError) {
      Object.assign(debug, emptyDebug(), { watches: debug.watches, failure: 'stopped; the session was ended' })
    } else debug.failure = textOf(e)
    sayError(debug.failure ?? '')
  }
  debug.work = undefined
  store.changed()
}

/** Begins a session over the description of the active shader. */
export async function startDebug(): Promise<void> {
  if (store.debug.work !== undefined) return
  const requested = await request()
  if (requested === undefined || store.debug.work !== undefined) return
  const { watches, gridExpression } = store.debug
  store.debug = { ...emptyDebug(), watches, gridExpression }
  await debugWork('starting', async (work) => {
    const opened = await debuggerCalls.call('open', { ...requested, ...viewOf() }, progressOf(work))
    store.debug.opened = opened
    store.debug.space = opened.spaces.find((s) => /^[ug]/.test(s)) ?? opened.spaces[0] ?? ''
    if (opened.moment === undefined)
      throw new Error(opened.diagnostics.map((d) => d.message).join('; ') || 'the run cannot be debugged')
    return opened.moment
  })
  if (store.debug.moment === undefined) return
  const { linked } = store
  store.linked = undefined
  if (linked !== undefined) {
    await goToClock(linked.clock)
    await focusThread(linked.thread, store.debug.moment.focus.group)
  }
  void findTimes()
}

/** Looks for the end, the barriers and the findings of the run, beside what is shown. */
export async function findTimes(): Promise<void> {
  const { debug } = store
  if (debug.search !== undefined) return
  const search = newWork('looking for findings and barriers')
  debug.search = search
  store.changed()
  try {
    const times = await debuggerCalls.call('times', {}, progressOf(search))
    if (times.isWhole) debug.times = times
  } catch (e) {
    if (!(e instanceof StoppedError)) sayError(textOf(e))
  }
  debug.search = undefined
  store.changed()
}

export const moveDebug = (move: DebugMove): Promise<void> => {
  if (store.debug.moment === undefined) return startDebug()
  const what = `${move.kind} ${move.direction}`
  return debugWork(what, (work) => debuggerCalls.call('move', { ...move, ...viewOf() }, progressOf(work)))
}

export const goToClock = (clock: number): Promise<void> =>
  debugWork(`going to clock ${clock}`, (work) => debuggerCalls.call('goTo', { clock, ...viewOf() }, progressOf(work)))

/** One side of a finding: the thread that met it, or the other access. */
export async function goToFinding(finding: DebugFinding, isOther: boolean): Promise<void> {
  store.debug.finding = finding
  await goToClock(isOther ? (finding.other ?? finding.clock) : finding.clock)
  if (!isOther) await focusThread(finding.thread, finding.group)
}

export const focusThread = (thread: number, group: Triple): Promise<void> =>
  debugWork('changing the focus', () => debuggerCalls.call('focus', { thread, group, ...viewOf() }))

/** Evaluates watches and the grid's expression again. */
export const refreshDebug = (): Promise<void> =>
  store.debug.moment === undefined
    ? Promise.resolve()
    : debugWork('evaluating', () => debuggerCalls.call('show', viewOf()))

export const toggleBreakpoint = (statement: number, label: string): Promise<void> =>
  debugWork('setting a breakpoint', () => debuggerCalls.call('toggle', { statement, label, ...viewOf() }))

const WORDS_SHOWN = 64

export async function showMemory(space: string, byteOffset: number): Promise<void> {
  const { debug } = store
  debug.space = space
  debug.byteOffset = byteOffset
  if (debug.opened?.moment === undefined || space === '') return
  try {
    debug.memory = await debuggerCalls.call('memory', { space, byteOffset, wordCount: WORDS_SHOWN })
  } catch (e) {
    debug.memory = undefined
    if (!(e instanceof StoppedError)) sayError(textOf(e))
  }
  store.changed()
}

export async function showHistory(byteOffset: number): Promise<void> {
  const { debug } = store
  const table = await debuggerCalls.call('history', { space: debug.space, byteOffset })
  debug.history = { byteOffset, table }
  store.changed()
}

/** What happened to a pixel of a draw, from the debugger. */
export async function pixelHistory(x: number, y: number): Promise<void> {
  store.view = 'step'
  if (store.debug.moment === undefined) await startDebug()
  if (store.debug.moment !== undefined) await debugCommand(`pixel ${x},${y}`)
}

const MAX_CONSOLE = 60

/** A command of `heddle debug`. */
export async function debugCommand(line: string): Promise<void> {
  const { debug } = store
  debug.console.push({ text: `> ${line}`, isWrong: false })
  await debugWork(line, async (work) => {
    const answer = await debuggerCalls.call('command', { line, ...viewOf() }, progressOf(work))
    debug.console.push({ text: answer.lines.join('\n'), isWrong: answer.isWrong })
    return answer.moment
  })
  debug.console = debug.console.slice(-MAX_CONSOLE)
  store.changed()
}

/** Stops whatever runs. */
export function stopAll(): void {
  engine.stop()
  debuggerCalls.stop(GRACE_MILLISECONDS)
}
