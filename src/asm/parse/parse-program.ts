import {
  closest,
  diagnostic,
  type Fix,
  failure,
  type Outcome,
  outcomeOf,
  valueOrThrow,
} from '../../diagnostic/index.ts'
import * as I from '../../isa/index.ts'
import type { Program, Statement } from '../../program/index.ts'
import { COMMENT_TEXT, UNREADABLE_CUSTOM_DATA_TEXT } from '../text/declaration-text.ts'
import { LEVEL9_TITLES } from '../text/level9-text.ts'
import { blankBlockComments, hasBlockComments } from './block-comments.ts'
import { commentData, messageIdOf, readImmediateBuffer, readMessage } from './custom-data.ts'
import { readDeclaration } from './declaration.ts'
import { readProgramDirective } from './directives.ts'
import { EarlierLines } from './earlier.ts'
import { readInstruction } from './instruction.ts'
import { type Head, mnemonicCandidates, resolveMnemonic } from './mnemonic.ts'
import type { KnownLiterals } from './number.ts'
import type { OperandContext } from './operand-context.ts'
import { readPageDeclaration } from './page-forms.ts'
import { NotedText, notePlace, type PlaceNotes, type ProgramText } from './program-text.ts'
import { isStatementAnnotation, readRawStatement } from './raw.ts'
import { CODE, GIVE_UP, isDigitCode, MAX_ERRORS, Source } from './source.ts'

/** What `parseProgram` takes beside the text. */
export interface ParseOptions {
  /** Numbers are what they say, as the dialect `lossless` has them; default false: six decimals may be rounded. */
  readonly exact?: boolean | undefined
  /** Floats that stand in the shader that was listed: where the text fits one of them, that one is meant. */
  readonly known?: KnownLiterals | undefined
}

/** What a text is read into. */
export interface Reading {
  readonly source: Source
  readonly options: ParseOptions
  profile: Profile | undefined
  /** What directives say of the program beside its statements. */
  readonly extras: ProgramExtras
  readonly statements: Statement[]
  /** Where each of the statements stands in the text. */
  readonly places: PlaceNotes
  /** Dimensions of the resources declared so far, by t#. */
  readonly dimensions: ReadonlyMap<number, number>
  /** Called with the dimension of each declared resource. */
  readonly declare: (resource: number, dimension: number) => void
  /** Contexts of operands by literal style, made when the profile is known. */
  contexts: Readonly<Record<I.LiteralStyle, OperandContext>>
  /** What lines of an earlier version were read as, for a program of this profile. */
  readonly earlier: { readonly lines: EarlierLines; readonly profile: Profile } | undefined
}

export interface Profile {
  readonly stageNumber: number
  readonly major: number
  readonly minor: number
}

interface ProgramExtras {
  versionSpare: number
  declaredDwordCount: number | undefined
  trailing: Uint8Array
}

function contextsOf(source: Source, profile: Profile | undefined, options: ParseOptions): Reading['contexts'] {
  const { exact = false, known } = options
  const isSm51 = profile !== undefined && profile.major === 5 && profile.minor >= 1
  const context = (style: I.LiteralStyle): OperandContext => {
    const literals = known === undefined ? { style, exact } : { style, exact, known }
    return { source, isSm51, literals }
  }
  return { float: context('float'), auto: context('auto'), integer: context('integer') }
}

const PROFILE = /^([a-z]{2})_([0-9]{1,2})_([0-9]{1,2})$/

/** `ps_5_0`; undefined where the word is no profile. */
function profileOf(word: string): Profile | undefined {
  const match = word.length > 8 ? null : PROFILE.exec(word)
  if (match === null) return undefined
  const stageNumber = I.PROFILE_PREFIXES.indexOf(match[1]!)
  const [major, minor] = [Number(match[2]), Number(match[3])]
  return stageNumber < 0 || major > 15 || minor > 15 ? undefined : { stageNumber, major, minor }
}

const DX9_BEGINS = Object.values(LEVEL9_TITLES).map((title) => `// ${title}`)
const DX9_END = '// approximately'

/** A line of comment: skipped, save for comments that stand for custom data and for the DX9 part of a listing. */
function readComment(r: Reading): void {
  const s = r.source
  if (r.profile !== undefined && s.text.startsWith(COMMENT_TEXT, s.position)) {
    r.statements.push(commentData(s.text.slice(s.position + COMMENT_TEXT.length, s.lineEnd)))
  } else if (r.profile === undefined && DX9_BEGINS.some((begin) => s.text.startsWith(begin, s.position))) {
    while (s.nextLine() && !s.text.startsWith(DX9_END, s.position));
  }
}

/** `   7: ` or `0x0000001C: ` in front of a line of a listing. */
function skipLinePrefix(s: Source): void {
  const start = s.position
  s.word()
  if (s.peek() === CODE.colon) {
    s.position++
    s.skipBlanks()
  } else {
    s.position = start
  }
}

