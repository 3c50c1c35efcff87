/** The tables of an SDBG part, as Microsoft's header d3d10_1shader.h publishes them, and their rows as plain records. */
import { type Outcome, outcomeOf } from '../../diagnostic/index.ts'
import { ByteReader } from '../bytes.ts'
import { faultOutcome } from '../fault.ts'
import { sourceText } from './source-text.ts'

/** Dwords of the header, as D3D10_SHADER_DEBUG_INFO has them. */
export const HEADER = {
  size: 0,
  creator: 1,
  entryName: 2,
  target: 3,
  files: 5,
  fileInfo: 6,
  instructions: 7,
  instructionInfo: 8,
  variables: 9,
  variableInfo: 10,
  inputs: 11,
  inputInfo: 12,
  tokens: 13,
  tokenInfo: 14,
  scopes: 15,
  scopeInfo: 16,
  scopeVariables: 17,
  scopeVariableInfo: 18,
  numbers: 19,
  strings: 20,
} as const

/** Byte sizes of the records of the header's tables. */
const FILE_BYTES = 16
const TOKEN_BYTES = 20
const VARIABLE_BYTES = 24
const INPUT_BYTES = 24
const SCOPE_BYTES = 20
const SCOPE_VARIABLE_BYTES = 44
const INSTRUCTION_BYTES = 396

/** No row of a table. */
export const NONE = 0xffffffff

/** A chunk with its header read: every offset of the header counts from the header's end, strings from their own start. */
export interface Tables {
  readonly r: ByteReader
  readonly base: number
  readonly header: readonly number[]
}

export function openTables(data: Uint8Array): Tables {
  const r = new ByteReader(data)
  const base = r.u32(0, 'the size of the header')
  const header = r.dwords(0, HEADER.strings + 1, 'the header')
  if (r.fault === undefined && base < 4 * (HEADER.strings + 1)) r.fail('value', 0, 4, 'a header that is too short')
  return { r, base, header }
}

/** Where a row of a table stands; undefined where the table has no such row. */
export function rowAt(t: Tables, count: number, offset: number, i: number, rowBytes: number): number | undefined {
  return i < t.header[count]! ? t.base + t.header[offset]! + i * rowBytes : undefined
}

export const variableRowAt = (t: Tables, i: number): number | undefined =>
  rowAt(t, HEADER.variables, HEADER.variableInfo, i, VARIABLE_BYTES)

export const instructionAt = (t: Tables, i: number): number =>
  t.base + t.header[HEADER.instructionInfo]! + i * INSTRUCTION_BYTES

export function stringAt(t: Tables, offset: number, length: number): string {
  const at = t.base + t.header[HEADER.strings]! + offset
  if (!t.r.claim(at, length, 'a string')) return ''
  let text = ''
  for (let i = 0; i < length; i++) text += String.fromCharCode(t.r.bytes[at + i]!)
  return text
}

/** A word of the source. */
export interface SourceToken {
  readonly file: number
  /** From 1. */
  readonly line: number
  /** From 0. */
  readonly column: number
  readonly length: number
  /** Of its text among the strings. */
  readonly offset: number
}

export function tokenAt(t: Tables, i: number): SourceToken | undefined {
  const at = rowAt(t, HEADER.tokens, HEADER.tokenInfo, i, TOKEN_BYTES)
  if (at === undefined) return undefined
  const dword = (i: number): number => t.r.u32(at + 4 * i, 'a source token')
  return { file: dword(0), line: dword(1), column: dword(2), length: dword(3), offset: dword(4) }
}

export function fileNameAt(t: Tables, i: number): string {
  const at = rowAt(t, HEADER.files, HEADER.fileInfo, i, FILE_BYTES)
  if (at === undefined) return ''
  return stringAt(t, t.r.u32(at, 'the name of a file'), t.r.u32(at + 4, 'the name of a file'))
}

/** The text of a file; undefined where it has none. */
export function fileTextAt(t: Tables, i: number): string | undefined {
  const at = rowAt(t, HEADER.files, HEADER.fileInfo, i, FILE_BYTES)
  const [, , offset = 0, length = 0] = at === undefined ? [] : t.r.dwords(at, 4, 'a file')
  if (length === 0) return undefined
  return sourceText(t.r.slice(t.base + t.header[HEADER.strings]! + offset, length, 'the text of a file'))
}

const OUTPUTS_AT = 12
const OUTPUT_BYTES = 180
const MAX_OUTPUTS = 2
const OUTPUT_VARIABLE_BYTES = 36
const COMPONENTS = 4
/** Where the token of an instruction stands, and behind it nesting level, scopes and accessed variables. */
const INSTRUCTION_TOKEN_AT = OUTPUTS_AT + MAX_OUTPUTS * OUTPUT_BYTES

