import type { DebugInfo, SourceLine, VariableLocation } from '../../dxbc/index.ts'
import { REGISTER_FILES, rowOfOpcode } from '../../isa/index.ts'
import { type Program, type Statement, statementDwordCount } from '../../program/index.ts'
import { SELECT_TEXT } from '../text/operand-text.ts'
import { type CodeNotes, HEADER_BYTES } from './print-code.ts'
import { numberedRegisterText } from './print-operand.ts'

/** `v[0][1]` of a location. */
function registerOf(l: VariableLocation): string {
  return numberedRegisterText(l.registerFile, l.indices)
}

/** `r0.x <- c.x`; what is only named, such as a stream, has no components. */
function locationText(l: VariableLocation): string {
  const isName = REGISTER_FILES[l.registerFile]?.class === 'name'
  return `${registerOf(l)}${isName ? '' : SELECT_TEXT[l.component & 3]} <- ${l.name}`
}

/** The block before the first instruction: one line a register, `; ` behind every entry but the last. */
function entryText(locations: readonly VariableLocation[]): string {
  if (locations.length === 0) return ''
  let text = '//\n// Initial variable locations:\n//   '
  locations.forEach((l, i) => {
    const previous = locations[i - 1]
    if (previous !== undefined) text += registerOf(previous) === registerOf(l) ? '; ' : '; \n//   '
    text += locationText(l)
  })
  return `${text}\n//\n`
}

/** A body of a function begins here; the listing names the source file anew (corpus: ps/class_linkage.zi). */
function beginsFunction(s: Statement): boolean {
  const traits = s.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
  return traits?.kind === 'flow' && traits.action === 'label'
}

function lineText(line: SourceLine, previous: SourceLine | undefined): string {
  const file = previous?.file === line.file ? '' : ` "${line.file}"`
  return `#line ${line.line}${file}\n`
}

/** Texts by the offset at which the variables begin to live. */
function behindTexts(locations: readonly VariableLocation[]): ReadonlyMap<number, string> {
  const texts = new Map<number, string>()
  for (const l of locations) {
    if (l.atEntry) continue
    const known = texts.get(l.byteOffset)
    texts.set(l.byteOffset, `${known === undefined ? '  // ' : `${known}; `}${locationText(l)}`)
  }
  return texts
}

/** What debug data adds to the listing of a program. */
export function debugNotes(program: Program, info: DebugInfo): CodeNotes {
  const lines = new Map(info.lines.map((line) => [line.byteOffset, line]))
  const behindOffset = behindTexts(info.locations)
  const entry = entryText(info.locations.filter((l) => l.atEntry))
  const before = new Map<number, string>()
  const behind = new Map<number, string>()
  let previous: SourceLine | undefined
  let byteOffset = HEADER_BYTES
  program.statements.forEach((statement, at) => {
    let text = byteOffset === info.entryOffset ? entry : ''
    const line = lines.get(byteOffset)
    if (line !== undefined) {
      const known = beginsFunction(statement) ? undefined : previous
      if (line.file !== known?.file || line.line !== known.line) {
        text += (text === '' ? '\n' : '') + lineText(line, known)
      }
      previous = line
    }
    if (text !== '') before.set(at, text)
    byteOffset += 4 * statementDwordCount(statement)
    const note = behindOffset.get(byteOffset)
    if (note !== undefined) behind.set(at, note)
  })
  return { before, behind }
}
