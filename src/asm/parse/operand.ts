/**
 * Operands: registers with indices, components, modifiers and minimum precision, and literals. The grammar stands in
 * `text/operand-text.ts`; how fxc encodes what its text leaves open follows from the role of the slot and the register
 * file (`components.ts`).
 */
import { closest } from '../../diagnostic/index.ts'
import * as I from '../../isa/index.ts'
import * as P from '../../program/index.ts'
import { UNBOUNDED } from '../text/operand-text.ts'
import { readChoice } from './components.ts'
import { literalOperand, readLiteral } from './literal.ts'
import { readLiteralDword, readSigned, readUnsigned } from './number.ts'
import type { OperandContext, OperandPlace } from './operand-context.ts'
import { applyRawOperand, isRawAnnotation, readRawOperand } from './raw.ts'
import { CODE, isDigitCode, isLetterCode, type Source } from './source.ts'

const INDEX_PLACE: OperandPlace = { components: 'source', isDeclared: false, fullView: false, maxIndices: 3 }

const LITERAL_FILE = I.REGISTER_FILES[I.FILE.immediate32]!
const LABEL_FILE = I.REGISTER_FILES[I.fileNumber('label')]!

/** As deep as the token decoder goes: Direct3D uses two levels. */
const MAX_INDEX_DEPTH = 8

const ABS_SUFFIX = '_abs'
const NON_UNIFORM = 'nonuniform'
const CAST = 'as'

const PREFIXES: ReadonlyMap<string, I.RegisterFile> = new Map(
  I.REGISTER_FILES.flatMap((file) =>
    [file.prefix, file.prefix51 ?? file.prefix].map((prefix) => [prefix, file] as const),
  ),
)
/** The functional specification's word where it is not the listing's (22.1.7, 10.4). */
const SPECIFICATION_PREFIXES = [['vcp', I.REGISTER_FILES[I.fileNumber('input-control-point')]!]] as const
/** In lower case: the pages and other tools write `CB0`, `NULL`, `vprim`. */
const FOLDED_PREFIXES: ReadonlyMap<string, I.RegisterFile> = new Map([
  ...I.REGISTER_FILES.map((file) => [file.prefix.toLowerCase(), file] as const),
  ...SPECIFICATION_PREFIXES,
])

/** The register file of a prefix as text has it. */
export function registerFileOfPrefix(prefix: string): I.RegisterFile | undefined {
  return PREFIXES.get(prefix) ?? (prefix.length <= 32 ? FOLDED_PREFIXES.get(prefix.toLowerCase()) : undefined)
}

const SHARED = 512
const IMMEDIATES: readonly P.OperandIndex[] = Array.from({ length: SHARED }, (_, value) =>
  Object.freeze({ kind: 'immediate', value }),
)
const SINGLE: readonly (readonly P.OperandIndex[])[] = IMMEDIATES.map((index) => Object.freeze([index]))

function immediate(value: number): P.OperandIndex {
  return value < SHARED ? IMMEDIATES[value]! : { kind: 'immediate', value }
}

/** Registers, before their extended tokens are known. */
interface Register {
  file: I.RegisterFile
  indices: readonly P.OperandIndex[]
  hasAbs: boolean
}

function failRegister(s: Source, start: number): never {
  const end = Math.max(s.wordEnd(), start + 1)
  const word = s.text.slice(start, Math.min(end, start + 60))
  if (end === start + 1 && !isLetterCode(s.text.charCodeAt(start))) {
    s.position = start
    return s.failExpected('a register or a literal')
  }
  const letters = word.replace(/[0-9].*$/, '')
  const best = closest(letters, PREFIXES.keys())
  const meant = best === undefined ? undefined : best + word.slice(letters.length)
  return s.failWord('asm-register', `'${word}' is not a register`, start, end, meant)
}

function readFile(s: Source): I.RegisterFile | undefined {
  const { text, lineEnd } = s
  const start = s.position
  let at = start
  while (at < lineEnd && isLetterCode(text.charCodeAt(at))) at++
  s.position = at
  return registerFileOfPrefix(text.slice(start, at))
}

/** `_abs`, the reference pages' absolute value, glued to the register. */
function skipAbs(s: Source): boolean {
  if (s.peek() !== CODE.underscore || !s.text.startsWith(ABS_SUFFIX, s.position)) return false
  s.position += ABS_SUFFIX.length
  return true
}

/** A file whose prefix runs into `_abs` (`vPrim_abs`): letters and `_` make one run. */
function readFileWithAbs(s: Source, start: number): I.RegisterFile {
  const run = s.text.slice(start, s.position)
  const file = run.endsWith(ABS_SUFFIX) ? registerFileOfPrefix(run.slice(0, -ABS_SUFFIX.length)) : undefined
  if (file === undefined) return failRegister(s, start)
  s.position -= ABS_SUFFIX.length
  return file
}

