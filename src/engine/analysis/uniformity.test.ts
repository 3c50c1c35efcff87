import { describe, expect, it } from 'vitest'
import { irProgram } from '../../../test/support/ir-program.ts'
import { DISPATCH, GROUP, Uniformity, VARYING, WAVE } from './uniformity.ts'

/** Level and pattern of named values for waves of four lanes. */
function shapesOf(text: string, threads: readonly [number, number, number] = [64, 1, 1]) {
  const { root, builder, values } = irProgram(text, { threads })
  const uniformity = new Uniformity(builder, root, threads, 4)
  return (name: string) => {
    const { level, pattern } = uniformity.of(values.get(name)!)
    return pattern === undefined ? level : [...pattern]
  }
}

describe('uniformity', () => {
  it('of inputs and what is computed of them', () => {
    const of = shapesOf(`
      v0 = descriptor.5
      v1 = groupId.0
      v2 = threadInGroup.0
      v3 = i32Add v0, v1
      v4 = u32Less v2, v0
      v5 = i32Mul v2, v2`)
    expect(['v0', 'v1', 'v3', 'v4', 'v5'].map(of)).toEqual([DISPATCH, GROUP, GROUP, VARYING, VARYING])
  })

  it('lanes that lie apart by the same numbers in every wave have a pattern', () => {
    const of = shapesOf(
      `
      v0 = threadInGroup.0
      v1 = threadInGroup.1
      v2 = i32Mul v0, 0x10
      v3 = i32Add v2, v1
      v4 = shiftLeft v3, 0x2
      v5 = i32Sub v1, v0
      v6 = or v2, 0x3`,
      [2, 8, 1],
    )
    // Threads 0 to 3 are (0, 0), (1, 0), (0, 1), (1, 1).
    expect(of('v0')).toEqual([0, 1, 0, 1])
    expect(of('v1')).toEqual([0, 0, 1, 1])
    expect(of('v3')).toEqual([0, 16, 1, 17])
    expect(of('v4')).toEqual([0, 64, 4, 68])
    expect(of('v5')).toEqual([0, -1, 1, 0])
    expect(of('v6')).toEqual([0, 16, 0, 16])
  })

  it('there is no pattern where waves differ, nor of an or whose bits meet', () => {
    const of = shapesOf(
      `
      v0 = threadInGroup.0
      v1 = i32Mul v0, 0x2
      v2 = or v1, 0x2`,
      [6, 4, 1],
    )
    expect([of('v0'), of('v2')]).toEqual([VARYING, VARYING])
  })

  it('the row of a group as wide as a wave is the same for a wave', () => {
    expect(shapesOf('v0 = threadInGroup.1', [4, 8, 1])('v0')).toBe(WAVE)
  })

  it('a merge is as uniform as the condition that decides it and what it merges', () => {
    const of = shapesOf(`
      v0 = threadInGroup.0
      v1 = groupId.0
      if v1 {
      } else {
      }
      v2 = phi 0x1, 0x2
      v3 = phi v0, 0x2
      if v0 {
      } else {
      }
      v4 = phi 0x1, 0x2`)
    expect(['v2', 'v3', 'v4'].map(of)).toEqual([GROUP, VARYING, VARYING])
  })

  it('what a loop leaves behind varies where its threads leave in different iterations', () => {
    const text = (bound: string): string => `
      v0 = ${bound}
      loop L0 cost 1 @0 {
        v1 = phi 0x0, v2
        v2 = i32Add v1, 0x1
        v3 = u32Less v2, v0
        if v3 {
        } else {
          break L0 v2
        }
      }
      v4 = merge`
    expect(shapesOf(text('threadInGroup.0'))('v4')).toBe(VARYING)
    expect(shapesOf(text('groupId.0'))('v4')).toBe(GROUP)
    // The counter itself counts alike in all threads that are still there.
    expect(shapesOf(text('threadInGroup.0'))('v1')).toBe(DISPATCH)
  })

  it('memory that is written may change between the waves of a group', () => {
    const of = shapesOf(`
      v0 = load [srv 0, offset 0x0 stride 0] 0 of 0 @1
      v1 = load [uav 0, offset 0x0 stride 0] 0 of 0 @2
      v2 = threadInGroup.0
      v3 = load [srv 0, offset v2 stride 0] 0 of 0 @3`)
    expect(['v0', 'v1', 'v3'].map(of)).toEqual([DISPATCH, WAVE, VARYING])
  })

  it('what follows from one lane of each quad is the same in quads', () => {
    const { root, builder, values } = irProgram(
      `
      v0 = input.0
      v1 = quadSwizzle.85 v0
      v2 = quadSwizzle v0
      v3 = f32Sub v1, v2
      v4 = quadSwizzle.80 v0
      v5 = f32Sub v1, v4
      v6 = and v3, 0x7
      v7 = load [mip-table 0, index v6 offset 0x0 stride 32 valid 0xffffffff] 0 of 0 @0
      v8 = load [mip-table 0, index v0 offset 0x0 stride 32 valid 0xffffffff] 0 of 0 @0
      v9 = i32Add v7, 0x1
      v10 = f32Less v3, 0x0
      v11 = anyLane v10
      if v11 {
      } else {
      }
      v12 = phi v3, v9
      if v10 {
      } else {
      }
      v13 = phi v3, v9`,
      { threads: [64, 1, 1] },
    )
    const uniformity = new Uniformity(builder, root, [64, 1, 1], 8)
    const isSame = (n: number): boolean => uniformity.isSameInQuads(values.get(`v${n}`)!)
    expect([0, 4, 5, 8].filter(isSame)).toEqual([])
    expect([1, 2, 3, 6, 7, 9, 11, 12].filter((n) => !isSame(n))).toEqual([])
    // Lanes that are not active may have kept the other.
    expect(isSame(13)).toBe(false)
    expect(uniformity.level(values.get('v11')!)).toBe(WAVE)
  })
})
