/** Requests of our own, for pages and views of editors. */
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import {
  type DebugSession,
  laneGrid,
  laneName,
  parseReference,
  placeText,
  rangeIn,
  shownValue,
  spaceNamed,
} from '../../../src/session/index.ts'
import { type AdapterContext, CANCELED, refuse, sessionOf } from '../context.ts'
import { fileOf, filesOf, sourcesNow } from '../sources.ts'
import { stagesOf } from './drawing.ts'

export function source(c: AdapterContext, args: P.SourceArguments): object {
  const reference = args.source?.sourceReference ?? args.sourceReference
  const found = filesOf(sessionOf(c))[reference - 1] ?? refuse('there is no such source')
  const { text, name } = fileOf(found)
  return { content: text ?? refuse(`the debug data holds no text of ${name}`), mimeType: 'text/plain' }
}

export function loadedSources(c: AdapterContext): object {
  return { sources: sourcesNow(c).map(({ source }) => source) }
}

export function modules(c: AdapterContext): object {
  const { run, programs } = sessionOf(c)
  const found = programs.map(({ stage, map }, i) => {
    const symbolStatus = map.origin === 'listing' ? 'no debug data' : `debug data (${map.origin})`
    return { id: i + 1, name: stage === undefined ? run.name : `${run.name} ${stage}`, symbolStatus }
  })
  return { modules: found, totalModules: found.length }
}

function ownGroup({ timeLine, focus }: DebugSession, wanted: readonly number[] | undefined) {
  const at = wanted ?? focus.group
  return (
    timeLine.groups.find((g) => g.position.every((n, axis) => n === at[axis])) ?? refuse('the group is not in flight')
  )
}

/** A cell for each thread of a group: its state and the statement it is at. */
export function grid(c: AdapterContext, args: { readonly group?: readonly number[] }): object {
  const session = sessionOf(c)
  const { group, size, cells } = laneGrid(session.run, ownGroup(session, args.group))
  const statements = [...new Set(cells.map((cell) => cell.statement))]
  const places = statements.map((statement) => ({
    statement,
    place: placeText(session.run, statement),
    text: session.run.listing(statement),
  }))
  const { draw } = session.run
  const names = draw && { stage: draw.line.batch.stage, names: cells.map((cell) => laneName(session.run, cell.thread)) }
  return { group, size, cells, places, ...names }
}

/** An expression in all threads of a group. */
export function column(
  c: AdapterContext,
  args: { readonly expression: string; readonly group?: readonly number[] },
): object {
  const session = sessionOf(c)
  const { position, waves } = ownGroup(session, args.group)
  const values = waves.flatMap((w) =>
    Array.from({ length: w.laneCount }, (_, l) => {
      const found = session.evaluateFor({ group: position, thread: w.firstThread + l }, args.expression)
      return found.value === undefined ? null : shownValue(found.value.node)
    }),
  )
  return { expression: args.expression, group: position, values }
}

/** Who wrote a place, in the whole run. */
export async function history(
  c: AdapterContext,
  args: { readonly memoryReference: string; readonly bytes?: number; readonly loads?: boolean },
): Promise<object> {
  const session = sessionOf(c)
  const reference = parseReference(args.memoryReference)
  const space = reference && spaceNamed(session.run, reference.space, session.focus.group)
  const range = space && rangeIn(space, reference.byteOffset, args.bytes ?? 4, session.focus.group)
  if (range === undefined) return refuse(`${args.memoryReference} is no memory that a statement writes`)
  const found = (await session.timeLine.history(range, { ...c.options, loads: args.loads })) ?? refuse(CANCELED)
  const accesses = found.map((a) => ({
    ...a,
    original: [...a.original],
    value: [...a.value],
    place: placeText(session.programOf(a.stage), a.statement),
  }))
  return { accesses }
}

/** Everything that has a moment: the present one, findings, changes, the end where it is known. */
export async function timeLine(c: AdapterContext): Promise<object> {
  const session = sessionOf(c)
  const { timeLine: line, focus, run } = session
  const made = await line.changesMade(c.options)
  const found = await line.findings(c.options)
  if (c.options.signal?.aborted === true) return refuse(CANCELED)
  // What belongs to the time line alone stays there.
  const findings = found.map(({ code, message, severity, before, thread, statement, other, stage, invocation }) => {
    const place = placeText(session.programOf(stage), statement)
    return { code, message, severity, before, thread, statement, other, stage, invocation, place }
  })
  return {
    clock: line.clock,
    end: line.end,
    focus,
    findings,
    changes: line.changes.map(({ clock, change }, i) => ({ clock, kind: change.kind, isMade: made[i] === true })),
    size: line.size,
    ...(run.draw === undefined ? {} : { stages: stagesOf(run.draw) }),
  }
}

export function goToClock(c: AdapterContext, args: { readonly clock: number }): object {
  const session = sessionOf(c)
  if (!Number.isSafeInteger(args.clock) || args.clock < 0)
    return refuse(`a clock is a whole number from 0; ${args.clock} was given`)
  c.start((options) => session.goTo(args.clock, options))
  return {}
}

export function focus(
  c: AdapterContext,
  args: { readonly thread: number; readonly group?: readonly number[] },
): object {
  const session = sessionOf(c)
  const { position, waves } = ownGroup(session, args.group)
  const exists = waves.some((w) => args.thread >= w.firstThread && args.thread < w.firstThread + w.laneCount)
  if (!exists) return refuse(`there is no thread ${args.thread}`)
  session.focus = { group: position, thread: args.thread }
  c.afterResponse(() => c.event('invalidated', { areas: ['threads', 'stacks', 'variables'] }))
  return {}
}
