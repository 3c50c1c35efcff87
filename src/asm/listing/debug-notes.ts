import type { DebugInfo, ScalarNote, ScalarRange, SourceLine, ValueNote, VariableLocation } from '../../dxbc/index.ts'
import { FILE, REGISTER_FILES, rowOfOpcode } from '../../isa/index.ts'
import { instructionNumbers, type Program, type Statement, statementByteOffsets } from '../../program/index.ts'
import { generalText } from '../text/numbers.ts'
import { SELECT_TEXT } from '../text/operand-text.ts'
import type { CodeNotes } from './print-code.ts'
import { numberedRegisterText } from './print-operand.ts'

/** `v[0][1]` of a location. */
function registerOf(l: VariableLocation): string {
  return numberedRegisterText(l.registerFile, l.indices)
}

/** `r0.x <- c.x`; what is only named, such as a stream, and whole arrays have no components. */
function locationText(l: VariableLocation): string {
  const isName = REGISTER_FILES[l.registerFile]?.class === 'name'
  const component = isName || l.component === undefined ? '' : SELECT_TEXT[l.component & 3]
  return `${registerOf(l)}${component} <- ${l.name}`
}

/**
 * What the disassembler says, and then stops, where debug data contradicts itself: fxc gives arrays of a tbuffer no
 * length (corpus: vs/sm51_spaces.zi).
 */
const OVERRUN_TEXT = '\n// <internal error> offset overruns length for type in PDB\n'

/** Entries with what `separate` puts between two; the list ends where debug data makes no sense. */
function entriesText(
  locations: readonly VariableLocation[],
  separate: (before: VariableLocation, behind: VariableLocation) => string,
): string {
  let text = ''
  for (let i = 0; i < locations.length; i++) {
    const l = locations[i]!
    const previous = locations[i - 1]
    text += (previous === undefined ? '' : separate(previous, l)) + locationText(l)
    if (l.overrunsType) return text + OVERRUN_TEXT
  }
  return text
}

/** The block before the first instruction: one line a register, `; ` behind every entry but the last. */
function entryText(locations: readonly VariableLocation[]): string {
  if (locations.length === 0) return ''
  const entries = entriesText(locations, (a, b) => (registerOf(a) === registerOf(b) ? '; ' : '; \n//   '))
  return `//\n// Initial variable locations:\n//   ${entries}\n//\n`
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

function group<T extends { readonly position: number }>(items: readonly T[]): ReadonlyMap<number, readonly T[]> {
  const groups = new Map<number, T[]>()
  for (const item of items) {
    const known = groups.get(item.position)
    if (known === undefined) groups.set(item.position, [item])
    else known.push(item)
  }
  return groups
}

const NUMBER_SUFFIX: Readonly<Record<ScalarRange['type'], string>> = { float: 'f', int: '', uint: 'u' }

function rangeText(r: ScalarRange): string {
  const text = (bound: number): string =>
    (r.type === 'float' ? generalText(bound) : String(bound)) + NUMBER_SUFFIX[r.type]
  return r.least === r.most ? `: ${text(r.least)}` : `:[${text(r.least)},${text(r.most)}]`
}

/** `0:NaN:Inf`, `1:[0f,1f]`: the scalar's place in its variable, and what its value may be. */
function scalarText(s: ScalarNote): string {
  const range = s.range === undefined ? '' : rangeText(s.range)
  return `${s.offset}${s.isNanPossible ? ':NaN' : ''}${s.isInfinityPossible ? ':Inf' : ''}${range}`
}

/** `c<0,1>`, or `arr[r1.y]<0>` where a register chooses the element. */
function valueText({ variable, index, scalars }: ValueNote): string {
  const element =
    index === undefined
      ? ''
      : `[${numberedRegisterText(FILE.temp, [index.register])}${SELECT_TEXT[index.component & 3]}]`
  return `${variable}${element}<${scalars.map(scalarText).join(',')}>`
}

const behindLine = (text: string): string => `  // ${text}`

/** Texts behind instructions: values by the instruction itself, locations by the position behind it. */
interface BehindTexts {
  readonly own: ReadonlyMap<number, readonly ValueNote[]>
  readonly next: ReadonlyMap<number, readonly VariableLocation[]>
}

/** At the other branch of an if those variables are named that are again where they were before it. */
const PRIOR_LOCATIONS = 'Prior locations: '

function isOtherBranch(s: Statement): boolean {
  const traits = s.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
  return traits?.kind === 'flow' && traits.action === 'else'
}

function behindText(texts: BehindTexts, statement: Statement, own: number, next: number): string | undefined {
  const values = texts.own.get(own)
  if (values !== undefined) return behindLine(values.map(valueText).join(', '))
  const locations = texts.next.get(next)
  if (locations === undefined) return undefined
  const entries = entriesText(locations, () => '; ')
  return behindLine(isOtherBranch(statement) ? PRIOR_LOCATIONS + entries : entries)
}

/** Where each statement is, in the debug data's own terms; NO_POSITION where it has none. The last is the end. */
function positionsOf(program: Program, unit: DebugInfo['positions']): readonly number[] {
  if (unit === 'byte-offsets') return statementByteOffsets(program)
  const numbers = instructionNumbers(program)
  return [...numbers.map((n) => n ?? NO_POSITION), numbers.filter((n) => n !== undefined).length]
}

const NO_POSITION = -1

/** Characters that debug data may add: names of files repeat, and damaged data could make them long and change often. */
const NOTE_FLOOR = 4 << 20
const NOTE_CHARACTERS_PER_STATEMENT = 1024

/** What debug data adds to the listing of a program. */
export function debugNotes(program: Program, info: DebugInfo): CodeNotes {
  const lines = new Map(info.lines.map((line) => [line.position, line]))
  const texts = { own: group(info.values), next: group(info.locations.filter((l) => !l.atEntry)) }
  const entry = entryText(info.locations.filter((l) => l.atEntry))
  const before = new Map<number, string>()
  const behind = new Map<number, string>()
  const positions = positionsOf(program, info.positions)
  let left = NOTE_FLOOR + NOTE_CHARACTERS_PER_STATEMENT * program.statements.length
  let previous: SourceLine | undefined
  program.statements.forEach((statement, at) => {
    if (left < 0) return
    const position = positions[at]!
    let text = position === info.entry ? entry : ''
    const line = lines.get(position)
    if (line !== undefined) {
      const known = beginsFunction(statement) ? undefined : previous
      if (line.file !== known?.file || line.line !== known.line) {
        text += (text === '' ? '\n' : '') + lineText(line, known)
      }
      previous = line
    }
    if (text !== '') before.set(at, text)
    const note = behindText(texts, statement, position, positions[at + 1]!)
    if (note !== undefined) behind.set(at, note)
    left -= text.length + (note?.length ?? 0)
  })
  return { before, behind }
}