/** The profiles that most listings have; nothing of the text says which one it is. */
const BEGIN_WITH_PROFILE: Fix = { kind: 'prepend', texts: ['ps_5_0', 'vs_5_0', 'cs_5_0'] }

/** Words of HLSL whose instruction has another name. */
const HLSL_WORDS: ReadonlyMap<string, string> = new Map([
  ['return', 'ret'],
  ['while', 'loop'],
  ['for', 'loop'],
])

function failMnemonic(s: Source, word: string, start: number): never {
  const shown = word.length > 60 ? `${word.slice(0, 60)}...` : word
  const message = `'${shown}' is not an instruction`
  const meant = HLSL_WORDS.get(word) ?? closest(word, mnemonicCandidates())
  return s.failWord('asm-mnemonic', message, start, s.position, meant)
}

/** The word of a statement; `<unknown dimension>` belongs to it. */
function readWord(s: Source): string {
  const start = s.position
  s.word()
  if (s.peek() === CODE.less) {
    const end = s.find('>')
    if (end >= 0 && end - start < 100) s.position = end + 1
  }
  return s.text.slice(start, s.position)
}

function checkHead(s: Source, head: Head, start: number): void {
  const { row } = head
  if (row.controls.includes(I.TEST) && !head.hasTest) {
    const texts = [`${row.mnemonic}_nz`, `${row.mnemonic}_z`]
    const notes = [`write '${texts.join("' or '")}'`]
    const message = `${row.mnemonic} tests for zero or for not zero`
    s.fail('asm-mnemonic', message, start, s.position, notes, { fixes: [{ kind: 'replace', texts }] })
  }
  if (head.lostWord !== undefined && !s.hasStatementAnnotation()) {
    s.report('asm-information-lost', 'the text does not say which dimension this is; 0 is taken', start, s.position)
  }
}

/** Notes the dimension of a resource that a statement declares. */
function noteDeclaration(r: Reading, s: Statement): void {
  const traits = s.kind === 'instruction' ? I.rowOfOpcode(s.opcode)?.traits : undefined
  if (s.kind !== 'instruction' || traits?.kind !== 'declaration' || traits.declares !== 'resource') return
  const index = s.operands[0]?.indices[0]
  if (index?.kind === 'immediate') r.declare(index.value, I.controlOf(s.controls, I.DIMENSION))
}

function readByHead(r: Reading, head: Head): Statement {
  const { traits, literals } = head.row
  if (traits.kind === 'declaration') {
    const c = r.contexts.integer
    const page = readPageDeclaration(c, head, r.profile?.stageNumber)
    const declaration = page ?? readDeclaration(c, head, traits.declares)
    noteDeclaration(r, declaration)
    return declaration
  }
  if (traits.kind === 'custom-data') return readImmediateBuffer(r.contexts.auto)
  return readInstruction(r.contexts[literals], head, r.dimensions)
}

/** `{token ...}` behind a statement. */
function applyAnnotation(s: Source, statement: Statement): Statement {
  s.skipBlanks()
  if (statement.kind !== 'instruction' || !isStatementAnnotation(s)) return statement
  const raw = readRawStatement(s)
  const changed = {
    ...statement,
    controls: raw.controls ?? statement.controls,
    extended: raw.extended ?? statement.extended,
    parameters: raw.parameters ?? statement.parameters,
  }
  return raw.long === undefined ? changed : { ...changed, long: { shortLength: raw.long } }
}

function expectEnd(s: Source): void {
  s.skipBlanks()
  if (s.atEnd()) return
  s.failExpected('the end of the line')
}

function readStatement(r: Reading): void {
  const s = r.source
  const start = s.position
  const word = readWord(s)
  const head = resolveMnemonic(word)
  if (head !== undefined) {
    checkHead(s, head, start)
    const statement = readByHead(r, head)
    r.statements.push(applyAnnotation(s, statement))
    expectEnd(s)
    return
  }
  const profile = profileOf(word)
  if (profile !== undefined) {
    readProfileWord(r, profile, start)
    return
  }
  const message = messageIdOf(word)
  if (message !== undefined) {
    r.statements.push(readMessage(r.contexts.auto, message))
    expectEnd(s)
    return
  }
  if (s.text.startsWith(UNREADABLE_CUSTOM_DATA_TEXT, start)) {
    s.report('asm-information-lost', 'the text does not say what this custom data is; it is left out', start, s.lineEnd)
    return
  }
  if (word === '') s.failExpected('an instruction')
  failMnemonic(s, word, start)
}

const FIRST_MODEL = 4
const LAST_MODEL = 5

