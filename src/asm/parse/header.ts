/**
 * The comments in front of a listing, read back: what the shader was made by, the features it needs, its signatures and
 * its bindings. What the comments do not say is filled in as fxc would have it.
 */
import {
  bindingDimension,
  bindingFormat,
  bindingKindText,
  bindingType,
  NO_REGISTER,
  type ReflectedBinding,
  type SignatureElement,
} from '../../dxbc/index.ts'
import type { HeaderFacts } from '../header/facts.ts'
import { NOTES } from '../header/notes.ts'
import { FORMATS, isWritten, MIN_PRECISIONS, type SignatureRole, SYSTEM_VALUES } from '../header/signatures.ts'
import { Source } from './source.ts'

export interface ListingHeader {
  /** The compiler that made the shader; undefined where the reflection was stripped. */
  readonly creator: string | undefined
  /** Bits of SFI0. */
  readonly features: number
  /** undefined: the header has no such table. */
  readonly signatures: Readonly<Record<SignatureRole, readonly SignatureElement[] | undefined>>
  readonly bindings: readonly ReflectedBinding[]
}

/** A line that belongs to a table and cannot be read. */
type HeaderReport = (source: Source, message: string) => void

const COMMENT = '//'
const NAME_WIDTH = 20
const ALL_COMPONENTS = 15
const NOT_A_REGISTER = 'N/A'
const USED = 'YES'
/** Values of the column SysValue that a pixel shader's outputs have by their names alone. */
const FIRST_TARGET_VALUE = 64

const SYSTEM_VALUE_NUMBERS = new Map([...SYSTEM_VALUES].map(([number, text]) => [text, number]))
const MIN_PRECISION_NUMBERS = new Map([...MIN_PRECISIONS].map(([number, text]) => [text, number]))
/** Component types of minimum precisions: floats, signed and unsigned integers. */
const COMPONENT_TYPES = new Map<string, number>([
  ...FORMATS.map((text, number) => [text, number] as const),
  ...[...MIN_PRECISIONS].map(([number, text]) => [text, number < 4 ? 3 : number === 4 ? 2 : 1] as const),
])

/** The text of the line behind its `//`, without the blank there; undefined for lines that are no comment. */
function commentText(s: Source): string | undefined {
  s.skipBlanks()
  if (!s.text.startsWith(COMMENT, s.position) || s.position + COMMENT.length > s.lineEnd) return undefined
  const start = s.position + COMMENT.length
  return s.text.slice(s.text[start] === ' ' ? start + 1 : start, s.lineEnd)
}

function maskOf(letters: string): number {
  let mask = 0
  for (const letter of letters) if (letter !== ' ') mask |= 1 << 'xyzw'.indexOf(letter)
  return mask
}

interface Row {
  readonly name: string
  readonly index: string
  readonly mask: string
  readonly register: string
  readonly systemValue: string
  readonly format: string
  readonly used: string
}

/** Columns of a row: by width, as masks hold blanks; by blanks where there is no register and so no mask. */
function columnsOf(text: string): Row | undefined {
  const nameEnd = text.indexOf(' ')
  if (nameEnd <= 0) return undefined
  const name = text.slice(0, nameEnd)
  const rest = text.slice(Math.max(nameEnd, NAME_WIDTH))
  const words = rest.trim().split(/ +/)
  if (words[1] === NOT_A_REGISTER) {
    const [index, mask, register, systemValue, format, used] = words
    if (used === undefined) return undefined
    return { name, index: index!, mask: mask!, register: register!, systemValue: systemValue!, format: format!, used }
  }
  // Many editors remove blanks from the ends of lines: of an element that is not used, those of the whole last column.
  const match = /^ +(\d+) {2,3}([x ][y ][z ][w ]) +(\d+) +(\w+) +(\w+) {3}([x ][y ][z ][w ])/.exec(`${rest}       `)
  if (match === null) return undefined
  const [, index, mask, register, systemValue, format, used] = match
  return {
    name,
    index: index!,
    mask: mask!,
    register: register!,
    systemValue: systemValue!,
    format: format!,
    used: used!,
  }
}

