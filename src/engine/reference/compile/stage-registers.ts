import type { Operand } from '../../../program/index.ts'
import { blockOf, slotOf } from '../../register-layout.ts'
import { type Index, nameOf, placeOf } from './operand.ts'
import { refuse, type Statement } from './statement.ts'

/** Inputs and outputs of graphics stages: v#, vicp, vocp, vpc, vDomain, o#, oDepth and their kind. */

/** Where an output operand's words go: a column of component 0, or registers chosen by an index. */
type OutputTarget =
  | { readonly kind: 'column'; readonly column: number }
  | { readonly kind: 'indexed'; readonly first: number; readonly count: number; readonly index: Index }

/** The target of a destination in an output file; undefined after a refusal. */
export function outputTarget(s: Statement, operand: number, o: Operand): OutputTarget | undefined {
  const { columns, declarations } = s.context
  const block = blockOf(columns.layout.outputs, o.type)
  if (block === undefined) {
    refuse(s, operand, `${nameOf(o)} cannot be written: the ${declarations.stage.kind} shader does not declare it`)
    return undefined
  }
  const place = placeOf(s, operand, o, block)
  if (place === undefined) return undefined
  const { register } = place
  const first = columns.outputs + block.firstSlot * columns.width
  if (register.column === undefined) {
    const slot = slotOf(block, 0, register.base, 0)
    if (slot >= 0) return { kind: 'column', column: columns.outputs + slot * columns.width }
    refuse(s, operand, `${nameOf(o)}${register.base} is not declared`)
    return undefined
  }
  const index = { base: (register.base - block.firstRegister) | 0, column: register.column }
  return { kind: 'indexed', first, count: block.registerCount, index }
}
