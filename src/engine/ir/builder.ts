import { type Pair, type ValueOps, wordsOf } from '../../isa/index.ts'
import { type Facts, factsOf, joinFacts, NO_FACTS, sameFacts } from './facts.ts'
import { foldConstants } from './fold.ts'
import { givesDouble, OPS } from './ops.ts'
import { simplify } from './simplify.ts'
import type { Item, Op, Region, Value } from './value.ts'

/**
 * Makes values of intermediate code, folded, simplified and each once; `lower`, `texture` and the passes that rebuild
 * code use it.
 */

export interface BuilderOptions {
  /** Threads of a group in x, y, z. */
  readonly threads: readonly [number, number, number]
  /** Keep denormals: `flushDenormal` is the identity. */
  readonly keepDenormals: boolean
  /** `f32Mad` rounds once, so it is not folded by the rule of two roundings. */
  readonly fused: boolean
  /** With `fused`: the host decides whether `f32Mad` rounds once or twice. */
  readonly relaxed?: boolean
  /** Lanes of the widest wave that the backend may run; 16 where absent. */
  readonly widestWave?: number
  /** The number of the first value; 0 where absent. What asks about values by their numbers knows nothing of such numbers in other programs. */
  readonly firstId?: number
  /** Results are rounded to the minimum precision of the register that they are written to. */
  readonly rounded?: boolean
  /** Samples are those of `sampling: 'fast'`. */
  readonly fastSamples?: boolean
}

/** Operands and number of a value, among values of one operation: a number where that is exact, which is quicker. */
type Key = number | string
const ID_LIMIT = 2 ** 17

function keyOf(args: readonly Value[], imm: number): Key {
  if (args.length === 0) return imm
  if (imm === 0 && args.length === 2) {
    const a = args[0]!.id
    const b = args[1]!.id
    if (a < ID_LIMIT && b < ID_LIMIT) return a * ID_LIMIT + b
  }
  let key = 0
  let isExact = imm === 0 && args.length <= 3
  for (let i = 0; i < args.length; i++) {
    const { id } = args[i]!
    key = key * ID_LIMIT + id
    if (id >= ID_LIMIT) isExact = false
  }
  return isExact ? key : `${imm}:${args.map((a) => a.id).join(',')}`
}

/** Values and merges of a program that is compiled: beyond them compiling takes seconds and gigabytes. */
export const MAX_VALUES = 150_000
const MAX_MERGES = 20_000
/**
 * Accesses of memory become branches each, for bounds and findings, which cost a host more than values do; those of
 * indexable registers are counted by the component.
 */
const MAX_ACCESSES = 40_000
const ACCESSES: { readonly [K in Item['kind']]?: number } = {
  load: 4,
  store: 4,
  atomic: 4,
  counter: 4,
  texel: 4,
  'private-load': 1,
  'private-store': 1,
}
/** Regions inside one another: what walks over them must not overflow the host's stack, wherever the host calls. */
const MAX_DEPTH = 256

/** Thrown where intermediate code passes its limits; the caller falls back to the reference engine. */
export class CodeTooLarge extends Error {
  readonly statement: number
  constructor(what: string, statement: number) {
    super(`compiled, the program would have more than ${what}`)
    this.statement = statement
  }
}

/** A double as its two words, which are made when they are asked for: most doubles are operands of other operations on doubles alone. */
class Halves implements Pair<Value> {
  readonly double: Value
  readonly #builder: Builder

  constructor(builder: Builder, double: Value) {
    this.#builder = builder
    this.double = double
  }
  get 0(): Value {
    return this.#builder.make('f64Low', [this.double])
  }
  get 1(): Value {
    return this.#builder.make('f64High', [this.double])
  }
}

/**
 * Makes values, each once: an operation on the same operands is the same value wherever it is visible. A value is put
 * outside of every loop that it does not depend on; nothing here has effects, so computing it early is safe.
 */
export class Builder implements ValueOps<Value> {
  readonly options: BuilderOptions
  region: Region
  readonly root: Region
  /** The instruction being translated is marked precise: nothing of it is fused (token format, bits 19 to 22). */
  precise = false
  /** Statement that values are made for. */
  statement = 0
  readonly #facts: Facts[] = []
  /** By the number of a value: its facts grew when there were later values already, which may have been made of it with fewer. */
  readonly #grewLate: (boolean | undefined)[] = []
  /** Values by operation, then by operands; some of regions that have ended. */
  readonly #known = new Map<Op, Map<Key, Value>>()
  readonly #constants = new Map<number, Value>()
  /** The current region and those around it, by depth. */
  readonly #path: Region[] = []
  #count: number
  #merges = 0
  #accesses = 0

