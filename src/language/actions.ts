/** What an editor can do about a text: mend what is wrong, leave out what has no effect, write it in another form. */
import {
  assemble,
  disassemble,
  INDEXABLE_SUFFIX,
  resolveMnemonic,
  SATURATE_SUFFIX,
  type TextRange,
  viewText,
} from '../asm/index.ts'
import { controlOf, DIMENSION, DIMENSION_NUMBER, FILE, INSTRUCTIONS, RETURN_TYPE, rowOfOpcode } from '../isa/index.ts'
import { parameterOf } from '../program/index.ts'
import { lineAt, lineStarts, type ShaderDocument, statementAt } from './document.ts'
import { allFindings, type TextFinding } from './findings.ts'
import { mnemonicRange } from './navigation.ts'
import { registerUses } from './program/uses.ts'
import type { TextEdit } from './rename.ts'
import { unnecessaryRanges } from './unnecessary.ts'

/** Something that an editor can do. */
export interface CodeAction {
  readonly title: string
  readonly kind: 'quickfix' | 'refactor' | 'source'
  readonly edits: readonly TextEdit[]
  /** The finding that it mends. */
  readonly mends?: TextFinding
  /** The one that someone most likely wants. */
  readonly isPreferred: boolean
}

/** The whole line that a position is on, with its end. */
function lineRange(d: ShaderDocument, position: number): TextRange {
  const line = lineAt(d, position)
  return { start: lineStarts(d)[line]!, end: lineStarts(d)[line + 1] ?? d.text.length }
}

const traitsOf = (d: ShaderDocument, at: number) => {
  const s = d.statements[at]
  return s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
}

/** In front of what a new declaration goes: the temporary registers of its phase, else its first instruction. */
function declarationPosition(d: ShaderDocument, near: number): number {
  const statement = statementAt(d, near) ?? d.places.statements.findLastIndex((s) => s.start <= near)
  let first = statement
  while (first > 0 && traitsOf(d, first)?.kind !== 'phase') first--
  const from = traitsOf(d, first)?.kind === 'phase' ? first + 1 : 0
  let at = from
  for (; at < d.statements.length; at++) {
    const traits = traitsOf(d, at)
    if (traits?.kind === 'declaration' ? traits.declares === 'temps' : d.statements[at]!.kind === 'instruction') break
  }
  const place = d.places.statements[at]
  if (place === undefined || at > Math.max(statement, from)) return lineRange(d, near).start
  return lineRange(d, place.start).start
}

function insertLine(d: ShaderDocument, position: number, line: string): TextEdit {
  const needsBreak = position > 0 && d.text[position - 1] !== '\n'
  return { range: { start: position, end: position }, text: `${needsBreak ? '\n' : ''}${line}\n` }
}

const replace = (range: TextRange, text: string): TextEdit => ({ range, text })

type Mend = (d: ShaderDocument, found: TextFinding) => readonly (readonly [title: string, edits: readonly TextEdit[]])[]

const noted = (found: TextFinding, pattern: RegExp): readonly RegExpExecArray[] =>
  found.notes.map((n) => pattern.exec(n)).filter((m) => m !== null)

/** `add 'dcl_temps 4'`: the note has the declaration as it is to be written. */
const addDeclaration: Mend = (d, found) =>
  noted(found, /^add '([^']+)'/).map(([, line]) => {
    const position = declarationPosition(d, found.range.start)
    return [`add ${line}`, [insertLine(d, position, line!)]]
  })

/** `raise dcl_temps to 7`. */
const raiseCount: Mend = (d, found) =>
  noted(found, /^raise (\w+) to (\d+)/).flatMap(([, word, count]) => {
    const near = statementAt(d, found.range.start) ?? 0
    const at = d.statements.findLastIndex((_, i) => {
      if (i > near && traitsOf(d, near)?.kind !== 'declaration') return false
      const { start } = d.places.statements[i]!
      return d.text.startsWith(word!, start)
    })
    const place = d.places.statements[at]
    if (place === undefined) return []
    const text = d.text.slice(place.start, place.end)
    const digits = /(\d+|0[xX][0-9a-fA-F]+)\s*$/.exec(text)
    if (digits === null) return []
    const start = place.start + digits.index
    return [[`raise ${word} to ${count}`, [replace({ start, end: start + digits[1]!.length }, count!)]]]
  })

