import { describe, expect, it } from 'vitest'
import { irProgram } from '../../../test/support/ir-program.ts'
import { findAddressInputs } from './address-inputs.ts'

/** Names of the values that must be right in lanes that do not run. */
function inputsIn(text: string): string[] {
  const { root, values } = irProgram(text)
  const inputs = findAddressInputs(root)
  return [...values].filter(([, v]) => inputs.has(v)).map(([name]) => name)
}

describe('inputs of addresses', () => {
  it('are what addresses are made of, not what is stored', () => {
    const text = `
      v0 = threadInGroup.0
      v1 = i32Mul v0, 0x3
      v2 = i32Add v0, 0x1
      store [uav 0, offset v1 stride 0] v2 @1`
    expect(inputsIn(text)).toEqual(['v0', 'v1'])
  })

  it('are a value that is stored too where it is an address', () => {
    const text = `
      v0 = threadInGroup.0
      v1 = i32Mul v0, 0x3
      store [uav 0, offset v1 stride 0] v1 @1`
    expect(inputsIn(text)).toEqual(['v0', 'v1'])
  })

  it('come through the merges of a loop, without the condition that lanes leave it by', () => {
    const text = `
      v0 = threadInGroup.0
      loop L0 cost 1 @0 {
        v1 = phi 0x0, v3
        v2 = phi 0x0, v4
        v3 = i32Add v1, v0
        v4 = i32Add v2, v0
        v5 = u32Less v4, 0x9
        if v5 {
          break L0 v1, v2
        } else {
        }
      }
      v6, v7 = merge
      store [uav 0, offset v6 stride 0] v7 @1`
    expect(inputsIn(text)).toEqual(['v0', 'v1', 'v3', 'v6'])
  })

  it('are the words that a branch of the whole wave is chosen by', () => {
    const text = `
      v0 = threadInGroup.0
      v1 = i32Mul v0, 0x3
      v2 = u32Less v1, 0x9
      v3 = anyLane v2
      v4 = i32Add v0, 0x7
      if v3 {
        store [uav 0, offset 0x0 stride 0] v4 @1
      } else {
      }`
    expect(inputsIn(text)).toEqual(['v0', 'v1', 'v2', 'v3'])
  })
})
