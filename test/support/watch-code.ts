import { vi } from 'vitest'
import { Baseline } from '../../src/engine/wasm/run/baseline.ts'

/** Whether optimized code was there each time that it was asked for since much is to come. */
export function watchWhetherMade(): readonly boolean[] {
  const { optimized: codeOf } = Baseline.prototype
  const areMade: boolean[] = []
  vi.spyOn(Baseline.prototype, 'optimized').mockImplementation(function (this: Baseline<unknown>, isLong) {
    if (isLong) areMade.push(this.isOver)
    return codeOf.call(this, isLong)
  })
  return areMade
}
