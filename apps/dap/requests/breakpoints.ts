import type { DebugProtocol as P } from '@vscode/debugprotocol'
import { CODES, type DiagnosticCode } from '../../../src/diagnostic/index.ts'
import {
  type BreakpointFilter,
  type BreakpointPlace,
  codesInCondition,
  type DataAccess,
  type DebugSession,
  functionStarts,
  isExceptionFilter,
  lineStarts,
  lineWithCode,
  parseHitCondition,
  parseReference,
  rangeIn,
  spaceNamed,
  syntaxFault,
} from '../../../src/session/index.ts'
import { type AdapterContext, refuse, sessionOf } from '../context.ts'
import { columnToClient, fileOfSource, fromClient, toClient } from '../sources.ts'
import { statementAddress, statementOfAddress } from './instructions.ts'

const no = (message: string): P.Breakpoint => ({ verified: false, message })

/** What is wrong with a breakpoint's condition or hit condition. */
function faultOf({ condition, hitCondition }: BreakpointFilter): string | undefined {
  const hits = parseHitCondition(hitCondition)
  if (typeof hits === 'string') return hits
  return condition === undefined || condition.trim() === '' ? undefined : syntaxFault(condition)
}

function set(
  session: DebugSession,
  name: string,
  label: string,
  place: BreakpointPlace,
  filter: BreakpointFilter,
): P.Breakpoint {
  const fault = faultOf(filter)
  if (fault !== undefined) return no(fault)
  const { condition, hitCondition, logMessage } = filter
  const given = {
    ...(condition && { condition }),
    ...(hitCondition && { hitCondition }),
    ...(logMessage && { logMessage }),
  }
  return { id: session.add(label, place, given, name).id, verified: true }
}

export function setBreakpoints(c: AdapterContext, args: P.SetBreakpointsArguments): object {
  const session = sessionOf(c)
  const found = fileOfSource(c, args.source)
  const name = found === undefined ? '' : `lines ${found.map === session.run.map ? found.file : 'listing'}`
  session.clear(name)
  const wanted = args.breakpoints ?? (args.lines ?? []).map((line): P.SourceBreakpoint => ({ line }))
  const breakpoints = wanted.map((b): P.Breakpoint => {
    if (found === undefined) return no('the shader was not made from this file')
    const line = lineWithCode(found, found.file, fromClient(c, b.line))
    if (line === undefined) return no('there is no code at this line or behind it')
    const starts = lineStarts(found, found.file, line)
    const atColumn =
      b.column === undefined ? [] : starts.filter((s) => found.map.linesOf(s)?.statement.column === b.column)
    const statements = atColumn.length > 0 ? atColumn : starts
    const label = `${found.map.files[found.file]!.name}:${line}`
    return {
      ...set(session, name, label, { kind: 'statements', statements }, b),
      line: toClient(c, line),
      source: args.source,
    }
  })
  return { breakpoints }
}

export function breakpointLocations(c: AdapterContext, args: P.BreakpointLocationsArguments): object {
  const found = fileOfSource(c, args.source)
  if (found === undefined) return { breakpoints: [] }
  const [first, last] = [fromClient(c, args.line), fromClient(c, args.endLine ?? args.line)]
  const lines = found.map.linesWithStatements(found.file).filter((l) => l >= first && l <= last)
  const breakpoints = lines.flatMap((line) => {
    const columns = lineStarts(found, found.file, line).map((s) => found.map.linesOf(s)?.statement.column ?? 0)
    return [...new Set(columns)].map((column) => ({
      line: toClient(c, line),
      ...(column > 0 ? { column: columnToClient(c, column) } : {}),
    }))
  })
  return { breakpoints }
}

export function setFunctionBreakpoints(c: AdapterContext, args: P.SetFunctionBreakpointsArguments): object {
  const session = sessionOf(c)
  session.clear('function')
  const breakpoints = args.breakpoints.map((b) => {
    const statements = functionStarts(session.run, b.name)
    return statements.length === 0
      ? no(`there is no function ${b.name}`)
      : set(session, 'function', b.name, { kind: 'statements', statements }, b)
  })
  return { breakpoints }
}

