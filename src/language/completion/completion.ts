/** What may be written at a cursor. */
import type { TextRange } from '../../asm/index.ts'
import {
  type Enumeration,
  type InstructionRow,
  MIN_PRECISION_WORD,
  type OperandSlot,
  REGISTER_FILES,
  RESOURCE_DIMENSION,
  RETURN_TYPE,
  type RegisterFile,
  type Stage,
  stageOfNumber,
} from '../../isa/index.ts'
import { type Cursor, cursorAt, hasProfileBefore } from '../cursor.ts'
import type { ShaderDocument } from '../document.ts'
import { fileWords, nameOfUse } from '../hover/register.ts'
import { slotText } from '../instruction-text.ts'
import { semanticNames } from '../names/names.ts'
import { perDocument } from '../per-document.ts'
import { type RegisterUse, registerUses } from '../program/uses.ts'
import { declarationWords } from './declaration-words.ts'
import type { CompletionItem } from './item.ts'
import { mnemonicItems, profileItems } from './mnemonics.ts'

export interface Completion {
  readonly range: TextRange
  readonly items: readonly CompletionItem[]
}

export const TRIGGER_CHARACTERS = ['.', '[', ',', '(', '_'] as const

const word = (label: string, kind: CompletionItem['kind'], detail: string, rank = 1): CompletionItem => {
  return { label, kind, detail, insert: label, isSnippet: false, rank }
}

/** The registers that a program names, each once: the declared ones and those that are used. */
const namedRegisters = perDocument((d: ShaderDocument): readonly RegisterUse[] => {
  const seen = new Map<string, RegisterUse>()
  for (const use of registerUses(d)) if (!seen.has(use.key) && use.written.depth === 0) seen.set(use.key, use)
  return [...seen.values()]
})

const DESTINATIONS: ReadonlySet<RegisterFile['class']> = new Set(['register', 'output'])
const SOURCES: ReadonlySet<RegisterFile['class']> = new Set(['register', 'input', 'constant'])

/** Whether a register of a file may stand at a slot. */
function fits(file: RegisterFile, slot: OperandSlot): boolean {
  if (slot.files !== undefined) return slot.files.includes(file.name)
  switch (slot.role) {
    case 'dest':
      return DESTINATIONS.has(file.class)
    case 'source':
    case 'condition':
    case 'address':
      return SOURCES.has(file.class)
    case 'resource':
      return file.name === 'resource' || file.name === 'uav' || file.name === 'tgsm'
    case 'memory':
      return file.name === 'uav' || file.name === 'tgsm'
    case 'sampler':
      return file.name === 'sampler'
    default:
      return file.class === 'name'
  }
}

const KIND_OF_CLASS: Readonly<Partial<Record<RegisterFile['class'], CompletionItem['kind']>>> = {
  input: 'parameter',
  output: 'parameter',
  register: 'variable',
}

const kindOfFile = (file: RegisterFile): CompletionItem['kind'] => KIND_OF_CLASS[file.class] ?? 'namespace'

function registerItem(d: ShaderDocument, use: RegisterUse): CompletionItem {
  const { file, name } = use.written
  const written = d.text.slice(name.start, name.end)
  // Declarations write CB0 where instructions write cb0.
  const label = file.name === 'constant-buffer' ? written.toLowerCase() : written
  const named = nameOfUse(d, use)
  return word(label, kindOfFile(file), named ?? fileWords(file))
}

/** Registers without a number that a stage has. */
function stageRegisters(stage: Stage | undefined, accepts: (file: RegisterFile) => boolean): readonly CompletionItem[] {
  const files = REGISTER_FILES.filter((f) => f.indices[1] === 0 && f.class !== 'immediate' && accepts(f))
  const ofStage = files.filter((f) => stage === undefined || f.stages.includes(stage))
  return ofStage.map((f) => word(f.prefix, kindOfFile(f), fileWords(f), 3))
}

function registerItems(d: ShaderDocument, accepts: (file: RegisterFile) => boolean): readonly CompletionItem[] {
  const stage = stageOfNumber(d.program?.stageNumber ?? -1)
  const named = namedRegisters(d).filter((u) => accepts(u.written.file))
  const items = [...named.map((u) => registerItem(d, u)), ...stageRegisters(stage, accepts)]
  const labels = new Set<string>()
  return items.filter(({ label }) => {
    const isNew = !labels.has(label)
    labels.add(label)
    return isNew
  })
}

/** How many components a slot has: those of the destination that is already written. */
function slotWidth(cursor: Cursor, row: InstructionRow, slot: OperandSlot): number {
  if (slot.components !== undefined) return slot.components
  const isMasked = row.traits.kind === 'alu' && row.traits.lanes === 'componentwise'
  const mask = /\.([xyzw]+)\s*,/.exec(cursor.before)?.[1]
  return isMasked && mask !== undefined ? mask.length : 4
}

const MASKS: readonly string[] = Array.from({ length: 15 }, (_, i) =>
  [...'xyzw'].filter((_, c) => ((i + 1) >> c) & 1).join(''),
)

