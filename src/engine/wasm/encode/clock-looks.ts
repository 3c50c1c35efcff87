import { type FunctionAssembler, I32 } from './assembler.ts'
import { OP } from './opcodes.ts'

/** The budgets of loops, and when they look at the clock. */

/** Instructions between two looks at the clock: about a millisecond. */
const CLOCK_INTERVAL = 1 << 20

export class ClockLooks {
  readonly #f: FunctionAssembler
  /** Locals with the budget at which the clock is looked at, by the local of the budget. */
  readonly #looks = new Map<number, number>()

  constructor(f: FunctionAssembler) {
    this.#f = f
  }

  /**
   * Takes `cost` from a budget. The clock is looked at each time that it falls below `look`, so that a loop
   * needs one comparison for both: the budget and the time of the dispatch.
   */
  charge(budget: number, cost: number, outOfBudget: () => void, outOfTime: () => void): void {
    const f = this.#f
    const look = this.#of(budget)
    f.get(budget).i32(cost).op(OP.i32Sub).tee(budget).get(look).op(OP.i32LtS)
    f.if(() => {
      f.get(budget).i32(0).op(OP.i32LtS)
      f.if(outOfBudget)
      f.call('overdue')
      f.if(outOfTime)
      // A budget that is charged is that of a loop.
      this.set(budget)
    })
  }

  #of(budget: number): number {
    const look = this.#looks.get(budget) ?? this.#f.local(I32)
    this.#looks.set(budget, look)
    return look
  }

  /** Where budget has to fall for the next look at the clock, or to 0: after a local of budget was set. */
  set(budget: number): void {
    const f = this.#f
    const look = this.#of(budget)
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
}