function readRegister(c: OperandContext, place: OperandPlace, depth: number): Register {
  const s = c.source
  const start = s.position
  const file = readFile(s) ?? readFileWithAbs(s, start)
  let indices: readonly P.OperandIndex[] = P.NO_INDICES
  if (isDigitCode(s.peek())) {
    const value = readUnsigned(s, 'a register number')
    indices = value < SHARED ? SINGLE[value]! : [immediate(value)]
  }
  let hasAbs = skipAbs(s)
  if (s.peek() === CODE.openBracket) {
    indices = readBrackets(c, place, indices, depth)
    hasAbs = skipAbs(s) || hasAbs
  }
  return { file, indices, hasAbs }
}

function readBrackets(
  c: OperandContext,
  place: OperandPlace,
  first: readonly P.OperandIndex[],
  depth: number,
): readonly P.OperandIndex[] {
  const s = c.source
  const indices = [...first]
  while (s.peek() === CODE.openBracket) {
    const start = s.position
    s.position++
    indices.push(readIndex(c, depth))
    if (s.accept(CODE.colon)) indices.push(immediate(readRangeEnd(s)))
    s.expect(CODE.closeBracket, 'after the index')
    if (indices.length > place.maxIndices) {
      return s.fail('asm-index', `there are at most ${place.maxIndices} indices here`, start, s.position)
    }
  }
  return indices
}

/** The last register of a range of bindings, `*` where it is open. */
function readRangeEnd(s: Source): number {
  return s.accept(CODE.star) ? UNBOUNDED : readUnsigned(s, "the last register of a range, or '*'")
}

/** `{high=0x1}` behind an index: the upper dword of a 64-bit one; `{offset}`: the offset is there though it is 0. */
interface IndexAnnotation {
  readonly high: number | undefined
  readonly hasOffset: boolean
}

const NO_ANNOTATION: IndexAnnotation = { high: undefined, hasOffset: false }

function readIndexAnnotation(s: Source): IndexAnnotation {
  if (!s.accept(CODE.openBrace)) return NO_ANNOTATION
  s.skipBlanks()
  const start = s.position
  const word = s.word()
  let high: number | undefined
  if (word === 'high') {
    s.expect(CODE.equals, "after 'high'")
    high = readUnsigned(s, 'the upper 32 bits')
  } else if (word !== 'offset') {
    return s.fail('asm-unknown-keyword', "expected 'high' or 'offset'", start, Math.max(s.position, start + 1))
  }
  s.expect(CODE.closeBrace, '')
  return { high, hasOffset: true }
}

function readIndex(c: OperandContext, depth: number): P.OperandIndex {
  const s = c.source
  s.skipBlanks()
  if (depth >= MAX_INDEX_DEPTH) {
    return s.fail('asm-index', `indices nest more than ${MAX_INDEX_DEPTH} deep`, s.position, s.position + 1)
  }
  if (isDigitCode(s.peek())) {
    const value = readUnsigned(s, 'an index')
    // The pages also write the offset first: x0[5 + r0.x].
    if (s.accept(CODE.plus)) return relative(value, readIndexRegister(c, depth), NO_ANNOTATION)
    const { high } = readIndexAnnotation(s)
    return high === undefined ? immediate(value) : { kind: 'immediate64', high, low: value }
  }
  const register = readIndexRegister(c, depth)
  return relative(readOffset(s), register, readIndexAnnotation(s))
}

function readIndexRegister(c: OperandContext, depth: number): P.Operand {
  c.source.skipBlanks()
  return readOperandAt(c, INDEX_PLACE, depth + 1)
}

function readOffset(s: Source): number {
  if (s.accept(CODE.plus)) return readSigned(s, 'an offset')
  if (s.peek() !== CODE.minus) return 0
  return readSigned(s, 'an offset')
}

/**
 * The listing prints `+ 0` also where no offset is encoded, and fxc never encodes an offset of 0: of all relative
 * indices of the corpus none has one, save where it was patched in (corpus: synthetic/operand_forms).
 */
function relative(offset: number, register: P.Operand, annotation: IndexAnnotation): P.OperandIndex {
  const { high, hasOffset } = annotation
  if (high !== undefined) return { kind: 'relative-plus64', high, low: offset, register }
  return offset === 0 && !hasOffset ? { kind: 'relative', register } : { kind: 'relative-plus', offset, register }
}

/** What braces behind an operand say. */
interface Annotations {
  minPrecision: number
  nonUniform: boolean
}

