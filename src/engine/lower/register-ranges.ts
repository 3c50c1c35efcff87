import type { Operand } from '../../program/index.ts'
import { type Declarations, findRange, type RegisterRange } from '../declarations.ts'
import { type BindingUse, EVERY_REGISTER, type ReportDetails, type Value } from '../ir/index.ts'
import type { Translation } from './translation.ts'
import { Unsupported } from './unsupported.ts'

/** Declared ranges of registers, and registers that lie in them or not: for operands and for registers that are computed. */

function rangesOf(d: Declarations, file: BindingUse['register']): readonly RegisterRange[] {
  switch (file) {
    case 't':
      return d.resources
    case 'u':
      return d.uavs
    case 'b':
      return d.constantBuffers
    case 's':
      return d.samplers
    default:
      return file satisfies never
  }
}

/** The range that an operand names. A register that Shader Model 5.0 computes comes from a this pointer: any may be meant. */
export function rangeOf(t: Translation, operand: Operand, file: BindingUse['register']): RegisterRange {
  const id = operand.indices[0]
  if (id?.kind !== 'immediate') return EVERY_REGISTER
  const range = findRange<RegisterRange>(rangesOf(t.declarations, file), id.value)
  if (range === undefined) throw new Unsupported(`register ${id.value} of file ${operand.type} is not declared`, 0)
  return range
}

/** A register whose number is a constant that the range holds. */
export const isKnown = (register: Value, range: RegisterRange): boolean =>
  register.op === 'constant' && register.imm >= range.first && register.imm <= range.last

/** All ones where a register is none of the range; undefined where that cannot be. */
export function outsideOf(t: Translation, register: Value, range: RegisterRange): Value | undefined {
  const o = t.builder
  const below = range.first > 0 ? o.u32Less(register, o.constant(range.first)) : undefined
  const above = range.last < 0xffffffff ? o.u32Less(o.constant(range.last), register) : undefined
  return below !== undefined && above !== undefined ? o.or(below, above) : (below ?? above)
}

/** Leaves a finding where a register is outside of its range. */
export function reportOutside(
  t: Translation,
  operand: Operand,
  register: Value,
  range: RegisterRange,
  details: ReportDetails = {},
): void {
  const bad = outsideOf(t, register, range)
  if (bad === undefined || (bad.op === 'constant' && bad.imm === 0)) return
  const limit = t.builder.constant(range.last)
  t.report(operand, { reason: 'range-bounds', defined: false, bad, address: register, limit }, details)
}
