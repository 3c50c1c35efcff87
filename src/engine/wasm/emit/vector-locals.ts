import type { Value } from '../../ir/index.ts'

/**
 * Which locals hold the vectors of values. Code for an operation may look at what its operands are made of and read that instead, so whether
 * a local holds the vector that is wanted is answered here alone: a value has none where its locals hold what other code left in them.
 */
export class VectorLocals {
  /** By the number of the value. */
  #locals: (readonly number[] | undefined)[] = []
  /** Code is being made for any one vector of the wave. */
  isForAny = false
  /** By the number of the value, those that were made for a stretch of code alone: their locals hold nothing until they are computed again. */
  #ended: (boolean | undefined)[] = []

  has(v: Value): boolean {
    return this.find(v) !== undefined
  }

  /** Locals to be read, where they hold the value. */
  find(v: Value): readonly number[] | undefined {
    const locals = this.#locals[v.id]
    return locals === undefined || this.#ended[v.id] === true ? undefined : locals
  }

  /** Locals to be read of a value that has been made. */
  read(v: Value): readonly number[] {
    const locals = this.find(v)
    if (locals === undefined) throw new Error(`No local holds a vector of v${v.id} (${v.op})`)
    return locals
  }

  /** Locals to be written: from here on they hold the value. */
  write(v: Value, create: () => readonly number[]): readonly number[] {
    if (this.#ended[v.id] === true) this.#ended[v.id] = false
    const known = this.#locals[v.id]
    if (known !== undefined) return known
    const locals = create()
    this.#locals[v.id] = locals
    return locals
  }

  /** From here on nothing reads what the locals of values hold, not even in place of what is made of them. */
  end(values: Iterable<Value>): void {
    for (const v of values) this.#ended[v.id] = true
  }

  forget(v: Value): void {
    this.#locals[v.id] = undefined
    this.#ended[v.id] = false
  }

  /** `body` makes code for any one vector of the wave: of all values outside it has those of `own` alone, and what it makes ends with it. */
  within(own: ReadonlyMap<Value, number>, body: () => void): void {
    const [outside, ended] = [this.#locals, this.#ended]
    this.#locals = []
    this.#ended = []
    for (const [v, local] of own) this.#locals[v.id] = [local]
    this.isForAny = true
    body()
    this.isForAny = false
    this.#locals = outside
    this.#ended = ended
  }
}