const STREAM = /^m(\d):/

/** fxc names what a pixel shader writes in the column SysValue; the signature has 0 there. */
function systemValueOf(row: Row, isPixelOutput: boolean): number | undefined {
  const value = SYSTEM_VALUE_NUMBERS.get(row.systemValue)
  return isPixelOutput && value !== undefined && value >= FIRST_TARGET_VALUE ? 0 : value
}

function elementOf(row: Row, role: SignatureRole, stage: HeaderFacts['stage']): SignatureElement | undefined {
  const isPixelOutput = role === 'Output' && stage === 'ps'
  const systemValue = systemValueOf(row, isPixelOutput)
  const componentType = COMPONENT_TYPES.get(row.format)
  if (systemValue === undefined || componentType === undefined) return undefined
  const none = row.mask === NOT_A_REGISTER
  const used = none ? (row.used === USED ? 1 : 0) : maskOf(row.used)
  const stream = STREAM.exec(row.name)
  return {
    name: stream === null ? row.name : row.name.slice(stream[0].length),
    semanticIndex: Number(row.index) >>> 0,
    systemValue,
    componentType,
    register: none ? NO_REGISTER : Number(row.register) >>> 0,
    mask: none ? 1 : maskOf(row.mask),
    readWriteMask: isWritten(role, stage) ? ~used & ALL_COMPONENTS : used,
    stream: stream === null ? 0 : Number(stream[1]),
    minPrecision: MIN_PRECISION_NUMBERS.get(row.format) ?? 0,
  }
}

const ROLES: readonly SignatureRole[] = ['Patch Constant', 'Input', 'Output']
const roleOfTitle = (text: string): SignatureRole | undefined => ROLES.find((role) => text === `${role} signature:`)

/** Rows up to the `//` that ends them; the source stands on the title. */
function readSignature(
  s: Source,
  role: SignatureRole,
  stage: HeaderFacts['stage'],
  report: HeaderReport,
): SignatureElement[] {
  const elements: SignatureElement[] = []
  let inRows = false
  while (s.nextLine()) {
    const text = commentText(s)
    if (text === undefined || text === `no ${role}`) break
    if (text.startsWith('----')) {
      inRows = true
      continue
    }
    if (!inRows) continue
    if (text.trim() === '') break
    const row = columnsOf(text)
    const element = row === undefined ? undefined : elementOf(row, role, stage)
    if (element === undefined) report(s, `this is no row of the ${role} signature`)
    else elements.push(element)
  }
  return elements
}

/** D3D_SHADER_INPUT_TYPE of the first raw or structured view, and D3D_SRV_DIMENSION of a buffer. */
const FIRST_UNTYPED_KIND = 5
const BUFFER_DIMENSION = 1

type BindingKind = Pick<ReflectedBinding, 'kind' | 'returnType' | 'dimension' | 'flags'>

let bindingKinds: ReadonlyMap<string, BindingKind> | undefined

/** The kind of binding that prints these columns Type, Format and Dim; of several that print alike the first. */
function bindingKindOf(columns: string): BindingKind | undefined {
  // Some thousand texts, which programs that only list need not make.
  bindingKinds ??= makeBindingKinds()
  return bindingKinds.get(columns)
}

function makeBindingKinds(): ReadonlyMap<string, BindingKind> {
  const kinds = new Map<string, BindingKind>()
  for (let kind = 0; kind < 12; kind++) {
    for (let returnType = 0; returnType < 9; returnType++) {
      for (let dimension = 0; dimension < 11; dimension++) {
        // Raw and structured views print no dimension; they are buffers.
        if (kind >= FIRST_UNTYPED_KIND && dimension !== BUFFER_DIMENSION) continue
        for (let flags = 0; flags < 16; flags += 2) {
          const binding = { kind, returnType, dimension, flags, name: '', sampleCount: 0, bindPoint: 0, bindCount: 0 }
          const key = `${bindingType(binding)} ${bindingFormat(binding)} ${bindingDimension(binding)}`
          if (!kinds.has(key)) kinds.set(key, { kind, returnType, dimension, flags })
        }
      }
    }
  }
  return kinds
}