/** `did you mean ...?`. */
const meantWord: Mend = (_, found) =>
  noted(found, /^did you mean '([^']+)'\?/).map(([, word]) => [`write ${word}`, [replace(found.range, word!)]])

/** `write 'if_nz' or 'if_z'`. */
const writtenWords: Mend = (_, found) =>
  noted(found, /^write ('[\w]+'(?: or '[\w]+')*)$/).flatMap(([, words]) =>
    [...words!.matchAll(/'([^']+)'/g)].map(([, word]) => [`write ${word}`, [replace(found.range, word!)]] as const),
  )

/** A write mask with its letters in order, each once; other letters go. */
const orderedMask: Mend = (d, found) => {
  if (found.code !== 'asm-components') return []
  const written = d.text.slice(found.range.start, found.range.end)
  const letters = written.replace(/[^xyzwrgba]/g, '').replace(/[rgba]/g, (c) => 'xyzw'['rgba'.indexOf(c)]!)
  const isMask = found.message.includes('write mask')
  const mended = isMask ? [...'xyzw'].filter((c) => letters.includes(c)).join('') : letters.slice(0, 4)
  return mended === '' || mended === written ? [] : [[`write .${mended}`, [replace(found.range, mended)]]]
}

/** `l(2)` of a float instruction is no 2. */
const floatLiteral: Mend = (d, found) => {
  if (found.code !== 'asm-integer-literal') return []
  const written = d.text.slice(found.range.start, found.range.end)
  return /^-?\d+$/.test(written) ? [[`write ${written}.0`, [replace(found.range, `${written}.0`)]]] : []
}

const PROFILES: readonly string[] = ['ps_5_0', 'vs_5_0', 'cs_5_0']

const addProfile: Mend = (d, found) => {
  if (found.code !== 'asm-profile' || !/before the profile|no profile/.test(found.message)) return []
  const first = d.places.statements[0]?.start ?? found.range.start
  return PROFILES.map((p) => [`begin with ${p}`, [insertLine(d, lineRange(d, first).start, p)]] as const)
}

/** Statements that are there once too often, or where there can be none. */
const REMOVABLE: ReadonlySet<string> = new Set(['validate-duplicate-binding', 'validate-duplicate-declaration'])

const removeLine: Mend = (d, found) => {
  const at = statementAt(d, found.range.start)
  if (at === undefined || !REMOVABLE.has(found.code)) return []
  return [['remove this declaration', [removal(d, at)]]]
}

/** The change that takes a statement's lines out. */
function removal(d: ShaderDocument, statement: number): TextEdit {
  const { start, end } = d.places.statements[statement]!
  return replace({ start: lineRange(d, start).start, end: lineRange(d, end).end }, '')
}

const removeSaturate: Mend = (d, found) => {
  const at = statementAt(d, found.range.start)
  if (found.code !== 'validate-saturate' || at === undefined) return []
  const range = mnemonicRange(d, at)
  const word = d.text.slice(range.start, range.end)
  if (!word.endsWith(SATURATE_SUFFIX)) return []
  const mended = word.slice(0, -SATURATE_SUFFIX.length)
  return [[`write ${mended}`, [replace(range, mended)]]]
}

/** The instruction that ends a program. */
const RETURN = INSTRUCTIONS.find(({ traits }) => {
  return traits.kind === 'flow' && traits.action === 'ret' && !traits.conditional
})!.mnemonic

const addReturn: Mend = (d, found) => {
  const last = d.places.statements.at(-1)
  if (found.code !== 'validate-missing-ret' || last === undefined) return []
  return [[`add ${RETURN}`, [insertLine(d, lineRange(d, last.end).end, RETURN)]]]
}

const MENDS: readonly Mend[] = [
  addDeclaration,
  raiseCount,
  meantWord,
  writtenWords,
  orderedMask,
  floatLiteral,
  addProfile,
  removeLine,
  removeSaturate,
  addReturn,
]

/** What mends a finding. */
export function fixesOf(d: ShaderDocument, found: TextFinding): readonly CodeAction[] {
  const fixes = MENDS.flatMap((mend) => mend(d, found))
  return fixes.map(([title, edits], i) => {
    return { title, kind: 'quickfix', edits, mends: found, isPreferred: fixes.length === 1 && i === 0 }
  })
}

const overlaps = (a: TextRange, b: TextRange): boolean => a.start <= b.end && b.start <= a.end

