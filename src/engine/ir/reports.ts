import type { Finding } from '../findings.ts'
import type { Builder } from './builder.ts'
import type { Check, EffectItem, Value } from './value.ts'

/** Report items of one instruction, each finding once; translation and texture code leave findings through this. */

type ReportItem = Extract<EffectItem, { kind: 'report' }>

/** Which operand of which statement a finding is about. */
export interface Subject {
  readonly statement: number
  readonly operand: number
  readonly access: Finding['access']
  /** The register and indices of the operand, whatever it takes of them. */
  readonly register: string
}

/** How a finding is reported and counted. */
export interface ReportDetails {
  /** Each component of a register that is read is a finding of its own, once an instruction. */
  readonly component?: number
  readonly access?: Finding['access']
  readonly unbound?: ReportItem['unbound']
}

interface Reported {
  readonly item: ReportItem
  readonly components: Set<number>
}

/** The findings that the code of one instruction may leave: each once, although operands may read one register twice. */
export class Reports {
  readonly #known = new Map<string, Reported[]>()

  clear(): void {
    this.#known.clear()
  }

  add(o: Builder, subject: Subject, check: Check, details: ReportDetails): void {
    if (check.bad.op === 'constant' && check.bad.imm === 0) return
    const { component = 0, unbound } = details
    const { register, ...place } = subject
    // Operands that read one register read it once, not those whose indices happen to be equal; each destination is a store of its own.
    const store = place.access === 'store' ? place.operand : undefined
    const name = [check.reason, check.bad.id, check.address.id, unbound?.binding, store, register].join(' ')
    const known = this.#known.get(name) ?? []
    if (known.some((r) => r.components.has(component))) return
    const same = known.find((r) => r.item.operand === place.operand)
    if (same !== undefined) {
      same.item.weight++
      same.components.add(component)
      return
    }
    const item: ReportItem = { kind: 'report', ...place, check, weight: 1, unbound }
    o.push(item)
    this.#known.set(name, [...known, { item, components: new Set([component]) }])
  }
}

/** All ones. */
export const always = (o: Builder): Value => o.constant(0xffffffff)

/** A check of an index that must be below a limit. */
export function indexCheck(o: Builder, reason: Check['reason'], defined: boolean, index: Value, limit: Value): Check {
  return { reason, defined, bad: o.not(o.u32Less(index, limit)), address: index, limit }
}
