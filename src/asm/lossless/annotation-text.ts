/** Annotations of the dialect `lossless`: every bit of an operand token and of a statement's first tokens. */
import * as I from '../../isa/index.ts'
import * as P from '../../program/index.ts'
import type { Context } from '../listing/context.ts'
import { NO_CAST, operandText } from '../listing/print-operand.ts'
import { COMPONENT_COUNT_WORDS, RAW_OPERAND_WORD, RAW_STATEMENT_WORD, SELECTION_MODE_WORDS } from '../parse/raw.ts'
import { hexText } from '../text/numbers.ts'
import { MODIFIER_AFTER, MODIFIER_BEFORE, NON_UNIFORM_TEXT } from '../text/operand-text.ts'

const hexList = (dwords: readonly number[]): string => dwords.map(hexText).join(':')

function exactIndexText(c: Context, index: P.OperandIndex): string {
  const register = (o: P.Operand): string => annotatedOperandText(c, o, 'integer')
  switch (index.kind) {
    case 'immediate':
      return `${index.value}`
    case 'immediate64':
      return `${index.low} {high=${hexText(index.high)}}`
    case 'relative':
      return register(index.register)
    case 'relative-plus':
      return `${register(index.register)} + ${index.offset | 0} {offset}`
    case 'relative-plus64':
      return `${register(index.register)} + ${index.low | 0} {high=${hexText(index.high)}}`
  }
}

const isImmediate = (o: P.Operand): boolean => o.type === I.FILE.immediate32 || o.type === I.FILE.immediate64

/** Register and indices, every index in brackets. */
function exactRegisterText(c: Context, o: P.Operand): string {
  const file = I.registerFile(o.type)
  if (file === undefined) return '?'
  const prefix = c.isModel51 ? (file.prefix51 ?? file.prefix) : file.prefix
  return prefix + o.indices.map((index) => `[${exactIndexText(c, index)}]`).join('')
}

function rawFields(o: P.Operand): string {
  const fields = [
    `components=${COMPONENT_COUNT_WORDS[o.components]}`,
    `mode=${SELECTION_MODE_WORDS[o.mode]}`,
    `selection=0x${o.selection.toString(16)}`,
    `precision=${o.minPrecision}`,
  ]
  if (o.extra?.tokens !== undefined) fields.push(`extended=${hexList(o.extra.tokens)}`)
  if (o.extra !== undefined && o.extra.spare !== 0) fields.push(`spare=${hexText(o.extra.spare)}`)
  return fields.join(' ')
}

/** An operand with every bit that its token has. */
export function annotatedOperandText(c: Context, o: P.Operand, literals: I.LiteralStyle): string {
  const plain = { ...o, modifier: 0, minPrecision: 0, nonUniform: false }
  const value = isImmediate(o) ? operandText(c, plain, literals, NO_CAST) : exactRegisterText(c, o)
  const modified = `${MODIFIER_BEFORE[o.modifier & 3]}${value}${MODIFIER_AFTER[o.modifier & 3]}`
  return `${modified}${o.nonUniform ? NON_UNIFORM_TEXT : ''} {${RAW_OPERAND_WORD} ${rawFields(o)}}`
}

const listField = (name: string, dwords: readonly number[]): string =>
  dwords.length === 0 ? name : `${name}=${hexList(dwords)}`

const sameList = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((n, k) => n === b[k])

/**
 * ` {token ...}` with what `text`, the instruction as its text alone reads, does not have right; with everything where
 * that is undefined.
 */
export function annotationText(i: P.Instruction, text: P.Instruction | undefined): string {
  const extended = i.extended.map(P.encodeExtendedOpcode)
  const fields: string[] = []
  if (text?.controls !== i.controls) fields.push(`controls=${hexText(i.controls)}`)
  if (text === undefined || !sameList(text.extended.map(P.encodeExtendedOpcode), extended)) {
    fields.push(listField('extended', extended))
  }
  if (text === undefined || !sameList(text.parameters, i.parameters)) fields.push(listField('parameters', i.parameters))
  if (i.long !== undefined) fields.push(`long=${i.long.shortLength}`)
  return fields.length === 0 ? '' : ` {${RAW_STATEMENT_WORD} ${fields.join(' ')}}`
}