/** Why programs of a shader model are not assembled here; undefined for those that are, or that are only wrong. */
function foreignModel({ stageNumber, major, minor }: Profile): string | undefined {
  const name = `${I.PROFILE_PREFIXES[stageNumber] ?? 'this'}_${major}_${minor}`
  if (major > LAST_MODEL) return `${name} is DXIL, the code of Direct3D 12, which is not assembled here`
  return major < FIRST_MODEL ? `${name} is code of Direct3D 9, which is not assembled here` : undefined
}

function readProfileWord(r: Reading, profile: Profile, start: number): void {
  const foreign = foreignModel(profile)
  if (foreign !== undefined) {
    // The rest is read all the same, for what else is wrong with it.
    r.source.report('asm-profile', foreign, start, r.source.position, ['profiles from 4_0 to 5_1 are, as ps_5_0'])
  }
  setProfile(r, profile, start)
  expectEnd(r.source)
}

function setProfile(r: Reading, profile: Profile, start: number): void {
  const s = r.source
  if (r.profile !== undefined) s.fail('asm-profile', 'a program has one profile', start, s.position)
  r.profile = profile
  r.contexts = contextsOf(s, profile, r.options)
}

/** A line that begins with a point: what the listing of fxc has no text for (`directives.ts`). */
function readDirective(r: Reading): void {
  const s = r.source
  const start = s.position
  const directive = readProgramDirective(s)
  switch (directive.kind) {
    case 'statement':
      needsProfile(r)
      r.statements.push(directive.statement)
      break
    case 'version': {
      const { token } = directive
      setProfile(r, { stageNumber: token >>> 16, major: (token >>> 4) & 15, minor: token & 15 }, start)
      r.extras.versionSpare = (token >>> 8) & 0xff
      break
    }
    case 'length':
      r.extras.declaredDwordCount = directive.dwordCount
      break
    case 'rest':
      r.extras.trailing = directive.bytes
      break
  }
  expectEnd(s)
}

function needsProfile(r: Reading): void {
  if (r.profile !== undefined || r.statements.length > 0) return
  const s = r.source
  const word = s.text.slice(s.position, Math.min(s.wordEnd(), s.position + 10))
  if (profileOf(word) !== undefined) return
  const notes = ['a program starts with its profile, such as ps_5_0']
  const fixes = [BEGIN_WITH_PROFILE]
  s.report('asm-profile', 'an instruction before the profile', s.position, s.wordEnd(), notes, { fixes })
  // Once is enough; the rest is read as Shader Model 5.0.
  r.profile = { stageNumber: 0, major: 5, minor: 0 }
}

/** One line, from its first character that is no blank. */
function readLine(r: Reading): void {
  const s = r.source
  s.skipBlanks()
  if (isDigitCode(s.peek())) skipLinePrefix(s)
  s.beginStatement()
  const code = s.peek()
  if (code === CODE.slash && s.peekAt(1) === CODE.slash) {
    readComment(r)
    return
  }
  if (s.atEnd()) return
  // `#line 12 "file.hlsl"` of shaders with debug information.
  if (code === CODE.hash) return
  if (code === CODE.dot) {
    readDirective(r)
    return
  }
  needsProfile(r)
  readStatement(r)
}

/** A text about to be read; its source stands before the first line. */
export function startReading(source: Source, options: ParseOptions): Reading {
  const dimensions = new Map<number, number>()
  return {
    source,
    options,
    profile: undefined,
    extras: { versionSpare: 0, declaredDwordCount: undefined, trailing: new Uint8Array() },
    statements: [],
    places: [],
    dimensions,
    declare: (resource, dimension) => dimensions.set(resource, dimension),
    contexts: contextsOf(source, undefined, options),
    earlier: undefined,
  }
}

const isSameProfile = (a: Profile, b: Profile): boolean =>
  a.stageNumber === b.stageNumber && a.major === b.major && a.minor === b.minor

/** The statement of an earlier version of the text that the present line was read as; -1 where there is none. */
function earlierStatement({ source, earlier, profile }: Reading): number {
  return earlier !== undefined && profile !== undefined && isSameProfile(profile, earlier.profile)
    ? earlier.lines.find(source)
    : -1
}

/** Takes a statement over from an earlier version of the text. */
function takeOver(r: Reading, lines: EarlierLines, at: number): void {
  const statement = lines.statement(at)
  r.statements.push(statement)
  lines.copyPlaces(at, r.source, r.places)
  noteDeclaration(r, statement)
}

