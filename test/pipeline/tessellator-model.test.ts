import { describe, expect, it } from 'vitest'
import { amount } from '../support/amount.ts'
import { differenceOn, randomPatch } from '../support/tessellator-patches.ts'

/** A few of the patches that `npm run tessellator` compares with the model. */

describe('the tessellator and its model', () => {
  it('have the same points and primitives on random patches', () => {
    for (let seed = 1; seed <= amount(75, 300); seed++) {
      const patch = randomPatch(seed)
      expect({ seed, patch, difference: differenceOn(patch) }).toEqual({ seed, patch, difference: undefined })
    }
  })

  it('agree on every pair of small inside factors and edge factors', () => {
    for (const partitioning of ['integer', 'fractional_odd', 'fractional_even'] as const) {
      for (let a = 1; a <= 7; a++) {
        for (let b = 1; b <= 7; b++) {
          for (const [domain, factors] of [
            ['quad', [2, 3, 4, 5, a, b]],
            ['quad', [a, b, 1, 2, 3, 6]],
            ['triangle', [a, 3, 4, b]],
          ] as const) {
            const patch = { domain, partitioning, factors }
            expect({ patch, difference: differenceOn(patch) }).toEqual({ patch, difference: undefined })
          }
        }
      }
    }
  })
})
