/** Instructions and memory by address. */
import type { DebugProtocol as P } from '@vscode/debugprotocol'
import { changeOf, type DebuggedRun, parseReference, spaceNamed } from '../../../src/session/index.ts'
import { type AdapterContext, refuse, sessionOf } from '../context.ts'
import { columnToClient, filesOf, sourceAt, toClient } from '../sources.ts'

/** The address of a statement: its index, in hexadecimal as clients compare addresses. */
export const statementAddress = (statement: number): string => `0x${statement.toString(16).padStart(8, '0')}`

export function statementOfAddress({ program }: DebuggedRun, address: string, offset = 0): number | undefined {
  const statement = Number(address) + offset
  const exists = /^(?:0x[0-9a-f]+|\d+)$/i.test(address) && statement >= 0 && statement < program.statements.length
  return exists ? statement : undefined
}

const MAX_INSTRUCTIONS = 20_000

export function disassemble(c: AdapterContext, args: P.DisassembleArguments): object {
  const session = sessionOf(c)
  const { run } = session
  const base = /^(?:0x[0-9a-f]+|\d+)$/i.test(args.memoryReference)
    ? Number(args.memoryReference)
    : refuse('no instruction has this address')
  const first = base + (args.offset ?? 0) + (args.instructionOffset ?? 0)
  const count = Math.min(args.instructionCount, MAX_INSTRUCTIONS)
  const listing = filesOf(session).length - 1
  const instructions = Array.from({ length: count }, (_, i): P.DisassembledInstruction => {
    const statement = first + i
    const text = run.listing(statement)
    // Clients ask for what lies before the first instruction and behind the last, and count on an answer for each.
    if (statement < 0 || text === undefined) {
      const address = statement < 0 ? `-0x${(-statement).toString(16)}` : statementAddress(statement)
      return { address, instruction: 'no instruction', presentationHint: 'invalid' }
    }
    const own = run.map.linesOf(statement)?.statement
    const range = own ?? run.listingMap.linesOf(statement)?.statement
    const source =
      range === undefined
        ? {}
        : { location: sourceAt(c, own === undefined ? listing : own.file), line: toClient(c, range.line) }
    const column = range === undefined || range.column === 0 ? {} : { column: columnToClient(c, range.column) }
    return { address: statementAddress(statement), instruction: text.replaceAll('\n', ' '), ...source, ...column }
  })
  return { instructions }
}

function base64Of(bytes: Uint8Array): string {
  let text = ''
  for (const b of bytes) text += String.fromCharCode(b)
  return btoa(text)
}

const bytesOfBase64 = (text: string): Uint8Array => Uint8Array.from(atob(text), (ch) => ch.charCodeAt(0))

interface MemoryPart {
  readonly space: NonNullable<ReturnType<typeof spaceNamed>>
  readonly name: string
  readonly byteOffset: number
}

function memoryPart(c: AdapterContext, reference: string, offset = 0): MemoryPart {
  const { run, focus } = sessionOf(c)
  const parsed = parseReference(reference)
  const space = parsed && spaceNamed(run, parsed.space, focus.group)
  if (parsed === undefined || space === undefined) return refuse(`${reference} is no memory of this run at this moment`)
  return { space, name: parsed.space, byteOffset: parsed.byteOffset + offset }
}

const MAX_READ_BYTES = 2 ** 20

export function readMemory(c: AdapterContext, args: P.ReadMemoryArguments): object {
  const { space, name, byteOffset } = memoryPart(c, args.memoryReference, args.offset)
  const wanted = Math.min(args.count, MAX_READ_BYTES)
  const bytes = byteOffset < 0 ? new Uint8Array(0) : space.bytes.slice(byteOffset, byteOffset + wanted)
  const address = `${name}+0x${Math.max(0, byteOffset).toString(16)}`
  const rest = wanted - bytes.length
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
