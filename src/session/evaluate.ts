/** Expressions of watches, conditions and commands, for one thread. */
import type { Thread } from '../debug/index.ts'
import { diagnostic, failure, type Outcome, outcomeOf } from '../diagnostic/index.ts'
import { childNamed, readPlace, type SourceValue, wordsOf } from '../source/index.ts'
import { FORMATS, type WordFormat } from './format.ts'
import { laneAt } from './lanes.ts'
import type { DebuggedRun } from './run.ts'
import { readerFor } from './scopes.ts'
import { type ValueNode, valueNode } from './values.ts'

/** What an expression gives. */
export interface Evaluation {
  readonly node: ValueNode
  /** Its words, undefined where they are not available. */
  readonly words: readonly (number | undefined)[]
  /** As a condition: it is available, and not 0. */
  readonly isTrue: boolean
}

const wrong = (text: string): Outcome<never> => failure([diagnostic('session-expression', text)])

interface Path {
  readonly root: string
  readonly parts: readonly (string | number)[]
  readonly lane?: number
  readonly format?: WordFormat
}

function parsePath(text: string): Path | undefined {
  const m = /^\s*([A-Za-z_<][\w ]*>?)((?:\.\w+|\[\d+\])*)\s*(?:@(\d+))?\s*(?:,\s*(\w))?\s*$/.exec(text)
  if (m === null) return undefined
  const format = FORMATS.find((f) => f === m[4])
  if (m[4] !== undefined && format === undefined) return undefined
  const parts = [...m[2]!.matchAll(/\.(\w+)|\[(\d+)\]/g)].map((p) => p[1] ?? Number(p[2]))
  return { root: m[1]!, parts, ...(m[3] === undefined ? {} : { lane: Number(m[3]) }), ...(format && { format }) }
}

/** Evaluates an expression where a thread is. */
export function evaluateAt(run: DebuggedRun, thread: Thread, text: string): Outcome<Evaluation> {
  const path = parsePath(text)
  if (path === undefined) return wrong(`${JSON.stringify(text)} is no expression`)
  const own: Thread = path.lane === undefined ? thread : { ...thread, thread: path.lane }
  const reader = readerFor(run, own, path.format)
  const wave = laneAt(run.timeLine.groups, thread)?.wave
  if (reader === undefined || wave === undefined) return wrong('the thread does not run at this moment')
  const variables = [...run.map.variablesAt(wave.statement), ...run.registers(wave.statement)]
  const root = variables.find((v) => v.name === path.root)
  if (root === undefined) return wrong(`there is no ${path.root} here`)
  let value: SourceValue = root
  for (const part of path.parts) {
    const child = childNamed(value, part)
    if (child === undefined) return wrong(`${value.path} has no part ${part}`)
    value = child
  }
  const words = wordsOf(value).map((p) => p && readPlace(reader.state, own.thread, p))
  const node = valueNode(root.kind === 'register' ? { ...reader, isUntyped: true } : reader, value)
  return outcomeOf({ node, words, isTrue: words.length > 0 && words.every((w) => w !== undefined && w !== 0) })
}
