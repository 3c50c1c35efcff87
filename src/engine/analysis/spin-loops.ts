import { atomicOperation } from '../../isa/index.ts'
import { threadCountOf } from '../declarations.ts'
import {
  constantOf,
  hasBarrier,
  type Item,
  itemsBelow,
  type Lowered,
  type MemorySpace,
  operandsOf,
  type Region,
  regionsIn,
  resultsOf,
  someItem,
  type Value,
  valuesMade,
} from '../ir/index.ts'

/**
 * Loops that wait for what another thread writes: they read one place again and again, and nothing but what they read
 * there ends them. Direct3D does not promise that such a loop ends, and still such programs run on GPUs that give time
 * to every wave. Code whose waves run until they meet a barrier never comes to the wave that would write.
 */

type Loop = Extract<Item, { kind: 'loop' }>

/** Names the memory of an access: a binding, or the group's. Undefined for what no thread of the dispatch writes. */
function placeOf(space: MemorySpace): string | undefined {
  if (space.kind === 'tgsm') return 'tgsm'
  return space.kind === 'buffer' && space.writable ? `u${space.binding}` : undefined
}

/** An atomic that is used to read: its operand leaves memory as it is. */
function readsOnly({ operation, value, compare }: Extract<Item, { kind: 'atomic' }>): boolean {
  const word = constantOf(value)
  if (word === undefined) return false
  const same = compare === undefined ? atomicOperation(operation).identity : constantOf(compare)
  return same !== undefined && (word | 0) === (same | 0)
}

/** The memory that an item reads and leaves as it is. */
function readBy(item: Item): string | undefined {
  if (item.kind === 'load') return placeOf(item.address.space)
  if (item.kind === 'atomic') {
    return readsOnly(item) ? placeOf(item.address.space) : undefined
  }
  return item.kind === 'texel' && item.request.operation === 'load' && item.request.writable
    ? `u${item.request.binding}`
    : undefined
}

/** The memory that an item writes. */
function writtenBy(item: Item): string | undefined {
  if (item.kind === 'store' || item.kind === 'atomic') {
    return readBy(item) === undefined ? placeOf(item.address.space) : undefined
  }
  const isWrite = item.kind === 'texel' && (item.request.operation === 'store' || item.request.operation === 'atomic')
  return isWrite ? `u${item.request.binding}` : undefined
}

/** Values of a loop by where they come from: the same in every iteration, or read from memory that does not move. */
class Origins {
  /** What is read from the places that the loop polls, and what is computed from it alone. */
  readonly polled = new Set<Value>()
  readonly #inside: ReadonlySet<Value>
  readonly #items: readonly Item[]

  constructor(loop: Loop, written: ReadonlySet<string>) {
    this.#inside = new Set(valuesMade(loop))
    this.#items = [...itemsBelow(loop.body.items)]
    for (const item of this.#items) {
      const place = readBy(item)
      if (place === undefined || !written.has(place)) continue
      if (item.kind === 'load' || item.kind === 'atomic' || item.kind === 'texel') {
        // Of an atomic the words that leave memory as it is are constants, so its address is what may move.
        if (operandsOf(item).every((v) => this.isFixed(v))) for (const v of resultsOf(item)) this.polled.add(v)
      }
    }
    if (this.polled.size > 0) while (this.#spread(loop));
  }

  readonly #fixed = new Map<Value, boolean>()
  /** The same in every iteration. */
  isFixed(v: Value): boolean {
    if (!this.#inside.has(v)) return true
    const known = this.#fixed.get(v)
    if (known !== undefined) return known
    const isFixed = v.op !== 'phi' && v.op !== 'result' && v.args.every((a) => this.isFixed(a))
    this.#fixed.set(v, isFixed)
    return isFixed
  }

  /** Computed from what is polled and from nothing else that changes. */
  #follows(values: readonly Value[]): boolean {
    return values.some((v) => this.polled.has(v)) && values.every((v) => this.polled.has(v) || this.isFixed(v))
  }

  /** One round over the loop; answers whether it found more. */
  #spread(loop: Loop): boolean {
    const before = this.polled.size
    for (const item of this.#items) {
      if (item.kind === 'value' && this.#follows(item.value.args)) this.polled.add(item.value)
      if (item.kind !== 'if') continue
      for (const p of item.phis) if (this.#follows([p.taken, p.otherwise])) this.polled.add(p.value)
    }
    for (const h of loop.headerPhis) if (this.polled.has(h.next) && this.isFixed(h.init)) this.polled.add(h.value)
    return this.polled.size > before
  }
}

const breaks = (region: Region): boolean => someItem(region.items, (item) => item.kind === 'break')

function isSpinLoop(loop: Loop, written: ReadonlySet<string>): boolean {
  if (hasBarrier(loop)) return false
  const origins = new Origins(loop, written)
  if (origins.polled.size === 0) return false
  // Every branch that decides whether the loop goes on must be decided by what is polled.
  const conditions = [...itemsBelow(loop.body.items)].flatMap((item) =>
    item.kind === 'if' && (breaks(item.taken) || breaks(item.otherwise)) ? [item.condition] : [],
  )
  return (
    conditions.some((c) => origins.polled.has(c)) &&
    conditions.every((c) => origins.polled.has(c) || origins.isFixed(c))
  )
}

const reads = (loop: Loop, places: ReadonlySet<string>): boolean =>
  someItem(loop.body.items, (item) => places.has(readBy(item) ?? ''))

function* regionsBelow(region: Region): Iterable<Region> {
  yield region
  for (const item of region.items) for (const inner of regionsIn(item)) yield* regionsBelow(inner)
}

/** Statement of a loop that waits for another thread's memory, where waves have so many lanes or more; undefined for none. */
export function findSpinLoop({ root, declarations }: Lowered, narrowestWave: number): number | undefined {
  // Threads of one wave are together; of less than two waves none can be waited for.
  if (threadCountOf(declarations) <= narrowestWave) return undefined
  const writers = [...itemsBelow(root.items)].filter((item) => writtenBy(item) !== undefined)
  if (writers.length === 0) return undefined
  const places = new Set(writers.map((w) => writtenBy(w)!))
  for (const { items } of regionsBelow(root)) {
    for (const [i, loop] of items.entries()) {
      if (loop.kind !== 'loop' || !reads(loop, places)) continue
      // What comes after the loop in its own region is reached by threads that it let go.
      const later = new Set(itemsBelow(items.slice(i + 1)))
      const written = new Set(writers.filter((w) => !later.has(w)).map((w) => writtenBy(w)!))
      if (isSpinLoop(loop, written)) return loop.statement
    }
  }
  return undefined
}
