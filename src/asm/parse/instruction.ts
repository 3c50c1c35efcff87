/** Instructions that are no declarations: the head behind the mnemonic, then operands by the slots of the row. */
import * as I from '../../isa/index.ts'
import type * as P from '../../program/index.ts'
import { PRECISE_WORD } from '../text/head-text.ts'
import { type Head, resolveReturnSuffix, takesOffset } from './mnemonic.ts'
import { readSigned, readUnsigned } from './number.ts'
import { readOperand } from './operand.ts'
import type { OperandContext, OperandPlace } from './operand-context.ts'
import { CODE, isDigitCode, type Source } from './source.ts'
import { readEnumerationWord, readReturnTypes } from './words.ts'

const ALL_PRECISE = 0xf
const LETTERS = 'xyzw'

function placeOf(row: I.InstructionRow, slot: I.OperandSlot): OperandPlace {
  const isMask = slot.role === 'dest' || slot.role === 'memory'
  const fullView = slot.role === 'memory' && row.traits.kind === 'store'
  // The call site of fcall stands behind the indices of the interface.
  const maxIndices = row.parametersFirst ? 4 : 3
  const isLabel = slot.role === 'label'
  return { components: isMask ? 'mask' : 'source', isDeclared: false, fullView, maxIndices, isLabel }
}

const PLACES = new Map<I.InstructionRow, readonly OperandPlace[]>(
  I.INSTRUCTIONS.map((row) => [row, row.operands.map((slot) => placeOf(row, slot))]),
)

const NO_EXTENDED: readonly P.ExtendedOpcode[] = []
const NO_OPERANDS: readonly P.Operand[] = []
const NO_PARAMETERS: readonly number[] = []

/** `[precise]` or `[precise(xz)]`, as control bits. */
function readPrecise(s: Source): number {
  s.position++
  s.skipBlanks()
  const start = s.position
  const word = s.word()
  if (word !== PRECISE_WORD) {
    s.fail('asm-unknown-keyword', `expected '${PRECISE_WORD}' or an operand`, start, Math.max(s.position, start + 1))
  }
  let mask = ALL_PRECISE
  if (s.accept(CODE.open)) {
    mask = 0
    s.skipBlanks()
    const maskStart = s.position
    for (const letter of s.word()) {
      const bit = 1 << LETTERS.indexOf(letter)
      if (!LETTERS.includes(letter) || bit <= mask) {
        s.fail('asm-components', 'expected components in the order xyzw', maskStart, s.position)
      }
      mask |= bit
    }
    s.expect(CODE.close, 'after the precise components')
  }
  s.expect(CODE.closeBracket, `after '${PRECISE_WORD}'`)
  return I.withControl(0, I.PRECISE, mask)
}

/** `(u,v,w)`, texels from -8 to 7. */
function readOffset(s: Source): P.ExtendedOpcode {
  s.expect(CODE.open, 'before the texel offset')
  const offsets = [0, 0, 0]
  for (let k = 0; k < 3; k++) {
    if (k > 0) s.expect(CODE.comma, 'between texel offsets')
    s.skipBlanks()
    const start = s.position
    const value = readSigned(s, 'a texel offset') | 0
    if (value < -8 || value > 7) s.fail('asm-number-range', 'a texel offset is from -8 to 7', start, s.position)
    offsets[k] = value
  }
  s.expect(CODE.close, 'after the texel offset')
  return { kind: 'sample-offset', u: offsets[0]!, v: offsets[1]!, w: offsets[2]!, spare: 0 }
}

const MAX_STRIDE = 0xfff

/** `(texture2d)` or `(structured_buffer, stride=16)`. */
function readDimension(s: Source): P.ExtendedOpcode {
  s.expect(CODE.open, 'before the dimension')
  const dimension = readEnumerationWord(s, I.RESOURCE_DIMENSION, 'a resource dimension')
  let stride = 0
  if (s.accept(CODE.comma)) {
    s.skipBlanks()
    const start = s.position
    if (s.word() !== 'stride')
      s.fail('asm-unknown-keyword', "expected 'stride='", start, Math.max(s.position, start + 1))
    s.expect(CODE.equals, "after 'stride'")
    stride = readUnsigned(s, 'a stride in bytes')
    if (stride > MAX_STRIDE)
      s.fail('asm-number-range', `the token has room for strides to ${MAX_STRIDE}`, start, s.position)
  }
  s.expect(CODE.close, 'after the dimension')
  return { kind: 'resource-dimension', dimension, stride, spare: 0 }
}

/** `sample_l(0,1,0)`: compilers up to 9.29 print offsets without a word for them. */
function isBareOffset(s: Source): boolean {
  if (s.peek() !== CODE.open) return false
  const next = s.peekAt(1)
  return isDigitCode(next) || next === CODE.minus
}

