import type { Builder, Label, Region, Value } from '../ir/index.ts'
import type { Parts } from '../next-task.ts'
import type { SwitchCase } from './blocks.ts'

/** What the translation of nested flow is made of: sides of branches, targets of jumps, tests of cases. */

export function* noParts(): Parts {}

/** A work without parts as one that has a single part. */
export const inOnePart = (body: () => void): (() => Parts) =>
  function* () {
    body()
    yield
  }

/** One side of a branch; `after` are the variables at its end, undefined where it does not reach it. */
export interface Side {
  readonly region: Region
  readonly after: Value[] | undefined
  readonly cost: number
}

/** Where a break, continue or return goes, and what it merges there. */
export interface Target {
  readonly label: Label
  /** Variables merged at the end. */
  readonly variables: readonly number[]
  reached: boolean
}

/** Whether a selector chooses each case. */
export function caseTests(o: Builder, selector: Value, cases: readonly SwitchCase[]): readonly Value[] {
  const any = (tests: readonly Value[]): Value => tests.reduce((a, b) => o.or(a, b), o.constant(0))
  const tests = cases.map((c) => any(c.values.map((value) => o.i32Equal(selector, o.constant(value)))))
  // Lanes that part run their cases in the order of the program, the default among them, since effects show the order.
  const chosenDefault = cases.findIndex((c) => c.isDefault)
  return tests.map((test, n) => (n === chosenDefault ? o.not(any(tests.filter((_, i) => i !== n))) : test))
}
