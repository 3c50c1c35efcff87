/** Expressions of watches, conditions and commands, for one thread. */
import type { Thread } from '../debug/index.ts'
import { type Diagnostic, diagnostic, failure, type Outcome, outcomeOf } from '../diagnostic/index.ts'
import {
  type ComputedValue,
  type Expression,
  type ExpressionContext,
  evaluateCondition,
  evaluateExpression,
  parseExpression,
  registersIn,
  sourceTypeText,
  type ValueState,
} from '../source/index.ts'
import { undeclaredText } from './declared.ts'
import { laneAt } from './lanes.ts'
import type { DebuggedProgram, DebuggedRun } from './run.ts'
import { lastStatement, readerFor } from './scopes.ts'
import {
  assignment,
  componentName,
  isOfConstants,
  isOfRegister,
  type ValueNode,
  type ValueReader,
  valueNode,
  wordNode,
} from './values.ts'

/** What an expression gives. */
export interface Evaluation {
  readonly node: ValueNode
  /** As a condition: it is available, and not 0. */
  readonly isTrue: boolean
}

/** Expressions that were read, by their text: conditions are evaluated at every stop. */
const KNOWN = new Map<string, Outcome<Expression>>()
const MAX_KNOWN = 256

function expressionOf(text: string): Outcome<Expression> {
  const known = KNOWN.get(text)
  if (known !== undefined) return known
  const parsed = parseExpression(text)
  if (KNOWN.size >= MAX_KNOWN) KNOWN.clear()
  KNOWN.set(text, parsed)
  return parsed
}

const NOTHING_RUNS = 'not available: no thread runs any more; what is there are constants and bound memory'

interface EvaluationContext {
  /** No group is in flight. */
  readonly isAfterAll: boolean
  readonly reader: ValueReader
  readonly context: ExpressionContext
}

function contextAt(run: DebuggedRun, thread: Thread, frame: number): EvaluationContext | undefined {
  const reader = readerFor(run, thread)
  const wave = laneAt(run.timeLine.groups, thread)?.wave
  if (reader === undefined) return undefined
  const { map, operations } = run
  const statement = wave?.statement ?? lastStatement(run)
  const context = { map, state: reader.state, operations, statement, lane: thread.thread, frame }
  return { reader, context, isAfterAll: wave === undefined }
}

const notRunning = (): Outcome<never> =>
  failure([diagnostic('session-expression', 'the group of the thread does not run at this moment')])

function componentNodes(reader: ValueReader, v: ComputedValue, format: ValueReader['format']): readonly ValueNode[] {
  const size = v.scalar === 'double' ? 2 : 1
  if (v.rows * v.columns === 1) return []
  return Array.from({ length: v.rows * v.columns }, (_, i) => {
    const name = componentName(v, i)
    const places = v.places?.slice(i * size, (i + 1) * size)
    const words = v.words.slice(i * size, (i + 1) * size)
    const own: ComputedValue = { ...v, rows: 1, columns: 1, words, ...(places && { places }) }
    return wordNode(reader, name, own, format, [])
  })
}

/** Whether a function gave the value its type: `asint(r0.xy).y`. */
const isOfCall = (node: Expression['root']): boolean =>
  node.kind === 'member' ? isOfCall(node.of) : node.kind === 'call'

/** Evaluates an expression where a thread is; `frame` 0 is the innermost function. */
export function evaluateAt(run: DebuggedRun, thread: Thread, text: string, frame = 0): Outcome<Evaluation> {
  const parsed = expressionOf(text)
  if (parsed.value === undefined) return failure(parsed.diagnostics)
  const at = contextAt(run, thread, frame)
  if (at === undefined) return notRunning()
  const found = evaluateExpression(parsed.value, at.context)
  if (found.value === undefined) {
    const isLeft = (code: string): boolean => at.isAfterAll && code === 'source-unavailable'
    return failure(found.diagnostics.map((d) => (isLeft(d.code) ? { ...d, message: NOTHING_RUNS } : d)))
  }
  const { format } = parsed.value
  const value = found.value
  const reader = { ...at.reader, format, thread: { ...thread, thread: value.lane ?? thread.thread } }
  if (value.kind === 'tree') {
    return outcomeOf({
      node: { ...valueNode(reader, value.value), name: text, type: sourceTypeText(value.value.type) },
      isTrue: true,
    })
  }
  // Constants have types where the source names them, and none as registers: cb0[1].
  const isBits = isOfRegister(value) || (isOfConstants(value) && registersIn(parsed.value, at.context).length > 0)
  const isUntyped = isBits && !isOfCall(parsed.value.root)
  const own = { ...reader, ...(isUntyped ? { isUntyped } : {}) }
  const node = wordNode(own, text, value, format, componentNodes(own, value, format))
  const { places } = value
  const isTrue = value.words.some((w) => w !== undefined && w !== 0)
  if (places === undefined) return outcomeOf({ node, isTrue })
  return outcomeOf({ node: { ...node, assign: (given) => assignment(own, text, value.scalar, places, given) }, isTrue })
}

/** Whether a condition holds for a thread; what is wrong with it where it cannot be evaluated. */
export function holdsAt(run: DebuggedRun, thread: Thread, text: string): Outcome<boolean> {
  const parsed = expressionOf(text)
  if (parsed.value === undefined) return failure(parsed.diagnostics)
  const at = contextAt(run, thread, 0)
  if (at === undefined) return notRunning()
  const found = evaluateExpression(parsed.value, at.context)
  // Registers have no types: as floats, small integers would be denormals, which compare as 0.
  const isBits = found.value?.kind === 'computed' && isOfRegister(found.value)
  if (isBits) return outcomeOf((found.value as ComputedValue).words.some((w) => w !== undefined && w !== 0))
  return evaluateCondition(parsed.value, at.context)
}

/** Every word is 0: what names stand for can be asked where nothing runs. */
const ZEROS: ValueState = { lanes: () => [0], readRegister: () => 0, readMemory: () => 0 }

/** Why an expression has no value, with the column where it says so. */
const placed = ({ message, place }: Diagnostic): string =>
  place?.kind === 'text' && place.column > 1 ? `${message} (column ${place.column})` : message

/**
 * What is wrong with a condition wherever it is evaluated: its text, a name that is defined at no statement of the shader, a register that it
 * does not declare.
 */
export function conditionFault(
  { map, operations, program, declarations }: DebuggedProgram,
  text: string,
  statements: readonly number[] = [],
): string | undefined {
  const parsed = expressionOf(text)
  if (parsed.value === undefined) return parsed.diagnostics.map(placed)[0]
  const expression = parsed.value
  const contextOf = (statement: number): ExpressionContext => ({ map, operations, state: ZEROS, statement, lane: 0 })
  const unknownAt = (statement: number): string | undefined => {
    const { diagnostics } = evaluateExpression(expression, contextOf(statement))
    return (
      diagnostics.filter((d) => d.code === 'source-name').map(placed)[0] ??
      registersIn(expression, contextOf(statement)).flatMap((r) => undeclaredText(declarations, statement, r) ?? [])[0]
    )
  }
  const fault = unknownAt(statements[0] ?? 0)
  // A variable that lives elsewhere is not available here, and may be at another lane's statement.
  const isKnown = fault === undefined || program.statements.some((_, s) => unknownAt(s) === undefined)
  return isKnown ? undefined : fault
}
