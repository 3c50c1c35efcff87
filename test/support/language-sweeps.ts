/** What holds of every text in an editor, asked of one text. */
import { expect } from 'vitest'
import { assemble } from '../../src/asm/index.ts'
import { FILE } from '../../src/isa/index.ts'
import {
  allFindings,
  applyEdits,
  calleesAt,
  callersAt,
  callItemAt,
  codeActions,
  codeLenses,
  completionAt,
  declarationsAt,
  definitionsAt,
  documentSymbols,
  fixesOf,
  foldings,
  formatEdits,
  HINT_KINDS,
  highlightsAt,
  hintTooltip,
  hoverAt,
  inlayHints,
  linkedRangesAt,
  openDocument,
  referencesAt,
  renameEdits,
  renameRange,
  type ShaderDocument,
  selectionsAt,
  signatureHelpAt,
  tokensIn,
} from '../../src/language/index.ts'
import { decodeProgram, type Operand, type Program } from '../../src/program/index.ts'
import { codeChunk } from './corpus.ts'

/** Numbers that look random and are the same in each run. */
export function numbersFrom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0
    return (state >>> 7) % Math.max(1, below)
  }
}

const ALL_HINTS = new Set(HINT_KINDS)

const whole = (d: ShaderDocument) => ({ start: 0, end: d.text.length })

/** Asks everything that is about a text as a whole, and looks at the order of what comes. */
function askOfText(d: ShaderDocument): void {
  for (const { range } of allFindings(d)) {
    expect(range.start).toBeGreaterThanOrEqual(0)
    expect(range.end).toBeLessThanOrEqual(d.text.length)
  }
  let last = 0
  for (const { start, length } of tokensIn(d, whole(d))) {
    expect(start).toBeGreaterThanOrEqual(last)
    expect(d.text.slice(start, start + length)).not.toContain('\n')
    last = start + length
  }
  for (const { position, kind } of inlayHints(d, whole(d), ALL_HINTS).slice(0, 20)) hintTooltip(d, position, kind)
  const symbols = documentSymbols(d)
  for (const { range, selection, children } of symbols) {
    for (const inner of [selection, ...children.map((c) => c.range)]) {
      expect(inner.start).toBeGreaterThanOrEqual(range.start)
      expect(inner.end).toBeLessThanOrEqual(range.end)
    }
  }
  for (const { firstLine, lastLine } of foldings(d)) expect(lastLine).toBeGreaterThan(firstLine)
  codeLenses(d)
  formatEdits(d)
}

/** Asks everything that is about a position. */
export function askAt(d: ShaderDocument, position: number): void {
  hoverAt(d, position)
  completionAt(d, position)
  signatureHelpAt(d, position)
  definitionsAt(d, position)
  declarationsAt(d, position)
  referencesAt(d, position, true)
  highlightsAt(d, position)
  linkedRangesAt(d, position)
  renameRange(d, position)
  renameEdits(d, position, 'r0')
  const item = callItemAt(d, position)
  if (item !== undefined) for (const ask of [callersAt, calleesAt]) ask(d, item.selection.start)
  codeActions(d, { start: position, end: position }, (kind) => kind !== 'source')
  let inner = { start: position, end: position }
  for (const range of selectionsAt(d, position)) {
    expect(range.start).toBeLessThanOrEqual(inner.start)
    expect(range.end).toBeGreaterThanOrEqual(inner.end)
    inner = range
  }
}

/** Asks everything of a text, at some positions. */
export function askEverything(text: string, seed: number, positions: number): void {
  const d = openDocument(text)
  const next = numbersFrom(seed)
  askOfText(d)
  for (let i = 0; i < positions; i++) askAt(d, next(text.length + 1))
}

/** The formatted text assembles to the same bytes, and is formatted. */
export function expectFormatKeepsBytes(text: string): void {
  const formatted = applyEdits(text, formatEdits(openDocument(text)))
  expect(assemble(formatted).value).toEqual(assemble(text).value)
  expect(formatEdits(openDocument(formatted))).toEqual([])
}

