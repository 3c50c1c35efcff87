import { constantOf, type EffectItem, type Value } from '../../ir/index.ts'
import { I32 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import type { Emitter } from './emitter.ts'
import type { Mask } from './kernel-layout.ts'
import { storeParts } from './vector-pairing.ts'

/** x# registers that are indexed by values: arrays in the wave's private memory. */

/** Byte offset of a component of an element in a wave's private arrays: 16 bytes a part, `width` parts a word. */
const privateStride = (e: Emitter): number => e.width * 16

/** Pushes the address of a word of private memory by a uniform index, and whether it is inside as a condition. */
function privateWord(e: Emitter, array: number, component: number, index: Value): { readonly fixed: number } {
  const { f } = e
  const { first, count } = e.settings.privateArrays[array]!
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

type Access = Extract<EffectItem, { kind: 'private-load' | 'private-store' }>

/**
 * Pushes the address of lane `l` of part `i`, whose index `pushIndex` pushes as a vector; what `outside` pushes where the
 * index is past the array or the lane is not active. `t` is a local for the index.
 */
function pushLaneAddress(
  e: Emitter,
  item: Access,
  pushIndex: () => void,
  { i, l }: { readonly i: number; readonly l: number },
  t: number,
  outside: () => void,
  mask: Mask,
): void {
  const { f } = e
  const { first, count } = e.settings.privateArrays[item.array]!
  pushIndex()
  f.lane(SIMD.i32Extract, l)
    .tee(t)
    .i32(4 * privateStride(e))
    .op(OP.i32Mul)
  f.i32((first * 4 + item.component) * privateStride(e) + i * 16 + l * 4).op(OP.i32Add)
  f.get(e.privateBase).op(OP.i32Add)
  outside()
  f.get(t).i32(count).op(OP.i32LtU)
  if (mask !== 'full') f.get(mask[i]!).lane(SIMD.i32Extract, l).op(OP.i32And)
  f.op(OP.select)
}

export function emitPrivateLoad(e: Emitter, item: Extract<EffectItem, { kind: 'private-load' }>): void {
  const { f } = e
  const result = e.vectorLocals(item.results[0]!)
  const { count } = e.settings.privateArrays[item.array]!
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
      pushLaneAddress(e, item, index.push, { i, l }, t, () => void f.i32(0), 'full')
      f.get(result[i]!).laneMemory(SIMD.load32Lane, l, 2).set(result[i]!)
    }
    index.done()
  }
  f.release(I32, t)
}

export function emitPrivateStore(e: Emitter, item: Extract<EffectItem, { kind: 'private-store' }>, mask: Mask): void {
  const { f } = e
  const { count } = e.settings.privateArrays[item.array]!
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
      pushLaneAddress(e, item, index.push, { i, l }, address, () => void f.get(e.dump), mask)
      value.push()
      f.laneMemory(SIMD.store32Lane, l, 2)
    }
    value.done()
    index.done()
  }
  f.release(I32, address)
}
