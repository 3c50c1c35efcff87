import type { Emitter } from '../emit/emitter.ts'
import { STOPPED } from '../emit/kernel-layout.ts'
import { I32 } from '../encode/assembler.ts'
import { OP } from '../encode/opcodes.ts'

/** What loops may still execute, and when they look at the clock. */

/** Instructions between two looks at the clock: about a millisecond. */
const CLOCK_INTERVAL = 1 << 20

/**
 * Takes `cost` from the budget of a loop. The clock is looked at each time that budget falls below `look`, so that a loop
 * needs one comparison for both: the budget and the time of the dispatch.
 */
export function chargeIteration(e: Emitter, budget: number, cost: number, statement: number): void {
  const { f } = e
  const look = lookOf(e, budget)
  f.get(budget).i32(cost).op(OP.i32Sub).tee(budget).get(look).op(OP.i32LtS)
  f.if(() => {
    f.get(budget).i32(0).op(OP.i32LtS)
    f.if(() => e.leave(STOPPED.budget, statement))
    f.call(e.settings.clockImport)
    f.if(() => e.leave(STOPPED.time, statement))
    setLook(e, budget)
  })
}

function lookOf(e: Emitter, budget: number): number {
  const look = e.looks.get(budget) ?? e.f.local(I32)
  e.looks.set(budget, look)
  return look
}

/** Where budget has to fall for the next look at the clock, or to 0: after a local of budget was set. */
export function setLook(e: Emitter, budget: number): void {
  if (!e.settings.hasLoops) return
  const { f } = e
  const look = lookOf(e, budget)
  f.get(budget)
    .i32(CLOCK_INTERVAL)
    .op(OP.i32Sub)
    .tee(look)
    .i32(0)
    .get(look)
    .i32(0)
    .op(OP.i32GtS)
    .op(OP.select)
    .set(look)
}
