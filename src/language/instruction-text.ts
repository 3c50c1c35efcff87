/** Instructions in words, from their rows: hover texts, signature help and the pages of docs use these. */
import { mnemonicSyntax } from '../asm/index.ts'
import { type ComponentType, type InstructionRow, type OperandRole, type OperandSlot, STAGES } from '../isa/index.ts'

const COMPONENT_SUFFIX = { 1: '.component', 2: '.xy', 3: '.xyz', 4: '.xyzw' } as const

/** An operand in the manner of the reference pages: `[-]src0[_abs].xyz`. */
export function operandSyntax(slot: OperandSlot): string {
  const count = slot.components === undefined ? '' : COMPONENT_SUFFIX[slot.components]
  const sign = slot.modifiers === 'none' ? '' : '[-]'
  return `${sign}${slot.name}${slot.modifiers === 'neg-abs' ? '[_abs]' : ''}${count}`
}

/** A row's form in the manner of the reference pages: `add[_sat] dest, [-]src0[_abs], ...`. */
export function syntaxOf(row: InstructionRow): string {
  const operands = [...row.operands.map(operandSyntax), ...row.parameters.filter((p) => p !== '...')]
  return `${mnemonicSyntax(row)}${operands.length === 0 ? '' : ' '}${operands.join(', ')}`
}

/** `5.0; needs double`, `4.0, and cs_4_x`. */
export function availability(row: InstructionRow): string {
  const downlevel = { none: '', compute: ', and cs_4_x', all: ', and 4.x on Direct3D 11' }[row.downlevel]
  const needs = row.requires.length === 0 ? '' : `; needs ${row.requires.join(', ')}`
  return `${row.since.major}.${row.since.minor}${downlevel}${needs}`
}

export const stagesText = (row: InstructionRow): string =>
  row.stages.length === STAGES.length ? 'any' : row.stages.join(', ')

const TYPE_WORDS: Readonly<Record<ComponentType, string>> = {
  f32: 'float',
  i32: 'signed integer',
  u32: 'unsigned integer',
  f64: 'double',
  f16: '16-bit float',
  bits: '32 bits',
}

const ROLE_WORDS: Readonly<Record<OperandRole, string>> = {
  dest: 'destination',
  source: 'source',
  condition: 'condition',
  address: 'address',
  resource: 'resource',
  sampler: 'sampler',
  memory: 'memory that is written',
  label: 'label',
  function: 'function',
  stream: 'stream',
  declared: 'register that is declared',
}

const VALUED: ReadonlySet<OperandRole> = new Set(['dest', 'source', 'condition', 'address'])

/** `source, float; may be negated, absolute`. */
export function slotText(slot: OperandSlot): string {
  const type = VALUED.has(slot.role) ? `, ${TYPE_WORDS[slot.type]}` : ''
  const modifiers = { none: '', neg: '; may be negated', 'neg-abs': '; may be negated, absolute' }[slot.modifiers]
  return `${ROLE_WORDS[slot.role]}${type}${modifiers}${slot.nullable ? '; may be null' : ''}`
}

/** What the word of an instruction is to people who read code: editors color and list it so. */
export type WordKind = 'macro' | 'keyword' | 'function' | 'event'

/** A declaration, what steers, a value of its operands alone, or what touches memory and other threads. */
export function wordKindOf({ traits }: InstructionRow): WordKind {
  switch (traits.kind) {
    case 'declaration':
    case 'custom-data':
      return 'macro'
    case 'flow':
    case 'phase':
    case 'nop':
    case 'debug':
      return 'keyword'
    case 'alu':
    case 'derivative':
    case 'eval':
      return 'function'
    default:
      return 'event'
  }
}