  constructor(options: BuilderOptions) {
    this.options = options
    this.#count = options.firstId ?? 0
    this.root = { depth: 0, parent: undefined, loopBody: false, items: [] }
    this.region = this.root
    this.#path.push(this.root)
  }

  get valueCount(): number {
    return this.#count - (this.options.firstId ?? 0)
  }

  /** Runs `body` with a new region as the current one. */
  inside(loopBody: boolean, body: () => void): Region {
    const outer = this.region
    const region = this.#enter(loopBody)
    body()
    this.region = outer
    return region
  }

  /** As `inside`, of a body that has parts. */
  *insideInParts(loopBody: boolean, body: () => Generator<void, void>): Generator<void, Region> {
    const outer = this.region
    const region = this.#enter(loopBody)
    yield* body()
    this.region = outer
    return region
  }

  #enter(loopBody: boolean): Region {
    const outer = this.region
    if (outer.depth >= MAX_DEPTH) throw new CodeTooLarge(`${MAX_DEPTH} regions inside one another`, this.statement)
    const region: Region = { depth: outer.depth + 1, parent: outer, loopBody, items: [] }
    this.region = region
    this.#path[region.depth] = region
    return region
  }

  push(item: Item): void {
    this.#accesses += ACCESSES[item.kind] ?? 0
    if (this.#accesses > MAX_ACCESSES) {
      throw new CodeTooLarge(`${MAX_ACCESSES} components of memory and registers accessed`, this.statement)
    }
    this.region.items.push(item)
  }

  facts(v: Value): Facts {
    return this.#facts[v.id] ?? NO_FACTS
  }
  readonly #factsOf = (v: Value): Facts => this.facts(v)

  /** States something that is known of a value from elsewhere. */
  addFacts(v: Value, facts: Partial<Facts>): void {
    const known = this.facts(v)
    const joined = joinFacts(known, {
      mask: facts.mask ?? false,
      flushed: facts.flushed ?? false,
      number: facts.number ?? false,
      maybe: facts.maybe ?? 0xffffffff,
    })
    if (sameFacts(known, joined)) return
    this.#facts[v.id] = joined
    if (v.id !== this.#count - 1) this.#grewLate[v.id] = true
  }

  /** Values may have been made of this one when less was known of it. */
  grewLate(v: Value): boolean {
    return this.#grewLate[v.id] === true
  }

  readonly #flushed = new Map<Value, Value>()
  /** States which value a value is after its denormals are flushed. */
  addFlushed(v: Value, flushed: Value): void {
    this.#flushed.set(v, flushed)
  }

  #new(op: Op, args: readonly Value[], imm: number, region: Region, double = givesDouble(op)): Value {
    if (this.valueCount >= MAX_VALUES) throw new CodeTooLarge(`${MAX_VALUES} values`, this.statement)
    const v: Value = { id: this.#count++, op, args, imm, double, region, statement: this.statement }
    return v
  }

  /** A merge; its inputs stand in the item that owns it. It belongs to the current region. */
  phi(double = false): Value {
    // Every loop merges each register that is written in it: nested loops have depth times registers of them.
    if (++this.#merges > MAX_MERGES) throw new CodeTooLarge(`${MAX_MERGES} merges of registers`, this.statement)
    return this.#new('phi', [], 0, this.region, double)
  }

  result(index: number): Value {
    return this.#new('result', [], index, this.region)
  }

  /** The outermost region in which the operands are visible, going out over loops only. */
  #home(args: readonly Value[]): Region {
    let depth = 0
    for (let i = 0; i < args.length; i++) depth = Math.max(depth, args[i]!.region.depth)
    let home = this.region
    for (let r = this.region; r.parent !== undefined && depth < r.depth; r = r.parent) {
      if (r.loopBody) home = r.parent
    }
    return home
  }

  /** A pure value: an existing one, a simpler one, or a new one. */
  make(op: Op, args: readonly Value[], imm = 0): Value {
    const flushed = op === 'flushDenormal' ? this.#flushed.get(args[0]!) : undefined
    if (flushed !== undefined) return flushed
    const simpler = this.#simpler(op, args)
    if (simpler !== undefined) return simpler
    const ordered = this.#order(op, args)
    let same = this.#known.get(op)
    if (same === undefined) {
      same = new Map()
      this.#known.set(op, same)
    }
    const key = keyOf(ordered, imm)
    const known = same.get(key)
    if (
      known !== undefined &&
      this.#path[known.region.depth] === known.region &&
      known.region.depth <= this.region.depth
    )
      return known
    const home = args.length === 0 ? this.root : this.#home(ordered)
    const v = this.#new(op, ordered, imm, home)
    this.#facts[v.id] = op === 'threadInGroup' ? this.#threadFacts(imm) : factsOf(v, this.#factsOf)
    same.set(key, v)
    home.items.push({ kind: 'value', value: v })
    return v
  }

  /** A value as it is given, in the current region: for programs that are read from text. */
  place(op: Op, args: readonly Value[], imm = 0): Value {
    const v = this.#new(op, args, imm, this.region)
    this.#facts[v.id] = op === 'threadInGroup' ? this.#threadFacts(imm) : factsOf(v, (x) => this.facts(x))
    this.push({ kind: 'value', value: v })
    return v
  }

  /**
   * A thread's number is below the size of its group; but lanes past the group's end, in the last wave of one that fills no
   * whole waves, go on counting, and what is known must hold there too: they load where nothing looks at bounds.
   */
  #threadFacts(component: number): Facts {
    const [x, y, z] = this.options.threads
    const lanes = this.options.widestWave ?? 16
    const count = x * y * z
    const end = Math.ceil(count / lanes) * lanes
    const inGroup = (component > 2 ? count : this.options.threads[component]!) - 1
    const past = component > 2 ? end - 1 : component === 2 ? Math.floor((end - 1) / (x * y)) : 0
    // The only wave of a small group has its numbers in one row (analysis/uniformity.ts).
    const largest = Math.max(inGroup, count === end ? 0 : past, count < lanes ? lanes - 1 : 0)
    const maybe = largest === 0 ? 0 : 0xffffffff >>> Math.clz32(largest)
    return { mask: false, flushed: largest === 0, number: true, maybe }
  }

  #simpler(op: Op, args: readonly Value[]): Value | undefined {
    if (args.length === 0) return undefined
    for (let i = 0; i < args.length; i++) if (args[i]!.op !== 'constant') return simplify(this, op, args)
    if (!(op === 'f32Mad' && this.options.fused)) {
      const constants = args.map((a) => a.imm)
      const folded = foldConstants(op, constants)
      if (folded !== undefined) return this.constant(folded)
    }
    return simplify(this, op, args)
  }

  #order(op: Op, args: readonly Value[]): readonly Value[] {
    if (!OPS[op].commutative) return args
    const a = args[0]!
    const b = args[1]!
    const swap = a.op === 'constant' ? b.op !== 'constant' : b.op !== 'constant' && b.id < a.id
    return swap ? [b, a] : args
  }

  constant(bits: number): Value {
    const word = bits >>> 0
    let made = this.#constants.get(word)
    if (made === undefined) {
      made = this.make('constant', [], word)
      this.#constants.set(word, made)
    }
    return made
  }
  select(condition: Value, a: Value, b: Value): Value {
    return this.make('select', [condition, a, b])
  }
  flushDenormal(a: Value): Value {
    return this.options.keepDenormals || this.facts(a).flushed ? a : this.make('flushDenormal', [a])
  }
  f32Add(a: Value, b: Value): Value {
    return this.make('f32Add', [a, b])
  }
  f32Sub(a: Value, b: Value): Value {
    return this.make('f32Sub', [a, b])
  }
  f32Mul(a: Value, b: Value): Value {
    return this.make('f32Mul', [a, b])
  }
  f32Div(a: Value, b: Value): Value {
    return this.make('f32Div', [a, b])
  }
  f32Sqrt(a: Value): Value {
    return this.make('f32Sqrt', [a])
  }
  f32Mad(a: Value, b: Value, c: Value): Value {
    return this.options.fused && !this.precise ? this.make('f32Mad', [a, b, c]) : this.f32Add(this.f32Mul(a, b), c)
  }
  f32RoundNearestEven(a: Value): Value {
    return this.make('f32RoundNearestEven', [a])
  }
  f32Floor(a: Value): Value {
    return this.make('f32Floor', [a])
  }
  f32Ceil(a: Value): Value {
    return this.make('f32Ceil', [a])
  }
  f32Trunc(a: Value): Value {
    return this.make('f32Trunc', [a])
  }
  f32Equal(a: Value, b: Value): Value {
    return this.make('f32Equal', [a, b])
  }
  f32Less(a: Value, b: Value): Value {
    return this.make('f32Less', [a, b])
  }
  f32LessEqual(a: Value, b: Value): Value {
    return this.make('f32LessEqual', [a, b])
  }
  i32Add(a: Value, b: Value): Value {
    return this.make('i32Add', [a, b])
  }
  i32Sub(a: Value, b: Value): Value {
    return this.make('i32Sub', [a, b])
  }
  i32Mul(a: Value, b: Value): Value {
    return this.make('i32Mul', [a, b])
  }
  i32MulHigh(a: Value, b: Value): Value {
    return this.make('i32MulHigh', [a, b])
  }
  u32MulHigh(a: Value, b: Value): Value {
    return this.make('u32MulHigh', [a, b])
  }
  u32Div(a: Value, b: Value): Value {
    return this.make('u32Div', [a, b])
  }
  u32Rem(a: Value, b: Value): Value {
    return this.make('u32Rem', [a, b])
  }
  i32Equal(a: Value, b: Value): Value {
    return this.make('i32Equal', [a, b])
  }
  i32Less(a: Value, b: Value): Value {
    return this.make('i32Less', [a, b])
  }
  u32Less(a: Value, b: Value): Value {
    return this.make('u32Less', [a, b])
  }
  and(a: Value, b: Value): Value {
    return this.make('and', [a, b])
  }
  or(a: Value, b: Value): Value {
    return this.make('or', [a, b])
  }
  xor(a: Value, b: Value): Value {
    return this.make('xor', [a, b])
  }
  not(a: Value): Value {
    return this.make('not', [a])
  }
  shiftLeft(a: Value, count: Value): Value {
    return this.make('shiftLeft', [a, count])
  }
  shiftRightLogical(a: Value, count: Value): Value {
    return this.make('shiftRightLogical', [a, count])
  }
  shiftRightArithmetic(a: Value, count: Value): Value {
    return this.make('shiftRightArithmetic', [a, count])
  }
  countBits(a: Value): Value {
    return this.make('countBits', [a])
  }
  countLeadingZeros(a: Value): Value {
    return this.make('countLeadingZeros', [a])
  }
  countTrailingZeros(a: Value): Value {
    return this.make('countTrailingZeros', [a])
  }
  f32ToI32(a: Value): Value {
    return this.make('f32ToI32', [a])
  }
  f32ToU32(a: Value): Value {
    return this.make('f32ToU32', [a])
  }
  i32ToF32(a: Value): Value {
    return this.make('i32ToF32', [a])
  }
  u32ToF32(a: Value): Value {
    return this.make('u32ToF32', [a])
  }

  /** A double of two words; the double itself where the words are its halves. */
  #pack(pair: Pair<Value>): Value {
    if (pair instanceof Halves) return pair.double
    const [low, high] = wordsOf(pair)
    if (low.op === 'f64Low' && high.op === 'f64High' && low.args[0] === high.args[0]) return low.args[0]!
    return this.make('f64Pack', [low, high])
  }
  #split(v: Value): Pair<Value> {
    return new Halves(this, v)
  }
  f64Add(a: Pair<Value>, b: Pair<Value>): Pair<Value> {
    return this.#split(this.make('f64Add', [this.#pack(a), this.#pack(b)]))
  }
  f64Mul(a: Pair<Value>, b: Pair<Value>): Pair<Value> {
    return this.#split(this.make('f64Mul', [this.#pack(a), this.#pack(b)]))
  }
  f64Div(a: Pair<Value>, b: Pair<Value>): Pair<Value> {
    return this.#split(this.make('f64Div', [this.#pack(a), this.#pack(b)]))
  }
  f64Fma(a: Pair<Value>, b: Pair<Value>, c: Pair<Value>): Pair<Value> {
    return this.#split(this.make('f64Fma', [this.#pack(a), this.#pack(b), this.#pack(c)]))
  }
  f64Equal(a: Pair<Value>, b: Pair<Value>): Value {
    return this.make('f64Equal', [this.#pack(a), this.#pack(b)])
  }
  f64Less(a: Pair<Value>, b: Pair<Value>): Value {
    return this.make('f64Less', [this.#pack(a), this.#pack(b)])
  }
  f64LessEqual(a: Pair<Value>, b: Pair<Value>): Value {
    return this.make('f64LessEqual', [this.#pack(a), this.#pack(b)])
  }
  f64ToF32(a: Pair<Value>): Value {
    return this.make('f64ToF32', [this.#pack(a)])
  }
  f32ToF64(a: Value): Pair<Value> {
    return this.#split(this.make('f32ToF64', [a]))
  }
  f64ToI32(a: Pair<Value>): Value {
    return this.make('f64ToI32', [this.#pack(a)])
  }
  f64ToU32(a: Pair<Value>): Value {
    return this.make('f64ToU32', [this.#pack(a)])
  }
  i32ToF64(a: Value): Pair<Value> {
    return this.#split(this.make('i32ToF64', [a]))
  }
  u32ToF64(a: Value): Pair<Value> {
    return this.#split(this.make('u32ToF64', [a]))
  }
}
