import type { CodeInfo } from './code-info.ts'

/** Codes of the room `program`. */
export const PROGRAM_CODES = {
  'program-header': {
    severity: 'error',
    title: 'Code chunk too short',
    explanation:
      'A SHDR or SHEX chunk starts with a version token (stage and shader model) and a length token. Without both there is no program.',
    source: 'd3d12TokenizedProgramFormat.hpp, VersionToken and LengthToken',
  },
  'program-length': {
    severity: 'error',
    title: 'Length token does not fit the chunk',
    explanation:
      'The second token of a code chunk gives the number of dwords of the program, itself and the version token included. Here it is larger than the chunk or smaller than 2. Heddle reads as far as the bytes go and keeps the token as it was.',
    source: 'd3d12TokenizedProgramFormat.hpp, LengthToken',
  },
  'program-tokens': {
    severity: 'error',
    title: 'Tokens that do not hold together',
    explanation:
      'The tokens of a statement must fill exactly the length that its opcode token gives, with an opcode, register files and index forms that the format defines. Where they do not, the statement is kept as raw dwords so that nothing is lost, and nothing is guessed.',
    source: 'd3d12TokenizedProgramFormat.hpp, OpcodeToken0 and OperandToken0',
  },
  'program-flow': {
    severity: 'error',
    title: 'Blocks that do not nest',
    explanation:
      'if, loop and switch open blocks that endif, endloop and endswitch close in the reverse order; else, case and default divide the innermost block, and break and continue leave one that is open. Where that does not hold there is no control flow to show: edges go on with the next statement, or end the function.',
    source: 'Direct3D 11.3 functional specification 22.7',
  },
} as const satisfies Record<string, CodeInfo>
