/**
 * A shader's code as plain data: the tokens of a SHDR or SHEX chunk decoded to a `Program`, and encoded back bit for bit.
 *
 * Invariants: `encodeProgram(decodeProgram(x).value)` is x for every chunk of at least 8 bytes; a Program is immutable
 * plain data; what an instruction means is in its row (`isa`), not here.
 * It depends neither on containers (`dxbc`) nor on text (`asm`).
 */
export * from './blocks.ts'
export * from './byte-offsets.ts'
export * from './control-flow.ts'
export * from './declarations.ts'
export * from './decode.ts'
export * from './encode.ts'
export * from './evaluation.ts'
export * from './extended-opcode.ts'
export * from './instruction-numbers.ts'
export * from './model.ts'
export * from './shader-message.ts'
