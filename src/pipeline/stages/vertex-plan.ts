import { countingFrom0, type VertexSequence } from '../input/index.ts'

/** Which vertices of a sequence are shaded: once for each index of 256 that follow one another. */

/** What is shaded of each instance; it is the same for all. */
export interface VertexPlan {
  /** Identifiers of the vertices that are shaded, in their order. */
  readonly ids: Uint32Array
  readonly count: number
  /** For each element of the sequence the number of its vertex among them. */
  readonly numbers: Uint32Array
  /** The identifiers follow one another. */
  readonly isCounted: boolean
  /** The least and the largest of the identifiers; of none any numbers. */
  readonly least: number
  readonly largest: number
}

/** Vertices among which results are reused, a constant, so that counts do not depend on how the work is divided. */
export const REUSE_WINDOW = 256
/** Twice as many places as identifiers, and the logarithm of it. */
const PLACES = REUSE_WINDOW * 2
const PLACE_BITS = Math.log2(PLACES)

/**
 * Numbers of the vertices of a window by identifier, in places that are searched one after the other. Numbers grow from window to
 * window: those of windows before are known by it, so that the table need not be cleared in between.
 */
class ReuseTable {
  readonly #ids = new Uint32Array(PLACES)
  readonly #numbers = new Int32Array(PLACES)

  /** The numbers that come begin at 0 again. */
  clear(): void {
    this.#numbers.fill(-1)
  }

  /** The number of the vertex with an identifier in the window that began with number `first`; where there is none it gets `next`. */
  numberOf(id: number, first: number, next: number): number {
    // Multiplied by 2^32 over the golden ratio, the upper bits are spread.
    let place = Math.imul(id, 0x9e3779b1) >>> (32 - PLACE_BITS)
    for (;;) {
      const number = this.#numbers[place]!
      if (number < first) break
      if (this.#ids[place] === id) return number
      place = (place + 1) & (PLACES - 1)
    }
    this.#ids[place] = id
    this.#numbers[place] = next
    return next
  }
}

/** Identifiers that lie so near each other have their numbers in a table of all of them. */
const NEAR = 2 ** 15

/** Windows between two places where a draw yields to the host. */
const WINDOWS_BETWEEN = 64
/** Elements of plans that are kept at the most, and the least that arrays are made for. */
const MAX_KEPT_ELEMENTS = 2 ** 15
const LEAST_ELEMENTS = 256

/** Arrays of a plan. */
interface PlanArrays {
  readonly shaded: Uint32Array
  readonly numbers: Uint32Array
}

const newArrays = (length: number): PlanArrays => ({
  shaded: new Uint32Array(length),
  numbers: new Uint32Array(length),
})

export class VertexPlanner {
  readonly #known = new ReuseTable()
  /** By identifier less the least one: its number in the last window that had it. */
  #near = new Int32Array(0)
  #arrays = newArrays(0)

  /** Arrays that short sequences find again. */
  #arraysFor(length: number): PlanArrays {
    if (length > MAX_KEPT_ELEMENTS) return newArrays(length)
    if (this.#arrays.shaded.length < length) this.#arrays = newArrays(Math.max(length, LEAST_ELEMENTS))
    return this.#arrays
  }

  /** Finds what is shaded, yielding to the host in between; the plan is there until the next one is asked for. */
  *plan(sequence: VertexSequence, shadesAll: boolean): Generator<void, VertexPlan> {
    const { ids, length, cuts, isCounted } = sequence
    // Every vertex is another one.
    if (isCounted) {
      const least = length === 0 ? 0 : ids[0]!
      return { ids, count: length, numbers: countingFrom0(length), isCounted, least, largest: least + length - 1 }
    }
    const into = this.#arraysFor(length)
    const { shaded, numbers } = into
    if (cuts === undefined && !shadesAll) {
      const [least, largest] = rangeOf(ids, length)
      if (largest - least < NEAR) {
        const count = yield* this.#planNear(ids, into, least, largest - least + 1)
        return { ids: shaded, count, numbers, isCounted, least, largest }
      }
    }
    const count = yield* this.#planFar(sequence, into, shadesAll)
    const [least, largest] = rangeOf(shaded, count)
    return { ids: shaded, count, numbers, isCounted, least, largest }
  }

  /** Of identifiers that lie near each other; how many are shaded. */
  *#planNear(ids: Uint32Array, into: PlanArrays, least: number, span: number): Generator<void, number> {
    if (this.#near.length < span) this.#near = new Int32Array(Math.max(span, LEAST_ELEMENTS))
    this.#near.fill(-1, 0, Math.max(0, span))
    let count = 0
    let windows = 0
    for (let at = 0; at < ids.length; at += REUSE_WINDOW) {
      count = this.#planWindow(ids.subarray(at, at + REUSE_WINDOW), into, at, least, count)
      if (++windows % WINDOWS_BETWEEN === 0) yield
    }
    return count
  }

  #planWindow(ids: Uint32Array, { shaded, numbers }: PlanArrays, at: number, least: number, first: number): number {
    const near = this.#near
    let count = first
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]!
      let number = near[id - least]!
      if (number < first) {
        number = count++
        near[id - least] = number
        shaded[number] = id
      }
      numbers[at + i] = number
    }
    return count
  }

  /** Of any identifiers, with cuts among them, or each shaded for itself; how many are shaded. */
  *#planFar(
    { ids, length, cuts }: VertexSequence,
    { shaded, numbers }: PlanArrays,
    shadesAll: boolean,
  ): Generator<void, number> {
    const known = this.#known
    let count = 0
    let windows = 0
    known.clear()
    for (let at = 0; at < length; ) {
      const first = count
      for (let taken = 0; taken < REUSE_WINDOW && at < length; at++) {
        if (cuts?.[at] === 1) continue
        taken++
        const id = ids[at]!
        const number = shadesAll ? count : known.numberOf(id, first, count)
        numbers[at] = number
        if (number === count) shaded[count++] = id
      }
      if (++windows % WINDOWS_BETWEEN === 0) yield
    }
    return count
  }
}

/** The least and the largest of the first `count` numbers. */
function rangeOf(numbers: Uint32Array, count: number): readonly [least: number, largest: number] {
  let least = 0xffffffff
  let largest = 0
  for (let i = 0; i < count; i++) {
    const n = numbers[i]!
    if (n < least) least = n
    if (n > largest) largest = n
  }
  return [least, largest]
}
