import { describe, expect, test } from 'vitest'
import { BOUNDS_MUTANTS } from '../scripts/source-mutants/bounds.ts'
import { FACT_MUTANTS } from '../scripts/source-mutants/facts.ts'
import { mutated } from '../scripts/source-mutants/run.ts'

// The mutants run by hand; whether each still fits the source shows with every change of it.

describe.each([
  ['bounds checks', BOUNDS_MUTANTS],
  ['facts', FACT_MUTANTS],
] as const)('mutants of %s', (_name, mutants) => {
  test.each(mutants)('$file: $why', async (mutant) => {
    expect(await mutated(mutant)).toContain(mutant.replace)
  })

  test('are at least 60, each with a reason of its own', () => {
    const reasons = mutants.map(({ file, why }) => `${file}: ${why}`)
    expect(new Set(reasons).size).toBe(reasons.length)
    expect(reasons.length).toBeGreaterThanOrEqual(60)
  })
})
