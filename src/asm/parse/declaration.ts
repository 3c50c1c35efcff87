/** Declarations, read by the pieces of their text (`text/declaration-text.ts`). */
import { assertNever, closest } from '../../diagnostic/index.ts'
import * as I from '../../isa/index.ts'
import type * as P from '../../program/index.ts'
import { DECLARATION_TEXT, GLOBAL_FLAG_SEPARATOR, type TextPiece } from '../text/declaration-text.ts'
import type { Head } from './mnemonic.ts'
import { readLiteralDword, readUnsigned } from './number.ts'
import { readOperand } from './operand.ts'
import type { OperandContext, OperandPlace } from './operand-context.ts'
import { CODE, isDigitCode, type Source } from './source.ts'
import { readEnumerationWord, readReturnTypes, warnLost } from './words.ts'

/** A declaration as far as it is read. */
interface Draft {
  readonly row: I.InstructionRow
  controls: number
  readonly operands: P.Operand[]
  readonly parameters: number[]
  /** What stands for `...`. */
  readonly list: number[]
}

export const DECLARED: OperandPlace = { components: 'mask', isDeclared: true, fullView: false, maxIndices: 3 }
const DECLARED_WITH_SIZE: OperandPlace = { ...DECLARED, maxIndices: 4 }

const FLAG_SEPARATOR = GLOBAL_FLAG_SEPARATOR.trim().charCodeAt(0)

const LIST = '...'

function setParameter(draft: Draft, name: string, value: number): void {
  draft.parameters[draft.row.parameters.indexOf(name)] = value >>> 0
}

function setControl(draft: Draft, control: I.Control, value: number): void {
  draft.controls = I.withControl(draft.controls, control, value)
}

/** Matches the characters of a piece; blanks in it and in the text do not count. */
function readText(s: Source, text: string): void {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code !== CODE.space) s.expect(code, '')
  }
}

/** `(4)` behind the dimension of a multisampled texture. */
function readSampleCount(s: Source, draft: Draft): void {
  if (!draft.row.controls.includes(I.SAMPLE_COUNT) || s.peek() !== CODE.open || !isDigitCode(s.peekAt(1))) return
  const start = s.position++
  const count = readUnsigned(s, 'a sample count')
  s.expect(CODE.close, 'after the sample count')
  if (count >= 1 << I.SAMPLE_COUNT.width) {
    s.fail('asm-number-range', `a sample count is below ${1 << I.SAMPLE_COUNT.width}`, start, s.position)
  }
  setControl(draft, I.SAMPLE_COUNT, count)
}

function readBinding(c: OperandContext, draft: Draft): void {
  const s = c.source
  s.skipBlanks()
  const start = s.position
  const operand = readOperand(c, DECLARED)
  if (c.isSm51 && operand.indices.length === 1) {
    const notes = ['write the identifier and the first and last register: T0[4:19], or T0[4:*]']
    s.fail('asm-index', 'Shader Model 5.1 declares ranges of bindings', start, s.position, notes)
  }
  draft.operands.push(operand)
}

function readConstantBuffer(c: OperandContext, draft: Draft): void {
  const s: Source = c.source
  s.skipBlanks()
  const start = s.position
  const operand = readOperand(c, c.isSm51 ? DECLARED_WITH_SIZE : DECLARED)
  const size = operand.indices[3]
  if (!c.isSm51) {
    draft.operands.push(operand)
    return
  }
  if (size?.kind !== 'immediate') {
    const notes = ['write the identifier, the first and last register, and the size: CB0[2:9][5]']
    s.fail('asm-index', 'Shader Model 5.1 declares ranges of constant buffers', start, s.position, notes)
  }
  setParameter(draft, 'size', size.value)
  draft.operands.push({ ...operand, indices: operand.indices.slice(0, 3) })
}

function readSpace(c: OperandContext, draft: Draft): void {
  if (!c.isSm51) return
  const s = c.source
  s.expect(CODE.comma, "before 'space='")
  s.skipBlanks()
  const start = s.position
  if (s.word() !== 'space') s.fail('asm-unknown-keyword', "expected 'space='", start, Math.max(s.position, start + 1))
  s.expect(CODE.equals, "after 'space'")
  setParameter(draft, 'space', readUnsigned(s, 'a register space'))
}

/** `l(64.000000)`, also without `l()`. */
function readFloatParameter(c: OperandContext): number {
  const s = c.source
  s.skipBlanks()
  const wrapped = s.peek() === 0x6c && s.peekAt(1) === CODE.open
  if (wrapped) s.position += 2
  const bits = readLiteralDword(s, { style: 'float', exact: c.literals.exact })
  if (wrapped) s.expect(CODE.close, 'after the literal')
  return bits
}

function readControlNumber(s: Source, draft: Draft, control: I.Control): void {
  s.skipBlanks()
  const start = s.position
  const value = readUnsigned(s, 'a number')
  if (value >= 1 << control.width) {
    s.fail('asm-number-range', `the token has room for numbers below ${1 << control.width}`, start, s.position)
  }
  setControl(draft, control, value)
}

/** A word of a control; where it has a comma in front, the comma goes with it when the number has no word. */
function readControlWord(s: Source, draft: Draft, piece: TextPiece & { readonly piece: 'word' }): void {
  s.skipBlanks()
  const start = s.position
  const what = piece.control.name.replaceAll('-', ' ')
  if (piece.before.trim() !== '' && !s.accept(CODE.comma)) {
    if (!s.atStatementEnd()) s.failExpected(`',' before the ${what}`)
    warnLost(s, start, what)
    return
  }
  setControl(draft, piece.control, readEnumerationWord(s, piece.words, `the ${what}`))
}

