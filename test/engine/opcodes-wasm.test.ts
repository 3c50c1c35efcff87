import { describe, expect, it } from 'vitest'
import { valueOrThrow } from '../../src/diagnostic/index.ts'
import { matchBindings } from '../../src/engine/index.ts'
import { createWasmEngineWith } from '../../src/engine/wasm/index.ts'
import { createBuffer, createUav } from '../../src/machine/index.ts'
import { type OpcodeVector, textOf } from '../support/opcode-vector.ts'
import { programOf } from '../support/run-text.ts'
import { ACCESS_VECTORS } from './opcodes/access-vectors.ts'
import { ATOMIC_VECTORS } from './opcodes/atomic-vectors.ts'
import { FLOW_VECTORS } from './opcodes/flow-vectors.ts'
import { QUERY_VECTORS } from './opcodes/query-vectors.ts'
import { SAMPLE_VECTORS } from './opcodes/sample-vectors.ts'

/**
 * The vectors of the instructions on the WebAssembly engine: the same registers and the same memory. What it reports
 * beside them is the matter of its own suite.
 */

const ENGINES = ([1, 2, 4] as const).map((width) => createWasmEngineWith({ width }))

const hex = (words: ArrayLike<number>): string => Array.from(words, (w) => (w >>> 0).toString(16)).join(' ')

/** What differs from the vector; undefined where nothing does. */
async function differs(vector: OpcodeVector, engine: (typeof ENGINES)[number]): Promise<string | undefined> {
  const loaded = engine.load(programOf(textOf(vector)))
  const label = `${vector.mnemonic}, ${vector.reason}: `
  if (vector.refused !== undefined) return loaded.value === undefined ? undefined : `${label}not refused`
  if (loaded.value === undefined) return label + loaded.diagnostics.map((d) => d.code).join('; ')
  const out = valueOrThrow(createBuffer({ byteLength: 16 }))
  const { bindings, memory } = vector.bind?.() ?? { bindings: {} }
  const all = { ...bindings, u7: createUav(out, { raw: true }) }
  const matched = valueOrThrow(matchBindings(loaded.value.declarations, all))
  const { groups: _groups, load: _load, ...options } = vector.options ?? {}
  const run = await engine.dispatch(loaded.value, matched, [1, 1, 1], options)
  const got = [
    run.stopped ?? 'ran',
    hex(out.storage.words),
    hex(memory?.words.subarray(0, vector.memory?.length ?? 0) ?? []),
  ]
  const want = [
    vector.stopped ?? 'ran',
    vector.result === undefined ? got[1] : hex(vector.result),
    hex(vector.memory ?? []),
  ]
  return got.join(' | ') === want.join(' | ') ? undefined : `${label}${got.join(' | ')}, not ${want.join(' | ')}`
}

describe('vectors on the WebAssembly engine', () => {
  it.each([
    ['flow control', FLOW_VECTORS],
    ['atomics and counters', ATOMIC_VECTORS],
    ['loads and stores', ACCESS_VECTORS],
    ['sampling and gathering', SAMPLE_VECTORS],
    ['questions and barriers', QUERY_VECTORS],
  ])('%s', async (_name, vectors) => {
    const found: string[] = []
    for (const [i, vector] of vectors.entries()) {
      const d = await differs(vector, ENGINES[i % ENGINES.length]!)
      if (d !== undefined) found.push(d)
    }
    expect(found).toEqual([])
  })
})
