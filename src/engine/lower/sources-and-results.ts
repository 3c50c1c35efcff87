import { FILE, type InstructionRow, type OperandSlot } from '../../isa/index.ts'
import { type Instruction, modifiedWord, type Operand, writeMask } from '../../program/index.ts'
import type { Value } from '../ir/index.ts'
import { roundToPrecision } from '../precision.ts'
import { readWord, writerOf } from './operand.ts'
import type { Translation } from './translation.ts'
import { Unsupported } from './unsupported.ts'

/** What instructions on values, on memory and on textures do alike with their operands: read sources, find bindings, write results. */

/** An instruction with its operands and slots, ready to translate. */
export interface Operation {
  readonly statement: number
  readonly instruction: Instruction
  readonly row: InstructionRow
}

/** The word of a source slot at a place, with its modifiers. */
export function readSource(t: Translation, slot: OperandSlot, operand: Operand, place: number): Value {
  const at = slot.components === 1 ? 0 : place
  return modifiedWord(t.builder, slot.type, operand.modifier, at, readWord(t, operand, at))
}

/** Writes that wait until every source of the instruction has been read. */
export type Write = readonly [operand: Operand, component: number, value: Value]

export function commit(t: Translation, writes: readonly Write[]): void {
  const writers: ((value: Value) => void)[] = []
  for (let n = 0; n < writes.length; n++) {
    const write = writes[n]!
    writers.push(write[0].type === FILE.null ? () => {} : writerOf(t, write[0], write[1]))
  }
  const { rounded = false } = t.builder.options
  for (let n = 0; n < writes.length; n++) {
    const write = writes[n]!
    writers[n]!(rounded ? roundToPrecision(t.builder, write[0].minPrecision, write[2]) : write[2])
  }
}

export const immediateIndex = (operand: Operand, n: number): number | undefined => {
  const index = operand.indices[n]
  return index?.kind === 'immediate' ? index.value : undefined
}

/** Number of the binding that a t# or u# operand names. */
export function bindingOf(t: Translation, operand: Operand): number {
  const candidate = t.candidates.get(operand)
  if (candidate !== undefined) return candidate
  const id = immediateIndex(operand, 0)
  const slot = immediateIndex(operand, 1)
  if (id === undefined) throw new Unsupported('the operand has no register', 0)
  const find = { [FILE.resource]: 'resource', [FILE.uav]: 'uav', [FILE.sampler]: 'sampler' } as const
  const kind = find[operand.type]
  const binding = kind === undefined ? undefined : t.bindings[kind](id, slot)
  if (binding === undefined) throw new Unsupported(`register ${id} of file ${operand.type} is not declared`, 0)
  return binding
}

/** The status of a feedback instruction: everything is mapped (machine/sampling). */
export function emitStatus(t: Translation, status: Operand | undefined): void {
  if (status === undefined || status.type === FILE.null) return
  const value = t.builder.constant(0xffffffff)
  const mask = writeMask(status)
  commit(
    t,
    [0, 1, 2, 3].filter((c) => (mask >> c) & 1).map((c) => [status, c, value]),
  )
}
