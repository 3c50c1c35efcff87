/** Components of registers that operands read and write. */
import { type InstructionRow, type OperandSlot, rowOfOpcode } from '../../isa/index.ts'
import {
  COMPONENTS_1,
  COMPONENTS_4,
  componentAt,
  type Instruction,
  type Operand,
  SELECT_ONE,
  writeMask,
} from '../../program/index.ts'
import type { ShaderDocument } from '../document.ts'
import type { RegisterUse } from './uses.ts'

const ALL = 15

/** Components that any destination of an instruction takes. */
function destinationMask(row: InstructionRow, instruction: Instruction): number {
  let mask = 0
  row.operands.forEach((slot, i) => {
    const operand = instruction.operands[i]
    if (operand !== undefined && (slot.role === 'dest' || slot.role === 'memory')) mask |= writeMask(operand)
  })
  return mask
}

/** Positions before its swizzle in which a source may be read: more than are, where the instruction alone does not say. */
function positionsOf(row: InstructionRow, slot: OperandSlot, instruction: Instruction): number {
  const { traits } = row
  if (slot.components !== undefined) return (1 << slot.components) - 1
  if (traits.kind === 'alu' && traits.lanes === 'componentwise') return destinationMask(row, instruction)
  const asMasked = traits.kind === 'derivative' || traits.kind === 'eval' || traits.kind === 'store'
  return asMasked && slot.role === 'source' ? destinationMask(row, instruction) : ALL
}

function componentsAt(operand: Operand, positions: number): number {
  if (operand.components === COMPONENTS_1) return 1
  if (operand.components !== COMPONENTS_4) return 0
  if (operand.mode === SELECT_ONE) return 1 << (operand.selection & 3)
  let mask = 0
  for (let i = 0; i < 4; i++) if ((positions >> i) & 1) mask |= 1 << componentAt(operand, i)
  return mask
}

/** Components that a use reads, as a mask. */
export function componentsRead({ statements }: ShaderDocument, use: RegisterUse): number {
  const { value, access, operand } = use
  if (value === undefined || access === 'write' || access === 'declared') return 0
  const statement = statements[use.statement]
  const row = statement?.kind === 'instruction' ? rowOfOpcode(statement.opcode) : undefined
  const slot = use.written.depth === 0 ? row?.operands[operand] : undefined
  const isWhole = row === undefined || slot === undefined || statement?.kind !== 'instruction'
  return componentsAt(value, isWhole ? ALL : positionsOf(row, slot, statement))
}

/** Components that a use writes, as a mask. */
export function componentsWritten({ value, access }: RegisterUse): number {
  return value === undefined || (access !== 'write' && access !== 'both') ? 0 : writeMask(value)
}

/** `xyz` for 7. */
export const maskLetters = (mask: number): string => [...'xyzw'].filter((_, i) => (mask >> i) & 1).join('')
