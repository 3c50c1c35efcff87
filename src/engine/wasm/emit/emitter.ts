import { FloatRanges, packsQuads, type Uniformity, type Use, type Uses, VARYING } from '../../analysis/index.ts'
import { constantOf, type EffectItem, type Facts, type Region, type Value, type ViewProperty } from '../../ir/index.ts'
import { F32, FunctionAssembler, I32, V128, type ValueType } from '../encode/assembler.ts'
import { ClockLooks } from '../encode/clock-looks.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { descriptorWord } from './descriptor-layout.ts'
import type { Assertion, EmitSettings, FastPath } from './emit-settings.ts'
import { HEADER, HEADER_WORDS, type Mask, PARAMETERS, type ReportSite, STOPPED } from './kernel-layout.ts'
import { startsAtZero } from './lane-patterns.ts'
import { VectorLocals } from './vector-locals.ts'

/**
 * Keeps the values of a kernel in WebAssembly locals and emits them where they are used; all of `emit` and `flow`
 * writes through it.
 */

/** An expression may be this deep before it gets a local of its own. */
const MAX_INLINE_DEPTH = 16

/** Locals that hold what the code of a scope has computed: vectors of scalars, and first lanes. */
interface Scope {
  readonly splats: Map<Value, number>
  readonly laneZero: Map<Value, number>
}

/** Emits values: where they are kept, as scalars of a wave or as W vectors of lanes. */
export class Emitter {
  readonly f: FunctionAssembler
  readonly uniformity: Uniformity
  readonly uses: Uses
  readonly facts: (v: Value) => Facts
  readonly #ranges: FloatRanges
  readonly settings: EmitSettings<Emitter>
  /** v128 per word. */
  readonly width: number
  /** Locals of words of lanes: `width`, twice that for doubles. */
  readonly vectors: VectorLocals
  /** Locals of scalars, by the number of the value. */
  readonly #scalars: (number | undefined)[] = []
  readonly #scalarTypes: (ValueType | undefined)[] = []
  readonly #scopes: Scope[] = [{ splats: new Map(), laneZero: new Map() }]
  readonly #inlined: (boolean | undefined)[] = []
  readonly #stale = new Set<Value>()
  readonly #held = new Set<Value>()
  readonly #depths: (number | undefined)[] = []
  readonly #constants = new Map<string, number>()
  readonly constantCode: { readonly local: number; readonly words: readonly number[] }[] = []
  /** Locals of the wave: number of its first thread in the group, and of the group's coordinates. */
  readonly firstThread: number
  readonly group: readonly number[]
  readonly immediateConstants: number
  /** Locals: addresses of shared memory, of the dump page (and its splat), of the wave's private arrays. */
  readonly tgsmBase: number
  readonly dump: number
  readonly dumpSplat: number
  readonly privateBase: number
  /** Local with the address of the wave's first word of the batch's first input. */
  readonly inputs: number
  /** Bytes from there to the inputs that code is emitted for: of another wave where they are not 0. */
  inputOffset = 0

  constructor(uniformity: Uniformity, uses: Uses, facts: (v: Value) => Facts, settings: EmitSettings<Emitter>) {
    this.f = new FunctionAssembler(Object.keys(PARAMETERS).length, settings.pairs)
    this.vectors = new VectorLocals(this.f)
    this.uniformity = uniformity
    this.uses = uses
    this.facts = facts
    this.#ranges = new FloatRanges(facts)
    this.settings = settings
    this.assertions = settings.asserts ? [] : undefined
    this.#looks = new ClockLooks(this.f)
    this.width = uniformity.lanes / 4
    this.#allParts = Array.from({ length: this.width }, (_, i) => i)
    this.firstThread = this.f.local(I32)
    this.group = [this.f.local(I32), this.f.local(I32), this.f.local(I32)]
    this.immediateConstants = this.f.local(I32)
    this.tgsmBase = this.f.local(I32)
    this.dump = this.f.local(I32)
    this.dumpSplat = this.f.local(V128)
    this.privateBase = this.f.local(I32)
    this.inputs = this.f.local(I32)
  }

