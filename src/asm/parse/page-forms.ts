/** Declarations as the reference pages and older compilers write them: accepted, never printed. */
import * as I from '../../isa/index.ts'
import type * as P from '../../program/index.ts'
import { DECLARED, finishParameters } from './declaration.ts'
import type { Head } from './mnemonic.ts'
import { readUnsigned } from './number.ts'
import { readOperand } from './operand.ts'
import type { OperandContext } from './operand-context.ts'
import { CODE, isDigitCode, type Source } from './source.ts'
import { readEnumerationWord } from './words.ts'

/** The row of a form of declaration; `generated` chooses between twins. */
function rowOfForm(form: I.DeclarationForm, generated = false): I.InstructionRow {
  return I.INSTRUCTIONS.find((row) => {
    const { traits } = row
    return traits.kind === 'declaration' && traits.declares === form && (traits.generated ?? false) === generated
  })!
}

const INSTANCES = rowOfForm('gs-instances')
const INTERPOLATED = rowOfForm('input-ps')
const GS_INSTANCE_ID = I.fileNumber('gs-instance-id')
const PIXEL = I.numberOfStage('pixel')

const DEFAULT_INTERPOLATION = { generated: 'constant', position: 'linear noperspective', other: 'linear' } as const

function declare(
  c: OperandContext,
  row: I.InstructionRow,
  controls: number,
  operands: readonly P.Operand[],
  values: Readonly<Record<string, number>>,
): P.Instruction {
  const parameters = finishParameters(
    row,
    row.parameters.map((name) => values[name] ?? 0),
    c.isSm51,
  )
  return { kind: 'instruction', opcode: row.opcode, controls, extended: [], operands, parameters }
}

const hasComma = (s: Source): boolean => s.find(',') >= 0

/** `texture2d`, `Texture2DMS[4]`. */
function readDimension(s: Source, row: I.InstructionRow): number {
  const dimension = readEnumerationWord(s, I.RESOURCE_DIMENSION, 'a resource dimension')
  const controls = I.withControl(0, I.DIMENSION, dimension)
  if (!row.controls.includes(I.SAMPLE_COUNT) || !s.accept(CODE.openBracket)) return controls
  s.skipBlanks()
  const start = s.position
  const count = s.peek() === CODE.closeBracket ? 0 : readUnsigned(s, 'a sample count')
  if (count >= 1 << I.SAMPLE_COUNT.width) {
    s.fail('asm-number-range', `a sample count is below ${1 << I.SAMPLE_COUNT.width}`, start, s.position)
  }
  s.expect(CODE.closeBracket, 'after the sample count')
  return I.withControl(controls, I.SAMPLE_COUNT, count)
}

const MAX_TYPES = 4

/** One return type for all components, or one for each; in parentheses or not. Absent ones are as the last. */
function readTypes(s: Source): number {
  const wrapped = s.accept(CODE.open)
  const types: number[] = []
  do types.push(readEnumerationWord(s, I.RETURN_TYPE, 'a return type'))
  while (types.length < MAX_TYPES && s.accept(CODE.comma))
  if (wrapped) s.expect(CODE.close, 'after the return types')
  let packed = 0
  for (let k = 0; k < MAX_TYPES; k++) packed |= types[Math.min(k, types.length - 1)]! << (4 * k)
  return packed
}

/** `dcl_resource t3, buffer, UNORM`, `dcl_uav_typed u0, Texture2D, FLOAT`. */
function readTypedView(c: OperandContext, head: Head): P.Instruction {
  const s = c.source
  const operand = readOperand(c, DECLARED)
  s.expect(CODE.comma, 'before the dimension')
  const controls = head.controls | readDimension(s, head.row)
  s.expect(CODE.comma, 'before the return type')
  return declare(c, head.row, controls, [operand], { returnTypes: readTypes(s) })
}

const lastIndex = (o: P.Operand): number => {
  const index = o.indices[o.indices.length - 1]
  return index?.kind === 'immediate' ? index.value : 0
}

