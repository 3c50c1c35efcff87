import { describe, expect, it } from 'vitest'
import { INSTRUCTIONS } from '../../src/isa/index.ts'
import { checkVectors, type OpcodeVector, runVector } from '../support/opcode-vector.ts'
import { ACCESS_VECTORS } from './opcodes/access-vectors.ts'
import { ATOMIC_VECTORS } from './opcodes/atomic-vectors.ts'
import { FLOW_VECTORS } from './opcodes/flow-vectors.ts'
import { QUERY_VECTORS } from './opcodes/query-vectors.ts'
import { SAMPLE_VECTORS } from './opcodes/sample-vectors.ts'

/**
 * Every instruction of a compute shader that is no pure calculation, run by the reference engine from assembly text,
 * against values worked out from the specification. Pure calculations have theirs in `test/vectors`.
 */

describe('flow control', () => {
  checkVectors(FLOW_VECTORS)
})
describe('atomics and counters', () => {
  checkVectors(ATOMIC_VECTORS)
})
describe('loads and stores', () => {
  checkVectors(ACCESS_VECTORS)
})
describe('sampling and gathering', () => {
  checkVectors(SAMPLE_VECTORS)
})
describe('questions and barriers', () => {
  checkVectors(QUERY_VECTORS)
})

const VECTORS: readonly OpcodeVector[] = [
  ...FLOW_VECTORS,
  ...ATOMIC_VECTORS,
  ...ACCESS_VECTORS,
  ...SAMPLE_VECTORS,
  ...QUERY_VECTORS,
]
/** Declarations and data do nothing when they are met; pure calculations have a totality test of their own. */
const ELSEWHERE = ['alu', 'declaration', 'custom-data']
const ROWS = INSTRUCTIONS.filter((row) => row.stages.includes('compute') && !ELSEWHERE.includes(row.traits.kind))

describe('totality', () => {
  it('each vector is of a row that a compute shader can use', () => {
    const known = new Set(ROWS.map((row) => row.mnemonic))
    expect([...new Set(VECTORS.map((v) => v.mnemonic))].filter((m) => !known.has(m))).toEqual([])
  })

  it('each row has a vector whose program executes it, or is refused because of it', () => {
    const reached = new Set<string>()
    for (const row of ROWS) {
      const first = VECTORS.find((v) => v.mnemonic === row.mnemonic)
      if (first === undefined) continue
      const ran = runVector(first)
      for (const mnemonic of ran.executed) reached.add(mnemonic)
      if (ran.refused?.mnemonic !== undefined) reached.add(ran.refused.mnemonic)
    }
    const without = ROWS.filter((row) => !reached.has(row.mnemonic)).map((row) => row.mnemonic)
    expect(without).toEqual([])
  })

  it('each row has a vector of its own', () => {
    const own = new Set(VECTORS.map((v) => v.mnemonic))
    expect(ROWS.filter((row) => !own.has(row.mnemonic)).map((row) => row.mnemonic)).toEqual([])
  })
})
