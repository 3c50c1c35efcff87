import { Uses } from '../lower/demand.ts'
import { Unsupported } from '../lower/operand.ts'
import type { Lowered } from '../lower/translate.ts'
import { DISPATCH, GROUP, type Level, Uniformity, VARYING } from '../lower/uniformity.ts'
import {
  type EffectItem,
  type IfPhi,
  type Item,
  type Label,
  operandsOf,
  type Region,
  resultsOf,
  type Value,
} from '../lower/value.ts'
import { FunctionAssembler, I32, type Target, V128 } from './assembler.ts'
import { descriptorOffset, Emitter, HEADER, type Mask, PARAMETERS, type ReportSite } from './emitter.ts'
import { BULK, OP, SIMD } from './opcodes.ts'

import { emitCondition } from './scalar-ops.ts'
import { callSlots } from './texel.ts'
import { itemEscapes, WaveCode } from './wave.ts'
import { assembleModule, F32, F64, type FunctionImport } from './writer.ts'

/** Code for one program, and what its runs need. */
export interface Kernel {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly lanes: number
  /** Bytes of scratch memory that one worker needs. */
  readonly scratchByteLength: number
  /** Texel items that call the host, by the number that the call passes. */
  readonly hostCalls: readonly HostCall[]
  /** Accesses that leave records, and how the descriptor's records begin. */
  readonly sites: readonly ReportSite[]
  /** Imported functions are called, so that only the thread that has them can run the code. */
  readonly callsHost: boolean
}
export interface HostCall {
  readonly item: Extract<EffectItem, { kind: 'texel' }>
  /** v128 per word. */
  readonly width: number
}

export interface KernelOptions {
  /** v128 per word: 1, 2 or 4. */
  readonly width: number
  readonly sharedMemory: boolean
  readonly sharedAtomics: boolean
  /** Byte offset in the descriptor where records of accesses out of bounds begin. */
  readonly reportOffset: number
}

/** Imported functions, by index. */
const IMPORTS: readonly FunctionImport[] = [
  { name: 'fusedFloat', signature: { params: [F64, F64, F64], results: [F64] } },
  { name: 'fusedDouble', signature: { params: [F64, F64, F64], results: [F64] } },
  { name: 'texel', signature: { params: [I32, I32], results: [] } },
]
const HOST_IMPORT = 2

/** Bytes at the start of scratch memory that lanes write to which must not write. */
const DUMP_BYTES = 64

/** A pure value that needs at most this many operations is computed again in each part of a group's code. */
const MAX_RECOMPUTED = 8

const isPure = (v: Value): boolean => v.op !== 'phi' && v.op !== 'result'

/** Whether an item holds a barrier. */
function hasBarrier(item: Item): boolean {
  switch (item.kind) {
    case 'barrier':
      return true
    case 'if':
      return item.taken.items.some(hasBarrier) || item.otherwise.items.some(hasBarrier)
    case 'block':
    case 'loop':
      return item.body.items.some(hasBarrier)
    default:
      return false
  }
}

/** Values that an item reads, with everything inside it. */
function* valuesRead(item: Item): Iterable<Value> {
  switch (item.kind) {
    case 'value':
      yield* item.value.args
      return
    case 'if':
      yield item.condition
      for (const i of [...item.taken.items, ...item.otherwise.items]) yield* valuesRead(i)
      for (const p of item.phis) yield* [p.taken, p.otherwise]
      return
    case 'block':
      for (const i of item.body.items) yield* valuesRead(i)
      yield* item.fall ?? []
      return
    case 'loop':
      for (const h of item.heads) yield* [h.init, h.next]
      for (const i of item.body.items) yield* valuesRead(i)
      return
    case 'break':
      yield* item.args
      return
    case 'barrier':
      return
    default:
      yield* operandsOf(item)
  }
}

