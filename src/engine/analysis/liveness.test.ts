import { describe, expect, it } from 'vitest'
import { irProgram } from '../../../test/support/ir-program.ts'
import { Liveness } from './liveness.ts'
import { collectInputs, type MergeInputs } from './merge-inputs.ts'

/** Names of the values that something observable depends on. */
function liveIn(text: string): string[] {
  const { root, values } = irProgram(text)
  const inputs: MergeInputs = new Map()
  collectInputs(root, inputs)
  const liveness = new Liveness(inputs, (v) => v)
  liveness.prepare(root)
  liveness.roots(root)
  return [...values].filter(([, v]) => liveness.live.has(v)).map(([name]) => name)
}

describe('liveness', () => {
  it('follows what a store reads, and nothing else', () => {
    const text = `
      v0 = threadInGroup.0
      v1 = i32Add v0, 0x1
      v2 = i32Mul v0, 0x3
      store [uav 0, offset v0 stride 0] v1 @1`
    expect(liveIn(text)).toEqual(['v0', 'v1'])
  })

  it('reaches the condition of an if through its merge', () => {
    const text = `
      v0 = threadInGroup.0
      v1 = groupId.0
      if v1 {
        v2 = not v0
        v3 = not v1
      } else {
      }
      v4 = phi v2, v0
      v5 = phi v3, v0
      store [uav 0, offset v0 stride 0] v4 @1`
    expect(liveIn(text)).toEqual(['v0', 'v1', 'v2', 'v4'])
  })

  it('reaches through the merges of a loop what the next iteration takes', () => {
    const text = `
      v0 = threadInGroup.0
      loop L0 cost 1 @0 {
        v1 = phi 0x0, v3
        v2 = phi 0x0, v4
        v3 = i32Add v1, v0
        v4 = i32Add v2, 0x1
        v5 = u32Less v3, 0x9
        if v5 {
          break L0 v1, v2
        } else {
        }
      }
      v6, v7 = merge
      store [uav 0, offset v0 stride 0] v6 @1`
    // The counter v2 is read by itself alone.
    expect(liveIn(text)).toEqual(['v0', 'v1', 'v3', 'v5', 'v6'])
  })

  it('has no need of a load that cannot be out of bounds; the address of another one is looked at', () => {
    const text = `
      v0 = threadInGroup.0
      v1 = groupId.0
      v2 = load [uav 0, offset v0 stride 0 valid 0xffffffff] 0 of 0 @1
      v3 = load [uav 0, offset v1 stride 0] 0 of 0 @2`
    expect(liveIn(text)).toEqual(['v1'])
  })
})
