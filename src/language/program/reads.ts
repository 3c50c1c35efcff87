/** Components of registers that operands read and write. */
import { type InstructionRow, type OperandSlot, rowOfOpcode } from '../../isa/index.ts'
import {
  COMPONENTS_1,
  COMPONENTS_4,
  componentAt,
  type Instruction,
  type Operand,
  SELECT_ONE,
  type Statement,
  writeMask,
} from '../../program/index.ts'
import type { ShaderDocument } from '../document.ts'
import type { RegisterAccess, RegisterUse } from './uses.ts'

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

const isRead = (access: RegisterAccess): boolean => access === 'read' || access === 'both'
const isWritten = (access: RegisterAccess): boolean => access === 'write' || access === 'both'

/** Components that a statement reads of a register: of one in brackets (not `isOuter`) all that it names. */
function maskRead(statement: Statement | undefined, operand: number, value: Operand, isOuter: boolean): number {
  const row = statement?.kind === 'instruction' ? rowOfOpcode(statement.opcode) : undefined
  const slot = isOuter ? row?.operands[operand] : undefined
  const isWhole = row === undefined || slot === undefined || statement?.kind !== 'instruction'
  return componentsAt(value, isWhole ? ALL : positionsOf(row, slot, statement))
}

/** Components that a statement reads and, shifted by 4, writes of a register that it names. */
export function masksOf(
  statement: Statement,
  operand: number,
  value: Operand,
  access: RegisterAccess,
  isOuter: boolean,
): number {
  const read = isRead(access) ? maskRead(statement, operand, value, isOuter) : 0
  return read | (isWritten(access) ? writeMask(value) << 4 : 0)
}

/** Components that a use reads, as a mask. */
export function componentsRead({ statements }: ShaderDocument, use: RegisterUse): number {
  const { value, access, operand } = use
  if (value === undefined || !isRead(access)) return 0
  return maskRead(statements[use.statement], operand, value, use.written.depth === 0)
}

/** Components that a use writes, as a mask. */
export function componentsWritten({ value, access }: RegisterUse): number {
  return value === undefined || !isWritten(access) ? 0 : writeMask(value)
}

/** `xyz` for 7. */
export const maskLetters = (mask: number): string => [...'xyzw'].filter((_, i) => (mask >> i) & 1).join('')
