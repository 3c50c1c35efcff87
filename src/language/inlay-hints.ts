/** Notes that an editor shows between the words of a text. */
import type { TextRange } from '../asm/index.ts'
import { FILE, rowOfOpcode } from '../isa/index.ts'
import { instructionNumbers, statementByteOffsets } from '../program/index.ts'
import { lineAt, lineStarts, type ShaderDocument } from './document.ts'
import { literalsOf, literalText, shortFloat } from './hover/literal.ts'
import { nameOfUse } from './hover/register.ts'
import { blocksOf } from './program/blocks.ts'
import { registerUses } from './program/uses.ts'

/** Kinds of hints; each is a setting. */
export const HINT_KINDS = ['names', 'numbers', 'offsets', 'blockEnds', 'floats'] as const
export type HintKind = (typeof HINT_KINDS)[number]

/** A note at a position. */
export interface InlayHint {
  readonly position: number
  readonly label: string
  readonly kind: HintKind
  /** It stands in front of what it is about; else behind it. */
  readonly isBefore: boolean
}

type Add = (hint: InlayHint) => void

/** Names from reflection, behind constants and what is bound. */
function addNames(d: ShaderDocument, { start, end }: TextRange, add: Add): void {
  for (const use of registerUses(d)) {
    const { whole, file } = use.written
    if (whole.end < start || whole.start > end || use.access === 'declared') continue
    if (file.class !== 'constant' && file.class !== 'binding') continue
    const name = nameOfUse(d, use)
    if (name !== undefined) add({ position: whole.end, label: `: ${name}`, kind: 'names', isBefore: false })
  }
}

function addPositions(d: ShaderDocument, first: number, last: number, kinds: ReadonlySet<HintKind>, add: Add): void {
  if (d.program === undefined) return
  const numbers = instructionNumbers(d.program)
  const offsets = statementByteOffsets(d.program)
  for (let at = first; at <= last; at++) {
    const position = d.places.statements[at]!.start
    if (kinds.has('offsets')) {
      const offset = offsets[at]!.toString(16).toUpperCase().padStart(8, '0')
      add({ position, label: `0x${offset}`, kind: 'offsets', isBefore: true })
    }
    const number = numbers[at]
    if (kinds.has('numbers') && number !== undefined) {
      add({ position, label: String(number), kind: 'numbers', isBefore: true })
    }
  }
}

/** Blocks shorter than this need no note at their end. */
const SHORT_BLOCK = 10

function addBlockEnds(d: ShaderDocument, { start, end }: TextRange, add: Add): void {
  const numbers = d.program === undefined ? [] : instructionNumbers(d.program)
  for (const { first, last, isClosed } of blocksOf(d)) {
    const place = d.places.statements[last]!
    if (!isClosed || last - first < SHORT_BLOCK || place.end < start || place.start > end) continue
    add({ position: place.end, label: ` of ${numbers[first] ?? ''}`, kind: 'blockEnds', isBefore: false })
  }
}

/** Smaller integers are integers: as floats they are denormal. */
const LEAST_FLOAT = 0x00800000

/** The float behind an integer literal of an instruction on bits or floats. */
function addFloats(d: ShaderDocument, at: number, add: Add): void {
  const s = d.statements[at]
  const row = s?.kind === 'instruction' ? rowOfOpcode(s.opcode) : undefined
  if (s?.kind !== 'instruction' || !s.operands.some((o) => o.type === FILE.immediate32) || row === undefined) return
  if (row.literals === 'integer') return
  for (const { range, dwords, isDouble } of literalsOf(d, at)) {
    const isInteger = /^-?(?:\d+|0[xX][0-9a-fA-F]+)$/.test(d.text.slice(range.start, range.end))
    const bits = dwords[0]! >>> 0
    if (!isInteger || isDouble || (bits & 0x7fffffff) < LEAST_FLOAT) continue
    add({ position: range.end, label: `= ${shortFloat(bits)}`, kind: 'floats', isBefore: false })
  }
}

/** The hints of some kinds in a part of the text, in order. */
export function inlayHints(d: ShaderDocument, range: TextRange, kinds: ReadonlySet<HintKind>): readonly InlayHint[] {
  const found: InlayHint[] = []
  const add: Add = (hint) => {
    if (hint.position >= range.start && hint.position <= range.end) found.push(hint)
  }
  if (kinds.has('names')) addNames(d, range, add)
  if (kinds.has('blockEnds')) addBlockEnds(d, range, add)
  const { statements } = d.places
  const inRange = statements.flatMap((s, i) => (s.end >= range.start && s.start <= range.end ? [i] : []))
  const [first, last] = [inRange[0], inRange.at(-1)]
  if (first !== undefined && last !== undefined) {
    if (kinds.has('numbers') || kinds.has('offsets')) addPositions(d, first, last, kinds, add)
    if (kinds.has('floats')) for (let at = first; at <= last; at++) addFloats(d, at, add)
  }
  return found.sort((a, b) => a.position - b.position)
}

/** What a hint says when the editor requests its details: the line of what it names. */
export function hintTooltip(d: ShaderDocument, position: number, kind: HintKind): string | undefined {
  switch (kind) {
    case 'blockEnds': {
      const block = blocksOf(d).find((b) => d.places.statements[b.last]!.end === position)
      if (block === undefined) return undefined
      const { start } = d.places.statements[block.first]!
      const line = lineAt(d, start)
      return `line ${line + 1}: \`${d.text.slice(start, lineStarts(d)[line + 1] ?? d.text.length).trim()}\``
    }
    case 'names': {
      const use = registerUses(d).find((u) => u.written.whole.end === position)
      return use === undefined ? undefined : nameOfUse(d, use)
    }
    case 'floats': {
      const at = d.places.statements.findIndex((s) => s.start <= position && position <= s.end)
      const literal = literalsOf(d, at).find((l) => l.range.end === position)
      return literal === undefined ? undefined : literalText(literal)
    }
    case 'numbers':
      return 'number of the instruction, as reports name it'
    case 'offsets':
      return 'byte offset in the code part'
  }
}
