import type { DebugProtocol as P } from '@vscode/debugprotocol'
import { CODES, type DiagnosticCode, ShaderError } from '../../../src/diagnostic/index.ts'
import {
  type BreakpointFilter,
  type BreakpointPlace,
  codesInCondition,
  type DataAccess,
  type DebugSession,
  expressionsInMessage,
  functionStarts,
  isExceptionFilter,
  lineStarts,
  lineWithCode,
  parseHitCondition,
  placeOfData,
} from '../../../src/session/index.ts'
import { type AdapterContext, refuse, sessionOf } from '../context.ts'
import { columnToClient, fileOfSource, fromClient, type SourceFile, toClient } from '../sources.ts'
import { statementAddress, statementOfAddress } from './instructions.ts'

const no = (message: string): P.Breakpoint => ({ verified: false, message })

/** What is wrong with a breakpoint's condition, hit condition or log message, wherever it is evaluated. */
function faultOf(
  session: DebugSession,
  place: BreakpointPlace,
  { condition, hitCondition, logMessage }: BreakpointFilter,
): string | undefined {
  const hits = parseHitCondition(hitCondition)
  if (typeof hits === 'string') return hits
  const own = condition === undefined || condition.trim() === '' ? [] : [condition]
  for (const text of [...own, ...expressionsInMessage(logMessage)]) {
    const fault = session.faultOf(place, text)
    if (fault !== undefined) return `${text}: ${fault}`
  }
  return undefined
}

function set(
  session: DebugSession,
  name: string,
  label: string,
  place: BreakpointPlace,
  filter: BreakpointFilter,
): P.Breakpoint {
  const fault = faultOf(session, place, filter)
  if (fault !== undefined) return no(fault)
  const { condition, hitCondition, logMessage, where } = filter
  const given = {
    ...(where && { where }),
    ...(condition && { condition }),
    ...(hitCondition && { hitCondition }),
    ...(logMessage && { logMessage }),
  }
  return { id: session.add(label, place, given, name).id, verified: true }
}

/** A breakpoint in several shaders is one to the client: that of the first. */
function setInAll(
  c: AdapterContext,
  name: string,
  label: string,
  places: readonly { readonly stage: string | undefined; readonly statements: readonly number[] }[],
  filter: BreakpointFilter,
): P.Breakpoint {
  const made = places.map((place) => set(sessionOf(c), name, label, { kind: 'statements', ...place }, filter))
  const [first] = made
  for (const { id } of made.slice(1))
    if (id !== undefined && first?.id !== undefined) c.sameBreakpoint.set(id, first.id)
  return first ?? no('there is no code')
}

/** The first line from one on that has code in any of the shaders, and where the code begins. */
function startsAt({ parts }: SourceFile, wanted: number) {
  const lines = parts.flatMap((p) => lineWithCode(p, p.file, wanted) ?? [])
  if (lines.length === 0) return undefined
  const line = lines.reduce((a, b) => Math.min(a, b))
  const places = parts.map(({ program, map, file }) => ({
    stage: program.stage,
    map,
    statements: lineStarts({ ...program, map }, file, line),
  }))
  return { line, places: places.filter((p) => p.statements.length > 0) }
}

export function setBreakpoints(c: AdapterContext, args: P.SetBreakpointsArguments): object {
  const session = sessionOf(c)
  const found = fileOfSource(c, args.source)
  const name = found === undefined ? '' : `lines ${found.name}`
  session.clear(name)
  const wanted = args.breakpoints ?? (args.lines ?? []).map((line): P.SourceBreakpoint => ({ line }))
  const breakpoints = wanted.map((b): P.Breakpoint => {
    if (found === undefined) return no('the shader was not made from this file')
    const at = startsAt(found, fromClient(c, b.line))
    if (at === undefined) return no('there is no code at this line or behind it')
    const places = at.places.map(({ stage, map, statements }) => {
      const atColumn =
        b.column === undefined ? [] : statements.filter((s) => map.linesOf(s)?.statement.column === b.column)
      return { stage, statements: atColumn.length > 0 ? atColumn : statements }
    })
    const made = setInAll(c, name, `${found.name}:${at.line}`, places, b)
    return { ...made, line: toClient(c, at.line), source: args.source }
  })
  return { breakpoints }
}