/** `{min16f}`, `{min16f as def32}`, `{ nonuniform }`: an operand's own precision stands first. */
function readAnnotation(s: Source, annotations: Annotations): void {
  s.position++
  s.skipBlanks()
  const start = s.position
  const word = s.word()
  if (word === NON_UNIFORM) annotations.nonUniform = true
  else annotations.minPrecision = precisionOf(s, word, start)
  s.skipBlanks()
  if (word !== NON_UNIFORM && s.peek() !== CODE.closeBrace) {
    if (s.word() !== CAST) s.failExpected("'as' or '}'")
    s.skipBlanks()
    const castStart = s.position
    precisionOf(s, s.word(), castStart)
  }
  s.expect(CODE.closeBrace, 'after the minimum precision')
}

function precisionOf(s: Source, word: string, start: number): number {
  if (word === I.MIN_PRECISION_WORD.unknown) return 0
  const value = I.valueOfWord(I.MIN_PRECISION_WORD, word)
  if (value !== undefined) return value
  const words = [...I.MIN_PRECISION_WORD.words.filter((w) => w !== undefined), NON_UNIFORM]
  const message = `'${word.slice(0, 40)}' is not a minimum precision`
  return s.failWord('asm-unknown-keyword', message, start, Math.max(s.position, start + 1), closest(word, words))
}

function readAnnotations(s: Source, annotations: Annotations): void {
  for (s.skipBlanks(); s.peek() === CODE.openBrace && !isRawAnnotation(s); s.skipBlanks())
    readAnnotation(s, annotations)
}

function readPlain(c: OperandContext, place: OperandPlace, depth: number): P.Operand {
  const literal = readLiteral(c)
  if (literal !== undefined) return literal
  const start = c.source.position
  const register = readRegister(c, place, depth)
  const { indices, hasAbs } = register
  const file = place.isLabel === true && register.file === LITERAL_FILE ? LABEL_FILE : register.file
  if (file.class === 'immediate' && !isRawAnnotation(c.source)) failRegister(c.source, start)
  const { components, mode, selection } = readChoice(c, file, place)
  return {
    type: file.number,
    components,
    mode,
    selection,
    indices,
    modifier: hasAbs ? P.MODIFIER_ABS : P.MODIFIER_NONE,
    minPrecision: 0,
    nonUniform: false,
    values: P.NO_VALUES,
  }
}

/** Whether the `-` here belongs to a number written without `l()`. */
function isNegativeNumber(s: Source): boolean {
  const next = s.peekAt(1)
  return isDigitCode(next) || (next === CODE.dot && isDigitCode(s.peekAt(2)))
}

function readOperandAt(c: OperandContext, place: OperandPlace, depth: number): P.Operand {
  const s = c.source
  const code = s.peek()
  if (code === CODE.minus && isNegativeNumber(s)) {
    return literalOperand(I.FILE.immediate32, [readLiteralDword(s, c.literals)])
  }
  const negative = code === CODE.minus
  if (negative) {
    s.position++
    s.skipBlanks()
  }
  const bars = s.peek() === CODE.bar
  if (bars) {
    s.position++
    s.skipBlanks()
  }
  const operand = readPlain(c, place, depth)
  const next = s.peek()
  const isPlain = !negative && !bars && next !== CODE.space && next !== CODE.openBrace
  return isPlain ? operand : readRest(s, operand, negative, bars)
}

/** What may stand behind the components: annotations and the closing bar. */
function readRest(s: Source, operand: P.Operand, negative: boolean, bars: boolean): P.Operand {
  s.skipBlanks()
  if (!negative && !bars && s.peek() !== CODE.openBrace) return operand
  const annotations: Annotations = { minPrecision: 0, nonUniform: false }
  readAnnotations(s, annotations)
  if (bars) {
    s.expect(CODE.bar, 'to end the absolute value')
    readAnnotations(s, annotations)
  }
  const { minPrecision, nonUniform } = annotations
  const modifier = operand.modifier | (negative ? P.MODIFIER_NEG : 0) | (bars ? P.MODIFIER_ABS : 0)
  const plain = modifier === 0 && minPrecision === 0 && !nonUniform
  const read = plain ? operand : { ...operand, modifier, minPrecision, nonUniform }
  return isRawAnnotation(s) ? applyRawOperand(read, readRawOperand(s)) : read
}

/** Reads one operand at the position. Gives the statement up where there is none. */
export function readOperand(c: OperandContext, place: OperandPlace): P.Operand {
  const s = c.source
  s.skipBlanks()
  const start = s.position
  const operand = readOperandAt(c, place, 0)
  s.operandEnds.push(start, s.position)
  return operand
}
