/** Types of the arguments that requests take: what comes from outside is looked at before handlers use it. */
import { aBoolean, anObject, type Expectation, isRecord, showValue } from '../../src/diagnostic/index.ts'
import { type LaunchArguments, refuse } from './context.ts'

/** Fields by their names; what `optional` made may be absent. */
type Fields = Readonly<Record<string, Expectation>>

const whole: Expectation = (v) => (Number.isSafeInteger(v) ? undefined : 'a whole number')
const aText: Expectation = (v) => (typeof v === 'string' ? undefined : 'a text')
const listOf =
  (entry: Expectation, what: string): Expectation =>
  (v) =>
    Array.isArray(v) && v.every((e) => entry(e) === undefined) ? undefined : `a list of ${what}`
const texts = listOf(aText, 'texts')
const numbers = listOf(whole, 'whole numbers')
const objects = listOf(anObject, 'objects')

/** Clients send null for what they leave out. */
const optional =
  (expectation: Expectation): Expectation =>
  (v) =>
    v === undefined || v === null ? undefined : expectation(v)
const [wholeMaybe, textMaybe, flagMaybe, objectMaybe] = [
  optional(whole),
  optional(aText),
  optional(aBoolean),
  optional(anObject),
]

/** An object whose fields are texts. */
const textsByName: Expectation = (v) =>
  isRecord(v) && Object.values(v).every((t) => typeof t === 'string') ? undefined : 'an object of texts'

const SOURCE: Fields = { path: textMaybe, name: textMaybe, sourceReference: wholeMaybe }
const FILTER: Fields = { condition: textMaybe, hitCondition: textMaybe, logMessage: textMaybe }
const STEP: Fields = { threadId: whole, granularity: textMaybe }

/** What the objects in some fields hold. */
const INSIDE: Readonly<Record<string, Fields>> = {
  'breakpointLocations.source': SOURCE,
  'gotoTargets.source': SOURCE,
  'setBreakpoints.source': SOURCE,
  'source.source': SOURCE,
  'evaluate.format': { hex: flagMaybe },
  'setBreakpoints.breakpoints': { line: whole, column: wholeMaybe, ...FILTER },
  'setDataBreakpoints.breakpoints': { dataId: aText, accessType: textMaybe, ...FILTER },
  'setExceptionBreakpoints.filterOptions': { filterId: aText, condition: textMaybe },
  'setFunctionBreakpoints.breakpoints': { name: aText, ...FILTER },
  'setInstructionBreakpoints.breakpoints': { instructionReference: aText, offset: wholeMaybe, ...FILTER },
}

const LAUNCH: Readonly<Record<keyof LaunchArguments, Expectation>> = {
  program: textMaybe,
  // Text or data: what reads it says what is wrong with it.
  job: () => undefined,
  files: objectMaybe,
  command: wholeMaybe,
  pixel: objectMaybe,
  onlyPixel: flagMaybe,
  invocation: textMaybe,
  sourcePathMap: optional(textsByName),
  stopOnEntry: flagMaybe,
  noDebug: flagMaybe,
  threads: textMaybe,
  clock: wholeMaybe,
  finding: textMaybe,
  thread: wholeMaybe,
  stopAtEnd: flagMaybe,
}

const REQUESTS: Readonly<Record<string, Fields>> = {
  attach: LAUNCH,
  launch: LAUNCH,
  breakpointLocations: { source: anObject, line: whole, endLine: wholeMaybe },
  cancel: { requestId: wholeMaybe, progressId: textMaybe },
  completions: { text: aText, column: whole, frameId: wholeMaybe },
  continue: { threadId: whole },
  dataBreakpointInfo: { name: aText, variablesReference: wholeMaybe, bytes: wholeMaybe, asAddress: flagMaybe },
  disassemble: { memoryReference: aText, offset: wholeMaybe, instructionOffset: wholeMaybe, instructionCount: whole },
  evaluate: { expression: aText, frameId: wholeMaybe, context: textMaybe, format: objectMaybe },
  goto: { threadId: whole, targetId: whole },
  gotoTargets: { source: anObject, line: whole },
  next: STEP,
  readMemory: { memoryReference: aText, offset: wholeMaybe, count: whole },
  restartFrame: { frameId: whole },
  reverseContinue: { threadId: whole },
  scopes: { frameId: whole },
  setBreakpoints: { source: anObject, breakpoints: optional(objects), lines: optional(numbers) },
  setDataBreakpoints: { breakpoints: objects },
  setExceptionBreakpoints: { filters: texts, filterOptions: optional(objects) },
  setExpression: { expression: aText, value: aText, frameId: wholeMaybe },
  setFunctionBreakpoints: { breakpoints: objects },
  setInstructionBreakpoints: { breakpoints: objects },
  setVariable: { variablesReference: whole, name: aText, value: aText },
  source: { source: objectMaybe, sourceReference: whole },
  stackTrace: { threadId: whole, startFrame: wholeMaybe, levels: wholeMaybe },
  stepBack: STEP,
  stepIn: { ...STEP, targetId: wholeMaybe },
  stepInTargets: { frameId: whole },
  stepOut: STEP,
  variables: { variablesReference: whole, filter: textMaybe, start: wholeMaybe, count: wholeMaybe },
  writeMemory: { memoryReference: aText, offset: wholeMaybe, data: aText },
  'heddle/column': { expression: aText, group: optional(numbers) },
  'heddle/command': { command: whole },
  'heddle/focus': { thread: whole, group: optional(numbers) },
  'heddle/goTo': { clock: whole },
  'heddle/grid': { group: optional(numbers) },
  'heddle/history': { memoryReference: aText, bytes: wholeMaybe, loads: flagMaybe },
  'heddle/invocation': { fragment: wholeMaybe, name: textMaybe },
  'heddle/pixelHistory': { x: whole, y: whole, slice: wholeMaybe, sample: wholeMaybe },
}

function requireFields(command: string, of: string, given: Record<string, unknown>, fields: Fields): void {
  for (const [name, expectation] of Object.entries(fields)) {
    const value = given[name]
    const expected = expectation(value)
    if (expected !== undefined) {
      const found = value === undefined ? 'nothing' : showValue(value)
      refuse(`${command} takes ${expected} as ${of}${name}; ${found} was given`)
    }
    if (value === null) delete given[name]
    const inner = INSIDE[`${command}.${name}`]
    const isThere = inner !== undefined && value !== undefined && value !== null
    const all = !isThere ? [] : Array.isArray(value) ? value : [value]
    for (const [i, entry] of all.entries()) {
      const path = Array.isArray(value) ? `${name}[${i}].` : `${name}.`
      requireFields(command, path, entry as Record<string, unknown>, inner!)
    }
  }
}

/** The arguments of a request, or a refusal that says which of them has another type than the protocol says. */
export function argumentsOf(command: string, given: unknown): Record<string, unknown> {
  const args = given ?? {}
  if (!isRecord(args)) return refuse(`${command} takes an object of arguments; ${showValue(given)} was given`)
  const copy: Record<string, unknown> = { ...args }
  const fields = Object.hasOwn(REQUESTS, command) ? REQUESTS[command] : undefined
  if (fields !== undefined) requireFields(command, '', copy, fields)
  return copy
}
