/** A moment of a session as plain data. */
import {
  type DebugSession,
  laneGrid,
  placeText,
  positionInGroup,
  type SessionStop,
  scopesOf,
  shownValue,
  stopLines,
  type ValueNode,
} from '../../../src/session/index.ts'
import type { DebugGrid, DebugMoment, DebugScope, DebugValue, DebugView } from '../model/debug.ts'
import { statementOfBreakpoint } from './points.ts'

/** Parts of a value that are sent with it, and how deep. */
const MAX_PARTS = 16
const MAX_DEPTH = 2
/** Values of a scope that are sent. */
const MAX_VALUES = 256
/** Scopes that tables and the grid show already. */
const LEFT_OUT: ReadonlySet<string> = new Set(['All lanes', 'Groupshared', 'Resources'])

function debugValue(node: ValueNode, depth: number): DebugValue {
  const count = node.indexedCount + node.namedCount
  const parts = depth >= MAX_DEPTH || node.isLazy === true ? [] : node.children(0, MAX_PARTS)
  return {
    name: node.name,
    value: shownValue(node),
    type: node.type ?? '',
    parts: parts.map((p) => debugValue(p, depth + 1)),
    more: Math.max(0, count - parts.length),
  }
}

function scopesAt(session: DebugSession): readonly DebugScope[] {
  return scopesOf(session.run, session.focus)
    .filter((s) => !LEFT_OUT.has(s.name))
    .map(({ name, node }) => ({
      name,
      values: node.children(0, MAX_VALUES).map((n) => debugValue(n, 0)),
    }))
    .filter((s) => s.values.length > 0)
}

function gridAt(session: DebugSession, expression: string): DebugGrid | undefined {
  const { run, timeLine, focus } = session
  const group = timeLine.groups.find((g) => g.position.every((n, axis) => n === focus.group[axis]))
  if (group === undefined) return undefined
  const { size, cells } = laneGrid(run, group)
  const statements = [...new Set(cells.map((c) => c.statement))]
  const places = statements.map((statement) => ({
    statement,
    place: placeText(run, statement),
    text: run.listing(statement) ?? '',
  }))
  const values =
    expression.trim() === ''
      ? undefined
      : cells.map(({ thread }) => {
          const { value } = session.evaluateFor({ group: group.position, thread }, expression)
          return value === undefined ? '?' : shownValue(value.node)
        })
  return { group: group.position, size, cells, places, values }
}

/** The line of the source; a listing is shown anyway. */
function sourceOf({ run, statement }: DebugSession): DebugMoment['source'] {
  if (run.map.origin === 'listing' || statement === undefined) return undefined
  const range = run.map.linesOf(statement)?.statement
  return range && { file: range.file, line: range.line }
}

/** Everything that the page shows of the present moment. */
export async function momentOf(
  session: DebugSession,
  view: DebugView,
  stop: SessionStop | undefined,
): Promise<DebugMoment> {
  await session.followUndefined()
  const { timeLine, focus, run } = session
  const watches = view.watches.map((text) => {
    const { value, diagnostics } = session.evaluate(text)
    const isWrong = value === undefined
    const shown = value === undefined ? (diagnostics[0]?.message ?? 'not available here') : shownValue(value.node)
    return { text, value: shown, isWrong }
  })
  return {
    clock: timeLine.clock,
    end: timeLine.end,
    reason: stop?.reason ?? 'entry',
    lines: stop === undefined ? [] : stopLines(session, stop),
    statement: session.statement,
    stage: run.stage,
    source: sourceOf(session),
    focus: { ...focus, position: positionInGroup(run, focus.thread) },
    grid: gridAt(session, view.gridExpression),
    scopes: scopesAt(session),
    watches,
    breakpoints: session.breakpoints.map((b) => ({ id: b.id, label: b.label, statement: statementOfBreakpoint(b) })),
    groups: timeLine.groups.map((g) => g.position),
  }
}
