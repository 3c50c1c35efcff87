import { describe, expect, it } from 'vitest'
import { irProgram, normal, textOf } from '../../../test/support/ir-program.ts'
import { runPartsAtOnce } from '../next-task.ts'
import { optimize, specialize } from './optimize.ts'

/** Rounds of resolving merges, dropping dead values and rebuilding: text in, text out. */

const CASES: readonly (readonly [name: string, before: string, after: string])[] = [
  [
    'drops values that nothing reads, and loads that cannot be out of bounds with them',
    `
      v0 = threadInGroup.0
      v1 = i32Mul v0, 0x5
      v2 = load [uav 0, offset v0 stride 0 valid 0xffffffff] 0 of 0 @1
      v3 = private-load 0 0x1 0
      store [uav 0, offset v0 stride 0] v0 @2
    `,
    `
      v0 = threadInGroup.0
      store [uav 0, offset v0 stride 0] v0 @2
    `,
  ],
  [
    'keeps a load whose bounds are checked, without its results',
    `
      v0 = threadInGroup.0
      v1, v2 = load [uav 0, offset v0 stride 0] 01 of 01 @1
      store [uav 0, offset v0 stride 0] v2 @2
      v3 = load [uav 1, offset v0 stride 0] 0 of 0 @3
    `,
    `
      v0 = threadInGroup.0
      v1 = load [uav 0, offset v0 stride 0] 1 of 01 @1
      store [uav 0, offset v0 stride 0] v1 @2
      load [uav 1, offset v0 stride 0]  of 0 @3
    `,
  ],
  [
    'makes a short if without effects a select',
    `
      v0 = threadInGroup.0
      if v0 {
        v1 = i32Mul v0, 0x5
      } else {
      }
      v2 = phi v1, 0x7
      store [uav 0, offset v0 stride 0] v2 @2
    `,
    `
      v0 = threadInGroup.0
      v1 = i32Mul v0, 0x5
      v2 = select v0, v1, 0x7
      store [uav 0, offset v0 stride 0] v2 @2
    `,
  ],
  [
    'goes on with an if around a short one, which is short once that is a select',
    `
      v0 = threadInGroup.0
      v1 = i32Less 0x5, v0
      if v0 {
        if v1 {
          v2 = i32Mul v0, 0x5
        } else {
        }
        v3 = phi v2, 0x7
      } else {
      }
      v4 = phi v3, 0x9
      store [uav 0, offset v0 stride 0] v4 @2
    `,
    `
      v0 = threadInGroup.0
      v1 = i32Less 0x5, v0
      v2 = i32Mul v0, 0x5
      v3 = select v1, v2, 0x7
      v4 = select v0, v3, 0x9
      store [uav 0, offset v0 stride 0] v4 @2
    `,
  ],
  [
    'keeps an if with effects, and of its merges those that are read and differ',
    `
      v0 = threadInGroup.0
      if v0 {
        store [uav 0, offset v0 stride 0] v0 @1
      } else {
      }
      v1 = phi 0x1, 0x2
      v2 = phi v0, v0
      v3 = phi 0x3, 0x4
      store [uav 0, offset v2 stride 0] v3 @2
    `,
    `
      v0 = threadInGroup.0
      if v0 {
        store [uav 0, offset v0 stride 0] v0 @1
      } else {
      }
      v1 = phi 0x3, 0x4
      store [uav 0, offset v0 stride 0] v1 @2
    `,
  ],
  [
    'takes the side that a constant condition chooses, also where the constant comes from a merge',
    `
      v0 = threadInGroup.0
      block L0 {
        break L0 0x0
      }
      v1 = merge
      if v1 {
        store [uav 0, offset v0 stride 0] 0x1 @1
      } else {
        store [uav 0, offset v0 stride 0] 0x2 @2
      }
    `,
    `
      v0 = threadInGroup.0
      block L0 {
        break L0
      }
      store [uav 0, offset v0 stride 0] 0x2 @2
    `,
  ],
  [
    "resolves the merge of a loop's value that does not change, and moves what depends on it before the loop",
    `
      v0 = threadInGroup.0
      loop L0 cost 2 @1 {
        v1 = phi v0, v1
        v2 = phi 0x0, v5
        v3 = u32Less v2, 0x8
        if v3 {
        } else {
          break L0 v2
        }
        v4 = i32Mul v1, 0x5
        v5 = i32Add v2, v4
      }
      v6 = merge
      store [uav 0, offset v0 stride 0] v6 @2
    `,
    `
      v0 = threadInGroup.0
      v1 = i32Mul v0, 0x5
      loop L0 cost 2 @1 {
        v2 = phi 0x0, v3
        v4 = u32Less v2, 0x8
        if v4 {
        } else {
          break L0 v2
        }
        v3 = i32Add v2, v1
      }
      v5 = merge
      store [uav 0, offset v0 stride 0] v5 @2
    `,
  ],
  [
    'keeps the merge behind a loop of a value of its inside: threads leave in different iterations',
    `
      v0 = threadInGroup.0
      loop L0 cost 2 @1 {
        v1 = phi 0x0, v2
        v2 = i32Add v1, 0x1
        v3 = u32Less v2, v0
        if v3 {
        } else {
          break L0 v2
        }
      }
      v4 = merge
      store [uav 0, offset v0 stride 0] v4 @2
    `,
    `
      v0 = threadInGroup.0
      loop L0 cost 2 @1 {
        v1 = phi 0x0, v2
        v2 = i32Add v1, 0x1
        v3 = u32Less v2, v0
        if v3 {
        } else {
          break L0 v2
        }
      }
      v4 = merge
      store [uav 0, offset v0 stride 0] v4 @2
    `,
  ],
  [
    'drops a flush of what is known to be flushed through a loop',
    `
      v0 = threadInGroup.0
      v1 = u32ToF32 v0
      loop L0 cost 2 @1 {
        v2 = phi v1, v4
        v3 = flushDenormal v2
        v4 = f32Floor v3
        v5 = f32Less v4, 0x40000000
        if v5 {
          break L0
        } else {
        }
        store [uav 0, offset v0 stride 0] v3 @2
      }
    `,
    `
      v0 = threadInGroup.0
      v1 = u32ToF32 v0
      loop L0 cost 2 @1 {
        v2 = phi v1, v3
        v3 = f32Floor v2
        v4 = f32Less v3, 0x40000000
        if v4 {
          break L0
        } else {
        }
        store [uav 0, offset v0 stride 0] v2 @2
      }
    `,
  ],
]

describe('specialize', () => {
  it('takes the strides of the views that are bound, where structures are named', () => {
    const text = (stride: number): string => `
      v0 = threadInGroup.0
      v1 = load [uav 0, index v0 offset 0x4 stride ${stride}] 0 of 0 @1
      v2 = load [uav 1, index v0 offset 0x4 stride 16] 0 of 0 @2
      v3 = load [uav 0, offset v0 stride 0] 0 of 0 @3
      v4 = i32Add v1, v2
      v5 = i32Add v3, v4
      store [uav 2, offset 0x0 stride 0] v5 @4
    `
    const strides = new Map([[0, 12]])
    expect(textOf(runPartsAtOnce(specialize(irProgram(text(8)), { strides })))).toBe(normal(text(12)))
  })
})

describe('optimize', () => {
  it.each(CASES)('%s', (_, before, after) =>
    expect(textOf(runPartsAtOnce(optimize(irProgram(before))))).toBe(normal(after)),
  )
})
