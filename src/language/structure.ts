/** The parts of a program as an outline, the parts that an editor folds, and what a selection grows to. */
import type { TextRange } from '../asm/index.ts'
import { rowOfOpcode } from '../isa/index.ts'
import { isNumbered } from '../program/index.ts'
import { lineAt, lineStarts, type ShaderDocument, statementAt, statementText } from './document.ts'
import { nameOfUse } from './hover/register.ts'
import { mnemonicRange } from './navigation.ts'
import { perDocument } from './per-document.ts'
import { blocksOf } from './program/blocks.ts'
import { writtenRegisters } from './program/scan.ts'
import { registerUses } from './program/uses.ts'

/** A part of a program. */
export interface DocumentSymbol {
  readonly name: string
  readonly detail: string
  readonly kind: 'declarations' | 'declaration' | 'function' | 'block'
  readonly range: TextRange
  /** The word that the part begins with. */
  readonly selection: TextRange
  readonly children: readonly DocumentSymbol[]
}

/** A part of a program that runs by itself or is called: statements from `first` to `last`. */
export interface FunctionPart {
  readonly name: string
  readonly first: number
  readonly last: number
}

function traitsOf(d: ShaderDocument, statement: number) {
  const s = d.statements[statement]
  return s?.kind === 'instruction' ? rowOfOpcode(s.opcode)?.traits : undefined
}

const isDeclaration = (d: ShaderDocument, statement: number): boolean => {
  const s = d.statements[statement]!
  const kind = traitsOf(d, statement)?.kind
  return kind === 'declaration' || kind === 'phase' || (s.kind === 'custom-data' && !isNumbered(s))
}

function beginsFunction(d: ShaderDocument, statement: number): boolean {
  const traits = traitsOf(d, statement)
  return traits?.kind === 'phase' || (traits?.kind === 'flow' && traits.action === 'label')
}

/** The main program, phases of a hull shader and subroutines; the first begins with the first statement. */
export const functionParts = perDocument((d: ShaderDocument): readonly FunctionPart[] => {
  const parts: FunctionPart[] = []
  let first = 0
  let name = 'main'
  d.statements.forEach((_, at) => {
    if (!beginsFunction(d, at)) return
    if (at > first) parts.push({ name, first, last: at - 1 })
    first = at
    name = statementText(d, at)
  })
  if (d.statements.length > first) parts.push({ name, first, last: d.statements.length - 1 })
  return parts
})

function rangeOf(d: ShaderDocument, first: number, last: number): TextRange {
  return { start: d.places.statements[first]!.start, end: d.places.statements[last]!.end }
}

function declarationSymbol(d: ShaderDocument, at: number, names: ReadonlyMap<number, string>): DocumentSymbol {
  return {
    name: statementText(d, at),
    detail: names.get(at) ?? '',
    kind: 'declaration',
    range: rangeOf(d, at, at),
    selection: mnemonicRange(d, at),
    children: [],
  }
}

/** Names from reflection of what declarations declare. */
const declaredNames = perDocument((d: ShaderDocument): ReadonlyMap<number, string> => {
  const names = new Map<number, string>()
  for (const use of registerUses(d)) {
    const name = use.access === 'declared' ? nameOfUse(d, use) : undefined
    if (name !== undefined) names.set(use.statement, name)
  }
  return names
})

/** The blocks of a part, nested as they are. */
function blockSymbols(d: ShaderDocument, { first, last }: FunctionPart): readonly DocumentSymbol[] {
  interface Draft extends Omit<DocumentSymbol, 'children'> {
    readonly children: Draft[]
    readonly last: number
  }
  const top: Draft[] = []
  const open: Draft[] = []
  for (const block of blocksOf(d)) {
    if (block.first < first || block.first > last) continue
    const end = Math.min(block.last, last)
    const symbol: Draft = {
      name: statementText(d, block.first),
      detail: '',
      kind: 'block',
      range: rangeOf(d, block.first, end),
      selection: mnemonicRange(d, block.first),
      children: [],
      last: end,
    }
    while (open.length > 0 && open.at(-1)!.last < block.first) open.pop()
    // Deeper blocks are no help in an outline, and editors nest without bounds.
    if (open.length < MAX_DEPTH) (open.at(-1)?.children ?? top).push(symbol)
    open.push(symbol)
  }
  return top
}

const MAX_DEPTH = 32

function functionSymbol(d: ShaderDocument, part: FunctionPart): DocumentSymbol {
  return {
    name: part.name,
    detail: '',
    kind: 'function',
    range: rangeOf(d, part.first, part.last),
    selection: mnemonicRange(d, part.first),
    children: blockSymbols(d, part),
  }
}

