import {
  bytesFault,
  CODES,
  DiagnosticCollector,
  diagnostic,
  failure,
  type Outcome,
  outcomeOf,
  valueOrThrow,
} from '../diagnostic/index.ts'
import { CONTROLS_MASK, CUSTOM_DATA_OPCODE, FILE, rowOfOpcode } from '../isa/index.ts'
import { decodeExtendedOpcode } from './extended-opcode.ts'
import {
  COMPONENTS_1,
  COMPONENTS_4,
  type CustomData,
  type ExtendedOpcode,
  type Instruction,
  NO_INDICES,
  NO_VALUES,
  type Operand,
  type OperandIndex,
  type Program,
  type Statement,
  type UnknownTokens,
} from './model.ts'

/** Relative indices inside relative indices; Direct3D uses two levels (`cb0[x0[1].x + 2]`). */
const MAX_INDEX_DEPTH = 8

const NO_EXTENDED: readonly ExtendedOpcode[] = []
const NO_PARAMETERS: readonly number[] = []
const NO_OPERANDS: readonly Operand[] = []

/** Indices below this are shared objects: nearly every index of a shader is small, and they never change. */
const SHARED_INDICES = 512
const IMMEDIATES: readonly OperandIndex[] = Array.from({ length: SHARED_INDICES }, (_, value) =>
  Object.freeze({ kind: 'immediate', value }),
)
const SINGLE_IMMEDIATES: readonly (readonly OperandIndex[])[] = IMMEDIATES.map((i) => Object.freeze([i]))

const IMMEDIATE32 = FILE.immediate32
const IMMEDIATE64 = FILE.immediate64

/** Thrown and caught inside this file: tokens that do not hold together. */
interface Malformed {
  readonly malformed: string
  /** Dword in the chunk. */
  readonly at: number
}

const malformed = (text: string, at: number): Malformed => ({ malformed: text, at })

function isMalformed(e: unknown): e is Malformed {
  return typeof e === 'object' && e !== null && 'malformed' in e
}

/** Reads tokens between `position` and `end`; a read past `end` throws `Malformed`. */
class TokenReader {
  position: number
  end: number
  readonly tokens: Uint32Array

  constructor(tokens: Uint32Array, position: number, end: number) {
    this.tokens = tokens
    this.position = position
    this.end = end
  }

  next(): number {
    const at = this.position
    if (at >= this.end) throw malformed('the instruction ends in the middle of an operand', at)
    this.position = at + 1
    return this.tokens[at]!
  }
}

function readIndex(reader: TokenReader, representation: number, depth: number): OperandIndex {
  switch (representation) {
    case 0: {
      const value = reader.next()
      return value < SHARED_INDICES ? IMMEDIATES[value]! : { kind: 'immediate', value }
    }
    case 1: {
      const high = reader.next()
      return { kind: 'immediate64', high, low: reader.next() }
    }
    case 2:
      return { kind: 'relative', register: readOperand(reader, depth + 1) }
    case 3: {
      const offset = reader.next()
      return { kind: 'relative-plus', offset, register: readOperand(reader, depth + 1) }
    }
    case 4: {
      const high = reader.next()
      const low = reader.next()
      return { kind: 'relative-plus64', high, low, register: readOperand(reader, depth + 1) }
    }
    default:
      throw malformed(`index representation ${representation} does not exist`, reader.position)
  }
}

function readIndices(reader: TokenReader, token: number, depth: number): readonly OperandIndex[] {
  const dimension = (token >>> 20) & 3
  if (dimension === 0) return NO_INDICES
  const first = (token >>> 22) & 7
  if (dimension === 1) {
    if (first === 0) {
      const value = reader.next()
      return value < SHARED_INDICES ? SINGLE_IMMEDIATES[value]! : [{ kind: 'immediate', value }]
    }
    return [readIndex(reader, first, depth)]
  }
  const i0 = readIndex(reader, first, depth)
  const i1 = readIndex(reader, (token >>> 25) & 7, depth)
  if (dimension === 2) return [i0, i1]
  return [i0, i1, readIndex(reader, (token >>> 28) & 7, depth)]
}

function readValues(reader: TokenReader, type: number, components: number): readonly number[] {
  const count = components === COMPONENTS_4 ? 4 : components === COMPONENTS_1 ? 1 : 0
  // A 64-bit immediate of "four components" holds two doubles: four dwords; of one component, one double.
  const dwords = type === IMMEDIATE64 && count === 1 ? 2 : count
  if (dwords === 4) return [reader.next(), reader.next(), reader.next(), reader.next()]
  if (dwords === 1) return [reader.next()]
  return dwords === 2 ? [reader.next(), reader.next()] : NO_VALUES
}

/** Representation bits without an index, by index dimension. */
const UNUSED_REPRESENTATION: readonly number[] = [0x7fc00000, 0x7e000000, 0x70000000, 0]

