/** What an editor can do about a text: fix what is wrong, leave out what has no effect, write it in another form. */
import { assemble, disassemble, INDEXABLE_SUFFIX, resolveMnemonic, type TextRange, viewText } from '../asm/index.ts'
import { controlOf, DIMENSION, DIMENSION_NUMBER, FILE, RETURN_TYPE, rowOfOpcode } from '../isa/index.ts'
import { parameterOf } from '../program/index.ts'
import { type ShaderDocument, statementAt } from './document.ts'
import { allFindings, type TextFinding } from './findings.ts'
import { fixEdits, removal, replacement } from './fixes.ts'
import { mnemonicRange } from './navigation.ts'
import { registerUses } from './program/uses.ts'
import type { TextEdit } from './rename.ts'
import { unnecessaryRanges } from './unnecessary.ts'

/** Something that an editor can do. */
export interface CodeAction {
  readonly title: string
  readonly kind: 'quickfix' | 'refactor' | 'source'
  readonly edits: readonly TextEdit[]
  /** The finding that it takes away. */
  readonly finding?: TextFinding
  /** The one that is most likely right. */
  readonly isPreferred: boolean
}

/** What takes a finding away, as actions. */
export function fixesOf(d: ShaderDocument, found: TextFinding): readonly CodeAction[] {
  const fixes = fixEdits(d, found)
  return fixes.map(({ title, edits }) => {
    return { title, kind: 'quickfix', edits, finding: found, isPreferred: fixes.length === 1 }
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
      edits: [replacement(range, word + INDEXABLE_SUFFIX + text)],
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
  return [{ title, kind: 'source', edits: [replacement({ start: 0, end: d.text.length }, text)], isPreferred: false }]
}

/** A stored checksum that is wrong is left out, so that the right one is computed. */
function signAgain(d: ShaderDocument): readonly CodeAction[] {
  const match = d.dialect === 'lossless' ? /^[ \t]*\.checksum\b.*\r?\n?/m.exec(d.text) : null
  if (match === null) return []
  const edits = [replacement({ start: match.index, end: match.index + match[0].length }, '')]
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