/** Values that an item makes, with everything inside it. */
function* valuesMade(item: Item): Iterable<Value> {
  switch (item.kind) {
    case 'value':
      yield item.value
      return
    case 'if':
      for (const i of [...item.taken.items, ...item.otherwise.items]) yield* valuesMade(i)
      for (const p of item.phis) yield p.value
      return
    case 'block':
      for (const i of item.body.items) yield* valuesMade(i)
      yield* item.label.phis
      return
    case 'loop':
      for (const h of item.heads) yield h.value
      for (const i of item.body.items) yield* valuesMade(i)
      yield* item.label.phis
      return
    default:
      yield* resultsOf(item)
  }
}

/** Fused multiply-adds are the host's. */
function usesFused(region: Region): boolean {
  return region.items.some((item) => {
    if (item.kind === 'value') return item.value.op === 'f64Fma' || item.value.op === 'f32Mad'
    if (item.kind === 'if') return usesFused(item.taken) || usesFused(item.otherwise)
    return (item.kind === 'block' || item.kind === 'loop') && usesFused(item.body)
  })
}

/** Words that the largest call to the host passes. */
function largestCall(region: Region): number {
  let most = 0
  for (const item of region.items) {
    if (item.kind === 'texel') most = Math.max(most, callSlots(item))
    else if (item.kind === 'if') most = Math.max(most, largestCall(item.taken), largestCall(item.otherwise))
    else if (item.kind === 'block' || item.kind === 'loop') most = Math.max(most, largestCall(item.body))
  }
  return most
}

type Pair = readonly [phi: Value, value: Value]

class KernelCode {
  readonly e: Emitter
  readonly lowered: Lowered
  readonly uniformity: Uniformity
  readonly threadCount: number
  readonly #fuel: number
  readonly #hasBarriers: boolean
  /** Values that are computed outside of the loops over waves. */
  readonly #available = new Set<Value>()
  /** Frame slots of values that live from one part of the group's code to another, in bytes. */
  readonly #slots = new Map<Value, number>()
  #frameBytes = 0
  readonly #frame: number
  #maskSlot: number | undefined
  readonly #groupLabels = new Set<Label>()
  readonly #groupFrames = new Map<Label, Target>()
  /** Part of the code in which a value was made; parts are numbered as they are planned. */
  readonly #madeIn = new Map<Value, number>()
  #parts = 0
  #part = 0

  constructor(lowered: Lowered, options: KernelOptions) {
    const { threads } = lowered.builder.options
    this.lowered = lowered
    this.threadCount = threads[0] * threads[1] * threads[2]
    this.uniformity = new Uniformity(lowered.builder, lowered.root, threads, options.width * 4)
    this.e = new Emitter(this.uniformity, new Uses(lowered.root), (v) => lowered.builder.facts(v), threads, 0)
    this.e.sharedAtomics = options.sharedAtomics
    this.e.hostImport = HOST_IMPORT
    this.e.immediateConstantCount = lowered.declarations.immediateConstants.length >> 2
    this.#fuel = this.e.f.local(I32)
    this.#frame = this.e.f.local(I32)
    this.#hasBarriers = lowered.root.items.some(hasBarrier)
    let first = 0
    this.e.privateArrays = lowered.privateArrays.map((x) => {
      const array = { first, count: x.count }
      first += x.count
      return array
    })
    this.#privateBytes = first * 4 * options.width * 16
    this.#callBytes = largestCall(lowered.root) * options.width * 16
    this.e.callOffset = DUMP_BYTES
    this.e.reportOffset = options.reportOffset
  }

  readonly #privateBytes: number
  readonly #callBytes: number

