import type { EffectItem } from '../../ir/index.ts'
import { I32 } from '../encode/assembler.ts'
import { ATOMIC, OP, SIMD } from '../encode/opcodes.ts'
import { reportWave } from '../report/records.ts'
import type { Emitter } from './emitter.ts'
import type { Mask } from './kernel-layout.ts'
import { pushAllActive } from './mask.ts'

/** Hidden counters of structured UAVs (5.3.10). */

/** Lanes get consecutive numbers in lane order: those that count before them, from the counter on. */
export function emitCounter(e: Emitter, item: Extract<EffectItem, { kind: 'counter' }>, mask: Mask): void {
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
      if (e.settings.sharedAtomics) {
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
      if (mask === 'full') consecutive(e, base, alloc, result)
      else {
        pushAllActive(e, mask)
        f.if(
          () => consecutive(e, base, alloc, result),
          () => oneByOne(e, base, alloc, result, mask),
        )
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

/** All lanes count: lane n gets the first number plus or minus n. */
function consecutive(e: Emitter, base: number, alloc: boolean, result: readonly number[]): void {
  const { f } = e
  result.forEach((local, i) => {
    f.get(base).simd(SIMD.i32Splat)
    f.get(e.constantLocal([0, 1, 2, 3].map((l) => i * 4 + l)))
    f.simd(alloc ? SIMD.i32Add : SIMD.i32Sub).set(local)
  })
}

/** Lane by lane. Inactive lanes receive the next active lane's value; it is never read. */
function oneByOne(e: Emitter, base: number, alloc: boolean, result: readonly number[], mask: readonly number[]): void {
  const { f } = e
  result.forEach((local, i) => {
    e.pushConstant(0)
    for (let l = 0; l < 4; l++) {
      f.get(base).lane(SIMD.i32Replace, l)
      // The mask is -1 where a lane is active.
      f.get(base).get(mask[i]!).lane(SIMD.i32Extract, l)
      f.op(alloc ? OP.i32Sub : OP.i32Add).set(base)
    }
    f.set(local)
  })
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
