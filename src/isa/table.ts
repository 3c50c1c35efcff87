import { BITWISE_ROWS } from './instructions/bitwise.ts'
import { CONVERSION_ROWS } from './instructions/conversion.ts'
import { DECLARATION_ROWS } from './instructions/declaration.ts'
import { DOUBLE_ROWS } from './instructions/double.ts'
import { FLOAT_ROWS } from './instructions/float.ts'
import { FLOW_ROWS } from './instructions/flow.ts'
import { INTEGER_ROWS } from './instructions/integer.ts'
import { MEMORY_ROWS } from './instructions/memory.ts'
import { MOVE_ROWS } from './instructions/move.ts'
import { PIXEL_AND_GEOMETRY_ROWS } from './instructions/pixel-and-geometry.ts'
import { RESOURCE_ROWS } from './instructions/resource.ts'
import type { InstructionRow } from './row.ts'

/** Every instruction that Shader Model 4.0 to 5.1 has, by opcode. */
export const INSTRUCTIONS: readonly InstructionRow[] = [
  ...FLOAT_ROWS,
  ...INTEGER_ROWS,
  ...BITWISE_ROWS,
  ...MOVE_ROWS,
  ...CONVERSION_ROWS,
  ...DOUBLE_ROWS,
  ...FLOW_ROWS,
  ...RESOURCE_ROWS,
  ...MEMORY_ROWS,
  ...PIXEL_AND_GEOMETRY_ROWS,
  ...DECLARATION_ROWS,
].sort((a, b) => a.opcode - b.opcode)

const BY_OPCODE: readonly (InstructionRow | undefined)[] = (() => {
  const rows: (InstructionRow | undefined)[] = new Array(256).fill(undefined)
  for (const row of INSTRUCTIONS) rows[row.opcode] = row
  return rows
})()

const BY_MNEMONIC: ReadonlyMap<string, InstructionRow> = new Map(
  INSTRUCTIONS.flatMap((row) => [row.mnemonic, ...row.aliases].map((name) => [name, row] as const)),
)

/** The row of an opcode (bits 0 to 10 of an opcode token); undefined for numbers the format leaves free. */
export function rowOfOpcode(opcode: number): InstructionRow | undefined {
  return BY_OPCODE[opcode]
}

/** The row with this mnemonic or reference-page spelling (without suffixes for controls). */
export function rowOfMnemonic(mnemonic: string): InstructionRow | undefined {
  return BY_MNEMONIC.get(mnemonic)
}

/** The opcode of tokens that are data: its low 11 bits; the class of the data stands in the other bits. */
export const CUSTOM_DATA_OPCODE: number = INSTRUCTIONS.find((row) => row.traits.kind === 'custom-data')!.opcode
