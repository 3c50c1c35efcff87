import { instructionNumbers, type Program, statementByteOffsets } from '../program/index.ts'

/**
 * Where each statement of a program is, as debug data counts: by bytes from the start of the code, or by instructions.
 * NO_POSITION for declarations, which debug data does not mention.
 */
export function positionsOf(program: Program, unit: 'byte-offsets' | 'instructions'): readonly number[] {
  const numbers = instructionNumbers(program)
  const positions = unit === 'instructions' ? numbers : statementByteOffsets(program)
  return numbers.map((number, at) => (number === undefined ? NO_POSITION : positions[at]!))
}

export const NO_POSITION = -1
