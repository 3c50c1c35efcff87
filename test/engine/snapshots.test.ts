/** Executions of the reference engine by steps, and back to where they were. */
import { describe, expect, it } from 'vitest'
import { ShaderError, valueOrThrow } from '../../src/diagnostic/index.ts'
import { type Execution, matchBindings } from '../../src/engine/index.ts'
import { createReferenceEngine } from '../../src/engine/reference/index.ts'
import { createBuffer, createUav } from '../../src/machine/index.ts'
import { batchSnapshots, STAGE_NAMES } from '../support/batch-snapshots.ts'
import { programOf } from '../support/run-text.ts'
import { KERNEL_NAMES, kernelSnapshots, randomSnapshots } from '../support/snapshot-cases.ts'

const TEXT = `cs_5_0
dcl_globalFlags refactoringAllowed
dcl_uav_raw u0
dcl_input vThreadIDInGroupFlattened
dcl_temps 1
dcl_thread_group 4, 1, 1
ishl r0.x, vThreadIDInGroupFlattened.x, l(2)
iadd r0.y, r0.x, l(100)
store_raw u0.x, r0.x, r0.y
ret
`
const FIRST = 5

function begin(byteLength = 16, groups: readonly [number, number, number] = [1, 1, 1]) {
  const engine = createReferenceEngine({})
  const shader = valueOrThrow(engine.load(programOf(TEXT)))
  const buffer = valueOrThrow(createBuffer({ byteLength }))
  const bindings = valueOrThrow(matchBindings(shader.declarations, { u0: createUav(buffer, { raw: true }) }))
  const execution = valueOrThrow(engine.begin(shader, bindings, { kind: 'grid', groups })) as Required<Execution>
  return { execution, words: buffer.storage.words }
}

describe('an execution of the reference engine', () => {
  it('executes one statement a step, and ends with the last', () => {
    const { execution, words } = begin()
    const statements: (number | undefined)[] = []
    for (let n = 0; n < 4; n++) {
      statements.push(execution.next()?.statement)
      const result = execution.step()
      expect(result === undefined).toBe(n < 3)
      expect([...words]).toEqual(n < 2 ? [0, 0, 0, 0] : [100, 104, 108, 112])
    }
    expect(statements).toEqual([FIRST, FIRST + 1, FIRST + 2, FIRST + 3])
    expect(execution.next()).toBeUndefined()
  })

  it('goes back to before a store, also from the end', () => {
    const { execution, words } = begin()
    execution.step(2)
    const snapshot = execution.snapshot()
    expect(execution.step(2)).toBeDefined()
    execution.restore(snapshot)
    expect([...words]).toEqual([0, 0, 0, 0])
    expect(execution.next()).toEqual({ group: [0, 0, 0], wave: 0, firstThread: 0, statement: FIRST + 2 })
    expect(execution.step(2)).toBeDefined()
    expect([...words]).toEqual([100, 104, 108, 112])
  })

  it('shares pages that did not change between snapshots', () => {
    const { execution, words } = begin(1 << 20)
    // Each page differs from the one in front of it.
    for (let i = 0; i < words.length; i++) words[i] = i
    const first = execution.snapshot()
    execution.step()
    const second = execution.snapshot()
    expect(first.byteLength).toBeGreaterThan(1 << 20)
    expect(second.byteLength).toBeLessThan(1 << 16)
  })

  it('keeps pages that repeat once, and puts all of them back', () => {
    const { execution, words } = begin(1 << 20)
    words.fill(7)
    words[5000] = 8
    const snapshot = execution.snapshot()
    // The page that repeats, the one with another word, and the one behind it.
    expect(snapshot.byteLength - snapshot.ownByteLength).toBe(3 * 4096)
    words.fill(9)
    execution.restore(snapshot)
    expect([words[0], words[5000], words[5001], words[words.length - 1]]).toEqual([7, 8, 7, 7])
  })

  it('refuses the snapshot of another execution', () => {
    const { execution } = begin()
    expect(() => execution.restore(begin(1 << 16).execution.snapshot())).toThrow(ShaderError)
    expect(() => execution.restore(begin(16, [2, 1, 1]).execution.snapshot())).toThrow(ShaderError)
    expect(() => execution.restore({ ...execution.snapshot(), engine: 'other' })).toThrow(ShaderError)
  })
})

// Orders, wave widths and groups in flight go by the number of the case; npm run snapshots goes through more.
describe('going back and on again changes nothing', () => {
  it.each(KERNEL_NAMES.map((name, n) => [name, n] as const))('in the kernel %s', (name, n) => {
    expect(kernelSnapshots(name, 7 * n + 1, 1)).toBeUndefined()
  })

  it.each(Array.from({ length: 12 }, (_, n) => 9007 + n))('in the random program %i', (seed) => {
    expect(randomSnapshots(seed, 2)).toBeUndefined()
  })

  it.each(STAGE_NAMES)('in batches of the stage %s', (name) => {
    for (let seed = 1; seed <= 20; seed++) expect([seed, batchSnapshots(name, seed, 3)]).toEqual([seed, undefined])
  })
})
