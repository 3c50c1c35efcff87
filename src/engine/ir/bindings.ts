import { slotKey } from '../../machine/index.ts'
import type { Declarations, RegisterRange, ResourceDeclaration, UavDeclaration } from '../declarations.ts'
import { findRange, hasRanges } from '../declarations.ts'

/** The slots that a program names, collected while it is translated; engines bind views to them by number. */

/** A slot that the code names, with what it was declared as. Its number is its place in the list of bindings. */
export interface BindingUse {
  readonly register: 't' | 'u' | 'b' | 's'
  readonly slot: number
  readonly key: number
  /** Declaration of a resource or UAV. */
  readonly resource: ResourceDeclaration | UavDeclaration | undefined
  /** Constants that the code can name: what is copied of a constant buffer. */
  constantCount: number
}

/** The registers that a computed one may be. */
export interface ComputedRange {
  readonly register: BindingUse['register']
  readonly first: number
  readonly last: number
  readonly space: number
}

/** Registers that something is bound to, smallest first, by the name of the range that may hold them. */
export type BoundRegisters = ReadonlyMap<string, readonly number[]>

export const rangeName = ({ register, first, last, space }: ComputedRange): string =>
  `${register}${first}:${last},${space}`

/** Stands for the range of registers that need no declaration (22.7.20). */
export const EVERY_REGISTER: RegisterRange = { id: -1, first: 0, last: 0xffffffff, space: 0, statement: 0 }

/** Constants of the largest constant buffer. */
export const MAX_CONSTANTS = 4096

/** The key of no slot. */
const NO_KEY = -1

const asResource = (range: RegisterRange): ResourceDeclaration | undefined =>
  'shape' in range ? (range as ResourceDeclaration) : undefined

/** Collects the slots that a program uses, each once. */
export class BindingTable {
  readonly uses: BindingUse[] = []
  /** Ranges whose registers are computed: code depends on which of them something is bound to. */
  readonly computed: ComputedRange[] = []
  readonly #declarations: Declarations
  readonly #byName = new Map<string, number>()

  constructor(declarations: Declarations) {
    this.#declarations = declarations
  }

  /** Number of the binding of a register; `register` is the absolute slot in Shader Model 5.1. */
  #add(register: BindingUse['register'], slot: number, range: RegisterRange, resource?: ResourceDeclaration): number {
    const name = `${register}${slot},${range.space}`
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    this.uses.push({
      register,
      slot,
      key: slotKey(slot, range.space),
      resource,
      constantCount: 0,
    })
    this.#byName.set(name, this.uses.length - 1)
    return this.uses.length - 1
  }

  /** The slot that an id (and, with ranges, an index) names; undefined where it is not declared. */
  #slot<D extends RegisterRange>(list: readonly D[], id: number, index: number | undefined): [D, number] | undefined {
    const d = findRange(list, id)
    if (d === undefined) return undefined
    if (!hasRanges(this.#declarations.program)) return [d, d.first]
    const slot = index ?? d.first
    return slot < d.first || slot > d.last ? undefined : [d, slot]
  }

  /** Notes that constants of a buffer are read: up to a count, or by computed numbers. */
  need(binding: number, count: number | undefined): void {
    const use = this.uses[binding]!
    use.constantCount = Math.max(use.constantCount, Math.min(count ?? MAX_CONSTANTS, MAX_CONSTANTS))
  }

  resource(id: number, index: number | undefined): number | undefined {
    const found = this.#slot(this.#declarations.resources, id, index)
    return found && this.#add('t', found[1], found[0], found[0])
  }
  uav(id: number, index: number | undefined): number | undefined {
    const found = this.#slot(this.#declarations.uavs, id, index)
    return found && this.#add('u', found[1], found[0], found[0])
  }
  constantBuffer(id: number, index: number | undefined): number | undefined {
    const found = this.#slot(this.#declarations.constantBuffers, id, index)
    return found && this.#add('b', found[1], found[0])
  }
  /** A register of a range that code chooses at run time. */
  register(register: BindingUse['register'], slot: number, range: RegisterRange): number {
    return this.#add(register, slot, range, asResource(range))
  }
  /** A binding to which nothing is ever bound. */
  nothing(register: BindingUse['register'], range: RegisterRange): number {
    const name = `no ${register}${range.id}`
    const known = this.#byName.get(name)
    if (known !== undefined) return known
    const resource = asResource(range)
    this.#byName.set(name, this.uses.length)
    return this.uses.push({ register, slot: range.first, key: NO_KEY, resource, constantCount: 0 }) - 1
  }
  /** Notes that a register of a range is computed. */
  compute(register: BindingUse['register'], range: RegisterRange): void {
    const { first, last, space } = range
    const computed = { register, first, last, space }
    if (!this.computed.some((c) => rangeName(c) === rangeName(computed))) this.computed.push(computed)
  }
  sampler(id: number, index: number | undefined): number | undefined {
    const found = this.#slot(this.#declarations.samplers, id, index)
    return found && this.#add('s', found[1], found[0])
  }
}