  /** Whether a float is never NaN. */
  isNumber(v: Value): boolean {
    return this.#ranges.isNumber(v)
  }

  /** Bytes from one register word of a batch to the next. */
  get columnBytes(): number {
    const [x, y, z] = this.settings.threads
    return x * y * z * 4
  }

  readonly scratch = PARAMETERS.scratch
  readonly #looks: ClockLooks
  /** The code being emitted stands behind a test that nearly never holds. */
  rare = false
  /** Lanes that run the item being emitted. */
  active: Mask = 'full'
  /** What may be found wrong, by the number of its record. */
  readonly sites: ReportSite[] = []
  /** Of the value that was computed last. */
  statement = 0
  /** Where in the code accesses stand, so that a trap can be traced to its statement. */
  readonly statements: { readonly from: number; readonly to: number; readonly statement: number }[] = []
  /** The range being emitted without its flushes, if one is. */
  fastPath: FastPath | undefined
  /** Values that were loaded from a frame: their operands are not there. */
  readonly opaque = new Set<Value>()
  readonly hostCalls: Extract<EffectItem, { kind: 'texel' }>[] = []

  /** Claims that code holds values against; undefined where it takes them for granted. */
  readonly assertions: Assertion[] | undefined

  hostCall(item: Extract<EffectItem, { kind: 'texel' }>): number {
    const known = this.hostCalls.indexOf(item)
    return known >= 0 ? known : this.hostCalls.push(item) - 1
  }

  /** Leaves the function with a reason in the descriptor. */
  leave(reason: number, statement: number): void {
    this.f
      .get(PARAMETERS.descriptor)
      .i32(reason)
      .memory(OP.i32Store, 2, HEADER.stopped * 4)
    this.f
      .get(PARAMETERS.descriptor)
      .i32(statement)
      .memory(OP.i32Store, 2, HEADER.statement * 4)
    this.f.op(OP.return)
  }

