import { countLeading } from '../../diagnostic/index.ts'
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
  type Value,
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

interface LoopPlace {
  readonly loop: Loop
  readonly start: number
  /** Behind its last item, and behind the last item of the region that it stands in. */
  readonly end: number
  readonly regionEnd: number
}

/**
 * A program's items in the order of the code, so that what is inside an item is a range of them: to walk each of many
 * loops inside one another with all that it holds would take a step for every item at every level.
 */
class Code {
  readonly items: readonly Item[]
  readonly loops: LoopPlace[] = []
  /** Ifs that decide whether something is left. */
  readonly deciders: number[] = []
  /** Where each place is read and left as it is, and where it is written. */
  readonly reads = new Map<string, number[]>()
  readonly writes = new Map<string, number[]>()
  readonly #made = new Map<Value, number>()

  constructor(root: Region) {
    this.items = itemsBelow(root.items)
    this.items.forEach((item, at) => {
      for (const v of ownValues(item)) this.#made.set(v, at)
      addPlace(this.reads, readBy(item), at)
      addPlace(this.writes, writtenBy(item), at)
    })
    this.#region(root, 0)
    this.deciders.sort((a, b) => a - b)
  }

  /** Numbers what is in a region; answers where the region ends, and whether something in it breaks. */
  #region({ items }: Region, first: number): { readonly end: number; readonly breaks: boolean } {
    let at = first
    let hasBreak = false
    const loops: Omit<LoopPlace, 'regionEnd'>[] = []
    for (const item of items) {
      const start = at++
      let breaksInside = item.kind === 'break'
      for (const region of regionsIn(item)) {
        const inner = this.#region(region, at)
        at = inner.end
        breaksInside ||= inner.breaks
      }
      if (item.kind === 'if' && breaksInside) this.deciders.push(start)
      if (item.kind === 'loop') loops.push({ loop: item, start, end: at })
      hasBreak ||= breaksInside
    }
    for (const place of loops) this.loops.push({ ...place, regionEnd: at })
    return { end: at, breaks: hasBreak }
  }

  /** Where a value is made; before all items for those that no item makes. */
  madeAt(v: Value): number {
    return this.#made.get(v) ?? -1
  }
}

function addPlace(places: Map<string, number[]>, place: string | undefined, at: number): void {
  if (place === undefined) return
  const known = places.get(place)
  if (known === undefined) places.set(place, [at])
  else known.push(at)
}

/** Values that an item makes itself, what is inside left out. */
function ownValues(item: Item): readonly Value[] {
  switch (item.kind) {
    case 'value':
      return [item.value]
    case 'if':
      return item.phis.map((p) => p.value)
    case 'block':
      return item.label.phis
    case 'loop':
      return [...item.headerPhis.map((h) => h.value), ...item.label.phis]
    default:
      return resultsOf(item)
  }
}

/** How many of some numbers in ascending order are from `first` to below `end`. */
const countWithin = (numbers: readonly number[], first: number, end: number): number =>
  countLeading(numbers, (n) => n < end) - countLeading(numbers, (n) => n < first)

/**
 * Where a value of a loop comes from: the same in every iteration; read from a place that the loop polls, or computed from
 * such words and from nothing else that changes; or something else.
 */
type Origin = 'fixed' | 'polled' | 'other'

/** What an origin follows from. */
interface Inputs {
  readonly values: readonly Value[]
  readonly origin: (values: readonly Origin[]) => Origin
}

const allFixed = (origins: readonly Origin[]): boolean => origins.every((o) => o === 'fixed')

/** Of a value that is computed: fixed or polled where its operands are. */
const computed = (origins: readonly Origin[]): Origin =>
  allFixed(origins) ? 'fixed' : origins.includes('other') ? 'other' : 'polled'

/** Of a word that is chosen by flow: the flow may change where the words do not. */
const merged = (origins: readonly Origin[]): Origin => (allFixed(origins) ? 'other' : computed(origins))

const OTHER: Inputs = { values: [], origin: () => 'other' }

