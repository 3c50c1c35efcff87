import { appendAll } from '../../diagnostic/index.ts'
import {
  BUFFER_KIND,
  type ReflectedBuffer,
  type ReflectedType,
  type ReflectedVariable,
  type ResourceDefinition,
  TYPE_CLASS,
  typeText,
  VARIABLE_USED,
} from '../../dxbc/index.ts'

/** `// Offset:` stands in this column, counted from 0, unless the declaration reaches it. */
const OFFSET_COLUMN = 40
/** Types can name each other so that writing them out doubles with each level; no real shader comes near this. */
const MAX_MEMBER_CHARACTERS = 8_000_000

interface Printing {
  readonly types: readonly ReflectedType[]
  readonly lines: string[]
  /** Characters that members may still take. */
  room: number
  /** The line of blanks behind an opening brace is still to come: it stands before the next member, wherever that is. */
  isGapDue: boolean
}

/** `name`, or `name[4]` for an array; an array of one element prints like none (vs/cb_dynamic_index). */
function declarator(name: string, type: ReflectedType): string {
  return type.elements > 1 ? `${name}[${type.elements}]` : name
}

function bufferTitle(buffer: ReflectedBuffer): string {
  switch (buffer.kind) {
    case BUFFER_KIND.tbuffer:
      return `tbuffer ${buffer.name}`
    case BUFFER_KIND.interfacePointers:
      return `interfaces ${buffer.name}`
    case BUFFER_KIND.resourceBindInfo:
      return `Resource bind info for ${buffer.name}`
    default:
      return `cbuffer ${buffer.name}`
  }
}

/** The section `Buffer Definitions`, empty when there are none. */
export function bufferLines(rdef: ResourceDefinition): string[] {
  if (rdef.buffers.length === 0) return []
  const lines = ['// Buffer Definitions: ', '//']
  const printing: Printing = { types: rdef.types, lines, room: MAX_MEMBER_CHARACTERS, isGapDue: false }
  for (const buffer of rdef.buffers) {
    printing.isGapDue = false
    lines.push(`// ${bufferTitle(buffer)}`, '// {', '//')
    buffer.variables.forEach((variable, i) => {
      printVariable(printing, variable, i === 0)
    })
    lines.push('//', '// }', '//')
  }
  lines.push('//')
  return lines
}

function offsetText(declaration: string, offset: string): string {
  return `${declaration.padEnd(OFFSET_COLUMN)}// Offset: ${offset.padStart(4)}`
}

/** What an interface of an effect that is not used has for an offset. */
const NO_OFFSET = 0xffffffff

function printVariable(p: Printing, variable: ReflectedVariable, first: boolean): void {
  const type = p.types[variable.type]
  if (type === undefined) return
  const declaration = declare(p, variable.name, type, variable.byteOffset, 0, first)
  const size = variable.byteLength === 0 ? 'N/A' : String(variable.byteLength)
  const unused = (variable.flags & VARIABLE_USED) === 0 ? ' [unused]' : ''
  const offset = variable.byteOffset === NO_OFFSET ? 'N/A' : String(variable.byteOffset)
  p.lines.push(`${offsetText(declaration, offset)} Size: ${size.padStart(5)}${unused}`)
  printDefault(p, variable.defaultValue)
  const slots = slotText(variable)
  // fxc leaves out the slashes at the line's start here (ps/class_resources).
  if (slots !== '') p.lines.push(`${' '.repeat(OFFSET_COLUMN)}// ${slots}`)
}

function emit(p: Printing, ...lines: string[]): void {
  for (const line of lines) p.room -= line.length
  appendAll(p.lines, lines)
}

/**
 * Writes all of a declaration but its last line, which is returned: `//   float4 x;`, or `//   } x;` with the members in
 * front. A structure has a line of blanks in front unless it is the first thing of its buffer; so has the first member
 * behind an opening brace, be that the brace of an empty structure before it (quirks/ps_empty_structs).
 */
function declare(
  p: Printing,
  name: string,
  type: ReflectedType,
  byteOffset: number,
  depth: number,
  first: boolean,
): string {
  const indent = `//   ${' '.repeat(depth * 4)}`
  const isStructure = type.class === TYPE_CLASS.struct
  if (p.isGapDue || (isStructure && !first)) emit(p, indent)
  p.isGapDue = false
  if (!isStructure) return `${indent}${typeText(type)} ${declarator(name, type)};`
  emit(p, `${indent}${typeText(type)}`, `${indent}{`)
  p.isGapDue = true
  for (const member of type.members) {
    const memberType = p.types[member.type]
    if (memberType === undefined || p.room < 0) break
    const memberOffset = (byteOffset + member.byteOffset) >>> 0
    const declaration = declare(p, member.name, memberType, memberOffset, depth + 1, false)
    emit(p, offsetText(declaration, String(memberOffset)))
  }
  p.lines.push('//')
  return `${indent}} ${declarator(name, type)};`
}

/** The slots that a class instance owns: `Textures:  t0-t3, Sampler: s2`. */
function slotText({ textures, samplers }: ReflectedVariable): string {
  const parts: string[] = []
  if (textures !== undefined && textures.count > 0) {
    const many = textures.count > 1
    parts.push(`${many ? 'Textures' : 'Texture'}:  ${slotRangeText('t', textures.start, textures.count)}`)
  }
  if (samplers !== undefined && samplers.count > 0) {
    const many = samplers.count > 1
    parts.push(`${many ? 'Samplers' : 'Sampler'}: ${slotRangeText('s', samplers.start, samplers.count)}`)
  }
  return parts.join(', ')
}

function slotRangeText(letter: string, start: number, count: number): string {
  return count > 1 ? `${letter}${start}-${letter}${start + count - 1}` : `${letter}${start}`
}

function printDefault(p: Printing, value: Uint8Array | undefined): void {
  if (value === undefined) return
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength)
  const dwords = Array.from({ length: value.length >> 2 }, (_, i) =>
    view
      .getUint32(i * 4, true)
      .toString(16)
      .padStart(8, '0'),
  )
  for (let i = 0; i < dwords.length; i += 4) {
    const row = dwords.slice(i, i + 4).map((dword) => `0x${dword} `)
    p.lines.push(`//      ${i === 0 ? '=' : ' '} ${row.join('')}`)
  }
}
