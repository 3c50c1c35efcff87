import { FILE, rowOfOpcode } from '../../isa/index.ts'
import type { Instruction, Operand } from '../../program/index.ts'
import type { Finding } from '../findings.ts'

/** What an instruction does to what an operand names, for findings. Registers are read; views as the instruction says. */
export function accessTo(instruction: Instruction | undefined, { type }: Operand): Finding['access'] {
  const traits = instruction === undefined ? undefined : rowOfOpcode(instruction.opcode)?.traits
  const kind = traits?.kind === 'query' && traits.query === 'lod' ? 'sample' : traits?.kind
  if (type !== FILE.resource && type !== FILE.uav && type !== FILE.sampler) return 'load'
  if (kind === 'store') return 'store'
  if (kind === 'atomic' || kind === 'counter') return 'atomic'
  return kind === 'query' ? 'other' : 'load'
}
