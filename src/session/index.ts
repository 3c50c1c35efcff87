/**
 * A debug session: the moment and the thread of a run that are looked at, with breakpoints, steps in both directions,
 * variables, memory and lanes. The terminal, the debug adapter and pages are front ends of it, and share the commands
 * of `commands/`.
 *
 * Invariants: it is plain of any host: no files but through a `JobHost`, no clock, no terminal, so that it runs in a worker;
 * what it shows is the moment that the time line stands at, never a copy of an earlier one; nothing but `change` changes
 * the run. It names no engine: one that steps is passed in.
 */
export {
  type Breakpoint,
  type BreakpointFilter,
  type BreakpointPlace,
  codesInCondition,
  codesOf,
  type DataAccess,
  EXCEPTION_FILTERS,
  type ExceptionFilterName,
  expressionsInMessage,
  isExceptionFilter,
  parseHitCondition,
} from './breakpoints.ts'
export {
  COMMANDS,
  type Command,
  type CommandContext,
  type CommandOutput,
  type CommandResult,
  commandOf,
  historyRow,
  inOwnWords,
  isCommand,
  placeOfData,
  runCommand,
  stopLines,
  unwrittenText,
} from './commands/index.ts'
export { stateDigest } from './digest.ts'
export { type ElementPlace, elementNamed, type MemoryReference } from './elements.ts'
export type { Evaluation } from './evaluate.ts'
export { guessText, hexText } from './format.ts'
export { goToFinding } from './go-to-finding.ts'
export { INVOCATIONS, invocationNamedBy, invocationOfNthFragment } from './invocations.ts'
export {
  type GridCell,
  groupText,
  isHelper,
  type LaneGrid,
  type LaneGroup,
  type LaneStatus,
  laneAt,
  laneGrid,
  laneGroups,
  laneName,
  laneStatus,
  positionInGroup,
  rangesText,
  statusText,
  threadText,
} from './lanes.ts'
export { openSession, type SessionOptions } from './open.ts'
export { type OutputPaint, outputLines, outputText } from './output-text.ts'
export { blendTexts, contentsTexts, effectText, outcomeText, outputsText } from './pixels.ts'
export {
  fileNamed,
  functionStarts,
  lineStarts,
  lineText,
  lineWithCode,
  placeText,
  rangeText,
  statementOfInstruction,
} from './places.ts'
export type { DebuggedDraw, DebuggedProgram, DebuggedRun } from './run.ts'
export { lastStatement, readerFor, type Scope, scopesOf } from './scopes.ts'
export { runScript, type ScriptListener, type ScriptReport } from './script.ts'
export { DebugSession, type SessionStop, type StepRequest, type StopReason } from './session.ts'
export {
  changeOf,
  type MemorySpace,
  parseReference,
  printReference,
  rangeIn,
  rangeReference,
  SHARED_SPACE,
  spaceNamed,
  spaceNames,
} from './spaces.ts'
export { shownValue, textNode, type ValueNode, valueNode } from './values.ts'
