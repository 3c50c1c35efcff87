import { describe, expect, test } from 'vitest'
import { CLAIMS, differencesOfClaim } from '../support/fact-claims.ts'

// What the compiler knows of values and leaves out for it, at the edges of each claim, against the reference engine.

describe.each(Object.entries(CLAIMS))('%s', (_name, body) => {
  test.each(['flush', 'keep'] as const)('denormals: %s', async (denormals) => {
    expect(await differencesOfClaim(body, { denormals })).toEqual([])
  })

  test('every claim holds where code looks', async () => {
    expect(await differencesOfClaim(body, { assertions: true })).toEqual([])
  })
})
