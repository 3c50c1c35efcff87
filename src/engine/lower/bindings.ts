import { slotKey } from '../../machine/index.ts'
import type { Declarations, RegisterRange, ResourceDeclaration, UavDeclaration } from '../declarations.ts'
import { hasRanges } from '../declarations.ts'

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

/** Constants of the largest constant buffer. */
export const MAX_CONSTANTS = 4096

/** Collects the slots that a program uses, each once. */
export class BindingTable {
  readonly uses: BindingUse[] = []
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
    const d = list.find((x) => x.id === id)
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
  /** A constant buffer register that no declaration names. */
  anyConstantBuffer(slot: number): number {
    return this.#add('b', slot, { id: slot, first: slot, last: slot, space: 0, statement: 0 })
  }
  sampler(id: number, index: number | undefined): number | undefined {
    const found = this.#slot(this.#declarations.samplers, id, index)
    return found && this.#add('s', found[1], found[0])
  }
}
