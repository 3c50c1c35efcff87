import type { Value } from '../../ir/index.ts'
import { type FunctionAssembler, V128 } from '../encode/assembler.ts'

/**
 * Which locals hold the vectors of values. Code for an operation may look at what its operands are made of and read that instead, so whether
 * a local holds the vector that is wanted is answered here alone: a value has none where its locals hold what other code left in them.
 */
export class VectorLocals {
  readonly #f: FunctionAssembler
  /** By the number of the value. */
  #locals: (readonly number[] | undefined)[] = []
  /** Code is being made for any one vector of the wave. */
  isForAny = false
  /** By the number of the value, those whose locals go to others later. */
  #lives: ('run' | 'part' | undefined)[] = []

  constructor(f: FunctionAssembler) {
    this.#f = f
  }

  has(v: Value): boolean {
    return this.#locals[v.id] !== undefined
  }

  /** Locals to be read, where they hold the value. */
  find(v: Value): readonly number[] | undefined {
    return this.#locals[v.id]
  }

  /**
   * Says of a value that is to be made that its locals go to others when it ends: `run` where others of a run of operations read it, `part`
   * where only code for the same vector of it does. Locals of the rest are theirs alone: a merge reads its own before it is whole, for lanes
   * that do not run.
   */
  limit(v: Value, life: 'run' | 'part'): void {
    this.#lives[v.id] = life
  }

  /** Locals to be read of a value that has been made. */
  read(v: Value): readonly number[] {
    const locals = this.#locals[v.id]
    if (locals === undefined) throw new Error(`No local holds a vector of v${v.id} (${v.op})`)
    return locals
  }

  /** Locals for a value: for each of `count` vectors one, of which `different` differ. */
  create(v: Value, different: number, count: number): readonly number[] {
    const life = this.#lives[v.id]
    const own = life === 'part' ? 1 : different
    const locals: number[] = []
    for (let i = 0; i < own; i++) locals.push(life === undefined ? this.#f.local(V128) : this.#f.temp(V128))
    for (let i = own; i < count; i++) locals.push(locals[i % own]!)
    return locals
  }

  /** Locals to be written: from here on they hold the value. */
  write(v: Value, create: () => readonly number[]): readonly number[] {
    const known = this.#locals[v.id]
    if (known !== undefined) return known
    const locals = create()
    this.#locals[v.id] = locals
    return locals
  }

  forget(v: Value): void {
    this.#locals[v.id] = undefined
  }

  /** Nothing reads the values from here on: later code gets their locals. V8 keeps the state of all locals at every branch while it compiles. */
  end(values: readonly Value[]): void {
    for (let n = 0; n < values.length; n++) {
      const { id } = values[n]!
      const locals = this.#locals[id]
      if (locals !== undefined) {
        const count = this.#lives[id] === 'part' ? 1 : locals.length
        for (let i = 0; i < count; i++) this.#f.release(V128, locals[i]!)
        this.#locals[id] = undefined
      }
      this.#lives[id] = undefined
    }
  }

  /** `body` makes code for any one vector of the wave: of all values outside it has those of `own` alone, and what it makes ends with it. */
  within(own: ReadonlyMap<Value, number>, body: () => void): void {
    const outside = this.#locals
    this.#locals = []
    for (const [v, local] of own) this.#locals[v.id] = [local]
    this.isForAny = true
    body()
    this.isForAny = false
    for (const locals of this.#locals) if (locals !== undefined) this.#f.release(V128, locals[0]!)
    this.#locals = outside
  }
}