/** A program with two temporary registers exchanged, in the statements from `first` to before `end`. */
function exchanged(program: Program, a: number, b: number): Program {
  const number = (n: number): number => (n === a ? b : n === b ? a : n)
  const operand = (o: Operand): Operand => ({
    ...o,
    indices: o.indices.map((index, i) => {
      if (index.kind === 'immediate') {
        return o.type === FILE.temp && i === 0 ? { ...index, value: number(index.value) } : index
      }
      return index.kind === 'immediate64' ? index : { ...index, register: operand(index.register) }
    }),
  })
  const statements = program.statements.map((s) =>
    s.kind === 'instruction' ? { ...s, operands: s.operands.map(operand) } : s,
  )
  return { ...program, statements }
}

/** Renaming exchanges two registers and nothing else, and renaming back gives the text again. */
export function expectRenameExchanges(text: string, a: number, b: number): boolean {
  const d = openDocument(text)
  // Hull shaders have registers of each phase; messages hold operands in their data.
  const isPlain = d.statements.every((s) => s.kind === 'instruction') && d.program?.stageNumber !== 3
  const at = d.text.search(new RegExp(`^(?!\\s*//).*\\br${a}\\b`, 'm'))
  const position = at < 0 ? -1 : at + new RegExp(`\\br${a}\\b`).exec(d.text.slice(at))!.index
  const once = position < 0 ? undefined : renameEdits(d, position, `r${b}`)
  if (once === undefined || 'reason' in once) return false
  const renamed = applyEdits(text, once.value)
  const [before, after] = [text, renamed].map((t) => assemble(t).value)
  expect(after !== undefined).toBe(before !== undefined)
  if (isPlain && before !== undefined && after !== undefined) {
    const [p, q] = [before, after].map((bytes) => decodeProgram(codeChunk(bytes)).value!)
    expect(q!.statements).toEqual(exchanged(p!, a, b).statements)
  }
  const back = renameEdits(openDocument(renamed), position, `r${a}`)
  expect('value' in back ? applyEdits(renamed, back.value) : back).toBe(text)
  return true
}

/** A mistake that someone makes while typing: gives the text with it, or undefined where there is no place for it. */
type Mistake = (lines: readonly string[], next: (below: number) => number) => string[] | undefined

const CODE = /^\s*[a-z]\w*/

function changeLine(
  lines: readonly string[],
  next: (below: number) => number,
  fits: RegExp,
  change: (line: string) => string,
): string[] | undefined {
  const places = lines.flatMap((line, i) => (!line.startsWith('//') && fits.test(line) ? [i] : []))
  const at = places[next(places.length)]
  if (at === undefined) return undefined
  const changed = change(lines[at]!)
  return changed === lines[at] ? undefined : lines.map((line, i) => (i === at ? changed : line))
}

const removeLine = (lines: readonly string[], next: (below: number) => number, fits: RegExp): string[] | undefined => {
  const places = lines.flatMap((line, i) => (!line.startsWith('//') && fits.test(line) ? [i] : []))
  const at = places[next(places.length)]
  return at === undefined ? undefined : lines.filter((_, i) => i !== at)
}

