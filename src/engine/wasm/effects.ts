import type { AtomicOperation } from '../../isa/index.ts'
import { constantOf } from '../lower/facts.ts'
import type { EffectItem, Value } from '../lower/value.ts'
import { I32, V128 } from './assembler.ts'
import type { Emitter, Mask } from './emitter.ts'
import { emitFilter } from './filter.ts'
import { laneAddresses } from './lane-address.ts'
import { emitLoad } from './load.ts'
import { pushActive } from './mask.ts'
import { ATOMIC, OP, SIMD } from './opcodes.ts'
import { storeParts } from './pairs.ts'
import { reportLanes, reportWave } from './report.ts'
import { siteOf } from './site.ts'
import { emitStore } from './store.ts'
import { emitTexel } from './texel.ts'

/** Atomics, counters and private arrays. Lanes take their turns in order, as the reference's schedule has it. */

/** Pushes the new word, given locals of the old one, the value and the compared value. */
function pushAtomicResult(e: Emitter, operation: AtomicOperation, old: number, value: number, compare: number): void {
  const { f } = e
  const pick = (less: number, takeOld: boolean): void => {
    f.get(takeOld ? old : value)
      .get(takeOld ? value : old)
      .get(old)
      .get(value)
      .op(less)
      .op(OP.select)
  }
  switch (operation) {
    case 'and':
      f.get(old).get(value).op(OP.i32And)
      return
    case 'or':
      f.get(old).get(value).op(OP.i32Or)
      return
    case 'xor':
      f.get(old).get(value).op(OP.i32Xor)
      return
    case 'iadd':
      f.get(old).get(value).op(OP.i32Add)
      return
    case 'imax':
      pick(OP.i32LtS, false)
      return
    case 'imin':
      pick(OP.i32LtS, true)
      return
    case 'umax':
      pick(OP.i32LtU, false)
      return
    case 'umin':
      pick(OP.i32LtU, true)
      return
    case 'exch':
      f.get(value)
      return
    case 'cmp-exch':
      f.get(value).get(old).get(old).get(compare).op(OP.i32Eq).op(OP.select)
      return
    default:
      operation satisfies never
  }
}

const SHARED_OPS: { readonly [K in AtomicOperation]?: number } = {
  and: ATOMIC.and,
  or: ATOMIC.or,
  xor: ATOMIC.xor,
  iadd: ATOMIC.add,
  exch: ATOMIC.exchange,
}

/** One atomic on the word at `address`, leaving the word before in `old`. */
export function atomicAt(
  e: Emitter,
  operation: AtomicOperation,
  shared: boolean,
  locals: { readonly address: number; readonly value: number; readonly compare: number; readonly old: number },
): void {
  const { f } = e
  const { address, value, compare, old } = locals
  if (!shared) {
    f.get(address).memory(OP.i32Load, 2).set(old)
    f.get(address)
    pushAtomicResult(e, operation, old, value, compare)
    f.memory(OP.i32Store, 2)
    return
  }
  const direct = SHARED_OPS[operation]
  if (direct !== undefined) {
    f.get(address).get(value).atomic(direct).set(old)
    return
  }
  if (operation === 'cmp-exch') {
    f.get(address).get(compare).get(value).atomic(ATOMIC.compareExchange).set(old)
    return
  }
  f.loop((again) => {
    f.get(address).atomic(ATOMIC.load).set(old)
    f.get(address).get(old)
    pushAtomicResult(e, operation, old, value, compare)
    f.atomic(ATOMIC.compareExchange).get(old).op(OP.i32Ne).brIf(again)
  })
}

/** Addresses of part `i` with what must not be touched sent to the dump page, and the lanes that count. */
export interface Redirected {
  readonly addresses: number
  readonly valid: number
}

export function redirect(e: Emitter, addresses: number, mask: Mask, i: number): Redirected {
  const { f } = e
  const valid = f.temp(V128)
  f.get(addresses)
  e.pushConstant(0)
  f.simd(SIMD.i32Ne)
  if (mask !== 'full') f.get(mask[i]!).simd(SIMD.and)
  f.set(valid)
  f.get(addresses).get(e.dumpSplat).get(valid).simd(SIMD.bitselect).set(addresses)
  return { addresses, valid }
}

/** Atomics of the lanes of part `i`; results into a v128 local where wanted. */
export function atomicLanes(
  e: Emitter,
  operation: AtomicOperation,
  shared: boolean,
  target: Redirected,
  operands: { readonly value: Value; readonly compare: Value | undefined; readonly result: number | undefined },
  i: number,
): void {
  const { f } = e
  const locals = { address: f.temp(I32), value: f.temp(I32), compare: f.temp(I32), old: f.temp(I32) }
  const value = e.repeatable(operands.value, i)
  const compare = operands.compare === undefined ? undefined : e.repeatable(operands.compare, i)
  for (let l = 0; l < 4; l++) {
    f.get(target.addresses).lane(SIMD.i32Extract, l).set(locals.address)
    value.push()
    f.lane(SIMD.i32Extract, l).set(locals.value)
    if (compare !== undefined) {
      compare.push()
      f.lane(SIMD.i32Extract, l).set(locals.compare)
    }
    atomicAt(e, operation, shared, locals)
    if (operands.result === undefined) continue
    f.get(operands.result).get(locals.old).lane(SIMD.i32Replace, l).set(operands.result)
  }
  compare?.done()
  value.done()
  if (operands.result !== undefined) f.get(operands.result).get(target.valid).simd(SIMD.and).set(operands.result)
  f.release(I32, locals.address, locals.value, locals.compare, locals.old)
}

