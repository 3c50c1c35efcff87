/**
 * Operands: registers with indices, components, modifiers and minimum precision, and literals. The grammar stands in
 * `text/operand-text.ts`; how fxc encodes what its text leaves open is here, from the role of the slot and the register
 * file.
 */
import * as I from '../../isa/index.ts'
import * as P from '../../program/index.ts'
import { LITERAL32_PREFIX, LITERAL64_PREFIX, UNBOUNDED } from '../text/operand-text.ts'
import { type LiteralContext, readDoubleDwords, readLiteralDword, readSigned, readUnsigned } from './number.ts'
import { applyRawOperand, isRawAnnotation, readRawOperand } from './raw.ts'
import { CODE, isDigitCode, isLetterCode, type Source } from './source.ts'
import { didYouMean } from './suggest.ts'

/** What operands are read with, for one statement. */
export interface OperandContext {
  readonly source: Source
  /** SM5.1: bindings have an identifier and a range. */
  readonly isSm51: boolean
  readonly literals: LiteralContext
}

/** How the letters behind the point are meant. */
export type ComponentsRole = 'mask' | 'source'

/** What is known of an operand's place before it is read. */
export interface OperandPlace {
  readonly components: ComponentsRole
  /** The register stands in a declaration. */
  readonly isDeclared: boolean
  /** Components of a view without letters, where the register file does not say (stores write all four). */
  readonly fullView: boolean
  /** Indices that may stand here: three, or four where a constant buffer of SM5.1 is declared with its size. */
  readonly maxIndices: number
}

const INDEX_PLACE: OperandPlace = { components: 'source', isDeclared: false, fullView: false, maxIndices: 3 }

/** As deep as the token decoder goes: Direct3D uses two levels. */
const MAX_INDEX_DEPTH = 8

const FULL_MASK = 0xf
const IDENTITY_SWIZZLE = 0xe4
/** The component that a swizzle repeats: component times this. */
const REPLICATE = 0x55

const ABS_SUFFIX = '_abs'
const NON_UNIFORM = 'nonuniform'
const CAST = 'as'

const PREFIXES: ReadonlyMap<string, I.RegisterFile> = new Map(
  I.REGISTER_FILES.flatMap((file) =>
    [file.prefix, file.prefix51 ?? file.prefix].map((prefix) => [prefix, file] as const),
  ),
)
/** In lower case: the pages and other tools write `CB0`, `NULL`, `vprim`. */
const FOLDED_PREFIXES: ReadonlyMap<string, I.RegisterFile> = new Map(
  I.REGISTER_FILES.map((file) => [file.prefix.toLowerCase(), file]),
)

/** The register file of a prefix as text has it. */
export function fileOfPrefix(prefix: string): I.RegisterFile | undefined {
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
  const notes = didYouMean(letters, PREFIXES.keys())
  return s.fail('asm-register', `'${word}' is not a register`, start, end, notes)
}

