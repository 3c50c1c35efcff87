import { registerFile } from '../isa/index.ts'
import type { Operand } from '../program/index.ts'
import { type Declarations, hasRanges } from './declarations.ts'

/** How the listing names a register: `u0`, or `U0` for a range of Shader Model 5.1. */
export function registerName(d: Declarations, operand: Operand): string {
  const file = registerFile(operand.type)
  const prefix = hasRanges(d.program) ? (file?.prefix51 ?? file?.prefix) : file?.prefix
  const first = operand.indices[0]
  return `${prefix ?? '?'}${first?.kind === 'immediate' ? first.value : '[]'}`
}