function emitAtomic(e: Emitter, item: Extract<EffectItem, { kind: 'atomic' }>, mask: Mask): void {
  const shared = e.sharedAtomics && item.address.space.kind === 'buffer'
  for (let i = 0; i < e.width; i++) {
    const addresses = laneAddresses(e, siteOf(item, [0]), i)
    const target = redirect(e, addresses, mask, i)
    const result = item.results[0] === undefined ? undefined : e.vectorLocals(item.results[0])[i]!
    atomicLanes(e, item.operation, shared, target, { value: item.value, compare: item.compare, result }, i)
    e.f.release(V128, target.addresses, target.valid)
  }
}

/** Lanes get consecutive numbers in lane order: those that count before them, from the counter on. */
function emitCounter(e: Emitter, item: Extract<EffectItem, { kind: 'counter' }>, mask: Mask): void {
  const { f } = e
  const [base, address, step] = [f.temp(I32), f.temp(I32), f.temp(I32)]
  const result = item.results[0] === undefined ? undefined : e.vectorLocals(item.results[0])
  const alloc = item.direction === 'alloc'
  e.pushDescriptor(item.binding, 'counter')
  f.tee(address)
  f.if(
    () => {
      pushActiveCount(e, mask)
      f.set(step)
      if (e.sharedAtomics) {
        f.get(address)
          .get(step)
          .atomic(alloc ? ATOMIC.add : ATOMIC.sub)
          .set(base)
      } else {
        f.get(address).memory(OP.i32Load, 2).set(base)
        f.get(address)
          .get(base)
          .get(step)
          .op(alloc ? OP.i32Add : OP.i32Sub)
          .memory(OP.i32Store, 2)
      }
      // A consume returns the counter after its decrement.
      if (!alloc) f.get(base).i32(1).op(OP.i32Sub).set(base)
      if (result === undefined) return
      for (let i = 0; i < e.width; i++) {
        e.pushConstant(0)
        for (let l = 0; l < 4; l++) {
          f.get(base).lane(SIMD.i32Replace, l)
          pushActive(e, mask, i)
          // The mask is -1 where active.
          f.lane(SIMD.i32Extract, l).get(base)
          const t = f.temp(I32)
          f.set(t)
          if (alloc) {
            const m = f.temp(I32)
            f.set(m).get(t).get(m).op(OP.i32Sub).set(base)
            f.release(I32, m)
          } else f.get(t).op(OP.i32Add).set(base)
          f.release(I32, t)
        }
        f.set(result[i]!)
      }
    },
    () => {
      f.i32(1)
      reportWave(e, { item, what: 'counter' })
      for (const local of result ?? []) {
        e.pushConstant(0)
        f.set(local)
      }
    },
  )
  f.release(I32, base, address, step)
}

function pushActiveCount(e: Emitter, mask: Mask): void {
  const { f } = e
  if (mask === 'full') {
    f.i32(e.uniformity.lanes)
    return
  }
  mask.forEach((m, i) => {
    f.get(m).simd(SIMD.i32Bitmask).op(OP.i32Popcnt)
    if (i > 0) f.op(OP.i32Add)
  })
}

/** Byte offset of a component of an element in a wave's private arrays: 16 bytes a part, `width` parts a word. */
const privateStride = (e: Emitter): number => e.width * 16

/** Pushes the address of a word of private memory by a uniform index, and whether it is inside as a condition. */
function privateWord(e: Emitter, array: number, component: number, index: Value): { readonly fixed: number } {
  const { f } = e
  const { first, count } = e.privateArrays[array]!
  const fixed = (first * 4 + component) * privateStride(e)
  const c = constantOf(index)
  if (c !== undefined && c < count) {
    f.get(e.privateBase)
    return { fixed: fixed + c * 4 * privateStride(e) }
  }
  f.get(e.privateBase).i32(fixed).op(OP.i32Add)
  e.scalarI(index)
  f.i32(4 * privateStride(e))
    .op(OP.i32Mul)
    .op(OP.i32Add)
  return { fixed: 0 }
}

