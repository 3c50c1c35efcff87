import {
  FILE,
  type IndexStyle,
  type LiteralStyle,
  MIN_PRECISION_WORD,
  REGISTER_FILES,
  type RegisterFile,
  wordOf,
} from '../../isa/index.ts'
import {
  COMPONENTS_4,
  type Operand,
  type OperandIndex,
  SELECT_MASK,
  SELECT_ONE,
  SELECT_SWIZZLE,
} from '../../program/index.ts'
import { LITERAL_SEPARATOR } from '../text/numbers.ts'
import {
  LITERAL32_PREFIX,
  LITERAL64_PREFIX,
  MASK_TEXT,
  MODIFIER_AFTER,
  MODIFIER_BEFORE,
  NON_UNIFORM_TEXT,
  SELECT_TEXT,
  SWIZZLE_TEXT,
} from '../text/operand-text.ts'
import type { Context } from './context.ts'

const IMMEDIATE32 = FILE.immediate32
const IMMEDIATE64 = FILE.immediate64

/** No destination precision that an operand would be cast to. */
export const NO_CAST = -1

const precisionWord = (n: number): string => wordOf(MIN_PRECISION_WORD, n)

const OWN_PRECISION: readonly string[] = Array.from({ length: 8 }, (_, p) => (p === 0 ? '' : ` {${precisionWord(p)}}`))

/** ` {own as dest}` at 8 * own + dest. */
const CAST_PRECISION: readonly string[] = Array.from({ length: 64 }, (_, i) =>
  i >> 3 === (i & 7) ? OWN_PRECISION[i & 7]! : ` {${precisionWord(i >> 3)} as ${precisionWord(i & 7)}}`,
)

function componentsText(o: Operand): string {
  if (o.components !== COMPONENTS_4) return ''
  switch (o.mode) {
    case SELECT_MASK:
      return MASK_TEXT[o.selection & 15]!
    case SELECT_SWIZZLE:
      return SWIZZLE_TEXT[o.selection & 255]!
    case SELECT_ONE:
      return SELECT_TEXT[o.selection & 3]!
    default:
      return ''
  }
}

/** The register of a relative index. Beyond two indices the disassembler names the first alone (synthetic/operand_forms). */
function indexRegisterText(c: Context, register: Operand): string {
  const shown = register.indices.length > 2 ? { ...register, indices: register.indices.slice(0, 1) } : register
  return `${registerText(c, shown)}${componentsText(register)}${OWN_PRECISION[register.minPrecision & 7]}`
}

/** An index as it stands inside its brackets. */
function indexText(c: Context, index: OperandIndex): string {
  switch (index.kind) {
    case 'immediate':
      return String(index.value)
    case 'relative':
      return `${indexRegisterText(c, index.register)} + 0`
    case 'relative-plus':
      return `${indexRegisterText(c, index.register)} + ${index.offset | 0}`
    // The disassembler does not support 64-bit indices: it shows nothing, or the high dword without the register.
    case 'immediate64':
      return ''
    case 'relative-plus64':
      return String(index.high)
  }
}

const isRelative = (index: OperandIndex): boolean => index.kind === 'relative' || index.kind === 'relative-plus'

/** Whether the index at `i` of `count` is written against the prefix. */
function isGlued(style: IndexStyle, i: number, count: number): boolean {
  switch (style) {
    case 'glued':
      return true
    case 'array':
      return i === 0
    case 'patch':
      return count === 1
    case 'boxed':
      return i === 0 && count > 1
  }
}

function indicesText(c: Context, style: IndexStyle, indices: readonly OperandIndex[]): string {
  let text = ''
  for (let i = 0; i < indices.length; i++) {
    const index = indices[i]!
    const inner = indexText(c, index)
    text += isGlued(style, i, indices.length) && !isRelative(index) ? inner : `[${inner}]`
  }
  return text
}

const prefixOf = (file: RegisterFile, isModel51: boolean): string =>
  isModel51 ? (file.prefix51 ?? file.prefix) : file.prefix

const SHORT = 256