/** The outline of a program. */
export const documentSymbols = perDocument((d: ShaderDocument): readonly DocumentSymbol[] => {
  const names = declaredNames(d)
  return functionParts(d).flatMap((part): readonly DocumentSymbol[] => {
    let code = part.first
    while (code <= part.last && isDeclaration(d, code)) code++
    const declared = Array.from({ length: code - part.first }, (_, i) => declarationSymbol(d, part.first + i, names))
    const isMain = !beginsFunction(d, part.first)
    if (!isMain) {
      const symbol = functionSymbol(d, part)
      return [{ ...symbol, children: [...declared.slice(1), ...symbol.children] }]
    }
    const declarations: DocumentSymbol[] =
      declared.length === 0
        ? []
        : [
            {
              name: 'declarations',
              detail: `${declared.length}`,
              kind: 'declarations',
              range: rangeOf(d, part.first, code - 1),
              selection: mnemonicRange(d, part.first),
              children: declared,
            },
          ]
    return code > part.last ? declarations : [...declarations, functionSymbol(d, { ...part, first: code })]
  })
})

/** Lines from 0, both ends inclusive, that an editor can fold. */
export interface Folding {
  readonly firstLine: number
  readonly lastLine: number
  readonly kind: 'comment' | 'region'
}

const COMMENT_TITLE = /^\/\/ (?:[A-Z][\w ]*(?:signature|Definitions|Bindings)[\w ]*:)\s*$/

/** Runs of lines of comment, and the sections of a listing's header. */
function commentFoldings({ text }: ShaderDocument, lines: readonly number[]): Folding[] {
  const found: Folding[] = []
  let first = -1
  let section = -1
  const close = (line: number): void => {
    if (section >= 0 && line - 1 > section) found.push({ firstLine: section, lastLine: line - 1, kind: 'comment' })
    section = -1
  }
  for (let line = 0; line <= lines.length; line++) {
    const start = lines[line]
    const isComment = start !== undefined && text.startsWith('//', start)
    if (!isComment) {
      close(line)
      if (first >= 0 && line - 1 > first) found.push({ firstLine: first, lastLine: line - 1, kind: 'comment' })
      first = -1
      continue
    }
    if (first < 0) first = line
    if (!COMMENT_TITLE.test(text.slice(start, Math.min(lines[line + 1] ?? text.length, start + 60)))) continue
    close(line)
    section = line
  }
  return found
}

/** What can be folded: blocks, functions, declarations, comments, statements of several lines. */
export function foldings(d: ShaderDocument): readonly Folding[] {
  const found = commentFoldings(d, lineStarts(d))
  const add = (first: number, last: number, stay: number): void => {
    const firstLine = lineAt(d, d.places.statements[first]!.start)
    const lastLine = lineAt(d, d.places.statements[last]!.end) - stay
    if (lastLine > firstLine) found.push({ firstLine, lastLine, kind: 'region' })
  }
  for (const { first, middle, last, isClosed } of blocksOf(d)) {
    const parts = [first, ...middle.filter((m) => mayDivide(d, m)), last]
    for (let i = 1; i < parts.length; i++) add(parts[i - 1]!, parts[i]!, isClosed || i < parts.length - 1 ? 1 : 0)
  }
  for (const symbol of documentSymbols(d)) {
    const firstLine = lineAt(d, symbol.range.start)
    const lastLine = lineAt(d, symbol.range.end)
    if (symbol.kind !== 'block' && lastLine > firstLine) found.push({ firstLine, lastLine, kind: 'region' })
  }
  d.places.statements.forEach((_, at) => {
    if (traitsOf(d, at)?.kind === undefined) add(at, at, 0)
  })
  return found.sort((a, b) => a.firstLine - b.firstLine || b.lastLine - a.lastLine)
}

/** `else` and cases; not what leaves a block. */
function mayDivide(d: ShaderDocument, statement: number): boolean {
  const traits = traitsOf(d, statement)
  if (traits?.kind !== 'flow') return false
  return traits.action === 'else' || traits.action === 'case' || traits.action === 'default'
}

/** What a selection at a position grows to, from the smallest on: word, operand, statement, blocks, function, text. */
export function selectionsAt(d: ShaderDocument, position: number): readonly TextRange[] {
  const ranges: TextRange[] = []
  const add = (range: TextRange | undefined): void => {
    if (range === undefined || range.start > position || range.end < position) return
    const last = ranges.at(-1)
    const contains = last === undefined || (range.start <= last.start && range.end >= last.end)
    const isSame = last !== undefined && range.start === last.start && range.end === last.end
    if (contains && !isSame && range.end > range.start) ranges.push({ start: range.start, end: range.end })
  }
  const at = statementAt(d, position)
  if (at !== undefined) {
    const place = d.places.statements[at]!
    for (const operand of place.operands) {
      if (operand.start > position || operand.end < position) continue
      const inner = writtenRegisters(d.text, operand).filter(
        (r) => r.whole.start <= position && position <= r.whole.end,
      )
      for (const r of inner.reverse()) {
        add(r.components)
        add(r.name)
        add(r.whole)
      }
      add(operand)
    }
    add(mnemonicRange(d, at))
    add(place)
  }
  const around = blocksOf(d).filter((b) => at !== undefined && b.first <= at && at <= b.last)
  for (const block of around.reverse()) add(rangeOf(d, block.first, block.last))
  for (const part of functionParts(d)) add(rangeOf(d, part.first, part.last))
  add({ start: 0, end: d.text.length })
  return ranges
}