function emitPrivateLoad(e: Emitter, item: Extract<EffectItem, { kind: 'private-load' }>): void {
  const { f } = e
  const result = e.vectorLocals(item.results[0]!)
  const { first, count } = e.privateArrays[item.array]!
  if (!e.isVarying(item.index)) {
    const address = f.temp(I32)
    const { fixed } = privateWord(e, item.array, item.component, item.index)
    if (fixed === 0) {
      f.i32(0)
      e.scalarI(item.index)
      f.i32(count).op(OP.i32LtU).op(OP.select)
    }
    f.set(address)
    result.forEach(
      (local, i) =>
        void f
          .get(address)
          .simdMemory(SIMD.load, 4, fixed + i * 16)
          .set(local),
    )
    f.release(I32, address)
    return
  }
  const t = f.temp(I32)
  for (let i = 0; i < e.width; i++) {
    const index = e.repeatable(item.index, i)
    e.pushConstant(0)
    f.set(result[i]!)
    for (let l = 0; l < 4; l++) {
      index.push()
      f.lane(SIMD.i32Extract, l)
        .tee(t)
        .i32(4 * privateStride(e))
        .op(OP.i32Mul)
      f.i32((first * 4 + item.component) * privateStride(e) + i * 16 + l * 4).op(OP.i32Add)
      f.get(e.privateBase).op(OP.i32Add).i32(0).get(t).i32(count).op(OP.i32LtU).op(OP.select)
      f.get(result[i]!).laneMemory(SIMD.load32Lane, l, 2).set(result[i]!)
    }
    index.done()
  }
  f.release(I32, t)
}

function emitPrivateStore(e: Emitter, item: Extract<EffectItem, { kind: 'private-store' }>, mask: Mask): void {
  const { f } = e
  const { first, count } = e.privateArrays[item.array]!
  const address = f.temp(I32)
  if (!e.isVarying(item.index)) {
    const { fixed } = privateWord(e, item.array, item.component, item.index)
    if (fixed === 0) {
      f.get(e.dump)
      e.scalarI(item.index)
      f.i32(count).op(OP.i32LtU).op(OP.select)
    }
    f.set(address)
    const offsets = Array.from({ length: e.width }, (_, i) => fixed + i * 16)
    storeParts(e, address, offsets, (i) => {
      e.vector(item.value, i)
      if (mask === 'full') return
      f.get(address).simdMemory(SIMD.load, 4, offsets[i]!).get(mask[i]!).simd(SIMD.bitselect)
    })
    f.release(I32, address)
    return
  }
  for (let i = 0; i < e.width; i++) {
    const index = e.repeatable(item.index, i)
    const value = e.repeatable(item.value, i)
    for (let l = 0; l < 4; l++) {
      index.push()
      f.lane(SIMD.i32Extract, l)
        .tee(address)
        .i32(4 * privateStride(e))
        .op(OP.i32Mul)
      f.i32((first * 4 + item.component) * privateStride(e) + i * 16 + l * 4).op(OP.i32Add)
      f.get(e.privateBase).op(OP.i32Add).get(e.dump).get(address).i32(count).op(OP.i32LtU)
      if (mask !== 'full') f.get(mask[i]!).lane(SIMD.i32Extract, l).op(OP.i32And)
      f.op(OP.select)
      value.push()
      f.laneMemory(SIMD.store32Lane, l, 2)
    }
    value.done()
    index.done()
  }
  f.release(I32, address)
}

/** Records the active lanes at which a check fails. */
function emitReport(e: Emitter, item: Extract<EffectItem, { kind: 'report' }>): void {
  const { f } = e
  const what = item.check
  if (![what.bad, what.address, what.limit].some((v) => e.isVarying(v))) {
    e.scalarI(what.bad)
    reportWave(e, { item, what }, item.weight === 1 ? undefined : () => void f.i32(item.weight))
    return
  }
  for (let i = 0; i < e.width; i++) {
    const bad = f.temp(V128)
    e.vector(what.bad, i)
    if (e.active !== 'full') f.get(e.active[i]!).simd(SIMD.and)
    f.set(bad)
    reportLanes(e, { item, what }, i, bad, () => {
      f.get(bad).simd(SIMD.i32Bitmask).op(OP.i32Popcnt).i32(item.weight).op(OP.i32Mul)
    })
    f.release(V128, bad)
  }
}

export function emitEffect(e: Emitter, item: EffectItem, mask: Mask): void {
  e.active = mask
  switch (item.kind) {
    case 'load':
      emitLoad(e, item)
      return
    case 'store':
      emitStore(e, item, mask)
      return
    case 'atomic':
      emitAtomic(e, item, mask)
      return
    case 'counter':
      emitCounter(e, item, mask)
      return
    case 'private-load':
      emitPrivateLoad(e, item)
      return
    case 'private-store':
      emitPrivateStore(e, item, mask)
      return
    case 'texel':
      emitTexel(e, item, mask)
      return
    case 'filter':
      emitFilter(e, item)
      return
    case 'stop':
      e.stop(mask, item.statement)
      return
    case 'report':
      emitReport(e, item)
      return
    default:
      item satisfies never
      return
  }
}