function readExtended(s: Source, head: Head): readonly P.ExtendedOpcode[] {
  const hasOffset = head.hasOffset || (takesOffset(head.row) && isBareOffset(s))
  if (!hasOffset && !head.isIndexable) return NO_EXTENDED
  const extended: P.ExtendedOpcode[] = []
  if (hasOffset) extended.push(readOffset(s))
  if (!head.isIndexable) return extended
  extended.push(readDimension(s))
  s.skipBlanks()
  if (s.peek() === CODE.open) {
    extended.push({ kind: 'resource-return-type', returnTypes: readReturnTypes(s), spare: 0 })
  }
  return extended
}

/** `_uint` behind the parentheses of resinfo and sampleinfo. */
function readReturnSuffix(s: Source, row: I.InstructionRow): number {
  if (s.peek() !== CODE.underscore) return 0
  const start = s.position
  const bits = resolveReturnSuffix(row, s.word())
  if (bits !== undefined) return bits
  return s.fail('asm-mnemonic', `${row.mnemonic} has no such suffix`, start, s.position)
}

function failCount(s: Source, row: I.InstructionRow, given: number): never {
  const { operands } = row
  const names = operands.map((slot) => slot.name).join(', ')
  const count = operands.length === 1 ? '1 operand' : `${operands.length} operands`
  const wanted = operands.length === 0 ? 'no operands' : `${count} (${names})`
  const end = Math.max(s.wordEnd(), s.position + 1)
  const message = `${row.mnemonic} takes ${wanted}; found ${given < operands.length ? given : 'more'}`
  return s.fail('asm-operand-count', message, s.position, end)
}

function readOperands(c: OperandContext, row: I.InstructionRow): readonly P.Operand[] {
  const places = PLACES.get(row)!
  if (places.length === 0) return NO_OPERANDS
  const s = c.source
  const operands: P.Operand[] = []
  for (let k = 0; k < places.length; k++) {
    s.skipBlanks()
    if (k > 0) {
      if (s.atEnd()) failCount(s, row, k)
      s.expect(CODE.comma, `between the operands of ${row.mnemonic}`)
      s.skipBlanks()
    }
    if (s.atEnd()) failCount(s, row, k)
    operands.push(readOperand(c, places[k]!))
  }
  s.skipBlanks()
  if (s.peek() === CODE.comma) failCount(s, row, operands.length + 1)
  return operands
}

/** The call site is the last index in the text and a parameter in the token stream. */
function splitCallSite(operand: P.Operand): { readonly operand: P.Operand; readonly callSite: number } {
  const last = operand.indices[operand.indices.length - 1]
  if (operand.indices.length < 2 || last?.kind !== 'immediate') return { operand, callSite: 0 }
  return { operand: { ...operand, indices: operand.indices.slice(0, -1) }, callSite: last.value }
}

const RESOURCE = I.fileNumber('resource')

/** Textures that take texel offsets: all but cubes. */
const WITHOUT_OFFSETS: ReadonlySet<number> = new Set([
  I.DIMENSION_NUMBER.texturecube,
  I.DIMENSION_NUMBER.texturecubearray,
])

const NO_SLACK: readonly number[] = NO_PARAMETERS
const SLACK: readonly number[] = [0]

/** The dimension of the resource: from the instruction, else from its declaration. */
function dimensionOf(
  resource: P.Operand,
  extended: readonly P.ExtendedOpcode[],
  dimensions: ReadonlyMap<number, number>,
): number | undefined {
  for (const e of extended) if (e.kind === 'resource-dimension') return e.dimension
  const index = resource.indices[0]
  return index?.kind === 'immediate' ? dimensions.get(index.value) : undefined
}

/** The dword that fxc leaves unused at the end of some instructions. */
function slackOf(
  row: I.InstructionRow,
  operands: readonly P.Operand[],
  extended: readonly P.ExtendedOpcode[],
  dimensions: ReadonlyMap<number, number>,
): readonly number[] {
  const resource = operands[row.operands.findIndex((slot) => slot.role === 'resource')]
  if (row.slack === undefined || resource?.type !== RESOURCE) return NO_SLACK
  if (row.slack === 'texture') return SLACK
  if (extended.some((e) => e.kind === 'sample-offset')) return NO_SLACK
  const dimension = dimensionOf(resource, extended, dimensions)
  return dimension !== undefined && WITHOUT_OFFSETS.has(dimension) ? NO_SLACK : SLACK
}

/** Reads an instruction behind its mnemonic. `dimensions` are those of the resources declared so far, by t#. */
export function readInstruction(c: OperandContext, head: Head, dimensions: ReadonlyMap<number, number>): P.Instruction {
  const s = c.source
  const { row } = head
  s.skipBlanks()
  let controls = head.controls
  if (s.peek() === CODE.openBracket) controls |= readPrecise(s)
  const extended = readExtended(s, head)
  controls |= readReturnSuffix(s, row)
  const operands = readOperands(c, row)
  if (!row.parametersFirst) {
    const parameters = row.slack === undefined ? NO_PARAMETERS : slackOf(row, operands, extended, dimensions)
    return { kind: 'instruction', opcode: row.opcode, controls, extended, operands, parameters }
  }
  const { operand, callSite } = splitCallSite(operands[0]!)
  const parameters = [callSite]
  return { kind: 'instruction', opcode: row.opcode, controls, extended, operands: [operand], parameters }
}