/** What people do to listings. */
export const MISTAKES: Readonly<Record<string, Mistake>> = {
  'two letters of a mnemonic exchanged': (lines, next) =>
    changeLine(lines, next, /^\s*(?!dcl)[a-z]{3}/, (l) => l.replace(/([a-z])([a-z])/, '$2$1')),
  'a letter of a mnemonic left out': (lines, next) =>
    changeLine(lines, next, /^\s*[a-z]{4}/, (l) => l.replace(/([a-z]{2})[a-z]/, '$1')),
  'a declaration left out': (lines, next) =>
    removeLine(lines, next, /^dcl_(?:input|output|resource|sampler|constantbuffer|uav)/),
  'dcl_temps left out': (lines, next) => removeLine(lines, next, /^dcl_temps/),
  'too few registers': (lines, next) => changeLine(lines, next, /^dcl_temps \d/, (l) => l.replace(/\d+/, '1')),
  'a declaration twice': (lines, next) =>
    changeLine(lines, next, /^dcl_(?:resource|sampler|constantbuffer|temps)/, (l) => `${l}\n${l}`),
  'a mask out of order': (lines, next) =>
    changeLine(lines, next, /^\s*[a-z]\w* [ro]\d+\.xy[zw]*,/, (l) => l.replace('.xy', '.yx')),
  'colors for components': (lines, next) =>
    changeLine(lines, next, /^\s*[a-z]\w* [ro]\d+\.xyz,/, (l) => l.replace('.xyz', '.rgb')),
  'an integer for a float': (lines, next) =>
    changeLine(lines, next, /^\s*(?:mul|add|mad) .*l\((?:[2-9])\.0+\)/, (l) => l.replace(/l\((\d)\.0+\)/, 'l($1)')),
  'the profile left out': (lines, next) => removeLine(lines, next, /^[a-z]s_\d_\d/),
  'no test': (lines, next) => changeLine(lines, next, /^\s*if_n?z/, (l) => l.replace(/_n?z/, '')),
  'a result that nothing reads': (lines, next) =>
    changeLine(lines, next, /^ret/, (l) => `${CODE.exec(l) === null ? '' : 'mov r0.x, l(0)\n'}${l}`),
  'a system value mistyped': (lines, next) =>
    changeLine(lines, next, /, position$/, (l) => l.replace('position', 'positoin')),
  'an interpolation mode mistyped': (lines, next) =>
    changeLine(lines, next, /^dcl_input_ps linear/, (l) => l.replace('linear', 'liner')),
  'a register mistyped': (lines, next) => changeLine(lines, next, /, cb\d/, (l) => l.replace(/, cb(\d)/, ', bc$1')),
  'a dimension mistyped': (lines, next) =>
    changeLine(lines, next, /_indexable\(texture2d\)/, (l) => l.replace('(texture2d)', '(textre2d)')),
}

const keyOf = (d: ShaderDocument, found: { code: string; message: string }): string =>
  `${found.code} ${found.message} ${d.dialect}`

/** Every fix that is offered takes its finding away and brings no error that was not there. Gives how many there were. */
export function expectFixesRemoveFindings(text: string): number {
  const d = openDocument(text)
  const errors = (x: ShaderDocument): number => allFindings(x).filter((f) => f.severity === 'error').length
  const before = allFindings(d)
  let fixes = 0
  const offered = [
    ...before.flatMap((f) => fixesOf(d, f)),
    ...before
      .filter((f) => f.isUnnecessary)
      .flatMap((f) => {
        return codeActions(d, f.range, (k) => k === 'quickfix')
          .filter((a) => a.finding === undefined)
          .map((a) => ({ ...a, finding: f }))
      }),
  ]
  for (const { title, edits, finding } of offered.slice(0, 12)) {
    fixes++
    const changed = openDocument(applyEdits(text, edits))
    const count = (x: ShaderDocument): number => allFindings(x).filter((f) => keyOf(x, f) === keyOf(d, finding!)).length
    expect(count(changed), `${title} for ${finding!.message}\n${text.slice(0, 2000)}`).toBeLessThan(count(d))
    // Where a statement could not be read, the rules kept still about what was missing.
    // The range that a declaration of Shader Model 5.1 covers is a guess, and what is outside of it was not judged before.
    const isGuess = d.program?.minor === 1 && title.startsWith('add ')
    if (d.isWhole && !isGuess) expect(errors(changed), title).toBeLessThanOrEqual(errors(d))
  }
  return fixes
}

/** A text with some random edits of the kinds that typing, cutting and pasting make. */
export function randomEdits(text: string, seed: number): string {
  const next = numbersFrom(seed)
  let result = text
  for (let i = 0; i <= next(6); i++) {
    const at = next(result.length + 1)
    const length = next(4) === 0 ? next(200) : next(4)
    const pieces = [
      '',
      '\n',
      '{',
      '[',
      'r',
      ',',
      '"',
      '/*',
      '//',
      '(',
      'dcl_',
      '.xyzw',
      '\u00e9',
      '\r',
      'if_nz r0.x\n',
      result.slice(at, at + next(80)),
    ]
    result = result.slice(0, at) + pieces[next(pieces.length)]! + result.slice(at + length)
  }
  return result
}