/** Extended tokens that hold more than one plain modifier token does; undefined where the fields say it all. */
function readFurtherExtended(reader: TokenReader, first: number): readonly number[] | undefined {
  const plain = (first & 0x3f) === 1 && first >>> 18 === 0 && (first & 0x3ffc0) !== 0 && (first & 0x3f00) === 0
  if (plain) return undefined
  const tokens = [first]
  while ((tokens[tokens.length - 1]! & 0x80000000) !== 0) tokens.push(reader.next())
  return tokens
}

function readOperand(reader: TokenReader, depth: number): Operand {
  if (depth > MAX_INDEX_DEPTH)
    throw malformed(`relative indices nest more than ${MAX_INDEX_DEPTH} deep`, reader.position)
  const token = reader.next()
  const type = (token >>> 12) & 0xff
  const components = token & 3
  let modifier = 0
  let minPrecision = 0
  let nonUniform = false
  let tokens: readonly number[] | undefined
  if (token >>> 31 !== 0) {
    const first = reader.next()
    if ((first & 0x3f) === 1) {
      modifier = (first >>> 6) & 0xff
      minPrecision = (first >>> 14) & 7
      nonUniform = ((first >>> 17) & 1) !== 0
    }
    tokens = readFurtherExtended(reader, first)
  }
  const values = type === IMMEDIATE32 || type === IMMEDIATE64 ? readValues(reader, type, components) : NO_VALUES
  const indices = readIndices(reader, token, depth)
  const mode = (token >>> 2) & 3
  const selection = (token >>> 4) & 0xff
  const operand = { type, components, mode, selection, indices, modifier, minPrecision, nonUniform, values }
  const spare = (token & UNUSED_REPRESENTATION[(token >>> 20) & 3]!) >>> 0
  if (tokens === undefined && spare === 0) return operand
  return { ...operand, extra: tokens === undefined ? { spare } : { tokens, spare } }
}

function readParameters(reader: TokenReader, end: number): readonly number[] {
  if (reader.position >= end) return NO_PARAMETERS
  const parameters: number[] = []
  while (reader.position < end) parameters.push(reader.next())
  return parameters
}

function readOperands(reader: TokenReader, count: number): readonly Operand[] {
  if (count === 0) return NO_OPERANDS
  const operands: Operand[] = []
  for (let i = 0; i < count; i++) operands.push(readOperand(reader, 0))
  return operands
}

function readExtendedOpcodes(reader: TokenReader): readonly ExtendedOpcode[] {
  const extended: ExtendedOpcode[] = []
  let token: number
  do {
    token = reader.next()
    extended.push(decodeExtendedOpcode(token))
  } while (token >>> 31 !== 0)
  return extended
}

function readInstruction(reader: TokenReader, token: number, end: number): Instruction {
  const opcode = token & 0x7ff
  const row = rowOfOpcode(opcode)
  if (row === undefined) throw malformed(`opcode ${opcode} does not exist`, reader.position - 1)
  const long = row.longForm && token >>> 31 !== 0
  if (long) reader.next()
  const extended = !long && token >>> 31 !== 0 ? readExtendedOpcodes(reader) : NO_EXTENDED
  const leading = row.parametersFirst ? row.parameters.map(() => reader.next()) : NO_PARAMETERS
  const operands = readOperands(reader, row.operands.length)
  const rest = readParameters(reader, end)
  const parameters = leading.length === 0 ? rest : [...leading, ...rest]
  const controls = token & CONTROLS_MASK
  const instruction = { kind: 'instruction', opcode, controls, extended, operands, parameters } as const
  return long ? { ...instruction, long: { shortLength: (token >>> 24) & 0x7f } } : instruction
}

function readCustomData(tokens: Uint32Array, at: number, length: number): CustomData {
  return {
    kind: 'custom-data',
    dataClass: tokens[at]! >>> 11,
    dwords: Array.from(tokens.subarray(at + 2, at + length)),
  }
}

/**
 * Operands that stand in data, as those of a shader message do: `count` of them from the first dword on. Undefined where
 * they do not hold together or leave dwords over.
 */
export function decodeOperands(dwords: readonly number[], count: number): readonly Operand[] | undefined {
  if (count > dwords.length) return undefined
  const reader = new TokenReader(Uint32Array.from(dwords), 0, dwords.length)
  try {
    const operands = readOperands(reader, count)
    return reader.position === dwords.length ? operands : undefined
  } catch (e) {
    if (!isMalformed(e)) throw e
    return undefined
  }
}

/** Dwords of the statement at `at`, as its tokens say; may be wrong or 0. */
function statementLength(tokens: Uint32Array, at: number): number {
  const token = tokens[at]!
  const opcode = token & 0x7ff
  if (opcode === CUSTOM_DATA_OPCODE) return tokens[at + 1] ?? 0
  if (token >>> 31 !== 0 && rowOfOpcode(opcode)?.longForm === true) return tokens[at + 1] ?? 0
  return (token >>> 24) & 0x7f
}

function unknown(tokens: Uint32Array, at: number, length: number): UnknownTokens {
  return { kind: 'unknown', dwords: Array.from(tokens.subarray(at, at + length)) }
}

