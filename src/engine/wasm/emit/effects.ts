import type { EffectItem } from '../../ir/index.ts'
import { V128 } from '../encode/assembler.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import { reportLanes, reportWave } from '../report/records.ts'
import { emitAtomic } from './atomic.ts'
import { emitCounter } from './counter.ts'
import type { Emitter } from './emitter.ts'
import { emitFilter } from './filters/filter.ts'
import { type Mask, STOPPED } from './kernel-layout.ts'
import { emitLoad } from './load.ts'
import { pushAnyActive } from './mask.ts'
import { emitPrivateLoad, emitPrivateStore } from './private-array.ts'
import { emitStore } from './store.ts'
import { emitTexel } from './texel.ts'

/** Emits items with effects, each by the file for its kind; `flow/wave.ts` calls it. */

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
  const from = e.f.code.length
  emitItem(e, item, mask)
  if ('statement' in item) e.statements.push({ from, to: e.f.code.length, statement: item.statement })
}

function emitItem(e: Emitter, item: EffectItem, mask: Mask): void {
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
      emitStop(e, mask, item.statement)
      return
    case 'report':
      emitReport(e, item)
      return
    default:
      item satisfies never
      return
  }
}

/** `abort`: ends the dispatch where any lane reaches it. */
function emitStop(e: Emitter, mask: Mask, statement: number): void {
  const stop = (): void => e.leave(STOPPED.abort, statement)
  if (mask === 'full') {
    stop()
    return
  }
  pushAnyActive(e, mask)
  e.f.if(stop)
}
