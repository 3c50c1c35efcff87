import { expect, it } from 'vitest'
import { failedDebugMutants } from '../../test/support/debug-mutations.ts'

it('gives a map for damaged debug data, never an exception (npm run pdb-mutants for more)', () => {
  expect(failedDebugMutants(1, 150, false)).toEqual([])
})