/** Reads lines to the end of the text, or until `isEnd` says so at the start of a line, or errors are too many. */
export function readLines(r: Reading, isEnd: (s: Source) => boolean = () => false): void {
  const s = r.source
  while (s.errorCount < MAX_ERRORS && s.nextLine()) {
    if (isEnd(s)) return
    const [before, found] = [r.statements.length, s.diagnostics.count]
    const known = earlierStatement(r)
    if (known >= 0 && r.earlier!.lines.isSound(known)) {
      takeOver(r, r.earlier!.lines, known)
      continue
    }
    try {
      readLine(r)
    } catch (e) {
      if (e !== GIVE_UP) throw e
    }
    const made = r.statements[before]
    if (made === undefined) continue
    const isSound = s.diagnostics.count === found
    notePlace(r.places, s, made.kind === 'instruction' ? made.operands.length : 0, isSound)
    // What is worked out of a statement is kept by its identity.
    if (known >= 0) r.statements[before] = r.earlier!.lines.statement(known)
  }
}

const EXACT: ParseOptions = { exact: true }

/** What a statement's text is read with when it stands alone. */
interface StatementSetting {
  readonly profile: Profile
  readonly dimensions: ReadonlyMap<number, number>
}

/** A statement that stood alone, with the resource dimension that it declares, if it does. */
interface LoneStatement {
  readonly statement: Statement
  readonly declared?: readonly [resource: number, dimension: number]
}

/** The one statement that a text reads as with exact numbers; undefined where it is none or anything is wrong with it. */
export function readStatementText(text: string, setting: StatementSetting): LoneStatement | undefined {
  const source = new Source(text)
  const { profile, dimensions } = setting
  let declared: readonly [number, number] | undefined
  const r: Reading = {
    ...startReading(source, EXACT),
    profile,
    dimensions,
    declare: (resource, dimension) => {
      declared = [resource, dimension]
    },
    contexts: contextsOf(source, profile, EXACT),
  }
  readLines(r)
  const statement = r.statements[0]
  if (statement === undefined || r.statements.length !== 1 || source.diagnostics.finish().length > 0) return undefined
  return declared === undefined ? { statement } : { statement, declared }
}

/** The program that was read; undefined where there was no profile. */
export function programOf(r: Reading): Program | undefined {
  if (r.profile === undefined) return undefined
  const { versionSpare, declaredDwordCount, trailing } = r.extras
  const program = { ...r.profile, versionSpare, statements: r.statements, trailing }
  return declaredDwordCount === undefined ? program : { ...program, declaredDwordCount }
}

/** What a text gave: the program where nothing is wrong with it, and where each statement that could be read stands. */
export type ParsedProgram = Outcome<Program> & {
  /** Statements that could be read, also of a text with errors. */
  readonly statements: readonly Statement[]
  /** The program of those statements, also of a text with errors; undefined where it names no profile. */
  readonly partial: Program | undefined
  /** The text with the places of `statements`. */
  readonly places: ProgramText
}

/** What a text was read into, of which a later version takes over what did not change. */
export type EarlierVersion = Pick<ParsedProgram, 'statements' | 'partial' | 'places'>

function earlierOf(before: EarlierVersion | undefined, text: string): Reading['earlier'] {
  const profile = before?.partial
  if (before === undefined || profile === undefined || !(before.places instanceof NotedText)) return undefined
  // A block comment may begin or end anywhere above a line.
  if (hasBlockComments(text) || hasBlockComments(before.places.text)) return undefined
  return { lines: new EarlierLines(before.places, before.statements, text), profile }
}

/**
 * Parses the assembly text of a program: fxc's listing (also with numbers, offsets or hexadecimal literals), or text
 * written by people in the spellings of the reference pages. Header comments are skipped. Goes on after an error at the
 * next line and stops at 100 errors. No value when there is an error.
 */
export function parseProgram(text: string, options: ParseOptions = {}): ParsedProgram {
  return parseVersion(text, options, undefined)
}

/**
 * As `parseProgram` of a text of which an earlier version was read, without options: statements are taken over where their
 * lines did not change, the very objects.
 */
export function parseAgain(text: string, before: EarlierVersion | undefined): ParsedProgram {
  return parseVersion(text, {}, before)
}

function parseVersion(text: string, options: ParseOptions, before: EarlierVersion | undefined): ParsedProgram {
  const source = new Source(blankBlockComments(text))
  const r: Reading = { ...startReading(source, options), earlier: earlierOf(before, text) }
  readLines(r)
  const diagnostics = r.source.finish()
  const program = programOf(r)
  const found = { statements: r.statements, partial: program, places: new NotedText(text, r.source, r.places) }
  if (r.source.errorCount > 0) return { ...found, ...failure(diagnostics) }
  if (program !== undefined) return { ...found, ...outcomeOf(program, diagnostics) }
  const message = 'the text holds no program: there is no profile such as ps_5_0'
  const withoutProfile = { ...diagnostic('asm-profile', message), fixes: [BEGIN_WITH_PROFILE] }
  return { ...found, ...failure([...diagnostics, withoutProfile]) }
}

/** As `parseProgram`; throws ShaderError on any error. */
export function parseProgramOrThrow(text: string, options: ParseOptions = {}): Program {
  return valueOrThrow(parseProgram(text, options))
}