function componentItems(cursor: Cursor, row: InstructionRow, slot: OperandSlot | undefined): readonly CompletionItem[] {
  if (slot === undefined || slot.role === 'dest' || slot.role === 'memory') {
    return MASKS.map((m) => word(m, 'property', 'write mask', 5 - m.length))
  }
  const width = slotWidth(cursor, row, slot)
  const single = [...'xyzw'].map((c) => word(c, 'property', 'one component', width === 1 ? 0 : 2))
  // A swizzle has four letters; those behind the ones that are read repeat the last.
  const straight = 'xyzw'.slice(0, width).padEnd(4, 'xyzw'[width - 1])
  const repeated = [...'xyzw'].map((c) => word(c.repeat(4), 'property', 'one component, repeated', 1))
  return [word(straight, 'property', 'swizzle', width === 1 ? 3 : 0), ...repeated, ...single]
}

const wordsOf = (e: Enumeration, detail: string): readonly CompletionItem[] =>
  e.words.flatMap((w) => (w === undefined || w === '' || w.startsWith('<') ? [] : [word(w, 'enum', detail)]))

/** What stands in parentheses or brackets. */
function enclosedItems(d: ShaderDocument, cursor: Cursor): readonly CompletionItem[] {
  if (cursor.enclosed === '{') return wordsOf(MIN_PRECISION_WORD, 'minimum precision')
  if (cursor.enclosed === '[') return registerItems(d, (f) => f.name === 'temp' || f.class === 'input')
  const isHead = !/[\s,]/.test(
    cursor.before
      .slice(cursor.mnemonic.length)
      .replace(/\([^)]*$/, '')
      .trim(),
  )
  if (!isHead || /\bl\([^)]*$/.test(cursor.before)) return []
  const groups = (cursor.before.match(/\(/g) ?? []).length
  const isFirst = groups === 1 && cursor.head?.row.traits.kind !== 'declaration'
  return isFirst ? wordsOf(RESOURCE_DIMENSION, 'dimension') : wordsOf(RETURN_TYPE, 'return type')
}

function operandItems(d: ShaderDocument, cursor: Cursor, row: InstructionRow): readonly CompletionItem[] {
  if (row.traits.kind === 'declaration')
    return declarationWords(row.traits.declares).map((w) => word(w, 'enum', 'keyword'))
  const slot = row.operands[cursor.operand]
  if (slot === undefined) return []
  const registers = registerItems(d, (f) => fits(f, slot))
  const isValue = slot.role === 'source' || slot.role === 'condition' || slot.role === 'address'
  const count = slotWidth(cursor, row, slot) === 1 ? 1 : 4
  const zeros = Array.from({ length: count }, (_, i) => `\${${i + 1}:0}`).join(', ')
  const literal: CompletionItem = {
    label: 'l(...)',
    kind: 'enum',
    detail: slotText(slot),
    insert: `l(${zeros})`,
    isSnippet: true,
    rank: 4,
  }
  const nothing = slot.nullable ? [word('null', 'parameter', 'no register', 3)] : []
  return [...registers, ...nothing, ...(isValue ? [literal] : [])]
}

const SYSTEM_SEMANTICS: readonly string[] = [
  ...['SV_Position', 'SV_Target', 'SV_Depth', 'SV_Coverage', 'SV_VertexID', 'SV_InstanceID', 'SV_PrimitiveID'],
  ...['SV_IsFrontFace', 'SV_SampleIndex', 'SV_ClipDistance', 'SV_CullDistance', 'SV_RenderTargetArrayIndex'],
  ...['SV_ViewportArrayIndex', 'SV_DispatchThreadID', 'SV_GroupID', 'SV_GroupThreadID', 'SV_GroupIndex'],
  ...['SV_TessFactor', 'SV_InsideTessFactor', 'SV_DomainLocation', 'SV_OutputControlPointID', 'SV_GSInstanceID'],
]

/** Names of semantics, in the tables of signatures in front of the program. */
function semanticItems(d: ShaderDocument): readonly CompletionItem[] {
  const names = new Set([...semanticNames(d), ...SYSTEM_SEMANTICS])
  return [...names].map((n) => word(n, 'property', 'semantic'))
}

const SEMANTIC_ROW = /^\/\/ \w*$/

/** What may be written at a position, and what it takes the place of. */
export function completionAt(d: ShaderDocument, position: number): Completion {
  const cursor = cursorAt(d, position)
  const none: Completion = { range: { start: position, end: position }, items: [] }
  if (cursor.isComment) {
    if (!SEMANTIC_ROW.test(cursor.before) || hasProfileBefore(d, position)) return none
    return { range: { start: position - cursor.word.length, end: position }, items: semanticItems(d) }
  }
  const letters = cursor.word.slice(cursor.word.lastIndexOf('.') + 1)
  const range = { start: position - letters.length, end: position }
  if (cursor.isFirstWord) {
    const isStart = !hasProfileBefore(d, cursor.start)
    return { range: { start: cursor.start, end: position }, items: isStart ? profileItems() : mnemonicItems(d) }
  }
  const row = cursor.head?.row
  if (row === undefined) return none
  if (cursor.enclosed !== undefined) return { range, items: enclosedItems(d, cursor) }
  if (cursor.word.includes('.')) return { range, items: componentItems(cursor, row, row.operands[cursor.operand]) }
  return { range, items: operandItems(d, cursor, row) }
}
