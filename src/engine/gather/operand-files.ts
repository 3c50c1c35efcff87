import { type DiagnosticSink, diagnostic } from '../../diagnostic/index.ts'
import { FILE, type InstructionRow, registerFile, rowOfOpcode } from '../../isa/index.ts'
import type { Instruction, Program } from '../../program/index.ts'

/** The first operand that stands in a register file its slot does not have; -1 where all fit. */
function misplaced(row: InstructionRow, instruction: Instruction): number {
  return row.operands.findIndex((slot, i) => {
    const operand = instruction.operands[i]
    if (slot.files === undefined || operand === undefined) return false
    if (operand.type === FILE.null && slot.nullable) return false
    const name = registerFile(operand.type)?.name
    return name === undefined || !slot.files.includes(name)
  })
}

/**
 * Memory, resource and sampler operands in register files that the instruction does not have. Nothing can be made of
 * them: a store to a t# would write through a view that is read-only (22.4.11, 22.4.13, 22.17: u# or g#).
 */
export function checkOperandFiles(program: Program, found: DiagnosticSink): void {
  program.statements.forEach((s, index) => {
    const row = s.kind === 'instruction' ? rowOfOpcode(s.opcode) : undefined
    if (s.kind !== 'instruction' || row === undefined || row.traits.kind === 'declaration') return
    const operand = misplaced(row, s)
    if (operand < 0) return
    const prefix = registerFile(s.operands[operand]!.type)?.prefix ?? '?'
    const text = `${row.mnemonic} cannot work on ${prefix}#: ${row.operands[operand]!.name} is ${row.operands[operand]!.files!.join(' or ')}`
    found.push(diagnostic('engine-operand', text, { kind: 'statement', index, operand }))
  })
}
