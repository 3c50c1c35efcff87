/** Renaming registers that are the program's own: an exchange of two numbers, so that no two registers become one. */
import type { TextRange } from '../asm/index.ts'
import { type RegisterFileName, rowOfOpcode } from '../isa/index.ts'
import { parameterOf } from '../program/index.ts'
import type { ShaderDocument } from './document.ts'
import { declarationsOfUse, fileWords } from './hover/register.ts'
import { type RegisterUse, registerUses, useAt } from './program/uses.ts'

/** A change of a part of a text. */
export interface TextEdit {
  readonly range: TextRange
  readonly text: string
}

/** What can be renamed, or why it cannot. */
export type Rename<T> = { readonly value: T } | { readonly reason: string }

const refused = (reason: string): Rename<never> => ({ reason })

/** Files whose numbers mean something to the program alone. */
const OWN: ReadonlySet<RegisterFileName> = new Set(['temp', 'indexable-temp', 'tgsm', 'label'])

/** Prefixes that people write beside the listing's. */
const SHORT_PREFIX: Readonly<Partial<Record<RegisterFileName, string>>> = { label: 'l' }

/** Why a register keeps its name. */
function whyNot(use: RegisterUse): string {
  const { file } = use.written
  const what = fileWords(file)
  if (file.class === 'binding' || file.class === 'constant') {
    return `the number of this ${what} is the slot that the application binds; it cannot be renamed`
  }
  if (file.class === 'input' || file.class === 'output') {
    return `this ${what} belongs to the signature that links stages; it cannot be renamed`
  }
  return `this ${what} cannot be renamed`
}

/** The register that a rename at a position is about. */
export function renameRange(d: ShaderDocument, position: number): Rename<TextRange> {
  const use = useAt(d, position)
  if (use === undefined) return refused('only registers can be renamed')
  if (!OWN.has(use.written.file.name) || use.written.number === undefined) return refused(whyNot(use))
  if (!d.isWhole) return refused('the text has errors; what could not be read would keep the old name')
  return { value: use.written.name }
}

/** How many temporary registers the phase of a use declares. */
function tempCount(d: ShaderDocument, use: RegisterUse): number | undefined {
  const s = d.statements[declarationsOfUse(d, use)[0] ?? -1]
  return s?.kind === 'instruction' && rowOfOpcode(s.opcode) !== undefined ? parameterOf(s, 'count') : undefined
}

const MAX_NUMBER = 4095

/** The changes that exchange the register at a position with the one of the new name, in the program or phase. */
export function renameEdits(d: ShaderDocument, position: number, newName: string): Rename<readonly TextEdit[]> {
  const range = renameRange(d, position)
  if ('reason' in range) return range
  const use = useAt(d, position)!
  const { file, number: from } = use.written
  const match = /^([A-Za-z]+)(\d{1,9})$/.exec(newName.trim())
  const prefix = match?.[1]?.toLowerCase()
  const to = Number(match?.[2])
  const fits = prefix === file.prefix || prefix === SHORT_PREFIX[file.name]
  if (match === null || !fits || to > MAX_NUMBER) {
    return refused(`the new name is one such as ${file.prefix}${(from ?? 0) + 1}: ${fileWords(file)} with a number`)
  }
  const count = file.name === 'temp' ? tempCount(d, use) : undefined
  if (count !== undefined && to >= count) {
    return refused(`${count} temporary registers are declared, r0 to r${count - 1}; raise dcl_temps first`)
  }
  const phase = use.key.slice(use.key.lastIndexOf(' '))
  const edits = registerUses(d).flatMap(({ written, key }): TextEdit[] => {
    const isOther = written.file !== file || !key.endsWith(phase)
    const other = written.number === from ? to : written.number === to ? from : undefined
    if (isOther || other === undefined || from === to) return []
    const digits = /\d+$/.exec(d.text.slice(written.name.start, written.name.end))![0].length
    return [{ range: { start: written.name.end - digits, end: written.name.end }, text: String(other) }]
  })
  return { value: edits }
}

/** A text with changes made; they do not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = ''
  let at = 0
  for (const { range, text: inserted } of [...edits].sort((a, b) => a.range.start - b.range.start)) {
    result += text.slice(at, range.start) + inserted
    at = range.end
  }
  return result + text.slice(at)
}