/** A register that an instruction writes, and what its components become. */
export interface DebugOutput {
  /** Where the record stands. */
  readonly at: number
  /** DEBUG_REGISTER_SET */
  readonly registerSet: number
  /** NONE for a destination `null`. */
  readonly register: number
  /** Number of the x#, where the set is that of indexable temps. */
  readonly arrayRegister: number
  /** By component of the register: a row of the variables, or NONE. */
  readonly variables: readonly number[]
  /** Which components of the register are written; NONE for those that are not. */
  readonly components: readonly number[]
  /** The temp that chooses the element; NONE where there is none. */
  readonly indexRegister: number
  readonly indexComponent: number
}

/** Numbers of D3D10_SHADER_DEBUG_REGTYPE. */
export const DEBUG_REGISTER_SET = {
  input: 0,
  output: 1,
  constantBuffer: 2,
  temp: 4,
  indexableTemp: 5,
  literal: 9,
} as const

/** Where the records of the values of an output's components stand. */
export const outputVariableAt = (output: DebugOutput, component: number): number =>
  output.at + 28 + component * OUTPUT_VARIABLE_BYTES

function outputAt(t: Tables, at: number): DebugOutput {
  const dword = (byteOffset: number): number => t.r.u32(at + byteOffset, 'an output of an instruction')
  const variables: number[] = []
  for (let k = 0; k < COMPONENTS; k++) variables.push(dword(28 + k * OUTPUT_VARIABLE_BYTES))
  return {
    at,
    registerSet: dword(0),
    register: dword(4),
    arrayRegister: dword(8),
    components: t.r.dwords(at + 12, COMPONENTS, 'an output of an instruction'),
    variables,
    indexRegister: dword(172),
    indexComponent: dword(176),
  }
}

/** The outputs of the instruction whose record stands at `at`. */
export function outputsAt(t: Tables, at: number): readonly DebugOutput[] {
  const count = Math.min(t.r.u32(at + 8, 'the outputs of an instruction'), MAX_OUTPUTS)
  return Array.from({ length: count }, (_, i) => outputAt(t, at + OUTPUTS_AT + i * OUTPUT_BYTES))
}

export const instructionTokenAt = (t: Tables, at: number): SourceToken | undefined =>
  tokenAt(t, t.r.u32(at + INSTRUCTION_TOKEN_AT, 'the token of an instruction'))

/** An instruction by its number, with what it writes and where it comes from. */
export interface DebugInstruction {
  readonly position: number
  readonly token: SourceToken | undefined
  readonly outputs: readonly DebugOutput[]
  /** Calls that were inlined around it. */
  readonly nestingLevel: number
  /** Rows of the scopes, innermost first. */
  readonly scopes: readonly number[]
}

/** One 32-bit component of a variable. */
export interface DebugScalar {
  /** D3D10_SHADER_VARIABLE_TYPE */
  readonly type: number
  /** Row of the scope variable that it is a part of. */
  readonly scopeVariable: number
  /** Scalars from the start of that variable. */
  readonly offset: number
}

/** Where a scalar is when the program starts. */
export interface DebugInput {
  /** Row of the variables. */
  readonly variable: number
  readonly registerSet: number
  /** Number of a constant buffer. */
  readonly bank: number
  readonly register: number
  readonly component: number
  /** Bits of a literal. */
  readonly value: number
}

/** Numbers of D3D10_SHADER_DEBUG_SCOPETYPE. */
export const DEBUG_SCOPE = { global: 0, block: 1, loop: 2, structure: 3, parameters: 4 } as const

export interface DebugScope {
  /** DEBUG_SCOPE */
  readonly kind: number
  readonly name: string
  /** Rows of scope variables. */
  readonly variables: readonly number[]
}

/** A variable, a member of a structure, or a function, as its scope declares it. */
export interface DebugScopeVariable {
  readonly name: string
  readonly isFunction: boolean
  /** D3D10_SHADER_VARIABLE_CLASS */
  readonly class: number
  readonly rows: number
  readonly columns: number
  /** Row of the scope with its members; NONE where it is no structure. */
  readonly memberScope: number
  /** Elements of each index, outermost first, and how many scalars each index moves. */
  readonly elements: readonly number[]
  readonly strides: readonly number[]
  readonly scalarCount: number
  /** Row of the variables. */
  readonly firstScalar: number
}

/** An SDBG part whole. */
export interface DebugTables {
  readonly compiler: string
  readonly entryName: string
  readonly target: string
  readonly files: readonly { readonly name: string; readonly text?: string }[]
  readonly instructions: readonly DebugInstruction[]
  readonly scalars: readonly DebugScalar[]
  readonly inputs: readonly DebugInput[]
  readonly scopes: readonly DebugScope[]
  readonly scopeVariables: readonly DebugScopeVariable[]
}

