import { controlOf, TEST } from '../../../isa/index.ts'
import { waveSite } from '../run/site.ts'
import { countSteps, type Frame, type Halt, type Wave } from '../run/state.ts'
import { sourceValue } from './operand.ts'
import { runSteps, type Statement, sequence } from './statement.ts'

/** What flow-control statements share: tests of lanes, frames, and the budget. */

/** Lanes for which a condition holds, in two words; filled by a Test. */
export interface Lanes {
  low: number
  high: number
}
export type Test = (w: Wave, out: Lanes) => void

export const TAKEN: Lanes = { low: 0, high: 0 }

const everyLane: Test = (w, out) => {
  out.low = w.low
  out.high = w.high
}

/** The test of a conditional statement: any bit set, or none, of the one component of operand 0. */
export function compileTest(s: Statement, conditional: boolean): Test {
  if (!conditional) return everyLane
  const value = sourceValue(s, 0, 0)
  if (value === undefined) return everyLane
  const { steps, columns } = s.recorder.evaluate([value])
  const column = columns[0]!
  const before = sequence([...s.before, (w) => runSteps(w, steps)])
  const nonZero = controlOf(s.instruction.controls, TEST) === 1
  const observed = s.context.observed
  return (w, out) => {
    before(w)
    const { I, lanes, activeCount } = w
    let low = 0
    let high = 0
    for (let k = 0; k < activeCount; k++) {
      const l = lanes[k]!
      if ((I[column + l] !== 0) === nonZero) {
        if (l < 32) low |= 1 << l
        else high |= 1 << (l - 32)
      }
    }
    out.low = low
    out.high = high
    if (observed) branchEvent(w, low, high)
  }
}

function branchEvent(w: Wave, low: number, high: number): void {
  const observer = w.dispatch.observer
  if (observer?.branch === undefined) return
  const { taken } = w.observed!
  for (let k = 0; k < w.activeCount; k++) {
    const l = w.lanes[k]!
    taken[k] = ((l < 32 ? low >>> l : high >>> (l - 32)) & 1) as 0 | 1
  }
  observer.branch({ wave: waveSite(w), taken })
}

/** The frame on top, or `below - 1` under it. */
export function topFrame(w: Wave, below = 1): Frame {
  return w.frames[w.depth - below]!
}

/** Adds lanes to those that wait for a block's end. */
export function joinLanes(frame: Frame, low: number, high: number): void {
  frame.joinLow |= low
  frame.joinHigh |= high
}

/**
 * Ends the dispatch when a thread has executed too much; the wave's statement then names the loop. A wave's own count is
 * at least that of each of its lanes, so lanes are only counted when it is exceeded.
 */
export function checkBudget(w: Wave): void {
  if (w.steps <= w.dispatch.maxInstructionsPerThread) return
  countSteps(w)
  for (let k = 0; k < w.activeCount; k++) {
    if (w.laneSteps[w.lanes[k]!]! > w.dispatch.maxInstructionsPerThread) {
      const halt: Halt = { halt: 'budget', statement: w.statement }
      throw halt
    }
  }
}
