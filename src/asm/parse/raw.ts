/**
 * Annotations of the lossless dialect: `{raw ...}` behind an operand and `{token ...}` behind a statement say what the
 * text before them leaves open, as `name=value` fields; several values are joined by colons.
 */
import { closest } from '../../diagnostic/index.ts'
import * as P from '../../program/index.ts'
import { readUnsigned } from './number.ts'
import { CODE, type Source, STATEMENT_ANNOTATION } from './source.ts'

export const RAW_OPERAND_WORD = 'raw'
export const RAW_STATEMENT_WORD = STATEMENT_ANNOTATION.slice(1)

/** Words for the number of components and for the way they are chosen, at their numbers in the operand token. */
export const COMPONENT_COUNT_WORDS: readonly string[] = ['0', '1', '4', 'n']
export const SELECTION_MODE_WORDS: readonly string[] = ['mask', 'swizzle', 'select', 'none']

/** Values of a list are a statement's tokens, which a length in 31 bits bounds; text bounds them too. */
type Fields = ReadonlyMap<string, readonly number[]>

function startsAnnotation(s: Source, word: string): boolean {
  return s.peek() === CODE.openBrace && s.text.startsWith(word, s.position + 1)
}

export const isRawAnnotation = (s: Source): boolean => startsAnnotation(s, RAW_OPERAND_WORD)
export const isStatementAnnotation = (s: Source): boolean => s.text.startsWith(STATEMENT_ANNOTATION, s.position)

/** A word of `words` as its number, or a number. */
function readValue(s: Source, words: readonly string[] | undefined): number {
  s.skipBlanks()
  if (words === undefined) return readUnsigned(s, 'a number')
  const start = s.position
  const word = s.word()
  const value = words.indexOf(word)
  if (value >= 0) return value
  return s.fail('asm-unknown-keyword', `expected one of ${words.join(', ')}`, start, Math.max(s.position, start + 1))
}

interface FieldForms {
  readonly [name: string]: readonly string[] | undefined
}

function readFields(s: Source, opening: string, forms: FieldForms): Fields {
  s.position += 1 + opening.length
  const fields = new Map<string, readonly number[]>()
  for (s.skipBlanks(); s.peek() !== CODE.closeBrace; s.skipBlanks()) {
    const start = s.position
    const name = s.word()
    if (!Object.hasOwn(forms, name)) {
      const names = Object.keys(forms)
      const message = `expected one of ${names.join(', ')}, found ${name === '' ? s.found() : `'${name.slice(0, 40)}'`}`
      return s.failWord('asm-unknown-keyword', message, start, Math.max(s.position, start + 1), closest(name, names))
    }
    const values: number[] = []
    if (s.accept(CODE.equals)) {
      do values.push(readValue(s, forms[name]))
      while (s.accept(CODE.colon))
    }
    fields.set(name, values)
  }
  s.position++
  return fields
}

/** What `{raw ...}` says of an operand; undefined fields are as the text before has them. */
interface RawOperand {
  readonly components: number | undefined
  readonly mode: number | undefined
  readonly selection: number | undefined
  readonly precision: number | undefined
  readonly extended: readonly number[] | undefined
  readonly spare: number | undefined
}

const OPERAND_FORMS: FieldForms = {
  components: COMPONENT_COUNT_WORDS,
  mode: SELECTION_MODE_WORDS,
  selection: undefined,
  precision: undefined,
  extended: undefined,
  spare: undefined,
}

export function readRawOperand(s: Source): RawOperand {
  const start = s.position
  const fields = readFields(s, RAW_OPERAND_WORD, OPERAND_FORMS)
  const one = (name: string, limit: number): number | undefined => {
    const value = fields.get(name)?.[0]
    if (value === undefined || value <= limit) return value
    return s.fail('asm-number-range', `'${name}' is at most ${limit}`, start, s.position)
  }
  return {
    components: one('components', 3),
    mode: one('mode', 3),
    selection: one('selection', 0xff),
    precision: one('precision', 7),
    extended: fields.get('extended'),
    spare: fields.get('spare')?.[0],
  }
}

/** The operand with what the annotation says. Extended tokens replace the modifiers, which are read from the first. */
export function applyRawOperand(operand: P.Operand, raw: RawOperand): P.Operand {
  const changed = {
    ...operand,
    components: raw.components ?? operand.components,
    mode: raw.mode ?? operand.mode,
    selection: raw.selection ?? operand.selection,
    minPrecision: raw.precision ?? operand.minPrecision,
  }
  const { extended, spare = 0 } = raw
  if (extended === undefined && spare === 0) return changed
  return { ...changed, extra: extended === undefined ? { spare } : { tokens: extended, spare } }
}

/** What `{token ...}` says of a statement. */
interface RawStatement {
  readonly controls: number | undefined
  readonly extended: readonly P.ExtendedOpcode[] | undefined
  readonly parameters: readonly number[] | undefined
  /** The short length of an instruction with a length dword. */
  readonly long: number | undefined
}

const STATEMENT_FORMS: FieldForms = {
  controls: undefined,
  extended: undefined,
  parameters: undefined,
  long: undefined,
}

export function readRawStatement(s: Source): RawStatement {
  const fields = readFields(s, RAW_STATEMENT_WORD, STATEMENT_FORMS)
  return {
    controls: fields.get('controls')?.[0],
    extended: fields.get('extended')?.map(P.decodeExtendedOpcode),
    parameters: fields.get('parameters'),
    long: fields.get('long')?.[0],
  }
}
