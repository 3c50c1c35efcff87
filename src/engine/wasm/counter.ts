import type { EffectItem } from '../lower/value.ts'
import { I32 } from './assembler.ts'
import type { Emitter, Mask } from './emitter.ts'
import { pushActive } from './mask.ts'
import { ATOMIC, OP, SIMD } from './opcodes.ts'
import { reportWave } from './report.ts'

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
