import { SIMD } from '../encode/opcodes.ts'
import type { Emitter } from './emitter.ts'
import type { Mask } from './kernel-layout.ts'

/** Which lanes run, as conditions. */

/** Pushes the mask of part `i`. */
export function pushActive(e: Emitter, mask: Mask, i: number): void {
  if (mask === 'full') e.pushConstant(0xffffffff)
  else e.f.get(mask[i]!)
}

/** Pushes whether every lane of a mask is active. */
export function pushAllActive(e: Emitter, mask: readonly number[]): void {
  mask.forEach((m, i) => {
    e.f.get(m)
    if (i > 0) e.f.simd(SIMD.and)
  })
  e.f.simd(SIMD.i32AllTrue)
}

/** Pushes whether any lane of a mask is active. */
export function pushAnyActive(e: Emitter, mask: readonly number[]): void {
  mask.forEach((m, i) => {
    e.f.get(m)
    if (i > 0) e.f.simd(SIMD.or)
  })
  e.f.simd(SIMD.anyTrue)
}

/** Code of the other way of an access that nearly always takes the quick one. */
export function rarely(e: Emitter, body: () => void): void {
  const outer = e.rare
  e.rare = true
  e.scope(body)
  e.rare = outer
}
