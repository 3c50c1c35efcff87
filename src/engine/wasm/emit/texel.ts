import type { EffectItem } from '../../ir/index.ts'
import { OP, SIMD } from '../encode/opcodes.ts'
import type { Emitter } from './emitter.ts'
import { HEADER, type Mask, PARAMETERS } from './kernel-layout.ts'
import { pushActive } from './mask.ts'

/** Emits texel items that the host does; `effects.ts` calls it. */

type Texel = Extract<EffectItem, { kind: 'texel' }>

/**
 * Rows of scratch memory that a call to the host uses, of one word a lane: the mask, then arguments, then results; last
 * the number of the wave's first thread and the group.
 */
export const callSlots = (item: Texel): number => 2 + item.args.length + item.results.length

/** Texel operations by the host: arguments and mask go through scratch memory, results come back there. */
export function emitTexel(e: Emitter, item: Texel, mask: Mask): void {
  const { f } = e
  const at = (slot: number, i: number): number => e.settings.callOffset + (slot * e.width + i) * 16
  const push = (slot: number, value: (i: number) => void): void => {
    for (let i = 0; i < e.width; i++) {
      f.get(e.scratch)
      value(i)
      f.simdMemory(SIMD.store, 4, at(slot, i))
    }
  }
  // An answer that is the same for the whole wave is read from its first lane, active or not.
  const active: Mask = item.results.some((r) => !e.isVarying(r)) ? 'full' : mask
  push(0, (i) => pushActive(e, active, i))
  item.args.forEach((v, n) => void push(1 + n, (i) => e.vector(v, i)))
  const place = at(callSlots(item) - 1, 0)
  ;[e.firstThread, ...e.group].forEach((local, n) => {
    f.get(e.scratch)
      .get(local)
      .memory(OP.i32Store, 2, place + n * 4)
  })
  f.i32(e.hostCall(item)).get(e.scratch).i32(e.settings.callOffset).op(OP.i32Add).call('texel')
  if (e.settings.traps) {
    f.get(PARAMETERS.descriptor).memory(OP.i32Load, 2, HEADER.stopped * 4)
    f.if(() => void f.op(OP.return))
  }
  item.results.forEach((r, n) => {
    const slot = 1 + item.args.length + n
    if (e.isVarying(r)) {
      e.vectorLocals(r).forEach((local, i) => void f.get(e.scratch).simdMemory(SIMD.load, 4, at(slot, i)).set(local))
      return
    }
    f.get(e.scratch).memory(0x28, 2, at(slot, 0))
    if (e.scalarTypeIs(r, 0x7d)) f.op(0xbe)
    f.set(e.scalarLocal(r))
    e.splatEarly(r)
  })
}
