import { describe, expect, it } from 'vitest'
import { wrongUndefined } from './support/time-line/undefined.ts'
import { faultyRun, KERNEL_NAMES, randomRun, shortenedRun } from './support/time-line/walk.ts'

/** Statements of each run that are gone over. */
const MOST = 200
const FRESH = Math.floor(Math.random() * 2 ** 20)

describe('a time line knows at each moment, from either side, what nothing has written', () => {
  const kinds = new Set<string>()

  it.each(KERNEL_NAMES.map((name, n) => [name, n] as const))('in the kernel %s with faults', async (name, n) => {
    expect(await wrongUndefined(faultyRun(name, n, 150), n, MOST, kinds)).toBeUndefined()
    for (const left of [7 * n + 3, FRESH])
      expect(await wrongUndefined(shortenedRun(name, left, 150), left, MOST, kinds), `without ${left}`).toBeUndefined()
  })

  it('in random programs', async () => {
    for (const seed of [1, 2, 3, FRESH])
      expect(await wrongUndefined(randomRun(seed), seed, MOST, kinds), `seed ${seed}`).toBeUndefined()
  })

  it('of both kinds', () => {
    const wanted = ['register never written', 'register undefined', 'shared memory never written']
    expect([...kinds]).toEqual(expect.arrayContaining(wanted))
  })
})
