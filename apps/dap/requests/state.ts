import type { DebugProtocol as P } from '@vscode/debugprotocol'
import type { Change } from '../../../src/debug/index.ts'
import { instructionNumbers } from '../../../src/program/index.ts'
import {
  COMMANDS,
  type CommandContext,
  isCommand,
  laneAt,
  laneName,
  lastStatement,
  outputText,
  runCommand,
  scopesOf,
  shownValue,
  type ValueNode,
} from '../../../src/session/index.ts'
import {
  type AdapterContext,
  type FrameHandle,
  memoryChanged,
  referenceOf,
  refuse,
  refuseLate,
  sessionOf,
} from '../context.ts'
import { announceSources, columnToClient, sourceOfProgram, sourcesNow, toClient } from '../sources.ts'
import { statementAddress } from './instructions.ts'
import { representative } from './threads.ts'

/** The frames of a thread: inlined functions, and the calls of subroutines around them. */
function framesOf(c: AdapterContext, id: number): readonly FrameHandle[] {
  const { run, timeLine, focus } = sessionOf(c)
  // Clients show what is in a frame: at the end that is what the run left.
  if (timeLine.groups.length === 0) return [{ thread: focus, statement: lastStatement(run), frame: 0, isEnd: true }]
  const thread = representative(c, id)
  const found = thread && laneAt(timeLine.groups, thread)
  if (thread === undefined || found === undefined) return []
  const calls = found.wave.frames().flatMap((f) => f.call ?? [])
  return [found.wave.statement, ...calls.reverse()].flatMap((statement) => {
    const count = Math.max(1, run.map.inlineStack(statement).length)
    return Array.from({ length: count }, (_, frame) => ({ thread, statement, frame }))
  })
}

function stackFrame(c: AdapterContext, handle: FrameHandle): P.StackFrame {
  const session = sessionOf(c)
  const { run } = session
  const { statement, frame, thread } = handle
  const own = run.map.inlineStack(statement)[frame]
  const range = own?.range ?? run.listingMap.linesOf(statement)?.statement
  const isListing = own === undefined || run.map.origin === 'listing'
  const number = instructionNumbers(run.program)[statement]
  const invocation = run.draw === undefined ? '' : ` of ${laneName(run, thread.thread)}`
  const running = `${own?.functionName ?? 'main'}${number === undefined ? '' : ` (instruction ${number})`}${invocation}`
  const name = handle.isEnd === true ? 'the end of the run' : running
  const reference = statementAddress(session, run.stage, statement)
  const common = { id: c.frames.push(handle), name, instructionPointerReference: reference }
  if (range === undefined) return { ...common, line: 0, column: 0 }
  return {
    ...common,
    source: sourceOfProgram(c, run, isListing ? undefined : range.file),
    line: toClient(c, range.line),
    column: columnToClient(c, range.column),
    endLine: toClient(c, range.endLine),
    // The protocol's end is behind the last character.
    ...(range.endColumn === 0 ? {} : { endColumn: columnToClient(c, range.endColumn + 1) }),
  }
}

export function stackTrace(c: AdapterContext, args: P.StackTraceArguments): object {
  const all = framesOf(c, args.threadId)
  const first = args.startFrame ?? 0
  const levels = args.levels === undefined || args.levels === 0 ? all.length : args.levels
  const stackFrames = all.slice(first, first + levels).map((f) => stackFrame(c, f))
  return { stackFrames, totalFrames: all.length }
}

const frameOf = (c: AdapterContext, id: number | undefined): FrameHandle | undefined =>
  id === undefined ? undefined : (c.frames[id - 1] ?? refuseLate('the frame is of an earlier stop'))

export function scopes(c: AdapterContext, args: P.ScopesArguments): object {
  const { run } = sessionOf(c)
  const { thread, frame } = frameOf(c, args.frameId)!
  const found = scopesOf(run, thread, frame).map(
    ({ name, hint, isExpensive, node }): P.Scope => ({
      name,
      variablesReference: referenceOf(c, node),
      expensive: isExpensive,
      ...(hint === undefined ? {} : { presentationHint: hint }),
      ...(node.namedCount > 0 ? { namedVariables: node.namedCount } : {}),
      ...(node.indexedCount > 0 ? { indexedVariables: node.indexedCount } : {}),
    }),
  )
  return { scopes: found }
}

function variable(c: AdapterContext, node: ValueNode): P.Variable {
  return {
    name: node.name,
    value: shownValue(node),
    variablesReference: referenceOf(c, node),
    ...(node.type === undefined ? {} : { type: node.type }),
    ...(node.expression === undefined ? {} : { evaluateName: node.expression }),
    ...(node.indexedCount > 0 ? { indexedVariables: node.indexedCount } : {}),
    ...(node.namedCount > 0 ? { namedVariables: node.namedCount } : {}),
    ...(node.memory === undefined ? {} : { memoryReference: node.memory }),
    ...(node.assign === undefined ? { presentationHint: { attributes: ['readOnly'] } } : {}),
  }
}

/** So many variables are answered at once to clients that do not page. */
const MAX_PAGE = 1024

export function variables(c: AdapterContext, args: P.VariablesArguments): object {
  const node = c.nodes[args.variablesReference - 1] ?? refuseLate('the variables are of an earlier stop')
  const wanted =
    args.filter === 'indexed'
      ? node.indexedCount
      : args.filter === 'named'
        ? node.namedCount
        : node.indexedCount + node.namedCount
  const start = args.start ?? 0
  const count = Math.min(args.count === undefined || args.count === 0 ? wanted : args.count, wanted, MAX_PAGE)
  return { variables: count === 0 ? [] : node.children(start, count).map((n) => variable(c, n)) }
}

