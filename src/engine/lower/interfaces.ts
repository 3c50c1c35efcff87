import { FILE } from '../../isa/index.ts'
import type { Instruction, Operand } from '../../program/index.ts'
import type { ClassBinding } from '../class-instances.ts'
import type { Declarations, InterfaceDeclaration } from '../declarations.ts'
import { always, type Value } from '../ir/index.ts'
import type { Translation } from './translation.ts'
import { Unsupported } from './unsupported.ts'

/** Calls through interfaces (22.7.19): which bodies they reach with the class instances that are bound, and where they reach none. */

/** The number after an interface's last pointer. */
const endOf = (declared: InterfaceDeclaration): number => declared.interface + Math.max(1, declared.arrayLength)

/** The declaration whose pointers a number is one of. */
function interfaceOf(d: Declarations, pointer: number): InterfaceDeclaration | undefined {
  return d.interfaces.find((i) => pointer >= i.interface && pointer < endOf(i))
}

/** Labels of the function bodies that an interface call can reach, by the pointer's number. */
export function bodiesOf(d: Declarations, classes: ClassBinding, instruction: Instruction): Map<number, string> {
  const first = instruction.operands[0]!.indices[0]
  const pointer = first?.kind === 'immediate' ? first.value : -1
  const declared = interfaceOf(d, pointer)
  const found = new Map<number, string>()
  if (declared === undefined) return found
  for (let at = pointer; at < endOf(declared); at++) {
    const table = classes.instances.get(at)?.table
    if (table === undefined || !declared.tables.includes(table)) continue
    const body = d.functionTables.find((t) => t.table === table)?.bodies[instruction.parameters[0] ?? 0]
    if (body !== undefined) found.set(at, `${FILE['function-body']}:${body}`)
  }
  return found
}

/**
 * Leaves a finding where a pointer chooses no body: there is no class instance, or an index goes past the interface's array.
 * `chosen`: whether it chooses each of the bodies.
 */
export function reportInterface(
  t: Translation,
  operand: Operand,
  pointer: number,
  index: Value,
  chosen: readonly Value[],
): void {
  const o = t.builder
  const declared = interfaceOf(t.declarations, pointer)
  if (declared === undefined) throw new Unsupported(`fp${pointer} is not declared`, o.statement)
  const bad = chosen.reduce((nowhere, c) => o.and(nowhere, o.not(c)), always(o))
  const limit = o.constant(endOf(declared))
  const address = o.i32Add(index, o.constant(pointer))
  t.report(operand, { reason: 'interface', defined: false, bad, address, limit }, { access: 'other' })
}