export function breakpointLocations(c: AdapterContext, args: P.BreakpointLocationsArguments): object {
  const found = fileOfSource(c, args.source)
  if (found === undefined) return { breakpoints: [] }
  const [first, last] = [fromClient(c, args.line), fromClient(c, args.endLine ?? args.line)]
  const places = found.parts.flatMap(({ program, map, file }) =>
    map
      .linesWithStatements(file)
      .filter((l) => l >= first && l <= last)
      .flatMap((line) =>
        lineStarts({ ...program, map }, file, line).map((s) => ({
          line,
          column: map.linesOf(s)?.statement.column ?? 0,
        })),
      ),
  )
  const distinct = new Map(places.map((p) => [`${p.line} ${p.column}`, p]))
  const breakpoints = [...distinct.values()].map(({ line, column }) => ({
    line: toClient(c, line),
    ...(column > 0 ? { column: columnToClient(c, column) } : {}),
  }))
  return { breakpoints }
}

export function setFunctionBreakpoints(c: AdapterContext, args: P.SetFunctionBreakpointsArguments): object {
  const session = sessionOf(c)
  session.clear('function')
  const breakpoints = args.breakpoints.map((b) => {
    // `pixel:main`: the function of one stage of a draw.
    const [, wanted, name = b.name] = /^(vertex|hull|domain|geometry|pixel):(.*)$/.exec(b.name) ?? []
    const places = session.programs
      .filter((p) => wanted === undefined || p.stage === wanted)
      .map((p) => ({ stage: p.stage, statements: functionStarts(p, name) }))
      .filter((p) => p.statements.length > 0)
    return places.length === 0 ? no(`there is no function ${b.name}`) : setInAll(c, 'function', b.name, places, b)
  })
  return { breakpoints }
}

export function setInstructionBreakpoints(c: AdapterContext, args: P.SetInstructionBreakpointsArguments): object {
  const session = sessionOf(c)
  session.clear('instruction')
  const breakpoints = args.breakpoints.map((b) => {
    const place = statementOfAddress(session, b.instructionReference, b.offset)
    if (place === undefined) return no(`there is no instruction at ${b.instructionReference}`)
    const [{ stage }, statement] = place
    const address = statementAddress(session, stage, statement)
    return {
      ...set(session, 'instruction', address, { kind: 'statements', statements: [statement], stage }, b),
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

/** `u0+0x30:4`, `u1[3,4]`, `r0.x` or `pixel:o0.x`: memory with a number of bytes, or a register. */
function dataPlace(session: DebugSession, dataId: string, access: DataAccess): BreakpointPlace | undefined {
  try {
    return placeOfData(session, dataId, access)
  } catch (e) {
    if (e instanceof ShaderError) return undefined
    throw e
  }
}

/** What people name in a tree of variables: with its parts, and without the words before them. */
function partOf(c: AdapterContext, { variablesReference, name }: P.DataBreakpointInfoArguments) {
  const node = variablesReference === undefined ? undefined : c.nodes[variablesReference - 1]
  return node?.children(0, node.indexedCount + node.namedCount).find((n) => n.name === name)
}

export function dataBreakpointInfo(c: AdapterContext, args: P.DataBreakpointInfoArguments): object {
  const session = sessionOf(c)
  const part = partOf(c, args)
  const text = part?.expression ?? args.name
  const memory = part?.memory ?? (args.asAddress === true ? args.name : session.evaluate(text).value?.node.memory)
  const bytes = args.bytes === undefined ? '' : `:${args.bytes}`
  const candidates = [
    ...(memory === undefined ? [] : [`${memory}${bytes === '' ? ':4' : bytes}`]),
    `${text}${bytes}`,
    text,
  ]
  for (const dataId of candidates) {
    const place = dataPlace(session, dataId, 'any')
    if (place === undefined) continue
    if (place.kind === 'memory')
      return { dataId, description: dataId, accessTypes: ['read', 'write', 'readWrite'], canPersist: true }
    const { stage } = session.run
    const { group, thread } = session.focus
    const own = stage === undefined ? `${dataId}@${group.join(',')}/${thread}` : `${stage}:${dataId}`
    const description = stage === undefined ? `writes of thread ${thread} to ${dataId}` : `writes to ${own}`
    return { dataId: own, description, accessTypes: ['write'], canPersist: stage !== undefined }
  }
  return { dataId: null, description: `${args.name} lies in no memory and no register that a statement writes` }
}

export function setDataBreakpoints(c: AdapterContext, args: P.SetDataBreakpointsArguments): object {
  const session = sessionOf(c)
  session.clear('data')
  const breakpoints = args.breakpoints.map((b) => {
    const [, text = b.dataId, x, y, z, thread] = /^(.*)@(\d+),(\d+),(\d+)\/(\d+)$/.exec(b.dataId) ?? []
    const place = dataPlace(session, text, ACCESSES[b.accessType ?? 'write'])
    const where =
      thread === undefined
        ? {}
        : { where: { group: [Number(x), Number(y), Number(z)] as const, threads: [Number(thread)] } }
    return place === undefined
      ? no(`${b.dataId} is no memory and no register`)
      : set(session, 'data', b.dataId, place, { ...b, ...where })
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
