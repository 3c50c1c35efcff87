/** Instructions and memory by address. */
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import {
  changeOf,
  type DebuggedProgram,
  type DebugSession,
  elementNamed,
  parseReference,
  spaceNamed,
} from '../../../src/session/index.ts'
import { type AdapterContext, noteShown, refuse, sessionOf } from '../context.ts'
import { columnToClient, sourceOfProgram, toClient } from '../sources.ts'

/** Bits of an address that are the statement; those above are the shader's place in its draw. */
const STATEMENT_BITS = 24

/** The address of a statement, in hexadecimal as clients compare addresses. */
export function statementAddress(session: DebugSession, stage: string | undefined, statement: number): string {
  const program = session.programs.findIndex((p) => p.stage === stage)
  return `0x${(Math.max(0, program) * 2 ** STATEMENT_BITS + statement).toString(16).padStart(8, '0')}`
}

const ADDRESS = /^(?:0x[0-9a-f]+|\d+)$/i

/** The shader that an address is in, and the statement that it would be. */
function placeOfAddress(session: DebugSession, address: string): readonly [DebuggedProgram, number] | undefined {
  if (!ADDRESS.test(address)) return undefined
  const at = Number(address)
  const program = session.programs[Math.floor(at / 2 ** STATEMENT_BITS)]
  return program && [program, at % 2 ** STATEMENT_BITS]
}

export function statementOfAddress(
  session: DebugSession,
  address: string,
  offset = 0,
): readonly [DebuggedProgram, number] | undefined {
  const place = placeOfAddress(session, address)
  if (place === undefined) return undefined
  const [program, first] = place
  const statement = first + offset
  return statement >= 0 && statement < program.program.statements.length ? [program, statement] : undefined
}

const MAX_INSTRUCTIONS = 20_000

function instructionAt(c: AdapterContext, program: DebuggedProgram, statement: number): P.DisassembledInstruction {
  const text = program.listing(statement)
  const address = statement < 0 ? '' : statementAddress(sessionOf(c), program.stage, statement)
  // Clients request what lies before the first instruction and behind the last, and count on an answer for each.
  if (statement < 0 || text === undefined) {
    const none = statement < 0 ? `-0x${(-statement).toString(16)}` : address
    return { address: none, instruction: 'no instruction', presentationHint: 'invalid' }
  }
  const own = program.map.origin === 'listing' ? undefined : program.map.linesOf(statement)?.statement
  const range = own ?? program.listingMap.linesOf(statement)?.statement
  const source =
    range === undefined ? {} : { location: sourceOfProgram(c, program, own?.file), line: toClient(c, range.line) }
  const column = range === undefined || range.column === 0 ? {} : { column: columnToClient(c, range.column) }
  return { address, instruction: text.replaceAll('\n', ' '), ...source, ...column }
}

export function disassemble(c: AdapterContext, args: P.DisassembleArguments): object {
  const place = placeOfAddress(sessionOf(c), args.memoryReference) ?? refuse('no instruction has this address')
  const [program, base] = place
  const first = base + (args.offset ?? 0) + (args.instructionOffset ?? 0)
  if (args.instructionCount < 0) return refuse(`instructionCount is ${args.instructionCount}; it must be 0 or more`)
  const count = Math.min(args.instructionCount, MAX_INSTRUCTIONS)
  return { instructions: Array.from({ length: count }, (_, i) => instructionAt(c, program, first + i)) }
}

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (const b of bytes) text += String.fromCharCode(b)
  return btoa(text)
}

function bytesOfBase64(text: string): Uint8Array {
  let decoded: string
  try {
    decoded = atob(text)
  } catch {
    return refuse('data takes bytes in base64')
  }
  return Uint8Array.from(decoded, (ch) => ch.charCodeAt(0))
}

interface MemoryPart {
  readonly space: NonNullable<ReturnType<typeof spaceNamed>>
  readonly name: string
  readonly byteOffset: number
}

function memoryPart(c: AdapterContext, reference: string, offset = 0): MemoryPart {
  const { run, focus } = sessionOf(c)
  const parsed = elementNamed(run, reference) ?? parseReference(reference)
  const space = parsed && spaceNamed(run, parsed.space, focus.group)
  if (parsed === undefined || space === undefined) return refuse(`${reference} is no memory of this run at this moment`)
  return { space, name: parsed.space, byteOffset: parsed.byteOffset + offset }
}

const MAX_READ_BYTES = 2 ** 20

export function readMemory(c: AdapterContext, args: P.ReadMemoryArguments): object {
  const { space, name, byteOffset } = memoryPart(c, args.memoryReference, args.offset)
  if (args.count < 0) return refuse(`count is ${args.count}; it must be 0 or more`)
  const wanted = Math.min(args.count, MAX_READ_BYTES)
  const bytes = byteOffset < 0 ? new Uint8Array(0) : space.bytes.slice(byteOffset, byteOffset + wanted)
  const address = `${name}+0x${Math.max(0, byteOffset).toString(16)}`
  const rest = wanted - bytes.length
  noteShown(c, args.memoryReference, args.offset ?? 0, args.count)
  return {
    address,
    ...(rest > 0 ? { unreadableBytes: rest } : {}),
    ...(bytes.length > 0 ? { data: base64Of(bytes) } : {}),
  }
}

export async function writeMemory(c: AdapterContext, args: P.WriteMemoryArguments): Promise<object> {
  const session = sessionOf(c)
  const { space, byteOffset } = memoryPart(c, args.memoryReference, args.offset)
  const given = bytesOfBase64(args.data)
  const room = Math.max(0, space.bytes.length - byteOffset)
  if (given.length > room && args.allowPartial !== true) return refuse(`there are ${room} bytes from there to the end`)
  const bytes = given.subarray(0, room)
  const change = byteOffset < 0 ? undefined : changeOf(space, byteOffset, bytes, session.focus.group)
  if (change === undefined)
    return refuse('what is bound for reading alone decides the whole run and cannot be changed in it')
  await session.change([change])
  c.afterResponse(() => {
    c.event('memory', { memoryReference: args.memoryReference, offset: args.offset ?? 0, count: bytes.length })
    c.event('invalidated', { areas: ['variables'] })
  })
  return { bytesWritten: bytes.length }
}