  get #waveCount(): number {
    return Math.ceil(this.threadCount / this.uniformity.lanes)
  }

  // Scratch memory: dump page, words of calls to the host, shared memory, frames of waves.
  get #tgsmAt(): number {
    return DUMP_BYTES + this.#callBytes
  }
  get #framesAt(): number {
    return this.#tgsmAt + Math.ceil(this.lowered.declarations.tgsmByteLength / 16) * 16
  }
  get #frameStride(): number {
    return this.#privateBytes + this.#frameBytes
  }

  /** Marks a pure value that depends on the dispatch or group alone; it is computed before the loops over waves. */
  #isAvailable(v: Value): boolean {
    const is = this.uniformity.level(v) <= GROUP && v.args.every((a) => a.op === 'constant' || this.#available.has(a))
    if (is) this.#available.add(v)
    return is
  }

  emit(): void {
    const { e } = this
    const { f } = e
    const { root } = this.lowered
    if (this.#hasBarriers) this.#plan(root)
    else for (const item of root.items) if (item.kind === 'value') this.#isAvailable(item.value)
    // Values that depend on no merge of the group's flow come first: once a call, then once a group.
    const early = new Set<Value>()
    const defineEarly = (level: Level): void => {
      for (const item of root.items) {
        if (item.kind !== 'value' || !this.#available.has(item.value) || this.uniformity.level(item.value) > level)
          continue
        if (!item.value.args.every((a) => a.op === 'constant' || early.has(a))) continue
        early.add(item.value)
        e.define(item.value, root)
      }
    }
    defineEarly(DISPATCH)
    this.#groupLoop(() => {
      defineEarly(GROUP)
      if (this.lowered.declarations.tgsmByteLength > 0) {
        f.get(e.tgsmBase).i32(0).i32(this.lowered.declarations.tgsmByteLength).bulk(BULK.memoryFill)
        f.code.byte(0)
      }
      if (this.#hasBarriers) this.#groupCode(root)
      else this.#wavesWithoutBarriers(root)
    })
  }

  /** Loops over the groups of the call, counting their coordinates along. */
  #groupLoop(body: () => void): void {
    const { f, group } = this.e
    const [x, y, z] = group as [number, number, number]
    const at = f.local(I32)
    const [sizeX, sizeY] = [f.local(I32), f.local(I32)]
    const header = (n: number, local: number): void =>
      void f
        .get(PARAMETERS.descriptor)
        .memory(OP.i32Load, 2, n * 4)
        .set(local)
    header(HEADER.groupsX, sizeX)
    header(HEADER.groupsY, sizeY)
    f.get(PARAMETERS.first).set(at)
    f.get(at).get(sizeX).op(OP.i32RemU).set(x)
    f.get(at).get(sizeX).op(OP.i32DivU).get(sizeY).op(OP.i32RemU).set(y)
    f.get(at).get(sizeX).op(OP.i32DivU).get(sizeY).op(OP.i32DivU).set(z)
    f.loop((again) => {
      this.e.scope(body)
      f.get(x).i32(1).op(OP.i32Add).tee(x).get(sizeX).op(OP.i32Eq)
      f.if(() => {
        f.i32(0).set(x)
        f.get(y).i32(1).op(OP.i32Add).tee(y).get(sizeY).op(OP.i32Eq)
        f.if(() => {
          f.i32(0).set(y)
          f.get(z).i32(1).op(OP.i32Add).set(z)
        })
      })
      f.get(at).i32(1).op(OP.i32Add).tee(at).get(PARAMETERS.end).op(OP.i32LtU).brIf(again)
    })
  }

  /** Runs `body` once for each wave of the group; `br` to its argument goes on with the next wave. */
  #waveLoop(body: (next: Target) => void): void {
    const { f, firstThread } = this.e
    const one = this.#waveCount === 1
    f.i32(0).set(firstThread)
    if (this.#usesFrames) f.get(PARAMETERS.scratch).i32(this.#framesAt).op(OP.i32Add).set(this.#frame)
    if (one) {
      f.block((next) => this.e.scope(() => body(next)))
      return
    }
    f.loop((again) => {
      f.block((next) => this.e.scope(() => body(next)))
      if (this.#usesFrames && this.#hasBarriers) {
        f.get(this.#frame)
        this.#patches.push(f.code.length)
        f.i32Wide(0).op(OP.i32Add).set(this.#frame)
      }
      f.get(firstThread).i32(this.uniformity.lanes).op(OP.i32Add).tee(firstThread)
      f.i32(this.threadCount).op(OP.i32LtU).brIf(again)
    })
  }
  /** Where the stride of frames goes once all slots are known. */
  readonly #patches: number[] = []

  get #usesFrames(): boolean {
    return this.#hasBarriers || this.#privateBytes > 0
  }

  /** The mask of the wave at its start: all lanes, or those below the group's end. */
  #initialMask(): Mask {
    const { e } = this
    const { lanes } = this.uniformity
    if (this.threadCount % lanes === 0) return 'full'
    return Array.from({ length: e.width }, (_, i) => {
      const local = e.f.local(V128)
      e.f.get(e.constantLocal([0, 1, 2, 3].map((l) => i * 4 + l)))
      e.f.i32(this.threadCount).get(e.firstThread).op(OP.i32Sub).simd(SIMD.i32Splat).simd(SIMD.i32LtS).set(local)
      return local
    })
  }

  #refuel(): void {
    this.e.f
      .get(PARAMETERS.descriptor)
      .memory(OP.i32Load, 2, HEADER.budget * 4)
      .set(this.#fuel)
  }

  #clearPrivate(): void {
    if (this.#privateBytes === 0) return
    const { f } = this.e
    f.get(this.#frame).set(this.e.privateBase)
    f.get(this.#frame).i32(0).i32(this.#privateBytes).bulk(BULK.memoryFill)
    f.code.byte(0)
  }

  #wavesWithoutBarriers(root: Region): void {
    this.#waveLoop((next) => {
      this.#clearPrivate()
      this.#refuel()
      const wave = new WaveCode(this.e, this.#initialMask(), this.#fuel, next, new Set())
      wave.items(root)
    })
  }

  // With barriers: the group's code is a list of parts between barriers, each a loop over the waves.

  /** Items that are the group's own flow: barriers, and what holds or leaves constructs with barriers. */
  #isGroupItem(item: Item): boolean {
    if (hasBarrier(item)) return true
    if (item.kind === 'break') return this.#groupLabels.has(item.label)
    if (item.kind !== 'if' || this.uniformity.level(item.condition) > GROUP) return false
    return [...itemEscapes(item, new Set())].some((l) => this.#groupLabels.has(l))
  }

  #findGroupLabels(region: Region): void {
    for (const item of region.items) {
      if (!hasBarrier(item)) continue
      if (item.kind === 'block' || item.kind === 'loop') {
        this.#groupLabels.add(item.label)
        this.#findGroupLabels(item.body)
      } else if (item.kind === 'if') {
        this.#findGroupLabels(item.taken)
        this.#findGroupLabels(item.otherwise)
      }
    }
  }

  /** First pass: which part makes each value, which values cross, and whether lanes leave for good. */
  #plan(root: Region): void {
    this.#findGroupLabels(root)
    const uses: [Value, number][] = []
    this.#planRegion(root, uses)
    this.#planRegionDone(uses)
  }

  #planRegion(region: Region, uses: [Value, number][]): void {
    let part = this.#parts++
    for (const item of region.items) {
      if (!this.#isGroupItem(item)) {
        if (item.kind === 'value' && this.#isAvailable(item.value)) continue
        for (const v of valuesRead(item)) uses.push([v, part])
        for (const v of valuesMade(item)) this.#madeIn.set(v, part)
        this.#checkEscapes(item)
        continue
      }
      this.#planGroupItem(item, uses)
      if (item.kind === 'break') return
      part = this.#parts++
    }
  }

  /** Lanes that leave a construct with barriers one by one wait for nobody; loops would have to count them. */
  #checkEscapes(item: Item): void {
    for (const label of itemEscapes(item, new Set())) {
      if (!this.#groupLabels.has(label)) continue
      if (label.loop || label.phis.length > 0)
        throw new Unsupported('threads leave a loop around a barrier one by one', 0)
      this.#maskSlot ??= this.#slot(this.e.width * 16)
    }
  }

  #slot(bytes: number): number {
    const at = this.#privateBytes + this.#frameBytes
    this.#frameBytes += bytes
    return at
  }

  #planGroupItem(item: Item, uses: [Value, number][]): void {
    const merge = (pairs: readonly Pair[]): void => {
      const part = this.#parts++
      for (const [phi, value] of pairs) {
        uses.push([value, part])
        if (this.uniformity.level(phi) <= GROUP) this.#available.add(phi)
        else this.#slotOf(phi)
      }
    }
    switch (item.kind) {
      case 'if':
        if (this.uniformity.level(item.condition) > GROUP) {
          throw new Unsupported('a barrier stands in flow that is not uniform over the group', 0)
        }
        uses.push([item.condition, -1])
        this.#planRegion(item.taken, uses)
        merge(item.phis.map((p) => [p.value, p.taken]))
        this.#planRegion(item.otherwise, uses)
        merge(item.phis.map((p) => [p.value, p.otherwise]))
        return
      case 'block':
        this.#planRegion(item.body, uses)
        if (item.fall !== undefined) merge(item.label.phis.map((p, i) => [p, item.fall![i]!]))
        return
      case 'loop':
        if (this.uniformity.isDivergent(item.label)) {
          throw new Unsupported('a barrier stands in a loop that is not uniform over the group', 0)
        }
        merge(item.heads.map((h) => [h.value, h.init]))
        this.#planRegion(item.body, uses)
        merge(item.heads.map((h) => [h.value, h.next]))
        return
      case 'break':
        merge(item.label.phis.map((p, i) => [p, item.args[i]!]))
        return
      default:
        return
    }
  }

  #slotOf(v: Value): number {
    let slot = this.#slots.get(v)
    if (slot === undefined) {
      slot = this.#slot(this.uniformity.level(v) < VARYING ? 16 : (v.double ? 2 : 1) * this.e.width * 16)
      this.#slots.set(v, slot)
    }
    return slot
  }

  #planRegionDone(uses: readonly [Value, number][]): void {
    for (const [v, part] of uses) this.#planUse(v, part)
  }

  #planUse(v: Value, part: number): void {
    if (v.op === 'constant' || this.#available.has(v) || this.#slots.has(v)) return
    const made = this.#madeIn.get(v)
    if (made === part || made === undefined) return
    this.e.mustHold.add(v)
    if (this.uniformity.level(v) <= GROUP) return
    if (this.#isRecomputable(v)) for (const a of v.args) this.#planUse(a, part)
    else this.#slotOf(v)
  }

  readonly #costs = new Map<Value, number>()
  #isRecomputable(v: Value): boolean {
    return this.#cost(v) <= MAX_RECOMPUTED
  }
  /** Operations to compute a value from what every part has; Infinity where it cannot be. */
  #cost(v: Value): number {
    if (v.op === 'constant' || this.#available.has(v)) return 0
    if (!isPure(v) || v.double) return Number.POSITIVE_INFINITY
    let cost = this.#costs.get(v)
    if (cost === undefined) {
      this.#costs.set(v, Number.POSITIVE_INFINITY)
      cost = v.args.reduce((sum, a) => sum + this.#cost(a), 1)
      this.#costs.set(v, cost)
    }
    return cost
  }

  #groupCode(root: Region): void {
    this.#waveLoop(() => {
      this.#clearPrivate()
      if (this.#maskSlot !== undefined) this.#storeMask(this.#initialMask())
    })
    this.#refuel()
    this.#groupRegion(root)
  }

  #storeMask(mask: Mask): void {
    const { e } = this
    for (let i = 0; i < e.width; i++) {
      e.f.get(this.#frame)
      if (mask === 'full') e.pushConstant(0xffffffff)
      else e.f.get(mask[i]!)
      e.f.simdMemory(SIMD.store, 4, this.#maskSlot! + i * 16)
    }
  }

  #loadMask(): Mask {
    const { e } = this
    if (this.#maskSlot === undefined) return this.#initialMask()
    return Array.from({ length: e.width }, (_, i) => {
      const local = e.f.local(V128)
      e.f
        .get(this.#frame)
        .simdMemory(SIMD.load, 4, this.#maskSlot! + i * 16)
        .set(local)
      return local
    })
  }

  #groupRegion(region: Region): boolean {
    this.#part = this.#nextPart++
    let pending: Item[] = []
    const flush = (): void => {
      if (pending.length > 0) this.#wavePart(region, pending)
      pending = []
    }
    for (const item of region.items) {
      if (!this.#isGroupItem(item)) {
        if (item.kind === 'value' && this.#available.has(item.value)) this.e.define(item.value, region)
        else pending.push(item)
        continue
      }
      flush()
      if (this.#groupItem(item)) return true
      this.#part = this.#nextPart++
    }
    flush()
    return false
  }
  #nextPart = 0

  #groupItem(item: Item): boolean {
    const { e } = this
    switch (item.kind) {
      case 'if': {
        emitCondition(e, item.condition)
        const arm = (region: Region, pick: (p: IfPhi) => Value) => (): void =>
          e.scope(() => {
            const ended = this.#groupRegion(region)
            this.#merge(
              ended,
              item.phis.map((p) => [p.value, pick(p)]),
            )
          })
        e.f.if(
          arm(item.taken, (p) => p.taken),
          arm(item.otherwise, (p) => p.otherwise),
        )
        for (const p of item.phis) this.#splat(p.value)
        return false
      }
      case 'block':
        e.f.block((end) => {
          this.#groupFrames.set(item.label, end)
          e.scope(() => {
            const ended = this.#groupRegion(item.body)
            if (item.fall !== undefined)
              this.#merge(
                ended,
                item.label.phis.map((p, i) => [p, item.fall![i]!]),
              )
          })
        })
        for (const p of item.label.phis) this.#splat(p)
        return false
      case 'loop':
        this.#merge(
          false,
          item.heads.map((h) => [h.value, h.init]),
        )
        e.f.block((end) => {
          this.#groupFrames.set(item.label, end)
          e.f.loop((again) => {
            e.scope(() => {
              for (const h of item.heads) this.#splat(h.value)
              const ended = this.#groupRegion(item.body)
              this.#merge(
                ended,
                item.heads.map((h) => [h.value, h.next]),
              )
              this.#burn(item.cost)
              e.f.br(again)
            })
          })
        })
        for (const p of item.label.phis) this.#splat(p)
        return false
      case 'break':
        this.#merge(
          false,
          item.label.phis.map((p, i) => [p, item.args[i]!]),
        )
        e.f.br(this.#groupFrames.get(item.label)!)
        return true
      default:
        return false
    }
  }

  /** The vector form of a merge of the group's level; those of waves are loaded by the parts that read them. */
  #splat(v: Value): void {
    if (this.uniformity.level(v) <= GROUP) this.e.splatEarly(v)
  }

  #burn(cost: number): void {
    const { f } = this.e
    f.get(this.#fuel).i32(cost).op(OP.i32Sub).tee(this.#fuel).i32(0).op(OP.i32LtS)
    f.if(() => this.e.leave(1, 0))
  }

  /** Merges at the group's level: scalars in locals, values of waves in their slots. Takes its part's number even unreached. */
  #merge(unreached: boolean, pairs: readonly Pair[]): void {
    this.#part = this.#nextPart++
    if (unreached) return
    const { e } = this
    const scalars = pairs.filter(([phi]) => this.uniformity.level(phi) <= GROUP)
    const waves = pairs.filter(([phi, value]) => phi !== value && this.uniformity.level(phi) > GROUP)
    if (waves.length > 0) {
      this.#waveLoop(() => {
        this.#reload(waves.map(([, value]) => value))
        const stores: (() => void)[] = []
        for (const [phi, value] of waves) stores.push(...this.#stageStore(phi, value))
        for (const store of stores) store()
        for (const [, value] of waves) this.#forgetPart(value)
      })
      e.opaque.clear()
    }
    const wave = new WaveCode(e, 'full', this.#fuel, { depth: 0 }, new Set())
    wave.parallelSet(scalars)
  }

  /** Reads a value into temporary locals; what it answers stores them to the merge's slot. */
  #stageStore(phi: Value, value: Value): (() => void)[] {
    const { e } = this
    const { f } = e
    const slot = this.#slots.get(phi)!
    if (!e.isVarying(phi)) {
      const local = f.local(I32)
      e.scalarI(value)
      f.set(local)
      return [() => void f.get(this.#frame).get(local).memory(OP.i32Store, 2, slot)]
    }
    return Array.from({ length: e.width }, (_, i) => {
      const local = f.local(V128)
      e.vector(value, i)
      f.set(local)
      return () =>
        void f
          .get(this.#frame)
          .get(local)
          .simdMemory(SIMD.store, 4, slot + i * 16)
    })
  }

  /** Makes values of other parts available in this one: loaded from their slots, or computed again. */
  #reload(values: Iterable<Value>): Value[] {
    const brought: Value[] = []
    for (const v of values) this.#bring(v, brought)
    return brought
  }

  #bring(v: Value, brought: Value[]): void {
    const { e } = this
    if (v.op === 'constant' || this.#available.has(v) || this.#madeIn.get(v) === this.#part || brought.includes(v))
      return
    const slot = this.#slots.get(v)
    if (slot !== undefined) {
      this.#loadSlot(v, slot)
      e.opaque.add(v)
      brought.push(v)
      return
    }
    if (this.uniformity.level(v) <= GROUP || !isPure(v)) return
    for (const a of v.args) this.#bring(a, brought)
    e.forget(v)
    e.compute(v)
    brought.push(v)
  }

  #loadSlot(v: Value, slot: number): void {
    const { e } = this
    const { f } = e
    if (!e.isVarying(v)) {
      f.get(this.#frame).memory(
        e.scalarType(v) === F64 ? OP.f64Load : e.scalarType(v) === F32 ? OP.f32Load : OP.i32Load,
        2,
        slot,
      )
      f.set(e.scalarLocal(v))
      e.splatEarly(v)
      return
    }
    e.vectorLocals(v).forEach(
      (local, i) =>
        void f
          .get(this.#frame)
          .simdMemory(SIMD.load, 4, slot + i * 16)
          .set(local),
    )
  }

  #storeSlot(v: Value, slot: number): void {
    const { e } = this
    const { f } = e
    f.get(this.#frame)
    if (!e.isVarying(v)) {
      const type = e.scalarType(v)
      f.get(e.scalarLocal(v))
      f.memory(type === F64 ? OP.f64Store : type === F32 ? OP.f32Store : OP.i32Store, 2, slot)
      return
    }
    f.op(OP.drop)
    e.vectorLocals(v).forEach(
      (local, i) =>
        void f
          .get(this.#frame)
          .get(local)
          .simdMemory(SIMD.store, 4, slot + i * 16),
    )
  }

  /** Values that were brought into a part are gone after it: the next wave or part has others. */
  #forgetPart(v: Value): void {
    if (!isPure(v) || v.op === 'constant' || this.#available.has(v) || this.#slots.has(v)) return
    if (this.uniformity.level(v) > GROUP) this.e.forget(v)
  }

  /** Items between two barriers, for every wave of the group. */
  #wavePart(region: Region, items: readonly Item[]): void {
    const { e } = this
    const made = new Set<Value>()
    const read = new Set<Value>()
    for (const item of items) {
      for (const v of valuesMade(item)) made.add(v)
      for (const v of valuesRead(item)) read.add(v)
    }
    const outside = [...read].filter((v) => !made.has(v)).sort((a, b) => a.id - b.id)
    this.#waveLoop((next) => {
      if (this.#privateBytes > 0) e.f.get(this.#frame).set(e.privateBase)
      const mask = this.#loadMask()
      if (mask !== 'full' && this.#maskSlot !== undefined) {
        mask.forEach((m, i) => {
          e.f.get(m)
          if (i > 0) e.f.simd(SIMD.or)
        })
        e.f.simd(SIMD.anyTrue).op(OP.i32Eqz).brIf(next)
      }
      const brought = this.#reload(outside)
      let wave: WaveCode | undefined
      e.f.block((end) => {
        wave = new WaveCode(e, mask, this.#fuel, end, this.#groupLabels)
        wave.items(region, items)
      })
      for (const v of made) {
        const slot = this.#slots.get(v)
        if (slot !== undefined) this.#storeSlot(v, slot)
      }
      if (this.#maskSlot !== undefined && wave!.mask !== 'full') this.#storeMask(wave!.mask)
      for (const v of brought) this.#forgetPart(v)
    })
    e.opaque.clear()
    for (const v of made) this.#forgetPart(v)
  }

  /** The whole function: constants and descriptors first, which the body's emission collected. */
  finish(options: KernelOptions): Kernel {
    const { e } = this
    const { f } = e
    const head = new FunctionAssembler(Object.keys(PARAMETERS).length)
    for (const { local, words } of e.constantCode) head.v128(words).set(local)
    for (const [n, local] of e.descriptors) {
      head.get(PARAMETERS.descriptor).memory(OP.i32Load, 2, descriptorOffset(n)).set(local)
    }
    head
      .get(PARAMETERS.descriptor)
      .memory(OP.i32Load, 2, HEADER.immediateConstants * 4)
      .set(e.immediateConstants)
    head.get(PARAMETERS.scratch).tee(e.dump).simd(SIMD.i32Splat).set(e.dumpSplat)
    head.get(PARAMETERS.scratch).i32(this.#tgsmAt).op(OP.i32Add).set(e.tgsmBase)
    const body = f.code.bytes()
    for (const at of this.#patches) patchWide(body, at, this.#frameStride)
    head.code.append(body).byte(OP.end)
    const frames = this.#usesFrames ? this.#frameStride * (this.#hasBarriers ? this.#waveCount : 1) : 0
    const bytes = assembleModule(
      IMPORTS,
      [
        {
          signature: { params: [I32, I32, I32, I32], results: [] },
          locals: f.locals,
          code: head.code.bytes(),
          exported: 'run',
        },
      ],
      options.sharedMemory,
    )
    return {
      bytes,
      lanes: this.uniformity.lanes,
      scratchByteLength: this.#framesAt + frames + 64,
      hostCalls: e.hostCalls.map((item) => ({ item, width: e.width })),
      sites: e.sites,
      callsHost: e.hostCalls.length > 0 || usesFused(this.lowered.root),
    }
  }
}

/** Writes an i32.const of five bytes at a place that holds one. */
function patchWide(code: Uint8Array, at: number, value: number): void {
  for (let i = 0; i < 5; i++) code[at + 1 + i] = ((value >>> (7 * i)) & 0x7f) | (i < 4 ? 0x80 : 0)
}

/** Code for a program; throws Unsupported for what is not compiled. */
export function compileKernel(lowered: Lowered, options: KernelOptions): Kernel {
  const code = new KernelCode(lowered, options)
  code.emit()
  return code.finish(options)
}