/** Names with one small number, by register file: nearly all operands of a shader. Made when a file is first listed. */
const SHORT_NAMES: (readonly string[])[] = []
const SHORT_NAMES_51: (readonly string[])[] = []

function shortNames(type: number, isModel51: boolean): readonly string[] | undefined {
  const made = isModel51 ? SHORT_NAMES_51 : SHORT_NAMES
  const names = made[type]
  const file = REGISTER_FILES[type]
  if (names !== undefined || file === undefined) return names
  const prefix = prefixOf(file, isModel51)
  const numbers = Array.from({ length: SHORT }, (_, i) => (isGlued(file.indexStyle, 0, 1) ? `${i}` : `[${i}]`))
  made[type] = numbers.map((n) => prefix + n)
  return made[type]
}

/** What the listing writes for an operand type that the format does not define. */
const UNDEFINED_FILE = '?'

/** A register by numbers, as debug data names it. */
export function numberedRegisterText(type: number, indices: readonly number[]): string {
  const file = REGISTER_FILES[type]
  const style = file?.indexStyle ?? 'array'
  const texts = indices.map((n, i) => (isGlued(style, i, indices.length) ? `${n}` : `[${n}]`))
  return (file?.prefix ?? `${UNDEFINED_FILE}${type}`) + texts.join('')
}

/** Register and indices, without components. */
export function registerText(c: Context, o: Operand): string {
  const indices = o.indices
  const first = indices[0]
  if (indices.length === 1 && first!.kind === 'immediate' && first!.value < SHORT) {
    const names = shortNames(o.type, c.isModel51)
    if (names !== undefined) return names[first!.value]!
  }
  const file = REGISTER_FILES[o.type]
  if (file === undefined) return `${UNDEFINED_FILE}${o.type}${indicesText(c, 'array', indices)}`
  const prefix = prefixOf(file, c.isModel51)
  if (first === undefined) return prefix
  const second = indices[1]
  if (indices.length === 2 && file.indexStyle === 'array' && first.kind === 'immediate') {
    if (second!.kind === 'immediate') return `${prefix}${first.value}[${second!.value}]`
  }
  return prefix + indicesText(c, file.indexStyle, indices)
}

function literal32Text(c: Context, values: readonly number[], literals: LiteralStyle): string {
  const { colors } = c.style
  const print = c.style.literals[literals]
  const separator = LITERAL_SEPARATOR[literals]
  let text = ''
  for (let i = 0; i < values.length; i++) text += i === 0 ? print(values[0]!) : separator + print(values[i]!)
  return `${LITERAL32_PREFIX}${colors.literalBegin}(${text})${colors.literalEnd}`
}

function literal64Text(c: Context, values: readonly number[]): string {
  const { colors } = c.style
  const doubles: string[] = []
  for (let i = 0; i + 1 < values.length; i += 2) doubles.push(c.style.double(values[i]!, values[i + 1]!))
  return `${LITERAL64_PREFIX}${colors.literalBegin}(${doubles.join(', ')})${colors.literalEnd}`
}

function valueText(c: Context, o: Operand, literals: LiteralStyle): string {
  if (o.type === IMMEDIATE32) return literal32Text(c, o.values, literals)
  if (o.type === IMMEDIATE64) return literal64Text(c, o.values)
  return registerText(c, o) + componentsText(o)
}

/**
 * An operand. `castTo` is the minimum precision of the destination for sources that are cast to it, else NO_CAST: where
 * it differs from the operand's own, both are named.
 */
export function operandText(c: Context, o: Operand, literals: LiteralStyle, castTo: number): string {
  const value = valueText(c, o, literals)
  const own = o.minPrecision & 7
  if (o.modifier === 0 && own === 0 && castTo <= 0 && !o.nonUniform) return value
  const precision = castTo === NO_CAST ? OWN_PRECISION[own]! : CAST_PRECISION[8 * own + (castTo & 7)]!
  const before = MODIFIER_BEFORE[o.modifier] ?? ''
  const after = MODIFIER_AFTER[o.modifier] ?? ''
  return `${before}${value}${precision}${after}${o.nonUniform ? NON_UNIFORM_TEXT : ''}`
}