  /** Takes `cost` from the budget of a loop, and looks at the clock now and then. */
  chargeIteration(budget: number, cost: number, statement: number): void {
    this.#looks.charge(
      budget,
      cost,
      () => this.leave(STOPPED.budget, statement),
      () => this.leave(STOPPED.time, statement),
    )
  }

  /** Where budget has to fall for the next look at the clock: after a local of budget was set. */
  setLook(budget: number): void {
    if (this.settings.hasLoops) this.#looks.set(budget)
  }

  /** The value is in a scalar local already. */
  isHeld(v: Value): boolean {
    return this.#scalars[v.id] !== undefined
  }

  /** The value's words are in locals that the code being emitted may read. */
  hasVector(v: Value): boolean {
    return this.vectors.has(v)
  }

  isVarying(v: Value): boolean {
    return this.uniformity.level(v) === VARYING
  }

  /** Runs `body` with caches that end with it. */
  scope(body: () => void): void {
    this.beginScope()
    body()
    this.endScope()
  }
  beginScope(): void {
    this.#scopes.push({ splats: new Map(), laneZero: new Map() })
  }
  endScope(): void {
    this.#scopes.pop()
  }

  /** A local that holds a vector constant from the start of the function. */
  constantLocal(words: readonly number[]): number {
    const key = words.join(',')
    let local = this.#constants.get(key)
    if (local === undefined) {
      local = this.f.local(V128)
      this.#constants.set(key, local)
      this.constantCode.push({ local, words })
    }
    return local
  }
  readonly #constantSplats = new Map<number, number>()
  pushConstant(bits: number): void {
    let local = this.#constantSplats.get(bits)
    if (local === undefined) {
      local = this.constantLocal([bits, bits, bits, bits])
      this.#constantSplats.set(bits, local)
    }
    this.f.get(local)
  }

  /** Forgets where a value is, so that it is computed again (in another segment). */
  forget(v: Value): void {
    this.vectors.forget(v)
    this.#scalars[v.id] = undefined
    this.#inlined[v.id] = false
  }
  #part: number | undefined
  readonly #allParts: readonly number[]
  /** The vectors of a word that code is emitted for. */
  get parts(): readonly number[] {
    return this.#part === undefined ? this.#allParts : [this.#part]
  }
  /**
   * Emits `begin` for one vector of the wave after the other, then what it answered for each: a processor begins with the next vector
   * while it waits for what the first has begun. It makes `values`, none of which needs more than one vector.
   */
  byParts(values: readonly Value[], begin: (part: number) => () => void): void {
    const ends = this.#allParts.map((i) => {
      if (i > 0) this.again(values)
      this.#part = i
      return begin(i)
    })
    for (const end of ends) end()
    this.#part = undefined
  }

  /** Emits `body` once for any vector of the wave; `own` are that vector's words of values from outside. */
  forAnyVector(own: ReadonlyMap<Value, number>, body: () => void): void {
    this.#part = 0
    this.vectors.within(own, () => this.scope(body))
    this.#part = undefined
  }

  /** Keeps values in locals, however often they are used. */
  hold(values: Iterable<Value>): void {
    for (const v of values) this.#held.add(v)
  }
  /** Values whose code is emitted once more: they are computed anew, into the locals that they have. */
  again(values: readonly Value[]): void {
    for (let n = 0; n < values.length; n++) {
      const v = values[n]!
      this.#stale.add(v)
      this.#inlined[v.id] = false
    }
  }
  /** Values whose locals hold what code that follows is to read, although they were computed for something else. */
  keep(values: Iterable<Value>): void {
    for (const v of values) this.#stale.delete(v)
  }
  isDefined(v: Value): boolean {
    return v.op === 'constant' || this.vectors.has(v) || this.isHeld(v) || this.#inlined[v.id] === true
  }

  readonly #packed: (boolean | undefined)[] = []
  /** Whether a word is the same in every vector of the wave, with a lane for each quad: then one vector is enough. */
  isPacked(v: Value): boolean {
    if (!this.uniformity.packsQuads) return false
    let packed = this.#packed[v.id]
    if (packed === undefined) {
      const isPacked = (a: Value): boolean | undefined => (this.isVarying(a) ? this.isPacked(a) : undefined)
      packed = this.isVarying(v) && packsQuads(v, isPacked, this.uniformity.mergedOf(v))
      this.#packed[v.id] = packed
    }
    return packed
  }

  /** Locals that code writes a value's vectors to. */
  vectorLocals(v: Value): readonly number[] {
    return this.vectors.write(v, () => {
      const count = this.vectors.isForAny ? 1 : this.settings.code.vectorPartsOf(this, v)
      return this.vectors.create(v, this.isPacked(v) ? count / this.width : count, count)
    })
  }
  scalarType(v: Value): ValueType {
    let type = this.#scalarTypes[v.id]
    if (type === undefined) {
      type = this.settings.code.scalarTypeOf(this, v)
      this.#scalarTypes[v.id] = type
    }
    return type
  }
  scalarLocal(v: Value): number {
    let local = this.#scalars[v.id]
    if (local === undefined) {
      local = this.f.local(this.scalarType(v))
      this.#scalars[v.id] = local
    }
    return local
  }

  /** Makes a pure value available: in locals, or left to be emitted where it is used. */
  define(v: Value, region: Region): void {
    if (v.op === 'constant' || (this.isDefined(v) && !this.#stale.delete(v))) return
    if (this.#isInlinable(v, region)) {
      this.#inlined[v.id] = true
      return
    }
    this.statement = v.statement
    this.compute(v)
  }

  /** Whether a value is the only use of an operand that has a vector. */
  #endsVector({ args }: Value): boolean {
    for (let i = 0; i < args.length; i++) {
      if (this.vectors.has(args[i]!) && this.uses.of(args[i]!).length === 1) return true
    }
    return false
  }

  #isInlinable(v: Value, region: Region): boolean {
    if (this.settings.mustHold.has(v) || this.#held.has(v)) return false
    const uses = this.uses.of(v)
    if (uses.length === 0) return true
    if (this.assertions !== undefined) return false
    let depth = 1
    for (let i = 0; i < v.args.length; i++) {
      const a = v.args[i]!
      if (this.#inlined[a.id] === true) depth = Math.max(depth, 1 + (this.#depths[a.id] ?? 1))
    }
    this.#depths[v.id] = depth
    // What ends the life of a vector is computed where it stands, not later with both alive (Turboshaft keeps the order).
    if (this.isVarying(v) && this.#endsVector(v)) return false
    const use = uses[0]
    if (uses.length !== 1 || use!.region !== region || use!.user === undefined || depth > MAX_INLINE_DEPTH) return false
    // What is the same for more threads is computed once for them, not where it is used; so is what packs words of quads.
    if (this.isPacked(v) && !this.isPacked(use!.user)) return false
    return this.isVarying(v) || this.uniformity.level(use!.user) === this.uniformity.level(v)
  }

  /** Emits a value into its locals. */
  compute(v: Value): void {
    const isVarying = this.isVarying(v)
    const isPacked = this.isPacked(v)
    const isForAll = !isVarying || isPacked
    if (this.#part !== undefined && this.#part > 0 && isForAll) return
    if (!isVarying) {
      this.settings.code.emitScalar(this, v)
      this.f.set(this.scalarLocal(v))
      this.settings.code.assertScalar(this, v)
      this.splatEarly(v)
      return
    }
    const locals = this.vectorLocals(v)
    const count = isPacked ? locals.length / this.width : locals.length
    for (let i = 0; i < count; i++) {
      if (this.#part !== undefined && this.#part !== i && !isForAll) continue
      this.settings.code.emitVector(this, v, i)
      this.f.set(locals[i]!)
    }
  }

  readonly #isReadByLanes = ({ user }: Use): boolean => user !== undefined && this.isVarying(user)
  /** The vector form of a scalar that vectors use, made where the scalar is, not in the loops that use it. */
  splatEarly(v: Value): void {
    if (v.double || v.op === 'constant' || this.isVarying(v)) return
    if (this.uses.of(v).some(this.#isReadByLanes)) this.splatLocal(v)
  }

  /** A new local for the vector form of a scalar, which the caller sets. */
  newSplat(v: Value): number {
    const local = this.f.local(V128)
    this.#scopes.at(-1)!.splats.set(v, local)
    return local
  }

  /** The local with the vector form of a scalar, where it has one. */
  knownSplat(v: Value): number | undefined {
    return this.#scopes.find(({ splats }) => splats.has(v))?.splats.get(v)
  }
  splatLocal(v: Value): number {
    const known = this.knownSplat(v)
    if (known !== undefined) return known
    const local = this.newSplat(v)
    if (this.scalarTypeIs(v, F32)) {
      this.scalarF(v)
      this.f.simd(SIMD.f32Splat)
    } else {
      this.scalarI(v)
      this.f.simd(SIMD.i32Splat)
    }
    this.f.set(local)
    return local
  }

  /** Pushes part `i` of a word as v128 (for doubles: part 2i or 2i + 1 of pairs). */
  vector(v: Value, i: number): void {
    const locals = this.vectors.find(v)
    if (locals !== undefined) this.f.get(locals[i]!)
    else if (v.op === 'constant') this.pushConstant(v.imm)
    else if (this.isVarying(v)) this.settings.code.emitVector(this, v, i)
    else if (v.double) {
      this.scalarD(v)
      this.f.simd(SIMD.f64Splat)
    } else this.f.get(this.splatLocal(v))
  }

  /** A way to push part `i` any number of times; emits it now where that is not cheap. `done` gives temps back. */
  repeatable(v: Value, i: number): { readonly push: () => void; readonly done: () => void } {
    const isCheap = this.vectors.has(v) || v.op === 'constant' || (!this.isVarying(v) && !v.double)
    if (isCheap) return { push: () => this.vector(v, i), done: () => {} }
    const local = this.f.temp(V128)
    this.vector(v, i)
    this.f.set(local)
    return { push: () => void this.f.get(local), done: () => this.f.release(V128, local) }
  }

  scalarTypeIs(v: Value, type: ValueType): boolean {
    return v.op === 'constant' ? type === I32 : this.scalarType(v) === type
  }

  /** Pushes a wave's scalar as i32 bits. */
  scalarI(v: Value): void {
    const c = constantOf(v)
    if (c !== undefined) this.f.i32(c | 0)
    else {
      this.#pushScalar(v)
      if (this.scalarType(v) === F32) this.f.op(OP.i32ReinterpretF32)
    }
  }
  scalarF(v: Value): void {
    const c = constantOf(v)
    if (c !== undefined) this.f.f32Bits(c)
    else {
      this.#pushScalar(v)
      if (this.scalarType(v) === I32) this.f.op(OP.f32ReinterpretI32)
    }
  }
  scalarD(v: Value): void {
    this.#pushScalar(v)
  }
  #pushScalar(v: Value): void {
    const local = this.#scalars[v.id]
    if (local !== undefined) this.f.get(local)
    else this.settings.code.emitScalar(this, v)
  }

  /** Pushes the first lane's value of an affine value as i32. */
  laneZero(v: Value): void {
    if (!this.isVarying(v)) {
      this.scalarI(v)
      return
    }
    const known = this.#scopes.find(({ laneZero }) => laneZero.has(v))?.laneZero.get(v)
    if (known !== undefined) {
      this.f.get(known)
      return
    }
    const { pattern } = this.uniformity.of(v)
    if (pattern !== undefined && startsAtZero(this.facts(v), pattern)) {
      this.f.i32(0)
      return
    }
    const local = this.f.local(I32)
    if (v.op === 'threadInGroup') this.threadNumber(v.imm)
    else if (v.op === 'phi' || v.op === 'result' || v.op === 'input' || this.opaque.has(v)) {
      this.vector(v, 0)
      this.f.lane(SIMD.i32Extract, 0)
    } else this.settings.code.emitScalar(this, v, (a) => this.laneZero(a))
    this.f.tee(local)
    this.#scopes.at(-1)!.laneZero.set(v, local)
  }

  /** Pushes a component of the number of the wave's first thread. */
  threadNumber(component: number): void {
    const [x, y] = this.settings.threads
    this.f.get(this.firstThread)
    if (component === 3) return
    if (component === 0) this.f.i32(x).op(OP.i32RemU)
    else if (component === 1) this.f.i32(x).op(OP.i32DivU).i32(y).op(OP.i32RemU)
    else this.f.i32(x * y).op(OP.i32DivU)
  }

  pushDescriptor(binding: number, property: ViewProperty): void {
    this.f.get(this.descriptorLocal(descriptorWord(binding, property)))
  }
  /** The local with a word of the descriptor's header. */
  headerLocal(n: number): number {
    return this.descriptorLocal(n - HEADER_WORDS)
  }
  readonly #descriptors = new Map<number, number>()
  descriptorLocal(n: number): number {
    let local = this.#descriptors.get(n)
    if (local === undefined) {
      local = this.f.local(I32)
      this.#descriptors.set(n, local)
    }
    return local
  }
  /** Descriptor words that the code reads: local by number. */
  get descriptors(): ReadonlyMap<number, number> {
    return this.#descriptors
  }
}
