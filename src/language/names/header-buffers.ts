/** The section `Buffer Definitions` of a listing's header, read back: names and offsets of constants. */
import type { ReflectionBuffer, ReflectionMember, ReflectionVariable } from '../../dxbc/index.ts'

const TITLE = /^\/\/ (cbuffer|tbuffer|interfaces) (\S+)\s*$/
const CLOSE = /^\/\/ \}\s*$/
const STRUCT_BEGIN = /^\/\/\s+(struct(?: \S+)?)\s*$/
const MEMBER =
  /^\/\/\s+(?:\}|(\S(?:.*\S)?)) (\S+?)(?:\[(\d+)\])?;\s*\/\/ Offset:\s*(\d+)(?: Size:\s*(\d+)( \[unused\])?)?/

/** A structure whose members are being read. */
interface Open {
  readonly type: string
  readonly members: ReflectionMember[]
}

interface Draft {
  readonly variables: ReflectionVariable[]
  readonly open: Open[]
}

/** Members count from the start of their structure, the text from the start of the buffer. */
function fromStart(members: readonly ReflectionMember[], start: number): readonly ReflectionMember[] {
  return members.map((m) => ({ ...m, byteOffset: m.byteOffset - start }))
}

function addMember(draft: Draft, match: RegExpExecArray): void {
  const [, plain, name, elements, offset, size, unused] = match
  const structure = plain === undefined ? draft.open.pop() : undefined
  const byteOffset = Number(offset)
  const member = {
    name: name!,
    type: plain ?? structure?.type ?? 'struct',
    byteOffset,
    ...(elements === undefined ? {} : { elements: Number(elements) }),
    ...(structure === undefined ? {} : { members: fromStart(structure.members, byteOffset) }),
  }
  const inside = draft.open.at(-1)
  if (inside !== undefined) inside.members.push(member)
  else draft.variables.push({ ...member, byteLength: Number(size ?? 0), used: unused === undefined })
}

/** A buffer behind its title; gives the number of the line behind it. */
function readBuffer(lines: readonly string[], from: number, draft: Draft): number {
  let at = from
  for (; at < lines.length && lines[at]!.trimStart().startsWith('//') && !CLOSE.test(lines[at]!); at++) {
    const line = lines[at]!
    const structure = STRUCT_BEGIN.exec(line)
    const member = line.length > 1000 ? null : MEMBER.exec(line)
    if (structure !== null) draft.open.push({ type: structure[1]!, members: [] })
    else if (member !== null) addMember(draft, member)
  }
  return at + 1
}

/** The buffers that the comments in front of a listing define. */
export function headerBuffers(text: string): readonly ReflectionBuffer[] {
  const end = /^(?!\/\/)\S/m.exec(text)?.index ?? text.length
  const lines = text.slice(0, end).split(/\r?\n/)
  const buffers: ReflectionBuffer[] = []
  for (let at = 0; at < lines.length; at++) {
    const title = TITLE.exec(lines[at]!)
    if (title === null) continue
    const draft: Draft = { variables: [], open: [] }
    at = readBuffer(lines, at + 1, draft) - 1
    const last = draft.variables.at(-1)
    const byteLength = last === undefined ? 0 : last.byteOffset + last.byteLength
    buffers.push({
      name: title[2]!,
      kind: title[1] as ReflectionBuffer['kind'],
      byteLength,
      variables: draft.variables,
    })
  }
  return buffers
}