function readGlobalFlags(s: Source, draft: Draft): void {
  s.skipBlanks()
  if (s.atEnd()) return
  const words = I.GLOBAL_FLAG_LIST.map((f) => f.word)
  let flags = I.controlOf(draft.controls, I.GLOBAL_FLAGS)
  do {
    s.skipBlanks()
    const start = s.position
    const word = s.word()
    const flag = I.GLOBAL_FLAG_LIST.find((f) => f.word === word)
    if (flag === undefined) {
      const message = `expected a global flag, found '${word.slice(0, 60)}'`
      s.failWord('asm-unknown-keyword', message, start, Math.max(s.position, start + 1), closest(word, words))
    }
    flags |= 1 << flag.bit
  } while (s.accept(FLAG_SEPARATOR))
  setControl(draft, I.GLOBAL_FLAGS, flags)
}

/** `{fb0, fb2}`: numbers with their prefix, over several lines if need be. The braces are pieces of their own. */
function readList(s: Source, draft: Draft, piece: TextPiece & { readonly piece: 'list' }): void {
  s.skipToToken()
  while (s.peek() !== CODE.closeBrace) {
    if (!s.text.startsWith(piece.prefix, s.position)) s.failExpected(`'${piece.prefix}' and a number, or '}'`)
    s.position += piece.prefix.length
    draft.list.push(readUnsigned(s, 'a number'))
    s.skipToToken()
    if (s.peek() !== CODE.comma) break
    s.position++
    s.skipToToken()
  }
  const { row, parameters } = draft
  const at = row.parameters.indexOf(piece.count)
  parameters[at] = (((parameters[at] ?? 0) & 0xffff0000) | (draft.list.length & 0xffff)) >>> 0
}

function readInterfaceShape(s: Source, draft: Draft): void {
  const numbers: number[] = []
  for (const what of ['the length of the interface array', 'the number of call sites']) {
    s.expect(CODE.openBracket, `before ${what}`)
    numbers.push(readUnsigned(s, what))
    s.expect(CODE.closeBracket, `after ${what}`)
  }
  setParameter(draft, 'lengths', (numbers[0]! << 16) >>> 0)
  setParameter(draft, 'callSites', numbers[1]!)
}

function readPiece(c: OperandContext, draft: Draft, piece: TextPiece): void {
  const s = c.source
  switch (piece.piece) {
    case 'text':
      readText(s, piece.text)
      break
    case 'dimension':
      readSampleCount(s, draft)
      break
    case 'suffixes':
      break
    case 'return-types':
      setParameter(draft, piece.parameter, readReturnTypes(s))
      break
    case 'register':
      draft.operands.push(readOperand(c, DECLARED))
      break
    case 'binding':
      readBinding(c, draft)
      break
    case 'constant-buffer':
      readConstantBuffer(c, draft)
      break
    case 'space':
      readSpace(c, draft)
      break
    case 'number':
      setParameter(draft, piece.parameter, readUnsigned(s, 'a number'))
      break
    case 'float':
      setParameter(draft, piece.parameter, readFloatParameter(c))
      break
    case 'control-number':
      readControlNumber(s, draft, piece.control)
      break
    case 'word':
      readControlWord(s, draft, piece)
      break
    case 'parameter-word':
      setParameter(draft, piece.parameter, readEnumerationWord(s, piece.words, 'a system value'))
      break
    case 'global-flags':
      readGlobalFlags(s, draft)
      break
    case 'list':
      readList(s, draft, piece)
      break
    case 'interface-shape':
      readInterfaceShape(s, draft)
      break
    default:
      assertNever(piece)
  }
}

/** Parameters in the row's order; those of SM5.1 alone are left out in older models. */
export function finishParameters(row: I.InstructionRow, parameters: readonly number[], isSm51: boolean): number[] {
  const kept: number[] = []
  for (let k = 0; k < row.parameters.length; k++) {
    const name = row.parameters[k]!
    if (name === LIST) continue
    const is51Only = name === 'space' || (name === 'size' && row.operands.length > 0)
    if (isSm51 || !is51Only) kept.push(parameters[k] ?? 0)
  }
  return kept
}

/** Longer lists take the form with a length dword of its own (bit 31 of the opcode token). */
const MAX_SHORT_DWORDS = 127

/** Reads a declaration behind its mnemonic. */
export function readDeclaration(c: OperandContext, head: Head, form: I.DeclarationForm): P.Instruction {
  const draft: Draft = { row: head.row, controls: head.controls, operands: [], parameters: [], list: [] }
  for (const piece of DECLARATION_TEXT[form]) readPiece(c, draft, piece)
  const parameters = finishParameters(head.row, draft.parameters, c.isSm51)
  for (const item of draft.list) parameters.push(item)
  const instruction = {
    kind: 'instruction',
    opcode: head.row.opcode,
    controls: draft.controls,
    extended: [],
    operands: draft.operands,
    parameters,
  } as const
  const isLong = head.row.longForm && parameters.length + 1 > MAX_SHORT_DWORDS
  return isLong ? { ...instruction, long: { shortLength: 0 } } : instruction
}