function readFile(s: Source): I.RegisterFile | undefined {
  const { text, lineEnd } = s
  const start = s.position
  let at = start
  while (at < lineEnd && isLetterCode(text.charCodeAt(at))) at++
  s.position = at
  return fileOfPrefix(text.slice(start, at))
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
  const file = run.endsWith(ABS_SUFFIX) ? fileOfPrefix(run.slice(0, -ABS_SUFFIX.length)) : undefined
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
    return s.fail('asm-word', "expected 'high' or 'offset'", start, Math.max(s.position, start + 1))
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

/** How an operand chooses components. */
interface Choice {
  readonly components: number
  readonly mode: number
  readonly selection: number
}

const choice = (components: number, mode: number, selection: number): Choice => ({ components, mode, selection })

const NO_COMPONENTS = choice(P.COMPONENTS_0, 0, 0)
const ONE_COMPONENT = choice(P.COMPONENTS_1, 0, 0)
const EMPTY_MASK = choice(P.COMPONENTS_4, P.SELECT_MASK, 0)
const MASKS: readonly Choice[] = Array.from({ length: 16 }, (_, mask) => choice(P.COMPONENTS_4, P.SELECT_MASK, mask))
const SWIZZLES: readonly Choice[] = Array.from({ length: 256 }, (_, s) => choice(P.COMPONENTS_4, P.SELECT_SWIZZLE, s))
const SELECTS: readonly Choice[] = Array.from({ length: 4 }, (_, n) => choice(P.COMPONENTS_4, P.SELECT_ONE, n))

/** The number of a component letter, -1 for other characters. */
function componentOf(code: number): number {
  return code >= 0x78 && code <= 0x7a ? code - 0x78 : code === 0x77 ? 3 : -1
}

function readMask(s: Source): Choice {
  const start = s.position
  let mask = 0
  for (let component = componentOf(s.peek()); component >= 0; component = componentOf(s.peek())) {
    if (1 << component <= mask) {
      const message = 'a write mask names components in the order xyzw, each once'
      return s.fail('asm-components', message, start, s.wordEnd())
    }
    mask |= 1 << component
    s.position++
  }
  if (isLetterCode(s.peek())) return failComponents(s, start)
  return MASKS[mask]!
}

function failComponents(s: Source, start: number): never {
  const end = Math.max(s.wordEnd(), start + 1)
  const found = s.text.slice(start, Math.min(end, start + 40))
  return s.fail('asm-components', `expected up to four of the components x, y, z, w, found '${found}'`, start, end)
}

function readSwizzle(s: Source): Choice {
  const start = s.position
  let swizzle = 0
  let count = 0
  let component = componentOf(s.peek())
  let last = component
  for (; component >= 0 && count < 4; component = componentOf(s.peek())) {
    swizzle |= component << (2 * count++)
    last = component
    s.position++
  }
  if (isLetterCode(s.peek())) return failComponents(s, start)
  if (count === 4) return SWIZZLES[swizzle]!
  if (count === 1) return SELECTS[swizzle]!
  if (count === 0) return EMPTY_MASK
  // Two or three letters, which only people write: the last one is repeated.
  const filled = swizzle | ((last * REPLICATE) << (2 * count))
  return SWIZZLES[filled & 0xff]!
}

/** How a register without letters is encoded. */
function bareChoice(file: I.RegisterFile, place: OperandPlace, isSm51: boolean): Choice {
  const count = place.fullView ? undefined : I.BARE_COMPONENTS[file.name]
  // SM5.1 declares ranges of bindings with a full swizzle; constant buffers are declared so everywhere.
  const isRange = place.isDeclared && isSm51 && file.class === 'binding'
  const isConstant = place.isDeclared && file.class === 'constant'
  if (isRange || isConstant) return SWIZZLES[IDENTITY_SWIZZLE]!
  if (place.isDeclared && file.class === 'binding') return NO_COMPONENTS
  if (place.components === 'source' && !place.isDeclared && file.name === 'uav') return SWIZZLES[IDENTITY_SWIZZLE]!
  if (count === undefined) return place.components === 'mask' ? MASKS[FULL_MASK]! : SWIZZLES[IDENTITY_SWIZZLE]!
  return (place.isDeclared ? count.declared : count.used) === 0 ? NO_COMPONENTS : ONE_COMPONENT
}

function readChoice(c: OperandContext, file: I.RegisterFile, place: OperandPlace): Choice {
  const s = c.source
  if (s.peek() !== CODE.dot) return bareChoice(file, place, c.isSm51)
  s.position++
  return place.components === 'mask' ? readMask(s) : readSwizzle(s)
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
  return s.fail('asm-word', message, start, Math.max(s.position, start + 1), didYouMean(word, words))
}

function readAnnotations(s: Source, annotations: Annotations): void {
  for (s.skipBlanks(); s.peek() === CODE.openBrace && !isRawAnnotation(s); s.skipBlanks())
    readAnnotation(s, annotations)
}

/** `l(...)`: one dword or four. Also a group in parentheses or a single number, as people and the pages write. */
function readLiteral32(c: OperandContext): readonly number[] {
  const s = c.source
  if (s.peek() !== CODE.open) return [readLiteralDword(s, c.literals)]
  const start = s.position
  s.position++
  const values = [readLiteralDword(s, c.literals)]
  while (s.accept(CODE.comma)) {
    values.push(readLiteralDword(s, c.literals))
    if (values.length > 4) break
  }
  s.expect(CODE.close, 'after the components of the literal')
  if (values.length !== 1 && values.length !== 4) {
    return s.fail('asm-literal', `a literal has one component or four, not ${values.length}`, start, s.position)
  }
  return values
}

/** `d(...)`: one double or two, or their dwords in hexadecimal. */
function readLiteral64(c: OperandContext): readonly number[] {
  const s = c.source
  const start = s.position
  s.position++
  const values: number[] = []
  do readDoubleDwords(s, c.literals.exact, values)
  while (values.length < 6 && s.accept(CODE.comma))
  s.expect(CODE.close, 'after the components of the literal')
  if (values.length !== 2 && values.length !== 4) {
    return s.fail('asm-literal', 'a 64-bit literal has one double or two (two dwords or four)', start, s.position)
  }
  return values
}

function literalOperand(type: number, values: readonly number[]): P.Operand {
  const isScalar = type === I.FILE.immediate64 ? values.length === 2 : values.length === 1
  const components = isScalar ? P.COMPONENTS_1 : P.COMPONENTS_4
  return {
    type,
    components,
    mode: 0,
    selection: 0,
    indices: P.NO_INDICES,
    modifier: 0,
    minPrecision: 0,
    nonUniform: false,
    values,
  }
}

const LITERAL32_CODE = LITERAL32_PREFIX.charCodeAt(0)
const LITERAL64_CODE = LITERAL64_PREFIX.charCodeAt(0)

/** A literal, where one stands here. */
function readLiteral(c: OperandContext): P.Operand | undefined {
  const s = c.source
  const code = s.peek()
  if (s.peekAt(1) === CODE.open && (code === LITERAL32_CODE || code === LITERAL64_CODE)) {
    s.position++
    return code === LITERAL32_CODE
      ? literalOperand(I.FILE.immediate32, readLiteral32(c))
      : literalOperand(I.FILE.immediate64, readLiteral64(c))
  }
  const isNumber = isDigitCode(code) || code === CODE.open || code === CODE.dot
  return isNumber ? literalOperand(I.FILE.immediate32, readLiteral32(c)) : undefined
}

function readPlain(c: OperandContext, place: OperandPlace, depth: number): P.Operand {
  const literal = readLiteral(c)
  if (literal !== undefined) return literal
  const { file, indices, hasAbs } = readRegister(c, place, depth)
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
  c.source.skipBlanks()
  return readOperandAt(c, place, 0)
}
