/** The fixes that findings name, as edits of a text. */
import { GLOBAL_FLAG_SEPARATOR, type TextRange } from '../asm/index.ts'
import { assertNever, type Fix } from '../diagnostic/index.ts'
import { controlOf, GLOBAL_FLAGS, INSTRUCTIONS, rowOfOpcode } from '../isa/index.ts'
import { lineAt, lineStarts, type ShaderDocument, statementAt } from './document.ts'
import type { TextFinding } from './findings.ts'
import { mnemonicRange } from './navigation.ts'
import type { TextEdit } from './rename.ts'

/** The edits of a fix, with the title that an editor shows. */
interface TitledEdits {
  readonly title: string
  readonly edits: readonly TextEdit[]
}

export const replacement = (range: TextRange, text: string): TextEdit => ({ range, text })

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

function insertedLine(d: ShaderDocument, position: number, line: string): TextEdit {
  const needsBreak = position > 0 && d.text[position - 1] !== '\n'
  return { range: { start: position, end: position }, text: `${needsBreak ? '\n' : ''}${line}\n` }
}

/** The change that takes a statement's lines out. */
export function removal(d: ShaderDocument, statement: number): TextEdit {
  const { start, end } = d.places.statements[statement]!
  return replacement({ start: lineRange(d, start).start, end: lineRange(d, end).end }, '')
}

/** The last number of a statement, in another's place. */
function raised(d: ShaderDocument, statement: number, to: number): readonly TitledEdits[] {
  const place = d.places.statements[statement]
  if (place === undefined) return []
  const digits = /(\d+|0[xX][0-9a-fA-F]+)\s*$/.exec(d.text.slice(place.start, place.end))
  if (digits === null) return []
  const start = place.start + digits.index
  const word = mnemonicRange(d, statement)
  const title = `raise ${d.text.slice(word.start, word.end)} to ${to}`
  return [{ title, edits: [replacement({ start, end: start + digits[1]!.length }, String(to))] }]
}

/** A statement without `[precise]`. */
function withoutPrecise(d: ShaderDocument, statement: number): readonly TitledEdits[] {
  const { end: nameEnd } = mnemonicRange(d, statement)
  const { end } = d.places.statements[statement]!
  const mark = /\s*\[precise(?:\([xyzw]*\))?\]/.exec(d.text.slice(nameEnd, end))
  if (mark === null) return []
  const start = nameEnd + mark.index
  return [{ title: 'remove [precise]', edits: [replacement({ start, end: start + mark[0].length }, '')] }]
}

const FLAGS_MNEMONIC = INSTRUCTIONS.find(({ traits }) => {
  return traits.kind === 'declaration' && traits.declares === 'global-flags'
})!.mnemonic

/** A global flag beside those that are set, or in a declaration of its own. */
function withFlag(d: ShaderDocument, word: string): readonly TitledEdits[] {
  const title = `set ${word}`
  const at = d.statements.findIndex((_, i) => {
    const traits = traitsOf(d, i)
    return traits?.kind === 'declaration' && traits.declares === 'global-flags'
  })
  const [declared, place] = [d.statements[at], d.places.statements[at]]
  if (declared?.kind !== 'instruction' || place === undefined) {
    const first = d.statements.findIndex((_, i) => traitsOf(d, i)?.kind !== 'phase')
    const start = d.places.statements[first]?.start ?? d.text.length
    return [{ title, edits: [insertedLine(d, lineRange(d, start).start, `${FLAGS_MNEMONIC} ${word}`)] }]
  }
  const { start, end } = place
  const isEmpty = controlOf(declared.controls, GLOBAL_FLAGS) === 0
  const edit = isEmpty
    ? replacement({ start, end }, `${FLAGS_MNEMONIC} ${word}`)
    : replacement({ start: end, end }, GLOBAL_FLAG_SEPARATOR + word)
  return [{ title, edits: [edit] }]
}

/** The edits of one fix; none where the text does not have what it is about. */
function editsOf(d: ShaderDocument, found: TextFinding, fix: Fix): readonly TitledEdits[] {
  const at = statementAt(d, found.range.start)
  switch (fix.kind) {
    case 'replace':
      return fix.texts.map((text) => ({ title: `write ${text}`, edits: [replacement(found.range, text)] }))
    case 'prepend': {
      const first = d.places.statements[0]?.start ?? found.range.start
      const { start } = lineRange(d, Math.min(first, found.range.start))
      return fix.texts.map((text) => ({ title: `begin with ${text}`, edits: [insertedLine(d, start, text)] }))
    }
    case 'declare': {
      const position = declarationPosition(d, found.range.start)
      return [{ title: `add ${fix.text}`, edits: [insertedLine(d, position, fix.text)] }]
    }
    case 'raise':
      return raised(d, fix.statement, fix.to)
    case 'remove':
      return at === undefined ? [] : [{ title: 'remove this declaration', edits: [removal(d, at)] }]
    case 'drop-precise':
      return at === undefined ? [] : withoutPrecise(d, at)
    case 'append':
      return [{ title: `add ${fix.text}`, edits: [insertedLine(d, lineRange(d, found.range.end).end, fix.text)] }]
    case 'set-flag':
      return withFlag(d, fix.word)
    default:
      return assertNever(fix)
  }
}

/** The edits of each fix of a finding. */
export const fixEdits = (d: ShaderDocument, found: TextFinding): readonly TitledEdits[] =>
  (found.source.fixes ?? []).flatMap((fix) => editsOf(d, found, fix))