export function setInstructionBreakpoints(c: AdapterContext, args: P.SetInstructionBreakpointsArguments): object {
  const session = sessionOf(c)
  session.clear('instruction')
  const breakpoints = args.breakpoints.map((b) => {
    const statement = statementOfAddress(session.run, b.instructionReference, b.offset)
    if (statement === undefined) return no(`there is no instruction at ${b.instructionReference}`)
    const address = statementAddress(statement)
    return {
      ...set(session, 'instruction', address, { kind: 'statements', statements: [statement] }, b),
      instructionReference: address,
    }
  })
  return { breakpoints }
}

const ACCESSES: Readonly<Record<P.DataBreakpointAccessType, DataAccess>> = {
  read: 'read',
  write: 'write',
  readWrite: 'any',
}

/** `u0+0x30:4`: a place and a number of bytes. */
function dataPlace(session: DebugSession, dataId: string, access: DataAccess): BreakpointPlace | undefined {
  const [reference = '', length = '4'] = dataId.split(':')
  const memory = parseReference(reference)
  const space = memory && spaceNamed(session.run, memory.space, session.focus.group)
  const byteLength = Number(length)
  if (memory === undefined || space === undefined || !Number.isSafeInteger(byteLength) || byteLength < 1)
    return undefined
  if (memory.byteOffset + byteLength > space.bytes.length) return undefined
  const range = rangeIn(space, memory.byteOffset, byteLength, session.focus.group)
  return range && { kind: 'memory', range, access }
}

export function dataBreakpointInfo(c: AdapterContext, args: P.DataBreakpointInfoArguments): object {
  const session = sessionOf(c)
  const node = args.variablesReference === undefined ? undefined : c.nodes[args.variablesReference - 1]
  const part = node?.children(0, node.indexedCount + node.namedCount).find((n) => n.name === args.name)
  const reference =
    part?.memory ?? (args.asAddress === true ? args.name : session.evaluate(args.name).value?.node.memory)
  const dataId = reference === undefined ? undefined : `${reference}:${args.bytes ?? 4}`
  if (dataId === undefined || dataPlace(session, dataId, 'any') === undefined) {
    return { dataId: null, description: `${args.name} lies in no memory that a statement writes` }
  }
  return { dataId, description: dataId, accessTypes: ['read', 'write', 'readWrite'], canPersist: true }
}

export function setDataBreakpoints(c: AdapterContext, args: P.SetDataBreakpointsArguments): object {
  const session = sessionOf(c)
  session.clear('data')
  const breakpoints = args.breakpoints.map((b) => {
    const place = dataPlace(session, b.dataId, ACCESSES[b.accessType ?? 'write'])
    return place === undefined ? no(`${b.dataId} is no memory`) : set(session, 'data', b.dataId, place, b)
  })
  return { breakpoints }
}

export function setExceptionBreakpoints(c: AdapterContext, args: P.SetExceptionBreakpointsArguments): object {
  const session = sessionOf(c)
  session.clear('exception')
  const options = [
    ...args.filters.map((filterId) => ({ filterId }) as P.ExceptionFilterOptions),
    ...(args.filterOptions ?? []),
  ]
  const breakpoints = options.map(({ filterId, condition }) => {
    if (!isExceptionFilter(filterId)) return no(`there is no filter ${filterId}`)
    const codes = codesInCondition(condition)
    return set(session, 'exception', filterId, { kind: 'filter', filter: filterId, ...(codes && { codes }) }, {})
  })
  return { breakpoints }
}

export function exceptionInfo(c: AdapterContext): object {
  const [finding] = c.lastStop?.findings ?? []
  if (finding === undefined) {
    const label = c.lastStop?.breakpoints[0]?.label
    return label === undefined
      ? refuse('the session did not stop for a finding')
      : { exceptionId: label, breakMode: 'always' }
  }
  const info = CODES[finding.code as DiagnosticCode]
  const details = { message: finding.message, typeName: finding.code, stackTrace: info?.explanation }
  return { exceptionId: finding.code, description: finding.message, breakMode: 'always', details }
}
