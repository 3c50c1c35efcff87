import { isNumbered, type Program, statementDwordCount } from '../program/index.ts'

/** Bytes of the version and length tokens, before the first statement. */
const HEADER_BYTES = 8

/**
 * Where each statement of a program is, as debug data counts: by bytes from the start of the code, or by instructions.
 * NO_POSITION for declarations, which debug data does not speak of.
 */
export function positionsOf(program: Program, unit: 'byte-offsets' | 'instructions'): readonly number[] {
  let byteOffset = HEADER_BYTES
  let number = 0
  return program.statements.map((s) => {
    const at = byteOffset
    byteOffset += 4 * statementDwordCount(s)
    if (!isNumbered(s)) return NO_POSITION
    return unit === 'byte-offsets' ? at : number++
  })
}

export const NO_POSITION = -1
