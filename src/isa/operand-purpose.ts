/** Finds operands of a row by what they are for; engines, validator and checker use it. */
import type { InstructionRow, OperandPurpose } from './row.ts'

/** Position of the operand with a purpose; -1 where the row has none. */
export function operandFor(row: InstructionRow, purpose: OperandPurpose): number {
  return row.operands.findIndex((slot) => slot.purpose === purpose)
}
