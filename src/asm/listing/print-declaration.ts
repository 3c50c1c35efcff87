import { assertNever } from '../../diagnostic/index.ts'
import {
  controlOf,
  DIMENSION,
  DIMENSION_NUMBER,
  GLOBAL_FLAG_LIST,
  GLOBAL_FLAGS,
  type InstructionRow,
  RESOURCE_DIMENSION,
  SAMPLE_COUNT,
  wordOf,
} from '../../isa/index.ts'
import type { Instruction, Operand, OperandIndex } from '../../program/index.ts'
import {
  DECLARATION_TEXT,
  type FlagSuffix,
  GLOBAL_FLAG_SEPARATOR,
  NO_GLOBAL_FLAGS,
  type TextPiece,
} from '../text/declaration-text.ts'
import { UNBOUNDED, UNBOUNDED_TEXT } from '../text/operand-text.ts'
import type { Context } from './context.ts'
import { returnTypesText } from './print-head.ts'
import { NO_CAST, operandText, registerText } from './print-operand.ts'

/** The dword of a named parameter; 0 where the declaration is too short. */
function parameterOf(row: InstructionRow, i: Instruction, name: string): number {
  return i.parameters[row.parameters.indexOf(name)] ?? 0
}

const numberOf = (index: OperandIndex | undefined): number => (index?.kind === 'immediate' ? index.value : 0)

/** `[4:19]`, `[4:*]`: first and last register of a range of bindings. */
function rangeText(o: Operand): string {
  const last = numberOf(o.indices[2])
  return `[${numberOf(o.indices[1])}:${last === UNBOUNDED ? UNBOUNDED_TEXT : last}]`
}

const hasRange = (c: Context, o: Operand): boolean => c.isModel51 && o.indices.length === 3

const withIndices = (o: Operand, from: number, to: number): Operand => ({ ...o, indices: o.indices.slice(from, to) })

function bindingText(c: Context, o: Operand): string {
  if (!hasRange(c, o)) return operandText(c, o, 'integer', NO_CAST)
  return registerText(c, withIndices(o, 0, 1)) + rangeText(o)
}

function constantBufferText(c: Context, o: Operand, size: number): string {
  if (hasRange(c, o)) return `${registerText(c, withIndices(o, 0, 1))}${rangeText(o)}[${size}]`
  // The declaration has the capital letters of SM5.1 in every model.
  return registerText({ ...c, isModel51: true }, o)
}

/** Sample counts stand in the declarations of multisampled textures alone, 0 where the program does not say. */
function dimensionText(row: InstructionRow, i: Instruction): string {
  const dimension = controlOf(i.controls, DIMENSION)
  const isMultisampled = dimension === DIMENSION_NUMBER.texture2dms || dimension === DIMENSION_NUMBER.texture2dmsarray
  const samples =
    isMultisampled && row.controls.includes(SAMPLE_COUNT) ? `(${controlOf(i.controls, SAMPLE_COUNT)})` : ''
  return `_${wordOf(RESOURCE_DIMENSION, dimension)}${samples}`
}

function suffixesText(flags: readonly FlagSuffix[], controls: number): string {
  let text = ''
  for (const flag of flags) if (controlOf(controls, flag.control) === 1) text += flag.suffix
  return text
}

function globalFlagsText(controls: number): string {
  const flags = controlOf(controls, GLOBAL_FLAGS)
  const words = GLOBAL_FLAG_LIST.filter((f) => ((flags >> f.bit) & 1) === 1).map((f) => f.word)
  return words.length === 0 ? NO_GLOBAL_FLAGS : ` ${words.join(GLOBAL_FLAG_SEPARATOR)}`
}

/** The list to the end of the parameters, or as much of it as the declared count says. */
function listText(row: InstructionRow, i: Instruction, prefix: string, count: string): string {
  const items = i.parameters.slice(row.parameters.length - 1)
  const declared = parameterOf(row, i, count) & 0xffff
  return items
    .slice(0, declared)
    .map((n) => prefix + n)
    .join(', ')
}

const colored = (c: Context, text: string): string =>
  text === '' ? '' : c.style.colors.nameBegin + text + c.style.colors.nameEnd

function pieceText(c: Context, row: InstructionRow, i: Instruction, p: TextPiece): string {
  switch (p.piece) {
    case 'text':
      return p.text
    case 'dimension':
      return colored(c, dimensionText(row, i))
    case 'suffixes':
      return colored(c, suffixesText(p.flags, i.controls))
    case 'return-types':
      return returnTypesText(parameterOf(row, i, p.parameter))
    case 'register':
      return operandText(c, i.operands[0]!, 'integer', NO_CAST)
    case 'binding':
      return bindingText(c, i.operands[0]!)
    case 'constant-buffer':
      return constantBufferText(c, i.operands[0]!, parameterOf(row, i, 'size'))
    case 'space':
      return c.isModel51 ? `, space=${parameterOf(row, i, 'space')}` : ''
    case 'number':
      return String(parameterOf(row, i, p.parameter))
    case 'float':
      return `l(${c.style.float(parameterOf(row, i, p.parameter))})`
    case 'control-number':
      return String(controlOf(i.controls, p.control))
    case 'word': {
      const word = wordOf(p.words, controlOf(i.controls, p.control))
      return word === '' ? '' : p.before + word
    }
    case 'parameter-word':
      return wordOf(p.words, parameterOf(row, i, p.parameter))
    case 'global-flags':
      return globalFlagsText(i.controls)
    case 'list':
      return listText(row, i, p.prefix, p.count)
    case 'interface-shape':
      return `[${parameterOf(row, i, 'lengths') >>> 16}][${parameterOf(row, i, 'callSites')}]`
    default:
      return assertNever(p)
  }
}

/** A declaration from its mnemonic to the end of its line. */
export function declarationText(c: Context, row: InstructionRow, i: Instruction): string {
  if (row.traits.kind !== 'declaration') return colored(c, row.mnemonic)
  let text = colored(c, row.mnemonic)
  for (const piece of DECLARATION_TEXT[row.traits.declares]) text += pieceText(c, row, i, piece)
  return text
}