async function assign(c: AdapterContext, node: ValueNode, value: string): Promise<void> {
  const changes: readonly Change[] | string = node.assign?.(value) ?? `${node.name} cannot be changed`
  if (typeof changes === 'string') return refuse(changes)
  await sessionOf(c).change(changes)
  c.afterResponse(() => {
    memoryChanged(c)
    c.event('invalidated', { areas: ['variables'] })
  })
}

export async function setVariable(c: AdapterContext, args: P.SetVariableArguments): Promise<object> {
  const session = sessionOf(c)
  const node = c.nodes[args.variablesReference - 1] ?? refuseLate('the variables are of an earlier stop')
  const find = (): ValueNode =>
    node.children(0, node.indexedCount + node.namedCount).find((n) => n.name === args.name) ??
    refuse(`there is no ${args.name}`)
  const part = find()
  if (part.name === 'lane' && part.type === 'thread of the group') {
    const thread = Number(args.value)
    if (laneAt(session.timeLine.groups, { ...session.focus, thread }) === undefined)
      return refuse(`there is no thread ${args.value}`)
    session.focus = { ...session.focus, thread }
    c.afterResponse(() => c.event('invalidated', { areas: ['threads', 'stacks', 'variables'] }))
    return { value: args.value }
  }
  await assign(c, part, args.value)
  await session.followUndefined(c.options)
  const made = find()
  const { type } = made
  return { value: shownValue(made), ...(type === undefined ? {} : { type }) }
}

function evaluated(c: AdapterContext, expression: string, frameId: number | undefined) {
  const session = sessionOf(c)
  const frame = frameOf(c, frameId)
  const { value, diagnostics } = session.evaluateFor(frame?.thread ?? session.focus, expression, frame?.frame ?? 0)
  return value?.node ?? refuse(diagnostics[0]?.message ?? 'nothing')
}

export async function setExpression(c: AdapterContext, args: P.SetExpressionArguments): Promise<object> {
  await assign(c, evaluated(c, args.expression, args.frameId), args.value)
  await sessionOf(c).followUndefined(c.options)
  return { value: shownValue(evaluated(c, args.expression, args.frameId)) }
}

/** A line of the console: a command of the debugger, else an expression. */
async function command(c: AdapterContext, line: string): Promise<object> {
  const session = sessionOf(c)
  const context: CommandContext & { findings: CommandContext['findings'] } = {
    session,
    findings: [],
    options: c.options,
  }
  const [of, before] = [session.frame?.current, sourcesNow(c)]
  const { value, diagnostics } = await runCommand(context, line)
  if (value === undefined) return refuse([diagnostics[0]?.message, ...(diagnostics[0]?.notes ?? [])].join('\n'))
  const { stop, isChanged } = value
  if (session.frame?.current !== of) announceSources(c, before)
  if (stop !== undefined) c.start(() => Promise.resolve({ ...stop, logs: [] }))
  else if (isChanged === true)
    c.afterResponse(() => {
      memoryChanged(c)
      c.event('invalidated', { areas: ['threads', 'stacks', 'variables'] })
    })
  return { result: outputText(value.outputs), variablesReference: 0 }
}

/**
 * Whether a line of the console is a command. Names of commands that are variables here too are the variables, as `x`, `n` or
 * `x/4`; a grave accent before the line makes it a command.
 */
function isCommandLine(c: AdapterContext, { expression, frameId }: P.EvaluateArguments): boolean {
  if (expression.startsWith('`')) return true
  if (!isCommand(expression)) return false
  const session = sessionOf(c)
  const { statement, run } = session
  const [name] = /[A-Za-z_]\w*/.exec(expression) ?? []
  const isVariable = statement !== undefined && run.map.variablesAt(statement).some((v) => v.name === name)
  if (!isVariable) return true
  const frame = frameOf(c, frameId)
  const found = session.evaluateFor(frame?.thread ?? session.focus, expression, frame?.frame ?? 0)
  return found.value === undefined && found.diagnostics[0]?.code !== 'source-unavailable'
}

export function evaluate(c: AdapterContext, args: P.EvaluateArguments): object | Promise<object> {
  if (args.context === 'repl' && isCommandLine(c, args)) return command(c, args.expression.replace(/^`/, ''))
  const hex = args.format?.hex === true && !/,\s*\w\s*$/.test(args.expression) ? ',x' : ''
  const node = evaluated(c, `${args.expression}${hex}`, args.frameId)
  const { value: result, variablesReference, ...rest } = variable(c, node)
  const { type, indexedVariables, namedVariables, memoryReference } = rest
  return {
    result,
    variablesReference,
    ...(type === undefined ? {} : { type }),
    ...(indexedVariables === undefined ? {} : { indexedVariables }),
    ...(namedVariables === undefined ? {} : { namedVariables }),
    ...(memoryReference === undefined ? {} : { memoryReference }),
  }
}

export function completions(c: AdapterContext, args: P.CompletionsArguments): object {
  const { run, statement } = sessionOf(c)
  const before = args.text.slice(0, Math.max(0, args.column - (c.client.columnsStartAt1 === false ? 0 : 1)))
  const word = /[\w$]*$/.exec(before)![0]
  const own = statement === undefined ? [] : [...run.map.variablesAt(statement), ...run.registers(statement)]
  const names = new Map<string, P.CompletionItemType>(own.map((v) => [v.name, 'variable']))
  if (before.trim() === word) for (const { name } of COMMANDS) names.set(name, 'keyword')
  const targets = [...names].filter(([name]) => name.startsWith(word)).map(([label, type]) => ({ label, type }))
  return { targets: targets.slice(0, MAX_PAGE) }
}
