import type { Value } from '../../ir/index.ts'
import type { Emitter } from '../emit/emitter.ts'
import type { Mask } from '../emit/kernel-layout.ts'
import { ownVector } from '../emit/vector-pairing.ts'
import { F32 } from '../encode/assembler.ts'
import { SIMD } from '../encode/opcodes.ts'

/** Code that sets merges, whose values come over several ways, to the value of one of them. */

/** Sets a merge to a value, for the lanes of `mask` only where it is given. */
export function setPhi(e: Emitter, phi: Value, value: Value, mask: Mask | undefined): void {
  if (!e.isVarying(phi)) {
    pushScalar(e, phi, value)
    e.f.set(e.scalarLocal(phi))
    return
  }
  e.vectorLocals(phi).forEach((local, i) => {
    e.vector(value, i)
    if (mask !== undefined && mask !== 'full') e.f.get(local).get(mask[i]!).simd(SIMD.bitselect)
    else if (hasOtherUses(e, value)) ownVector(e)
    e.f.set(local)
  })
}

/** Something else than the merge may read the value after it. */
function hasOtherUses(e: Emitter, value: Value): boolean {
  return value.op === 'constant' || !e.isVarying(value) || e.uses.of(value).length !== 1
}

function pushScalar(e: Emitter, phi: Value, value: Value): void {
  if (e.scalarTypeIs(phi, F32)) e.scalarF(value)
  else e.scalarI(value)
}

/** Sets merges to values that may be other merges of the list: all are read before any is written. */
export function setTogether(e: Emitter, pairs: readonly (readonly [Value, Value])[]): void {
  const needed = pairs.filter(([phi, value]) => phi !== value)
  const stores: number[] = []
  for (const [phi, value] of needed) {
    if (e.isVarying(phi)) {
      e.vectorLocals(phi).forEach((local, i) => {
        e.vector(value, i)
        if (hasOtherUses(e, value)) ownVector(e)
        stores.push(local)
      })
    } else {
      pushScalar(e, phi, value)
      stores.push(e.scalarLocal(phi))
    }
  }
  for (let i = stores.length - 1; i >= 0; i--) e.f.set(stores[i]!)
}
