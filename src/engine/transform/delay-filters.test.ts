import { describe, expect, it } from 'vitest'
import { irProgram, normal, textOf } from '../../../test/support/ir-program.ts'
import { verify } from '../ir/verify.ts'
import { delayFilters } from './delay-filters.ts'

/** Where filters stand afterwards: text in, text out. */

const CASES: readonly (readonly [name: string, before: string, after: string])[] = [
  [
    'lets what needs no filter go first, branches among it',
    `
      v0 = input.0
      v1 = load [mip-table 0, index v0 offset 0x0 stride 64 valid 0xffffffff] 0 of 0 @1
      v2, v3, v4, v5 = filter v1, v1, v0, v0 @1
      v6 = f32Add v2, v0
      v7 = f32Mul v0, v0
      v8 = anyLane v7
      if v8 {
        v9 = f32Sqrt v7
      } else {
      }
      v10 = phi v9, v0
      v11, v12, v13, v14 = filter v10, v10, v0, v0 @2
      store [batch outputs 1024 1, offset v0 stride 0 valid 0xffffffff] v6 @3
      store [batch outputs 1024 1, offset v0 stride 0 valid 0xffffffff] v11 @3
    `,
    `
      v0 = input.0
      v1 = f32Mul v0, v0
      v2 = anyLane v1
      if v2 {
        v3 = f32Sqrt v1
      } else {
      }
      v4 = phi v3, v0
      v5 = load [mip-table 0, index v0 offset 0x0 stride 64 valid 0xffffffff] 0 of 0 @1
      v6, v7, v8, v9 = filter v5, v5, v0, v0 @1
      v10 = f32Add v6, v0
      v11, v12, v13, v14 = filter v4, v4, v0, v0 @2
      store [batch outputs 1024 1, offset v0 stride 0 valid 0xffffffff] v10 @3
      store [batch outputs 1024 1, offset v0 stride 0 valid 0xffffffff] v11 @3
    `,
  ],
  [
    'never passes what has an effect',
    `
      v0 = input.0
      v1, v2, v3, v4 = filter v0, v0, v0, v0 @1
      store [uav 0, offset v0 stride 0] v0 @2
      v5 = load [uav 0, offset v0 stride 0 valid 0xffffffff] 0 of 0 @3
      v6, v7, v8, v9 = filter v5, v5, v0, v0 @4
      v10 = f32Add v5, v5
      store [uav 0, offset v0 stride 0] v10 @5
      store [uav 0, offset v0 stride 0] v1 @6
      store [uav 0, offset v0 stride 0] v6 @6
    `,
    `
      v0 = input.0
      v1, v2, v3, v4 = filter v0, v0, v0, v0 @1
      store [uav 0, offset v0 stride 0] v0 @2
      v5 = load [uav 0, offset v0 stride 0 valid 0xffffffff] 0 of 0 @3
      v6 = f32Add v5, v5
      v7, v8, v9, v10 = filter v5, v5, v0, v0 @4
      store [uav 0, offset v0 stride 0] v6 @5
      store [uav 0, offset v0 stride 0] v1 @6
      store [uav 0, offset v0 stride 0] v7 @6
    `,
  ],
]

describe('filters', () => {
  it.each(CASES)('%s', (_name, before, after) => {
    const program = irProgram(before)
    delayFilters(program.root)
    expect(textOf(program)).toBe(normal(after))
    expect(verify({ root: program.root })).toEqual([])
  })
})