const MULTISAMPLED_DIMENSION = /^(2dMS|2darrayMS)(\d+)$/
const NO_SAMPLES = 0xffffffff
const MULTISAMPLED_DIMENSIONS: ReadonlySet<number> = new Set([6, 7])
/** The compilers 9.27 to 9.30 have the columns Slot and Elements, where newer ones say `t0`, and leave the letter out. */
const BINDING_ROW = /^(\S+) +(\S+) +(\S+) +(\S+)(?: +([A-Z]+\d+))? +([a-z]*)(\d+)(?:,space(\d+))? +(\d+|unbounded)$/

/** A row of the table of bindings; undefined where it is none. */
function bindingOf(text: string): ReflectedBinding | undefined {
  const match = text.length > 2000 ? null : BINDING_ROW.exec(text)
  if (match === null) return undefined
  const [, name, type, format, dim, id, letter, slot, space, count] = match
  const samples = MULTISAMPLED_DIMENSION.exec(dim!)
  const kind = bindingKindOf(`${type} ${format} ${samples === null ? dim : samples[1]}`)
  if (kind === undefined) return undefined
  const binding = {
    name: name!,
    ...kind,
    sampleCount: samples === null ? sampleCountOf(kind) : Number(samples[2]) >>> 0,
    bindPoint: Number(slot) >>> 0,
    bindCount: count === 'unbounded' ? 0 : Number(count) >>> 0,
  }
  if (letter !== '' && bindingKindText(binding).register !== letter) return undefined
  if (id === undefined) return binding
  return { ...binding, space: Number(space ?? 0) >>> 0, id: Number(id.replace(/^[A-Z]+/, '')) >>> 0 }
}

/** fxc writes all ones for typed views that have no samples, else 0 where no number is known. */
function sampleCountOf({ kind, dimension }: Pick<ReflectedBinding, 'kind' | 'dimension'>): number {
  const isTyped = kind < FIRST_UNTYPED_KIND && dimension !== 0
  return isTyped && !MULTISAMPLED_DIMENSIONS.has(dimension) ? NO_SAMPLES : 0
}

function readBindings(s: Source, report: HeaderReport): ReflectedBinding[] {
  const bindings: ReflectedBinding[] = []
  let inRows = false
  while (s.nextLine()) {
    const text = commentText(s)?.trimEnd()
    if (text === undefined) break
    if (text.startsWith('----')) inRows = true
    else if (inRows && text === '') break
    else if (inRows) {
      const binding = bindingOf(text)
      if (binding === undefined) report(s, 'this is no row of the resource bindings')
      else bindings.push(binding)
    }
  }
  return bindings
}

const MADE_BY = 'Generated by '
const DISASSEMBLER = 'Microsoft (R) D3D Shader Disassembler'
const BINDINGS_TITLE = 'Resource Bindings:'
/** Printed for a flag of the program that is no bit of SFI0. */
const NO_FEATURE = 2

/** Reads the comments before the first line that is none. `stage` says what the outputs of a pixel shader are. */
export function readListingHeader(text: string, stage: HeaderFacts['stage'], report: HeaderReport): ListingHeader {
  const s = new Source(text)
  const features = new Map(NOTES.map(([bit, note]) => [note, bit === NO_FEATURE ? 0 : bit]))
  const signatures: Record<SignatureRole, readonly SignatureElement[] | undefined> = {
    'Patch Constant': undefined,
    Input: undefined,
    Output: undefined,
  }
  const header = { creator: undefined as string | undefined, features: 0, bindings: [] as readonly ReflectedBinding[] }
  while (s.nextLine()) {
    const line = commentText(s)?.trimEnd()
    if (line === undefined) break
    const role = roleOfTitle(line)
    if (role !== undefined) signatures[role] = readSignature(s, role, stage, report)
    else if (line === BINDINGS_TITLE) header.bindings = readBindings(s, report)
    else if (line.startsWith(MADE_BY) && !line.endsWith(DISASSEMBLER)) header.creator = line.slice(MADE_BY.length)
    else header.features |= features.get(line.trim()) ?? 0
  }
  return { ...header, signatures }
}