/** What has no effect can go. */
function removals(d: ShaderDocument, range: TextRange): readonly CodeAction[] {
  return unnecessaryRanges(d)
    .filter((u) => overlaps(u.range, range))
    .map(({ statement, what }) => {
      const title = `remove this ${what}, which has no effect`
      return { title, kind: 'quickfix', edits: [removal(d, statement)], isPreferred: true }
    })
}

/** What each component of a buffer without a format returns, 4 bits each. */
const MIXED = RETURN_TYPE.words.indexOf('mixed') * 0x1111

/** The declaration of the view that an instruction reads, as the forms with `_indexable` repeat it. */
function indexableText(d: ShaderDocument, statement: number): string | undefined {
  const view = registerUses(d).find((u) => u.statement === statement && u.written.file.name === 'resource')
  const declared = registerUses(d).find((u) => u.key === view?.key && u.access === 'declared')
  const s = d.statements[declared?.statement ?? -1]
  const row = s?.kind === 'instruction' ? rowOfOpcode(s.opcode) : undefined
  if (s?.kind !== 'instruction' || row?.traits.kind !== 'declaration') return undefined
  if (row.traits.declares === 'resource') {
    return viewText(controlOf(s.controls, DIMENSION), 0, parameterOf(s, 'returnTypes') ?? 0)
  }
  if (row.traits.declares === 'resource-raw') return viewText(DIMENSION_NUMBER.rawBuffer, 0, MIXED)
  return viewText(DIMENSION_NUMBER.structuredBuffer, parameterOf(s, 'stride') ?? 0, MIXED)
}

/** The form of a load or sample with the view's dimension, which fxc writes in Shader Model 5. */
function indexableForm(d: ShaderDocument, position: number): readonly CodeAction[] {
  const at = statementAt(d, position)
  const s = at === undefined ? undefined : d.statements[at]
  if (at === undefined || s?.kind !== 'instruction' || (d.program?.major ?? 0) < 5 || !d.isWhole) return []
  const range = mnemonicRange(d, at)
  const word = d.text.slice(range.start, range.end)
  const isOpen = s.extended.length === 0 && s.operands.some((o) => o.type === FILE.resource)
  if (!isOpen || resolveMnemonic(`${word}${INDEXABLE_SUFFIX}`) === undefined) return []
  const text = indexableText(d, at)
  if (text === undefined) return []
  return [
    {
      title: `write ${word}${INDEXABLE_SUFFIX}`,
      kind: 'refactor',
      edits: [replace(range, word + INDEXABLE_SUFFIX + text)],
      isPreferred: false,
    },
  ]
}

/** The whole text in the other dialect. */
function otherDialect(d: ShaderDocument): readonly CodeAction[] {
  if (!d.isWhole) return []
  const bytes = assemble(d.text, d.container === undefined ? {} : { base: d.container }).value
  if (bytes === undefined) return []
  const dialect = d.dialect === 'fxc' ? 'lossless' : 'fxc'
  const text = disassemble(bytes, { dialect })
  const title = `write this in the dialect ${dialect}`
  return [{ title, kind: 'source', edits: [replace({ start: 0, end: d.text.length }, text)], isPreferred: false }]
}

/** A stored checksum that is wrong is left out, so that the right one is computed. */
function signAgain(d: ShaderDocument): readonly CodeAction[] {
  const match = d.dialect === 'lossless' ? /^[ \t]*\.checksum\b.*\r?\n?/m.exec(d.text) : null
  if (match === null) return []
  const edits = [replace({ start: match.index, end: match.index + match[0].length }, '')]
  return [{ title: 'sign again: compute the checksum', kind: 'source', edits, isPreferred: false }]
}

/** What can be done at a part of a text. */
export function codeActions(
  d: ShaderDocument,
  range: TextRange,
  kinds: (kind: CodeAction['kind']) => boolean,
): readonly CodeAction[] {
  const found = kinds('quickfix') ? allFindings(d).filter((f) => overlaps(f.range, range)) : []
  return [
    ...found.flatMap((f) => fixesOf(d, f)),
    ...(kinds('quickfix') ? removals(d, range) : []),
    ...(kinds('refactor') ? indexableForm(d, range.start) : []),
    ...(kinds('source') ? [...otherDialect(d), ...signAgain(d)] : []),
  ]
}