function textAt(t: Tables, offset: number): string {
  return t.r.text(t.base + t.header[HEADER.strings]! + offset, 'a string')
}

function numbersAt(t: Tables, offset: number, count: number): readonly number[] {
  return t.r.dwords(t.base + t.header[HEADER.numbers]! + offset, count, 'a list of numbers')
}

function tokenText(t: Tables, i: number): string {
  const token = tokenAt(t, i)
  return token === undefined ? '' : stringAt(t, token.offset, token.length)
}

function debugInstructionAt(t: Tables, i: number): DebugInstruction {
  const at = instructionAt(t, i)
  const what = 'an instruction'
  const [nestingLevel = 0, scopeCount = 0, scopesAt = 0] = t.r.dwords(at + INSTRUCTION_TOKEN_AT + 4, 3, what)
  return {
    position: t.r.u32(at, what),
    token: instructionTokenAt(t, at),
    outputs: outputsAt(t, at),
    nestingLevel,
    scopes: numbersAt(t, scopesAt, scopeCount),
  }
}

function scopeVariableAt(t: Tables, at: number): DebugScopeVariable {
  const row = t.r.dwords(at, SCOPE_VARIABLE_BYTES / 4, 'a variable of a scope')
  const [token = 0, kind = 0, cls = 0, rows = 0, columns = 0, memberScope = NONE, indexCount = 0] = row
  const [elementsAt = 0, stridesAt = 0, scalarCount = 0, firstScalar = 0] = row.slice(7)
  return {
    name: tokenText(t, token),
    isFunction: kind === 1,
    ...{ class: cls, rows, columns, memberScope, scalarCount, firstScalar },
    elements: numbersAt(t, elementsAt, indexCount),
    strides: numbersAt(t, stridesAt, indexCount),
  }
}

/** The rows of a table, as many as its bytes hold: the count is not believed. */
function rows<T>(t: Tables, count: number, offset: number, rowBytes: number, read: (at: number) => T): readonly T[] {
  const found: T[] = []
  for (let i = 0; i < t.header[count]! && t.r.fault === undefined; i++) {
    found.push(read(t.base + t.header[offset]! + i * rowBytes))
  }
  return found
}

/** Reads all tables of an SDBG part. */
export function readDebugTables(data: Uint8Array, fourcc = 'SDBG'): Outcome<DebugTables> {
  const t = openTables(data)
  if (t.r.fault !== undefined) return faultOutcome(fourcc, t.r.fault)
  const instructions: DebugInstruction[] = []
  for (let i = 0; i < t.header[HEADER.instructions]! && t.r.fault === undefined; i++) {
    instructions.push(debugInstructionAt(t, i))
  }
  let file = 0
  const tables: DebugTables = {
    compiler: textAt(t, t.header[HEADER.creator]!),
    entryName: textAt(t, t.header[HEADER.entryName]!),
    target: textAt(t, t.header[HEADER.target]!),
    files: rows(t, HEADER.files, HEADER.fileInfo, FILE_BYTES, () => {
      const text = fileTextAt(t, file)
      const name = fileNameAt(t, file++)
      return text === undefined ? { name } : { name, text }
    }),
    instructions,
    scalars: rows(t, HEADER.variables, HEADER.variableInfo, VARIABLE_BYTES, (at) => {
      const [, type = 0, , , scopeVariable = NONE, offset = 0] = t.r.dwords(at, 6, 'a variable')
      return { type, scopeVariable, offset }
    }),
    inputs: rows(t, HEADER.inputs, HEADER.inputInfo, INPUT_BYTES, (at) => {
      const [variable = NONE, registerSet = 0, bank = 0, register = 0, component = 0, value = 0] = t.r.dwords(
        at,
        6,
        'an input',
      )
      return { variable, registerSet, bank, register, component, value }
    }),
    scopes: rows(t, HEADER.scopes, HEADER.scopeInfo, SCOPE_BYTES, (at) => {
      const [kind = 0, name = 0, nameLength = 0, count = 0, listAt = 0] = t.r.dwords(at, 5, 'a scope')
      return { kind, name: stringAt(t, name, nameLength), variables: numbersAt(t, listAt, count) }
    }),
    scopeVariables: rows(t, HEADER.scopeVariables, HEADER.scopeVariableInfo, SCOPE_VARIABLE_BYTES, (at) =>
      scopeVariableAt(t, at),
    ),
  }
  return t.r.fault === undefined ? outcomeOf(tables) : faultOutcome(fourcc, t.r.fault)
}