function report(diagnostics: DiagnosticCollector, text: string, dword: number, dwordCount: number): void {
  const place = { kind: 'bytes', byteOffset: dword * 4, byteLength: dwordCount * 4 } as const
  diagnostics.pushMade(CODES['program-tokens'].severity, () =>
    diagnostic('program-tokens', `${text}, at dword ${dword} of the code chunk`, place, [
      'the tokens are kept as they are; list the shader with the dialect lossless to see them',
    ]),
  )
}

function decodeStatement(reader: TokenReader, at: number, length: number, diagnostics: DiagnosticCollector): Statement {
  const { tokens } = reader
  const token = tokens[at]!
  if ((token & 0x7ff) === CUSTOM_DATA_OPCODE) return readCustomData(tokens, at, length)
  try {
    reader.position = at + 1
    reader.end = at + length
    return readInstruction(reader, token, reader.end)
  } catch (e) {
    if (!isMalformed(e)) throw e
    report(diagnostics, e.malformed, e.at, 1)
    const isListed = diagnostics.errorCount <= MAX_READ_PAST_END
    const seenAs = isListed ? readPastEnd(tokens, at, length, token) : undefined
    const statement = unknown(tokens, at, length)
    return seenAs === undefined ? statement : { ...statement, seenAs }
  }
}

/**
 * Dwords past its end that an instruction may be read over: more than the operands of any instruction take. Without a
 * limit each of many damaged instructions is read to the end of the program.
 */
const MAX_DWORDS_PAST_END = 64

/** Damaged instructions that are read past their ends, for listings: those of a file that is nothing else fill the memory. */
const MAX_READ_PAST_END = 20_000

/** The instruction as it looks when its operands may run on past its end; undefined where even that fails. */
function readPastEnd(tokens: Uint32Array, at: number, length: number, token: number): Instruction | undefined {
  try {
    const end = Math.min(tokens.length, at + length + MAX_DWORDS_PAST_END)
    const reader = new TokenReader(tokens, at + 1, end)
    return readInstruction(reader, token, at + length)
  } catch (e) {
    if (!isMalformed(e)) throw e
    return undefined
  }
}

function decodeStatements(tokens: Uint32Array, end: number, diagnostics: DiagnosticCollector): Statement[] {
  const statements: Statement[] = []
  const reader = new TokenReader(tokens, 2, end)
  let at = 2
  while (at < end) {
    const length = statementLength(tokens, at)
    const least = (tokens[at]! & 0x7ff) === CUSTOM_DATA_OPCODE ? 2 : 1
    if (length < least || length > end - at) {
      report(diagnostics, `a statement says it is ${length} dwords long where ${end - at} are left`, at, end - at)
      statements.push(unknown(tokens, at, end - at))
      break
    }
    statements.push(decodeStatement(reader, at, length, diagnostics))
    at += length
  }
  return statements
}

/** The tokens of a chunk; a view where the bytes are aligned, a copy where not. Tokens are little-endian, as is every host. */
function tokensOf(bytes: Uint8Array): Uint32Array {
  const dwordCount = bytes.byteLength >>> 2
  if (bytes.byteOffset % 4 === 0) return new Uint32Array(bytes.buffer, bytes.byteOffset, dwordCount)
  return new Uint32Array(bytes.slice(0, dwordCount * 4).buffer)
}

/**
 * Decodes the data of a SHDR or SHEX chunk. Whatever the bytes are there is a Program whose encoding gives them back,
 * save for chunks shorter than the two header tokens. Places count bytes from the start of the chunk's data.
 * Source: the token format in d3d12TokenizedProgramFormat.hpp.
 */
export function decodeProgram(bytes: Uint8Array): Outcome<Program> {
  const fault = bytesFault('decodeProgram', bytes)
  if (fault !== undefined) return failure([fault])
  if (bytes.byteLength < 8) {
    const text = `a code chunk holds at least a version and a length token (8 bytes); this one has ${bytes.byteLength} bytes`
    return failure([diagnostic('program-header', text, { kind: 'bytes', byteOffset: 0 })])
  }
  const diagnostics = new DiagnosticCollector()
  const tokens = tokensOf(bytes)
  const version = tokens[0]!
  const declared = tokens[1]!
  const end = Math.min(Math.max(declared, 2), tokens.length)
  if (declared < 2 || declared > tokens.length) {
    const text = `the length token says ${declared} dwords, the chunk has ${tokens.length}`
    diagnostics.push(diagnostic('program-length', text, { kind: 'bytes', byteOffset: 4, byteLength: 4 }))
  }
  const program: Program = {
    stageNumber: version >>> 16,
    major: (version >>> 4) & 15,
    minor: version & 15,
    versionSpare: (version >>> 8) & 0xff,
    statements: decodeStatements(tokens, end, diagnostics),
    trailing: bytes.slice(end * 4),
    ...(declared === end ? {} : { declaredDwordCount: declared }),
  }
  return outcomeOf(program, diagnostics.finish())
}

/** As `decodeProgram`; throws ShaderError on any error. */
export function decodeProgramOrThrow(bytes: Uint8Array): Program {
  return valueOrThrow(decodeProgram(bytes))
}