/** `dcl_indexRange v0, v3`: first and last register. */
function readIndexRange(c: OperandContext, head: Head): P.Instruction {
  const s = c.source
  s.skipBlanks()
  const start = s.position
  const first = readOperand(c, DECLARED)
  s.expect(CODE.comma, 'before the last register')
  const last = readOperand(c, DECLARED)
  const count = lastIndex(last) - lastIndex(first) + 1
  if (count < 1 || first.type !== last.type) {
    s.fail('asm-index', 'expected the first and the last register of one range', start, s.position)
  }
  return declare(c, head.row, head.controls, [first], { count })
}

function readInterpolation(s: Source): number {
  return I.withControl(0, I.INTERPOLATION, readEnumerationWord(s, I.INTERPOLATION_MODE, 'an interpolation mode'))
}

/** `dcl_input v0.x, linearCentroid`, `dcl_input vGSInstanceID, 4`. */
function readInput(c: OperandContext): P.Instruction {
  const s = c.source
  const operand = readOperand(c, DECLARED)
  s.expect(CODE.comma, '')
  if (operand.type === GS_INSTANCE_ID) {
    return declare(c, INSTANCES, 0, [], { count: readUnsigned(s, 'a number of instances') })
  }
  return declare(c, INTERPOLATED, readInterpolation(s), [operand], {})
}

function defaultInterpolation(systemValue: string, isGenerated: boolean): number {
  const word = isGenerated
    ? DEFAULT_INTERPOLATION.generated
    : systemValue === 'position'
      ? DEFAULT_INTERPOLATION.position
      : DEFAULT_INTERPOLATION.other
  return I.withControl(0, I.INTERPOLATION, I.valueOfWord(I.INTERPOLATION_MODE, word)!)
}

/** `dcl_input_sv v0.w, clipDistance[, mode]`, `dcl_output_sv o0, position`. */
function readSystemValue(c: OperandContext, isInput: boolean, isPixel: boolean): P.Instruction {
  const s = c.source
  const operand = readOperand(c, DECLARED)
  s.expect(CODE.comma, 'before the system value')
  const systemValue = readEnumerationWord(s, I.SYSTEM_VALUE, 'a system value')
  const word = I.wordOf(I.SYSTEM_VALUE, systemValue)
  const isGenerated = I.GENERATED_SYSTEM_VALUES.includes(word)
  if (!isInput) return declare(c, rowOfForm('output-sv', isGenerated), 0, [operand], { systemValue })
  if (!isPixel) return declare(c, rowOfForm('input-sv', isGenerated), 0, [operand], { systemValue })
  const controls = s.accept(CODE.comma) ? readInterpolation(s) : defaultInterpolation(word, isGenerated)
  return declare(c, rowOfForm('input-ps-sv', isGenerated), controls, [operand], { systemValue })
}

const LETTER_V = 0x76

/** `dcl_input_ps_sgv v0.x, primitive_id`: compilers up to 9.30 print no interpolation for generated values. */
function startsWithRegister(s: Source): boolean {
  s.skipBlanks()
  return s.peek() === LETTER_V && isDigitCode(s.peekAt(1))
}

/** Reads a declaration behind its mnemonic where it is in the form of the reference pages; undefined where not. */
export function readPageDeclaration(
  c: OperandContext,
  head: Head,
  stageNumber: number | undefined,
): P.Instruction | undefined {
  const { traits } = head.row
  if (traits.kind !== 'declaration') return undefined
  if (head.lacksDimension) return readTypedView(c, head)
  const s = c.source
  switch (traits.declares) {
    case 'index-range':
      return hasComma(s) ? readIndexRange(c, head) : undefined
    case 'input':
      return hasComma(s) ? readInput(c) : undefined
    case 'input-sv':
      return head.isAlias ? readSystemValue(c, true, stageNumber === PIXEL) : undefined
    case 'input-ps-sv':
      return traits.generated === true && startsWithRegister(s) ? readSystemValue(c, true, true) : undefined
    case 'output-sv':
      return head.isAlias ? readSystemValue(c, false, false) : undefined
    default:
      return undefined
  }
}
