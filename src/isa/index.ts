/**
 * The instruction set of Shader Model 4.0 to 5.1 as data: one row per opcode (`instructions/`, by family), register
 * files, token bit fields, enumerations with the listing's words, stages, formats, and the meaning of pure
 * instructions over `ValueOps` (`semantics/`).
 *
 * Invariants: every opcode stands in exactly one row; nothing outside this room compares a mnemonic or an opcode.
 * It does not read or write tokens or text; `program` and `asm` do that from these rows.
 */
export { isInModel, needsQuad } from './availability.ts'
export { SM41, SM50 } from './build-row.ts'
export * from './controls.ts'
export * from './dimensions.ts'
export * from './enumerations.ts'
export { HLSL_INTRINSICS, type HlslIntrinsic, hlslDot } from './hlsl-intrinsics.ts'
export { type ArithmeticType, type HlslOperation, hasHlslOperation, hlslOperation } from './hlsl-operations.ts'
export { operandFor } from './operand-purpose.ts'
export * from './register-files.ts'
export type * from './row.ts'
export * from './semantics/index.ts'
export * from './stages.ts'
export { CUSTOM_DATA_OPCODE, INSTRUCTIONS, rowOfMnemonic, rowOfOpcode } from './table.ts'
