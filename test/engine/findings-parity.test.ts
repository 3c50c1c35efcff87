import { afterAll, describe, expect, it } from 'vitest'
import { diagnostic } from '../../src/diagnostic/index.ts'
import { castShadow, differences } from '../support/shadow.ts'

/**
 * The suites of what the reference engine finds, each of their runs on the WebAssembly engine too (support/shadow.ts): the
 * same end, the same findings in the same words, the same bytes.
 */

/** What suites run that has no code: the fallback runs it on the reference engine. */
const NOT_COMPILED: readonly RegExp[] = [
  /^the policy 'poison' is not compiled$/,
  /^schedules are not compiled$/,
  /^compiled code does not call observers$/,
  // Programs that the reference engine refuses, in words of its own.
  /^the access does not fit the declaration$/,
  /needs derivatives, which only pixel shaders have$/,
  /^discard needs a pixel shader$/,
  /^a call names a label that does not exist$/,
  /^the write mask of a store has gaps$/,
  /is not declared$/,
]

const shadow = castShadow(undefined)

await import('./bounds.test.ts')
await import('./seeds.test.ts')
await import('./seeds-memory.test.ts')
await import('./resources.test.ts')
await import('./flow.test.ts')

describe('the shadow of all suites', () => {
  afterAll(() => {
    const unknown = [...shadow.notCompiled.keys()].filter((text) => !NOT_COMPILED.some((known) => known.test(text)))
    expect(unknown).toEqual([])
    expect(shadow.runs).toBeGreaterThan(500)
  })

  it('sees what differs', () => {
    const none = { diagnostics: [], undefinedCount: 0, threadInstructionCount: 0 }
    const hint = diagnostic('engine-unbound', 'a load', { kind: 'statement', index: 3 }, [], 'hint')
    expect(differences(none, none)).toEqual([])
    expect(differences(none, { ...none, stopped: 'trap' })).toHaveLength(1)
    expect(differences(none, { ...none, undefinedCount: 1 })).toHaveLength(1)
    expect(differences({ ...none, diagnostics: [hint] }, none)).toHaveLength(1)
    const elsewhere = { ...hint, place: { kind: 'statement', index: 4 } } as const
    expect(differences({ ...none, diagnostics: [hint] }, { ...none, diagnostics: [elsewhere] })).toHaveLength(1)
  })
})
