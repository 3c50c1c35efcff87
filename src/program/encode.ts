import { CONTROLS_MASK, CUSTOM_DATA_OPCODE, FILE, rowOfOpcode } from '../isa/index.ts'
import { encodeExtendedOpcode } from './extended-opcode.ts'
import {
  type CustomData,
  type Instruction,
  NO_VALUES,
  type Operand,
  type OperandIndex,
  type Program,
  type Statement,
} from './model.ts'

const REPRESENTATION: Readonly<Record<OperandIndex['kind'], number>> = {
  immediate: 0,
  immediate64: 1,
  relative: 2,
  'relative-plus': 3,
  'relative-plus64': 4,
}

const MAX_SHORT_LENGTH = 127

/** Dwords that grow; a Uint32Array doubled as needed. */
class TokenWriter {
  tokens = new Uint32Array(1024)
  length = 0

  push(token: number): void {
    if (this.length === this.tokens.length) {
      const larger = new Uint32Array(this.tokens.length * 2)
      larger.set(this.tokens)
      this.tokens = larger
    }
    this.tokens[this.length++] = token
  }

  pushAll(tokens: readonly number[]): void {
    for (const t of tokens) this.push(t)
  }
}

/** One for every call: a new buffer for each would cost more than the writing. */
const WRITER = new TokenWriter()

/** A buffer that a large program has grown is not kept. */
const MAX_KEPT_DWORDS = 2 ** 16

function emptyWriter(): TokenWriter {
  if (WRITER.tokens.length > MAX_KEPT_DWORDS) WRITER.tokens = new Uint32Array(1024)
  WRITER.length = 0
  return WRITER
}

function extendedOperandTokens(o: Operand): readonly number[] {
  if (o.extra?.tokens !== undefined) return o.extra.tokens
  if (o.modifier === 0 && o.minPrecision === 0 && !o.nonUniform) return NO_VALUES
  return [1 | (o.modifier << 6) | (o.minPrecision << 14) | (o.nonUniform ? 1 << 17 : 0)]
}

function writeIndex(w: TokenWriter, index: OperandIndex): void {
  switch (index.kind) {
    case 'immediate':
      w.push(index.value)
      return
    case 'immediate64':
      w.push(index.high)
      w.push(index.low)
      return
    case 'relative':
      writeOperand(w, index.register)
      return
    case 'relative-plus':
      w.push(index.offset)
      writeOperand(w, index.register)
      return
    case 'relative-plus64':
      w.push(index.high)
      w.push(index.low)
      writeOperand(w, index.register)
      return
  }
}

function operandToken(o: Operand): number {
  let token = o.components | (o.mode << 2) | (o.selection << 4) | (o.type << 12) | (o.indices.length << 20)
  for (let i = 0; i < o.indices.length; i++) token |= REPRESENTATION[o.indices[i]!.kind] << (22 + 3 * i)
  return o.extra === undefined ? token : token | o.extra.spare
}

function writeOperand(w: TokenWriter, o: Operand): void {
  const extended = extendedOperandTokens(o)
  w.push((operandToken(o) | (extended.length > 0 ? 0x80000000 : 0)) >>> 0)
  if (extended.length > 0) w.pushAll(extended)
  if (o.type === FILE.immediate32 || o.type === FILE.immediate64) w.pushAll(o.values)
  for (const index of o.indices) writeIndex(w, index)
}

/** The tokens of operands, as `decodeOperands` reads them. */
export function encodeOperands(operands: readonly Operand[]): readonly number[] {
  const w = emptyWriter()
  for (const operand of operands) writeOperand(w, operand)
  return Array.from(w.tokens.subarray(0, w.length))
}

function writeInstruction(w: TokenWriter, i: Instruction): void {
  const row = rowOfOpcode(i.opcode)
  const start = w.length
  w.push(0)
  if (i.long !== undefined) w.push(0)
  const last = i.extended.length - 1
  for (let k = 0; k <= last; k++) w.push((encodeExtendedOpcode(i.extended[k]!) | (k < last ? 0x80000000 : 0)) >>> 0)
  const leading = row?.parametersFirst === true ? row.parameters.length : 0
  for (let k = 0; k < leading; k++) w.push(i.parameters[k] ?? 0)
  for (const operand of i.operands) writeOperand(w, operand)
  for (let k = leading; k < i.parameters.length; k++) w.push(i.parameters[k]!)
  const length = w.length - start
  const isExtended = i.long !== undefined || last >= 0
  const shortLength = i.long === undefined ? length & MAX_SHORT_LENGTH : i.long.shortLength
  w.tokens[start] =
    (i.opcode | (i.controls & CONTROLS_MASK) | (shortLength << 24) | (isExtended ? 0x80000000 : 0)) >>> 0
  if (i.long !== undefined) w.tokens[start + 1] = length
}

function writeCustomData(w: TokenWriter, c: CustomData): void {
  w.push(((c.dataClass << 11) | CUSTOM_DATA_OPCODE) >>> 0)
  w.push(c.dwords.length + 2)
  w.pushAll(c.dwords)
}

function writeStatement(w: TokenWriter, s: Statement): void {
  switch (s.kind) {
    case 'instruction':
      writeInstruction(w, s)
      return
    case 'custom-data':
      writeCustomData(w, s)
      return
    case 'unknown':
      w.pushAll(s.dwords)
      return
  }
}

/** The data of a SHDR or SHEX chunk that holds the program: `encodeProgram(decodeProgram(x))` is x. */
export function encodeProgram(program: Program): Uint8Array {
  const w = emptyWriter()
  w.push(((program.stageNumber << 16) | (program.versionSpare << 8) | (program.major << 4) | program.minor) >>> 0)
  w.push(0)
  for (const statement of program.statements) writeStatement(w, statement)
  w.tokens[1] = program.declaredDwordCount ?? w.length
  const bytes = new Uint8Array(w.length * 4 + program.trailing.length)
  bytes.set(new Uint8Array(w.tokens.buffer, 0, w.length * 4))
  bytes.set(program.trailing, w.length * 4)
  return bytes
}

function writeAlone(statement: Statement): TokenWriter {
  const w = emptyWriter()
  writeStatement(w, statement)
  return w
}

/** Dwords that a statement takes in the code chunk. */
export function statementDwordCount(statement: Statement): number {
  return writeAlone(statement).length
}

/** The dwords of a statement as they stand in the code chunk. */
export function statementDwords(statement: Statement): Uint32Array {
  const w = writeAlone(statement)
  return w.tokens.slice(0, w.length)
}