/** Values of a loop by their origins, found only where they are needed. */
class Origins {
  readonly #known = new Map<Value, Origin>()
  readonly #code: Code
  readonly #place: LoopPlace
  readonly #written: ReadonlySet<string>

  constructor(code: Code, place: LoopPlace, written: ReadonlySet<string>) {
    this.#code = code
    this.#place = place
    this.#written = written
  }

  #inputs(v: Value): Inputs {
    const { loop } = this.#place
    const item = this.#code.items[this.#code.madeAt(v)]!
    if (v.op !== 'phi' && v.op !== 'result') return { values: v.args, origin: computed }
    if (item === loop) {
      const header = loop.headerPhis.find((h) => h.value === v)
      if (header === undefined) return OTHER
      const origin = ([next, init]: readonly Origin[]): Origin =>
        next === 'polled' && init === 'fixed' ? next : 'other'
      return { values: [header.next, header.init], origin }
    }
    if (item.kind === 'if') {
      const phi = item.phis.find((p) => p.value === v)!
      return { values: [phi.taken, phi.otherwise], origin: merged }
    }
    if (item.kind !== 'load' && item.kind !== 'atomic' && item.kind !== 'texel') return OTHER
    if (!this.#written.has(readBy(item) ?? '')) return OTHER
    // Of an atomic the words that leave memory as it is are constants, so its address is what may move.
    return { values: operandsOf(item), origin: (origins) => (allFixed(origins) ? 'polled' : 'other') }
  }

  /** Without recursion: a loop may compute thousands of values one from the other. */
  of(value: Value): Origin {
    const { start, end } = this.#place
    const open = [value]
    const begun = new Map<Value, Inputs>()
    while (open.length > 0) {
      const v = open[open.length - 1]!
      const at = this.#code.madeAt(v)
      const isInside = at >= start && at < end
      if (this.#known.has(v) || !isInside) {
        if (!isInside) this.#known.set(v, 'fixed')
        open.pop()
        continue
      }
      let inputs = begun.get(v)
      if (inputs === undefined) {
        inputs = this.#inputs(v)
        begun.set(v, inputs)
        for (const input of inputs.values) if (!this.#known.has(input) && !begun.has(input)) open.push(input)
        continue
      }
      // What an iteration hands to the next one, and is looked up while it is being found, is not polled.
      this.#known.set(v, inputs.origin(inputs.values.map((i) => this.#known.get(i) ?? 'other')))
      open.pop()
    }
    return this.#known.get(value)!
  }
}

function isSpinLoop(code: Code, place: LoopPlace, written: ReadonlySet<string>): boolean {
  if (hasBarrier(place.loop)) return false
  const origins = new Origins(code, place, written)
  // Every branch that decides whether the loop goes on must be decided by what is polled.
  let isPolled = false
  const first = countLeading(code.deciders, (n) => n < place.start)
  for (let n = first; n < code.deciders.length && code.deciders[n]! < place.end; n++) {
    const decider = code.items[code.deciders[n]!]!
    if (decider.kind !== 'if') continue
    const origin = origins.of(decider.condition)
    if (origin === 'other') return false
    isPolled ||= origin === 'polled'
  }
  return isPolled
}

/** Statement of a loop that waits for another thread's memory, where waves have so many lanes or more; undefined for none. */
export function findSpinLoop({ root, declarations }: Lowered, narrowestWave: number): number | undefined {
  // Threads of one wave are together; of less than two waves none can be waited for.
  if (threadCountOf(declarations) <= narrowestWave) return undefined
  const code = new Code(root)
  for (const place of code.loops) {
    const { loop, start, end, regionEnd } = place
    // What comes after the loop in its own region is reached by threads that it let go.
    const isWritten = (at: readonly number[]): boolean => at.length > countWithin(at, end, regionEnd)
    const isPolled = (name: string): boolean => countWithin(code.reads.get(name) ?? [], start, end) > 0
    const written = [...code.writes].flatMap(([name, at]) => (isPolled(name) && isWritten(at) ? [name] : []))
    if (written.length > 0 && isSpinLoop(code, place, new Set(written))) return loop.statement
  }
  return undefined
}
